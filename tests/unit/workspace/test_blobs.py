"""Raw bytes by hash: shared, whole, and checked whenever they are read."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from suffice.errors import NotFound, WorkspaceError
from suffice.workspace import Blobs


def test_the_same_bytes_are_kept_once(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    sha256 = blobs.put(b"hello")
    assert sha256 == blobs.put(b"hello") == hashlib.sha256(b"hello").hexdigest()
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [sha256]
    assert blobs.get(sha256) == b"hello"
    assert list(blobs.all()) == [sha256]


def test_empty_bytes_are_bytes(tmp_path: Path) -> None:
    assert Blobs(tmp_path).get(Blobs(tmp_path).put(b"")) == b""


def test_damage_and_absence_are_told_apart(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    sha256 = blobs.put(b"hello")
    blobs.path(sha256).write_bytes(b"hellO")
    assert blobs.verify(sha256) == "damaged"
    with pytest.raises(WorkspaceError, match="damaged"):
        blobs.get(sha256)
    blobs.path(sha256).unlink()
    assert blobs.verify(sha256) == "missing"
    with pytest.raises(NotFound, match="not in"):
        blobs.get(sha256)
    blobs.put(b"hello")
    assert blobs.verify(sha256) == "good"


def test_a_truncated_file_is_written_again(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    sha256 = blobs.put(b"hello")
    blobs.path(sha256).write_bytes(b"")
    blobs.put(b"hello")
    assert blobs.get(sha256) == b"hello"


def test_a_disk_that_refuses_is_an_error_in_words(tmp_path: Path) -> None:
    (tmp_path / "blobs").write_text("not a folder")
    with pytest.raises(WorkspaceError, match="cannot write"):
        Blobs(tmp_path / "blobs").put(b"hello")


def test_what_killed_writers_left_is_swept(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    sha256 = blobs.put(b"hello")
    blobs.path(sha256).with_name(".new-left").write_bytes(b"hel")
    assert list(blobs.all()) == [sha256]
    assert blobs.sweep() == 1
    assert blobs.get(sha256) == b"hello"
