"""HTML pages of manuals, cut at their headings into sections of blocks, with the terms that are marked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from suffice.values import Span

_HEADS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_BLOCKS = _HEADS | {"p", "li", "pre", "dt", "dd", "td", "th"}
_MARKS = {"code", "tt", "kbd", "em", "strong", "b"}
_MARK_CLASSES = {
    "emph",
    "menuitem",
    "literal",
    "input",
    "widget",
    "guilabel",
    "guimenu",
    "filename",
    "command",
}
_HIDDEN = {"script", "style", "nav", "head", "noscript"}


@dataclass
class Block:
    tag: str
    text: str
    marks: list[Span] = field(default_factory=list)


@dataclass
class Part:
    """A section: its headings from the page's title down, and its blocks."""

    path: tuple[str, ...]
    blocks: list[Block]

    @property
    def shape(self) -> tuple[str, ...]:
        return tuple(block.tag for block in self.blocks)


class _Pages(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self._hidden = 0
        self._open: list[tuple[str, int | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        in_row = bool(self.blocks) and self.blocks[-1].tag == "tr"
        if tag == "tr":
            self.blocks.append(Block(tag, ""))
        elif in_row and tag in ("td", "th"):
            self.blocks[-1].text += " | " if self.blocks[-1].text.strip() else ""
        elif tag in _BLOCKS and not (in_row and tag not in _HEADS):
            self.blocks.append(Block(tag, ""))
        elif tag == "br" and self.blocks:
            self.blocks[-1].text += "\n" if self.blocks[-1].tag == "pre" else " "
        classes = set((dict(attrs).get("class") or "").split())
        if self.blocks and (tag in _MARKS or (tag == "span" and classes & _MARK_CLASSES)):
            self._open.append((tag, len(self.blocks[-1].text)))
        elif tag == "span":
            self._open.append((tag, None))

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        if tag == "tr" and self.blocks and self.blocks[-1].tag == "tr":
            self.blocks.append(Block("p", ""))
        if self._open and self._open[-1][0] == tag:
            _, start = self._open.pop()
            if start is not None and self.blocks and start < len(self.blocks[-1].text):
                self.blocks[-1].marks.append((start, len(self.blocks[-1].text)))

    def handle_data(self, data: str) -> None:
        if self._hidden or not self.blocks:
            return
        block = self.blocks[-1]
        block.text += data if block.tag == "pre" else re.sub(r"\s+", " ", data)


def page(file: Path) -> list[Part]:
    parser = _Pages()
    parser.feed(file.read_text("utf-8", "replace"))
    found: list[Part] = []
    path: list[str] = []
    for block in parser.blocks:
        text = block.text.strip()
        shift = len(block.text) - len(block.text.lstrip())
        marks = [(a - shift, b - shift) for a, b in block.marks if a >= shift and b - shift <= len(text)]
        if block.tag in _HEADS and text:
            level = int(block.tag[1]) - 1
            path = [*path[:level], re.sub(r"^(第 ?)?[\d.]+( ?章)?[.\s]+", "", text)]
            found.append(Part(tuple(path), []))
        elif found and text:
            found[-1].blocks.append(Block(block.tag, text, marks))
    return found
