"""Scores every row of one store for one query: each leg, both as one, and late interaction on top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from suffice.errors import UsageError
from suffice.ports import Float32, Float64, Int8
from suffice.retrieve import fuse, late, reorder
from suffice.settings import SearchSettings
from suffice.text import content_words, identifiers, language, terms
from suffice.values import Mode

IDENTIFIER_WEIGHT = 3.0
"""Least weight of the lexical leg when all that a query says is identifiers: an embedder reads pieces of a
code and puts pages that talk about the pieces first; the page that holds the code is what was asked for."""

Mask = NDArray[np.bool_]
Embedded = tuple[Float32 | None, Int8 | None]
"""A query's vector and its token codes; None where the mode does without."""


class Rows(Protocol):
    """What of a store is needed to score its rows; a throw-away index has no more than this."""

    def dense(self, query: Float32, mask: Mask | None = None) -> Float64:
        """(n,) float64 cosines."""
        ...

    def lexical(self, terms: Sequence[str], mask: Mask | None = None) -> Float64:
        """(n,) float64 BM25."""
        ...

    def share_known(self, terms: Sequence[str], mask: Mask | None = None) -> float:
        """The share of the terms that some row holds."""
        ...

    def vectors(self, rows: Sequence[int]) -> tuple[Float32, ...]:
        """The vectors of these rows' parts."""
        ...

    def states(self, rows: Sequence[int]) -> tuple[tuple[Int8, ...], ...] | None:
        """The codes of these rows' parts; None where none are kept."""
        ...


@dataclass(frozen=True, slots=True)
class Scored:
    """(n,) scores of all rows of the store, NaN where a row took no part; a leg that was not run is None."""

    final: Float64
    dense: Float64 | None
    lexical: Float64 | None
    hybrid: Float64 | None
    late: Float64 | None = None  # of the first rows alone


@dataclass(frozen=True, slots=True)
class Scorer:
    """One store's rows under one set of settings. Which rows may take part is the caller's mask."""

    rows: Rows
    settings: SearchSettings

    def score(self, query: str, embedded: Embedded, mode: Mode, mask: Mask | None = None) -> Scored:
        """Every row's scores; with token codes the first rows are scored anew by late interaction."""
        vector, codes = embedded
        return self._reranked(self._legs(query, vector, mode, mask), codes)

    def best_first(self, scored: Scored) -> NDArray[np.intp]:
        """Rows in the order in which a search shows them (repeated texts not yet left out)."""
        best_first = fuse.order(scored.final)
        if self.settings.mmr is not None:
            best_first = self._diversified(best_first, scored.final, self.settings.mmr)
        return best_first

    def _legs(self, query: str, vector: Float32 | None, mode: Mode, mask: Mask | None) -> Scored:
        dense = lexical = hybrid = None
        if vector is not None:
            dense = self.rows.dense(vector, mask)
        if mode != "dense":
            lexical = self.rows.lexical(terms(query), mask)
        if dense is not None and lexical is not None:
            hybrid = fused(query, dense, lexical, self.settings, self.rows.share_known(terms(query), mask))
        matched = None if lexical is None else np.where(lexical > 0, lexical, np.nan)
        for final in (hybrid, dense, matched):
            if final is not None:
                return Scored(final, dense, matched, hybrid)
        raise UsageError(f"nothing scores a search in the mode {mode!r}")

    def _reranked(self, scored: Scored, codes: Int8 | None) -> Scored:
        """The first rows scored anew with late interaction; the others keep their order, below them."""
        head = fuse.order(scored.final)[: late.FIRST]
        states = None
        if codes is not None and len(codes) and len(head):
            states = self.rows.states([int(row) for row in head])
        if codes is None or states is None:
            return scored
        found = np.full(len(scored.final), np.nan)
        found[head] = late.maxsim(codes, states)
        weight = self.settings.late_weight
        if self.settings.fusion == "rrf":
            again = fuse.reciprocal((fuse.ranks(found),), self.settings.rrf_k, (weight,))
        else:
            again = weight * fuse.zscore(found)
        final = late.above(scored.final, scored.final + again, head)
        return Scored(final, scored.dense, scored.lexical, final, found)

    def _diversified(self, best_first: NDArray[np.intp], final: Float64, share: float) -> NDArray[np.intp]:
        head = [int(row) for row in best_first[: reorder.FIRST]]
        if not head:
            return best_first
        order = reorder.diversified(head, [float(final[row]) for row in head], self.rows.vectors(head), share)
        return np.concatenate((np.array(order, dtype=np.intp), best_first[len(head) :]))


def fused(
    query: str, dense: Float64, lexical: Float64, settings: SearchSettings, known: float = 1.0
) -> Float64:
    """(n,) one score of two legs; the query decides how much words weigh. `lexical` is 0 without a match.

    `known` is the share of the query's terms that any chunk holds.
    """
    by_meaning, by_words = shares(query, dense, lexical, settings, known)
    return by_meaning + by_words


def shares(
    query: str, dense: Float64, lexical: Float64, settings: SearchSettings, known: float = 1.0
) -> tuple[Float64, Float64]:
    """(n,) what each leg adds to `fused`; NaN where a row took no part.

    A lexical leg without a single match has nothing to say and adds 0.
    """
    if settings.fusion == "rrf":
        # k + 2 is what one place at the top of the lexical leg must weigh to beat any place in the other.
        weight = settings.rrf_k + 2.0 if only_identifiers(query) else 1.0
        by_meaning = fuse.reciprocal((fuse.ranks(dense),), settings.rrf_k)
        by_words = fuse.reciprocal(
            (fuse.ranks(np.where(lexical > 0, lexical, np.nan)),), settings.rrf_k, (weight,)
        )
        outside = np.isnan(dense)
        return np.where(outside, np.nan, by_meaning), np.where(outside, np.nan, by_words)
    by_meaning = settings.dense_weight * fuse.zscore(dense)
    if not np.any(lexical > 0):
        return by_meaning, np.where(np.isnan(dense), np.nan, 0.0)
    return by_meaning, lexical_weight(query, settings, known) * fuse.zscore(lexical)


def lexical_weight(query: str, settings: SearchSettings, known: float = 1.0) -> float:
    """What the lexical z-score counts for this query.

    A leg that knows few of the words, as for a question in another language than the documents, is nearly
    blind, and the chunk that holds the one word it knows stands out most of all (docs/retrieval-measured.md).
    """
    weight = settings.lexical_weight
    return max(weight, IDENTIFIER_WEIGHT) if only_identifiers(query) else weight * known


def only_identifiers(query: str) -> bool:
    """Whether all that the query says is identifiers, as in `ERR_X_Y` or "what is ERR_X_Y?"."""
    found = identifiers(query)
    if not found:
        return False
    rest, at = [], 0
    for identifier in found:
        rest.append(query[at : identifier.span[0]])
        at = identifier.span[1]
    rest.append(query[at:])
    others = " ".join(rest)
    return not content_words(others, language(query))
