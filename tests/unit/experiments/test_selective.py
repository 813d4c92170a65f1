"""The fit keeps what it promises, whatever the scores; ties, few labels and none are told apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from suffice.experiments.selective import Curve, Scored, Share


def scored(
    none: Sequence[float] = (), full: Sequence[float] = (), partial: Sequence[float] = ()
) -> list[Scored]:
    return [
        Scored(f"{label}-{number}", f"{label} {number}", label, float(score))  # type: ignore[arg-type]
        for label, scores in (("none", none), ("full", full), ("partial", partial))
        for number, score in enumerate(scores)
    ]


def fitted(rate: float = 0.1, floor: float | None = None, **scores: Sequence[float]) -> float:
    threshold = Curve(scored(**scores), rate, floor).fit()
    assert threshold is not None
    return threshold


# Unanswerable questions whose scores are even between 0 and 1: a threshold t answers 1 - t of them in truth.


@pytest.mark.parametrize(("n", "rate"), [(29, 0.1), (60, 0.1), (200, 0.05)])
def test_enough_labels_keep_the_rate_with_95_percent_confidence(n: int, rate: float) -> None:
    drawn = np.random.default_rng(7)
    truths = [1 - fitted(rate, none=drawn.random(n).tolist()) for _ in range(800)]
    assert np.mean(np.array(truths) > rate) < 0.07
    assert Curve(scored(none=drawn.random(n).tolist()), rate).promise == "confident"


def test_the_promise_is_not_kept_by_answering_nothing() -> None:
    drawn = np.random.default_rng(8)
    truths = [1 - fitted(0.1, none=drawn.random(400).tolist()) for _ in range(100)]
    assert np.mean(truths) > 0.06, "much less than the rate would be answers given away"


def test_few_labels_keep_the_rate_on_average() -> None:
    drawn = np.random.default_rng(9)
    curves = [Curve(scored(none=drawn.random(9).tolist()), 0.1) for _ in range(2000)]
    assert {curve.promise for curve in curves} == {"on average"}
    truths = [1 - (curve.fit() or 1.0) for curve in curves]
    assert np.mean(truths) == pytest.approx(0.1, abs=0.01)
    assert np.mean(np.array(truths) > 0.1) > 0.2, "and promise no more than that"


def test_the_bound_holds_for_the_fitted_threshold_though_it_was_chosen_on_the_same_labels() -> None:
    drawn = np.random.default_rng(10)
    broken = 0
    for _ in range(600):
        curve = Curve(scored(none=drawn.random(40).tolist()), 0.15)
        threshold = curve.fit() or 1.0
        broken += 1 - threshold > curve.at(threshold).upper_bound
    assert broken / 600 < 0.07


def test_very_few_labels_never_lower_the_judges_own_threshold() -> None:
    none, full = [0.1, 0.2, 0.3], [0.6, 0.95]
    assert Curve(scored(none, full), 0.1).promise == "none"
    assert fitted(none=none, full=full) == pytest.approx(0.45)
    assert fitted(none=none, full=full, floor=0.9) == 0.9
    assert fitted(none=[0.1, 0.94], full=full, floor=0.9) == pytest.approx(0.945), "but they may raise it"
    assert fitted(none=[0.1] * 9, full=full, floor=0.9) == pytest.approx(0.35), "nine may lower it"


def test_the_threshold_lies_midway_to_the_next_score() -> None:
    assert fitted(none=[0.2] * 9, full=[0.6, 0.9]) == pytest.approx(0.4)
    assert fitted(none=[0.2] * 9, full=[0.9], partial=[0.4]) == pytest.approx(0.3)
    close = fitted(none=[0.5] * 9, full=[0.50001])
    assert 0.5 < close <= 0.50001


def test_a_tie_is_declined_as_a_whole() -> None:
    none = [0.8, 0.8, 0.8] + [0.1] * 43  # 46 labels may hold one false answer, not three
    threshold = fitted(none=none, full=[0.8, 0.9])
    assert threshold == pytest.approx(0.85)
    assert Curve(scored(none, [0.8, 0.9]), 0.1).at(threshold).false == Share(0, 46)
    one = fitted(none=[0.8] + [0.1] * 45, full=[0.8, 0.9])
    assert one == pytest.approx(0.45), "one false answer of 46 is within 10 %"


def test_more_labels_never_make_the_gate_stricter() -> None:
    allowed = [Curve(scored([0.5] * n), 0.1)._allowed(n)[0] for n in range(1, 400)]
    assert allowed == sorted(allowed)


def test_all_are_unanswerable() -> None:
    curve = Curve(scored(none=[0.1, 0.7, 0.4] * 10), 0.1)
    assert curve.fit() == pytest.approx(0.7001)
    assert curve.auroc() == (None, None)
    answered, false = curve.cross_fitted()
    assert answered == Share(0, 0) and false == Share(0, 30)


def test_the_highest_confidence_there_is_cannot_be_asked_for() -> None:
    assert Curve(scored(none=[1.0] * 5, full=[1.0]), 0.1).fit() is None
    assert fitted(none=[0.9999] * 5, full=[0.5]) == 1.0


def test_nothing_to_fit_to() -> None:
    with pytest.raises(ValueError, match="unanswerable"):
        Curve(scored(full=[0.9]), 0.1).fit()


def test_no_support_is_never_answered() -> None:
    curve = Curve(scored(none=[0.0] * 40, full=[0.0, 0.6]), 0.1)
    threshold = curve.fit() or 0.0
    assert threshold == pytest.approx(0.3)
    assert all(row.threshold > 0 for row in curve.table())
    assert curve.at(threshold).answered == Share(1, 2)


def test_the_table_has_a_row_for_each_number_of_false_answers() -> None:
    curve = Curve(scored(none=[0.9, 0.5, 0.5, 0.1], full=[0.95, 0.7, 0.3], partial=[0.6]), 0.1)
    rows = [(row.false.n, row.answered.n, row.partial.n) for row in curve.table()]
    assert rows == [(0, 1, 0), (1, 2, 1), (3, 3, 1), (4, 3, 1)]
    thresholds = [row.threshold for row in curve.table()]
    assert thresholds == sorted(thresholds, reverse=True)


def test_cross_fitting_does_not_flatter() -> None:
    """One lone unanswerable question at the top: the fit to all declines it, a fit to the others does not."""
    curve = Curve(scored(none=[0.9] + [0.1] * 29, full=[0.15, 0.5, 0.95]), 0.1)
    threshold = curve.fit() or 0.0
    assert curve.at(threshold).false == Share(0, 30)
    answered, false = curve.cross_fitted()
    assert false == Share(1, 30)
    assert answered == Share(1, 3)
    assert Curve(scored(none=[0.9], full=[0.95]), 0.1).cross_fitted()[1] is None


def test_auroc_with_its_interval() -> None:
    value, between = Curve(scored(none=[0.1, 0.5, 0.3, 0.2], full=[0.4, 0.8, 0.9, 0.7]), 0.1).auroc()
    assert value == pytest.approx(15 / 16)
    assert between is not None and between[0] < value <= between[1]
