"""Two switches that change an order after ranking; both off: no benchmark has shown that they help."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from suffice.ports import Float32

FIRST = 50
"""How many of the best rows are looked at; what follows keeps its place."""


def diversified(
    rows: Sequence[int], scores: Sequence[float], parts: Sequence[Float32], share: float
) -> list[int]:
    """Maximal marginal relevance (Carbonell and Goldstein 1998): share * score - (1 - share) * likeness.

    Scores are brought to [0, 1] over the rows given; likeness is the highest cosine of any part of a row with
    any part of a row picked before. `parts` holds (n_parts, dim) unit rows for each row.
    """
    values = np.asarray(scores, dtype=np.float64)
    spread = values.max() - values.min() if len(values) else 0.0
    relevance = (values - values.min()) / spread if spread else np.zeros(len(values))
    likeness = np.zeros(len(rows))
    left, picked = list(range(len(rows))), []
    while left:
        best = max(left, key=lambda at: (share * relevance[at] - (1 - share) * likeness[at], -at))
        left.remove(best)
        picked.append(rows[best])
        for at in left:
            likeness[at] = max(likeness[at], _likeness(parts[at], parts[best]))
    return picked


def seen_before(text: str, seen: set[str]) -> bool:
    """Whether the same text, white space and case aside, was met at a better rank; remembers it in `seen`."""
    plain = " ".join(text.casefold().split())
    known = plain in seen
    seen.add(plain)
    return known


def without_repeats(rows: Iterable[int], text_of: Callable[[int], str]) -> list[int]:
    """The rows, best first, without those whose text stands at a better rank."""
    seen: set[str] = set()
    return [row for row in rows if not seen_before(text_of(row), seen)]


def _likeness(one: Float32, other: Float32) -> float:
    return float(np.max(np.einsum("id,jd->ij", one.astype(np.float64), other.astype(np.float64))))
