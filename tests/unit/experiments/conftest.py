"""The command line on the workspace of a test module's `home`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest


@pytest.fixture
def suffice(
    suffice: Callable[..., SimpleNamespace], home: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., SimpleNamespace]:
    """Runs a command in `home`, with the embedder that its index was built with."""
    monkeypatch.chdir(home)
    monkeypatch.setenv("SUFFICE_EMBED__NAME", "hashing")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("SUFFICE_WORKSPACE", raising=False)
    return suffice
