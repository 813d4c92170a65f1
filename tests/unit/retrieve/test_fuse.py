"""Fusion: what the numbers are, and that flat or blind legs add nothing."""

from __future__ import annotations

import numpy as np
import pytest

from suffice.retrieve import fuse

NAN = np.nan


def test_order_is_by_score_then_row_and_leaves_out_what_took_no_part() -> None:
    assert fuse.order(np.array([1.0, 3.0, NAN, 3.0, -2.0])).tolist() == [1, 3, 0, 4]
    assert fuse.ranks(np.array([1.0, 3.0, NAN, 3.0, -2.0])).tolist() == [3, 1, 0, 2, 4]


def test_z_scores_have_mean_zero_and_deviation_one_over_what_took_part() -> None:
    scores = fuse.zscore(np.array([1.0, 2.0, NAN, 6.0]))
    assert np.isnan(scores[2])
    assert scores[[0, 1, 3]].mean() == pytest.approx(0, abs=1e-15)
    assert scores[[0, 1, 3]].std() == pytest.approx(1)
    assert scores[3] == pytest.approx((6 - 3) / np.sqrt(14 / 3))


@pytest.mark.parametrize("value", [0.0, 0.1, 1e-300, 0.7071067811865476])
def test_a_flat_leg_is_zeros_and_not_rounding_blown_up(value: float) -> None:
    assert fuse.zscore(np.full(7, value)).tolist() == [0.0] * 7


def test_nothing_took_part() -> None:
    assert np.isnan(fuse.zscore(np.full(3, NAN))).all()
    assert fuse.zscore(np.zeros(0)).tolist() == []
    assert fuse.order(np.full(3, NAN)).tolist() == []


def test_reciprocal_ranks_skip_what_a_leg_did_not_rank() -> None:
    fused = fuse.reciprocal((np.array([1, 2, 0]), np.array([2, 0, 0])), k=60)
    assert fused == pytest.approx([1 / 61 + 1 / 62, 1 / 62, 0.0], abs=1e-15)


def test_the_best_reciprocal_score_is_the_same_however_bad_the_best_is() -> None:
    # why a fused score is never compared with a threshold
    for dense in (np.array([0.95, 0.1]), np.array([0.02, 0.01])):
        ranks = fuse.ranks(dense)
        assert fuse.reciprocal((ranks, ranks))[0] == pytest.approx(2 / 61)
