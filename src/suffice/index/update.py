"""Brings a generation up to date: only documents that changed are parsed, only new texts embedded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from suffice.chunks import chunker
from suffice.corpus.normalize import normalize
from suffice.errors import EmbedderError, NotFound, ParseError, WorkspaceError
from suffice.index.arrays import open_store
from suffice.index.generations import generation, late_embedder
from suffice.index.parts import embedded_texts, hash_of
from suffice.ports import Chunker, Embedder, Progress
from suffice.settings import Settings
from suffice.text import terms
from suffice.values import Chunk, Document, Unreadable
from suffice.workspace import DocumentRow, GenerationRow, IndexedChunk, Workspace

WINDOW_DOCUMENTS = 64
WINDOW_TEXTS = 512
"""Documents are taken together until this many new texts wait: sorted by length, they fill the model's
batches with little padding. Documents of a window are published together, so that SQLite syncs seldom."""
BATCH = 64
"""Texts that go to the embedder at once; their vectors are recorded before the next, so that a kill
loses at most one batch of work."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one run did. `n_embedded` counts texts handed to the embedder, `n_reused` texts it was spared."""

    generation: str
    indexed: tuple[str, ...] = ()
    failures: tuple[Unreadable, ...] = ()
    n_chunks: int = 0
    n_embedded: int = 0
    n_reused: int = 0


@dataclass(slots=True)
class _Prepared:
    """A document on its way: its chunks, and the texts of their parts by hash."""

    row: DocumentRow
    document: Document | None = None
    chunks: list[IndexedChunk] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    failure: str | None = None


def update(
    ws: Workspace,
    settings: Settings,
    embedder: Embedder,
    progress: Progress | None = None,
    *,
    batch: int = BATCH,
) -> IndexReport:
    """Index every document that the generation of these settings does not hold as it is now.

    A document is replaced whole in one transaction, so readers meet the old version or the new one. A run
    that ends at any point, by Ctrl-C or kill -9, is completed by the next. A first generation serves from
    its first document on; a later one only when it is complete. Raises EmbedderError when nothing can
    be embedded; a file that cannot be read is listed and the run goes on.
    """
    with ws.lock():
        row = generation(ws, settings, embedder)
        if ws.active_generation() is None:
            ws.activate(row.id)
        run = _Run(ws, settings, embedder, row, progress, batch)
        run.work()
        if not row.active:
            ws.activate(row.id)
        open_store(ws, row.id, settings)
    return run.report()


class _Run:
    def __init__(
        self,
        ws: Workspace,
        settings: Settings,
        embedder: Embedder,
        row: GenerationRow,
        progress: Progress | None,
        batch: int,
    ) -> None:
        self.ws, self.settings, self.embedder, self.row = ws, settings, embedder, row
        self.progress = progress or _silent
        self.batch = batch
        self.late = late_embedder(settings, embedder)
        self.chunker: Chunker = chunker(settings.chunk)
        self.indexed: list[str] = []
        self.failures: list[Unreadable] = []
        self.n_chunks = self.n_embedded = self.n_reused = 0
        self.done = self.total = 0

    def report(self) -> IndexReport:
        return IndexReport(
            self.row.id,
            tuple(self.indexed),
            tuple(self.failures),
            self.n_chunks,
            self.n_embedded,
            self.n_reused,
        )

    def work(self) -> None:
        pending = self.ws.pending(self.row.id)
        self.total = len(pending)
        if pending:
            self.progress("index", 0, self.total)
        for window in self._windows(pending):
            refused = self._embed(window)
            self._publish(window, refused)
            self.done += len(window)
            self.progress("index", self.done, self.total)

    def _windows(self, pending: Sequence[DocumentRow]) -> Iterator[list[_Prepared]]:
        window: list[_Prepared] = []
        n_texts = 0
        for row in pending:
            window.append(self._prepare(row))
            n_texts += len(window[-1].texts)
            if n_texts >= WINDOW_TEXTS or len(window) >= WINDOW_DOCUMENTS:
                yield window
                window, n_texts = [], 0
        if window:
            yield window

    def _prepare(self, row: DocumentRow) -> _Prepared:
        try:
            data = self.ws.blobs.get(row.file.sha256)
            document = normalize(data, row.file)
        except (ParseError, NotFound, WorkspaceError) as error:
            return _Prepared(row, failure=str(error))
        prepared = _Prepared(row, document)
        for chunk in self.chunker.cut(document):
            if chunk.heading_only:
                continue
            hashes = []
            for text in embedded_texts(chunk, self.embedder, self.settings.embed.part_chars, document.blocks):
                part = hash_of(text)
                prepared.texts[part] = text
                hashes.append(part)
            prepared.chunks.append(IndexedChunk(chunk, tuple(hashes), Counter(_terms(chunk))))
        return prepared

    def _embed(self, window: Sequence[_Prepared]) -> dict[str, str]:
        """Embed the texts that the record lacks; gives the hashes that were refused, with the reason."""
        texts = {part: text for prepared in window for part, text in prepared.texts.items()}
        missing = set(self.ws.missing_vectors(self.row.embedder, texts))
        if self.late is not None:
            missing.update(self.ws.missing_states(self.late.late_fingerprint(), texts))
        self.n_reused += len(texts) - len(missing)
        waiting = sorted(missing, key=lambda part: (-len(texts[part]), part))
        refused: dict[str, str] = {}
        for start in range(0, len(waiting), self.batch):
            parts = waiting[start : start + self.batch]
            self._embed_batch({part: texts[part] for part in parts}, refused)
            n_documents = len(window) * min(start + self.batch, len(waiting)) // max(len(waiting), 1)
            self.progress("index", self.done + n_documents, self.total)
        return refused

    def _embed_batch(self, texts: dict[str, str], refused: dict[str, str]) -> None:
        try:
            self._record(texts)
        except EmbedderError:
            # One text that the embedder refuses must not cost the others; an embedder that takes nothing at
            # all is broken, and that is not the documents' fault.
            for part, text in texts.items():
                try:
                    self._record({part: text})
                except EmbedderError as error:
                    refused[part] = str(error)
            if not self.n_embedded:
                raise

    def _record(self, texts: dict[str, str]) -> None:
        if self.late is None:
            vectors = self.embedder.embed_passages(list(texts.values()))
            self.ws.put_vectors(self.row.embedder, dict(zip(texts, vectors, strict=True)))
        else:
            vectors, states = self.late.embed_passages_late(list(texts.values()))
            with self.ws.writing():
                self.ws.put_vectors(self.row.embedder, dict(zip(texts, vectors, strict=True)))
                self.ws.put_states(
                    self.late.late_fingerprint(), self.late.late_dim, dict(zip(texts, states, strict=True))
                )
        self.n_embedded += len(texts)

    def _publish(self, window: Sequence[_Prepared], refused: dict[str, str]) -> None:
        with self.ws.writing():
            for prepared in window:
                reason = next((refused[part] for part in prepared.texts if part in refused), None)
                if reason is not None:
                    prepared.failure, prepared.chunks = f"it cannot be embedded: {reason}", []
                self._publish_one(prepared)

    def _publish_one(self, prepared: _Prepared) -> None:
        row, document = prepared.row, prepared.document
        if document is not None:
            self.ws.put_normalized(row.file, self.row.parsers, document)
        stands = self.ws.publish(
            self.row.id,
            row,
            prepared.chunks,
            title=document.title if document else "",
            meta=document.meta if document else None,
            failure=prepared.failure,
        )
        if not stands:  # removed or changed meanwhile: what it is now is another run's work
            return
        if prepared.failure is None:
            self.indexed.append(row.name)
            self.n_chunks += len(prepared.chunks)
        else:
            self.failures.append(Unreadable(row.name, prepared.failure))


def _silent(stage: str, done: int, total: int) -> None:
    """Nobody looks."""


def _terms(chunk: Chunk) -> list[str]:
    """Lexical terms of title, headings and text: a section is often named only in its heading."""
    headings = dict.fromkeys((chunk.title, *chunk.heading_path))
    return terms("\n".join((*headings, chunk.text)))
