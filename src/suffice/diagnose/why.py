"""Why other chunks stand above the piece's own: which leg put them there, and by which words."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from suffice.diagnose.case import Field
from suffice.diagnose.findings import Outranker, SharedTerm
from suffice.ports import Float64
from suffice.retrieve import fuse
from suffice.retrieve.late import FIRST
from suffice.retrieve.score import shares
from suffice.text import terms
from suffice.values import Chunk

MOST = 5
_TERMS = 5
_SLIGHT = 0.05  # of a weighted z-score: below it a leg has not decided anything
_SLIGHT_RRF = 0.001  # of reciprocal ranks, of which the best place of a leg is worth 0.016


class Explainer:
    """Compares chunks under the whole question's own ranking."""

    def __init__(self, field: Field) -> None:
        self.field = field
        case = field.case
        self.query = case.answer.question
        self.order = field.order(field.scored[0], case.mode)
        self._place = {row: place for place, row in enumerate(self.order)}
        self._mask = ~np.isnan(field.leg(field.scored[0], "dense"))
        self._slight = _SLIGHT_RRF if case.searcher.settings.fusion == "rrf" else _SLIGHT
        self._parts = self._shares()
        self._by_term: dict[str, Float64] = {}

    def _shares(self) -> dict[str, Float64]:
        """(n,) what each leg adds to a chunk's score. Their sum is the score, up to a constant."""
        case, scored = self.field.case, self.field.scored[0]
        dense = self.field.leg(scored, "dense")
        # a chunk that shares no word has 0 points
        lexical = np.where(self._mask, np.nan_to_num(self.field.leg(scored, "lexical")), np.nan)
        if case.mode != "hybrid":
            return {case.mode: fuse.zscore(dense if case.mode == "dense" else lexical)}
        known = case.searcher.store.share_known(terms(self.query), self._mask)
        by_meaning, by_words = shares(self.query, dense, lexical, case.searcher.settings, known)
        found = {"dense": by_meaning, "lexical": by_words}
        if scored.late is not None and scored.hybrid is not None:
            found["late"] = scored.hybrid - by_meaning - by_words
        return found

    def best(self, rows: Collection[int]) -> int | None:
        """The row that is ranked best; of rows that no search ranks the first; None of none."""
        return min(rows, key=lambda row: self._place.get(row, len(self.order)), default=None)

    def takes_part(self, row: int) -> bool:
        """Whether the filter lets the row be ranked; what it keeps out is outranked by nothing."""
        return bool(self._mask[row])

    def above(self, row: int, right: Collection[int]) -> tuple[Outranker, ...]:
        """The nearest chunks above this row that hold no piece, best first; `right` are all rows that do."""
        place = self._place.get(row, len(self.order))
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
        legs = {name: self._difference(name, wrong, right) for name in ("dense", "lexical", "late")}
        shared = self._shared(wrong, right)
        return Outranker(
            rank=rank,
            chunk_id=chunk.id,
            document=chunk.document,
            title=chunk.title,
            heading_path=chunk.heading_path,
            dense=legs["dense"],
            lexical=legs["lexical"],
            late=legs["late"],
            terms=shared,
            why=self._why(legs, shared, self._lifted(wrong, right)),
        )

    def _difference(self, name: str, wrong: int, right: int) -> float | None:
        part = self._parts.get(name)
        return None if part is None else round(float(part[wrong] - part[right]), 6)

    def _lifted(self, wrong: int, right: int) -> bool:
        """Whether late interaction read the one and not the other."""
        late = self.field.scored[0].late
        return late is not None and not np.isnan(late[wrong]) and bool(np.isnan(late[right]))

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

    def _why(self, legs: dict[str, float | None], shared: tuple[SharedTerm, ...], lifted: bool) -> str:
        """In words which legs put the wrong one above, and which spoke for the right one."""
        ahead = {name: value for name, value in legs.items() if value is not None and value > self._slight}
        behind = [name for name, value in legs.items() if value is not None and value < -self._slight]
        said = []
        if "dense" in ahead:
            said.append(f"nearer in meaning ({_signed(ahead['dense'])})")
        if "lexical" in ahead:
            words = [term.term for term in shared if term.wrong > term.right][:3]
            named = f": {', '.join(words)}" if words else ""
            said.append(f"has more of the question's words ({_signed(ahead['lexical'])}){named}")
        if lifted:
            said.append(f"among the first {FIRST}, which late interaction sets above the rest")
        elif "late" in ahead:
            said.append(f"closer word by word ({_signed(ahead['late'])})")
        if (
            sum(value or 0.0 for value in legs.values()) < 0
            and self.field.case.searcher.settings.mmr is not None
        ):
            return "lower in score; search.mmr puts it here, as less like what stands above it"
        if not said:
            return "almost the same score"
        names = [
            {"dense": "in meaning", "lexical": "in words", "late": "word by word"}[name] for name in behind
        ]
        return " and ".join(said) + (f", though behind {' and '.join(names)}" if names else "")


def _signed(value: float) -> str:
    return f"{value:+.2f}" if abs(value) >= 0.01 else f"{value:+.4f}"


def _number(value: float) -> float:
    return 0.0 if np.isnan(value) else float(value)
