"""Reads the block structure of a piece of Markdown or plain text: which lines belong together.

Spans are code points of the text given; lines are whole, the final line break left out. The chunker knows
blocks too, but evidence arrives as text alone, and a list with its code samples has to be seen as one thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from suffice.values import Span

Kind = Literal["heading", "paragraph", "list", "steps", "table", "code", "label", "noise"]

HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
FENCE = re.compile(r"([ \t>]*)(`{3,}|~{3,})")
BULLET = re.compile(r"([ \t]*)(?:[-*+•‣◦·]|[(（]?[a-z][)）])[ \t]+(?=\S)")
NUMBER = re.compile(r"([ \t]*)(?:[(（]?(\d{1,3})(?:[.)][ \t]+|[、．）]|\)[ \t]*)|[①-⑳][ \t]*)(?=\S)")
DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
LABEL = re.compile(r"[ \t]*(?:>[ \t]*)*(\*\*|__)[^*_\n]{1,80}\1[ \t]*[:：]?[ \t]*$")
NOISE = re.compile(
    r"[ \t]*(?:</?[A-Za-z][^<>]*/?>[ \t]*)+$"  # tags alone on a line
    r"|[ \t]*(?:!\[[^\]]*\]\([^)]*\)[ \t]*)+$"  # pictures alone on a line
    r"|[ \t]*<summary>.*</summary>[ \t]*$"
    r"|[ \t]*\[[^\]]+\]:[ \t]*\S+.*$"  # where a link leads
    r"|[ \t]*(?:[-*_][ \t]*){3,}$"  # a rule
    r"|[ \t>]*$"
)


@dataclass(frozen=True, slots=True)
class Part:
    """Lines that belong together. `items` are the spans of list items, or of table rows below the header."""

    kind: Kind
    span: Span
    items: tuple[Span, ...] = ()
    header: Span | None = None  # of a table: its header line and the line of dashes


def parts(text: str) -> tuple[Part, ...]:
    """The text's blocks in order; ordered lists of two or more items are `steps`, however they are spaced."""
    return tuple(_joined_steps(text, list(_read(text))))


def _read(text: str) -> Iterator[Part]:
    lines = _lines(text)
    n = 0
    while n < len(lines):
        first = n
        line = _of(text, lines[n])
        n += 1
        if HEADING.match(line):
            yield Part("heading", lines[first])
        elif fence := FENCE.match(line):
            n = _fence_end(text, lines, first, fence[2])
            yield Part("code", (lines[first][0], lines[n - 1][1]))
        elif NOISE.match(line):
            yield Part("noise", lines[first])
        elif _is_table(text, lines, first):
            n = first + 2
            while n < len(lines) and "|" in _of(text, lines[n]) and _of(text, lines[n]).strip():
                n += 1
            header = (lines[first][0], lines[first + 1][1])
            yield Part("table", (header[0], lines[n - 1][1]), tuple(lines[first + 2 : n]), header)
        elif _marker(line):
            n, items = _list(text, lines, first)
            ordered = bool(NUMBER.match(line)) and len(items) > 1
            yield Part("steps" if ordered else "list", (items[0][0], items[-1][1]), items)
        elif LABEL.match(line):
            yield Part("label", lines[first])
        else:
            while n < len(lines) and not _interrupts(text, lines, n):
                n += 1
            if n < len(lines) and re.match(r" {0,3}(?:=+|-{2,})[ \t]*$", _of(text, lines[n])):
                yield Part("heading", (lines[first][0], lines[n][1]))
                n += 1
            else:
                yield Part("paragraph", (lines[first][0], lines[n - 1][1]))


def _lines(text: str) -> list[Span]:
    found, at = [], 0
    for line in text.split("\n"):
        found.append((at, at + len(line)))
        at += len(line) + 1
    return found


def _of(text: str, span: Span) -> str:
    return text[span[0] : span[1]]


def _marker(line: str) -> re.Match[str] | None:
    return BULLET.match(line) or NUMBER.match(line)


def _is_table(text: str, lines: list[Span], n: int) -> bool:
    if n + 1 >= len(lines) or "|" not in _of(text, lines[n]):
        return False
    below = _of(text, lines[n + 1])
    return "|" in below and "-" in below and bool(DELIMITER.match(below))


def _interrupts(text: str, lines: list[Span], n: int) -> bool:
    line = _of(text, lines[n])
    numbered = NUMBER.match(line)
    # a hard-wrapped sentence may begin a line with "1984. "; only a list that starts at 1 ends a paragraph
    listed = bool(BULLET.match(line)) or bool(numbered and numbered[2] in (None, "1"))
    return bool(
        listed
        or HEADING.match(line)
        or FENCE.match(line)
        or NOISE.match(line)
        or re.match(r" {0,3}(?:=+|-{2,})[ \t]*$", line)
        or LABEL.match(line)
        or _is_table(text, lines, n)
    )


def _fence_end(text: str, lines: list[Span], first: int, mark: str) -> int:
    """The line after the one that closes the fence; the end of the text where nothing closes it."""
    for n in range(first + 1, len(lines)):
        closing = _of(text, lines[n]).strip(" \t\r>")
        if closing.startswith(mark) and not closing.strip(mark[0]):
            return n + 1
    return len(lines)


def _list(text: str, lines: list[Span], first: int) -> tuple[int, tuple[Span, ...]]:
    """Items at the depth of the first marker, each with all that is indented below it."""
    start = _marker(_of(text, lines[first]))
    depth = len(start[1]) if start and start[1] is not None else 0
    numbered = bool(NUMBER.match(_of(text, lines[first])))
    items = [[lines[first][0] + depth, lines[first][1]]]
    n = first + 1
    while n < len(lines):
        line = _of(text, lines[n])
        ahead = n
        while ahead < len(lines) and not _of(text, lines[ahead]).strip():
            ahead += 1
        if ahead == len(lines):
            break
        blank_before = ahead > n
        line = _of(text, lines[ahead])
        mark = _marker(line)
        indent = len(line) - len(line.lstrip())
        if mark and indent <= depth + 1:
            if bool(NUMBER.match(line)) != numbered:
                break
            items.append([lines[ahead][0] + indent, lines[ahead][1]])
        elif indent >= depth + 2:
            if fence := FENCE.match(line):
                end = _fence_end(text, lines, ahead, fence[2])
                items[-1][1] = lines[end - 1][1]
                n = end
                continue
            items[-1][1] = lines[ahead][1]
        elif not blank_before and not _interrupts(text, lines, ahead):
            items[-1][1] = lines[ahead][1]
        else:
            break
        n = ahead + 1
    return n, tuple((start, end) for start, end in items)


def _joined_steps(text: str, found: list[Part]) -> Iterator[Part]:
    """Numbered items parted by code that is not indented are one list if the numbers go on."""
    n = 0
    while n < len(found):
        part = found[n]
        n += 1
        if part.kind in ("steps", "list") and (last := _number(text, part.items[-1])) is not None:
            items, after = list(part.items), n
            while after < len(found):
                between = after
                while between < len(found) and found[between].kind in ("code", "noise"):
                    between += 1
                going_on = between < len(found) and found[between].kind in ("steps", "list")
                if not going_on or _number(text, found[between].items[0]) != last + 1:
                    break
                items[-1] = (items[-1][0], found[between - 1].span[1] if between > after else items[-1][1])
                items.extend(found[between].items)
                last = _number(text, items[-1]) or 0
                n = after = between + 1
            if len(items) > len(part.items):
                part = Part("steps", (items[0][0], items[-1][1]), tuple(items))
        yield part


def _number(text: str, item: Span) -> int | None:
    mark = NUMBER.match(text[item[0] : item[1]])
    return int(mark[2]) if mark and mark[2] else None
