"""Where was it lost? Each piece that an answer needs is followed through the layers, with its exact ranks."""

from suffice.diagnose.findings import LAYERS, Diagnosis, Layer, Outranker, PieceFinding, Repair
from suffice.diagnose.foreign import ForeignDiagnosis, ForeignPiece, ForeignTrace, examine
from suffice.diagnose.locate import LAYER_WORDS, Parts, locate, shown
from suffice.diagnose.traces import Trace, keep, read, trace

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
    "locate",
    "read",
    "shown",
    "trace",
]
