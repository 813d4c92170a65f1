"""Late interaction: each token of the query finds its best match among a passage's tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from suffice.ports import Float64, Int8

FIRST = 50
"""How many of the best rows are scored; the others keep their order below them."""

_ONE_THREAD = 200_000
"""Multiplications in one matrix product: OpenBLAS starts threads above 2**18, which on a busy machine
wait for each other (measured: 14 ms of CPU a query in one product, 3.6 on one thread)."""


def maxsim(query: Int8, rows: Sequence[Sequence[Int8]]) -> Float64:
    """(n,) mean best cosine of the query's tokens in the row's best part (Khattab and Zaharia 2020).

    `query` is (n_tokens, dim) int8, each row a sequence of parts of (n_tokens, dim) int8; a row whose parts
    hold no token scores 0. Dot products of int8 codes are whole numbers below 2**24 (dim up to 1,040), which
    float32 holds exactly, so the bits depend neither on threads nor on what stands beside a part.
    """
    parts = [part for row in rows for part in row]
    sizes = np.array([len(part) for part in parts], dtype=np.int64)
    scores = np.zeros(len(parts))
    filled = np.flatnonzero(sizes)
    if len(filled) and len(query):
        tokens = np.concatenate([parts[part] for part in filled]).astype(np.float32)
        starts = np.concatenate(([0], np.cumsum(sizes[filled])[:-1]))
        asked = query.astype(np.float32)
        cosines = np.empty((len(asked), len(tokens)))
        block = max(_ONE_THREAD // asked.size, 1)
        for start in range(0, len(tokens), block):
            cosines[:, start : start + block] = asked @ tokens[start : start + block].T
        cosines /= _lengths(tokens)
        best = np.maximum.reduceat(cosines, starts, axis=1)
        best /= _lengths(asked)[:, None]
        total = np.zeros(len(filled))
        for row in best:  # one by one: numpy adds an axis in an order that depends on the shape
            total += row
        scores[filled] = total / len(query)
    owner = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    result = np.full(len(rows), -np.inf)
    np.maximum.at(result, owner, scores)
    return np.where(np.isfinite(result), result, 0.0)


def above(before: Float64, mixed: Float64, head: NDArray[np.intp]) -> Float64:
    """(n,) scores in which the rows of `head` stand above all others, by `mixed`, and the others by `before`.

    The rows of `head` are moved up or down together, so that their least score is not below the best of the
    others: what a score is worth is told by its differences, here as in every z-score.
    """
    others = before.copy()
    others[head] = np.nan
    result = others
    moved = mixed[head]
    if not np.all(np.isnan(others)):
        # a whole number above: no tie can put one of the others, earlier by id, in front
        moved = moved - moved.min() + np.floor(np.nanmax(others)) + 1.0
    result[head] = moved
    return result


def _lengths(codes: NDArray[np.float32]) -> Float64:
    """Lengths of rows of whole numbers, 1 for a row of zeros: its cosine is 0 either way."""
    squares = np.einsum("ij,ij->i", codes, codes).astype(np.float64)
    lengths: Float64 = np.sqrt(np.maximum(squares, 1.0))
    return lengths
