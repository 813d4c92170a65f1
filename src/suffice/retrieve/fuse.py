"""Makes one order of several: z-scores per query, or reciprocal ranks; and the total order itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from suffice.ports import Float64

Ranks = NDArray[np.int64]
"""(n,) ranks from 1; 0 stands for not ranked."""


def order(scores: Float64) -> NDArray[np.intp]:
    """Rows from the best score to the worst; equal scores in row order, which is by chunk id.

    Rows that score NaN took no part and are left out.
    """
    rows: NDArray[np.intp] = np.argsort(-scores, kind="stable")  # NaN is sorted to the end
    return rows[: int(np.count_nonzero(~np.isnan(scores)))]


def ranks(scores: Float64) -> Ranks:
    """(n,) rank of every row under `order`, 0 where it took no part."""
    best_first = order(scores)
    result = np.zeros(len(scores), dtype=np.int64)
    result[best_first] = np.arange(1, len(best_first) + 1)
    return result


def zscore(scores: Float64) -> Float64:
    """(n,) scores less their mean, over their population standard deviation; zeros when all are equal.

    The mean and deviation are of the rows that took part (not NaN), so no other tenant's rows matter.
    """
    inside = ~np.isnan(scores)
    taking_part = scores[inside]
    result = np.full(len(scores), np.nan)
    if not len(taking_part):
        return result
    centred = taking_part - taking_part.mean()
    deviation = float(np.sqrt(np.mean(centred * centred)))
    # Equal values can differ from their own mean by rounding; that must not be blown up to a z of one.
    flat = taking_part.max() == taking_part.min() or deviation == 0
    result[inside] = 0.0 if flat else centred / deviation
    return result


def reciprocal(legs: Sequence[Ranks], k: int = 60, weights: Sequence[float] | None = None) -> Float64:
    """(n,) sum of 1 / (k + rank) over the legs that rank a row (Cormack, Clarke and Büttcher 2009).

    The value says nothing of relevance: the first of two agreeing legs always gets 2 / (k + 1).
    """
    total = np.zeros(len(legs[0]))
    for leg, weight in zip(legs, weights or [1.0] * len(legs), strict=True):
        total += np.where(leg > 0, weight / (k + np.maximum(leg, 1)), 0.0)
    return total
