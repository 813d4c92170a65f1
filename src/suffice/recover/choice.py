"""choose(): of the questions that were searched, the few that lead to most of what the evidence lacks.

Counting the new chunks alone led to a missing piece on fewer questions (64 against 69 of 113 joined ones,
3 or 4 against 5 of 6 in documentation); so did leaving out how the need itself ranks them (34 of 113).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

STEADY = 5
"""Added to a rank before its reciprocal: how little the first places count more than the next."""
NEAR = 20
"""The rank in the need's own ranking at which a chunk counts half: what a wording found that the need itself
ranks low is more often about something else."""
UNRANKED = 60
"""Taken for the rank of a chunk that the need's ranking does not name among its first 50."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What one candidate found: chunk ids, best first; `ranked` is its need's own ranking, likewise."""

    found: tuple[str, ...]
    ranked: tuple[str, ...]


def choose(searched: Sequence[Searched], known: Sequence[str], n: int) -> tuple[tuple[int, int], ...]:
    """At most n candidates, the greatest gain first: index, and how many chunks it finds that are not known.

    A chunk that is not in the evidence is worth the more, the more candidates found it, the nearer to the
    top, and the better the need itself ranks it. Each choice counts only what those before it did not
    find, so that three wordings of the same do not take all three places. Without a gain the earlier wins.
    """
    votes: defaultdict[str, float] = defaultdict(float)
    for one in searched:
        for rank, chunk in enumerate(one.found, 1):
            votes[chunk] += 1 / (STEADY + rank)
    places = [{chunk: rank for rank, chunk in enumerate(one.ranked, 1)} for one in searched]
    seen = set(known)
    left = list(range(len(searched)))
    chosen: list[tuple[int, int]] = []

    def gain(at: int) -> float:
        new = (chunk for chunk in searched[at].found if chunk not in seen)
        return sum(votes[chunk] * NEAR / (NEAR + places[at].get(chunk, UNRANKED)) for chunk in new)

    while left and len(chosen) < n:
        best = max(left, key=lambda at: (gain(at), -at))
        left.remove(best)
        chosen.append((best, len(set(searched[best].found) - set(known))))
        seen |= set(searched[best].found)
    return tuple(chosen)
