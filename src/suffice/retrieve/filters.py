"""Reads `--where` expressions, and says which documents may take part; decided before any ranking."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache

from suffice.errors import FilterError
from suffice.values import Condition, Filter, Meta, Scalar
from suffice.workspace.rows import stored_tenant

_EXPRESSION = re.compile(
    r"\s*(?P<key>[^\W\d][\w.-]*)\s*(?:(?P<op>!=|<=|>=|\^=|=|<|>)|\s(?P<among>in)\s)\s*(?P<value>.*?)\s*",
    re.DOTALL,
)
_FORMS = "key=value, key!=value, key<value (also <= > >=), key in a,b,c, key^=prefix, path=glob"
_ORDERED = ("<", "<=", ">", ">=")
_MOST_KEYS = 12


def read(expressions: Iterable[str], tenant: str | None = None) -> Filter:
    """The filter of a tenant and of expressions that must all hold. Raises FilterError, UsageError."""
    stored_tenant(tenant)  # refuses what no tenant can be called
    return Filter(tenant, tuple(condition(expression) for expression in expressions))


def condition(expression: str) -> Condition:
    """One parsed expression. `path` is the document's name; any other key is metadata. Raises FilterError."""
    found = _EXPRESSION.fullmatch(expression)
    if found is None:
        raise FilterError(f"cannot read the filter {expression!r}; it is one of: {_FORMS}")
    key, op, value = found["key"], found["op"] or "in", _unquoted(found["value"])
    if key == "tenant":
        raise FilterError(f"the filter {expression!r} names the tenant; use --tenant for that")
    if not value and op not in ("=", "!="):
        raise FilterError(f"the filter {expression!r} has no value after {op!r}")
    if op in _ORDERED:
        return Condition(key, op, _comparable(value, expression))
    if op == "in":
        several = tuple(_unquoted(item.strip()) for item in value.split(",") if item.strip())
        if not several:
            raise FilterError(f"the filter {expression!r} lists nothing after 'in'")
        return Condition(key, "in", several)
    if op == "^=":
        return Condition(key, "prefix", value)
    return Condition(key, "glob" if key == "path" and op == "=" else op, value)


def check_keys(filter: Filter, documents: Iterable[tuple[str | None, str, Meta]]) -> None:
    """Refuse a key that none of the tenant's documents has: it is misspelt, and would find nothing, silently.

    `!=` is let through, since a document without the key fits it. Raises FilterError.
    """
    wanted = [test.key for test in filter.conditions if test.key != "path" and test.op != "!="]
    if not wanted:
        return
    metas = [meta for tenant, _, meta in documents if tenant == filter.tenant]
    known = {key for meta in metas for key in meta}
    for key in wanted:
        if metas and key not in known:
            some = ["path", *sorted(known)][:_MOST_KEYS]
            more = " …" if len(known) + 1 > _MOST_KEYS else ""
            raise FilterError(
                f"no document has the key {key!r} to filter by; there are: {', '.join(some)}{more}"
            )


def matches(filter: Filter, tenant: str | None, name: str, meta: Meta) -> bool:
    """Whether a document may take part: its tenant is the filter's (None: the unnamed one), and all holds."""
    return tenant == filter.tenant and all(holds(test, name, meta) for test in filter.conditions)


def holds(test: Condition, name: str, meta: Meta) -> bool:
    """Whether one condition holds. A key that is absent fails every test but `!=`."""
    actual: Scalar | None = name if test.key == "path" else meta.get(test.key)
    if test.op == "!=":
        return actual is None or not _equal(test.key, actual, test.value)
    if actual is None:
        return False
    if test.op in _ORDERED:
        return _compare(test.op, actual, test.value)
    if test.op == "prefix":
        return _shown(actual).startswith(_shown(test.value))
    if test.op == "in":
        wanted = test.value if isinstance(test.value, tuple) else (test.value,)
        return any(_equal(test.key, actual, value) for value in wanted)
    if test.op in ("=", "glob"):
        return _equal(test.key, actual, test.value)
    raise FilterError(f"no filter operation is named {test.op!r}; there are: = != < <= > >= in prefix glob")


def _equal(key: str, actual: Scalar, wanted: Scalar | tuple[Scalar, ...]) -> bool:
    if key == "path":
        return bool(_glob(_shown(wanted)).fullmatch(_shown(actual)))
    if isinstance(actual, int | float) and not isinstance(actual, bool):
        number = _number(_shown(wanted))
        return number is not None and number == actual
    return _shown(actual) == _shown(wanted) or (
        isinstance(actual, bool) and _shown(wanted).casefold() == _shown(actual)
    )


def _compare(op: str, actual: Scalar, wanted: Scalar | tuple[Scalar, ...]) -> bool:
    one: float | datetime | None
    other: float | datetime | None
    if isinstance(wanted, str):
        one, other = _moment(_shown(actual)), _moment(wanted)
    else:
        one, other = _number(_shown(actual)), _number(_shown(wanted))
    if one is None or other is None:
        return False
    if op == "<":
        return one < other  # type: ignore[operator]
    if op == "<=":
        return one <= other  # type: ignore[operator]
    return one > other if op == ">" else one >= other  # type: ignore[operator]


def _comparable(value: str, expression: str) -> Scalar:
    number = _number(value)
    if number is not None:
        return number
    if _moment(value) is None:
        raise FilterError(
            f"the filter {expression!r} compares with {value!r}, which is neither a number nor a date "
            "such as 2026-01-31"
        )
    return value


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _shown(value: Scalar | tuple[Scalar, ...]) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


@lru_cache(maxsize=256)
def _glob(pattern: str) -> re.Pattern[str]:
    # `*` stays within a folder, `**` crosses folders; a pattern without a slash is a file name at any depth.
    if "/" not in pattern and "**" not in pattern:
        pattern = f"**/{pattern}"
    result, at = "", 0
    while at < len(pattern):
        if pattern.startswith("**/", at):
            result, at = result + "(?:.*/)?", at + 3
        elif pattern.startswith("**", at):
            result, at = result + ".*", at + 2
        elif pattern[at] == "[" and (end := pattern.find("]", at + 2)) > 0:
            inside = pattern[at + 1 : end].replace("\\", r"\\").replace("[", r"\[").replace("^", r"\^")
            result, at = result + f"[{'^' + inside[1:] if inside[0] == '!' else inside}]", end + 1
        else:
            result += {"*": "[^/]*", "?": "[^/]"}.get(pattern[at], re.escape(pattern[at]))
            at += 1
    try:
        return re.compile(result, re.DOTALL)
    except re.error as error:
        raise FilterError(f"cannot read the path pattern {pattern!r}: {error}") from error
