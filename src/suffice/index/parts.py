"""Cuts a chunk into the texts that get a vector each: nothing is truncated, nothing averaged."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from suffice.errors import EmbedderError
from suffice.text import sentences
from suffice.values import Block, Chunk, Span

VERSION = "1"
"""Changes whenever the same chunk could give other texts; part of a generation's fingerprint."""

_WORD = re.compile(r"(?<=\s)(?=\S)|(?<=[\u3000-\u303f\u3040-\u30ff\u3400-\u9fff])(?=[^\s])")
_LINE = re.compile(r"(?<=\n)(?=[^\n])")
_BLANK = re.compile(r"(?<=\n\n)(?=\S)")
_DELIMITER = re.compile(r"\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)*\|?\s*")
_SHORTEST = 0.5  # of the size aimed at: a nearer cut in a stronger place is worth parts of unequal size


class Counter(Protocol):
    """What of an embedder is needed here."""

    def count_tokens(self, text: str) -> int:
        """Tokens of the text alone."""
        ...

    def room(self) -> int:
        """Tokens that a passage may have."""
        ...


@dataclass(frozen=True, slots=True)
class _Cuts:
    """Where the text may be cut, from the best places to the worst; offsets ascending."""

    levels: tuple[tuple[int, ...], ...]
    tables: tuple[tuple[int, int, str], ...]  # body start, end, header lines

    def near(self, low: int, wanted: int, high: int) -> int:
        """The offset in [low, high] at the best kind of place, and of those the nearest to `wanted`."""
        for level in self.levels:
            begin, end = bisect_left(level, low), bisect_right(level, high)
            if begin < end:
                return min(level[begin:end], key=lambda at: (abs(at - wanted), at))
        return high

    def header(self, at: int) -> str:
        """The header of the table whose rows start before `at`, or nothing."""
        return next((header for begin, end, header in self.tables if begin < at < end), "")


def hash_of(text: str) -> str:
    """What a part's vector is kept by: the sha256 of the text that was embedded."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def embedded_texts(
    chunk: Chunk, embedder: Counter, part_chars: int, blocks: Sequence[Block] = ()
) -> tuple[str, ...]:
    """Title, heading path and text of each part, one or more; each fits the embedder's room.

    The chunk's text is cut into near-equal parts of at most `part_chars` characters, at blocks, lines (list
    items, rows), sentences, words, and anywhere as a last resort; a part of a table starts with its header.
    `blocks` are the document's. Raises EmbedderError when the room does not hold one character.
    """
    room = embedder.room()
    prefix = _prefix((chunk.title, *chunk.heading_path), embedder.count_tokens, room // 2)

    def shown(body: str) -> str:
        return f"{prefix}\n{body}" if prefix and body else prefix or body

    def fits(body: str) -> bool:
        return len(body) <= part_chars and embedder.count_tokens(shown(body)) <= room

    whole = chunk.text.strip()
    if fits(whole):
        return (shown(whole),)
    cuts = _cuts(chunk.text, _inside(chunk, blocks))
    return tuple(shown(body) for body in _bodies(chunk.text, cuts, part_chars, fits))


def _prefix(lines: Sequence[str], count: Callable[[str], int], budget: int) -> str:
    """Title and headings, each once, on a line each; the middle ones go first where there is no room."""
    kept = list(dict.fromkeys(" ".join(line.split()) for line in lines if line.strip()))
    while kept and count("\n".join(kept)) > budget:
        if len(kept) > 2:
            del kept[1]
        else:
            longest = max(range(len(kept)), key=lambda at: len(kept[at]))
            kept[longest] = kept[longest][: len(kept[longest]) // 2].rstrip()
            kept = [line for line in kept if line]
    return "\n".join(kept)


def _bodies(text: str, cuts: _Cuts, part_chars: int, fits: Callable[[str], bool]) -> Iterator[str]:
    for begin, end in _spans(0, len(text), cuts, part_chars):
        yield from _fitted(text, begin, end, cuts, part_chars, fits)


def _fitted(
    text: str, begin: int, end: int, cuts: _Cuts, limit: int, fits: Callable[[str], bool]
) -> Iterator[str]:
    """The span as one part, or cut again until each piece fits the room in tokens too."""
    pending = [(begin, end)]
    while pending:
        begin, end = pending.pop()
        bare = text[begin:end].strip()
        if not bare:
            continue
        header = _affordable(cuts.header(begin), limit)
        body = f"{header}{bare}" if header else bare
        if fits(body):
            yield body
        elif header and end - begin <= max(len(header), 2):
            # The header alone leaves no room for the row: the row's own words matter more.
            yield from _fitted(text, begin, end, _Cuts(cuts.levels, ()), limit, fits)
        elif end - begin < 2:
            raise EmbedderError(f"the embedder's window does not hold the one character {text[begin:end]!r}")
        else:
            size = end - begin
            middle = cuts.near(
                begin + max(size // 4, 1), begin + size // 2, begin + max(size * 3 // 4, size // 2)
            )
            pending += [(middle, end), (begin, middle)]


def _spans(begin: int, end: int, cuts: _Cuts, limit: int) -> list[Span]:
    """Spans of near-equal size that tile [begin, end), each at most `limit` with its table header."""
    found = []
    while begin < end:
        size = limit - len(_affordable(cuts.header(begin), limit))
        left = end - begin
        if left <= size:
            stop = end
        else:
            wanted = -(-left // -(-left // size))
            low = begin + max(int(wanted * _SHORTEST), 1)
            stop = cuts.near(low, begin + wanted, begin + size)
        found.append((begin, stop))
        begin = stop
    return found


def _affordable(header: str, limit: int) -> str:
    return header if 2 * len(header) <= limit else ""


def _inside(chunk: Chunk, blocks: Sequence[Block]) -> list[tuple[str, int, int]]:
    """Kinds and spans of the blocks in the chunk, in offsets of the chunk's text."""
    start, end = chunk.span
    return [
        (block.kind, max(block.span[0] - start, 0), min(block.span[1], end) - start)
        for block in blocks
        if block.span[0] < end and block.span[1] > start
    ]


def _cuts(text: str, blocks: Sequence[tuple[str, int, int]]) -> _Cuts:
    # A heading is never left alone at the end of a part: no cut of any kind right behind one.
    behind = {
        end + len(text[end:]) - len(text[end:].lstrip()) for kind, _, end in blocks if kind == "heading"
    }

    def allowed(offsets: Iterable[int]) -> tuple[int, ...]:
        return tuple(at for at in offsets if at > 0 and at not in behind)

    starts = sorted(begin for _, begin, _ in blocks) or [found.start() for found in _BLANK.finditer(text)]
    return _Cuts(
        (
            allowed(starts),
            allowed(found.start() for found in _LINE.finditer(text)),
            allowed(begin for begin, _ in sentences(text)),
            allowed(found.start() for found in _WORD.finditer(text)),
        ),
        tuple(_table(text, begin, end) for kind, begin, end in blocks if kind == "table"),
    )


def _table(text: str, begin: int, end: int) -> tuple[int, int, str]:
    lines = text[begin:end].splitlines(keepends=True)
    n_head = 2 if len(lines) > 2 and _DELIMITER.fullmatch(lines[1].strip()) else 1
    header = "".join(lines[:n_head])
    return begin + len(header) - 1, end, header
