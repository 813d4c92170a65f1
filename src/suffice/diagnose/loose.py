"""Rows in memory that are scored as a store scores its own: for an index that lives as long as one repair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.ports import Float32, Float64, Int8

K1 = 1.2
B = 0.75

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LooseRow:
    """A chunk as it is scored: vectors (n_parts, dim), counted terms, codes of each part if there are any."""

    chunk_id: str
    vectors: Float32
    terms: Mapping[str, int]
    states: tuple[Int8, ...] | None = None


class LooseRows:
    """Rows ascending by chunk id, as in a store. Only the terms that are asked for are looked up."""

    def __init__(self, rows: Sequence[LooseRow]) -> None:
        self._rows = sorted(rows, key=lambda row: row.chunk_id)
        self.row_of = {row.chunk_id: number for number, row in enumerate(self._rows)}
        sizes = [len(row.vectors) for row in self._rows]
        self._starts = np.concatenate(([0], np.cumsum(sizes)))[:-1].astype(np.intp)
        self._vectors = (
            np.concatenate([row.vectors for row in self._rows]).astype(np.float64)
            if self._rows
            else np.zeros((0, 1))
        )
        self._norms = np.sqrt(np.einsum("ij,ij->i", self._vectors, self._vectors))
        self._lengths = np.array([sum(row.terms.values()) for row in self._rows], dtype=np.int64)
        self._counts: dict[str, Float64] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def dense(self, query: Float32, mask: Mask | None = None) -> Float64:
        """(n,) float64: cosine of the query with each row's best part."""
        if not self._rows:
            return np.zeros(0)
        wide = np.asarray(query, dtype=np.float64).reshape(-1)
        lengths = self._norms * np.sqrt(np.einsum("i,i->", wide, wide))
        dots = np.einsum("ij,j->i", self._vectors, wide)
        cosines = np.divide(dots, lengths, out=np.zeros(len(dots)), where=lengths > 0)
        scores: Float64 = np.maximum.reduceat(cosines, self._starts)
        return scores if mask is None else np.where(mask, scores, np.nan)

    def lexical(self, terms: Sequence[str], mask: Mask | None = None) -> Float64:
        """(n,) float64 BM25 with the definitions of `suffice.plugins.stores`, for the rows in the mask."""
        inside = np.ones(len(self), dtype=np.bool_) if mask is None else mask
        scores = np.zeros(len(self))
        n, total = int(inside.sum()), int(self._lengths[inside].sum())
        if n and total:
            damping = K1 * (1 - B + B * (self._lengths / (total / n)))
            for counts in self._found(terms):
                counts = np.where(inside, counts, 0.0)
                df = int(np.count_nonzero(counts))
                if df:
                    idf = np.log(1 + (n - df + 0.5) / (df + 0.5))
                    scores += idf * (counts * (K1 + 1) / (counts + damping))
        return np.where(inside, scores, np.nan)

    def share_known(self, terms: Sequence[str], mask: Mask | None = None) -> float:
        """The share of the distinct terms that some row in the mask holds; 0 without terms."""
        found = [counts if mask is None else counts[mask] for counts in self._found(terms)]
        return sum(bool(counts.any()) for counts in found) / len(found) if found else 0.0

    def vectors(self, rows: Sequence[int]) -> tuple[Float32, ...]:
        """The (n_parts, dim) vectors of the rows given."""
        return tuple(self._rows[row].vectors for row in rows)

    def states(self, rows: Sequence[int]) -> tuple[tuple[Int8, ...], ...] | None:
        """The codes of each part of the rows given; None where any row has none."""
        found = [self._rows[row].states for row in rows]
        kept = tuple(codes for codes in found if codes is not None)
        return kept if len(kept) == len(found) else None

    def _found(self, terms: Sequence[str]) -> list[Float64]:
        """(n,) counts of each distinct term, in byte order of the terms, as a store adds them up."""
        wanted = sorted(set(terms), key=lambda term: term.encode("utf-8", "surrogatepass"))
        new = {term for term in wanted if term not in self._counts}
        self._counts |= {term: np.zeros(len(self)) for term in new}
        if new:
            for number, row in enumerate(self._rows):
                for term in new & row.terms.keys():
                    self._counts[term][number] = row.terms[term]
        return [self._counts[term] for term in wanted]
