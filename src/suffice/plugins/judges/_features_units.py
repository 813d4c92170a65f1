"""Passages as a judge reads them: units (sentence, row, item, code block) packed into short windows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from suffice.text import sentences
from suffice.values import Span

WINDOW_TOKENS = 64
_UNIT_CHARS = 320  # a longer unit is cut: reading must stay within the embedder's window
_FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})")
_ROW = re.compile(r"^\s*\|.*\|\s*$|^[^|\n]+\|[^|\n]+\|")
_LINE = re.compile(r"[^\n]*\n?")
_RULE = re.compile(r"[\s|:+=_*-]*\Z")
_WIDE = re.compile(
    r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]"
)


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive units of one passage: `units` and `span` are code points of the passage's text."""

    span: Span
    units: tuple[Span, ...]


def estimate_tokens(text: str) -> int:
    """About how many tokens the text has: four letters a token, one and a half in CJK."""
    n_wide = len(_WIDE.findall(text))
    return 1 + round(n_wide / 1.5 + (len(text) - n_wide) / 4)


def units(text: str) -> list[Span]:
    """Spans of the units of a passage, in order: whole code blocks, table rows, list items, sentences."""
    found: list[Span] = []
    fence: tuple[str, int] | None = None
    at = 0
    while at < len(text):
        line = _LINE.match(text, at)
        end = line.end() if line is not None and line.end() > at else len(text)
        words = text[at:end]
        mark = _FENCE.match(words)
        if fence is not None:
            if mark and mark.group(1).startswith(fence[0]):
                found.append((fence[1], end))
                fence = None
        elif mark:
            fence = (mark.group(1)[:3], at)
        elif _ROW.match(words) and not _RULE.match(words):
            found.append((at, end))
        elif not _RULE.match(words):
            found += [(at + a, at + b) for a, b in sentences(words)]
        at = end
    if fence is not None:
        found.append((fence[1], len(text)))
    return [part for span in found for part in _short(text, span)]


def _short(text: str, span: Span) -> list[Span]:
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    parts = []
    while end - start > _UNIT_CHARS:
        cut = text.rfind(" ", start + _UNIT_CHARS // 2, start + _UNIT_CHARS)
        cut = cut if cut > start else start + _UNIT_CHARS
        parts.append((start, cut))
        start = cut
    return [*parts, (start, end)] if end > start else parts


def windows(text: str) -> list[Window]:
    """The passage's units packed in order into windows of about WINDOW_TOKENS tokens."""
    found: list[Window] = []
    held: list[Span] = []
    size = 0
    for unit in units(text):
        tokens = estimate_tokens(text[unit[0] : unit[1]])
        if held and size + tokens > WINDOW_TOKENS:
            found.append(_window(held))
            held, size = [], 0
        held.append(unit)
        size += tokens
    if held:
        found.append(_window(held))
    return found


def _window(held: Sequence[Span]) -> Window:
    return Window((held[0][0], held[-1][1]), tuple(held))
