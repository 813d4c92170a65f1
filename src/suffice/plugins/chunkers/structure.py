"""Chunks by structure: consecutive blocks under one heading, up to `max_chars`, without overlap.

A heading is bound to what stands right below it, a lead-in to the list, table or code that it introduces;
tables, code and `<details>` are never split. Where to cut a section that is too long is decided over
all its places at once (dynamic programming over the costs below): packing blocks greedily left
step lists torn and last chunks of a few words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from suffice.errors import SettingsError
from suffice.values import Block, BlockKind, Chunk, Document, Span, chunk_id

# What a cut costs, against 1 for one chunk more. The order is what matters: cut between paragraphs first.
_CUT_SENTENCES = 0.25
_CUT_BULLETS = 0.3
_CUT_STEPS = 1.6
_CUT_LEAD_IN = 4.0
_OVER = 10.0
_TINY = 0.6
_UNEVEN = 0.3
_TINY_CHARS = 200
_LABEL_CHARS = 400
_WHOLE = frozenset(("table", "code", "details"))
_INTRODUCED = frozenset(("table", "code", "list_item", "details"))
_MARKS = " \t\n\r-*_>"  # thematic breaks and quote marks: between blocks, but no text
_LEAD_END = re.compile(r"[:：][*_`)\]\s]*$")
_STEP = re.compile(r"[\s>]*\d{1,9}[.)、]")
_SENTENCE_END = re.compile(r"[.!?…]['\")\]”’»*_]*(?=\s)|[。！？｡][」』”’）)]*|\n")
_MOST_ATOMS = 2000


@dataclass(frozen=True, slots=True)
class _Atom:
    """What is never cut, and what it costs to cut before it."""

    span: Span
    kind: BlockKind
    cut_before: float = 0.0


class StructureChunker:
    """Cuts along headings and blocks."""

    name = "structure"
    version = "1"

    def __init__(self, max_chars: int) -> None:
        self.max_chars = max_chars

    def cut(self, document: Document) -> tuple[Chunk, ...]:
        """Chunks in document order; every character of every block but headings is in exactly one."""
        seen: Counter[tuple[tuple[str, ...], str]] = Counter()
        chunks = []
        pages = [(block.span[0], block.level) for block in document.blocks if block.kind == "page"]
        for path, headings, blocks in _sections(document.blocks):
            for span, kinds in self._section(document.text, headings, blocks):
                text = document.text[span[0] : span[1]]
                occurrence = seen[path, text]
                seen[path, text] += 1
                page = next((number for start, number in reversed(pages) if start <= span[0]), None)
                chunks.append(
                    Chunk(
                        id=chunk_id(document.tenant, document.name, path, text, occurrence),
                        document=document.name,
                        title=document.title,
                        heading_path=path,
                        span=span,
                        text=text,
                        kinds=kinds,
                        page=page,
                        oversized=len(text) > self.max_chars,
                        tenant=document.tenant,
                    )
                )
        return tuple(chunks)

    def _section(
        self, text: str, headings: list[Block], blocks: list[Block]
    ) -> Iterator[tuple[Span, tuple[BlockKind, ...]]]:
        """Spans and kinds of one section's chunks, its headings in the first."""
        for run in _runs(text, [*headings, *blocks]):
            lead = [block for block in run if block.kind == "heading"]
            rest = [block for block in run if block.kind != "heading"]
            if not rest:
                if not blocks:
                    yield (lead[0].span[0], lead[-1].span[1]), ("heading",)
                continue  # else: a comment stands below the heading; the path still carries its words
            start = lead[0].span[0] if lead else rest[0].span[0]
            atoms = self._atoms(text, rest)
            for i, (first, last) in enumerate(self._pack(atoms, start)):
                kinds = [block.kind for block in lead if not i] + [atom.kind for atom in atoms[first:last]]
                begin = atoms[first].span[0] if i else start
                yield (begin, atoms[last - 1].span[1]), tuple(dict.fromkeys(kinds))

    def _atoms(self, text: str, blocks: list[Block]) -> list[_Atom]:
        atoms: list[_Atom] = []
        for i, block in enumerate(blocks):
            cost = _cost(text, blocks[i - 1], block) if i else 0.0
            start, end = block.span
            if end - start <= self.max_chars or block.kind in _WHOLE:
                atoms.append(_Atom(block.span, block.kind, cost))
                continue
            for span in _split(text, block.span, self.max_chars):
                atoms.append(_Atom(span, block.kind, cost))
                cost = _CUT_SENTENCES
        return atoms

    def _pack(self, atoms: list[_Atom], start: int) -> list[tuple[int, int]]:
        """Half-open ranges of atoms, one a chunk, of the least total cost."""
        if atoms[-1].span[1] - start <= self.max_chars:
            return [(0, len(atoms))]
        reach = len(atoms) if len(atoms) <= _MOST_ATOMS else 64
        best = [0.0] + [float("inf")] * len(atoms)
        origin = [0] * (len(atoms) + 1)
        for end in range(1, len(atoms) + 1):
            for first in range(end - 1, max(end - 1 - reach, -1), -1):
                begin = atoms[first].span[0] if first else start
                size = atoms[end - 1].span[1] - begin
                if size > self.max_chars and end - first > 1 and not self._oversized(atoms[first:end]):
                    break
                cost = best[first] + self._chunk_cost(size)
                if first:
                    cost += atoms[first].cut_before
                if cost < best[end]:
                    best[end], origin[end] = cost, first
        ranges = []
        end = len(atoms)
        while end:
            ranges.append((origin[end], end))
            end = origin[end]
        return ranges[::-1]

    def _oversized(self, atoms: list[_Atom]) -> bool:
        """A lead-in goes with the table or code that is over the limit by itself."""
        last = atoms[-1]
        glued = all(atom.cut_before >= _CUT_LEAD_IN for atom in atoms[1:])
        return glued and last.span[1] - last.span[0] > self.max_chars

    def _chunk_cost(self, size: int) -> float:
        if size > self.max_chars:
            return 1 + _OVER
        slack = 1 - size / self.max_chars
        return 1 + _UNEVEN * slack * slack + (_TINY if size < _TINY_CHARS else 0.0)


def create(*, max_chars: int = 2400, **options: Any) -> StructureChunker:
    """The chunker. Raises SettingsError on an unknown option or a limit that is too small."""
    if options:
        raise SettingsError(f"the structure chunker has no option {', '.join(sorted(options))}")
    if not isinstance(max_chars, int) or max_chars < 1:
        raise SettingsError(f"chunk.max_chars is {max_chars!r}; it must be a whole number, 1 or more")
    return StructureChunker(max_chars)


def _sections(blocks: tuple[Block, ...]) -> Iterator[tuple[tuple[str, ...], list[Block], list[Block]]]:
    """(heading path, headings right above, blocks below) in order.

    A heading directly below a higher one is bound to it: both stand above what follows.
    """
    path: list[tuple[int, str]] = []
    headings: list[Block] = []
    below: list[Block] = []
    for block in blocks:
        if block.kind == "page" and block.span[0] == block.span[1]:
            continue
        if block.kind != "heading":
            below.append(block)
            continue
        if below or (headings and block.level <= headings[-1].level):
            yield tuple(words for _, words in path), headings, below
            headings, below = [], []
        path = [(level, words) for level, words in path if level < block.level]
        path.append((block.level, block.text))
        headings.append(block)
    if headings or below:
        yield tuple(words for _, words in path), headings, below


def _runs(text: str, blocks: list[Block]) -> Iterator[list[Block]]:
    """Blocks with nothing but white space and marks between them: a removed part is in no chunk."""
    run: list[Block] = []
    for block in blocks:
        if run and text[run[-1].span[1] : block.span[0]].strip(_MARKS):
            yield run
            run = []
        run.append(block)
    if run:
        yield run


def _cost(text: str, before: Block, block: Block) -> float:
    """What it costs to cut between two neighbouring blocks."""
    words = text[before.span[0] : before.span[1]]
    leads_in = _LEAD_END.search(words[-20:]) is not None
    introduced = block.kind in _INTRODUCED and len(words) <= _LABEL_CHARS
    if before.kind == "paragraph" and (leads_in or introduced):
        return _CUT_LEAD_IN
    indented = text[block.span[0] : block.span[0] + 1] in (" ", "\t")
    if before.kind == "list_item" and block.kind in _WHOLE and indented:
        return _CUT_LEAD_IN
    if before.kind == "list_item" and (block.kind == "list_item" or indented):
        nested = block.level > before.level
        if nested and _LEAD_END.search(words):
            return _CUT_LEAD_IN
        return (
            _CUT_STEPS
            if _STEP.match(text, block.span[0]) or _STEP.match(words)
            else _CUT_BULLETS + 0.2 * nested
        )
    if block.kind == "list_item" and indented:
        return _CUT_STEPS
    return 0.0


def _split(text: str, span: Span, most: int) -> list[Span]:
    """Sentences of a text over the limit; one over the limit is cut at white space, or anywhere."""
    start, end = span
    ends = [match.end() for match in _SENTENCE_END.finditer(text, start, end)]
    spans: list[Span] = []
    at = start
    for stop in [*ends, end]:
        while stop - at > most:
            cut = max(text.rfind(" ", at + most // 2, at + most), text.rfind("\n", at + most // 2, at + most))
            cut = cut if cut > at else at + most
            spans.append((at, cut))
            at = cut
        if stop > at:
            spans.append((at, stop))
            at = stop
    return [trimmed for piece in spans if (trimmed := _trim(text, piece))]


def _trim(text: str, span: Span) -> Span | None:
    words = text[span[0] : span[1]]
    start = span[0] + len(words) - len(words.lstrip())
    end = span[1] - (len(words) - len(words.rstrip()))
    return (start, end) if start < end else None
