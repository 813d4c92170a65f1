"""Gathers evidence for a question and its needs: their rankings taken in turn, the whole question first."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from suffice.values import Filter, Hit, Mode, Need, Ranking

if TYPE_CHECKING:
    from suffice.retrieve.score import Embedded
    from suffice.retrieve.search import Searcher

T = TypeVar("T")

DEFAULT_K = 5
PER_NEED = 2
"""How many more chunks each further need brings, unless `-k` is given."""
MOST_K = 15


@dataclass(frozen=True, slots=True)
class Gathered:
    """`evidence` is ranked from 1; `rankings`: the whole question's, then that of each need that has one."""

    evidence: tuple[Hit, ...]
    rankings: tuple[Ranking, ...]


def evidence_size(n_needs: int, k: int | None) -> int:
    """`k` if given, else 5 for one need and two more for each further one, 15 at most."""
    return k if k is not None else min(DEFAULT_K + PER_NEED * (max(n_needs, 1) - 1), MOST_K)


def gather(
    searcher: Searcher,
    question: str,
    needs: Sequence[Need],
    *,
    k: int | None,
    mode: Mode,
    filter: Filter,
    embedded: Sequence[Embedded] | None = None,
) -> Gathered:
    """The first `evidence_size` chunks, taken in turn from the rankings of the question and of each need.

    A part of a question that joins topics is often outranked by the other parts in the question's
    own ranking; taking turns gives each part its place. The whole question keeps its turn: a part that
    was cut badly must not lose what the question itself finds.
    """
    size = evidence_size(len(needs), k)
    queries = queries_of(question, needs)
    rankings = searcher.search_many(queries, k=size, mode=mode, filter=filter, embedded=embedded)
    hits = in_turn([ranking.hits for ranking in rankings], size, lambda hit: hit.chunk_id)
    return Gathered(tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, 1)), rankings)


def queries_of(question: str, needs: Sequence[Need]) -> list[str]:
    """What is searched: the whole question first, then each need where there are several."""
    if len(needs) < 2:
        return [question]
    return [question, *(need.text for need in needs if need.text != question)]


def in_turn(rankings: Sequence[Sequence[T]], size: int, name: Callable[[T], Hashable]) -> list[T]:
    """`size` items, all first places before all second ones, each item once; a prefix whatever `size` is.

    A ranking whose item was taken already has had its turn: with the next item in its place, two rankings
    that agree would take the places of a third (docs/retrieval-measured.md).
    """
    taken: dict[Hashable, T] = {}
    for place in range(max(map(len, rankings), default=0)):
        for ranking in rankings:
            if place < len(ranking) and len(taken) < size:
                taken.setdefault(name(ranking[place]), ranking[place])
    return list(taken.values())
