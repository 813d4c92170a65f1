"""What is here and what is wrong with it: status, doctor, lint, and checks of what was stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from suffice.interfaces.render.corpus import MANY, count, more, pairs, shown, size
from suffice.interfaces.render.text import BAD, DIM, GOOD, HEAD, WARN, line, styled, wrap
from suffice.values import to_builtins

if TYPE_CHECKING:
    from suffice.answer.recheck import Verification
    from suffice.engine import Check, LintReport, Status


def verification(answer: Mapping[str, Any], result: Verification, width: int) -> list[Text]:
    """Each citation of an old answer, and whether its quote still stands where the answer says."""
    out: list[Text] = []
    for check in result.checks:
        mark = styled(("✓ ", GOOD) if check.ok else ("✗ ", BAD))
        out += wrap(styled((line(check.document), HEAD)), width, first=mark, rest="  ")
        said = wrap(styled(f"“{line(check.quote)}”"), width, first="  ", rest="  ")
        out += said[:2]
        if not check.ok:
            out += wrap(styled((line(check.reason), BAD)), width, first="  ", rest="  ")
    n = len(result.checks)
    good = sum(check.ok for check in result.checks)
    name = line(str(answer.get("id") or "answer"))
    if not n and result.ok:
        out += wrap(
            styled(("✓ ", GOOD), f"{name} cites nothing (status {line(str(answer.get('status')))})"), width
        )
    elif result.ok:
        out += wrap(styled(("✓ ", GOOD), f"{name}: all {n} quotes stand in their snapshot"), width)
    else:
        out += wrap(styled(("✗ ", BAD), f"{name}: {good} of {n} quotes stand in their snapshot"), width)
    return out


def integrity(report: Any, width: int) -> list[Text]:
    """What was checked, and each thing that is damaged."""
    out: list[Text] = []
    for problem in report.problems:
        out += wrap(styled(line(str(problem))), width, first=styled(("✗ ", BAD)), rest="  ")
    n_bad = count(len(report.problems)) if report.problems else "none"
    said = f"{count(report.n_checked)} checked, {n_bad} damaged"
    return out + wrap(styled(("✓ ", GOOD) if report.ok else ("✗ ", BAD), said), width)


def doctor(checks: Sequence[Check], width: int) -> list[Text]:
    """A line a check; under one that fails, what to do."""
    out: list[Text] = []
    for check in checks:
        mark = styled(("✓ ", GOOD) if check.ok else ("✗ ", BAD), (line(check.name), HEAD), "  ")
        out += wrap(styled(line(check.detail)), width, first=mark, rest="  ")
        if not check.ok and check.remedy:
            out += wrap(styled(line(check.remedy)), width, first=styled(("  → ", WARN)), rest="    ")
    n_bad = sum(not check.ok for check in checks)
    out.append(Text("", end=""))
    if not n_bad:
        return [*out, styled(("All is well.", GOOD))]
    return out + wrap(styled((f"{n_bad} of {len(checks)} checks failed.", BAD)), width)


def lint(report: LintReport, width: int) -> list[Text]:
    """Findings under their kind, the kinds with most first."""
    data = to_builtins(report)
    groups = {name: items for name, items in data.items() if isinstance(items, list) and items}
    out: list[Text] = []
    for name, items in sorted(groups.items(), key=lambda item: -len(item[1])):
        out += [
            *([Text("", end="")] if out else []),
            styled(("! ", WARN), (_words(name), HEAD), f"  {count(len(items))}"),
        ]
        for item in items[:MANY]:
            out += list(_finding(item, width))
        out += more(len(items) - MANY)
    facts = {_words(name): shown(value) for name, value in data.items() if not isinstance(value, list | dict)}
    if not out:
        out = [styled(("✓ ", GOOD), "No findings.")]
    return [*out, *([Text("", end=""), *pairs(facts, width)] if facts else [])]


def _finding(item: Any, width: int) -> Iterator[Text]:
    if not isinstance(item, Mapping):
        yield from wrap(styled(shown(item)), width, first="  ", rest="    ")
        return
    values = [shown(value) for value in item.values() if value not in (None, "", [])]
    row = styled((values[0], HEAD), *[f"  {value}" for value in values[1:]])
    yield from wrap(row, width, first="  ", rest="    ")


def status(value: Status, width: int) -> list[Text]:
    """Everything that is known of the workspace, then its sources."""
    return _facts(to_builtins(value), width)


def index(value: Status, width: int) -> list[Text]:
    """The part of the status that is about the index."""
    data = to_builtins(value)
    keep = {name: item for name, item in data.items() if name in INDEX}
    return _facts(keep or data, width)


INDEX = (
    "generation",
    "n_documents",
    "n_chunks",
    "n_parts",
    "n_pending",
    "pending",
    "embedder",
    "chunker",
    "n_bytes",
)


def _facts(data: Mapping[str, Any], width: int) -> list[Text]:
    single = {}
    lists: list[tuple[str, list[Any]]] = []
    for name, value in data.items():
        if isinstance(value, list):
            lists.append((name, value))
        elif "bytes" in name and isinstance(value, int | float):
            single[_words(name.removesuffix("_bytes").removeprefix("n_bytes")) or "on disk"] = size(value)
        else:
            single[_words(name)] = shown(value)
    out = pairs(single, width)
    for name, items in lists:
        if items:
            out += [Text("", end=""), styled((_words(name), HEAD), (f"  {count(len(items))}", DIM))]
            for item in items[:MANY]:
                out += list(_finding(item, width))
            out += more(len(items) - MANY)
    return out


def _words(name: str) -> str:
    return name.removeprefix("n_").replace("_", " ")
