"""Opens `suffice.db`: a connection a thread, transactions, the one writer's lock, errors in plain words."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from suffice.errors import NotFound, SufficeError, UsageError, WorkspaceError
from suffice.workspace import schema

BUSY_TIMEOUT_S = 10.0
LOCK_TIMEOUT_S = 30.0


class Connections:
    """The database of one workspace folder. Safe to share between threads and over a fork."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.db_path = path / "suffice.db"
        self._local = threading.local()
        self._locks = threading.local()

    # --- connections ----------------------------------------------------------------------

    @property
    def db(self) -> sqlite3.Connection:
        """This thread's connection: WAL, foreign keys on, autocommit outside `writing()`."""
        local = self._local
        # A connection must not cross a fork: SQLite's locks belong to the process that took them.
        if getattr(local, "pid", None) != os.getpid():
            local.db, local.pid, local.depth = self._connect(), os.getpid(), 0
        connection: sqlite3.Connection = local.db
        return connection

    def _connect(self) -> sqlite3.Connection:
        with self._plainly():
            db = sqlite3.connect(
                f"{self.db_path.absolute().as_uri()}?mode=rw", uri=True, timeout=BUSY_TIMEOUT_S,
                isolation_level=None, check_same_thread=False,
            )  # fmt: skip
            db.execute("PRAGMA foreign_keys = ON")
            # FULL: what was acknowledged outlives a power cut too; NORMAL would lose the last commits.
            db.execute("PRAGMA synchronous = FULL")
            return db

    def close(self) -> None:
        """Close this thread's connection; those of other threads close when their threads end."""
        if getattr(self._local, "pid", None) == os.getpid():
            self._local.db.close()
        self._local.pid = None

    # --- transactions ---------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction that writes: all of it happens or none. Inside another, it is part of that one."""
        with self._transaction("BEGIN IMMEDIATE") as db:
            yield db

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One moment of the record for several reads; never waits for a writer."""
        with self._transaction("BEGIN") as db:
            yield db

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        db = self.db
        if self._local.depth:
            yield db
            return
        with self._plainly():
            db.execute(begin)
        self._local.depth = 1
        try:
            yield db
            with self._plainly():
                db.execute("COMMIT")
        except (sqlite3.Error, UnicodeEncodeError) as error:
            self._roll_back(db)
            raise self._plain(error) from error
        except BaseException:
            self._roll_back(db)
            raise
        finally:
            self._local.depth = 0

    @staticmethod
    def _roll_back(db: sqlite3.Connection) -> None:
        if db.in_transaction:  # a full disk may already have ended it
            with suppress(sqlite3.Error):
                db.execute("ROLLBACK")

    def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of one query. Raises WorkspaceError."""
        with self._plainly():
            return self.db.execute(sql, parameters).fetchall()

    # --- errors ---------------------------------------------------------------------------

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeEncodeError) as error:
            raise self._plain(error) from error

    def _plain(self, error: sqlite3.Error | UnicodeEncodeError) -> SufficeError:
        if isinstance(error, UnicodeEncodeError):
            return UsageError(
                f"{error.object!r} holds half of a character (a lone surrogate); write it as UTF-8"
            )
        text = str(error)
        lower = text.lower()
        if "malformed" in lower or "not a database" in lower or "no such table" in lower:
            what = "is damaged; restore it from a copy, or move the folder away and add the sources again"
        elif "locked" in lower or "busy" in lower:
            what = f"was busy for {BUSY_TIMEOUT_S:.0f} s; another process is writing; try again"
        elif "readonly" in lower or "read-only" in lower:
            what = "cannot be written: the file, folder or disk is read-only"
        elif "full" in lower:
            what = "cannot be written: the disk is full; make room and run again (nothing was lost)"
        elif "unable to open" in lower:
            what = "cannot be opened; is the folder there, and may it be read and written?"
        else:
            what = "refused an operation"
        return WorkspaceError(f"{self.db_path} {what} ({text})")

    # --- the one writer -------------------------------------------------------------------

    @contextmanager
    def lock(self, timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
        """Be the one process that takes snapshots and builds the index; may be nested in one thread.

        Waits up to `timeout_s` seconds, then raises WorkspaceError that names the holder. Readers and
        `remove` never take it. A killed holder frees it: the operating system drops its lock.
        """
        if getattr(self._locks, "pid", None) == os.getpid() and self._locks.depth:
            self._locks.depth += 1
            try:
                yield
            finally:
                self._locks.depth -= 1
            return
        from filelock import FileLock, Timeout  # a question takes no lock, and need not wait for this

        lock = FileLock(self.path / "writer.lock", preserve_lock_file=True)
        holder = self.path / "writer.pid"
        try:
            lock.acquire(timeout=timeout_s)
        except Timeout as error:
            raise WorkspaceError(
                f"another process{_named(holder)} is writing to {self.path}; waited {timeout_s:g} s; "
                "try again when it is done"
            ) from error
        except OSError as error:
            raise WorkspaceError(f"cannot write in {self.path}: {error.strerror or error}") from error
        self._locks.pid, self._locks.depth = os.getpid(), 1
        try:
            with suppress(OSError):
                holder.write_text(f"{os.getpid()}\n")
            yield
        finally:
            self._locks.depth = 0
            with suppress(OSError):
                holder.unlink(missing_ok=True)
            lock.release()


def _named(holder: Path) -> str:
    try:
        return f" (pid {int(holder.read_text())})"
    except (OSError, ValueError):
        return ""


def prepare(path: Path, *, create: bool) -> None:
    """Make sure that a database of this version stands in the folder, or say why not.

    Raises NotFound (nothing here and not asked to create), WorkspaceError (damaged, newer, not writable).
    """
    file = path / "suffice.db"
    advice = "run `suffice add FOLDER` to make one, or name another with --workspace"
    if path.exists() and not path.is_dir():
        raise WorkspaceError(f"{path} is a file, not a workspace folder; name a folder with --workspace")
    if not file.is_file() and not create:
        raise NotFound(f"there is no workspace at {path}; {advice}")
    try:
        if create:
            path.mkdir(parents=True, exist_ok=True)
            (path / "blobs").mkdir(exist_ok=True)
        empty = not file.exists() or file.stat().st_size == 0
        has_blobs = empty and any((path / "blobs").glob("??/*"))
    except OSError as error:
        raise WorkspaceError(f"cannot make a workspace at {path}: {error.strerror or error}") from error
    if has_blobs:
        raise WorkspaceError(
            f"{file} is missing or empty but raw files are there: the workspace is damaged; restore "
            "suffice.db from a copy, or move the folder away and add the sources again"
        )
    outer = Connections(path)
    with outer._plainly():
        db = sqlite3.connect(file, timeout=BUSY_TIMEOUT_S, isolation_level=None)
        try:
            found = schema.version(db)
            if found > schema.VERSION:
                raise WorkspaceError(
                    f"{file} has schema {found} and this version of suffice knows {schema.VERSION}: "
                    "it was made by a newer version; upgrade suffice"
                )
            if found == 0 and not create:
                raise NotFound(f"the workspace at {path} was never finished; {advice}")
            if found < schema.VERSION:
                _to_wal(db)
                schema.migrate(db)
            db.execute("SELECT count(*) FROM about").fetchone()
        finally:
            db.close()


def _to_wal(db: sqlite3.Connection) -> None:
    # Switching to WAL answers "locked" at once, without the busy timeout, while another process does it.
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
