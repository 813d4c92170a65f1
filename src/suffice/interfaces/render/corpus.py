"""What stands in the workspace: what an `add` did, snapshots, documents, differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from suffice.interfaces.render.text import BAD, DIM, GOOD, HEAD, WARN, grid, line, plain, styled, wrap
from suffice.values import Document, Snapshot, Unreadable

if TYPE_CHECKING:
    from suffice.corpus.history import Difference
    from suffice.engine import AddReport

MANY = 20
"""So many names are shown before the rest is counted; `--json` has them all."""


def added(report: AddReport, width: int) -> list[Text]:
    """What `add`, `update` or `index build` did, and what could not be read."""
    out: list[Text] = []
    parts = [
        f"{count(n)} {word}"
        for n, word in (
            (report.n_added, "added"),
            (report.n_changed, "changed"),
            (report.n_gone, "gone"),
            (report.n_unchanged, "unchanged"),
        )
        if n
    ]
    if report.snapshot is None:
        out += wrap(styled(("✓ ", GOOD), "Nothing changed; no new snapshot was needed."), width, rest="  ")
    else:
        first = styled(("✓ ", GOOD), "Snapshot ", (report.snapshot, HEAD), ": ")
        out += wrap(Text.assemble(first, ", ".join(parts) or "no documents", end=""), width, rest="  ")
    totals = ((report.n_documents, "documents"), (report.n_chunks, "chunks"), (report.n_parts, "vectors"))
    out += wrap(styled(", ".join(f"{count(n)} {word}" for n, word in totals)), width, first="  ", rest="  ")
    work = f"{count(report.n_embedded)} embedded, {count(report.n_reused)} reused, {duration(report.seconds)}"
    out += wrap(styled((work, DIM)), width, first="  ", rest="  ")
    if report.kept_out:
        names = ", ".join(map(line, report.kept_out[:3])) + (", …" if len(report.kept_out) > 3 else "")
        said = f"{count(len(report.kept_out))} left out because they were removed earlier: {names}"
        out += wrap(styled(said), width, first=styled(("! ", WARN)), rest="  ")
    return out + unreadable(report.unreadable, width)


def unreadable(files: Sequence[Unreadable], width: int) -> list[Text]:
    """The files that could not be read, each with its reason."""
    if not files:
        return []
    noun = "file" if len(files) == 1 else "files"
    out = [styled(("! ", WARN), f"{count(len(files))} {noun} could not be read:")]
    for item in files[:MANY]:
        row = styled((line(item.name), HEAD), f"  {line(item.reason)}")
        out += wrap(row, width, first="  ", rest="    ")
    return out + more(len(files) - MANY)


def more(n: int) -> list[Text]:
    """`… and n more`, where there are more."""
    return [styled((f"  … and {count(n)} more (all of them with --json)", DIM))] if n > 0 else []


def removed(names: Sequence[str], width: int) -> list[Text]:
    """What was removed."""
    out: list[Text] = []
    for name in names:
        out += wrap(styled(line(name)), width, first=styled(("✓ ", GOOD), "removed "), rest="  ")
    return out


def snapshots(found: Sequence[Mapping[str, Any]], width: int) -> list[Text]:
    """A row a snapshot."""
    if not found:
        return wrap(styled("There are no snapshots yet; take one with: suffice add FOLDER"), width)
    rows = []
    for item in found:
        numbers = [count(item["n_files"]), size(item["n_bytes"]), count(item["n_unreadable"])]
        when = line(item["taken_from"])[:19].replace("T", " ")
        rows.append([styled((line(item["id"]), HEAD)), styled((when, DIM)), *map(styled, numbers)])
    return grid(
        rows, ["snapshot", "taken (UTC)", "files", "size", "unreadable"], width, right=frozenset({2, 3, 4})
    )


def snapshot(value: Snapshot, width: int) -> list[Text]:
    """When it was taken, and its files."""
    out = wrap(styled("Snapshot ", (value.id, HEAD), f"  {value.taken_from} to {value.taken_until}"), width)
    kinds = Counter(item.media_type for item in value.files)
    said = ", ".join(f"{count(n)} {kind}" for kind, n in kinds.most_common())
    total = size(sum(item.n_bytes for item in value.files))
    out += wrap(styled((f"{count(len(value.files))} files, {total}: {said}", DIM)), width)
    out.append(Text("", end=""))
    rows = [
        [styled(line(item.name)), styled(size(item.n_bytes)), styled((item.sha256[:12], DIM))]
        for item in value.files
    ]
    out += grid(rows, ["file", "size", "sha256"], width, right=frozenset({1}))
    return out + unreadable(value.unreadable, width)


def document(value: Document, width: int, *, whole: bool) -> list[Text]:
    """The whole text, or title, length, blocks and what normalization took out."""
    if whole:
        return [Text(row, end="") for row in plain(value.text).split("\n")]
    out = wrap(styled((line(value.title), HEAD)), width)
    out += wrap(styled((line(value.name), DIM)), width)
    blocks = Counter(block.kind for block in value.blocks)
    facts = {
        "sha256": value.sha256,
        "encoding": value.encoding,
        "text": f"{count(len(value.text))} code points",
        "blocks": ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in blocks.most_common()) or "none",
        "metadata": ", ".join(f"{key}={item}" for key, item in value.meta.items()),
        "removed": ", ".join(f"{item.count} {item.rule}" for item in value.removed),
    }
    return out + pairs({key: fact for key, fact in facts.items() if fact}, width)


def diff(value: Difference, width: int) -> list[Text]:
    """Names, under what became of them."""
    out: list[Text] = []
    for names, mark, style, word in (
        (value.added, "+", GOOD, "added"),
        (value.changed, "~", WARN, "changed"),
        (value.removed, "-", BAD, "gone"),
    ):
        for name in names:
            out += wrap(styled(line(name)), width, first=styled((f"{mark} {word:<8}", style)), rest=" " * 10)
    return out or [styled("The two snapshots hold the same documents.")]


def pairs(facts: Mapping[str, str], width: int) -> list[Text]:
    """`name  value` rows, the values in one column."""
    room = min(max(map(len, facts), default=0), width // 2)
    out: list[Text] = []
    for name, fact in facts.items():
        out += wrap(
            styled(line(fact)), width, first=styled((f"{name:<{room}}  ", DIM)), rest=" " * (room + 2)
        )
    return out


def count(n: int) -> str:
    """A number with thousands separated."""
    return f"{n:,}"


def size(n_bytes: float) -> str:
    """Bytes in a unit that a person reads."""
    for unit in ("B", "kB", "MB"):
        if n_bytes < 1000:
            return f"{n_bytes:.0f} {unit}" if unit == "B" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.1f} GB"


def duration(seconds: float) -> str:
    """Seconds as a person says them."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"
