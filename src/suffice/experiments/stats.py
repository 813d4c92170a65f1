"""How sure a number is: bootstrap and exact intervals, paired tests. Seeds are fixed: same data, same p."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice

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


# --- a share: exact binomial intervals ------------------------------------------------------------


def at_most(k: int, n: int, share: float) -> float:
    """Chance of at most `k` of `n` where each happens with chance `share`: the binomial's lower tail."""
    if k < 0:
        return 0.0
    return min(1.0, math.fsum(islice(_chances(n, share), k + 1)))


def upper_bound(k: int, n: int, confidence: float = 0.95) -> float:
    """The largest share under which `k` or fewer of `n` still have the chance 1 - confidence; 1 for n = 0.

    One-sided exact bound of Clopper and Pearson, The use of confidence or fiducial limits illustrated in the
    case of the binomial, 1934: the beta quantile, here by bisection on the binomial's tail.
    """
    if k >= n:
        return 1.0
    return _share_where(lambda share: at_most(k, n, share) <= 1.0 - confidence)


def lower_bound(k: int, n: int, confidence: float = 0.95) -> float:
    """The mirror image of `upper_bound`; 0 for n = 0."""
    return 1.0 - upper_bound(n - k, n, confidence) if k else 0.0


def share_interval(k: int, n: int) -> Interval | None:
    """Two-sided 95 % interval of Clopper and Pearson for `k` of `n`. None for n = 0."""
    return (lower_bound(k, n, 0.975), upper_bound(k, n, 0.975)) if n else None


def most_within(n: int, rate: float, confidence: float = 0.95) -> int | None:
    """The most of `n` whose `upper_bound` does not exceed the rate; None where not even 0 of n do."""
    under = sum(tail <= 1.0 - confidence for tail in accumulate(_chances(n, rate)))
    return under - 1 if under else None


def needed_for(rate: float, confidence: float = 0.95) -> int:
    """The least n for which 0 of n have an `upper_bound` within the rate: 29 for 10 %, 59 for 5 %."""
    return math.ceil(math.log(1.0 - confidence) / math.log1p(-rate) - 1e-9)


def _chances(n: int, share: float) -> Iterator[float]:
    """Chance of exactly 0, 1 .. n of `n`."""
    if not 0.0 < share < 1.0:
        yield from (float(i == round(share * n)) for i in range(n + 1))
        return
    log_share, log_rest, whole = math.log(share), math.log1p(-share), math.lgamma(n + 1)
    for i in range(n + 1):
        ways = whole - math.lgamma(i + 1) - math.lgamma(n - i + 1)
        yield math.exp(ways + i * log_share + (n - i) * log_rest)


def _share_where(holds: Callable[[float], bool]) -> float:
    """The least share, to 1e-12, from which on it holds."""
    low, high = 0.0, 1.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _draws(drawn: np.random.Generator, size: int, n: int) -> list[NDArray[np.intp]]:
    """`n` resamples of `size` item numbers with replacement, in blocks (rows, size)."""
    step = max(1, _BLOCK // size)
    return [
        drawn.integers(0, size, (min(step, n - start), size), dtype=np.intp) for start in range(0, n, step)
    ]


def _middle(values: NDArray[np.float64]) -> Interval:
    low, high = np.percentile(values, [2.5, 97.5])
    return (float(low), float(high))
