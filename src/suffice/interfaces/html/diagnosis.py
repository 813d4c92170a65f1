"""A diagnosis as one page that needs nothing else: a rank chart in SVG, the pieces, the repairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from importlib.resources import files

from suffice.diagnose import LAYER_WORDS, Diagnosis, Outranker, PieceFinding, Repair, shown

_STATE = {
    "answered": "good",
    "unused_by_answer": "warn",
    "unrecognised_by_gate": "warn",
    "just_outside_k": "warn",
}
_SCORERS = ("dense", "lexical", "hybrid")
_LEFT, _RIGHT, _ROW, _TOP = 120, 30, 46, 44
_WIDE = 860


def document(found: Diagnosis) -> str:
    """The whole page as HTML."""
    parts = [
        f"<h1>{escape(found.question)}</h1>",
        f'<p class="meta">{escape(_meta(found))}</p>',
        *(f'<p class="change">{escape(change)}</p>' for change in found.changes),
        f'<p class="judgement">{escape(found.judgement)}</p>',
        "<h2>Where each piece stands</h2>",
        _chart(found),
        *(_piece(piece) for piece in found.pieces),
    ]
    if found.repairs:
        parts += ["<h2>Repairs, each run on this case</h2>", _repairs(found)]
    title = escape(found.question[:80])
    style = files(__package__).joinpath("diagnosis.css").read_text("utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>Diagnosis: {title}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(parts)
        + "\n</main>\n</body>\n</html>\n"
    )


def _meta(found: Diagnosis) -> str:
    said = [
        f"evidence: the first {min(found.k, found.depth)} of {found.depth:,} chunks",
        f"{found.mode} search",
        f"verdict {found.status.replace('_', ' ')}",
        f"generation {found.generation}",
        f"settings {found.settings}",
    ]
    if found.tenant:
        said.append(f"tenant {found.tenant}")
    if found.answer:
        said.append(f"answer {found.answer}")
    return " · ".join(said)


# --- the chart ----------------------------------------------------------------------------------


def _chart(found: Diagnosis) -> str:
    """A row a piece, ranks on a logarithmic axis, the first k shaded: rank 36 of 334 is seen at a glance."""
    deepest = max(found.depth, found.k, 2)
    height = _TOP + _ROW * len(found.pieces) + 30

    def x(rank: float) -> float:
        return _LEFT + (_WIDE - _LEFT - _RIGHT) * math.log(rank) / math.log(deepest)

    parts = [
        f'<svg viewBox="0 0 {_WIDE} {height}" role="img" aria-labelledby="chart-title">',
        f'<title id="chart-title">Ranks of each piece; the first {found.k} chunks are the evidence</title>',
        f'<rect class="band" x="{_LEFT}" y="{_TOP - 8}" width="{max(x(found.k + 0.5) - _LEFT, 2):.1f}" '
        f'height="{_ROW * len(found.pieces) + 8}"/>',
        f'<line class="k" x1="{x(found.k + 0.5):.1f}" x2="{x(found.k + 0.5):.1f}" y1="{_TOP - 8}" '
        f'y2="{height - 30}"/>',
        *_legend(),
        *_ticks(deepest, height - 10, x),
    ]
    for number, piece in enumerate(found.pieces):
        y = _TOP + _ROW * number + 20
        parts.append(f'<line class="axis" x1="{_LEFT}" x2="{_WIDE - _RIGHT}" y1="{y}" y2="{y}"/>')
        parts.append(
            f'<text x="{_LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(_short(piece.id))}</text>'
        )
        marks = [(name, piece.ranks.get(name)) for name in _SCORERS]
        for scorer, (name, rank) in enumerate(marks):
            if rank is not None:
                parts.append(_mark(scorer, x(rank), y + 11 * (scorer - 1), f"{piece.id}: {name} rank {rank}"))
        if piece.k_needed is not None:
            label = f"{piece.id}: needs k {piece.k_needed}"
            parts.append(_mark(len(_SCORERS), x(piece.k_needed), y - 11, label))
        if not any(rank for _, rank in marks):
            parts.append(
                f'<text class="dim" x="{_LEFT + 10}" y="{y - 6}">{escape(LAYER_WORDS[piece.layer])}</text>'
            )
    return f'<div class="scroll">{"".join(parts)}</svg></div>'


def _mark(scorer: int, x: float, y: float, label: str) -> str:
    """A circle, a square, a diamond or a pointer: colour is never the only difference."""
    title = f"<title>{escape(label)}</title>"
    if scorer == 0:
        return f'<circle class="s0" cx="{x:.1f}" cy="{y}" r="6">{title}</circle>'
    if scorer == 1:
        return f'<rect class="s1" x="{x - 5:.1f}" y="{y - 5}" width="10" height="10">{title}</rect>'
    if scorer == len(_SCORERS):
        return f'<path class="s3" d="M{x - 7:.1f},{y - 6} h14 l-7,11 z">{title}</path>'
    points = f"{x:.1f},{y - 8} {x + 8:.1f},{y} {x:.1f},{y + 8} {x - 8:.1f},{y}"
    return f'<polygon class="s2" points="{points}">{title}</polygon>'


def _legend() -> Iterable[str]:
    for scorer, name in enumerate((*_SCORERS, "order in which evidence is taken")):
        x = _LEFT + 110 * scorer + 8
        yield _mark(scorer, x, 16, name) + f'<text x="{x + 14}" y="21">{name}</text>'


def _ticks(deepest: int, y: int, x: Callable[[float], float]) -> Iterable[str]:
    for rank in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000, 100_000):
        if rank <= deepest:
            yield f'<text class="dim" x="{x(rank):.1f}" y="{y}" text-anchor="middle">{rank:,}</text>'


def _short(name: str) -> str:
    return name if len(name) <= 14 else f"{name[:13]}…"


# --- pieces and repairs -------------------------------------------------------------------------


def _piece(piece: PieceFinding) -> str:
    state = _STATE.get(piece.layer, "bad")
    ranks = " · ".join(f"{name} {_rank(piece.ranks.get(name))}" for name in _SCORERS)
    needed = f" · needs k {piece.k_needed}" if piece.k_needed else ""
    needed += f", {piece.k_whole} for all of it" if piece.k_whole else ""
    parts = [
        f'<article><h3>{escape(piece.id)} <span class="{state}">{LAYER_WORDS[piece.layer]}</span></h3>',
        f"<div>{escape(piece.need)}</div>" if piece.need else "",
        f'<div class="dim">rank: {ranks}{needed}</div>',
        f"<p>{escape(piece.note)}</p>",
        f"<blockquote>{escape(piece.quote)}</blockquote>" if piece.quote else "",
    ]
    if piece.outranked_by:
        rows = "".join(_above(other) for other in piece.outranked_by)
        parts.append(
            "<details open><summary>Just above it, and why</summary>"
            '<div class="scroll"><table><tr><th>rank</th><th class="words">chunk</th><th>dense</th>'
            f'<th>words</th><th>late</th><th class="words">why</th></tr>{rows}</table></div></details>'
        )
    return "".join(parts) + "</article>"


def _above(other: Outranker) -> str:
    path = [part for part in dict.fromkeys((other.title, *other.heading_path)) if part]
    place = escape(" › ".join(path) or other.document)
    legs = (other.dense, other.lexical, other.late)
    parts = ("" if value is None else f"{value:+.3g}" for value in legs)
    numbers = "".join(f"<td>{part}</td>" for part in parts)
    document = escape(other.document)
    return (
        f'<tr><td>{other.rank}</td><td class="words" title="{document}">{place}</td>{numbers}'
        f'<td class="words">{escape(other.why)}</td></tr>'
    )


def _repairs(found: Diagnosis) -> str:
    ids = [piece.id for piece in found.pieces]
    head = "".join(f"<th>{escape(name)}</th>" for name in ids)
    before = found.repairs[0].ranks_before  # by a search made now, as the repairs are
    rows = [f"<tr><td>as it was</td>{_cells(before, ids, found.k)}<td></td><td></td><td></td></tr>"]
    rows += [_repair(repair, ids, found.k) for repair in found.repairs if repair.was_run]
    table = (
        f'<div class="scroll"><table><tr><th>repair</th>{head}<th>held</th><th>ms</th>'
        f'<th class="words">judgement</th></tr>{"".join(rows)}</table></div>'
    )
    skipped = [
        f"<li>{escape(shown(repair))}: {escape(repair.judgement.removeprefix('not run: '))}</li>"
        for repair in found.repairs
        if not repair.was_run
    ]
    return table + (f"<p>Not run:</p><ul>{''.join(skipped)}</ul>" if skipped else "")


def _repair(repair: Repair, ids: Sequence[str], k: int) -> str:
    given = repair.setting.get("k")
    cells = _cells(repair.ranks, ids, given if isinstance(given, int) else k)
    held = "–" if repair.coverage_after is None else f"{repair.coverage_after:.0%}"
    state = {"helps": "good", "hurts": "bad"}.get(repair.judgement, "dim")
    words = repair.setting.get("question") or repair.setting.get("query") or repair.note
    name = escape(shown(repair)) + (f'<br><span class="dim">{escape(str(words))}</span>' if words else "")
    return (
        f"<tr><td>{name}</td>{cells}<td>{held}</td><td>{repair.cost_ms or 0:,.0f}</td>"
        f'<td class="words {state}">{escape(repair.judgement)}</td></tr>'
    )


def _cells(ranks: dict[str, int | None], ids: Sequence[str], k: int) -> str:
    cells = []
    for name in ids:
        rank = ranks.get(name)
        inside = rank is not None and rank <= k
        cells.append(f'<td class="in">{rank} ✓</td>' if inside else f"<td>{_rank(rank)}</td>")
    return "".join(cells)


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)
