"""The text of an HTML page while it is made, each piece with its place in the source."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.text.encodings import Decoded, byte_offsets
from suffice.values import Block, BlockKind, Segment, Span

WHITE = " \t\n\r\f"  # the white space of HTML: a no-break space is a character
_WORD = re.compile(rf"[^{WHITE}]+")
_REFERENCE = re.compile(r"&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,7}|[0-9A-Za-z]{1,40});?")
_TAG = re.compile(r"<!--.*?-->|<[^>]*>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Piece:
    """Text and where it stands in the source (code points); `source` None: put in by us."""

    text: str
    source: Span | None = None
    linear: bool = True


def located(source: str, start: int | None, data: str) -> list[Piece]:
    """A text node in pieces: plain runs map one by one, a character reference whole to whole."""
    if start is None:
        return [Piece(data)]
    if source.startswith(data, start):
        return [Piece(data, (start, start + len(data)))]
    pieces: list[Piece] = []
    at = run = 0  # in the data: what is being read, and where the plain run began
    position, run_start = start, start
    while at < len(data) and position < len(source):
        char = source[position]
        if char == data[at] and char != "&":
            at += 1
            position += 1
            continue
        reference = _REFERENCE.match(source, position) if char == "&" else None
        if reference is not None:
            meant = html.unescape(reference.group())
            if data.startswith(meant, at):
                pieces += _run(data, run, at, run_start)
                pieces.append(Piece(meant, reference.span(), linear=False))
                at += len(meant)
                position = reference.end()
                run, run_start = at, position
                continue
        if char == data[at]:  # a bare ampersand
            at += 1
            position += 1
            continue
        tag = _TAG.match(source, position)
        if tag is None:
            break
        # The tree joins text across tags that it moved or dropped.
        pieces += _run(data, run, at, run_start)
        position = tag.end()
        run, run_start = at, position
    pieces += _run(data, run, at, run_start)
    if at < len(data):
        pieces.append(Piece(data[at:], (position, position), linear=False))
    return pieces


def _run(data: str, run: int, at: int, start: int) -> list[Piece]:
    return [Piece(data[run:at], (start, start + at - run))] if at > run else []


class Inline:
    """Words of one paragraph, cell or heading: white space folded as a browser does."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self._space: Span | None = None
        self._owes_space = False

    def __bool__(self) -> bool:
        return bool(self.pieces)

    def add(self, piece: Piece) -> None:
        """Text as it stands in the source."""
        at = 0
        for match in _WORD.finditer(piece.text):
            if match.start() > at or (at == 0 and match.start()):
                self._owe(_part(piece, at, match.start()))
            self._put(_part(piece, *match.span()))
            at = match.end()
        if at < len(piece.text):
            self._owe(_part(piece, at, len(piece.text)))

    def line_break(self, indent: str = "") -> None:
        """A `<br>`: what follows stands on a new line."""
        self._owes_space = False
        if self.pieces:
            self.pieces.append(Piece("\n" + indent))

    def mark(self, text: str) -> None:
        """A mark of ours between two words, without white space."""
        self.pieces.append(Piece(text))

    def last_char(self) -> str:
        """The last character put, or nothing; nothing when white space follows it."""
        return self.pieces[-1].text[-1] if self.pieces and not self._owes_space else ""

    def take(self) -> list[Piece]:
        """All pieces, and begin anew."""
        pieces = self.pieces
        while pieces and not pieces[-1].text.strip(WHITE):
            pieces.pop()
        self.__init__()  # type: ignore[misc]
        return pieces

    def _owe(self, white: Piece) -> None:
        if not self._owes_space:
            self._owes_space = True
            self._space = white.source if len(white.text) == 1 and white.linear else None
        else:
            self._space = None

    def _put(self, word: Piece) -> None:
        if self._owes_space and self.pieces and not self.pieces[-1].text.endswith("\n"):
            self._append(Piece(" ", self._space))
        self._owes_space = False
        self._append(word)

    def _append(self, piece: Piece) -> None:
        """Joined to the piece before it where both stand side by side in the source."""
        last = self.pieces[-1] if self.pieces else None
        joins = last is not None and last.linear and piece.linear and last.source and piece.source
        if joins and last is not None and last.source and piece.source and last.source[1] == piece.source[0]:
            self.pieces[-1] = Piece(last.text + piece.text, (last.source[0], piece.source[1]))
        else:
            self.pieces.append(piece)


def _part(piece: Piece, start: int, end: int) -> Piece:
    if piece.source is None or not piece.linear:
        return Piece(piece.text[start:end], piece.source, piece.linear)
    return Piece(piece.text[start:end], (piece.source[0] + start, piece.source[0] + end))


class Page:
    """Blocks one after another, as they are finished."""

    def __init__(self, decoded: Decoded, data: bytes) -> None:
        self._decoded = decoded
        self._data = data
        self._parts: list[str] = []
        self._length = 0
        self._sources: list[tuple[Span, Span, bool]] = []
        self.blocks: list[Block] = []

    def block(self, kind: BlockKind, pieces: list[Piece], level: int = 0, *, tight: bool = False) -> None:
        """A block of the pieces given; `tight` puts it on the next line, else a blank line stands between."""
        if not any(piece.text.strip() for piece in pieces):
            return
        if self._length:
            self._put(Piece("\n" if tight else "\n\n"))
        start = self._length
        for piece in pieces:
            self._put(piece)
        text = "".join(self._parts[-len(pieces) :])
        end = start + len(text.rstrip())
        start += len(text) - len(text.lstrip("\n")) if kind == "code" else 0
        words = " ".join(text.split()) if kind == "heading" else ""
        self.blocks.append(Block(kind, (start, end), level, words))

    def join(self, first: int, kind: BlockKind) -> None:
        """Make one block of all blocks from index `first` on."""
        if len(self.blocks) > first:
            span = (self.blocks[first].span[0], self.blocks[-1].span[1])
            self.blocks[first:] = [Block(kind, span)]

    def text(self) -> str:
        """All of it."""
        return "".join(self._parts)

    def segments(self) -> tuple[Segment, ...]:
        """The way back, in bytes of the raw file."""
        if not self._sources:
            return ()
        starts, ends = _bytes_of(self._decoded, self._data)
        found = []
        for span, (begin, end), linear in self._sources:
            raw_start = int(starts[begin]) if begin < len(starts) else len(self._data)
            raw_end = int(ends[end - 1]) if end > begin else raw_start
            found.append(Segment(span=span, raw_span=(raw_start, raw_end), linear=linear))
        return tuple(found)

    def _put(self, piece: Piece) -> None:
        self._parts.append(piece.text)
        if piece.source is not None and piece.text:
            for part in self._lines(piece):
                span = (self._length, self._length + len(part.text))
                self._sources.append((span, part.source or (0, 0), part.linear))
                self._length += len(part.text)
        else:
            self._length += len(piece.text)

    def _lines(self, piece: Piece) -> Iterator[Piece]:
        """Where lines end in CR LF, a line end is two bytes for one character: pieces end there."""
        if not piece.linear or piece.source is None or len(self._decoded.segments) < 2:
            yield piece
            return
        source = self._decoded.text[piece.source[0] : piece.source[1]]
        at = 0
        for line in source.splitlines(keepends=True) if len(source) == len(piece.text) else [piece.text]:
            yield _part(piece, at, at + len(line))
            at += len(line)


def _bytes_of(decoded: Decoded, data: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(n,) and (n,): the byte at which each code point of the decoded text starts, and ends."""
    starts = np.zeros(len(decoded.text), dtype=np.int64)
    ends = np.zeros(len(decoded.text), dtype=np.int64)
    for segment in decoded.segments:
        (begin, end), (raw_begin, raw_end) = segment.span, segment.raw_span
        offsets = byte_offsets(data[raw_begin:raw_end], decoded.encoding) + raw_begin
        starts[begin:end] = offsets[:-1]
        ends[begin:end] = offsets[1:]
    return starts, ends
