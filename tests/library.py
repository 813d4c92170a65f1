"""A workspace for tests, filled by name and text, indexed with the hashing embedder, and searched."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from suffice import registry
from suffice.index import IndexReport, active, open_store, update
from suffice.ports import Embedder, Float32, Progress
from suffice.retrieve import filters
from suffice.retrieve.search import Searcher
from suffice.settings import Settings
from suffice.values import Filter, Meta, Mode, Ranking, RawFile, Snapshot
from suffice.workspace import Workspace, now


class Counting:
    """An embedder that writes down what it was asked to embed, and may be told to refuse."""

    def __init__(self, inner: Embedder | None = None) -> None:
        self.inner = inner or registry.create("embedder", "hashing")
        self.batches: list[tuple[str, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    @property
    def texts(self) -> list[str]:
        return [text for batch in self.batches for text in batch]

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> Float32:
        self.batches.append(tuple(texts))
        return self.inner.embed_passages(texts, progress)


@dataclass
class Library:
    """One workspace. `index()` must be called after `put` and `remove`, as the engine does."""

    path: Path
    settings: Settings = field(default_factory=Settings)
    embedder: Any = field(default_factory=Counting)

    def __post_init__(self) -> None:
        self.ws = Workspace.open(self.path, create=True)

    def put(
        self,
        name: str,
        text: str | bytes,
        *,
        tenant: str | None = None,
        meta: Meta | None = None,
        kind: str = "",
    ) -> None:
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        kind = kind or ("text/plain" if name.endswith(".txt") else "text/markdown")
        file = RawFile(
            name, f"file:///{name}", kind, self.ws.blobs.put(data), len(data), now(), tenant, dict(meta or {})
        )
        digest = hashlib.sha256(f"{len(self.ws.snapshot_ids())}{name}".encode()).hexdigest()[:12]
        with self.ws.writing():
            self.ws.put_snapshot(Snapshot(digest, now(), now(), (file,)))
            self.ws.put_document(file, digest, None)

    def remove(self, name: str, *, tenant: str | None = None) -> None:
        self.ws.remove_document(tenant, name)

    def index(self, **options: Any) -> IndexReport:
        return update(self.ws, self.settings, self.embedder, **options)

    def searcher(self, settings: Settings | None = None) -> Searcher:
        generation = active(self.ws, self.embedder).id
        store = open_store(self.ws, generation, self.settings)
        return Searcher(self.ws, store, self.embedder, settings or self.settings, generation)

    def search(
        self, query: str, k: int | None = None, mode: Mode = "hybrid", filter: Filter | None = None
    ) -> Ranking:
        return self.searcher().search(query, k, mode, filter)

    def where(self, *expressions: str, tenant: str | None = None) -> Filter:
        return filters.read(expressions, tenant)

    def chunks(self) -> dict[str, str]:
        """Text of every chunk of the generation that serves, by id."""
        generation = active(self.ws).id
        ids = [key.chunk_id for key in self.ws.chunk_keys(generation)]
        return {key: row.chunk.text for key, row in self.ws.chunks(generation, ids).items()}
