"""The record of generations: which there are, which one serves, what of each document stands in them."""

from __future__ import annotations

from typing import Any

from suffice.errors import NotFound, WorkspaceError
from suffice.values import Meta
from suffice.workspace.documents import Documents, document_row
from suffice.workspace.rows import (
    ANY,
    DocumentRow,
    GenerationRow,
    IndexedRow,
    ParseFailure,
    Tenants,
    pack,
    tenant_clause,
    unpack,
)


class Generations(Documents):
    """Record methods for generations."""

    def put_generation(self, generation: GenerationRow) -> None:
        """Record a generation; one that is recorded already must be the same in every setting.

        Raises WorkspaceError when the id is taken by other settings. `active` is ignored: see `activate`.
        """
        facts = (
            pack(generation.settings),
            generation.embedder,
            generation.dim,
            generation.chunker,
            generation.parsers,
        )
        with self.writing() as db:
            found = db.execute(
                "SELECT settings, embedder, dim, chunker, parsers FROM generation WHERE id = ?",
                (generation.id,),
            ).fetchone()
            if found is None:
                db.execute(
                    "INSERT INTO generation (id, settings, embedder, dim, chunker, parsers, created_at) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (generation.id, *facts, generation.created_at),
                )
            elif tuple(found) != facts:
                raise WorkspaceError(
                    f"generation {generation.id} was built with other settings ({found[1]}, {found[3]}); "
                    "a generation never changes its settings: build a new one"
                )

    def generations(self) -> tuple[GenerationRow, ...]:
        """All generations, oldest first."""
        rows = self.read(
            "SELECT id, settings, embedder, dim, chunker, parsers, created_at, active FROM generation "
            "ORDER BY created_at, id"
        )
        return tuple(
            GenerationRow(
                key, unpack(settings, dict[str, Any]), embedder, dim, chunker, parsers, at, bool(active)
            )
            for key, settings, embedder, dim, chunker, parsers, at, active in rows
        )

    def generation(self, generation: str) -> GenerationRow:
        """One generation. Raises NotFound."""
        for row in self.generations():
            if row.id == generation:
                return row
        raise NotFound(f"no generation has the id {generation!r}; there are: {self._ids()}")

    def active_generation(self) -> GenerationRow | None:
        """The generation that serves; None before the first."""
        return next((row for row in self.generations() if row.active), None)

    def activate(self, generation: str) -> None:
        """Let this generation serve instead of the other, atomically. Raises NotFound."""
        with self.writing() as db:
            db.execute("UPDATE generation SET active = 0 WHERE active AND id != ?", (generation,))
            if not db.execute("UPDATE generation SET active = 1 WHERE id = ?", (generation,)).rowcount:
                raise NotFound(f"no generation has the id {generation!r}; there are: {self._ids()}")

    def drop_generation(self, generation: str) -> None:
        """Delete a generation that does not serve. Raises NotFound, WorkspaceError."""
        with self.writing() as db:
            if self.generation(generation).active:
                raise WorkspaceError(f"generation {generation} serves; switch to another before deleting it")
            for table, column in (("chunk", "generation"), ("indexed", "generation"), ("generation", "id")):
                db.execute(f"DELETE FROM {table} WHERE {column} = ?", (generation,))

    def revision(self, generation: str) -> str:
        """A word that changes whenever a chunk or vector of the generation does. Raises NotFound.

        It carries the workspace's own id, so that arrays of another workspace never pass for this one's.
        """
        rows = self.read(
            "SELECT about.value, changes FROM generation, about WHERE about.key = 'id' AND generation.id = ?",
            (generation,),
        )
        if not rows:
            raise NotFound(f"no generation has the id {generation!r}; there are: {self._ids()}")
        return f"{rows[0][0]}-{rows[0][1]}"

    def pending(self, generation: str) -> tuple[DocumentRow, ...]:
        """Documents that the generation holds in no revision or an older one, by tenant and name.

        Removed documents are never pending: `remove_document` took them out of every generation.
        """
        rows = self.read(
            "SELECT d.name, d.uri, d.media_type, d.sha256, d.n_bytes, d.fetched_at, d.tenant, d.meta, "
            "d.snapshot, d.revision, d.source, d.removed_at, d.removed_by "
            "FROM document AS d LEFT JOIN indexed AS i "
            "ON i.generation = ? AND i.tenant = d.tenant AND i.document = d.name "
            "WHERE d.removed_at IS NULL AND (i.revision IS NULL OR i.revision != d.revision) "
            "ORDER BY d.tenant, d.name",
            (generation,),
        )
        return tuple(document_row(row) for row in rows)

    def indexed(self, generation: str, tenant: Tenants = ANY) -> tuple[IndexedRow, ...]:
        """What of each document stands in the generation, by tenant and name."""
        where, parameters = tenant_clause(tenant)
        rows = self.read(
            "SELECT tenant, document, sha256, snapshot, revision, n_chunks, title, meta FROM indexed "
            f"WHERE generation = ? AND {where} ORDER BY tenant, document",
            (generation, *parameters),
        )
        return tuple(
            IndexedRow(owner or None, name, sha256, snapshot, revision, n_chunks, title, unpack(meta, Meta))
            for owner, name, sha256, snapshot, revision, n_chunks, title, meta in rows
        )

    def parse_failures(self, tenant: Tenants = ANY) -> tuple[ParseFailure, ...]:
        """Documents whose current bytes could not be parsed."""
        where, parameters = tenant_clause(tenant)
        rows = self.read(
            f"SELECT tenant, document, sha256, reason FROM parse_failure WHERE {where} "
            "ORDER BY tenant, document",
            parameters,
        )
        return tuple(ParseFailure(row[0] or None, *row[1:]) for row in rows)

    def _ids(self) -> str:
        return ", ".join(row.id for row in self.generations()) or "none"
