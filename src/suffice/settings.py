"""One frozen Settings: file < environment < argument. Unknown keys and secrets are refused."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from suffice.errors import SettingsError

_SECRET_WORDS = ("key", "token", "secret", "password")
_INNER_SECRET_WORDS = ("api_key", "apikey", "api-key", "secret", "password", "authorization", "bearer")


class ChunkSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How documents are cut. Changing any of these makes a new generation."""

    name: str = "structure"
    max_chars: int = 2400


class EmbedSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which model embeds, and how a chunk is cut into the parts that get a vector each."""

    name: str = "e5"
    precision: Literal["int8", "float32"] = "int8"
    threads: int = 0  # 0: one per core
    part_chars: int = 800
    late: bool = True  # keep token states for late interaction, where the embedder has them


class SearchSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How rankings are made. Weights apply to per-query z-scores."""

    fusion: Literal["zscore", "rrf"] = "zscore"
    dense_weight: float = 1.0
    lexical_weight: float = 0.3
    late_weight: float = 3.0  # of the late z-score over the first 50; 0 ranks without late interaction
    rrf_k: int = 60
    mmr: float | None = (
        None  # share of relevance, 1 is the plain order; off: no benchmark has shown that it helps
    )
    dedup: bool = False  # leave out chunks whose text was seen at a better rank; off for the same reason
    store: str = "embedded"


class GateSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which judge proposes, and at which false-answer rate it operates (see docs)."""

    judge: str = "reader"
    false_answer_rate: float = 0.1
    threshold: float | None = None  # a confidence; overrides the rate
    min_cosine: float | None = None  # an extra floor on the cosine of a support's passage


class AnswerSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Who writes the answer."""

    generator: str = "extractive"
    strict: bool = False
    suggestions: int = 3


class GeneratorSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The chat endpoint of the generator `openai`. The key is no setting: it is read from the environment."""

    base_url: str = ""  # empty: OPENAI_BASE_URL, else DASHSCOPE_BASE_URL, else the service whose key is set
    model: str = ""
    auth_env: str = ""  # the variable that holds the key; empty: OPENAI_API_KEY or DASHSCOPE_API_KEY
    extra_body: dict[str, Any] = {}
    format: Literal["auto", "json_schema", "json_object", "text"] = "auto"
    connect_s: float = 10.0
    first_byte_s: float = 60.0
    idle_s: float = 30.0
    total_s: float = 120.0
    retries: int = 3
    prompt_budget: int = 24_000
    reply_budget: int = 2_000
    prices: dict[str, tuple[float, float]] = {}  # model: amount for a million tokens read, and written

    def options(self, name: str) -> dict[str, Any]:
        """What a generator of this name is made with, beside the embedder."""
        return msgspec.structs.asdict(self) if name == "openai" else {}


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything that can be set. `suffice.toml` has a table per field."""

    chunk: ChunkSettings = ChunkSettings()
    embed: EmbedSettings = EmbedSettings()
    search: SearchSettings = SearchSettings()
    gate: GateSettings = GateSettings()
    answer: AnswerSettings = AnswerSettings()
    generator: GeneratorSettings = GeneratorSettings()

    def fingerprint(self) -> str:
        """12 hex digits over every value: two runs with the same fingerprint had the same settings."""
        values = msgspec.to_builtins(self)
        if self.generator == GeneratorSettings():
            del values["generator"]  # runs recorded before there was this table keep their fingerprint
        return hashlib.sha256(msgspec.json.encode(values, order="sorted")).hexdigest()[:12]


def load(
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Settings:
    """Settings from a TOML file, `SUFFICE_<TABLE>__<KEY>` variables and dotted overrides, later ones winning.

    Raises SettingsError that names the key, the value seen and where it came from.
    """
    data: dict[str, Any] = {}
    if file is not None:
        data = _read(file)
        _refuse_secrets(data, file)
        _convert(data, str(file), strict=True)
    env = os.environ if environment is None else environment
    for name, raw in sorted(env.items()):
        if name.startswith("SUFFICE_") and "__" in name:
            _put(data, name.removeprefix("SUFFICE_").lower().split("__"), _value(raw), name)
    if any(name.startswith("SUFFICE_") and "__" in name for name in env):
        _convert(data, "the environment (SUFFICE_<TABLE>__<KEY>)", strict=False)
    for dotted, value in (overrides or {}).items():
        if value is not None:
            _put(data, dotted.split("."), value, dotted)
    return _checked(_convert(data, "the arguments", strict=False))


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"cannot read the settings file {file}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} is not valid TOML: {error}") from error


def _refuse_secrets(data: Mapping[str, Any], file: Path) -> None:
    for table, values in data.items():
        for key in values if isinstance(values, dict) else ():
            _refuse_secret(file, f"{table}.{key}", key, _SECRET_WORDS)
            # limits that a server calls "max_tokens" are no secrets
            for inner in values[key] if isinstance(values[key], dict) and key == "extra_body" else ():
                _refuse_secret(file, f"{table}.{key}.{inner}", inner, _INNER_SECRET_WORDS)


def _refuse_secret(file: Path, name: str, key: str, words: tuple[str, ...]) -> None:
    if any(word in key.lower() for word in words):
        raise SettingsError(
            f"{file}: {name} looks like a secret; secrets are read from the environment alone"
        )


def _value(raw: str) -> Any:
    """A variable's value: a table where it is written as a JSON object, else the text."""
    if raw.lstrip().startswith("{"):
        try:
            return msgspec.json.decode(raw)
        except msgspec.DecodeError:
            return raw
    return raw


def _put(data: dict[str, Any], path: list[str], value: Any, where: str) -> None:
    if len(path) != 2:
        raise SettingsError(f"{where}: a setting is named TABLE and KEY, as in search.fusion")
    table = data.setdefault(path[0], {})
    if not isinstance(table, dict):
        raise SettingsError(f"{where}: {path[0]} is not a table")
    table[path[1]] = value


def _convert(data: Mapping[str, Any], where: str, *, strict: bool) -> Settings:
    try:
        return msgspec.convert(data, Settings, strict=strict)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{where}: {error}") from error


def _checked(settings: Settings) -> Settings:
    problems = {
        "chunk.max_chars": (settings.chunk.max_chars, settings.chunk.max_chars >= 200, "200 or more"),
        "embed.part_chars": (settings.embed.part_chars, settings.embed.part_chars >= 100, "100 or more"),
        "embed.threads": (settings.embed.threads, settings.embed.threads >= 0, "0 or more"),
        "gate.false_answer_rate": (
            settings.gate.false_answer_rate,
            0 < settings.gate.false_answer_rate < 1,
            "between 0 and 1",
        ),
        "gate.threshold": (
            settings.gate.threshold,
            settings.gate.threshold is None or 0 <= settings.gate.threshold <= 1,
            "between 0 and 1",
        ),
        "gate.min_cosine": (
            settings.gate.min_cosine,
            settings.gate.min_cosine is None or -1 <= settings.gate.min_cosine <= 1,
            "between -1 and 1: it is compared with the cosine, never with a fused score",
        ),
        "search.mmr": (
            settings.search.mmr,
            settings.search.mmr is None or 0 <= settings.search.mmr <= 1,
            "between 0 and 1",
        ),
        "search.late_weight": (
            settings.search.late_weight,
            settings.search.late_weight >= 0,
            "0 or more; 0 ranks without late interaction",
        ),
        "search.rrf_k": (settings.search.rrf_k, settings.search.rrf_k >= 1, "1 or more"),
        "answer.suggestions": (settings.answer.suggestions, 0 <= settings.answer.suggestions <= 3, "0 to 3"),
    }
    for key, (value, good, wanted) in problems.items():
        if not good:
            raise SettingsError(f"{key} is {value!r}; it must be {wanted}")
    return settings
