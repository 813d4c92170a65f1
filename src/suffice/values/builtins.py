"""Values as plain data and back."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def to_builtins(value: Any) -> Any:
    """The value as dicts, lists, strings, numbers, booleans and None."""
    return msgspec.to_builtins(value)


def from_builtins(data: Any, kind: type[T]) -> T:
    """The inverse of `to_builtins`. Raises msgspec.ValidationError where the data does not fit."""
    return msgspec.convert(data, kind)
