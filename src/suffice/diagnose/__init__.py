"""Where was it lost? Each piece that an answer needs is followed through the layers, with its exact ranks.

What every ask needs is imported at once; the rest, 40 ms of it, when a diagnosis is made.
`locate()` stands in the module of its name.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from suffice.diagnose.traces import Trace, keep, read, trace

if TYPE_CHECKING:
    from suffice.diagnose.findings import LAYERS, Diagnosis, Layer, Outranker, PieceFinding, Repair
    from suffice.diagnose.foreign import ForeignDiagnosis, ForeignPiece, ForeignTrace, examine
    from suffice.diagnose.locate import LAYER_WORDS, Parts, shown

__all__ = [
    "LAYERS",
    "LAYER_WORDS",
    "Diagnosis",
    "ForeignDiagnosis",
    "ForeignPiece",
    "ForeignTrace",
    "Layer",
    "Outranker",
    "Parts",
    "PieceFinding",
    "Repair",
    "Trace",
    "examine",
    "keep",
    "read",
    "shown",
    "trace",
]

_HOMES = {
    **dict.fromkeys(("LAYERS", "Diagnosis", "Layer", "Outranker", "PieceFinding", "Repair"), "findings"),
    **dict.fromkeys(("ForeignDiagnosis", "ForeignPiece", "ForeignTrace", "examine"), "foreign"),
    **dict.fromkeys(("LAYER_WORDS", "Parts", "shown"), "locate"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
