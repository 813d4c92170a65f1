"""The record of chunks: published a document at a time, read by id."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from suffice.errors import WorkspaceError
from suffice.values import BlockKind, Chunk, Meta
from suffice.workspace.documents import drop_indexed
from suffice.workspace.generations import Generations
from suffice.workspace.rows import (
    ChunkKey,
    ChunkRow,
    DocumentRow,
    IndexedChunk,
    now,
    pack,
    stored_tenant,
    unpack,
)

_BATCH = 500
_SELECT = (
    'SELECT c.id, c.document, c.title, c.heading_path, c.start, c."end", c.text, c.kinds, c.page, '
    "c.oversized, c.tenant, c.ordinal, i.sha256, i.snapshot, i.revision, "
    "d.revision, i.meta, c.parts FROM chunk AS c "
    "JOIN indexed AS i USING (generation, tenant, document) "
    "LEFT JOIN document AS d ON d.tenant = c.tenant AND d.name = c.document AND d.removed_at IS NULL "
)


class Chunks(Generations):
    """Record methods for chunks."""

    def publish(
        self,
        generation: str,
        document: DocumentRow,
        chunks: Sequence[IndexedChunk],
        *,
        title: str = "",
        meta: Meta | None = None,
        failure: str | None = None,
    ) -> bool:
        """Replace what the generation holds of a document, in one transaction.

        Gives False, and changes nothing, when the document was removed or has another revision than the
        `document` that the chunks were made from: a slow indexer cannot bring old text back. Every part
        must have its vector already. `failure` is the reason why the bytes gave no chunks; None clears it.
        `meta` is what filters see (default: the file's). Raises NotFound, WorkspaceError.
        """
        owner, name, file = stored_tenant(document.tenant), document.name, document.file
        meta = dict(file.meta) if meta is None else meta
        with self.writing() as db:
            embedder = self.generation(generation).embedder
            current = self.document(document.tenant, name)
            if current is None or current.removed_at is not None or current.revision != document.revision:
                return False
            _need_vectors(db, embedder, name, chunks)
            drop_indexed(db, generation, owner, name)
            db.execute(
                "INSERT INTO indexed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    generation, owner, name, file.sha256, document.snapshot, document.revision,
                    len(chunks), title, pack(meta),
                ),
            )  # fmt: skip
            try:
                db.executemany(
                    "INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (_stored(generation, owner, name, ordinal, item) for ordinal, item in enumerate(chunks)),
                )
            except sqlite3.IntegrityError as error:
                raise WorkspaceError(
                    f"two chunks of {name!r} or of another document share an id: {error}"
                ) from error
            db.execute("DELETE FROM parse_failure WHERE tenant = ? AND document = ?", (owner, name))
            if failure is not None:
                db.execute(
                    "INSERT INTO parse_failure VALUES (?, ?, ?, ?, ?)",
                    (owner, name, file.sha256, failure, now()),
                )
        return True

    def chunks(self, generation: str, ids: Iterable[str]) -> dict[str, ChunkRow]:
        """The chunks of these ids that still stand in the generation; the others are left out."""
        wanted = list(dict.fromkeys(ids))
        found: dict[str, ChunkRow] = {}
        with self.reading():
            for start in range(0, len(wanted), _BATCH):
                batch = wanted[start : start + _BATCH]
                marks = ", ".join("?" * len(batch))
                rows = self.read(
                    f"{_SELECT} WHERE c.generation = ? AND c.id IN ({marks})", (generation, *batch)
                )
                found.update((row[0], _chunk_row(row)) for row in rows)
        return {key: found[key] for key in wanted if key in found}

    def document_chunks(self, generation: str, tenant: str | None, name: str) -> tuple[ChunkRow, ...]:
        """The chunks of one document in document order."""
        rows = self.read(
            f"{_SELECT} WHERE c.generation = ? AND c.tenant = ? AND c.document = ? ORDER BY c.ordinal",
            (generation, stored_tenant(tenant), name),
        )
        return tuple(_chunk_row(row) for row in rows)

    def chunk_keys(self, generation: str) -> tuple[ChunkKey, ...]:
        """Every chunk of the generation with its tenant and document, ascending by id."""
        rows = self.read(
            "SELECT id, tenant, document FROM chunk WHERE generation = ? ORDER BY id", (generation,)
        )
        return tuple(ChunkKey(key, tenant or None, document) for key, tenant, document in rows)

    def n_parts(self, generation: str) -> int:
        """How many parts, each with a vector of its own, the generation's chunks have."""
        rows = self.read(
            "SELECT coalesce(sum(json_array_length(parts)), 0) FROM chunk WHERE generation = ?", (generation,)
        )
        return int(rows[0][0])

    def chunk_terms(
        self, generation: str, ids: Iterable[str]
    ) -> Iterator[tuple[str, tuple[str, ...], Mapping[str, int]]]:
        """(id, parts, terms) of the chunks of these ids, in the order given; what a store is built from."""
        wanted = list(ids)
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            marks = ", ".join("?" * len(batch))
            rows = self.read(
                f"SELECT id, parts, terms FROM chunk WHERE generation = ? AND id IN ({marks})",
                (generation, *batch),
            )
            found = {key: (parts, terms) for key, parts, terms in rows}
            for key in batch:
                if key in found:
                    parts, terms = found[key]
                    yield key, unpack(parts, tuple[str, ...]), _terms(key, terms)


def _need_vectors(db: sqlite3.Connection, embedder: str, name: str, chunks: Sequence[IndexedChunk]) -> None:
    parts = sorted({part for item in chunks for part in item.parts})
    n_found = 0
    for start in range(0, len(parts), _BATCH):
        batch = parts[start : start + _BATCH]
        marks = ", ".join("?" * len(batch))
        n_found += db.execute(
            "SELECT count(*) FROM vector JOIN space ON space.id = vector.space "
            f"WHERE space.embedder = ? AND part IN ({marks})",
            (embedder, *batch),
        ).fetchone()[0]
    if n_found != len(parts) or any(not item.parts for item in chunks):
        raise WorkspaceError(
            f"{name!r} has {len(parts)} parts and {n_found} of them have a vector of {embedder}; "
            "every chunk needs its vectors before it can be published"
        )


def _stored(generation: str, tenant: str, name: str, ordinal: int, item: IndexedChunk) -> tuple[Any, ...]:
    chunk = item.chunk
    return (
        generation,
        chunk.id,
        tenant,
        name,
        ordinal,
        *chunk.span,
        chunk.title,
        pack(chunk.heading_path),
        chunk.text,
        pack(chunk.kinds),
        chunk.page,
        int(chunk.oversized),
        pack(item.parts),
        # Level 1: half the bytes of a large corpus for a tenth of the time of a build.
        zlib.compress(msgspec.json.encode(dict(item.terms), order="sorted"), 1),
    )


def _terms(chunk_id: str, data: bytes) -> dict[str, int]:
    try:
        return msgspec.json.decode(zlib.decompress(data), type=dict[str, int])
    except (zlib.error, msgspec.DecodeError) as error:
        raise WorkspaceError(f"the terms of chunk {chunk_id} are damaged: {error}; index again") from error


def _chunk_row(row: tuple[Any, ...]) -> ChunkRow:
    key, document, title, headings, start, end, text, kinds, page, oversized, tenant, *rest = row
    ordinal, sha256, snapshot, revision, current, meta, parts = rest
    chunk = Chunk(
        id=key,
        document=document,
        title=title,
        heading_path=unpack(headings, tuple[str, ...]),
        span=(start, end),
        text=text,
        kinds=unpack(kinds, tuple[BlockKind, ...]),
        page=page,
        oversized=bool(oversized),
        tenant=tenant or None,
    )
    return ChunkRow(
        chunk=chunk,
        ordinal=ordinal,
        sha256=sha256,
        snapshot=snapshot,
        revision=revision,
        current=revision == current,
        meta=unpack(meta, Meta),
        parts=unpack(parts, tuple[str, ...]),
    )
