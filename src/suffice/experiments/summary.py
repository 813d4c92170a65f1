"""The numbers of a run, from its outcomes alone: whoever has `results.json` can compute them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from suffice.experiments import measures, stats
from suffice.experiments.outcome import Outcome

KS = (1, 5, 10, 20)
Number = float | bool | None
OfOne = Callable[[Outcome], Number]


@dataclass(frozen=True, slots=True)
class Summary:
    """`n_scored` says over how many questions each mean is; `groups` the means by `lang` and by `kind`."""

    metrics: dict[str, Any]
    intervals: dict[str, list[float]]
    n_scored: dict[str, int]
    groups: dict[str, dict[str, dict[str, Any]]]
    risk_coverage: list[dict[str, float]]


def of_one(k: int = 5) -> dict[str, OfOne]:
    """Every measure that is a mean over questions, as a function of one outcome: None where unscored."""
    at = sorted({*KS, k})
    ranking: dict[str, OfOne] = {f"coverage@{n}": _coverage(n) for n in at}
    ranking |= {f"full@{n}": _full(n) for n in sorted({5, k})}
    return {
        **ranking,
        "mrr": lambda one: measures.reciprocal_rank_of(one.ranks),
        "ndcg@10": lambda one: one.ndcg10,
        "evidence_coverage": lambda one: measures.mean(
            piece.in_evidence for piece in one.pieces.values() if piece.held
        ),
        "gate.accuracy": lambda one: one.right,
        "gate.false_answer_rate": lambda one: _not_declined(one, "none"),
        "gate.answer_rate": lambda one: _not_declined(one, "full"),
    }


def summarize(outcomes: Sequence[Outcome], k: int = 5) -> Summary:
    """All metrics, their 95 % intervals, and the same by language and kind."""
    values = {name: [measure(one) for one in outcomes] for name, measure in of_one(k).items()}
    intervals: dict[str, list[float]] = {}
    for name, scores in values.items():
        interval = stats.mean_interval([float(score) for score in scores if score is not None])
        if interval is not None:
            intervals[name] = list(interval)
    area = _auroc_interval(outcomes)
    if area is not None:
        intervals["gate.auroc"] = area
    return Summary(
        metrics=_metrics(outcomes, k),
        intervals=intervals,
        n_scored={name: sum(score is not None for score in scores) for name, scores in values.items()},
        groups={
            "lang": _grouped(outcomes, k, lambda one: one.lang),
            "kind": _grouped(outcomes, k, lambda one: one.kind),
        },
        risk_coverage=_risk_coverage(outcomes),
    )


def _metrics(outcomes: Sequence[Outcome], k: int) -> dict[str, Any]:
    means = {name: measures.mean(measure(one) for one in outcomes) for name, measure in of_one(k).items()}
    judged = [one for one in outcomes if one.judged]
    latencies = [one.latency_ms for one in outcomes if one.latency_ms is not None]
    return {
        **{name: value for name, value in means.items() if not name.startswith("gate.")},
        "gate": {
            **{
                name.removeprefix("gate."): value for name, value in means.items() if name.startswith("gate.")
            },
            "auroc": _auroc(outcomes),
            "auroc_any": _auroc(outcomes, any_need=True),
            "aurc": measures.area_under(_risk_coverage(outcomes)),
            "confusion": _confusion(judged),
            "n_judged": len(judged),
            "n_search_failed": sum(one.status == "search_failed" for one in outcomes),
        },
        "citations": _citations(outcomes),
        "suggestions": _suggestions(outcomes),
        "latency_ms": {
            "p50": measures.percentile(latencies, 0.5),
            "p95": measures.percentile(latencies, 0.95),
        },
    }


def _coverage(k: int) -> OfOne:
    return lambda one: measures.coverage_at(one.ranks, k)


def _full(k: int) -> OfOne:
    return lambda one: measures.full_at(one.ranks, k)


def _not_declined(one: Outcome, answerable: str) -> bool | None:
    if not one.judged or one.answerable != answerable:
        return None
    return one.status != "insufficient"


def _auroc(outcomes: Sequence[Outcome], *, any_need: bool = False) -> float | None:
    """Fully answerable against not answerable at all, by confidence; partly answerable ones take no part."""
    found: dict[str, list[float]] = {"full": [], "partial": [], "none": []}
    for one in outcomes:
        confidence = one.confidence_any if any_need else one.confidence
        if one.judged and confidence is not None:
            found[one.answerable].append(confidence)
    return measures.auroc(found["full"], found["none"])


def _auroc_interval(outcomes: Sequence[Outcome]) -> list[float] | None:
    taking_part = [
        (one.confidence, one.answerable == "full")
        for one in outcomes
        if one.judged and one.confidence is not None and one.answerable != "partial"
    ]
    interval = measures.auroc_interval([score for score, _ in taking_part], [full for _, full in taking_part])
    return list(interval) if interval is not None else None


def _risk_coverage(outcomes: Sequence[Outcome]) -> list[dict[str, float]]:
    """Answering in full is right where the corpus answers in full."""
    return measures.risk_coverage(
        [
            (one.confidence, one.answerable == "full")
            for one in outcomes
            if one.judged and one.confidence is not None
        ]
    )


def _confusion(judged: Sequence[Outcome]) -> dict[str, dict[str, int]] | None:
    """Counts by label, then by status."""
    if not judged:
        return None
    counts = Counter((one.answerable, str(one.status)) for one in judged)
    return {
        label: {status: counts[label, status] for status in ("sufficient", "partial", "insufficient")}
        for label in ("full", "partial", "none")
    }


def _citations(outcomes: Sequence[Outcome]) -> dict[str, int | None]:
    """Sums; `on_gold` is out of `of_questions_with_gold`: where there is no gold, none can stand on it."""
    found = [(one, one.citations) for one in outcomes if one.citations is not None]
    if not found:
        return dict.fromkeys(("shown", "verified", "on_gold", "of_questions_with_gold", "dropped_claims"))
    with_gold = [cited for one, cited in found if one.ranks]
    return {
        "shown": sum(cited.shown for _, cited in found),
        "verified": sum(cited.verified for _, cited in found),
        "on_gold": sum(cited.on_gold for cited in with_gold) if with_gold else None,
        "of_questions_with_gold": sum(cited.shown for cited in with_gold),
        "dropped_claims": sum(cited.dropped_claims for _, cited in found),
    }


_OFFERED = ("offered_on", "gold_missing_on", "helpful_on", "unshown_on", "shown_on", "missing_unoffered_on")


def _suggestions(outcomes: Sequence[Outcome]) -> dict[str, int | None]:
    """On how many questions, by what was missing of the gold that the corpus holds.

    `gold_missing_on`: some were offered and the evidence lacked a piece; `helpful_on`: one of them finds
    such a piece. `unshown_on`: some were offered and the answer did not show a piece, whether its evidence
    had it or not; `shown_on`: the answer to one of them shows such a piece, None for a run that did
    not ask them. `missing_unoffered_on`: the evidence lacked a piece and none was offered.
    """
    found = [(one, one.suggestions) for one in outcomes if one.suggestions is not None]
    if not found:
        return dict.fromkeys(_OFFERED)
    offered = [(one, suggestions) for one, suggestions in found if suggestions]
    if not any(one.ranks for one, _ in found):
        return {**dict.fromkeys(_OFFERED), "offered_on": len(offered)}
    asked = all(each.new_shown is not None for _, suggestions in offered for each in suggestions)
    return {
        "offered_on": len(offered),
        "gold_missing_on": sum(_lacks(one) for one, _ in offered),
        "helpful_on": sum(any(each.new_pieces for each in suggestions) for _, suggestions in offered),
        "unshown_on": sum(_hides(one) for one, _ in offered),
        "shown_on": sum(any(each.new_shown for each in suggestions) for _, suggestions in offered)
        if asked
        else None,
        "missing_unoffered_on": sum(_lacks(one) for one, suggestions in found if not suggestions),
    }


def _lacks(one: Outcome) -> bool:
    return any(piece.held and not piece.in_evidence for piece in one.pieces.values())


def _hides(one: Outcome) -> bool:
    return any(piece.held and not piece.cited for piece in one.pieces.values())


def _grouped(outcomes: Sequence[Outcome], k: int, key: Callable[[Outcome], str]) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(key(one), []).append(one)
    return {name: {"n": len(group), **_metrics(group, k)} for name, group in sorted(groups.items())}
