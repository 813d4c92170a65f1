"""Plots of an experiment: bars with intervals, a strip of ranks. The same numbers give the same file.

matplotlib is optional and imported here alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from suffice.experiments.check import line

STYLE = {
    "svg.hashsalt": "suffice",
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name with dollar signs is a name
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "sans-serif"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
BLUE, GREY, GREEN, RED = "#2f6f9f", "#8a8f98", "#2e8b57", "#b5443c"
COLOURS = {"helps": GREEN, "hurts": RED}
UNRANKED = 3.0
"""How far right of the deepest rank a piece stands that no arm ranks, as a factor."""


def available() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def draw(folder: Path, data: Mapping[str, Any]) -> tuple[str, ...]:
    """Write the SVG files that the results call for; gives their names, none without matplotlib."""
    if not available():
        return ()
    import matplotlib as mpl

    with mpl.rc_context({"backend": "svg", **STYLE}), warnings.catch_warnings():
        # The viewer's fonts draw the text; which glyphs ours lack is nothing that a user could act on.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        found = [name for name, make in (("coverage.svg", _bars), ("ranks.svg", _strip))
                 if make(folder / name, data)]  # fmt: skip
    return tuple(found)


def _save(figure: Any, path: Path) -> None:
    import matplotlib.pyplot as plt

    figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    plt.close(figure)


def _axes(n_rows: float, title: str) -> tuple[Any, Any]:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 1.1 + 0.42 * n_rows))
    axes.set_title(title, loc="left", fontsize=11)
    return figure, axes


def _bars(path: Path, data: Mapping[str, Any]) -> bool:
    main = data["measures"][0]
    shown = [one for one in data["findings"] if (one.get("metrics") or {}).get(main) is not None]
    if not shown:
        return False
    figure, axes = _axes(len(shown), f"{data['title']}: {main}, 95 % intervals over questions")
    places = range(len(shown))
    values = [one["metrics"][main] for one in shown]
    colours = [COLOURS.get(one.get("word", ""), BLUE if at else GREY) for at, one in enumerate(shown)]
    axes.barh(places, values, height=0.62, color=colours)
    for at, one in enumerate(shown):
        low, high = one["interval"] or (values[at], values[at])
        axes.plot([low, high], [at, at], color="black", linewidth=1.2)
        axes.text(1.02, at, f"{values[at]:.3f}", va="center", transform=axes.get_yaxis_transform())
    axes.set_yticks(places, [_with_word(one) for one in shown])
    axes.invert_yaxis()
    axes.set_xlim(0, max(1.0, *values))
    axes.set_xlabel(main)
    _save(figure, path)
    return True


def _with_word(one: Mapping[str, Any]) -> str:
    word = one.get("word", "")
    return f"{line(one['arm'])} ({word})" if word in COLOURS else line(one["arm"])


def _strip(path: Path, data: Mapping[str, Any]) -> bool:
    """A row an arm; a mark a piece at its rank. On a case the marks carry the pieces' names."""
    case = next((one for one in data["questions"] if one["id"] == data["case"]), None)
    questions = [case] if case is not None else data["questions"]
    arms = [arm["name"] for arm in data["arms"] if any(one["arms"].get(arm["name"]) for one in questions)]
    rows = [[(piece, rank, one["arms"][arm]["k"]) for one in questions if arm in one["arms"]
             for piece, rank in one["arms"][arm]["ranks"].items()] for arm in arms]  # fmt: skip
    deepest: int = max((rank for row in rows for _, rank, _ in row if rank is not None), default=0)
    if not deepest:
        return False
    what = f"the case {line(data['case'])}" if case is not None else f"{len(questions)} questions"
    figure, axes = _axes(len(arms) * (1.5 if case is not None else 1), f"{data['title']}: ranks, {what}")
    for at, row in enumerate(rows):
        _row(axes, at, row, deepest, named=case is not None)
    axes.set_xscale("log")
    ticks: list[float] = [
        tick for tick in (1, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10_000) if tick <= deepest
    ]
    unranked = any(rank is None for row in rows for _, rank, _ in row)
    axes.set_xlim(0.8, deepest * (UNRANKED * 1.4 if unranked else 1.6))
    labels = [str(tick) for tick in ticks]
    if unranked:
        ticks, labels = [*ticks, deepest * UNRANKED], [*labels, "none"]
    axes.set_xticks(ticks, labels)
    axes.minorticks_off()
    axes.set_yticks(range(len(arms)), [line(arm) for arm in arms])
    axes.set_ylim(len(arms) - 0.4, -0.6)
    axes.set_xlabel("rank of a piece's first evidence; the dark line is k")
    _save(figure, path)
    return True


def _row(
    axes: Any, at: int, row: Sequence[tuple[str, int | None, int]], deepest: int, *, named: bool
) -> None:
    axes.axhline(at, color="#e3e5e8", linewidth=1, zorder=0)
    if row:
        k = row[0][2]
        axes.plot([k + 0.5, k + 0.5], [at - 0.36, at + 0.36], color="black", linewidth=1.4)
    seen: dict[float, int] = {}
    for number, (piece, rank, k) in enumerate(row):
        x = float(rank) if rank is not None else deepest * UNRANKED
        colour = GREEN if rank is not None and rank <= k else RED
        # Marks of one rank would hide each other; the shift is by place in the list, never at random.
        shift = 0.0 if named else ((number * 37) % 21 - 10) / 40
        axes.plot([x], [at + shift], "o", color=colour, alpha=0.9 if named else 0.45, markersize=6)
        if named:
            level = seen.get(x, 0)
            seen[x] = level + 1
            axes.annotate(
                line(piece), (x, at), (0, 5 + 9 * level), textcoords="offset points", ha="center", fontsize=8
            )
