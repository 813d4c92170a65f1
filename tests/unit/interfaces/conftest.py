"""A fake in the place of the engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from interface_engine import FakeEngine


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeEngine]:
    """The fake in the place of the engine, in a temporary folder that holds a workspace."""
    fake = FakeEngine()
    fake.calls, fake.answers = [], {}
    monkeypatch.setattr("suffice.engine.Engine", fake)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SUFFICE_WORKSPACE", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / ".suffice").mkdir()
    yield fake
