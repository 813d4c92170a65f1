"""THE decision: needs and supports in, verdict out. Nothing else decides whether evidence is enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from suffice.errors import JudgeError, SettingsError
from suffice.ports import Judge
from suffice.settings import GateSettings
from suffice.values import Failure, JudgedNeed, Need, Passage, Support, Verdict


def decide(
    needs: Sequence[Need],
    supports: Sequence[Support],
    *,
    threshold: float,
    failures: Sequence[Failure] = (),
) -> Verdict:
    """The verdict: a need is supported by those of its supports whose confidence reaches `threshold`.

    Supports come best first, ties by evidence rank, then by place. A retrieval score plays no part: how
    near a passage is says that it is relevant, not that it is enough. Raises JudgeError for a support of
    a need that nobody asked about.
    """
    known = {need.id for need in needs}
    strange = sorted({support.need for support in supports} - known)
    if strange:
        raise JudgeError(f"the judge supports needs that were not asked: {', '.join(strange)}")
    judged = []
    for need in needs:
        own = sorted(
            (support for support in supports if support.need == need.id),
            key=lambda support: (-support.confidence, support.evidence, support.span),
        )
        judged.append(
            JudgedNeed(
                need=need,
                supports=tuple(support for support in own if support.confidence >= threshold),
                best_confidence=own[0].confidence if own else None,
            )
        )
    return Verdict(needs=tuple(judged), failures=tuple(failures))


def threshold_for(judge: Judge, gate: GateSettings) -> float:
    """The confidence that a support must reach: `gate.threshold`, or the judge's own operating point.

    A rate between two of the judge's points gets the stricter one (the next lower rate); a rate below all
    of them gets the strictest, since no point was measured for less. Raises SettingsError if
    the judge has no points and no threshold is set.
    """
    if gate.threshold is not None:
        return gate.threshold
    points: Mapping[float, float] = judge.operating_points
    if not points:
        raise SettingsError(
            f"the judge {judge.name!r} has no operating points, so gate.false_answer_rate = "
            f"{gate.false_answer_rate} means nothing to it; set gate.threshold"
        )
    reached = [rate for rate in points if rate <= gate.false_answer_rate + 1e-12]
    return points[max(reached) if reached else min(points)]


def above_cosine(
    supports: Sequence[Support], passages: Sequence[Passage], gate: GateSettings
) -> tuple[Support, ...]:
    """The supports whose passage has at least the cosine of `gate.min_cosine`; all, where it is None.

    The floor is compared with the passage's own `dense` score only. A fused score (a sum of z-scores or of
    reciprocal ranks) has no fixed scale and never stands in for it: a passage that no dense
    search scored does not pass a floor that was asked for.
    """
    if gate.min_cosine is None:
        return tuple(supports)
    cosine = {passage.evidence: passage.scores.get("dense") for passage in passages}
    kept = []
    for support in supports:
        value = cosine.get(support.evidence)
        if value is not None and value >= gate.min_cosine:
            kept.append(support)
    return tuple(kept)
