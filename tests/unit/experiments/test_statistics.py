"""Intervals and tests: exact where they can be counted, the same for the same seed, sane at the edges."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from suffice.experiments import stats


def counted(a: list[float], b: list[float]) -> float:
    """p of the randomization test, every flip counted one by one."""
    differences = [y - x for x, y in zip(a, b, strict=True)]
    seen = abs(sum(differences))
    sums = [
        abs(sum(sign * one for sign, one in zip(signs, differences, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(differences))
    ]
    return sum(one >= seen - 1e-9 for one in sums) / len(sums)


@pytest.mark.parametrize("seed", range(6))
def test_few_pairs_are_counted_exactly(seed: int) -> None:
    drawn = np.random.default_rng(seed)
    a, b = drawn.integers(0, 5, 9) / 4, drawn.integers(0, 5, 9) / 4
    assert stats.randomization_test(a.tolist(), b.tolist()) == pytest.approx(counted(a.tolist(), b.tolist()))


def test_many_pairs_are_sampled_near_the_exact_p_and_repeatably() -> None:
    drawn = np.random.default_rng(1)
    a = drawn.random(16)
    b = a + drawn.normal(0.1, 0.3, 16)
    sampled = stats.randomization_test(a.tolist(), b.tolist())
    assert sampled == stats.randomization_test(a.tolist(), b.tolist())
    assert sampled == pytest.approx(counted(a.tolist(), b.tolist()), abs=0.02)


def test_a_plain_gain_is_shown_and_noise_is_not() -> None:
    a = [0.0] * 40
    assert (stats.randomization_test(a, [0.25] * 40) or 1) < 0.001
    noise = np.random.default_rng(2).normal(0, 1, 200)
    assert (stats.randomization_test([0.0] * 200, noise.tolist()) or 0) > 0.05


def test_equal_runs_and_no_pairs() -> None:
    assert stats.randomization_test([0.5, 1.0], [0.5, 1.0]) == 1.0
    assert stats.randomization_test([], []) is None
    assert stats.randomization_test([1.0], [1.0, 0.0]) is None


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (0, 5, 0.0625), (5, 5, 1.0), (2, 10, 0.038574), (0, 2000, 0.0)],
)
def test_mcnemar_is_the_two_sided_sign_test(only_a: int, only_b: int, p: float) -> None:
    assert stats.mcnemar(only_a, only_b) == pytest.approx(p, abs=1e-6)
    assert stats.mcnemar(only_a, only_b) == stats.mcnemar(only_b, only_a)


def test_the_interval_covers_the_mean_about_as_often_as_it_says() -> None:
    drawn = np.random.default_rng(3)
    covered = 0
    for _ in range(200):
        low, high = stats.mean_interval((drawn.random(60) < 0.7).astype(float).tolist()) or (0.0, 0.0)
        covered += low <= 0.7 <= high
    assert 0.88 <= covered / 200 <= 0.99


def test_an_interval_needs_two_values_and_is_the_same_again() -> None:
    assert stats.mean_interval([]) is None and stats.mean_interval([1.0]) is None
    assert stats.mean_interval([1.0, 1.0, 1.0]) == (1.0, 1.0)
    values = [0.0, 1.0, 0.5, 0.25]
    assert stats.mean_interval(values) == stats.mean_interval(values)
    assert stats.bootstrap_interval(1, lambda rows: 1.0) is None
    assert stats.bootstrap_interval(9, lambda rows: None) is None


def test_a_statistic_of_rows_has_the_interval_of_its_mean() -> None:
    values = np.random.default_rng(4).random(50)
    assert stats.bootstrap_interval(50, lambda rows: float(values[rows].mean())) == pytest.approx(
        stats.mean_interval(values.tolist())
    )
