"""Plain text: paragraphs by blank lines, list items by their marks, headings only where underlined."""

from __future__ import annotations

import re
from typing import Any

from suffice.errors import SettingsError
from suffice.plugins.parsers._names import readable_name
from suffice.text.encodings import charset, decode
from suffice.values import Block, Document

_LINE = re.compile(r"[^\n]+")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•‣▪◦·]|\d{1,3}[.)]|[a-zA-Z][.)])[ \t]+\S")
_RULE = re.compile(r"[ \t]*(?:={3,}|-{3,})[ \t]*")
_ONLY_MARKS = re.compile(r"[\s=\-*_~#+]*")
_MOST_TITLE = 120


class PlainParser:
    """Reads text files without markup."""

    name = "plain"
    version = "1"
    media_types = ("text/plain",)
    suffixes = (".txt", ".text", ".log")

    def parse(self, data: bytes, *, name: str, sha256: str, media_type: str) -> Document:
        """The file as a document. Raises ParseError where it is not text."""
        decoded = decode(data, charset(media_type))
        blocks = _blocks(decoded.text)
        heading = next((block.text for block in blocks if block.kind == "heading"), "")
        return Document(
            name=name,
            sha256=sha256,
            title=heading or readable_name(name),
            text=decoded.text,
            blocks=blocks,
            segments=decoded.segments,
            encoding=decoded.encoding,
        )


def create(**options: Any) -> PlainParser:
    """The parser; it has no options. Raises SettingsError."""
    if options:
        raise SettingsError(f"the plain parser has no option {', '.join(sorted(options))}")
    return PlainParser()


def _blocks(text: str) -> tuple[Block, ...]:
    """Blocks of consecutive lines; each begins after a blank line, at a list mark or at a heading."""
    blocks: list[Block] = []
    start = end = -1  # of the paragraph or list item that is being read
    level = 0

    def flush() -> None:
        nonlocal start
        if start >= 0:
            blocks.append(Block("list_item" if level else "paragraph", (start, end), level))
        start = -1

    lines = [(match.start(), match.end()) for match in _LINE.finditer(text)]
    for i, (begin, stop) in enumerate(lines):
        line = text[begin:stop]
        after_blank = i == 0 or begin - lines[i - 1][1] > 1
        if not line.strip():
            flush()
            continue
        if after_blank:
            flush()
        underlined = start >= 0 and _RULE.fullmatch(line) and text.count("\n", start, end) == 0 and not level
        if underlined and end - start <= _MOST_TITLE and not _ONLY_MARKS.fullmatch(text[start:end]):
            words = " ".join(text[start:end].split())
            blocks.append(Block("heading", (start, stop), 1 if "=" in line else 2, words))
            start = -1
            continue
        item = _ITEM.match(line)
        if item:
            flush()
            level = 1 + len(item["indent"].expandtabs(4)) // 2
            start = begin
        elif start < 0:
            level, start = 0, begin
        end = begin + len(line.rstrip())
    flush()
    return tuple(blocks)
