"""A throw-away index in memory: the same corpus cut otherwise, or seen by another embedder.

Only where that is cheap: a diagnosis is read while somebody waits, and whole corpora belong to experiments.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from suffice import registry
from suffice.diagnose.case import Case, Target
from suffice.index import embedded_texts
from suffice.index.parts import hash_of
from suffice.ports import Embedder, Float32, Store, StoreRow
from suffice.retrieve.search import Scored, fused
from suffice.text import terms
from suffice.values import Chunk, Document

MOST_PARTS = 2_000
"""Larger corpora are not cut or embedded anew for one case."""
MOST_S = 3.0
"""Nor is what would take longer than this, by the time that the first texts take."""
_PROBE = 16


class NotRun(Exception):
    """A repair that was not run; the message says why."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """The chunks of a throw-away index as rows of its store."""

    store: Store
    chunks: tuple[Chunk, ...]
    embedder: Embedder

    def scored(self, case: Case, queries: Sequence[str]) -> tuple[Scored, ...]:
        """(n,) scores of every row, as a search of this index would give them."""
        vectors = self.embedder.embed_queries(queries)
        return tuple(
            self._scored(case, query, vector) for query, vector in zip(queries, vectors, strict=True)
        )

    def targets(self, targets: Sequence[Target], documents: Mapping[str, Document]) -> tuple[Target, ...]:
        """The same places over this index's chunks; `documents` are those that were cut, by name."""
        return tuple(Target(target.text, target.span, self._over(target, documents)) for target in targets)

    def _over(
        self, target: Target, documents: Mapping[str, Document]
    ) -> tuple[tuple[int, tuple[int, int]], ...]:
        start, end = target.span
        names = {name for name, document in documents.items() if document.text == target.text}
        return tuple(
            (row, chunk.span)
            for row, chunk in enumerate(self.chunks)
            if chunk.document in names and chunk.span[0] < end and start < chunk.span[1]
        )

    def _scored(self, case: Case, query: str, vector: Float32) -> Scored:
        dense, lexical = self.store.dense(vector), self.store.lexical(terms(query))
        matched = np.where(lexical > 0, lexical, np.nan)
        known = self.store.share_known(terms(query))
        hybrid = fused(query, dense, lexical, case.searcher.settings, known)
        final = {"dense": dense, "lexical": matched, "hybrid": hybrid}[case.mode]
        return Scored(final, dense, matched, hybrid)


def build(
    case: Case,
    chunks: Iterable[Chunk],
    documents: Mapping[str, Document],
    embedder: Embedder,
) -> Scratch:
    """Embed what has no vector yet and index it. Raises NotRun where that would take too long."""
    size = case.settings.embed.part_chars
    wanted = (chunk for chunk in chunks if not chunk.heading_only and chunk.document in documents)
    kept = sorted(wanted, key=lambda chunk: chunk.id)
    texts = [embedded_texts(chunk, embedder, size, documents[chunk.document].blocks) for chunk in kept]
    vectors = _vectors(case, {hash_of(text): text for own in texts for text in own}, embedder)
    store: Store = registry.create("store", "memory")
    store.build(
        (
            StoreRow(chunk.id, np.stack([vectors[hash_of(text)] for text in own]), Counter(_terms(chunk)))
            for chunk, own in zip(kept, texts, strict=True)
        ),
        "scratch",
        embedder.dim,
    )
    return Scratch(store, tuple(kept), embedder)


def _vectors(case: Case, texts: Mapping[str, str], embedder: Embedder) -> dict[str, Float32]:
    """Recorded vectors, and new ones for the rest, which are recorded nowhere."""
    found = case.ws.get_vectors(embedder.fingerprint(), texts)
    missing = [key for key in texts if key not in found]
    for start in range(0, len(missing), 256):
        if start == 0:
            _check_cost(len(missing), [texts[key] for key in missing[:_PROBE]], embedder)
        batch = missing[start : start + 256]
        vectors = embedder.embed_passages([texts[key] for key in batch])
        found |= dict(zip(batch, vectors, strict=True))
    return found


def _check_cost(n: int, probe: list[str], embedder: Embedder) -> None:
    began = time.perf_counter()
    embedder.embed_passages(probe)
    expected = (time.perf_counter() - began) / len(probe) * n
    if expected > MOST_S:
        raise NotRun(f"{n} texts would have to be embedded anew, about {expected:.0f} s")


def _terms(chunk: Chunk) -> list[str]:
    return terms("\n".join((*dict.fromkeys((chunk.title, *chunk.heading_path)), chunk.text)))
