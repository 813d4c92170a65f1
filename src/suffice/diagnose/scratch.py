"""A throw-away index in memory: the corpus under another embedder, or some documents of it cut otherwise.

A diagnosis is read while somebody waits. What would take longer is not run, and whole corpora that are cut
anew belong to experiments.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from suffice.diagnose.case import Case, Field, Target
from suffice.diagnose.loose import LooseRow, LooseRows
from suffice.gold import overlaps
from suffice.index import embedded_texts
from suffice.index.generations import late_embedder
from suffice.index.parts import hash_of
from suffice.ports import Embedder, Float32, Int8, LateEmbedder
from suffice.retrieve.score import Embedded, Scored, Scorer
from suffice.text import terms
from suffice.values import Chunk, Document, Mode, Span

MOST_PARTS = 20_000
"""Larger corpora are not embedded anew for one case, nor are their terms read."""
MOST_S = 4.0
"""Nor is what would take longer than this to embed, by the time that the first texts take."""
_PROBE = 16
_BATCH = 256

Key = tuple[str | None, str]
"""Tenant and name of a document."""
Texts = tuple[Chunk, tuple[str, ...]]
"""A chunk, and the texts that are embedded for it."""


class NotRun(Exception):
    """A repair that was not run; the message says why."""


class Standing:
    """The chunks that may take part in a case, as they are indexed; read once, for every throw-away index."""

    def __init__(self, field: Field) -> None:
        self.field, self.case = field, field.case
        n_parts = self.case.ws.n_parts(self.case.searcher.generation)
        if n_parts > MOST_PARTS:
            raise NotRun(
                f"the index has {n_parts:,} parts; up to {MOST_PARTS:,} are worked over for one case"
            )

    @cached_property
    def rows(self) -> dict[str, int]:
        """Rows of the store by chunk id: of those that take part."""
        dense = self.field.leg(self.field.scored[0], "dense")
        return {self.field.ids[row]: int(row) for row in np.flatnonzero(~np.isnan(dense))}

    @cached_property
    def owner(self) -> dict[str, Key]:
        """The document of every chunk."""
        keys = self.case.ws.chunk_keys(self.case.searcher.generation)
        return {key.chunk_id: (key.tenant, key.document) for key in keys}

    @cached_property
    def terms(self) -> dict[str, Mapping[str, int]]:
        """Lexical terms of every chunk: they depend neither on the embedder nor on the other chunks."""
        read = self.case.ws.chunk_terms(self.case.searcher.generation, self.rows)
        return {chunk_id: counts for chunk_id, _, counts in read}

    def as_they_are(self, *, but: Iterable[Key] = ()) -> list[LooseRow]:
        """The rows of all documents but some, with the vectors and states of the store."""
        left_out = set(but)
        kept = [key for key in self.rows if self.owner.get(key) not in left_out and key in self.terms]
        store = self.case.searcher.store
        numbers = [self.rows[key] for key in kept]
        vectors = store.vectors(numbers)
        states = store.states(numbers) if self.case.searcher.reranks else None
        return [
            LooseRow(key, own, self.terms[key], None if states is None else states[at])
            for at, (key, own) in enumerate(zip(kept, vectors, strict=True))
        ]


@dataclass(frozen=True, slots=True)
class Scratch:
    """A throw-away index: its rows, the chunks that are new in it, and what embeds a question for it."""

    rows: LooseRows
    embedder: Embedder
    late: LateEmbedder | None
    new: tuple[Chunk, ...] = ()

    def scored(self, case: Case, queries: Sequence[str]) -> tuple[Scored, ...]:
        """(n,) scores of every row, as a search of this index would give them."""
        scorer = self.scorer(case)
        embedded = self._embedded(queries, case.mode)
        return tuple(
            scorer.score(query, own, case.mode) for query, own in zip(queries, embedded, strict=True)
        )

    def scorer(self, case: Case) -> Scorer:
        """What orders this index's rows, under the settings of the case."""
        return Scorer(self.rows, case.searcher.settings)

    def targets(self, field: Field, targets: Sequence[Target]) -> tuple[Target, ...]:
        """The same places over this index's chunks."""
        fresh: dict[Key, list[tuple[int, Span]]] = {}
        for chunk in self.new:
            own = fresh.setdefault((chunk.tenant, chunk.document), [])
            if chunk.id in self.rows.row_of:  # a chunk of nothing but blanks has no row
                own.append((self.rows.row_of[chunk.id], chunk.span))
        return tuple(
            Target(target.text, target.span, target.document, self._over(field, target, fresh))
            for target in targets
        )

    def _over(
        self, field: Field, target: Target, fresh: Mapping[Key, Sequence[tuple[int, Span]]]
    ) -> tuple[tuple[int, Span], ...]:
        if target.document not in fresh:
            old = ((self.rows.row_of.get(field.ids[row]), span) for row, span in target.chunks)
            return tuple((row, span) for row, span in old if row is not None)
        return tuple((row, span) for row, span in fresh[target.document] if overlaps(span, [target.span]))

    def _embedded(self, queries: Sequence[str], mode: Mode) -> Sequence[Embedded]:
        if mode == "lexical":
            return [(None, None)] * len(queries)
        if self.late is None:
            return [(vector, None) for vector in self.embedder.embed_queries(queries)]
        vectors, codes = self.late.embed_queries_late(queries)
        return list(zip(vectors, codes, strict=True))


def embedded_anew(standing: Standing, texts: Iterable[Texts], embedder: Embedder) -> Scratch:
    """All chunks as they are, under another embedder. Raises NotRun where that would take too long."""
    late = _late(standing.case, embedder, wanted=True)
    rows = _rows(standing.case, texts, embedder, late, standing.terms)
    return Scratch(LooseRows(rows), embedder, late)


def cut_anew(standing: Standing, texts: Sequence[Texts], cut: Iterable[Key], embedder: Embedder) -> Scratch:
    """Chunks of the documents `cut` anew among those of all others. Raises NotRun as above."""
    late = _late(standing.case, embedder, wanted=standing.case.searcher.reranks)
    counts = {chunk.id: Counter(_terms(chunk)) for chunk, _ in texts}
    rows = _rows(standing.case, texts, embedder, late, counts)
    kept = standing.as_they_are(but=cut)
    return Scratch(LooseRows([*kept, *rows]), embedder, late, tuple(chunk for chunk, _ in texts))


def texts_of(case: Case, chunk: Chunk, document: Document, embedder: Embedder) -> Texts:
    """A chunk with what an index would embed of it."""
    return chunk, tuple(embedded_texts(chunk, embedder, case.settings.embed.part_chars, document.blocks))


def _late(case: Case, embedder: Embedder, *, wanted: bool) -> LateEmbedder | None:
    """The embedder as one that gives token states, where a search of such an index would use them."""
    used = wanted and case.mode == "hybrid" and case.searcher.settings.late_weight > 0
    return late_embedder(case.settings, embedder) if used else None


def _rows(
    case: Case,
    chunks: Iterable[Texts],
    embedder: Embedder,
    late: LateEmbedder | None,
    counts: Mapping[str, Mapping[str, int]],
) -> list[LooseRow]:
    parts: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    for chunk, own in chunks:
        hashed = {hash_of(text): text for text in own}
        parts[chunk.id] = list(hashed)
        texts |= hashed
    vectors, states = _embedded(case, texts, embedder, late)
    return [
        LooseRow(
            chunk_id,
            np.stack([vectors[part] for part in own]),
            counts.get(chunk_id, {}),
            tuple(states[part] for part in own) if late is not None else None,
        )
        for chunk_id, own in parts.items()
        if own
    ]


def _embedded(
    case: Case, texts: Mapping[str, str], embedder: Embedder, late: LateEmbedder | None
) -> tuple[dict[str, Float32], dict[str, Int8]]:
    """Recorded vectors and states, and new ones for the rest, which are recorded nowhere."""
    vectors = case.ws.get_vectors(embedder.fingerprint(), texts)
    states = {} if late is None else case.ws.get_states(late.late_fingerprint(), texts)
    missing = [key for key in texts if key not in vectors or (late is not None and key not in states)]
    began = time.perf_counter()
    for start, end in _batches(len(missing)):
        batch = missing[start:end]
        wanted = [texts[key] for key in batch]
        if late is None:
            found = embedder.embed_passages(wanted)
        else:
            found, codes = late.embed_passages_late(wanted)
            states |= dict(zip(batch, codes, strict=True))
        vectors |= dict(zip(batch, found, strict=True))
        expected = (time.perf_counter() - began) / end * len(missing)
        if expected > MOST_S:
            raise NotRun(f"{len(missing):,} texts would have to be embedded anew, about {expected:.0f} s")
    return vectors, states


def _batches(n: int) -> Iterator[Span]:
    """A few first, whose time says what all will take; then many at once."""
    start = 0
    while start < n:
        end = min(start + (_BATCH if start else _PROBE), n)
        yield start, end
        start = end


def _terms(chunk: Chunk) -> list[str]:
    return terms("\n".join((*dict.fromkeys((chunk.title, *chunk.heading_path)), chunk.text)))
