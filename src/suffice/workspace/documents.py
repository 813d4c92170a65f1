"""The record of sources and of documents as they should be now."""

from __future__ import annotations

import sqlite3
from typing import Any

from suffice.errors import NotFound
from suffice.values import Meta, RawFile
from suffice.workspace.connection import Connections
from suffice.workspace.rows import (
    ANY,
    DocumentRow,
    RemovedBy,
    SourceSpec,
    Tenants,
    now,
    pack,
    stored_tenant,
    tenant_clause,
    unpack,
)

_COLUMNS = (
    "name, uri, media_type, sha256, n_bytes, fetched_at, tenant, meta, snapshot, revision, source, "
    "removed_at, removed_by"
)


class Documents(Connections):
    """Record methods for sources and documents."""

    # --- sources --------------------------------------------------------------------------

    def put_source(self, source: SourceSpec) -> int:
        """Record where documents come from, or change what is recorded of it; gives its id."""
        with self.writing() as db:
            db.execute(
                "INSERT INTO source (tenant, kind, uri, include, exclude, meta, added_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, uri) DO UPDATE SET "
                "kind = excluded.kind, include = excluded.include, exclude = excluded.exclude, "
                "meta = excluded.meta",
                (
                    stored_tenant(source.tenant),
                    source.kind,
                    source.uri,
                    pack(source.include),
                    pack(source.exclude),
                    pack(source.meta),
                    now(),
                ),
            )
            row = db.execute(
                "SELECT id FROM source WHERE tenant = ? AND uri = ?",
                (stored_tenant(source.tenant), source.uri),
            ).fetchone()
            return int(row[0])

    def sources(self, tenant: Tenants = ANY) -> tuple[SourceSpec, ...]:
        """The recorded sources in the order in which they were added."""
        where, parameters = tenant_clause(tenant)
        rows = self.read(
            f"SELECT kind, uri, include, exclude, meta, tenant, id FROM source WHERE {where} ORDER BY id",
            parameters,
        )
        return tuple(
            SourceSpec(
                kind=kind,
                uri=uri,
                include=unpack(include, tuple[str, ...]),
                exclude=unpack(exclude, tuple[str, ...]),
                meta=unpack(meta, Meta),
                tenant=owner or None,
                id=number,
            )
            for kind, uri, include, exclude, meta, owner, number in rows
        )

    # --- documents ------------------------------------------------------------------------

    def documents(self, tenant: Tenants = ANY, *, removed: bool = False) -> tuple[DocumentRow, ...]:
        """Documents by tenant and name; the removed ones are given too if `removed`."""
        where, parameters = tenant_clause(tenant)
        live = "" if removed else "AND removed_at IS NULL"
        rows = self.read(
            f"SELECT {_COLUMNS} FROM document WHERE {where} {live} ORDER BY tenant, name", parameters
        )
        return tuple(document_row(row) for row in rows)

    def document(self, tenant: str | None, name: str) -> DocumentRow | None:
        """One document, removed or not; None if there never was one of this name."""
        rows = self.read(
            f"SELECT {_COLUMNS} FROM document WHERE tenant = ? AND name = ?", (stored_tenant(tenant), name)
        )
        return document_row(rows[0]) if rows else None

    def put_document(self, file: RawFile, snapshot: str, source: int | None) -> int:
        """Say what a document should be from now on; gives its new revision. A removed one is back."""
        with self.writing() as db:
            revision = next_revision(db)
            db.execute(
                "INSERT INTO document (tenant, name, uri, source, media_type, sha256, n_bytes, fetched_at, "
                "meta, snapshot, revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (tenant, name) DO UPDATE SET "
                "uri = excluded.uri, source = excluded.source, media_type = excluded.media_type, "
                "sha256 = excluded.sha256, n_bytes = excluded.n_bytes, fetched_at = excluded.fetched_at, "
                "meta = excluded.meta, snapshot = excluded.snapshot, revision = excluded.revision, "
                "removed_at = NULL, removed_by = NULL",
                (
                    stored_tenant(file.tenant),
                    file.name,
                    file.uri,
                    source,
                    file.media_type,
                    file.sha256,
                    file.n_bytes,
                    file.fetched_at,
                    pack(file.meta),
                    snapshot,
                    revision,
                ),
            )
            return revision

    def remove_document(self, tenant: str | None, name: str, by: RemovedBy = "user") -> DocumentRow:
        """Take a document out of every generation, at once for every process; its snapshots keep its bytes.

        Does not wait for the writer's lock: removal must not wait until an index is built. An indexer that
        read the document before cannot put it back, because `publish` compares revisions. Raises NotFound.
        """
        owner = stored_tenant(tenant)
        with self.writing() as db:
            found = self.document(tenant, name)
            if found is None or found.removed_at is not None:
                raise NotFound(f"no document is named {name!r}; `suffice status` lists what is here")
            for (generation,) in db.execute(
                "SELECT generation FROM indexed WHERE tenant = ? AND document = ?", (owner, name)
            ).fetchall():
                drop_indexed(db, generation, owner, name)
            db.execute("DELETE FROM parse_failure WHERE tenant = ? AND document = ?", (owner, name))
            db.execute(
                "UPDATE document SET removed_at = ?, removed_by = ?, revision = ? "
                "WHERE tenant = ? AND name = ?",
                (now(), by, next_revision(db), owner, name),
            )
        return found

    def record_revision(self) -> int:
        """The highest revision that any document has had; grows with every change to a document."""
        return int(self.read("SELECT value FROM counter WHERE name = 'revision'")[0][0])


def document_row(row: tuple[Any, ...]) -> DocumentRow:
    """A row of the columns above as a value."""
    name, uri, media_type, sha256, n_bytes, fetched_at, tenant, meta, snapshot, revision, source, at, by = row
    file = RawFile(name, uri, media_type, sha256, n_bytes, fetched_at, tenant or None, unpack(meta, Meta))
    return DocumentRow(file, snapshot, revision, source, at, by)


def next_revision(db: sqlite3.Connection) -> int:
    """Count the record's revision up by one; call inside `writing()`."""
    row = db.execute(
        "UPDATE counter SET value = value + 1 WHERE name = 'revision' RETURNING value"
    ).fetchone()
    return int(row[0])


def drop_indexed(db: sqlite3.Connection, generation: str, tenant: str, name: str) -> None:
    """Delete what a generation holds of a document and count the generation's changes; inside `writing()`.

    `tenant` as stored.
    """
    key = (generation, tenant, name)
    db.execute("DELETE FROM chunk WHERE generation = ? AND tenant = ? AND document = ?", key)
    db.execute("DELETE FROM indexed WHERE generation = ? AND tenant = ? AND document = ?", key)
    db.execute("UPDATE generation SET changes = changes + 1 WHERE id = ?", (generation,))
