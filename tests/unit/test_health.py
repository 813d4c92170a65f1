"""What `lint` says of a workspace: also of chunks that the index leaves out."""

from __future__ import annotations

from pathlib import Path

from suffice.engine import Engine
from suffice.health import LintReport
from suffice.settings import ChunkSettings, EmbedSettings, Settings

SETTINGS = Settings(chunk=ChunkSettings(max_chars=300), embed=EmbedSettings(name="hashing"))


def linted(folder: Path, **texts: str) -> LintReport:
    """The report on pages of these texts."""
    pages = folder / "pages"
    pages.mkdir()
    for name, text in texts.items():
        (pages / f"{name}.md").write_text(text, "utf-8")
    with Engine.open(folder / ".suffice", SETTINGS, create=True) as engine:
        engine.add([str(pages)])
        return engine.lint()


def test_a_heading_with_nothing_below_it_is_reported(tmp_path: Path) -> None:
    report = linted(tmp_path, prices="# Prices\n\n## Old\n\n## New\n\nA day costs 40 euros.\n")
    assert [item.document for item in report.heading_only] == ["pages/prices.md"]
    assert report.n_chunks == 2


def test_a_table_over_the_limit_is_reported_with_its_size(tmp_path: Path) -> None:
    table = "| day | price |\n|---|---|\n" + "| Monday | 40 euros |\n" * 20
    report = linted(tmp_path, prices=f"# Prices\n\n{table}", rooms="# Rooms\n\nTwo rooms.\n")
    assert [(item.document, item.limit) for item in report.oversized] == [("pages/prices.md", 300)]
    assert report.oversized[0].size > 300


def test_a_document_that_was_removed_is_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("# Old\n\n## Empty\n\n## Full\n\nText.\n", "utf-8")
    with Engine.open(tmp_path / ".suffice", SETTINGS, create=True) as engine:
        engine.add([str(tmp_path / "old.md")])
        assert engine.lint().heading_only
        engine.remove(["old.md"])
        assert engine.lint().n_chunks == 0
