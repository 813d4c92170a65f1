"""A diagnosis: each piece with its layer, ranks and what stands above it; all repairs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from suffice.diagnose import LAYER_WORDS, Diagnosis, ForeignDiagnosis, Outranker, PieceFinding, Repair, shown
from suffice.interfaces.render.text import BAD, DIM, GOOD, HEAD, WARN, clipped, grid, line, styled, wrap

_STYLES = {
    "answered": GOOD,
    "unused_by_answer": WARN,
    "unrecognised_by_gate": WARN,
    "just_outside_k": WARN,
    "used": GOOD,
    "unknown": DIM,
}
_MARKS = {GOOD: "✓", WARN: "▲", BAD: "✗", DIM: "?"}
_FOREIGN = {
    "used": "used in the answer",
    "unused_by_answer": "retrieved, left out of the answer",
    "not_retrieved": "not retrieved",
    "unknown": "cannot be told",
}
MOST_COLUMNS = 6
"""Pieces that fit beside each other in 80 cells; more stand in a second table."""


def lines(found: Diagnosis, width: int) -> list[Text]:
    """The judgement first, then the pieces, then the repairs."""
    out = wrap(styled((clipped(found.question), HEAD)), width)
    said = [
        f"first {found.k} of {found.depth:,} chunks"
        if found.k < found.depth
        else f"all {found.depth:,} chunks",
        found.mode,
        f"verdict {found.status.replace('_', ' ')}",
    ]
    if found.answer:
        said.insert(0, f"answer {found.answer}")
    out += wrap(styled((" · ".join(said), DIM)), width)
    for change in found.changes:
        out += wrap(styled((line(change), WARN)), width, first=styled(("▲ ", WARN)), rest="  ")
    out.append(Text("", end=""))
    out += wrap(styled(line(found.judgement)), width)
    for piece in found.pieces:
        out.append(Text("", end=""))
        out += _piece(piece, width)
    if found.repairs:
        out.append(Text("", end=""))
        out += _repairs(found, width)
    return out


def foreign(found: Sequence[ForeignDiagnosis], width: int) -> list[Text]:
    """Another system's traces, one after another."""
    out: list[Text] = []
    for number, one in enumerate(found):
        if number:
            out.append(Text("", end=""))
        out += wrap(styled((clipped(one.question) or one.id, HEAD)), width)
        out += wrap(styled((one.judgement, DIM)), width)
        for piece in one.pieces:
            style = _STYLES.get(piece.layer, BAD)
            first = styled((f"{_MARKS[style]} ", style), (f"{line(piece.id)}  ", HEAD))
            out += wrap(
                styled((_FOREIGN[piece.layer], style), ": ", line(piece.note)), width, first=first, rest="  "
            )
    return out


def _piece(piece: PieceFinding, width: int) -> Iterator[Text]:
    style = _STYLES.get(piece.layer, BAD)
    first = styled((f"{_MARKS[style]} ", style), (f"{line(piece.id)}  ", HEAD))
    yield from wrap(styled((LAYER_WORDS[piece.layer], style)), width, first=first, rest="  ")
    wanted = line(piece.need) or f"wanted: “{clipped(piece.quote, 120)}”"
    yield from wrap(styled(wanted), width, first="  ", rest="  ")
    ranks = [f"{name} {_rank(rank)}" for name, rank in piece.ranks.items()]
    if any(piece.ranks.values()):
        needed = f"needs k {piece.k_needed}" if piece.k_needed else "at no k"
        needed += f", {piece.k_whole} for all of it" if piece.k_whole else ""
        yield from wrap(
            styled((" · ".join(["rank " + ranks[0], *ranks[1:], needed]), DIM)), width, first="  ", rest="  "
        )
    yield from wrap(styled(line(piece.note)), width, first="  ", rest="  ")
    if piece.layer in ("deep", "just_outside_k", "cut_by_chunking") and piece.outranked_by:
        yield from wrap(styled(("just above it:", DIM)), width, first="  ", rest="  ")
        for other in piece.outranked_by:
            first = styled(f"  {other.rank:>5}  ")
            yield from wrap(_above(other), width, first=first, rest=" " * first.cell_len)


def _above(other: Outranker) -> Text:
    path = [line(part) for part in (other.title, *other.heading_path) if line(part)]
    place = " › ".join(dict.fromkeys(path)) or line(other.document)
    return styled(place, (f" — {line(other.why)}", DIM))


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)


def _repairs(found: Diagnosis, width: int) -> list[Text]:
    """Rows are repairs, columns pieces; ✓ and green: within the first k. Those not run follow, with why."""
    ids = [piece.id for piece in found.pieces]
    out = wrap(
        styled(("Repairs", HEAD), (f"  rank of each piece after; ✓ within k ({found.k} unless given)", DIM)),
        width,
    )
    run = [repair for repair in found.repairs if repair.was_run]
    for start in range(0, max(len(ids), 1), MOST_COLUMNS):
        some = ids[start : start + MOST_COLUMNS]
        rows = [
            [
                styled("as it was"),
                *_cells(_before(found), some, found.k),
                *(styled("") for _ in range(3)),
            ]
        ]
        for repair in run:
            k = repair.setting.get("k")
            cells = _cells(repair.ranks, some, k if isinstance(k, int) else found.k)
            rows.append([styled(shown(repair)), *cells, *_outcome(repair)])
        right = frozenset(range(1, len(some) + 3)) - {len(some) + 3}
        out += grid(rows, ["", *some, "held", "ms", ""], width, right=right, least=5)
        out.append(Text("", end=""))
    for repair in found.repairs:
        if not repair.was_run:
            said = line(repair.judgement.removeprefix("not run: "))
            out += wrap(
                styled((said, DIM)), width, first=styled((f"{shown(repair)} not run: ", DIM)), rest="  "
            )
        elif repair.name in ("suggestion", "query_rewrite"):
            words = str(repair.setting.get("question") or repair.setting.get("query"))
            out += wrap(styled(line(words)), width, first=styled((f"{shown(repair)}: ", DIM)), rest="  ")
        elif repair.note:
            first = styled((f"{shown(repair)}: ", DIM))
            out += wrap(styled((line(repair.note), DIM)), width, first=first, rest="  ")
    return out


def _before(found: Diagnosis) -> dict[str, int | None]:
    """Ranks without any repair, by a search made now: of an earlier answer the pieces have those of then."""
    return found.repairs[0].ranks_before


def _cells(ranks: dict[str, int | None], ids: Sequence[str], k: int) -> list[Text]:
    cells = []
    for name in ids:
        rank = ranks.get(name)
        if rank is None:
            cells.append(styled(("–  ", DIM)))
        else:
            cells.append(styled((f"{rank} ✓", GOOD)) if rank <= k else styled(f"{rank}  "))
    return cells


def _outcome(repair: Repair) -> list[Text]:
    style = {"helps": GOOD, "hurts": BAD}.get(repair.judgement, DIM)
    after = "–" if repair.coverage_after is None else f"{repair.coverage_after:.0%}"
    return [styled(after), styled((f"{repair.cost_ms:,.0f}", DIM)), styled((repair.judgement, style))]
