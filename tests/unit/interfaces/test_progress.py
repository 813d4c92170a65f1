"""The bar is seen on a terminal, by who wants it, when there is time to see it; never elsewhere."""

from __future__ import annotations

import io
import sys
import time

import pytest

from suffice.interfaces import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_the_bar_names_the_stage_and_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    with progress.shown(True, delay_s=0.0) as callback:
        assert callback is not None
        time.sleep(0.05)
        callback("embed", 3, 40)
        callback("unknown size", 1, 0)
        time.sleep(0.3)
    said = terminal.getvalue()
    assert "embed" in said
    assert "3/40" in said


def test_what_ends_at_once_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress.shown(True, delay_s=30.0) as callback:
        assert callback is not None
        callback("embed", 3, 40)
    assert terminal.getvalue().strip() == ""


@pytest.mark.parametrize(("enabled", "stream"), [(False, Terminal()), (True, io.StringIO())])
def test_without_a_terminal_or_with_quiet_there_is_no_bar(
    enabled: bool, stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    with progress.shown(enabled, delay_s=0.0) as callback:
        assert callback is None
    assert stream.getvalue() == ""


def test_an_error_below_the_bar_comes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with pytest.raises(KeyboardInterrupt), progress.shown(True, delay_s=0.0):
        raise KeyboardInterrupt


def test_a_stage_that_counted_nothing_shows_no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    with progress.shown(True, delay_s=0.0) as callback:
        assert callback is not None
        callback("fetch", 0, 0)
        time.sleep(0.15)
        callback("read", 7, 0)
        time.sleep(0.15)
        callback("index", 0, 0)
        time.sleep(0.3)
    said = terminal.getvalue()
    assert "fetch" in said and "index" in said
    assert "0/0" not in said and "0/?" not in said
    assert "7/7" in said
