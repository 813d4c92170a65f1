"""The append-only log: answers, picks, feedback; written once, readable back, never changed."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

import msgspec

from suffice.errors import NotFound, UsageError, WorkspaceError


class Record(Protocol):
    """What the journal needs of a workspace."""

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """One transaction."""
        ...

    def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of one query."""
        ...


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the journal. `payload` is plain JSON data; `at` is UTC."""

    seq: int
    kind: str
    id: str
    at: str
    payload: Any
    tenant: str | None = None


class Journal:
    """The journal of one workspace. A database trigger refuses to change or delete an entry."""

    def __init__(self, workspace: Record) -> None:
        self._record = workspace

    @staticmethod
    def new_id() -> str:
        """12 hex digits, made at random: unique among 100,000 entries but for odds of 1 in 50,000."""
        return secrets.token_hex(6)

    def append(self, kind: str, id: str, payload: Any, *, tenant: str | None = None) -> Entry:
        """Write an entry; on return it is on the disk. Raises WorkspaceError, UsageError (not JSON)."""
        try:
            text = msgspec.json.encode(payload).decode()
        except (TypeError, ValueError) as error:
            raise UsageError(f"this {kind} cannot be kept in the journal: {error}") from error
        at = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        with self._record.writing() as db:
            row = db.execute(
                "INSERT INTO journal (kind, id, tenant, at, payload) VALUES (?, ?, ?, ?, ?) RETURNING seq",
                (kind, id, tenant or "", at, text),
            ).fetchone()
        return Entry(row[0], kind, id, at, msgspec.json.decode(text), tenant)

    def read(self, kind: str, id: str) -> Entry:
        """The latest entry of this kind and id. Raises NotFound."""
        for entry in self._entries("kind = ? AND id = ? ORDER BY seq DESC LIMIT 1", (kind, id)):
            return entry
        raise NotFound(f"no {kind} has the id {id!r} in this workspace")

    def last(self, kind: str, *, tenant: str | None = None) -> Entry | None:
        """The tenant's latest entry of this kind; None when there is none."""
        where = "kind = ? AND tenant = ? ORDER BY seq DESC LIMIT 1"
        return next(self._entries(where, (kind, tenant or "")), None)

    def each(self, kind: str, limit: int | None = None) -> Iterator[Entry]:
        """Entries of this kind, the latest first, at most `limit`."""
        yield from self._entries(
            "kind = ? ORDER BY seq DESC LIMIT ?", (kind, -1 if limit is None else max(limit, 0))
        )

    def _entries(self, where: str, parameters: Sequence[Any]) -> Iterator[Entry]:
        rows = self._record.read(
            f"SELECT seq, kind, id, at, payload, tenant FROM journal WHERE {where}", parameters
        )
        for seq, kind, key, at, payload, tenant in rows:
            try:
                data = msgspec.json.decode(payload)
            except msgspec.DecodeError as error:
                raise WorkspaceError(f"journal entry {seq} ({kind} {key}) is damaged: {error}") from error
            yield Entry(seq, kind, key, at, data, tenant or None)
