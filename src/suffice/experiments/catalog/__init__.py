"""The catalogue: one module an experiment, each with an `EXPERIMENT`. Adding a file adds an experiment."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from suffice.errors import UsageError
from suffice.experiments.arms import Experiment


def names() -> tuple[str, ...]:
    """Names of all experiments, sorted."""
    return tuple(sorted(info.name for info in pkgutil.iter_modules(__path__) if info.name[0] != "_"))


def load(name: str) -> Experiment:
    """The experiment of that name. Raises UsageError."""
    if name not in names():
        raise UsageError(f"no experiment is named {name!r}; there are: {', '.join(names())}")
    found: Experiment = import_module(f"{__name__}.{name}").EXPERIMENT
    return found
