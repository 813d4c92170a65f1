"""The tables of `suffice.db`, as numbered migrations: entry n brings `PRAGMA user_version` from n to n + 1.

A migration that was ever released is never edited; a change is a new entry. Tenants are stored as
text, the unnamed tenant as "" (NULLs would be distinct from each other in every UNIQUE).
"""

from __future__ import annotations

import sqlite3

_FIRST = (
    "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "INSERT INTO about VALUES ('id', lower(hex(randomblob(6))))",
    "CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
    "INSERT INTO counter VALUES ('revision', 0)",
    """CREATE TABLE source (
        id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, kind TEXT NOT NULL, uri TEXT NOT NULL,
        include TEXT NOT NULL, exclude TEXT NOT NULL, meta TEXT NOT NULL, added_at TEXT NOT NULL,
        UNIQUE (tenant, uri))""",
    """CREATE TABLE snapshot (
        id TEXT PRIMARY KEY, taken_from TEXT NOT NULL, taken_until TEXT NOT NULL, created_at TEXT NOT NULL
        )""",
    """CREATE TABLE snapshot_file (
        snapshot TEXT NOT NULL REFERENCES snapshot, tenant TEXT NOT NULL, name TEXT NOT NULL,
        uri TEXT NOT NULL, media_type TEXT NOT NULL, sha256 TEXT NOT NULL, n_bytes INTEGER NOT NULL,
        fetched_at TEXT NOT NULL, meta TEXT NOT NULL, PRIMARY KEY (snapshot, tenant, name)) WITHOUT ROWID""",
    "CREATE INDEX snapshot_file_sha256 ON snapshot_file (sha256)",
    """CREATE TABLE snapshot_unreadable (
        snapshot TEXT NOT NULL REFERENCES snapshot, ordinal INTEGER NOT NULL, name TEXT NOT NULL,
        reason TEXT NOT NULL, PRIMARY KEY (snapshot, ordinal)) WITHOUT ROWID""",
    """CREATE TABLE document (
        tenant TEXT NOT NULL, name TEXT NOT NULL, uri TEXT NOT NULL, source INTEGER REFERENCES source,
        media_type TEXT NOT NULL, sha256 TEXT NOT NULL, n_bytes INTEGER NOT NULL, fetched_at TEXT NOT NULL,
        meta TEXT NOT NULL, snapshot TEXT NOT NULL REFERENCES snapshot, revision INTEGER NOT NULL,
        removed_at TEXT, removed_by TEXT, PRIMARY KEY (tenant, name), UNIQUE (tenant, uri))""",
    """CREATE TABLE normalized (
        key TEXT NOT NULL, parser TEXT NOT NULL, sha256 TEXT NOT NULL, made_at TEXT NOT NULL,
        data BLOB NOT NULL, PRIMARY KEY (key, parser))""",
    """CREATE TABLE generation (
        id TEXT PRIMARY KEY, settings TEXT NOT NULL, embedder TEXT NOT NULL, dim INTEGER NOT NULL,
        chunker TEXT NOT NULL, parsers TEXT NOT NULL, created_at TEXT NOT NULL,
        active INTEGER NOT NULL DEFAULT 0, changes INTEGER NOT NULL DEFAULT 0)""",
    "CREATE UNIQUE INDEX generation_active ON generation (active) WHERE active",
    """CREATE TABLE indexed (
        generation TEXT NOT NULL REFERENCES generation, tenant TEXT NOT NULL, document TEXT NOT NULL,
        sha256 TEXT NOT NULL, snapshot TEXT NOT NULL, revision INTEGER NOT NULL, n_chunks INTEGER NOT NULL,
        title TEXT NOT NULL, meta TEXT NOT NULL, PRIMARY KEY (generation, tenant, document)) WITHOUT ROWID""",
    """CREATE TABLE chunk (
        generation TEXT NOT NULL, id TEXT NOT NULL, tenant TEXT NOT NULL, document TEXT NOT NULL,
        ordinal INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, title TEXT NOT NULL,
        heading_path TEXT NOT NULL, text TEXT NOT NULL, kinds TEXT NOT NULL, page INTEGER,
        oversized INTEGER NOT NULL, parts TEXT NOT NULL, terms BLOB NOT NULL,
        UNIQUE (generation, id),
        FOREIGN KEY (generation, tenant, document) REFERENCES indexed (generation, tenant, document))""",
    "CREATE INDEX chunk_document ON chunk (generation, tenant, document, ordinal)",
    "CREATE TABLE space (id INTEGER PRIMARY KEY, embedder TEXT NOT NULL UNIQUE, dim INTEGER NOT NULL)",
    """CREATE TABLE vector (
        space INTEGER NOT NULL REFERENCES space, part TEXT NOT NULL, crc INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (space, part))""",
    """CREATE TABLE parse_failure (
        tenant TEXT NOT NULL, document TEXT NOT NULL, sha256 TEXT NOT NULL, reason TEXT NOT NULL,
        at TEXT NOT NULL, PRIMARY KEY (tenant, document)) WITHOUT ROWID""",
    """CREATE TABLE journal (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL, tenant TEXT NOT NULL,
        at TEXT NOT NULL, payload TEXT NOT NULL)""",
    "CREATE INDEX journal_kind ON journal (kind, id, seq)",
    *(
        f"""CREATE TRIGGER {table}_{event.lower()} BEFORE {event} ON {table}
            BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"""
        for table in ("snapshot", "snapshot_file", "snapshot_unreadable", "journal")
        for event in ("UPDATE", "DELETE")
    ),
)

_TOKEN_STATES = (
    """CREATE TABLE state (
        space INTEGER NOT NULL REFERENCES space, part TEXT NOT NULL, crc INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (space, part))""",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_FIRST, _TOKEN_STATES)
VERSION = len(MIGRATIONS)


def version(db: sqlite3.Connection) -> int:
    """The schema's number in this file: 0 for a file with nothing in it."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def migrate(db: sqlite3.Connection) -> None:
    """Bring the file to VERSION in one transaction; another process may be doing the same."""
    if version(db) >= VERSION:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        for number in range(version(db), VERSION):  # read again: the other process may have been first
            for statement in MIGRATIONS[number]:
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {number + 1}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
