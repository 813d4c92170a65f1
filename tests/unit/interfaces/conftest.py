"""Runs the command line in this process, on a fake engine."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from interface_engine import FakeEngine

from suffice.interfaces.cli import main


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


@pytest.fixture
def suffice(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., SimpleNamespace]:
    """Runs the command line in this process: `suffice("ask", "…", stdin=b"")` gives status, out, err."""

    def run(*arguments: str, stdin: bytes = b"") -> SimpleNamespace:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        status = main(arguments)
        seen = capsys.readouterr()
        return SimpleNamespace(status=status, out=seen.out, err=seen.err)

    return run
