"""What each leg adds to a hybrid score, and that nothing else is in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from suffice.retrieve import fuse
from suffice.retrieve.score import IDENTIFIER_WEIGHT, fused, shares
from suffice.settings import SearchSettings

QUERY = "how are keys rotated"
DENSE = np.array([0.9, 0.2, np.nan, 0.5])
LEXICAL = np.array([0.0, 4.0, np.nan, 1.0])
INSIDE = [0, 1, 3]


def test_a_lexical_leg_without_a_match_leaves_the_dense_order_and_values() -> None:
    nothing = np.where(np.isnan(DENSE), np.nan, 0.0)
    np.testing.assert_array_equal(fused(QUERY, DENSE, nothing, SearchSettings()), fuse.zscore(DENSE))


def test_a_hybrid_score_is_the_weighted_sum_of_z_scores() -> None:
    settings = SearchSettings(dense_weight=2.0, lexical_weight=0.5)
    expected = 2 * fuse.zscore(DENSE) + 0.5 * fuse.zscore(LEXICAL)
    np.testing.assert_array_equal(fused(QUERY, DENSE, LEXICAL, settings), expected)


def test_words_that_no_chunk_knows_weigh_less_and_a_bare_code_weighs_most() -> None:
    z = fuse.zscore(LEXICAL)
    half = shares(QUERY, DENSE, LEXICAL, SearchSettings(lexical_weight=0.4), 0.5)[1]
    np.testing.assert_array_equal(half, 0.2 * z)
    code = shares("ERR_KEY_GONE", DENSE, LEXICAL, SearchSettings(), 0.5)[1]
    np.testing.assert_array_equal(code, IDENTIFIER_WEIGHT * z)


@pytest.mark.parametrize("options", [{}, {"fusion": "rrf"}, {"lexical_weight": 0.0}])
@pytest.mark.parametrize("query", [QUERY, "ERR_KEY_GONE"])
def test_the_shares_of_the_legs_are_all_of_the_score(options: dict[str, Any], query: str) -> None:
    settings = SearchSettings(**options)
    found = fused(query, DENSE, LEXICAL, settings, 0.7)
    np.testing.assert_array_equal(found, np.sum(shares(query, DENSE, LEXICAL, settings, 0.7), axis=0))
    assert np.flatnonzero(~np.isnan(found)).tolist() == INSIDE


def test_by_reciprocal_ranks_a_row_without_a_word_of_the_query_has_no_share_of_words() -> None:
    by_meaning, by_words = shares(QUERY, DENSE, LEXICAL, SearchSettings(fusion="rrf"))
    assert by_meaning[INSIDE] == pytest.approx([1 / 61, 1 / 63, 1 / 62])
    assert by_words[INSIDE] == pytest.approx([0.0, 1 / 61, 1 / 62])
