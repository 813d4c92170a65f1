"""Markdown: CommonMark with tables, footnotes, task lists and strikethrough, and front matter.

The text of the document is the file itself (LF line ends, no byte order mark), so a span of the text is a
span of the file. Blocks are found with pyromark, which gives the byte range of every event.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyromark

from suffice.errors import SettingsError
from suffice.plugins.parsers._frontmatter import front_matter
from suffice.plugins.parsers._names import readable_name
from suffice.text.encodings import charset, decode
from suffice.values import Block, BlockKind, Document, Meta, Removal, Span

_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_FOOTNOTES
)
_HEADING_ID = re.compile(r"\s*\{#[^{}\s]+\}\s*$")
_REGION = re.compile(r"[ \t]*<(details|table|pre)[\s>]", re.IGNORECASE)
_REGION_KINDS: dict[str, BlockKind] = {"details": "details", "table": "table", "pre": "code"}
_COMMENT = re.compile(r"\s*(?:<!--.*?-->\s*)+", re.DOTALL)
_ONE_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


class MarkdownParser:
    """Reads Markdown files."""

    name = "markdown"
    version = "1"
    media_types = ("text/markdown", "text/x-markdown", "text/mdx")
    suffixes = (".md", ".markdown", ".mdx", ".mkd", ".mdown")

    def parse(self, data: bytes, *, name: str, sha256: str, media_type: str) -> Document:
        """The file as a document. Raises ParseError where it is not text."""
        decoded = decode(data, charset(media_type))
        body, meta = front_matter(decoded.text)
        blocks, removed = _Blocks(decoded.text, body).read()
        if body:
            removed = [Removal("front matter", 1), *removed]
        return Document(
            name=name,
            sha256=sha256,
            title=_title(meta, blocks, name),
            text=decoded.text,
            blocks=tuple(blocks),
            segments=decoded.segments,
            encoding=decoded.encoding,
            meta=meta,
            removed=tuple(removed),
        )


def create(**options: Any) -> MarkdownParser:
    """The parser; it has no options. Raises SettingsError."""
    if options:
        raise SettingsError(f"the markdown parser has no option {', '.join(sorted(options))}")
    return MarkdownParser()


def _title(meta: Meta, blocks: list[Block], name: str) -> str:
    stated = str(meta.pop("title", "")).strip()
    first = next((block.text for block in blocks if block.kind == "heading" and block.level == 1), "")
    return stated or first or readable_name(name)


@dataclass(slots=True)
class _Piece:
    """A block while it is being found; offsets are code points of the whole text."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    words: list[str] = field(default_factory=list)


class _Blocks:
    """Finds the blocks of one text from `body` on."""

    def __init__(self, text: str, body: int) -> None:
        self.text = text
        self.body = body
        self.pieces: list[_Piece] = []
        self.left_out: list[Span] = []  # comments and rules: in the text, in no block
        self.n_comments = 0
        self.closings: dict[str, dict[int, int]] = {}  # by tag, found once: a page may hold thousands

    def read(self) -> tuple[list[Block], list[Removal]]:
        """Blocks in order, and what is in none of them, by rule."""
        self._walk()
        self._close()
        self._fill()
        blocks = [
            Block(
                kind=piece.kind,
                span=(piece.start, piece.end),
                level=piece.level,
                text=_HEADING_ID.sub("", " ".join("".join(piece.words).split())),
            )
            for piece in self.pieces
        ]
        return blocks, [Removal("HTML comment", self.n_comments)] if self.n_comments else []

    def _walk(self) -> None:
        source = self.text[self.body :]
        points = _code_points(source)
        depth = 0  # of lists
        inside = ""  # a container whose content makes no blocks of its own
        n_inside = 0
        heading: _Piece | None = None
        until = self.body  # the end of a region of raw HTML
        for event, where in pyromark.events_with_range(source, options=_OPTIONS):
            if isinstance(event, str):
                if event == "Rule" and not inside and depth == 0:
                    start, end = self._place(points, where)
                    self.left_out.append((start, end))
                elif heading is not None and event in ("SoftBreak", "HardBreak"):
                    heading.words.append(" ")
                continue
            ((tag, value),) = event.items()
            if tag == "Start":
                what = value if isinstance(value, str) else next(iter(value))
                if what == "List":
                    depth += not inside
                    continue
                if inside or what not in _STARTS:
                    n_inside += what == inside
                    continue
                start, end = self._place(points, where)
                if start < until:
                    continue
                if what == "Heading" and depth == 0:
                    heading = _Piece("heading", start, end, int(value["Heading"]["level"][1:]))
                    self.pieces.append(heading)
                elif what == "HtmlBlock":
                    until = max(until, self._html(start, end, depth))
                elif what in ("BlockQuote", "FootnoteDefinition"):
                    self._add("paragraph", start, end, depth)
                    inside, n_inside = what, 1
                elif what == "Item":
                    self.pieces.append(_Piece("list_item", start, end, depth))
                elif what in ("CodeBlock", "Table"):
                    self._add("code" if what == "CodeBlock" else "table", start, end, depth)
                else:
                    self._add("paragraph", start, end, depth)
            elif tag == "End":
                what = value if isinstance(value, str) else next(iter(value))
                if what == inside:
                    n_inside -= 1
                    inside = inside if n_inside else ""
                elif what == "List":
                    depth -= not inside
                elif what == "Heading":
                    heading = None
            elif heading is not None and tag in ("Text", "Code", "InlineMath"):
                heading.words.append(value)

    def _place(self, points: Any, where: dict[str, int]) -> Span:
        """The span of a range, from the start of its line when only white space stands before it."""
        start, end = where["start"], where["end"]
        if points is not None:
            start, end = int(points[start]), int(points[end])
        start, end = start + self.body, end + self.body
        line = self.text.rfind("\n", self.body, start) + 1 or self.body
        if not self.text[line:start].strip(" \t"):
            start = line
        return start, end

    def _add(self, kind: BlockKind, start: int, end: int, depth: int) -> None:
        """A leaf block; in a list, one that goes on with the item's own words stays part of the item."""
        last = self.pieces[-1] if self.pieces else None
        if depth and last is not None and last.kind == "list_item" and start < last.end:
            first_line = "\n" not in self.text[last.start : start].rstrip(" \t")
            if kind == "paragraph" or first_line:
                return
        self.pieces.append(_Piece(kind, start, end))

    def _html(self, start: int, end: int, depth: int) -> int:
        """Raw HTML: `<details>`, `<table>` and `<pre>` are one block to their end tag. Returns that end."""
        html = self.text[start:end]
        if _COMMENT.fullmatch(html):
            if depth == 0:
                self.left_out.append((start, end))
                self.n_comments += len(_ONE_COMMENT.findall(html))
                return end
            return start
        match = _REGION.match(html)
        close = self._closed(start + html.index("<"), match[1].lower()) if match else None
        if match is None or close is None:
            self._add("paragraph", start, end, depth)
            return start
        rest = self.text.find("\n", close)
        close = len(self.text) if rest < 0 else rest
        self._add(_REGION_KINDS[match[1].lower()], start, close, 0)
        return close

    def _closed(self, start: int, tag: str) -> int | None:
        """The end of the end tag that closes the tag at `start`; None: it is never closed."""
        if tag not in self.closings:
            self.closings[tag] = _closings(self.text, tag)
        return self.closings[tag].get(start)

    def _close(self) -> None:
        """A block ends where the next begins; white space around it belongs to none."""
        kept: list[_Piece] = []
        for i, piece in enumerate(self.pieces):
            end = min(piece.end, self.pieces[i + 1].start) if i + 1 < len(self.pieces) else piece.end
            text = self.text[piece.start : end]
            piece.end = piece.start + len(text.rstrip())
            if piece.end > piece.start:
                kept.append(piece)
        self.pieces = kept

    def _fill(self) -> None:
        """No text is lost: what is in no block (link definitions, odd HTML) becomes a paragraph."""
        taken = sorted([(p.start, p.end) for p in self.pieces] + self.left_out)
        at = self.body
        found: list[_Piece] = []
        for start, end in [*taken, (len(self.text), len(self.text))]:
            gap = self.text[at:start] if start > at else ""
            if gap and not gap.isspace():
                begin = at + len(gap) - len(gap.lstrip())
                found.append(_Piece("paragraph", begin, at + len(gap.rstrip())))
            at = max(at, end)
        if found:
            self.pieces = sorted([*self.pieces, *found], key=lambda piece: piece.start)


_STARTS = frozenset(
    ("Heading", "Paragraph", "CodeBlock", "Table", "BlockQuote", "HtmlBlock", "FootnoteDefinition", "Item")
)


def _code_points(source: str) -> Any:
    """(n_bytes + 1,) code point of each UTF-8 byte offset; None where they are the same."""
    if source.isascii():
        return None
    raw = np.frombuffer(source.encode("utf-8"), dtype=np.uint8)
    return np.concatenate(([0], np.cumsum((raw & 0xC0) != 0x80)))


def _closings(text: str, tag: str) -> dict[int, int]:
    """Where each start tag stands that is closed, and the end of its end tag, the innermost first."""
    found: dict[int, int] = {}
    open_tags: list[int] = []
    for match in re.finditer(rf"<(/?){tag}\b[^>]*>", text, re.IGNORECASE):
        if not match[1]:
            open_tags.append(match.start())
        elif open_tags:
            found[open_tags.pop()] = match.end()
    return found
