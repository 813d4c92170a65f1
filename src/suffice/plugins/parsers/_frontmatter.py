"""Front matter of a text file: YAML between `---` lines or TOML between `+++` lines.

Only the part of YAML that front matter is written in is read: top-level scalars and flat lists. A whole
YAML reader would be one more dependency for values that metadata cannot hold anyway (nested maps).
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

from suffice.values import Meta, Scalar

_YAML = re.compile(r"---[ \t]*\n(?P<body>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\+\+\+[ \t]*\n(?P<body>.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"(?P<key>[A-Za-z_][\w.-]*|\"[^\"]+\"|'[^']+')[ \t]*:(?:[ \t]+(?P<value>.*))?$")
_INT = re.compile(r"[-+]?(?:0|[1-9]\d*)")
_FLOAT = re.compile(r"[-+]?(?:0|[1-9]\d*)\.\d+(?:[eE][-+]?\d+)?")
_BLOCK_MARK = re.compile(r"[|>][-+]?")


def front_matter(text: str) -> tuple[int, Meta]:
    """Where the body starts (a code point; 0: there is no front matter) and the scalars found."""
    match = _YAML.match(text)
    if match:
        meta = _yaml(match["body"])
        # A file may also begin with a thematic break: without a single key it is not front matter.
        return (match.end(), meta) if meta or not match["body"].strip() else (0, {})
    match = _TOML.match(text)
    if match:
        try:
            table = tomllib.loads(match["body"])
        except tomllib.TOMLDecodeError:
            return 0, {}
        return match.end(), {
            key: scalar for key, value in table.items() if (scalar := _flat(value)) is not None
        }
    return 0, {}


def _yaml(body: str) -> Meta:
    """Top-level `key: value` pairs; lists and folded text are joined, nested maps are left out."""
    meta: Meta = {}
    lines = body.split("\n")
    i = 0
    while i < len(lines):
        match = _KEY.match(lines[i])
        i += 1
        if not match:
            continue
        key = match["key"].strip("\"'")
        value = (match["value"] or "").strip()
        below: list[str] = []
        while i < len(lines) and (not lines[i].strip() or lines[i][0] in " \t-"):
            below.append(lines[i].strip())
            i += 1
        below = [line for line in below if line and not line.startswith("#")]
        if value and not _BLOCK_MARK.fullmatch(value):
            meta[key] = _scalar(" ".join([value, *below]) if below and value[0] not in "[{&*!" else value)
        elif value:
            meta[key] = ("\n" if value[0] == "|" else " ").join(below)
        elif below and all(line.startswith("- ") for line in below):
            meta[key] = ", ".join(str(_scalar(line[2:].strip())) for line in below)
    return meta


def _scalar(value: str) -> Scalar:
    if value[:1] in ("'", '"') and value[0] == value[-1] and len(value) > 1:
        inner = value[1:-1]
        return (
            inner.replace("''", "'") if value[0] == "'" else inner.replace('\\"', '"').replace("\\\\", "\\")
        )
    value = re.split(r"[ \t]#", value, maxsplit=1)[0].strip()
    if value.startswith("[") and value.endswith("]"):
        return ", ".join(str(_scalar(item.strip())) for item in value[1:-1].split(",") if item.strip())
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    if _INT.fullmatch(value) and len(value) < 16:
        return int(value)
    if _FLOAT.fullmatch(value):
        return float(value)
    return value


def _flat(value: Any) -> Scalar | None:
    if isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, list) and all(isinstance(item, (str, int, float, bool)) for item in value):
        return ", ".join(map(str, value))
    return None if isinstance(value, (dict, list)) else str(value)
