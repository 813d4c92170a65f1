"""Searches one generation: filter, score every chunk that may take part, order, fetch from the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.errors import UsageError
from suffice.index.generations import late_of
from suffice.ports import Embedder, Float64, LateEmbedder, Store
from suffice.retrieve import filters, fuse, reorder
from suffice.retrieve.score import Embedded, Scored, Scorer
from suffice.settings import SearchSettings, Settings
from suffice.values import Filter, Hit, Meta, Mode, Ranking
from suffice.workspace import ChunkRow, Workspace

MODES = ("hybrid", "dense", "lexical")
KEPT = 50
"""How many ids of a ranking are named beyond the hits that were asked for: what a trace keeps."""
_SLAB = 256


@dataclass(frozen=True, slots=True)
class _View:
    """What filters must know of the store's rows at one revision of the record."""

    revision: str
    of_row: NDArray[np.intp]  # index into `documents`; -1: the chunk is gone
    documents: tuple[tuple[str | None, str, Meta], ...]


class Searcher:
    """Searches with one store of one generation; may be shared by threads.

    `generation` is the id; the embedder must be the one that the generation was built with, which
    `suffice.index.active` checks. It may be None where only lexical searches are made.
    """

    def __init__(
        self,
        ws: Workspace,
        store: Store,
        embedder: Embedder | None,
        settings: Settings | SearchSettings,
        generation: str,
    ) -> None:
        self.ws, self.store, self.embedder, self.generation = ws, store, embedder, generation
        self.settings = settings.search if isinstance(settings, Settings) else settings
        self.scorer = Scorer(store, self.settings)
        self._view: _View | None = None
        self._reranks: bool | None = None

    def search(
        self, query: str, k: int | None = None, mode: Mode = "hybrid", filter: Filter | None = None
    ) -> Ranking:
        """The best `k` chunks (None: all that were ranked). Raises UsageError, EmbedderError, StoreError."""
        return self.search_many((query,), k, mode, filter)[0]

    def search_many(
        self,
        queries: Sequence[str],
        k: int | None = None,
        mode: Mode = "hybrid",
        filter: Filter | None = None,
        embedded: Sequence[Embedded] | None = None,
    ) -> tuple[Ranking, ...]:
        """One ranking a query; no ranking depends on the others. `embedded` is what `embed` gave for them."""
        _check(queries, k, mode)
        filter = filter or Filter()
        filters.check_keys(filter, self._viewed().documents)
        mask = self._mask(filter)
        embedded = self.embed(queries, mode) if embedded is None else embedded
        return tuple(
            self._ranked(query, scored, k, mode, filter, int(mask.sum()))
            for query, scored in zip(queries, self._scored(queries, embedded, mode, mask), strict=True)
        )

    def score_many(
        self, queries: Sequence[str], mode: Mode = "hybrid", filter: Filter | None = None
    ) -> tuple[Scored, ...]:
        """The scores behind `search_many`, of every row of the store; nothing is fetched from the record."""
        _check(queries, None, mode)
        return self._scored(queries, self.embed(queries, mode), mode, self._mask(filter or Filter()))

    def _scored(
        self, queries: Sequence[str], embedded: Sequence[Embedded], mode: Mode, mask: NDArray[np.bool_]
    ) -> tuple[Scored, ...]:
        return tuple(
            self.scorer.score(query, own, mode, mask) for query, own in zip(queries, embedded, strict=True)
        )

    def embed(self, queries: Sequence[str], mode: Mode) -> Sequence[Embedded]:
        """Vector and, where late interaction is on, token codes of each query."""
        if mode == "lexical" or not queries:
            return [(None, None)] * len(queries)
        if self.embedder is None:
            raise UsageError(f"a {mode} search needs an embedder, and none was given; use lexical")
        if mode == "hybrid" and self.reranks and isinstance(self.embedder, LateEmbedder):
            vectors, codes = self.embedder.embed_queries_late(queries)
            return list(zip(vectors, codes, strict=True))
        return [(vector, None) for vector in self.embedder.embed_queries(queries)]

    @property
    def reranks(self) -> bool:
        """Whether hybrid searches end with late interaction: it is wanted, and the index has the states."""
        if self._reranks is None:
            kept = late_of(self.ws.generation(self.generation))
            fits = isinstance(self.embedder, LateEmbedder) and kept == self.embedder.late_fingerprint()
            self._reranks = self.settings.late_weight > 0 and fits
        return self._reranks

    def _ranked(
        self, query: str, scored: Scored, k: int | None, mode: Mode, filter: Filter, depth: int
    ) -> Ranking:
        best_first = self.scorer.best_first(scored)
        hits = self._hits(best_first, k, mode, filter, scored)
        ids = self.store.chunk_ids()
        return Ranking(
            query,
            mode,
            depth,
            self.generation,
            tuple(hits),
            stats=_stats(scored.dense, scored.lexical),
            first=tuple(ids[row] for row in best_first[:KEPT]),
        )

    # --- filters --------------------------------------------------------------------------

    def _mask(self, filter: Filter) -> NDArray[np.bool_]:
        view = self._viewed()
        allowed = np.array([filters.matches(filter, *document) for document in view.documents] + [False])
        # -1 finds the False at the end: a chunk that is gone takes no part.
        chosen: NDArray[np.bool_] = allowed[view.of_row]
        return chosen

    def _viewed(self) -> _View:
        revision = self.ws.revision(self.generation)
        view = self._view
        if view is None or view.revision != revision:
            view = self._view = self._read_view()
        return view

    def _read_view(self) -> _View:
        with self.ws.reading():
            revision = self.ws.revision(self.generation)
            documents = tuple(
                (row.tenant, row.document, _with_title(row.title, row.meta))
                for row in self.ws.indexed(self.generation)
            )
            numbers = {(tenant, name): number for number, (tenant, name, _) in enumerate(documents)}
            owner = {
                key.chunk_id: numbers[key.tenant, key.document] for key in self.ws.chunk_keys(self.generation)
            }
        of_row = np.array([owner.get(chunk_id, -1) for chunk_id in self.store.chunk_ids()], dtype=np.intp)
        return _View(revision, of_row, documents)

    # --- hits -----------------------------------------------------------------------------

    def _hits(
        self, best_first: NDArray[np.intp], k: int | None, mode: Mode, filter: Filter, scored: Scored
    ) -> list[Hit]:
        """The first `k` rows that still stand in the record at this moment and still pass the filter."""
        ids = self.store.chunk_ids()
        legs = {"dense": scored.dense, "lexical": scored.lexical, "hybrid": scored.hybrid}
        if scored.late is not None:
            legs["late"] = scored.late
        places = {name: None if leg is None else fuse.ranks(leg) for name, leg in legs.items()}
        hits: list[Hit] = []
        seen: set[str] = set()
        size = _SLAB if k is None else min(max(k, 1), _SLAB)
        for start in range(0, len(best_first), size):
            slab = [int(row) for row in best_first[start : start + size]]
            standing = self.ws.chunks(self.generation, [ids[row] for row in slab])
            for row in slab:
                found = standing.get(ids[row])
                if found is None or not filters.matches(
                    filter,
                    found.chunk.tenant,
                    found.chunk.document,
                    _with_title(found.chunk.title, found.meta),
                ):
                    continue
                if self.settings.dedup and reorder.seen_before(found.chunk.text, seen):
                    continue
                hits.append(
                    _hit(
                        found,
                        rank=len(hits) + 1,
                        score=float(scored.final[row]),
                        scorer=mode,
                        scores={name: _value(leg, row) for name, leg in legs.items()},
                        ranks={name: _place(leg, row) for name, leg in places.items()},
                    )
                )
                if len(hits) == k:
                    return hits
        return hits


def _with_title(title: str, meta: Meta) -> Meta:
    """What `--where` sees of a document beside its name."""
    return {"title": title, **meta}


def _hit(
    row: ChunkRow,
    *,
    rank: int,
    score: float,
    scorer: str,
    scores: dict[str, float | None],
    ranks: dict[str, int | None],
) -> Hit:
    chunk = row.chunk
    return Hit(
        rank=rank,
        chunk_id=chunk.id,
        document=chunk.document,
        title=chunk.title,
        heading_path=chunk.heading_path,
        span=chunk.span,
        page=chunk.page,
        sha256=row.sha256,
        snapshot=row.snapshot,
        text=chunk.text,
        score=score,
        scorer=scorer,
        ranks=ranks,
        scores=scores,
    )


def _value(leg: Float64 | None, row: int) -> float | None:
    return None if leg is None or np.isnan(leg[row]) else float(leg[row])


def _place(leg: fuse.Ranks | None, row: int) -> int | None:
    return None if leg is None or not leg[row] else int(leg[row])


def _stats(dense: Float64 | None, lexical: Float64 | None) -> dict[str, float]:
    """Mean, deviation and best of each leg over the chunks it scored: what a score is to be seen against."""
    result: dict[str, float] = {}
    for name, leg in (("dense", dense), ("lexical", lexical)):
        scored = leg[~np.isnan(leg)] if leg is not None else np.zeros(0)
        if len(scored):
            result |= {
                f"{name}_mean": float(scored.mean()),
                f"{name}_std": float(scored.std()),
                f"{name}_max": float(scored.max()),
                f"{name}_n": float(len(scored)),
            }
    return result


def _check(queries: Sequence[str], k: int | None, mode: str) -> None:
    if mode not in MODES:
        raise UsageError(f"no search mode is named {mode!r}; there are: {', '.join(MODES)}")
    if k is not None and k < 1:
        raise UsageError(f"k is {k}; it must be 1 or more (or 'all')")
    if any(not query.strip() for query in queries):
        raise UsageError("the query is empty; write what to look for")
