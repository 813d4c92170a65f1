"""Taking snapshots: what is recorded, what counts as a change, names, removals, and looking back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from suffice.corpus import snapshot
from suffice.corpus.snapshot import Taken
from suffice.errors import NotFound, SourceError, UsageError
from suffice.workspace import Workspace


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / ".suffice", create=True)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    (folder / "workers").mkdir(parents=True)
    (folder / "index.md").write_text("# Start")
    (folder / "workers" / "limits.md").write_text("# Limits")
    return folder


def add(ws: Workspace, *sources: Path, **options: object) -> Taken:
    return snapshot.take(ws, snapshot.specs([str(source) for source in sources], **options))  # type: ignore[arg-type]


def update(ws: Workspace) -> Taken:
    return snapshot.take(ws, snapshot.recorded(ws), kind="update")


def names(ws: Workspace, tenant: str | None = None) -> list[str]:
    return [row.name for row in ws.documents(tenant)]


def test_a_folder_becomes_documents_named_from_the_folder_on(ws: Workspace, pages: Path) -> None:
    taken = add(ws, pages, meta={"team": "edge", "year": 2026})
    assert taken.added == ("pages/index.md", "pages/workers/limits.md")
    assert taken.snapshot is not None
    one = snapshot.show(ws, taken.snapshot)
    assert [file.name for file in one.files] == ["pages/index.md", "pages/workers/limits.md"]
    assert one.files[0].meta == {"team": "edge", "year": 2026}
    assert ws.blobs.get(one.files[0].sha256) == b"# Start"
    assert one.files[0].uri == str(pages / "index.md")
    assert one.files[0].media_type == "text/markdown"


def test_nothing_changed_makes_no_snapshot(ws: Workspace, pages: Path) -> None:
    first = add(ws, pages)
    for again in (add(ws, pages), update(ws)):
        assert again.snapshot is None
        assert again.unchanged == first.added
    os.utime(pages / "index.md")  # touched, not changed
    assert update(ws).snapshot is None
    assert len(snapshot.listing(ws)) == 1


def test_a_change_makes_a_snapshot_of_all_files_and_leaves_the_old_one(ws: Workspace, pages: Path) -> None:
    first = add(ws, pages)
    before = {row.name: row for row in ws.documents()}
    (pages / "index.md").write_text("# Begin")
    (pages / "new.md").write_text("# New")
    second = update(ws)
    assert (second.added, second.changed) == (("pages/new.md",), ("pages/index.md",))
    assert second.unchanged == ("pages/workers/limits.md",)
    assert first.snapshot and second.snapshot
    assert len(snapshot.show(ws, second.snapshot).files) == 3
    assert ws.blobs.get(snapshot.show(ws, first.snapshot).files[0].sha256) == b"# Start"
    after = {row.name: row for row in ws.documents()}
    assert after["pages/workers/limits.md"] == before["pages/workers/limits.md"]
    assert after["pages/index.md"].revision > before["pages/index.md"].revision
    difference = snapshot.diff(ws, first.snapshot, second.snapshot)
    assert (difference.added, difference.removed) == (("pages/new.md",), ())
    assert (difference.changed, difference.unchanged) == (("pages/index.md",), ("pages/workers/limits.md",))


def test_a_change_of_metadata_alone_is_a_change(ws: Workspace, pages: Path) -> None:
    add(ws, pages, meta={"year": 2025})
    assert add(ws, pages, meta={"year": 2026}).changed == ("pages/index.md", "pages/workers/limits.md")
    assert update(ws).snapshot is None  # the recorded source has the new metadata


def test_a_file_that_went_away_is_removed_and_comes_back_with_its_file(ws: Workspace, pages: Path) -> None:
    add(ws, pages)
    (pages / "index.md").unlink()
    taken = update(ws)
    assert taken.gone == ("pages/index.md",)
    assert names(ws) == ["pages/workers/limits.md"]
    (pages / "index.md").write_text("# Start")
    assert update(ws).added == ("pages/index.md",)


def test_what_a_user_removed_stays_removed_until_added_again(ws: Workspace, pages: Path) -> None:
    add(ws, pages)
    ws.remove_document(None, "pages/index.md")
    taken = update(ws)
    assert (taken.snapshot, taken.kept_out) == (None, ("pages/index.md",))
    (pages / "index.md").write_text("# Changed")
    assert update(ws).kept_out == ("pages/index.md",)
    assert add(ws, pages).added == ("pages/index.md",)
    assert names(ws) == ["pages/index.md", "pages/workers/limits.md"]


def test_a_removal_while_the_sources_are_read_is_not_undone(ws: Workspace, pages: Path) -> None:
    add(ws, pages)
    (pages / "index.md").write_text("# Changed")
    other = Workspace.open(ws.path)

    def remove_meanwhile(stage: str, done: int, total: int) -> None:
        if done == 2:
            other.remove_document(None, "pages/index.md")

    taken = snapshot.take(ws, snapshot.specs([str(pages)]), progress=remove_meanwhile)
    assert taken.kept_out == ("pages/index.md",)
    assert names(ws) == ["pages/workers/limits.md"]


def test_the_same_bytes_under_two_names_are_two_documents(ws: Workspace, pages: Path) -> None:
    (pages / "copy.md").write_text("# Start")
    add(ws, pages)
    assert names(ws) == ["pages/copy.md", "pages/index.md", "pages/workers/limits.md"]
    (pages / "copy.md").unlink()
    update(ws)
    assert "pages/index.md" in names(ws)
    [row] = [row for row in ws.documents() if row.name == "pages/index.md"]
    assert ws.blobs.verify(row.file.sha256) == "good"


def test_a_taken_name_is_extended_by_parent_folders(ws: Workspace, tmp_path: Path) -> None:
    for parent in ("a", "b"):
        (tmp_path / parent / "pages").mkdir(parents=True)
        (tmp_path / parent / "pages" / "x.md").write_text(parent)
    add(ws, tmp_path / "a" / "pages")
    assert add(ws, tmp_path / "b" / "pages").added == ("b/pages/x.md",)
    assert add(ws, tmp_path / "b" / "pages").unchanged == ("b/pages/x.md",)
    (tmp_path / "x.md").write_text("single")
    assert add(ws, tmp_path / "x.md").added == ("x.md",)


def test_names_that_differ_in_unicode_form_alone_stay_apart(ws: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "f"
    folder.mkdir()
    (folder / "caf\u00e9.md").write_text("composed")
    (folder / "cafe\u0301.md").write_text("decomposed")
    if len(list(folder.iterdir())) == 1:
        pytest.skip("this file system takes both names for one")
    add(ws, folder)
    assert len(set(names(ws))) == 2
    assert add(ws, folder).snapshot is None


def test_a_known_file_keeps_its_name_when_added_through_another_source(ws: Workspace, pages: Path) -> None:
    add(ws, pages)
    assert add(ws, pages / "index.md").unchanged == ("pages/index.md",)
    assert add(ws, pages.parent, include=["pages/**"]).snapshot is None
    assert add(ws, pages, pages / "index.md").snapshot is None
    assert len(names(ws)) == 2


def test_tenants_have_names_of_their_own(ws: Workspace, pages: Path) -> None:
    add(ws, pages, tenant="acme")
    assert add(ws, pages, tenant="globex").added == ("pages/index.md", "pages/workers/limits.md")
    ws.remove_document("acme", "pages/index.md")
    assert names(ws, "acme") == ["pages/workers/limits.md"]
    assert names(ws, "globex") == ["pages/index.md", "pages/workers/limits.md"]
    assert names(ws) == []
    assert update(ws).kept_out == ("pages/index.md",)


def test_files_without_a_parser_are_listed_and_their_bytes_not_kept(ws: Workspace, pages: Path) -> None:
    (pages / "archive.zip").write_bytes(b"PK\x03\x04")
    (pages / "blob").write_bytes(b"\x00\x01\x02")
    taken = add(ws, pages)
    reasons = {item.name: item.reason for item in taken.unreadable}
    assert reasons["archive.zip"].startswith("no parser for .zip")
    assert reasons["blob"].startswith("no parser for a file without a suffix")
    assert len(list(ws.blobs.all())) == 2
    assert taken.snapshot is not None
    assert {item.name for item in snapshot.show(ws, taken.snapshot).unreadable} == {"archive.zip", "blob"}


def test_a_file_that_cannot_be_read_at_the_moment_is_kept_as_it_was(ws: Workspace, pages: Path) -> None:
    add(ws, pages)
    (pages / "index.md").unlink()
    os.mkfifo(pages / "index.md")
    taken = update(ws)
    assert taken.gone == ()
    assert [item.name for item in taken.unreadable] == ["index.md"]
    assert "pages/index.md" in names(ws)


def test_a_source_that_is_not_there_keeps_its_documents_and_does_not_stop_the_rest(
    ws: Workspace, pages: Path, tmp_path: Path
) -> None:
    (tmp_path / "other.md").write_text("one")
    add(ws, pages, tmp_path / "other.md")
    pages.rename(tmp_path / "unplugged")
    (tmp_path / "other.md").write_text("two")
    taken = update(ws)
    assert taken.changed == ("other.md",)
    assert taken.gone == ()
    assert "stay as they are" in taken.unreadable[0].reason
    assert len(names(ws)) == 3


def test_wrong_sources_are_wrong_input(ws: Workspace, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        snapshot.specs([str(tmp_path / "absent")])
    with pytest.raises(SourceError, match="no source"):
        snapshot.specs([])
    with pytest.raises(UsageError, match="tenant"):
        snapshot.specs([str(tmp_path)], tenant="")
    with pytest.raises(SourceError, match="UTF-8"):
        snapshot.specs([str(tmp_path)], meta={"team": "\udcff"})
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match="nothing to read"):
        add(ws, tmp_path / "empty")
    (tmp_path / "empty" / "a.md").write_text("a")
    with pytest.raises(SourceError, match=r"--include \*\.rst matches no file"):
        add(ws, tmp_path / "empty", include=["*.rst"])
    assert ws.sources() == ()
    assert snapshot.listing(ws) == ()


def test_verify_finds_missing_and_damaged_bytes(ws: Workspace, pages: Path) -> None:
    add(ws, pages)
    assert snapshot.verify(ws).damage == ()
    first, second = (row.file.sha256 for row in ws.documents())
    ws.blobs.path(first).write_bytes(b"# Stort")
    ws.blobs.path(second).unlink()
    found = snapshot.verify(ws)
    assert found.n_files == 2
    assert [(item.document, item.state) for item in found.damage] == [
        ("pages/index.md", "damaged"),
        ("pages/workers/limits.md", "missing"),
    ]
    with pytest.raises(NotFound, match="the last ones are"):
        snapshot.verify(ws, "20200101T000000Z-00000000")


def test_ids_are_readable_and_unique(ws: Workspace, pages: Path) -> None:
    ids = [add(ws, pages).snapshot]
    for _ in range(3):  # the same manifest within one second
        ws.remove_document(None, "pages/index.md")
        ids.append(add(ws, pages).snapshot)
    assert len(set(ids)) == 4
    assert [item.id for item in snapshot.listing(ws)] == ids
    assert ids[0] is not None
    assert len(ids[0]) == len("20261201T000341Z-1a2b3c4d")


_TAKE = """
import os, sys
from pathlib import Path
from suffice.corpus import snapshot
from suffice.workspace import Workspace
from suffice.workspace.blobs import Blobs
ws = Workspace.open(Path(sys.argv[1]), create=True)
def kill(*_):
    os.kill(os.getpid(), 9)
def after(times, target, name, early=False):
    original, calls = getattr(target, name), []
    def wrapped(*args, **kwargs):
        calls.append(1)
        if len(calls) >= times and early:
            kill()
        result = original(*args, **kwargs)
        if len(calls) >= times:
            kill()
        return result
    setattr(target, name, wrapped)
where = sys.argv[3]
if where == "blob half written":
    after(7, os, "fsync", early=True)
elif where == "blob written":
    after(5, Blobs, "put")
elif where == "source recorded":
    after(1, Workspace, "put_source")
elif where == "snapshot recorded":
    after(1, Workspace, "put_snapshot")
elif where == "some documents recorded":
    after(4, Workspace, "put_document")
elif where == "document gone":
    after(1, Workspace, "remove_document")
taken = snapshot.take(ws, snapshot.specs([sys.argv[2]]))
print(taken.snapshot)
"""


@pytest.mark.parametrize(
    "where",
    [
        "blob half written",
        "blob written",
        "source recorded",
        "snapshot recorded",
        "some documents recorded",
        "document gone",
    ],
)
def test_killed_anywhere_the_old_state_is_whole_and_the_next_take_completes(
    ws: Workspace, tmp_path: Path, where: str
) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.md").write_text(f"first {number}")
    first = add(ws, folder)
    before = ws.documents()
    ws.close()
    for number in range(1, 8):
        (folder / f"{number}.md").write_text(f"second {number}")
    (folder / "0.md").unlink()
    child = subprocess.run(
        [sys.executable, "-c", _TAKE, ws.path, folder, where], capture_output=True, timeout=60
    )
    assert child.returncode == -9, child.stderr.decode()
    ws = Workspace.open(ws.path)
    assert ws.documents() == before
    assert [item.id for item in snapshot.listing(ws)] == [first.snapshot]
    assert snapshot.verify(ws).damage == ()
    assert ws.problems() == ()
    taken = add(ws, folder)
    assert (len(taken.changed), len(taken.added), taken.gone) == (5, 2, ("pages/0.md",))
    assert snapshot.verify(ws).damage == ()
    assert not list(ws.blobs.folder.rglob(".new-*"))


def test_two_takes_at_once_follow_one_another(ws: Workspace, pages: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for number in range(30):
        (other / f"{number}.md").write_text(f"text {number}")
    command = [sys.executable, "-c", _TAKE, ws.path]
    running = [
        subprocess.Popen([*command, folder, "nowhere"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for folder in (pages, other, pages)
    ]
    said = [process.communicate(timeout=60) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], said
    made = [out.decode().strip() for out, _ in said if out.decode().strip() != "None"]
    assert sorted(item.id for item in snapshot.listing(ws)) == sorted(made)
    assert len(made) == 2  # the second take of the same folder found nothing new
    assert len(names(ws)) == 32
