"""The record of snapshots, which nothing changes once written, and of what their files were parsed into."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable
from typing import Any

import msgspec

from suffice.errors import NotFound, WorkspaceError
from suffice.values import Document, Meta, RawFile, Snapshot, Unreadable
from suffice.workspace.rows import now, pack, stored_tenant, unpack
from suffice.workspace.states import States

_FILE_COLUMNS = "name, uri, media_type, sha256, n_bytes, fetched_at, tenant, meta"


class Snapshots(States):
    """Record methods for snapshots and normalized documents."""

    def put_snapshot(self, snapshot: Snapshot) -> None:
        """Record a snapshot whose files' bytes are all in `blobs` already."""
        with self.writing() as db:
            db.execute(
                "INSERT INTO snapshot VALUES (?, ?, ?, ?)",
                (snapshot.id, snapshot.taken_from, snapshot.taken_until, now()),
            )
            db.executemany(
                "INSERT INTO snapshot_file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        snapshot.id, stored_tenant(file.tenant), file.name, file.uri, file.media_type,
                        file.sha256, file.n_bytes, file.fetched_at, pack(file.meta),
                    )
                    for file in snapshot.files
                ],
            )  # fmt: skip
            db.executemany(
                "INSERT INTO snapshot_unreadable VALUES (?, ?, ?, ?)",
                [(snapshot.id, n, item.name, item.reason) for n, item in enumerate(snapshot.unreadable)],
            )

    def snapshot_ids(self) -> tuple[str, ...]:
        """Ids of all snapshots, oldest first."""
        return tuple(row[0] for row in self.read("SELECT id FROM snapshot ORDER BY created_at, id"))

    def snapshot(self, snapshot: str) -> Snapshot:
        """One snapshot, files by tenant and name. Raises NotFound that lists the nearest ids."""
        with self.reading():
            head = self.read("SELECT id, taken_from, taken_until FROM snapshot WHERE id = ?", (snapshot,))
            if not head:
                last = ", ".join(self.snapshot_ids()[-5:]) or "none"
                raise NotFound(f"no snapshot has the id {snapshot!r}; the last ones are: {last}")
            files = self.read(
                f"SELECT {_FILE_COLUMNS} FROM snapshot_file WHERE snapshot = ? ORDER BY tenant, name",
                (snapshot,),
            )
            unreadable = self.read(
                "SELECT name, reason FROM snapshot_unreadable WHERE snapshot = ? ORDER BY ordinal",
                (snapshot,),
            )
        key, taken_from, taken_until = head[0]
        return Snapshot(
            key,
            taken_from,
            taken_until,
            tuple(_raw_file(row) for row in files),
            tuple(Unreadable(*row) for row in unreadable),
        )

    def snapshot_file(self, snapshot: str, tenant: str | None, name: str) -> RawFile | None:
        """One file of a snapshot; None where the snapshot has no such file."""
        rows = self.read(
            f"SELECT {_FILE_COLUMNS} FROM snapshot_file WHERE snapshot = ? AND tenant = ? AND name = ?",
            (snapshot, stored_tenant(tenant), name),
        )
        return _raw_file(rows[0]) if rows else None

    # --- normalized documents -------------------------------------------------------------

    def put_normalized(self, file: RawFile, parser: str, document: Document) -> None:
        """Keep what a parser (name and version) made of a file, so that old answers can be checked."""
        data = zlib.compress(msgspec.json.encode(document), 3)
        with self.writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO normalized VALUES (?, ?, ?, ?, ?)",
                (_normal_key(file), parser, file.sha256, now(), data),
            )

    def normalized(self, file: RawFile, parser: str | None = None) -> Document | None:
        """What a parser made of the file (None: the parser that did so last); None when none did."""
        which, parameters = ("AND parser = ?", (parser,)) if parser is not None else ("", ())
        rows = self.read(
            f"SELECT data FROM normalized WHERE key = ? {which} ORDER BY made_at DESC LIMIT 1",
            (_normal_key(file), *parameters),
        )
        return _document(file, rows[0][0]) if rows else None

    def normalizations(self, file: RawFile) -> tuple[tuple[str, Document], ...]:
        """(parser, document) of everything that parsers made of the file, the latest first."""
        rows = self.read(
            "SELECT parser, data FROM normalized WHERE key = ? ORDER BY made_at DESC", (_normal_key(file),)
        )
        return tuple((parser, _document(file, data)) for parser, data in rows)

    def blobs_named(self, snapshots: Iterable[str] | None = None) -> tuple[tuple[str, str, str], ...]:
        """(snapshot, document, sha256) of every file of these snapshots (None: of all)."""
        ids = self.snapshot_ids() if snapshots is None else tuple(snapshots)
        return tuple((key, file.name, file.sha256) for key in ids for file in self.snapshot(key).files)


def _raw_file(row: tuple[Any, ...]) -> RawFile:
    name, uri, media_type, sha256, n_bytes, fetched_at, tenant, meta = row
    return RawFile(name, uri, media_type, sha256, n_bytes, fetched_at, tenant or None, unpack(meta, Meta))


def _normal_key(file: RawFile) -> str:
    # All that a parse can depend on: a title may come from the name, metadata from the source.
    facts = (file.tenant, file.name, file.media_type, file.sha256, file.meta)
    return hashlib.sha256(pack(facts).encode()).hexdigest()


def _document(file: RawFile, data: bytes) -> Document:
    try:
        return msgspec.json.decode(zlib.decompress(data), type=Document)
    except (zlib.error, msgspec.DecodeError) as error:
        raise WorkspaceError(
            f"the normalized text of {file.name!r} is damaged ({error}); `suffice index build` makes it again"
        ) from error
