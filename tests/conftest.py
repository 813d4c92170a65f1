"""What every test may use."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from suffice.interfaces.cli import main

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public corpora and cases beside the repository; skips aloud where it is absent."""
    folder = ROOT.parent / "shared"
    if not (folder / "cases").is_dir():
        pytest.skip(f"no shared/ beside the repository ({folder}): cases and public corpora are not there")
    return folder


@pytest.fixture
def suffice(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., SimpleNamespace]:
    """Runs the command line in this process: `suffice("ask", "…", stdin=b"")` gives status, out, err."""

    def run(*arguments: str | Path, stdin: bytes = b"") -> SimpleNamespace:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        seen = capsys.readouterr()
        return SimpleNamespace(status=status, out=seen.out, err=seen.err)

    return run
