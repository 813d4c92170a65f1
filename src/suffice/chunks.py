"""Documents to chunks, and what is wrong with chunks."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from suffice import registry
from suffice.ports import Chunker
from suffice.settings import ChunkSettings
from suffice.values import Chunk, Document

Fault = Literal["heading_only", "oversized", "truncated"]
_CJK = re.compile("[\u3041-\u30ff\u3400-\u9fff]")
_SHINGLE = 5  # words; shorter ones make unrelated templates alike
_COMMON = 64  # a shingle in more chunks than this tells nothing, and pairs of them are quadratic


@dataclass(frozen=True, slots=True)
class Lint:
    """One finding about one chunk. `size` is in characters (truncated: tokens), as is `limit`."""

    chunk_id: str
    document: str
    fault: Fault
    size: int
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Two chunks whose word shingles overlap: `similarity` is their Jaccard index, in [0, 1]."""

    first: str
    second: str
    similarity: float


def cut(document: Document, settings: ChunkSettings) -> tuple[Chunk, ...]:
    """The document's chunks by the chunker that the settings name. Raises PluginNotFound."""
    return chunker(settings).cut(document)


def chunker(settings: ChunkSettings) -> Chunker:
    """The chunker that the settings name; make it once for many documents."""
    made: Chunker = registry.create("chunker", settings.name, max_chars=settings.max_chars)
    return made


def lint_chunks(
    chunks: Iterable[Chunk],
    count_tokens: Callable[[str], int] | None = None,
    room: int | None = None,
    *,
    max_chars: int | None = None,
) -> tuple[Lint, ...]:
    """Chunks that are heading-only or oversized, and with `count_tokens` those that an embedder with
    `room` tokens would cut if it were given the whole chunk (suffice gives it parts instead).
    """
    findings = []
    for chunk in chunks:
        if chunk.heading_only:
            findings.append(Lint(chunk.id, chunk.document, "heading_only", len(chunk.text)))
        if chunk.oversized:
            findings.append(Lint(chunk.id, chunk.document, "oversized", len(chunk.text), max_chars))
        if count_tokens is not None and room is not None:
            n_tokens = count_tokens(chunk.text)
            if n_tokens > room:
                findings.append(Lint(chunk.id, chunk.document, "truncated", n_tokens, room))
    return tuple(findings)


def near_duplicates(chunks: Sequence[Chunk], threshold: float = 0.9) -> tuple[NearDuplicate, ...]:
    """Pairs with a Jaccard index of their word shingles of at least `threshold`, most alike first.

    Exact but for shingles that stand in more than 64 chunks: they make no pair by themselves.
    """
    shingles = [_shingles(chunk) for chunk in chunks]
    where: defaultdict[int, list[int]] = defaultdict(list)
    for i, own in enumerate(shingles):
        for shingle in own:
            where[shingle].append(i)
    rare = [[s for s in own if len(where[s]) <= _COMMON] for own in shingles]
    pairs: set[tuple[int, int]] = set()
    for i, few in enumerate(rare):
        shared = Counter(j for shingle in few for j in where[shingle] if j > i)
        pairs.update((i, j) for j, n in shared.items() if n >= 0.5 * threshold * min(len(few), len(rare[j])))
    # Texts made of nothing but common shingles: equal ones are still found, by their whole set.
    same: defaultdict[frozenset[int], list[int]] = defaultdict(list)
    for i, own in enumerate(shingles):
        if own and not rare[i]:
            same[own].append(i)
    pairs.update((group[0], other) for group in same.values() for other in group[1:])
    found = []
    for i, j in pairs:
        similarity = len(shingles[i] & shingles[j]) / len(shingles[i] | shingles[j])
        if similarity >= threshold:
            first, second = sorted((chunks[i].id, chunks[j].id))
            found.append(NearDuplicate(first, second, similarity))
    return tuple(sorted(found, key=lambda pair: (-pair.similarity, pair.first, pair.second)))


def _shingles(chunk: Chunk) -> frozenset[int]:
    """Hashes of every run of 5 words; Han and kana characters count as words, being written unspaced."""
    words = _CJK.sub(r" \g<0> ", chunk.text.casefold()).split()
    if len(words) < _SHINGLE:
        return frozenset((hash(tuple(words)),)) if words else frozenset()
    return frozenset(hash(tuple(words[i : i + _SHINGLE])) for i in range(len(words) - _SHINGLE + 1))
