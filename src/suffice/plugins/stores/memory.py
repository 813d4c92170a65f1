"""The plain reference: every definition written out row by row. For tests, and for comparing other stores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import SettingsError, StoreError
from suffice.ports import Float32, Float64, Int8, StoreRow

K1 = 1.2
B = 0.75


def create(**options: Any) -> MemoryStore:
    """An empty store; `path` is taken and not used, so that it can stand in for any other."""
    options.pop("path", None)
    if options:
        raise SettingsError(f"the memory store takes no options; got {', '.join(options)}")
    return MemoryStore()


class MemoryStore:
    """Keeps rows in a list; scores one row at a time."""

    name = "memory"
    version = "1"

    def __init__(self) -> None:
        self._rows: tuple[StoreRow, ...] = ()
        self._dim = 0
        self._revision: str | None = None

    def build(self, rows: Iterable[StoreRow], revision: str, dim: int) -> None:
        """Replace everything. Raises StoreError for rows that do not fit."""
        ordered = sorted(rows, key=lambda row: row.chunk_id)
        if len({row.chunk_id for row in ordered}) != len(ordered):
            raise StoreError("two rows have the same chunk id; a chunk is stored once")
        for row in ordered:
            shape = np.shape(row.vectors)
            if len(shape) != 2 or shape[1] != dim or not shape[0]:
                raise StoreError(
                    f"the chunk {row.chunk_id} has vectors of the shape {shape}; needed: (1 or more, {dim})"
                )
            if not np.isfinite(row.vectors).all():
                raise StoreError(f"the chunk {row.chunk_id} has a vector with a value that is not finite")
            if row.states is not None and len(row.states) != len(row.vectors):
                raise StoreError(
                    f"the chunk {row.chunk_id} has {len(row.vectors)} parts and states of {len(row.states)}"
                )
        if len({row.states is None for row in ordered}) > 1:
            raise StoreError("some rows have token states and some have none; all have them, or none")
        widths = {np.shape(codes)[1:] for row in ordered for codes in row.states or ()}
        if len(widths) > 1:
            raise StoreError(f"token states of different widths came: {sorted(widths)}")
        self._rows, self._dim, self._revision = tuple(ordered), dim, revision

    def revision(self) -> str | None:
        """The revision given to `build`; None before."""
        return self._revision

    def chunk_ids(self) -> tuple[str, ...]:
        """Ids of all rows, ascending. Raises StoreError before anything was built."""
        return tuple(row.chunk_id for row in self._built())

    def dense(self, query: Float32, mask: NDArray[np.bool_] | None = None) -> Float64:
        """(n,) float64: the best part's cosine, by `math.fsum` over exact products."""
        rows = self._built()
        wide = [float(value) for value in np.asarray(query).reshape(-1)]
        if len(wide) != self._dim:
            raise StoreError(f"the query's vector has {len(wide)} dimensions, the index has {self._dim}")
        inside = self._inside(mask)
        return np.array(
            [
                max(_cosine(wide, part.tolist()) for part in np.asarray(row.vectors, dtype=np.float32))
                if keep
                else math.nan
                for row, keep in zip(rows, inside, strict=True)
            ],
            dtype=np.float64,
        )

    def lexical(self, terms: Sequence[str], mask: NDArray[np.bool_] | None = None) -> Float64:
        """(n,) float64 BM25, with the statistics of the rows in the mask; a repeated term counts once."""
        rows = self._built()
        inside = self._inside(mask)
        taking_part = [row for row, keep in zip(rows, inside, strict=True) if keep]
        n = len(taking_part)
        total = sum(sum(row.terms.values()) for row in taking_part)
        df = {term: sum(row.terms.get(term, 0) > 0 for row in taking_part) for term in sorted(set(terms))}

        def score(row: StoreRow) -> float:
            result = 0.0
            for term, found in df.items():
                count = row.terms.get(term, 0)
                if count:
                    idf = math.log(1 + (n - found + 0.5) / (found + 0.5))
                    damping = K1 * (1 - B + B * sum(row.terms.values()) / (total / n))
                    result += idf * count * (K1 + 1) / (count + damping)
            return result

        return np.array(
            [score(row) if keep else math.nan for row, keep in zip(rows, inside, strict=True)],
            dtype=np.float64,
        )

    def share_known(self, terms: Sequence[str], mask: NDArray[np.bool_] | None = None) -> float:
        """The share of the distinct terms that some row in the mask holds; 0 without terms."""
        rows = [row for row, keep in zip(self._built(), self._inside(mask), strict=True) if keep]
        distinct = set(terms)
        known = sum(any(row.terms.get(term, 0) > 0 for row in rows) for term in distinct)
        return known / len(distinct) if distinct else 0.0

    def vectors(self, rows: Sequence[int]) -> tuple[Float32, ...]:
        """The (n_parts, dim) vectors of the rows given, copied."""
        built = self._built()
        if any(not 0 <= row < len(built) for row in rows):
            raise StoreError(f"there are {len(built)} rows; one of {list(rows)[:5]} … is none of them")
        return tuple(np.array(built[row].vectors, dtype=np.float32) for row in rows)

    def states(self, rows: Sequence[int]) -> tuple[tuple[Int8, ...], ...] | None:
        """The codes of each part of the rows given, copied; None when there are none."""
        built = self._built()
        if any(not 0 <= row < len(built) for row in rows):
            raise StoreError(f"there are {len(built)} rows; one of {list(rows)[:5]} … is none of them")
        if not built or built[0].states is None:
            return None
        return tuple(
            tuple(np.array(codes, dtype=np.int8) for codes in built[row].states or ()) for row in rows
        )

    def verify(self) -> None:
        """Nothing can rot in memory. Raises StoreError before anything was built."""
        self._built()

    def _built(self) -> tuple[StoreRow, ...]:
        if self._revision is None:
            raise StoreError("there is no index in memory yet")
        return self._rows

    def _inside(self, mask: NDArray[np.bool_] | None) -> list[bool]:
        n = len(self._rows)
        if mask is None:
            return [True] * n
        if mask.shape != (n,) or mask.dtype != np.bool_:
            raise StoreError(f"a mask over {n} rows was expected; got {mask.dtype} of the shape {mask.shape}")
        return [bool(keep) for keep in mask]


def _cosine(one: list[float], other: list[float]) -> float:
    length = math.sqrt(math.fsum(x * x for x in one)) * math.sqrt(math.fsum(x * x for x in other))
    return math.fsum(x * y for x, y in zip(one, other, strict=True)) / length if length else 0.0
