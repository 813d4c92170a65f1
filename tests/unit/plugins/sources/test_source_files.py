"""Files and folders: patterns, hidden files, links, pipes, odd names, files that change."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from suffice.errors import SourceError
from suffice.plugins.sources import files
from suffice.plugins.sources._globs import pattern
from suffice.plugins.sources.files import FilesSource
from suffice.ports import Fetched, Unfetched


def names(root: Path, **options: object) -> list[str]:
    return [item.name for item in FilesSource(str(root), **options).fetch() if isinstance(item, Fetched)]  # type: ignore[arg-type]


def reasons(root: Path, **options: object) -> dict[str, str]:
    found = FilesSource(str(root), **options).fetch()  # type: ignore[arg-type]
    return {item.name: item.reason for item in found if isinstance(item, Unfetched)}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in (
        "z.md",
        "a.md",
        "guides/b.md",
        "guides/deep/c.txt",
        ".hidden.md",
        ".git/config",
        "node_modules/x.md",
    ):
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "root"


def test_walks_in_sorted_order_and_says_what_it_skipped(tree: Path) -> None:
    assert names(tree) == ["a.md", "guides/b.md", "guides/deep/c.txt", "z.md"]
    skipped = reasons(tree)
    assert sorted(skipped) == [".git", ".hidden.md", "node_modules"]
    assert all(reason.startswith("skipped: ") for reason in skipped.values())


@pytest.mark.parametrize(
    ("include", "exclude", "wanted"),
    [
        (["*.md"], [], ["a.md", "guides/b.md", "z.md"]),
        (["guides/*.md"], [], ["guides/b.md"]),
        (["guides/**"], [], ["guides/b.md", "guides/deep/c.txt"]),
        (["guides/"], [], ["guides/b.md", "guides/deep/c.txt"]),
        (["**/c.txt", "[!z].md"], [], ["a.md", "guides/b.md", "guides/deep/c.txt"]),
        ([], ["guides"], ["a.md", "z.md"]),
        ([], ["*.txt", "/z.md"], ["a.md", "guides/b.md"]),
        (["*.md"], ["guides/**"], ["a.md", "z.md"]),
        ([".hidden.md"], [], [".hidden.md"]),
        (["node_modules/*"], [], ["node_modules/x.md"]),
        (["*"], [], ["a.md", "guides/b.md", "guides/deep/c.txt", "z.md"]),
    ],
)
def test_patterns(tree: Path, include: list[str], exclude: list[str], wanted: list[str]) -> None:
    assert names(tree, include=include, exclude=exclude) == wanted


def test_a_pattern_without_a_match_is_said(tree: Path) -> None:
    assert "matches no file" in reasons(tree, include=["*.md", "*.rst"])["--include *.rst"]
    with pytest.raises(SourceError, match="matches nothing"):
        pattern("/")
    with pytest.raises(SourceError, match="not a glob"):
        pattern("[z-a].md")


def test_a_single_file_is_named_by_its_basename(tree: Path) -> None:
    assert names(tree / "guides" / "b.md") == ["b.md"]
    with pytest.raises(SourceError, match="does not exist"):
        names(tree / "absent.md")


def test_pipes_and_sockets_are_listed_and_never_opened(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tree / "pipe.md")
    monkeypatch.chdir(tree)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")
        found = reasons(tree)
    assert found["pipe.md"] == "not a file but a named pipe"
    assert found["socket.md"] == "not a file but a socket"
    assert "device" in reasons(Path(os.devnull))["null"]


def test_links_inside_are_followed_and_others_listed(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("outside")
    (tree / "alias.md").symlink_to("a.md")
    (tree / "out.md").symlink_to(tmp_path / "secret.md")
    (tree / "loop.md").symlink_to("loop.md")
    (tree / "round").symlink_to(tree, target_is_directory=True)
    assert names(tree, include=["*.md"])[:2] == ["a.md", "alias.md"]
    found = reasons(tree)
    assert "out of the folder" in found["out.md"]
    assert "nowhere" in found["loop.md"]
    assert "link to a folder" in found["round"]


def test_a_name_that_is_not_utf8_is_listed(tree: Path) -> None:
    try:
        (Path(os.fsdecode(os.fsencode(tree) + b"/odd\xff.md"))).write_text("x")
    except OSError:
        pytest.skip("this file system refuses such names")
    assert "not valid UTF-8" in reasons(tree)["odd\\xff.md"]


def test_names_are_composed(tree: Path) -> None:
    (tree / "cafe\u0301.md").write_text("x")
    assert "caf\u00e9.md" in names(tree)


def test_large_and_unwanted_files_are_listed(tree: Path) -> None:
    (tree / "big.md").write_bytes(b"x" * 101)
    assert "too large: 101 bytes" in reasons(tree, max_bytes=100)["big.md"]
    refused = reasons(tree, refuse=lambda name: "not that one" if name == "a.md" else None)
    assert refused["a.md"] == "not that one"


def test_denied_and_vanished_ones_are_listed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_file, scan = os.open, os.listdir

    def denying(path: os.PathLike[str], *rest: int) -> int:
        if str(path).endswith("a.md"):
            raise PermissionError(13, "Permission denied")
        if str(path).endswith("z.md"):
            raise FileNotFoundError(2, "No such file")
        return open_file(path, *rest)

    def denied(path: os.PathLike[str]) -> object:
        if str(path).rstrip("/").endswith("deep"):
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(files.os, "open", denying)
    monkeypatch.setattr(files.os, "listdir", denied)
    assert names(tree) == ["guides/b.md"]
    found = reasons(tree)
    assert found["a.md"] == "cannot be read: Permission denied"
    assert found["z.md"] == "it went away while it was read"
    assert found["guides/deep"] == "the folder cannot be read: Permission denied"


def test_a_file_caught_half_written_is_read_again(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, looks = os.fstat, []

    def growing(handle: int) -> os.stat_result:
        looks.append(handle)
        if len(looks) == 2:  # between the first look and the one after reading
            (tree / "a.md").write_text("longer than it was before")
        return real(handle)

    monkeypatch.setattr(files.os, "fstat", growing)
    first = next(iter(FilesSource(str(tree / "a.md")).fetch()))
    assert isinstance(first, Fetched)
    assert first.data == b"longer than it was before"
    assert len(looks) == 4


def test_folders_nested_deeper_than_calls_may_be(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("deep.md", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    found = names(tmp_path)
    # What cleans up after tests recurses too: leave nothing so deep behind.
    (tmp_path / "keep").write_text("")
    deepest = tmp_path / ("d/" * 1100)
    (deepest / "deep.md").unlink()
    os.removedirs(deepest)
    assert found == ["d/" * 1100 + "deep.md"]
