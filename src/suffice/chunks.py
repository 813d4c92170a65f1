"""Documents to chunks, and what is wrong with chunks."""

from __future__ import annotations

import math
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

    Exact, but that of many chunks with the same shingles each is paired with the first alone. Candidates by
    prefix filtering: Bayardo, Ma, Srikant, "Scaling up all pairs similarity search", 2007.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"the threshold is {threshold}; it must be above 0 and at most 1")
    alike: dict[frozenset[int], list[int]] = {}
    for i, chunk in enumerate(chunks):
        if shingles := _shingles(chunk):
            alike.setdefault(shingles, []).append(i)
    found = [(group[0], other, 1.0) for group in alike.values() for other in group[1:]]
    frequency = Counter(shingle for shingles in alike for shingle in shingles)
    where: defaultdict[int, list[frozenset[int]]] = defaultdict(list)
    for shingles in sorted(alike, key=len):
        # Two sets that overlap enough share one of the rarest so many shingles of each.
        n_prefix = len(shingles) - math.ceil(threshold * len(shingles)) + 1
        rarest = sorted(shingles, key=lambda shingle: (frequency[shingle], shingle))[:n_prefix]
        for other in {other for shingle in rarest for other in where[shingle]}:
            similarity = len(shingles & other) / len(shingles | other)
            if similarity >= threshold:
                found.append((alike[other][0], alike[shingles][0], similarity))
        for shingle in rarest:
            where[shingle].append(shingles)
    pairs = []
    for i, j, similarity in found:
        first, second = sorted((chunks[i].id, chunks[j].id))
        pairs.append(NearDuplicate(first, second, similarity))
    return tuple(sorted(pairs, key=lambda pair: (-pair.similarity, pair.first, pair.second)))


def _shingles(chunk: Chunk) -> frozenset[int]:
    """Hashes of every run of 5 words; Han and kana characters count as words, being written unspaced."""
    words = _CJK.sub(r" \g<0> ", chunk.text.casefold()).split()
    if len(words) < _SHINGLE:
        return frozenset((hash(tuple(words)),)) if words else frozenset()
    return frozenset(hash(tuple(words[i : i + _SHINGLE])) for i in range(len(words) - _SHINGLE + 1))
