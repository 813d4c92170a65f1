"""What every source keeps to: repeatable, never an exception for one file, unknown options refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from suffice import registry
from suffice.errors import SettingsError, SourceError
from suffice.ports import Fetched, Source, Unfetched

ABSENT = {"files": "/no/such/folder/anywhere", "urls": "not an address"}


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(params=registry.names("source"))
def source(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Source]:
    """A source over three pages, one of which cannot be had."""
    folder = tmp_path / "site"
    (folder / "guide").mkdir(parents=True)
    (folder / "b.md").write_text("# B")
    (folder / "guide" / "a.md").write_bytes("# Ä\n".encode())
    (folder / "lost.md").symlink_to(folder / "nowhere.md")
    if request.param == "files":
        yield registry.create("source", "files", uri=str(folder))
        return
    if request.param != "urls":
        pytest.skip(f"no example is written for the source {request.param!r}")
    monkeypatch.setenv("SUFFICE_ALLOW_PRIVATE", "1")
    with serving(folder) as site:
        links = "\n".join(f"- [page]({site}/{name})" for name in ("b.md", "guide/a.md", "lost.md"))
        (folder / "llms.txt").write_text(f"# Site\n\n{links}\n")
        yield registry.create("source", "urls", uri=f"{site}/llms.txt")


def test_gives_every_file_and_lists_what_it_cannot_give(source: Source) -> None:
    assert isinstance(source, Source)
    items = list(source.fetch())
    given = [item for item in items if isinstance(item, Fetched)]
    assert [item.data.decode() for item in given] == ["# B", "# Ä\n"]
    assert all(item.uri.endswith(("b.md", "guide/a.md")) for item in given)
    assert len({item.uri for item in given}) == len({item.name for item in given}) == 2
    [failed] = [item for item in items if isinstance(item, Unfetched)]
    assert "lost.md" in failed.name
    assert failed.reason


def test_gives_the_same_again(source: Source) -> None:
    assert list(source.fetch()) == list(source.fetch())


@pytest.mark.parametrize("name", registry.names("source"))
def test_unknown_options_and_absent_sources_are_refused_in_words(name: str) -> None:
    with pytest.raises(SettingsError, match="does not take these options"):
        registry.create("source", name, uri="http://example.org/", colour="red")
    if name in ABSENT:
        with pytest.raises(SourceError, match="not"):
            list(registry.create("source", name, uri=ABSENT[name]).fetch())
