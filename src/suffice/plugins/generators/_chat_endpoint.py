"""Where a chat model is and how it is asked: address, key, limits, prices; checked before it is used."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from suffice.errors import SettingsError

OPENAI = "https://api.openai.com/v1"
DASHSCOPE = "https://dashscope.aliyuncs.com/compatible-mode/v1"
FORMATS = ("json_schema", "json_object", "text")
_OURS = frozenset({"messages", "stream", "model", "response_format", "n", "tools"})
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_SECONDS = ("connect_s", "first_byte_s", "idle_s", "total_s")
_COUNTS = {"retries": 0, "prompt_budget": 500, "reply_budget": 50}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A chat endpoint with its model. Times are seconds, `prices` an amount for a million tokens (in, out).

    The key is in no representation, and in no message: `hidden` takes it out of any text of the server's.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    key_name: str = ""
    extra_body: Mapping[str, Any] = field(default_factory=dict, repr=False)
    format: str = "auto"
    connect_s: float = 10.0
    first_byte_s: float = 60.0
    idle_s: float = 30.0
    total_s: float = 120.0
    retries: int = 3
    prompt_budget: int = 24_000
    reply_budget: int = 2_000
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def host(self) -> str:
        """The host and its port, for people."""
        return urlsplit(self.base_url).netloc

    @property
    def local(self) -> bool:
        """Whether the server is on this machine: then no proxy stands between."""
        return (urlsplit(self.base_url).hostname or "") in _LOCAL

    @property
    def exposed(self) -> bool:
        """Whether the key and the passages travel to another machine without encryption."""
        return self.base_url.startswith("http:") and not self.local

    def hidden(self, text: str, length: int = 300) -> str:
        """A server's words on one line, without control characters and without the key."""
        if self.key:
            text = text.replace(self.key, "[key]")
        words = re.sub(r"[\x00-\x20\x7f-\x9f\u2028-\u202e\u2066-\u2069]+", " ", text).strip()
        return words if len(words) <= length else words[: length - 1] + "…"

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """In the unit of the price table; None where it does not name the model."""
        price = self.prices.get(self.model)
        if price is None:
            return None
        return (prompt_tokens * price[0] + completion_tokens * price[1]) / 1e6


def endpoint(environment: Mapping[str, str], **options: Any) -> Endpoint:
    """The endpoint that settings and environment name. Raises SettingsError, which never shows a key."""
    known = set(Endpoint.__dataclass_fields__) - {"key", "key_name"} | {"auth_env"}
    for name in options:
        if name not in known:
            raise SettingsError(
                f"the openai generator has no option {name!r}; it has: {', '.join(sorted(known))}"
            )
    given = {name: value for name, value in options.items() if name not in ("base_url", "auth_env")}
    base_url, key, key_name = _where(environment, options.get("base_url", ""), options.get("auth_env", ""))
    if not options.get("model"):
        raise SettingsError(
            "the openai generator needs the name of a model: set generator.model, or SUFFICE_GENERATOR__MODEL"
        )
    _check(given)
    extra = {"enable_thinking": False} if _is_dashscope(base_url, key_name) else {}
    given["extra_body"] = extra | dict(given.get("extra_body") or {})
    given["prices"] = _prices(given.get("prices") or {})
    return Endpoint(base_url, key=key, key_name=key_name, **given)


def _where(environment: Mapping[str, str], base_url: str, auth_env: str) -> tuple[str, str, str]:
    """Address, key and the name of the key's variable; a key goes only to the service that it belongs to."""
    qwen = False
    if base_url:
        base_url = _checked_url(base_url)
        qwen = _is_dashscope(base_url, "")
    elif url := environment.get("OPENAI_BASE_URL", "").strip():
        base_url = _checked_url(url)
        qwen = _is_dashscope(url, "") and not environment.get("OPENAI_API_KEY", "").strip()
    elif url := environment.get("DASHSCOPE_BASE_URL", "").strip():
        base_url, qwen = _checked_url(url), True
    elif environment.get("OPENAI_API_KEY", "").strip():
        base_url = OPENAI
    elif environment.get("DASHSCOPE_API_KEY", "").strip():
        base_url, qwen = DASHSCOPE, True
    else:
        raise SettingsError(
            "the openai generator needs an address: set generator.base_url, OPENAI_BASE_URL or "
            "DASHSCOPE_BASE_URL; a service that wants a key reads it from OPENAI_API_KEY or DASHSCOPE_API_KEY"
        )
    name = auth_env or ("DASHSCOPE_API_KEY" if qwen else "OPENAI_API_KEY")
    key = environment.get(name, "").strip()
    if not auth_env and Endpoint(base_url, "").exposed:
        key = ""  # it would be read by whoever stands between; naming the variable is asking for it
    if auth_env and not key:
        raise SettingsError(f"generator.auth_env names the variable {auth_env!r}, which is not set")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise SettingsError(f"the key in {name} holds a blank or a character that no key has; set it again")
    return base_url, key, name if key else ""


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url.strip())
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        raise SettingsError("generator.base_url is not an address; it looks like https://HOST/v1") from None
    if parts.username or parts.password or parts.query or parts.fragment:
        raise SettingsError(
            "the address of the generator holds a name, a password or a query; a key belongs into "
            "OPENAI_API_KEY, or the variable that generator.auth_env names"
        )
    if not good:
        raise SettingsError(f"generator.base_url is {url!r}; it must look like https://HOST/v1")
    return url.strip().rstrip("/").removesuffix("/chat/completions")


def _is_dashscope(base_url: str, key_name: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    return key_name == "DASHSCOPE_API_KEY" or (
        host.startswith("dashscope") and host.endswith(".aliyuncs.com")
    )


def _check(given: Mapping[str, Any]) -> None:
    for name in _SECONDS:
        value = given.get(name, 1.0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            raise SettingsError(f"generator.{name} is {value!r}; it must be a number of seconds above 0")
    for name, least in _COUNTS.items():
        value = given.get(name, least)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise SettingsError(f"generator.{name} is {value!r}; it must be a whole number from {least}")
    if given.get("format", "auto") not in ("auto", *FORMATS):
        raise SettingsError(f"generator.format is {given['format']!r}; it is auto, {', '.join(FORMATS)}")
    extra = given.get("extra_body") or {}
    if not isinstance(extra, Mapping):
        raise SettingsError("generator.extra_body must be a table")
    for name in extra:
        if name in _OURS:
            raise SettingsError(f"generator.extra_body must not hold {name!r}: suffice sets it itself")


def _prices(table: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    for model, price in table.items():
        numbers = isinstance(price, list | tuple) and len(price) == 2
        if not numbers or any(
            isinstance(one, bool) or not isinstance(one, int | float) or not 0 <= one < math.inf
            for one in price
        ):
            raise SettingsError(
                f"generator.prices.{model} is {price!r}; it must be two numbers: a million tokens in, and out"
            )
    return {model: (float(price[0]), float(price[1])) for model, price in table.items()}
