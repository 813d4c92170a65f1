"""An index that is behind its documents says so, in every answer."""

from __future__ import annotations

from pathlib import Path

from suffice.corpus import snapshot
from suffice.engine import Engine
from suffice.settings import load


def test_an_answer_says_how_many_documents_it_does_not_know(tmp_path: Path) -> None:
    page = tmp_path / "hut.md"
    page.write_text("# Hut\n\nThe hut has twelve beds and one stove.\n", "utf-8")
    settings = load(environment={}, overrides={"embed.name": "hashing"})
    with Engine.open(tmp_path / ".suffice", settings, create=True) as engine:
        engine.add([str(page)])
        assert engine.ask("How many beds has the hut?").n_pending == 0
        page.write_text("# Hut\n\nThe hut has fourteen beds and two stoves.\n", "utf-8")
        snapshot.take(engine.workspace, snapshot.specs([str(page)]))  # as a run that was killed leaves it
        assert engine.ask("How many beds has the hut?").n_pending == 1


def test_a_filter_that_leaves_nothing_is_told_apart_from_an_empty_corpus(tmp_path: Path) -> None:
    page = tmp_path / "hut.md"
    page.write_text("# Hut\n\nThe hut has twelve beds and one stove.\n", "utf-8")
    settings = load(environment={}, overrides={"embed.name": "hashing"})
    with Engine.open(tmp_path / ".suffice", settings, create=True) as engine:
        engine.add([str(page)])
        filtered = engine.ask("How many beds has the hut?", where=["path=cellar/*"])
        stranger = engine.ask("How many beds has the hut?", tenant="someone")
    assert (filtered.status, stranger.status) == ("insufficient", "insufficient")
    assert "--where" in filtered.message
    assert "suffice add" in stranger.message
