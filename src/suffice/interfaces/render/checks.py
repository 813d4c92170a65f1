"""What is here and what is wrong with it: status, doctor, lint, and checks of what was stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from suffice.interfaces.render.corpus import MANY, count, more, pairs, size
from suffice.interfaces.render.text import BAD, DIM, GOOD, HEAD, WARN, line, styled, wrap

if TYPE_CHECKING:
    from suffice.answer.recheck import Verification
    from suffice.chunks import Lint
    from suffice.health import Check, Integrity, LintReport, Status


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
        out += wrap(styled(("✓ ", GOOD), f"{name} cites nothing: it declined"), width)
    elif result.ok:
        out += wrap(styled(("✓ ", GOOD), f"{name}: all {n} quotes stand in their snapshot"), width)
    else:
        out += wrap(styled(("✗ ", BAD), f"{name}: {good} of {n} quotes stand in their snapshot"), width)
    return out


def integrity(report: Integrity, width: int) -> list[Text]:
    """What was checked, and each thing that is damaged."""
    out: list[Text] = []
    for problem in report.problems:
        out += wrap(styled(line(str(problem))), width, first=styled(("✗ ", BAD)), rest="  ")
    n_bad = count(len(report.problems)) if report.problems else "none"
    said = f"{count(report.n_checked)} checked, {n_bad} damaged"
    return out + wrap(styled(("✓ ", GOOD) if report.ok else ("✗ ", BAD), said), width)


def doctor(checks: Sequence[Check], width: int) -> list[Text]:
    """A line a check; under one that fails or warns, what to do."""
    out: list[Text] = []
    room = max((len(check.name) for check in checks), default=0)
    for check in checks:
        sign = ("! ", WARN) if check.warning else ("✓ ", GOOD) if check.ok else ("✗ ", BAD)
        mark = styled(sign, (f"{line(check.name):<{room}}", HEAD), "  ")
        out += wrap(styled(line(check.detail)), width, first=mark, rest=" " * mark.cell_len)
        if (check.warning or not check.ok) and check.remedy:
            out += wrap(styled(line(check.remedy)), width, first=styled(("  → ", WARN)), rest="    ")
    n_bad, n_warnings = sum(not check.ok for check in checks), sum(check.warning for check in checks)
    out.append(Text("", end=""))
    if not n_bad and n_warnings:
        return [*out, styled((f"Nothing is broken; {n_warnings} of {len(checks)} checks warn.", WARN))]
    if not n_bad:
        return [*out, styled(("All is well.", GOOD))]
    return out + wrap(styled((f"{n_bad} of {len(checks)} checks failed.", BAD)), width)


def lint(report: LintReport, width: int) -> list[Text]:
    """Findings under their kind."""
    out: list[Text] = []
    for title, why, found in (
        ("oversized", "a table or code that is kept whole, longer than a chunk should be", report.oversized),
        ("heading only", "nothing stands below the heading", report.heading_only),
        (
            "truncated",
            "a plain embedding would have lost the end; suffice embeds it in parts",
            report.truncated,
        ),
    ):
        rows = [styled(line(item.document), (f"  {_extent(item)}  {item.chunk_id}", DIM)) for item in found]
        out += _group(title, why, rows, width)
    near = [
        styled(f"{line(item.first)}  {line(item.second)}", (f"  {item.similarity:.0%} alike", DIM))
        for item in report.near_duplicates
    ]
    out += _group("near duplicates", "pairs of chunks that take each other's place", near, width)
    files = [styled(line(item.name), (f"  {line(item.reason)}", DIM)) for item in report.unreadable]
    out += _group("unreadable", "files that are in no answer", files, width)
    if not out:
        out = [styled(("✓ ", GOOD), "No findings."), Text("", end="")]
    return [*out, *wrap(styled((f"{count(report.n_chunks)} chunks looked at", DIM)), width)]


def _group(title: str, why: str, rows: Sequence[Text], width: int) -> list[Text]:
    if not rows:
        return []
    head = styled((title, HEAD), f"  {count(len(rows))}  ", (why, DIM))
    out = wrap(head, width, first=styled(("! ", WARN)), rest="  ")
    for row in rows[:MANY]:
        out += wrap(row, width, first="  ", rest="    ")
    return [*out, *more(len(rows) - MANY), Text("", end="")]


def _extent(item: Lint) -> str:
    unit = "tokens" if item.fault == "truncated" else "characters"
    return f"{count(item.size)} {unit}" + (f" of {count(item.limit)}" if item.limit is not None else "")


def status(value: Status, width: int) -> list[Text]:
    """The workspace in numbers, then its sources."""
    facts = {
        "workspace": value.workspace,
        "documents": count(value.n_documents) + _waiting(value),
        "unreadable": f"{count(value.n_unreadable)} files (see: suffice lint)" if value.n_unreadable else "",
        "chunks": f"{count(value.n_chunks)}, in {count(value.n_parts)} vectors",
        "snapshots": count(value.n_snapshots),
        "generation": value.generation or "none yet; make one with: suffice add FOLDER",
        "tenants": ", ".join(value.tenants),
        "on disk": size(value.n_bytes),
    }
    out = pairs({name: fact for name, fact in facts.items() if fact}, width)
    if value.sources:
        out += [Text("", end=""), styled(("Sources", HEAD))]
        for source in value.sources[:MANY]:
            whose = f"  {source.kind}" + (f", tenant {line(source.tenant)}" if source.tenant else "")
            out += wrap(styled(line(source.uri), (whose, DIM)), width, first="  ", rest="    ")
        out += more(len(value.sources) - MANY)
    return out


def index(value: Status, width: int) -> list[Text]:
    """The part of the status that is about the index."""
    facts = {
        "generation": value.generation or "none yet; make one with: suffice index build",
        "embedder": value.embedder or "",
        "chunker": value.chunker or "",
        "documents": count(value.n_documents) + _waiting(value),
        "chunks": count(value.n_chunks),
        "vectors": count(value.n_parts),
        "late states": "kept" if value.late else "none: hybrid searches end without late interaction",
    }
    return pairs({name: fact for name, fact in facts.items() if fact}, width)


def _waiting(value: Status) -> str:
    return f", {count(value.n_pending)} not indexed yet (run: suffice update)" if value.n_pending else ""
