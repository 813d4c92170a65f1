"""Where was it lost? Each piece that an answer needs is followed through the layers, with its exact ranks."""

from suffice.diagnose.findings import LAYERS, Diagnosis, Layer, Outranker, PieceFinding, Repair
from suffice.diagnose.locate import Parts, locate
from suffice.diagnose.traces import Trace, keep, read, trace

__all__ = [
    "LAYERS",
    "Diagnosis",
    "Layer",
    "Outranker",
    "Parts",
    "PieceFinding",
    "Repair",
    "Trace",
    "keep",
    "locate",
    "read",
    "trace",
]
