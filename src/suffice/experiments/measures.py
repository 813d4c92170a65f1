"""Measures of a ranking and of a gate. Every one is None where nothing is scored, never 0.

A list of results is made unique before anything else, first place kept: a passage returned twice is found
once. Gold is a set. Ranks count from 1.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from suffice.experiments import stats

T = TypeVar("T", bound=Hashable)


def mean(values: Iterable[float | bool | None]) -> float | None:
    """Mean over what is scored; None where nothing is."""
    scored = [float(value) for value in values if value is not None]
    return math.fsum(scored) / len(scored) if scored else None


# --- one question: pieces, each with the rank of its first evidence (None: not found) -------------


def coverage_at(ranks: Collection[int | None], k: int) -> float | None:
    """Share of the pieces whose first evidence is in the first k."""
    return mean(rank is not None and rank <= k for rank in ranks)


def full_at(ranks: Collection[int | None], k: int) -> bool | None:
    """Whether every piece's first evidence is in the first k."""
    return all(rank is not None and rank <= k for rank in ranks) if ranks else None


def reciprocal_rank_of(ranks: Collection[int | None]) -> float | None:
    """1 / rank of the first evidence of any piece; 0 where none is found."""
    if not ranks:
        return None
    found = [rank for rank in ranks if rank is not None]
    return 1 / min(found) if found else 0.0


# --- one question: a list of results and a set of gold --------------------------------------------


def recall_at(retrieved: Iterable[T], gold: Collection[T], k: int) -> float | None:
    """Share of the gold that is in the first k."""
    wanted = set(gold)
    return len(wanted & set(_first(retrieved, k))) / len(wanted) if wanted else None


def precision_at(retrieved: Iterable[T], gold: Collection[T], k: int) -> float | None:
    """Share of k places that hold gold; a short list is not forgiven."""
    wanted = set(gold)
    return len(wanted & set(_first(retrieved, k))) / k if wanted else None


def reciprocal_rank(retrieved: Iterable[T], gold: Collection[T]) -> float | None:
    """1 / place of the first gold; 0 where there is none in the list."""
    wanted = set(gold)
    if not wanted:
        return None
    return next((1 / rank for rank, item in enumerate(dict.fromkeys(retrieved), 1) if item in wanted), 0.0)


def ndcg_at(retrieved: Iterable[T], gold: Collection[T], k: int) -> float | None:
    """Binary gain, log2 discount, over the best that min(k, number of gold) places allow.

    Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, 2002.
    """
    wanted = set(gold)
    if not wanted:
        return None
    gained = (1 / math.log2(rank + 1) for rank, item in enumerate(_first(retrieved, k), 1) if item in wanted)
    ideal = math.fsum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(wanted)) + 1))
    return math.fsum(gained) / ideal


def _first(items: Iterable[T], k: int) -> list[T]:
    return list(dict.fromkeys(items))[:k]


# --- a gate ---------------------------------------------------------------------------------------


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Chance that a positive scores above a negative, ties half (Mann-Whitney U). None without both."""
    if not positive or not negative:
        return None
    below = np.sort(np.asarray(negative, dtype=np.float64))
    scores = np.asarray(positive, dtype=np.float64)
    under = np.searchsorted(below, scores, side="left")
    upto = np.searchsorted(below, scores, side="right")
    return float((under + upto).sum() / (2 * len(scores) * len(below)))


def auroc_interval(scores: Sequence[float], positive: Sequence[bool]) -> stats.Interval | None:
    """95 % bootstrap interval of `auroc`; `positive` says which scores are. None without both."""
    values, is_positive = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=bool)

    def area(rows: NDArray[np.intp]) -> float | None:
        drawn, up = values[rows], is_positive[rows]
        return auroc(drawn[up].tolist(), drawn[~up].tolist())

    return stats.bootstrap_interval(len(values), area)


def risk_coverage(scored: Sequence[tuple[float, bool]]) -> list[dict[str, float]]:
    """A point for each confidence at which one could answer: the share answered, the share of it wrongly.

    `scored` holds (confidence, whether answering is right); a tie is answered as a whole. El-Yaniv and
    Wiener, On the foundations of noise-free selective classification, 2010.
    """
    points: list[dict[str, float]] = []
    ordered = sorted(scored, key=lambda one: -one[0])
    wrong = 0
    for n, (confidence, right) in enumerate(ordered, 1):
        wrong += not right
        if n == len(ordered) or ordered[n][0] != confidence:
            points.append({"confidence": confidence, "coverage": n / len(ordered), "risk": wrong / n})
    return points


def area_under(points: Sequence[Mapping[str, float]]) -> float | None:
    """Mean risk over coverage (AURC), each point's risk holding from the point before it; lower is better."""
    if not points:
        return None
    before = [0.0, *(point["coverage"] for point in points[:-1])]
    return math.fsum(
        point["risk"] * (point["coverage"] - start) for point, start in zip(points, before, strict=True)
    )


def percentile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that at least this share of the values does not exceed (nearest rank)."""
    if not values:
        return None
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def of_run(
    qrels: Mapping[str, Mapping[str, int]], run: Mapping[str, Sequence[tuple[str, float]]], k: int
) -> dict[str, Any]:
    """Means over the judged queries of any system's run; a judged query without results scores 0.

    `n_used` of `n_all` queries have gold. Grades above 0 are gold; nDCG is binary.
    """
    names = list(dict.fromkeys((*qrels, *run)))
    lists = {name: [document for document, _ in run.get(name, ())] for name in names}
    gold = {name: {doc for doc, grade in qrels.get(name, {}).items() if grade > 0} for name in names}
    return {
        f"recall@{k}": mean(recall_at(lists[name], gold[name], k) for name in names),
        f"precision@{k}": mean(precision_at(lists[name], gold[name], k) for name in names),
        f"ndcg@{k}": mean(ndcg_at(lists[name], gold[name], k) for name in names),
        "mrr": mean(reciprocal_rank(lists[name], gold[name]) for name in names),
        "n_used": sum(bool(wanted) for wanted in gold.values()),
        "n_all": len(names),
    }
