"""Gathers evidence for a question and its needs: their rankings taken in turn, the whole question first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from suffice.values import Filter, Hit, Mode, Need, Ranking

if TYPE_CHECKING:
    from suffice.retrieve.search import Searcher

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
    searcher: Searcher, question: str, needs: Sequence[Need], *, k: int | None, mode: Mode, filter: Filter
) -> Gathered:
    """The first `evidence_size` chunks, taken in turn from the rankings of the question and of each need.

    A part of a question that joins topics is often outranked by the other parts in the question's
    own ranking; taking turns gives each part its place. The whole question keeps its turn: a part that
    was cut badly must not lose what the question itself finds.
    """
    size = evidence_size(len(needs), k)
    queries = (
        [question, *(need.text for need in needs if need.text != question)] if len(needs) > 1 else [question]
    )
    rankings = searcher.search_many(queries, k=size, mode=mode, filter=filter)
    return Gathered(_in_turn(rankings, size), rankings)


def _in_turn(rankings: Sequence[Ranking], size: int) -> tuple[Hit, ...]:
    taken: dict[str, Hit] = {}
    cursors = [iter(ranking.hits) for ranking in rankings]
    while cursors and len(taken) < size:
        for cursor in tuple(cursors):
            hit = next((hit for hit in cursor if hit.chunk_id not in taken), None)
            if hit is None:
                cursors.remove(cursor)
            elif len(taken) < size:
                taken[hit.chunk_id] = hit
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(taken.values(), 1))
