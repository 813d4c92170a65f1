"""locate(): follows each piece through the layers and names the first that it did not get through."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from suffice.diagnose.case import Case, Field, Target
from suffice.diagnose.findings import LAYERS, Layer, PieceFinding, Ranks
from suffice.diagnose.passed import Passed
from suffice.diagnose.places import Absent, Places
from suffice.diagnose.why import Explainer
from suffice.gold import WHOLE, Piece, Place, overlaps, share_held
from suffice.index import embedded_texts
from suffice.index.parts import VERSION, hash_of
from suffice.ports import Embedder
from suffice.retrieve import filters
from suffice.retrieve.gather import in_turn
from suffice.values import Condition, Mode
from suffice.workspace import ChunkRow

JUST_OUTSIDE = 2
"""A piece needed at a rank up to this many times k is just outside: a larger k is the first thing to try."""
_LAST = 10**9
_MANY = 100
_MODES: tuple[Mode, ...] = ("dense", "lexical", "hybrid")


@dataclass(frozen=True, slots=True)
class Located:
    """A piece's finding, and the places that a ranking must reach to have it (any one will do)."""

    finding: PieceFinding
    targets: tuple[Target, ...]

    def rank(self, position: NDArray[np.int64]) -> int | None:
        """The best rank of any place; None where no place is ranked whole."""
        found = [rank for target in self.targets if (rank := target.rank(position)) is not None]
        return min(found, default=None)


class Locator:
    """Locates the pieces of one case; `field` is how its chunks are ranked."""

    def __init__(self, case: Case, embedder: Embedder) -> None:
        self.case, self.embedder = case, embedder
        self.field = Field.of(case)
        self.places = Places(case.ws, case.searcher.generation, case.filter.tenant)
        self._by_leg = {mode: self.field.positions(mode) for mode in _MODES}
        self._evidence_position = self._positions()
        self._passed = Passed(case)
        self._chunks: dict[str, tuple[ChunkRow, ...]] = {}

    def locate(self, pieces: Sequence[Piece]) -> tuple[Located, ...]:
        """One finding a piece, in the order given, with the chunks that stand above it."""
        located = [self._piece(piece) for piece in pieces]
        right = {row for one in located for target in one.targets for row, _ in target.chunks}
        explainer = Explainer(self.field)
        return tuple(replace(one, finding=self._explained(one, explainer, right)) for one in located)

    def _positions(self) -> NDArray[np.int64]:
        """(n,) rank of every row in the order of the evidence; 0: no rank is known.

        Of an answer given earlier: as recorded, as far as that goes, chunks that are gone since counted too;
        beyond that as a search would rank them now, if nothing has changed.
        """
        if not self.case.traced:
            return self.field.ranked(self.field.evidence_order())
        then = in_turn(self.case.recorded, sum(map(len, self.case.recorded)), lambda chunk_id: chunk_id)
        now = [] if self.case.changes else [self.field.ids[row] for row in self.field.evidence_order()]
        found = np.zeros(len(self.field.ids), dtype=np.int64)
        for rank, chunk_id in enumerate(dict.fromkeys([*then, *now]), 1):
            if chunk_id in self.field.row_of:
                found[self.field.row_of[chunk_id]] = rank
        return found

    def _explained(self, one: Located, explainer: Explainer, right: set[int]) -> PieceFinding:
        """With what stands above the piece's best chunk in the ranking of the whole question."""
        rows = [row for target in one.targets for row, _ in target.chunks]
        best = explainer.best(rows)
        if best is None or not explainer.takes_part(best):
            return one.finding
        return replace(one.finding, outranked_by=explainer.above(best, right))

    def _piece(self, piece: Piece) -> Located:
        """The finding of the best-off evidence: the one that got furthest, then the one ranked best."""
        if not piece.evidence:
            note = "the benchmark names no place for it: the corpus is not expected to hold it."
            return Located(PieceFinding(piece.id, piece.need, "not_in_corpus", note), ())
        found = [one for gold in piece.evidence for one in self._evidence(piece, self.places.of(gold))]
        best = max(
            found,
            key=lambda one: (LAYERS.index(one.finding.layer), -(one.finding.k_needed or _LAST)),
        )
        # Any place will do, so the ranks are those of whichever place each ranking has first.
        whole = Located(best.finding, tuple(target for one in found for target in one.targets))
        ranks: Ranks = {mode: whole.rank(self._by_leg[mode]) for mode in _MODES}
        needed = whole.rank(self._evidence_position)
        return replace(whole, finding=replace(best.finding, ranks=ranks, k_needed=needed))

    def _evidence(self, piece: Piece, found: tuple[Place, ...] | Absent) -> Iterable[Located]:
        if isinstance(found, Absent):
            yield Located(
                PieceFinding(
                    piece.id, piece.need, found.loss, _sentence(found.note), found.gold.quote, found.document
                ),
                (),
            )
            return
        for place in found if len(found) <= _MANY else self._one_a_chunk(found):
            yield self._place(piece, place)

    def _one_a_chunk(self, found: Iterable[Place]) -> Iterable[Place]:
        """Of places that lie in the same chunks the first: a common word stands in thousands."""
        seen: set[tuple[str, ...]] = set()
        for place in found:
            over = tuple(row.chunk.id for row in self._rows(place) if overlaps(row.chunk.span, [place.span]))
            if over not in seen:
                seen.add(over)
                yield place

    def _rows(self, place: Place) -> tuple[ChunkRow, ...]:
        name = place.document.name
        if name not in self._chunks:
            generation, tenant = self.case.searcher.generation, self.case.filter.tenant
            self._chunks[name] = self.case.ws.document_chunks(generation, tenant, name)
        return self._chunks[name]

    # --- one place --------------------------------------------------------------------------------

    def _place(self, piece: Piece, place: Place) -> Located:
        over = [row for row in self._rows(place) if overlaps(row.chunk.span, [place.span])]
        text = place.document.text
        whole = [row for row in over if share_held(text, place.span, [row.chunk.span]) >= WHOLE]
        ranked = [(self.field.row_of[row.chunk.id], row) for row in over if row.chunk.id in self.field.row_of]
        target = Target(
            text,
            place.span,
            (self.case.filter.tenant, place.document.name),
            tuple((number, row.chunk.span) for number, row in ranked),
        )
        finding = self._judged(piece, place, whole or over, bool(whole), target)
        return Located(finding, (target,))

    def _judged(
        self, piece: Piece, place: Place, chunks: list[ChunkRow], is_whole: bool, target: Target
    ) -> PieceFinding:
        ranks: Ranks = {mode: target.rank(self._by_leg[mode]) for mode in _MODES}
        needed = target.rank(self._evidence_position)
        entire = None if is_whole else target.rank_whole(self._evidence_position)
        best = self._best(chunks)
        layer, note = self._layer(place, chunks, is_whole, needed, entire, ranks)
        return PieceFinding(
            id=piece.id,
            need=piece.need,
            layer=layer,
            note=_sentence(note),
            quote=place.document.text[slice(*place.span)],
            document=place.document.name,
            span=place.span,
            chunk_id=best.chunk.id if best else None,
            chunk_ids=() if is_whole else tuple(row.chunk.id for row in chunks),
            ranks=ranks,
            k_needed=needed,
            k_whole=entire,
        )

    def _best(self, chunks: list[ChunkRow]) -> ChunkRow | None:
        """Of several chunks the one ranked best in the evidence's order."""
        return min(chunks, key=lambda row: self._rank_of(row) or _LAST, default=None)

    def _rank_of(self, row: ChunkRow) -> int:
        """Its rank in the evidence's order; 0 where it has none."""
        number = self.field.row_of.get(row.chunk.id)
        return 0 if number is None else int(self._evidence_position[number])

    def _layer(
        self,
        place: Place,
        chunks: list[ChunkRow],
        is_whole: bool,
        needed: int | None,
        entire: int | None,
        ranks: Ranks,
    ) -> tuple[Layer, str]:
        name = place.document.name
        if not chunks:
            return "not_embedded", self._unchunked(place)
        passed = self._passed.of(place, chunks)
        if passed is not None:
            return passed
        if not is_whole:
            at = ", ".join(str(self._rank_of(row) or "–") for row in chunks)
            parts = f"it lies in {len(chunks)} chunks (ranks {at})" if len(chunks) > 1 else f"(rank {at})"
            reached = f", all of it from -k {entire} on" if entire else ""
            return "cut_by_chunking", f"{name}: no chunk holds it whole; {parts}{reached}"
        unembedded = self._unembedded(place, chunks)
        if unembedded:
            return "not_embedded", unembedded
        kept_out = self._kept_out(place, chunks[0])
        if kept_out:
            return "filtered_out", kept_out
        return self._outside(name, needed, ranks)

    def _outside(self, name: str, needed: int | None, ranks: Ranks) -> tuple[Layer, str]:
        k, depth = self.case.k, self.field.depth
        if needed is None:
            if self.case.traced:
                kept = len(self.case.recorded[0]) if self.case.recorded else 0
                return "deep", f"{name}: not among the first {kept} chunks that were recorded"
            if self.case.searcher.settings.dedup:
                return (
                    "deep",
                    f"{name}: left out as the repeat of a text that is ranked better (search.dedup)",
                )
            return "deep", f"{name}: a {self.case.mode} search ranks it at no depth, since it shares no word"
        taken = "" if ranks[self.case.mode] == needed else " in the order in which evidence is taken"
        said = f"{name}: rank {needed} of {depth}{taken}, and the evidence is the first {k}"
        if needed <= JUST_OUTSIDE * k:
            return "just_outside_k", f"{said}; -k {needed} reaches it"
        return "deep", said

    def _unchunked(self, place: Place) -> str:
        failure = self.places.failure(place.document.name)
        if failure:
            return f"{place.document.name} has no chunks: {failure}"
        return (
            f"{place.document.name}: it stands where no chunk is, as a heading with nothing below it does; "
            "such headings are not indexed"
        )

    def _unembedded(self, place: Place, chunks: list[ChunkRow]) -> str:
        """Why the chunk cannot be found by meaning; empty where every part of it has its vector."""
        row = min(chunks, key=lambda row: row.chunk.id not in self.field.row_of)
        chunk, name = row.chunk, place.document.name
        if chunk.id not in self.field.row_of:
            return f"{name}: the searchable arrays lack its chunk; run: suffice index build"
        generation = self.case.ws.generation(self.case.searcher.generation)
        missing = self.case.ws.missing_vectors(generation.embedder, row.parts)
        if missing:
            n_parts = len(row.parts)
            return (
                f"{name}: {len(missing)} of {n_parts} parts of its chunk have no vector; run: suffice update"
            )
        if generation.settings.get("parts") != VERSION or generation.embedder != self.embedder.fingerprint():
            return ""
        size = generation.settings.get("part_chars")
        if not isinstance(size, int):
            return ""
        texts = embedded_texts(chunk, self.embedder, size, place.document.blocks)
        lost = [text for text in texts if hash_of(text) not in row.parts]
        return (
            f"{name}: {len(lost)} of the {len(texts)} texts of its chunk were never embedded" if lost else ""
        )

    def _kept_out(self, place: Place, row: ChunkRow) -> str:
        """Which part of the filter keeps the document out; empty where it may take part."""
        name, filter = place.document.name, self.case.filter
        meta = {"title": row.chunk.title, **row.meta}
        for test in filter.conditions:
            if not filters.holds(test, name, meta):
                has = name if test.key == "path" else meta.get(test.key, "nothing")
                return f"{name} does not fit --where {_written(test)}: its {test.key} is {has}"
        return ""


def _written(test: Condition) -> str:
    value = ",".join(map(str, test.value)) if isinstance(test.value, tuple) else test.value
    op = {"in": " in ", "prefix": "^=", "glob": "="}.get(test.op, test.op)
    return f"{test.key}{op}{value}"


def _sentence(note: str) -> str:
    return note if note.endswith((".", "!", "?")) else f"{note}."
