"""One question as it was asked: what searched it, what it was answered, and how its evidence is ordered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from suffice.gold import first_whole, overlaps
from suffice.ports import Float64
from suffice.retrieve import fuse, reorder
from suffice.retrieve.gather import in_turn, queries_of
from suffice.retrieve.score import Scored
from suffice.retrieve.search import Searcher
from suffice.settings import Settings
from suffice.values import Answer, Filter, Mode, Span
from suffice.workspace import ChunkRow, Workspace


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its answer. `k` is how many chunks the evidence may hold.

    `recorded` are the rankings as they were when it was asked (chunk ids, best first), for an answer given
    earlier; empty for one given now. `changes` says what has changed since.
    """

    ws: Workspace
    searcher: Searcher
    settings: Settings
    answer: Answer
    k: int
    mode: Mode
    filter: Filter
    threshold: float
    recorded: tuple[tuple[str, ...], ...] = ()
    changes: tuple[str, ...] = ()
    traced: bool = False

    @property
    def queries(self) -> list[str]:
        """What was searched: the whole question, then its parts."""
        return queries_of(self.answer.question, [judged.need for judged in self.answer.verdict.needs])


@dataclass(frozen=True, slots=True)
class Target:
    """A place that a ranking must reach: a span of a text, and the chunks over it as (row, span).

    `document` is the tenant and the name of the document that has the text.
    """

    text: str
    span: Span
    document: tuple[str | None, str]
    chunks: tuple[tuple[int, Span], ...]

    def rank(self, position: NDArray[np.int64]) -> int | None:
        """The rank of the first chunk that overlaps the place; `position` is 0 where not ranked."""
        return min(
            (rank for rank, span in self._ranked(position) if overlaps(span, [self.span])), default=None
        )

    def rank_whole(self, position: NDArray[np.int64]) -> int | None:
        """The rank from which on the chunks ranked so hold all of the place."""
        return first_whole(self.text, self.span, self._ranked(position))

    def _ranked(self, position: NDArray[np.int64]) -> list[tuple[int, Span]]:
        return [(int(position[row]), span) for row, span in self.chunks if position[row]]


@dataclass(slots=True)
class Field:
    """All chunks as rows of the store, and how the question and its parts rank them, each leg by itself."""

    case: Case
    scored: tuple[Scored, ...]
    ids: tuple[str, ...]
    row_of: dict[str, int]
    _chunks: dict[str, ChunkRow] = field(default_factory=dict)
    _taken: list[int] | None = None

    @classmethod
    def of(cls, case: Case) -> Field:
        """Every leg is scored whatever the mode: their ranks are what a diagnosis compares."""
        ids = case.searcher.store.chunk_ids()
        return cls(
            case,
            case.searcher.score_many(case.queries, "hybrid", case.filter),
            ids,
            {chunk_id: row for row, chunk_id in enumerate(ids)},
        )

    @property
    def depth(self) -> int:
        """How many chunks could take part."""
        dense = self.scored[0].dense
        return 0 if dense is None else int(np.count_nonzero(~np.isnan(dense)))

    def leg(self, scored: Scored, mode: Mode) -> Float64:
        """(n,) scores of one leg."""
        found = {"dense": scored.dense, "lexical": scored.lexical, "hybrid": scored.hybrid}[mode]
        return np.full(len(self.ids), np.nan) if found is None else found

    def positions(self, mode: Mode) -> NDArray[np.int64]:
        """(n,) ranks of the whole question's own ranking by one leg; 0: not ranked."""
        return fuse.ranks(self.leg(self.scored[0], mode))

    def order(self, scored: Scored, mode: Mode, searcher: Searcher | None = None) -> list[int]:
        """Rows as a search in this mode shows them, with the settings of the searcher."""
        searcher = searcher or self.case.searcher
        order = [
            int(row) for row in searcher.scorer.best_first(replace(scored, final=self.leg(scored, mode)))
        ]
        return self.distinct(order) if searcher.settings.dedup else order

    def evidence_order(
        self,
        mode: Mode | None = None,
        scored: Sequence[Scored] | None = None,
        searcher: Searcher | None = None,
    ) -> list[int]:
        """Rows in the order in which evidence is taken: in turn from the rankings of question and parts."""
        if mode is None and scored is None and searcher is None:
            if self._taken is None:
                self._taken = taken_in_turn([self.order(one, self.case.mode) for one in self.scored])
            return list(self._taken)
        orders = [self.order(one, mode or self.case.mode, searcher) for one in scored or self.scored]
        return taken_in_turn(orders)

    def ranked(self, order: Sequence[int]) -> NDArray[np.int64]:
        """(n,) the place of every row in an order, from 1; 0 for rows that are not in it."""
        return positions(order, len(self.ids))

    def distinct(self, order: Sequence[int]) -> list[int]:
        """The order without chunks whose text stands at a better rank."""
        chunks = self.chunks(order)
        texts = {self.row_of[chunk_id]: own.chunk.text for chunk_id, own in chunks.items()}
        return reorder.without_repeats(order, lambda row: texts.get(row, ""))

    def chunks(self, rows: Sequence[int]) -> dict[str, ChunkRow]:
        """The chunks of these rows by id, as far as they still stand; each is read once for all repairs."""
        wanted = [self.ids[row] for row in rows]
        missing = [chunk_id for chunk_id in wanted if chunk_id not in self._chunks]
        if missing:
            self._chunks |= self.case.ws.chunks(self.case.searcher.generation, missing)
        return {chunk_id: self._chunks[chunk_id] for chunk_id in wanted if chunk_id in self._chunks}


def taken_in_turn(orders: Sequence[Sequence[int]]) -> list[int]:
    """All rows, taken in turn from several rankings."""
    return in_turn(orders, len({row for order in orders for row in order}), lambda row: row)


def positions(order: Sequence[int], n: int) -> NDArray[np.int64]:
    """(n,) the place of every row in an order, from 1; 0 for rows that are not in it."""
    found = np.zeros(n, dtype=np.int64)
    found[np.asarray(order, dtype=np.intp)] = np.arange(1, len(order) + 1)
    return found
