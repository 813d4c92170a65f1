"""How sure a number is: intervals by bootstrap, paired tests. Seeds are fixed: the same data, the same p."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

SEED = 20261130
N_RESAMPLES = 1_000
N_PERMUTATIONS = 10_000
_BLOCK = 4_000_000  # cells of one block of resamples: 32 MB

Interval = tuple[float, float]


def mean_interval(values: Sequence[float], *, n: int = N_RESAMPLES, seed: int = SEED) -> Interval | None:
    """95 % percentile bootstrap of the mean, over questions. None below two values."""
    data = np.asarray(values, dtype=np.float64)
    if len(data) < 2:
        return None
    drawn = np.random.default_rng(seed)
    means = [data[rows].mean(axis=1) for rows in _draws(drawn, len(data), n)]
    return _middle(np.concatenate(means))


def bootstrap_interval(
    n_items: int,
    statistic: Callable[[NDArray[np.intp]], float | None],
    *,
    n: int = N_RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """95 % percentile bootstrap of a statistic of item numbers; resamples without a value are left out."""
    if n_items < 2:
        return None
    drawn = np.random.default_rng(seed)
    found = [statistic(row) for rows in _draws(drawn, n_items, n) for row in rows]
    scored = [value for value in found if value is not None]
    return _middle(np.asarray(scored, dtype=np.float64)) if len(scored) > n // 2 else None


def randomization_test(
    a: Sequence[float], b: Sequence[float], *, n: int = N_PERMUTATIONS, seed: int = SEED
) -> float | None:
    """Two-sided p of the paired randomization test of the means: signs of the differences flipped at random.

    Fisher 1935; for retrieval: Smucker, Allan and Carterette, 2007. With 12 differing pairs or fewer all
    flips are counted and p is exact, else (1 + as extreme) / (1 + n). None without pairs; 1 for equal ones.
    """
    if len(a) != len(b) or not a:
        return None
    differences = np.asarray(b, dtype=np.float64) - np.asarray(a, dtype=np.float64)
    differences = differences[differences != 0]
    if not len(differences):
        return 1.0
    size = len(differences)
    least = abs(differences.sum()) - 1e-9 * np.abs(differences).sum()
    if size <= 12:
        flips = (np.arange(2**size)[:, None] >> np.arange(size)) & 1
        return float((np.abs((2 * flips - 1) @ differences) >= least).mean())
    drawn = np.random.default_rng(seed)
    extreme, left = 0, n
    while left:
        rows = min(left, max(1, _BLOCK // size))
        signs = drawn.integers(0, 2, (rows, size), dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ differences) >= least).sum())
        left -= rows
    return (1 + extreme) / (1 + n)


def mcnemar(only_a: int, only_b: int) -> float:
    """Exact two-sided p that yes/no pairs which differ fall either way with equal chance (McNemar 1947)."""
    n, fewer = only_a + only_b, min(only_a, only_b)
    if not n:
        return 1.0
    tail: int = sum(math.comb(n, i) for i in range(fewer + 1))
    return min(1.0, 2 * tail / (1 << n))


def _draws(drawn: np.random.Generator, size: int, n: int) -> list[NDArray[np.intp]]:
    """`n` resamples of `size` item numbers with replacement, in blocks (rows, size)."""
    step = max(1, _BLOCK // size)
    return [
        drawn.integers(0, size, (min(step, n - start), size), dtype=np.intp) for start in range(0, n, step)
    ]


def _middle(values: NDArray[np.float64]) -> Interval:
    low, high = np.percentile(values, [2.5, 97.5])
    return (float(low), float(high))
