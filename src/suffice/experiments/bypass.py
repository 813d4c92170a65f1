"""An answer written with the gate bypassed on purpose: every need is treated as supported by all evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from suffice.answer.compose import Composed, compose
from suffice.engine import Engine
from suffice.errors import GeneratorError
from suffice.gate.needs import split
from suffice.gate.sufficiency import decide
from suffice.text import language
from suffice.values import Hit, Support


def written(engine: Engine, question: str, evidence: Sequence[Hit]) -> Composed:
    """What the configured generator makes of the evidence when nobody asks whether it is enough.

    Its quotes are still checked. Never reached by `ask`: an experiment alone may do this. Raises
    GeneratorError where the generator failed, which is no decline.
    """
    spoken = language(question)
    needs = split(question, spoken)
    hits = [replace(hit, rank=rank) for rank, hit in enumerate(evidence, 1)]
    supports = [Support(need.id, hit.rank, hit.span, 1.0, "bypassed") for need in needs for hit in hits]
    composed = compose(question, decide(needs, supports, threshold=0.0), hits, engine.generator(None), spoken)
    if composed.failures:
        raise GeneratorError("; ".join(failure.reason for failure in composed.failures))
    return composed
