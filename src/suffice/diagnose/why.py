"""Why other chunks stand above the piece's own: which leg put them there, and by which words."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from suffice.diagnose.case import Field
from suffice.diagnose.findings import Outranker, SharedTerm
from suffice.ports import Float64
from suffice.retrieve import fuse
from suffice.retrieve.search import lexical_weight
from suffice.text import terms
from suffice.values import Chunk

MOST = 5
_TERMS = 5
_SLIGHT = 0.05  # of a weighted z-score: below it a leg has not decided anything


class Explainer:
    """Compares chunks under the whole question's own ranking."""

    def __init__(self, field: Field) -> None:
        self.field = field
        case = field.case
        self.query = case.answer.question
        scored, settings = field.scored[0], case.searcher.settings
        self.order = field.order(scored, case.mode)
        self._mask = ~np.isnan(field.leg(scored, "dense"))
        known = case.searcher.store.share_known(terms(self.query), self._mask)
        weights = {"dense": settings.dense_weight, "lexical": lexical_weight(self.query, settings, known)}
        legs = {
            "dense": scored.dense if case.mode != "lexical" else None,
            "lexical": scored.lexical if case.mode != "dense" else None,
        }
        self._parts = {name: _weighted(leg, self._mask, weights[name]) for name, leg in legs.items()}
        self._by_term: dict[str, Float64] = {}

    def above(self, row: int, right: Collection[int]) -> tuple[Outranker, ...]:
        """The nearest chunks above this row that hold no piece, best first; `right` are all rows that do."""
        place = self.order.index(row) if row in self.order else len(self.order)
        nearest = [(rank, other) for rank, other in enumerate(self.order[:place], 1) if other not in right][
            -MOST:
        ]
        case = self.field.case
        chunks = case.ws.chunks(case.searcher.generation, [self.field.ids[other] for _, other in nearest])
        return tuple(
            self._outranker(rank, other, row, chunks[self.field.ids[other]].chunk)
            for rank, other in nearest
            if self.field.ids[other] in chunks
        )

    def _outranker(self, rank: int, wrong: int, right: int, chunk: Chunk) -> Outranker:
        dense, lexical = (self._difference(name, wrong, right) for name in ("dense", "lexical"))
        shared = self._shared(wrong, right)
        return Outranker(
            rank=rank,
            chunk_id=chunk.id,
            document=chunk.document,
            title=chunk.title,
            heading_path=chunk.heading_path,
            dense=dense,
            lexical=lexical,
            terms=shared,
            why=_why(dense, lexical, shared),
        )

    def _difference(self, name: str, wrong: int, right: int) -> float | None:
        parts = self._parts[name]
        return None if parts is None else round(float(parts[wrong] - parts[right]), 3)

    def _shared(self, wrong: int, right: int) -> tuple[SharedTerm, ...]:
        """The query's words in either chunk, those first that tell the two apart most."""
        if not self._by_term:
            store = self.field.case.searcher.store
            wanted = dict.fromkeys(terms(self.query))
            self._by_term = {term: store.lexical([term], self._mask) for term in wanted}
        found = [
            SharedTerm(term.lstrip("="), round(_number(scores[wrong]), 2), round(_number(scores[right]), 2))
            for term, scores in self._by_term.items()
        ]
        told = [term for term in found if term.wrong or term.right]
        return tuple(sorted(told, key=lambda term: -abs(term.wrong - term.right))[:_TERMS])


def _weighted(scores: Float64 | None, mask: NDArray[np.bool_], weight: float) -> Float64 | None:
    """(n,) weighted z-scores over the rows that took part; a chunk that shares no word has 0 points."""
    if scores is None:
        return None
    filled = np.where(mask, np.nan_to_num(scores), np.nan)
    return np.nan_to_num(weight * fuse.zscore(filled)) if np.any(filled > 0) else np.zeros(len(filled))


def _number(value: float) -> float:
    return 0.0 if np.isnan(value) else float(value)


def _why(dense: float | None, lexical: float | None, shared: tuple[SharedTerm, ...]) -> str:
    parts = []
    if dense is not None and dense > _SLIGHT:
        parts.append(f"nearer in meaning ({dense:+.2f})")
    words = [term.term for term in shared if term.wrong > term.right][:3]
    if lexical is not None and lexical > _SLIGHT:
        said = f": {', '.join(words)}" if words else ""
        parts.append(f"has more of the question's words ({lexical:+.2f}){said}")
    if not parts:
        return "almost the same score"
    behind = [
        name
        for name, value in (("in meaning", dense), ("in words", lexical))
        if value is not None and value < -_SLIGHT
    ]
    return " and ".join(parts) + (f", though behind {' and '.join(behind)}" if behind else "")
