"""Cuts a piece of evidence into the units that can be quoted: a sentence, a list item, or a structure whole.

A structure keeps what makes it readable: a step list and a code block their lead-in, a table row its header,
a definition its heading. A unit is one or more spans of the evidence's text, each quoted as it stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from suffice.plugins.generators._blocks import Part, parts
from suffice.text import content_words, language, sentences, terms
from suffice.values import Span

Kind = Literal["sentence", "definition", "item", "list", "steps", "row", "table", "code"]

QUOTE_CHARS = 1200  # what a reader takes in at once; a structure may need more, up to:
STRUCTURE_CHARS = 2400
SMALL_CHARS = 500  # a list or table this small is read as one
SMALL_ROWS = 6
LEAD_CHARS = 300
SHORT_WORDS = 4  # shorter sentences say too little alone, and the quote check refuses them
SHORT_CJK = 6

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]")
_MARKS = re.compile(r"[ \t]*(?:>[ \t]?)+")
_QUESTION = re.compile(r"[?？؟]\W*$")
_LINKS = re.compile(r"(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?:!?\[[^\]\n]*\]\([^)\n]*\)[ \t,;·|.]*)+")
_HEADING = re.compile(r"#{1,6} ")
_COLON = re.compile(r"[:：][*_ \t]*$")


@dataclass(frozen=True, slots=True)
class Unit:
    """`spans` are in order and apart, code points of the evidence's text; `block` numbers its structure.

    `fence` opens a code block again around lines quoted from inside a long one.
    """

    kind: Kind
    spans: tuple[Span, ...]
    block: int
    fence: str = ""

    @property
    def n_chars(self) -> int:
        """Characters quoted."""
        return sum(end - start for start, end in self.spans)

    def text(self, source: str) -> str:
        """The words, for scoring."""
        return "\n".join(source[start:end] for start, end in self.spans)


def cut(text: str) -> tuple[Unit, ...]:
    """The units of a piece of evidence, in order. A heading or a list of links is never a unit of its own."""
    blocks = [part for part in parts(text) if part.kind != "noise"]
    found: list[Unit] = []
    for n, part in enumerate(blocks):
        if part.kind == "paragraph":
            below = next((other.kind for other in blocks[n + 1 :] if other.kind != "label"), "")
            leads = below in ("list", "steps", "code", "table")
            found.extend(_sentences(text, part, n, _heading(blocks, n), leads))
        elif part.kind == "code":
            found.extend(_code(text, part, n, _lead(text, blocks, n)))
        elif part.kind in ("list", "steps"):
            found.extend(_list(text, part, n, _lead(text, blocks, n)))
        elif part.kind == "table":
            found.extend(_table(text, part, n))
    return tuple(unit for unit in found if not _points(unit.text(text)))


def _points(text: str) -> bool:
    """Links and nothing else, below a heading or not: where an answer may stand, but no answer."""
    lines = [line for line in map(str.strip, text.split("\n")) if line and not _HEADING.match(line)]
    return bool(lines) and all(_LINKS.fullmatch(line) for line in lines)


def joined(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Spans in order, those that touch or have only white space between them made one."""
    merged: list[list[int]] = []
    for start, end in sorted(spans):
        if merged and (start <= merged[-1][1] or not text[merged[-1][1] : start].strip()):
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return tuple((start, end) for start, end in merged)


def _trimmed(text: str, span: Span) -> Span:
    """Without white space at the ends, and without the marks of a quoted block at the start."""
    start, end = span
    while start < end and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    marks = _MARKS.match(text, start, end)
    return (marks.end(), end) if marks and marks.end() < end else (start, end)


def _sentences(text: str, part: Part, block: int, heading: Span | None, leads: bool) -> Iterator[Unit]:
    spans = sentence_spans(text, part.span)
    if leads and spans and _COLON.search(text[slice(*spans[-1])]):
        spans = spans[:-1]  # it only introduces what follows, and is quoted with that
    for n, span in enumerate(spans):
        whole = _capped(text, span)
        if n == 0 and heading is not None and _defines(text, heading, span):
            yield Unit("definition", joined(text, (heading, whole)), block)
        else:
            yield Unit("sentence", (whole,), block)


def sentence_spans(text: str, span: Span) -> list[Span]:
    """Whole sentences of a paragraph; none ends inside a code span, a link, emphasis or brackets."""
    start, end = span
    found: list[Span] = []
    for left, right in sentences(text[start:end]):
        one = _trimmed(text, (start + left, start + right))
        if one[0] >= one[1]:
            continue
        unfinished = bool(found) and _open(text[slice(*found[-1])]) and one[1] - found[-1][0] <= QUOTE_CHARS
        if unfinished or (found and _short(text[slice(*found[-1])])):
            found[-1] = (found[-1][0], one[1])
        else:
            found.append(one)
    if len(found) > 1 and _short(last := text[slice(*found[-1])]) and not _COLON.search(last):
        found[-2:] = [(found[-2][0], found[-1][1])]
    return found


def _open(sentence: str) -> bool:
    plain = re.sub(r"\\.", "", sentence)
    return bool(
        plain.count("`") % 2
        or plain.count("**") % 2
        or plain.count("[") > plain.count("]")
        or plain.count("(") > plain.count(")")
        or plain.count("（") > plain.count("）")
    )


def _short(sentence: str) -> bool:
    n_cjk = len(_CJK.findall(sentence))
    return n_cjk < SHORT_CJK if n_cjk else len(sentence.split()) < SHORT_WORDS


def _capped(text: str, span: Span) -> Span:
    """The span, or its head up to a space where a sentence without end would fill the screen."""
    start, end = span
    if end - start <= STRUCTURE_CHARS:
        return span
    head = text[start : start + QUOTE_CHARS]
    cut_at = max(head.rfind(" "), head.rfind("\n"), head.rfind("，") + 1, head.rfind("、") + 1)
    return start, start + (cut_at if cut_at > QUOTE_CHARS // 2 else QUOTE_CHARS)


def _defines(text: str, heading: Span, sentence: Span) -> bool:
    """The heading says what the sentence is about, and the sentence does not."""
    title = text[slice(*heading)]
    if len(title) > LEAD_CHARS or sentence[1] - sentence[0] > QUOTE_CHARS:
        return False
    if _QUESTION.search(title):
        return True
    return not _words(title) & _words(text[slice(*sentence)])


def _words(text: str) -> set[str]:
    return set(terms(" ".join(content_words(text, language(text)))))


def _heading(blocks: Sequence[Part], n: int) -> Span | None:
    return blocks[n - 1].span if n and blocks[n - 1].kind == "heading" else None


def _lead(text: str, blocks: Sequence[Part], n: int) -> tuple[Span, ...]:
    """What introduces the structure: the sentence above it (with the labels between), else its heading.

    Code blocks in a row, as tabs of one example, share the sentence above the first.
    """
    labels: list[Span] = []
    before = n - 1
    while before >= 0 and blocks[before].kind == "label":
        labels.insert(0, blocks[before].span)
        before -= 1
    own = tuple(labels)
    while before >= 0 and blocks[n].kind == "code" and blocks[before].kind in ("code", "label"):
        before -= 1
    if before < 0:
        return own
    above = blocks[before]
    if above.kind == "heading":
        return (above.span, *own) if above.span[1] - above.span[0] <= LEAD_CHARS else own
    if above.kind != "paragraph":
        return own
    last = sentence_spans(text, above.span)[-1:]
    if not last or last[0][1] - last[0][0] > LEAD_CHARS:
        return own
    introduces = blocks[n].kind in ("steps", "code") or bool(_COLON.search(text[slice(*last[0])]))
    return (*last, *own) if introduces else own


def _code(text: str, part: Part, block: int, lead: tuple[Span, ...]) -> Iterator[Unit]:
    start, end = part.span
    if end - start <= STRUCTURE_CHARS:
        yield Unit("code", joined(text, (*lead, part.span)), block)
        return
    lines = _line_spans(text, part.span)
    fence = text[slice(*lines[0])].strip()
    closed = text[slice(*lines[-1])].strip().startswith(fence[:3])
    window: list[Span] = []
    for line in lines[1:-1] if closed else lines[1:]:
        line = (line[0], min(line[1], line[0] + QUOTE_CHARS))
        if window and line[1] - window[0][0] > QUOTE_CHARS:
            yield Unit("code", ((window[0][0], window[-1][1]),), block, fence)
            window = []
        if window or text[slice(*line)].strip():
            window.append(line)
    if window:
        yield Unit("code", ((window[0][0], window[-1][1]),), block, fence)


def _list(text: str, part: Part, block: int, lead: tuple[Span, ...]) -> Iterator[Unit]:
    n_chars = part.span[1] - part.span[0] + sum(end - start for start, end in lead)
    whole = STRUCTURE_CHARS if part.kind == "steps" else SMALL_CHARS
    if n_chars <= whole:
        yield Unit("steps" if part.kind == "steps" else "list", joined(text, (*lead, part.span)), block)
        return
    for item in part.items:
        span = _trimmed(text, item)
        if span[1] - span[0] > STRUCTURE_CHARS:
            blank = re.compile(r"\n[ \t]*\n").search(text, *span)
            span = _capped(text, (span[0], blank.start() if blank else span[1]))
        yield Unit("item", joined(text, (*lead, span)), block)


def _table(text: str, part: Part, block: int) -> Iterator[Unit]:
    if part.header is None:
        return
    if part.span[1] - part.span[0] <= SMALL_CHARS and 0 < len(part.items) <= SMALL_ROWS:
        yield Unit("table", (part.span,), block)
        return
    for row in part.items:
        yield Unit("row", joined(text, (part.header, row)), block)


def _line_spans(text: str, span: Span) -> list[Span]:
    found, at = [], span[0]
    for line in text[slice(*span)].split("\n"):
        found.append((at, at + len(line)))
        at += len(line) + 1
    return found
