"""Opening a workspace: made when asked, refused with advice when missing, damaged, newer or busy."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from suffice.errors import NotFound, UsageError, WorkspaceError
from suffice.values import RawFile, Snapshot
from suffice.workspace import SourceSpec, Workspace, now, schema


def test_a_missing_workspace_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="suffice add FOLDER"):
        Workspace.open(tmp_path / ".suffice")
    assert not (tmp_path / ".suffice").exists()


def test_made_once_and_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / ".suffice"
    with Workspace.open(path, create=True) as ws:
        ws.put_source(SourceSpec("files", "/somewhere"))
        assert ws.db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert ws.settings_file == tmp_path / "deep" / "suffice.toml"
    with Workspace.open(path) as again:
        assert [spec.uri for spec in again.sources()] == ["/somewhere"]
        assert again.problems() == ()


def test_a_file_is_not_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("x")
    for create in (False, True):
        with pytest.raises(WorkspaceError, match="is a file"):
            Workspace.open(tmp_path / "notes", create=create)
    with pytest.raises(WorkspaceError, match="cannot make a workspace"):
        Workspace.open(tmp_path / "notes" / ".suffice", create=True)


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    Workspace.open(tmp_path, create=True).close()
    with sqlite3.connect(tmp_path / "suffice.db") as db:
        db.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    db.close()
    with pytest.raises(WorkspaceError, match="upgrade suffice"):
        Workspace.open(tmp_path)


@pytest.mark.parametrize("damage", ["overwritten", "emptied", "deleted"])
def test_a_damaged_database_says_so_and_is_never_replaced(tmp_path: Path, damage: str) -> None:
    with Workspace.open(tmp_path, create=True) as ws:
        ws.blobs.put(b"raw bytes that must not be forgotten")
    file = tmp_path / "suffice.db"
    if damage == "overwritten":
        file.write_bytes(b"\x00garbage" * 2000)
    elif damage == "emptied":
        file.write_bytes(b"")
    else:
        file.unlink()
    with pytest.raises(WorkspaceError, match="damaged"):
        Workspace.open(tmp_path, create=True)


def test_a_creation_that_was_killed_is_finished_by_the_next(tmp_path: Path) -> None:
    (tmp_path / "suffice.db").write_bytes(b"")
    with pytest.raises(NotFound, match="never finished"):
        Workspace.open(tmp_path)
    with Workspace.open(tmp_path, create=True) as ws:
        assert ws.documents() == ()


def test_many_processes_may_create_it_at_once(tmp_path: Path) -> None:
    script = "import sys; from pathlib import Path; from suffice.workspace import Workspace\n"
    script += "Workspace.open(Path(sys.argv[1]), create=True).put_source"
    running = [subprocess.Popen([sys.executable, "-c", script, tmp_path / "ws"]) for _ in range(4)]
    assert [process.wait(60) for process in running] == [0, 0, 0, 0]


def test_each_thread_has_its_own_connection(tmp_path: Path) -> None:
    ws = Workspace.open(tmp_path, create=True)
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.extend([ws.db, ws.sources()]))
    thread.start()
    thread.join()
    assert found[0] is not ws.db
    assert found[1] == ()


def test_a_transaction_is_all_or_nothing_and_may_be_nested(tmp_path: Path) -> None:
    ws = Workspace.open(tmp_path, create=True)
    with pytest.raises(RuntimeError), ws.writing():
        ws.put_source(SourceSpec("files", "/a"))
        raise RuntimeError
    assert ws.sources() == ()
    with ws.writing():
        ws.put_source(SourceSpec("files", "/a"))
    assert len(ws.sources()) == 1


def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    ws, other = Workspace.open(tmp_path, create=True), Workspace.open(tmp_path)
    with ws.lock(), ws.writing():
        ws.put_source(SourceSpec("files", "/a"))
        assert other.sources() == ()  # at once, and the state before
    assert len(other.sources()) == 1


def test_the_second_writer_is_told_who_holds_the_lock(tmp_path: Path) -> None:
    ws, other = Workspace.open(tmp_path, create=True), Workspace.open(tmp_path)
    refused = pytest.raises(WorkspaceError, match=f"pid {os.getpid()}")
    with ws.lock(), ws.lock(), refused, other.lock(timeout_s=0.1):  # nested in one thread: no deadlock
        pass
    with other.lock(timeout_s=0.1):
        pass


def test_a_killed_holder_frees_the_lock(tmp_path: Path) -> None:
    Workspace.open(tmp_path, create=True).close()
    script = (
        "import os, sys; from pathlib import Path; from suffice.workspace import Workspace\n"
        "with Workspace.open(Path(sys.argv[1])).lock(): os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", script, tmp_path]).returncode != 0
    with Workspace.open(tmp_path).lock(timeout_s=1):
        pass


def test_snapshots_and_journal_refuse_change(tmp_path: Path) -> None:
    ws = Workspace.open(tmp_path, create=True)
    file = RawFile("a.md", "/a.md", "text/markdown", ws.blobs.put(b"a"), 1, now())
    ws.put_snapshot(Snapshot("s", now(), now(), (file,)))
    for statement in ("DELETE FROM snapshot_file", "UPDATE snapshot SET id = 't'", "DELETE FROM snapshot"):
        with pytest.raises(WorkspaceError, match="append-only"), ws.writing() as db:
            db.execute(statement)
    assert ws.snapshot("s").files == (file,)


def test_an_empty_tenant_is_refused(tmp_path: Path) -> None:
    ws = Workspace.open(tmp_path, create=True)
    with pytest.raises(UsageError, match="tenant"):
        ws.documents("")


def test_half_characters_are_refused_in_words(tmp_path: Path) -> None:
    ws = Workspace.open(tmp_path, create=True)
    with pytest.raises(UsageError, match="lone surrogate"):
        ws.document(None, "odd\udcff.md")
    with pytest.raises(UsageError, match="lone surrogate"):
        ws.put_source(SourceSpec("files", "/odd\udcff"))
    assert ws.sources() == ()


def test_a_full_disk_loses_nothing_and_says_so(tmp_path: Path) -> None:
    ws = Workspace.open(tmp_path, create=True)
    ws.put_source(SourceSpec("files", "/kept"))
    pages = ws.db.execute("PRAGMA page_count").fetchone()[0]
    ws.db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(WorkspaceError, match="disk is full"):
        ws.put_source(SourceSpec("files", "/too long" * 10_000))
    assert [spec.uri for spec in ws.sources()] == ["/kept"]
    ws.db.execute("PRAGMA max_page_count = 1000000")
    ws.put_source(SourceSpec("files", "/more"))
    assert ws.problems() == ()
