"""HTML, as a browser reads it: visible text in blocks, tables as pipe tables, `pre` as it stands.

The tree is built by justhtml, which follows the HTML standard on broken markup and keeps where each text
stood (1.8 MB/s). selectolax is faster and keeps no places: a quote could not lead back to the raw bytes.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from justhtml import JustHTML

from suffice.errors import ParseError, SettingsError
from suffice.plugins.parsers._htmlrules import descendants, head_of, removal
from suffice.plugins.parsers._htmltables import grid, is_layout, rows_of
from suffice.plugins.parsers._htmltext import WHITE, Inline, Page, Piece, located
from suffice.plugins.parsers._names import readable_name
from suffice.text.encodings import charset, decode
from suffice.values import Document, Removal

_META_CHARSET = re.compile(
    rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
_HEAD = 4096
_LABEL_CHARS = 200
_BLOCKS = frozenset(
    (
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "body",
            "center",
            "dd",
            "details",
            "dialog",
            "dir",
            "div",
        ),
        *(
            "dl",
            "dt",
            "fieldset",
            "figcaption",
            "figure",
            "footer",
            "form",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
        ),
        *(
            "header",
            "hgroup",
            "hr",
            "html",
            "legend",
            "li",
            "main",
            "menu",
            "nav",
            "ol",
            "p",
            "pre",
            "search",
        ),
        *(
            "section",
            "summary",
            "table",
            "caption",
            "tbody",
            "thead",
            "tfoot",
            "tr",
            "td",
            "th",
            "ul",
            "option",
        ),
    )
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset(("ul", "ol", "menu", "dir", "dl"))


class HtmlParser:
    """Reads HTML pages."""

    name = "html"
    version = "1"
    media_types = ("text/html", "application/xhtml+xml")
    suffixes = (".html", ".htm", ".xhtml")

    def parse(self, data: bytes, *, name: str, sha256: str, media_type: str) -> Document:
        """The page as a document. Raises ParseError where it is not text."""
        declared = _META_CHARSET.search(data[:_HEAD])
        label = (declared[1] or declared[2]).decode("ascii", "replace") if declared else charset(media_type)
        decoded = decode(data, label)
        try:
            tree = JustHTML(decoded.text, sanitize=False, track_node_locations=True)
        except RecursionError as error:
            raise ParseError("its tags are nested too deeply") from error
        page = Page(decoded, data)
        reader = _Reader(decoded.text, page, chrome=False)
        reader.read(tree.root)
        if not page.blocks:
            # All of the page stands in what is usually around it: better that than nothing.
            page = Page(decoded, data)
            reader = _Reader(decoded.text, page, chrome=True)
            reader.read(tree.root)
        title, meta = head_of(tree.root)
        heading = next(
            (block.text for block in page.blocks if block.kind == "heading" and block.level == 1), ""
        )
        return Document(
            name=name,
            sha256=sha256,
            title=title or heading or readable_name(name),
            text=page.text(),
            blocks=tuple(page.blocks),
            segments=page.segments(),
            encoding=decoded.encoding,
            meta=meta,
            removed=tuple(Removal(rule, n) for rule, n in sorted(reader.removed.items())),
        )


def create(**options: Any) -> HtmlParser:
    """The parser; it has no options. Raises SettingsError."""
    if options:
        raise SettingsError(f"the html parser has no option {', '.join(sorted(options))}")
    return HtmlParser()


class _Reader:
    """Walks the tree once; `chrome` keeps navigation, page headers and the like."""

    def __init__(self, source: str, page: Page, *, chrome: bool) -> None:
        self.source = source
        self.page = page
        self.chrome = chrome
        self.removed: Counter[str] = Counter()
        self.inline = Inline()
        self.lists: list[list[Any]] = []  # of [ordered, next number, indent of its items]
        self.marker = ""  # of the list item that has no text yet
        self.heading = 0
        self.in_main = 0
        self.details: list[int] = []

    def read(self, root: Any) -> None:
        """Fill the page."""
        stack: list[tuple[Any, bool]] = [(node, False) for node in reversed(root.children or ())]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                self._leave(node)
                continue
            if node.name == "#text":
                for piece in located(self.source, node.origin_offset, node.data or ""):
                    self.inline.add(piece)
                continue
            if node.name.startswith(("#", "!")):
                continue
            rule = self._removal(node)
            if rule:
                self.removed[rule] += rule != "head"
                continue
            if self._enter(node):
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(node.children or ()))
        self._flush()
        del self.removed["head"]

    def _removal(self, node: Any) -> str:
        return removal(node, chrome=self.chrome, in_main=self.in_main > 0, in_heading=self.heading > 0)

    def _enter(self, node: Any) -> bool:
        """Begin an element. False: it was read whole."""
        name = node.name
        if name == "br":
            if self.heading:
                self.inline.add(Piece(" "))
            else:
                self.inline.line_break(self._indent())
            return False
        if name == "sup" and self.inline.last_char().isdigit() and _starts_with_digit(node):
            self.inline.mark("^")  # 10² must not become 102
        if name not in _BLOCKS:
            return True
        if name == "dd" and self.marker and self.inline:
            self.inline.line_break(self._indent())
            return True
        self._flush()
        if name in _HEADINGS and not self.lists:
            self.heading = _HEADINGS[name]
        elif name in _LISTS:
            self._enter_list(node)
        elif name in ("li", "dt"):
            self._item(node)
        elif name in ("main", "article") or (node.attrs or {}).get("role") == "main":
            self.in_main += 1
        elif name == "details":
            self.details.append(len(self.page.blocks))
        elif name == "pre":
            self._pre(node)
            return False
        elif name == "table" and not is_layout(node):
            self._table(node)
            return False
        return True

    def _leave(self, node: Any) -> None:
        name = node.name
        if name not in _BLOCKS or name == "dt":
            return
        self._flush()
        if name in _LISTS and self.lists:
            self.lists.pop()
        elif name in _HEADINGS:
            self.heading = 0
        elif name == "li":
            self.marker = ""
        elif name in ("main", "article") or (node.attrs or {}).get("role") == "main":
            self.in_main -= 1
        elif name == "details" and self.details:
            self.page.join(self.details.pop(), "details")

    def _enter_list(self, node: Any) -> None:
        start = str((node.attrs or {}).get("start") or "1").strip()
        number = int(start) if re.fullmatch(r"-?\d{1,6}", start) else 1
        indent = self._indent() if self.lists else ""
        self.lists.append([node.name == "ol", number, indent, 2])

    def _item(self, node: Any) -> None:
        if not self.lists:
            self.lists.append([False, 1, "", 2])
        current = self.lists[-1]
        value = str((node.attrs or {}).get("value") or "").strip()
        if re.fullmatch(r"\d{1,6}", value):
            current[1] = int(value)
        self.marker = f"{current[1]}. " if current[0] else "- "
        current[1] += 1
        current[3] = len(self.marker)

    def _indent(self) -> str:
        """What stands before further lines of the list item that is open."""
        return self.lists[-1][2] + " " * self.lists[-1][3] if self.lists else ""

    def _flush(self) -> None:
        """Finish the words read so far as a block."""
        pieces = self.inline.take()
        if not pieces:
            return
        if self.heading:
            self.page.block("heading", pieces, self.heading)
        elif self.marker:
            lead = Piece(self.lists[-1][2] + self.marker)
            self.marker = ""
            tight = bool(self.page.blocks) and self.page.blocks[-1].kind == "list_item"
            self.page.block("list_item", [lead, *pieces], len(self.lists), tight=tight)
        else:
            lead_in = [Piece(self._indent())] if self.lists else []
            self.page.block("paragraph", [*lead_in, *pieces])

    def _pre(self, node: Any) -> None:
        """Preformatted text, byte for byte."""
        pieces: list[Piece] = []
        if self.marker:
            pieces.append(Piece(self.lists[-1][2] + self.marker))
            self.marker = ""
        for child in descendants(node):
            if child.name == "#text":
                pieces += located(self.source, child.origin_offset, child.data or "")
            elif child.name == "br":
                pieces.append(Piece("\n"))
        self.page.block("code", pieces)

    def _table(self, node: Any) -> None:
        """A pipe table: a row a line, its cells apart, the caption as a paragraph before it."""
        rows, caption = rows_of(node)
        if caption is not None:
            self._words(caption)
            self._flush()
        read: dict[int, list[Piece]] = {}
        cells = [[self._repeated(cell, read) for cell in row] for row in grid(rows)]
        width = max((len(row) for row in cells), default=0)
        pieces: list[Piece] = []
        for i, row in enumerate(cells):
            pieces.append(Piece("\n| " if i else "| "))
            for j in range(width):
                pieces += row[j] if j < len(row) else []
                pieces.append(Piece(" | " if j + 1 < width else " |"))
            if i == 0:
                pieces.append(Piece("\n|" + " --- |" * width))
        if any(cell for row in cells for cell in row):
            self.page.block("table", pieces)

    def _repeated(self, cell: Any, read: dict[int, list[Piece]]) -> list[Piece]:
        """The pieces of a cell; where it spans, again in each place, unless it is more than a label."""
        if cell is None:
            return []
        if id(cell) not in read:
            pieces = self._cell(cell)
            label = sum(len(piece.text) for piece in pieces) <= _LABEL_CHARS
            read[id(cell)] = pieces if label else []
            return pieces
        return read[id(cell)]

    def _words(self, node: Any) -> None:
        """All words below a node; block ends and line breaks are spaces."""
        stack = list(reversed(node.children or ()))
        while stack:
            child = stack.pop()
            if child.name == "#text":
                for piece in located(self.source, child.origin_offset, child.data or ""):
                    self.inline.add(piece)
            elif child.name == " ":
                self.inline.add(Piece(" "))
            elif not child.name.startswith(("#", "!")):
                rule = self._removal(child)
                if rule:
                    self.removed[rule] += 1
                    continue
                if child.name == "sup" and self.inline.last_char().isdigit() and _starts_with_digit(child):
                    self.inline.mark("^")
                apart = child.name in _BLOCKS or child.name == "br"
                stack += [_SPACE] * apart
                stack.extend(reversed(child.children or ()))
                stack += [_SPACE] * apart

    def _cell(self, node: Any) -> list[Piece]:
        self._words(node)
        pieces = []
        for piece in self.inline.take():
            if "|" not in piece.text:
                pieces.append(piece)
                continue
            at = 0
            for match in re.finditer(r"\|", piece.text):
                pieces += [_slice(piece, at, match.start()), Piece("\\")]
                at = match.start()
            pieces.append(_slice(piece, at, len(piece.text)))
        return [piece for piece in pieces if piece.text]


class _Space:
    name = " "
    children = ()


_SPACE = _Space()


def _slice(piece: Piece, start: int, end: int) -> Piece:
    if piece.source is None or not piece.linear:
        return Piece(piece.text[start:end], piece.source, piece.linear)
    return Piece(piece.text[start:end], (piece.source[0] + start, piece.source[0] + end))


def _starts_with_digit(node: Any) -> bool:
    text = "".join(child.data or "" for child in descendants(node) if child.name == "#text").lstrip(WHITE)
    return text[:1].isdigit() or (text[:1] in "-−+" and text[1:2].isdigit())
