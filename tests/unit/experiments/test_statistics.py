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


@pytest.mark.parametrize(
    ("k", "n", "bound"),
    # 1 - 0.05 ** (1 / n) for none; else the 0.95 quantile of Beta(k + 1, n - k), from printed tables.
    [(0, 1, 0.95), (0, 9, 0.28313), (0, 29, 0.09814), (1, 10, 0.39416), (5, 10, 0.77756), (3, 100, 0.07571)],
)
def test_the_one_sided_bound_is_that_of_clopper_and_pearson(k: int, n: int, bound: float) -> None:
    assert stats.upper_bound(k, n) == pytest.approx(bound, abs=2e-5)
    assert stats.lower_bound(n - k, n) == pytest.approx(1 - bound, abs=2e-5)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(0, 10, 0.0, 0.30850), (5, 10, 0.18709, 0.81291), (10, 10, 0.69150, 1.0), (1, 100, 0.00025, 0.05446)],
)
def test_the_two_sided_interval_is_that_of_clopper_and_pearson(
    k: int, n: int, low: float, high: float
) -> None:
    assert stats.share_interval(k, n) == pytest.approx((low, high), abs=2e-5)


def test_a_share_of_nothing_is_not_known() -> None:
    assert stats.share_interval(0, 0) is None
    assert (stats.upper_bound(0, 0), stats.lower_bound(0, 0)) == (1.0, 0.0)
    assert stats.most_within(0, 0.1) is None


def test_the_tail_adds_up_and_survives_large_numbers() -> None:
    assert stats.at_most(2, 4, 0.5) == pytest.approx(11 / 16)
    assert (stats.at_most(-1, 4, 0.5), stats.at_most(4, 4, 0.5)) == (0.0, pytest.approx(1.0))
    assert (stats.at_most(0, 4, 0.0), stats.at_most(3, 4, 1.0)) == (1.0, 0.0)
    assert stats.at_most(10_000, 20_000, 0.5) == pytest.approx(0.5028, abs=1e-4)


@pytest.mark.parametrize(("rate", "n"), [(0.1, 29), (0.05, 59), (0.01, 299), (0.5, 5)])
def test_how_many_labels_a_rate_needs(rate: float, n: int) -> None:
    assert stats.needed_for(rate) == n
    assert stats.most_within(n, rate) == 0
    assert stats.most_within(n - 1, rate) is None
    assert stats.upper_bound(0, n) <= rate < stats.upper_bound(0, n - 1)


@pytest.mark.parametrize(("n", "rate"), [(46, 0.1), (100, 0.1), (300, 0.05), (1000, 0.2)])
def test_the_most_false_answers_within_a_rate(n: int, rate: float) -> None:
    k = stats.most_within(n, rate)
    assert k is not None
    assert stats.upper_bound(k, n) <= rate < stats.upper_bound(k + 1, n)
