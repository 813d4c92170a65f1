"""A progress bar with an estimate, on standard error, for what takes over a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import Task, TaskID

    from suffice.ports import Progress

DELAY_S = 0.7


@contextmanager
def shown(enabled: bool, *, delay_s: float = DELAY_S) -> Iterator[Progress | None]:
    """Gives the callback to hand to the engine; None where nobody would see a bar."""
    if not enabled or not sys.stderr.isatty():
        yield None
        return
    with _bar(delay_s) as callback:
        yield callback


@contextmanager
def _bar(delay_s: float) -> Iterator[Callable[[str, int, int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[count]}"),
        TimeRemainingColumn(compact=True, elapsed_when_finished=True),
        console=Console(stderr=True),
        transient=True,
    )
    stages: dict[str, TaskID] = {}
    stages["working"] = bar.add_task("working", total=None, count="")
    # What ends within the delay shows nothing: a bar that flashes by says nothing and draws the eye.
    timer = threading.Timer(delay_s, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda stage, done, total: _advance(bar, stages, stage, done, total)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


def _advance(bar: Bar, stages: dict[str, TaskID], stage: str, done: int, total: int) -> None:
    if stage not in stages:
        if "working" in stages:
            bar.remove_task(stages.pop("working"))
        for other in bar.tasks:
            if other.total is None:  # its size was never known, and now it is over
                _end(bar, other)
        stages[stage] = bar.add_task(stage, total=total or None, count="")
    bar.update(stages[stage], completed=done, total=total or None, count=_count(done, total))


def _end(bar: Bar, task: Task) -> None:
    """Nothing was counted of what ends at 0: its line is hidden, since "0 of 0" says nothing."""
    done = int(task.completed)
    bar.update(task.id, total=done, visible=done > 0, count=_count(done, done))


def _count(done: int, total: int) -> str:
    if total:
        return f"{done:,}/{total:,}"
    return f"{done:,}" if done else ""
