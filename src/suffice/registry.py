"""Finds plug-ins: kind + name -> `plugins/<kind>s/<name>.py` or an entry point; imports on use."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from suffice.errors import PluginNotFound

KINDS = ("source", "parser", "chunker", "embedder", "store", "reranker", "judge", "generator")
GROUP = "suffice.{kind}s"


def names(kind: str) -> tuple[str, ...]:
    """Names of all plug-ins of a kind, bundled ones and entry points, sorted."""
    _check(kind)
    import pkgutil

    package = importlib.import_module(f"suffice.plugins.{kind}s")
    bundled = {info.name for info in pkgutil.iter_modules(package.__path__) if not info.name.startswith("_")}
    return tuple(sorted(bundled | {point.name for point in _entry_points(kind)}))


def create(kind: str, name: str, **options: Any) -> Any:
    """Make the plug-in by its module's `create(**options)`. Raises PluginNotFound, SettingsError."""
    return load(kind, name).create(**options)


def load(kind: str, name: str) -> Any:
    """The plug-in's module (or entry point object): it has a `create`. Raises PluginNotFound."""
    _check(kind)
    module = f"suffice.plugins.{kind}s.{name}"
    if name.isidentifier() and not name.startswith("_"):
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise PluginNotFound(
                    f"the {kind} {name!r} needs the package {error.name!r}, which is not installed"
                ) from error
    for point in _entry_points(kind):
        if point.name == name:
            return point.load()
    raise PluginNotFound(f"no {kind} is named {name!r}; there are: {', '.join(names(kind)) or 'none'}")


def _check(kind: str) -> None:
    if kind not in KINDS:
        raise PluginNotFound(f"no kind of plug-in is named {kind!r}; there are: {', '.join(KINDS)}")


def _entry_points(kind: str) -> Iterable[Any]:
    # Imported here: it costs every start 25 ms, and bundled plug-ins are found without it.
    from importlib.metadata import entry_points

    return entry_points(group=GROUP.format(kind=kind))
