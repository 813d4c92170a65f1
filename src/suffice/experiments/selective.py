"""Selective prediction: answer where the score reaches a threshold, decline elsewhere; fits that threshold.

The risk is the false-answer rate: of the questions that the corpus cannot answer, the share that is answered.
It never rises with the threshold, so one can go down from the strictest threshold and stop in time. With k
false answers among n unanswerable questions, and the threshold just above the score of the next one, the
rate on further questions of the same kind has the distribution Beta(k + 1, n - k) at worst (Wilks,
Determination of sample sizes for setting tolerance limits, 1941). From it come both promises:

- its 95 % quantile is the exact one-sided bound of Clopper and Pearson for k of n. Choosing the lowest
  threshold whose bound keeps the rate is the rule of Bates, Angelopoulos, Lei, Malik and Jordan,
  Distribution-free, risk-controlling prediction sets, 2021;
- its mean is (k + 1) / (n + 1), the rule of conformal risk control (Angelopoulos, Bates, Fisch, Lei and
  Schuster, 2022), which holds on average over sets of labels. It is what few labels can give.

Taking the threshold with k / n at most the rate, without either, was rejected: half of such fits exceed it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from suffice.experiments import measures, stats
from suffice.experiments.suite import Answerable

Promise = Literal["confident", "on average", "none"]
"""How the rate is kept: with 95 % confidence; on average over sets of labels; not at all, with too few."""
Scores = NDArray[np.float64]
_STEP = 1e-4  # of thresholds: what a person can read


@dataclass(frozen=True, slots=True)
class Scored:
    """A labelled question with the gate's score: the highest confidence of any need; 0 without a support.

    `ask` does not decline it as long as one need reaches the threshold, which is: score >= threshold.
    """

    id: str
    question: str
    answerable: Answerable
    score: float


@dataclass(frozen=True, slots=True)
class Share:
    """`n` of `of`."""

    n: int
    of: int

    @property
    def rate(self) -> float | None:
        """None of nothing."""
        return self.n / self.of if self.of else None

    def to_json(self) -> dict[str, Any]:
        """With its two-sided exact 95 % interval."""
        interval = stats.share_interval(self.n, self.of)
        return {"n": self.n, "of": self.of, "rate": self.rate, "interval": interval and list(interval)}


@dataclass(frozen=True, slots=True)
class At:
    """What a threshold answers: fully answerable, partly answerable, unanswerable questions."""

    threshold: float
    answered: Share
    partial: Share
    false: Share

    @property
    def upper_bound(self) -> float:
        """One-sided exact 95 % bound on the false-answer rate."""
        return stats.upper_bound(self.false.n, self.false.of)

    def to_json(self) -> dict[str, Any]:
        """Flat, as a row of the table."""
        return {
            "threshold": self.threshold,
            "answered": self.answered.to_json(),
            "partial": self.partial.to_json(),
            "false": self.false.to_json(),
            "upper_bound": self.upper_bound,
        }


class Curve:
    """The scores of labelled questions, by label. `floor`: what few labels may not go below."""

    def __init__(self, scored: Sequence[Scored], rate: float, floor: float | None = None) -> None:
        self.rate, self.floor = rate, floor
        self._by = {
            label: np.sort(np.array([one.score for one in scored if one.answerable == label], np.float64))
            for label in ("full", "partial", "none")
        }
        self._scored = tuple(scored)
        self._all = np.sort(np.concatenate(list(self._by.values())))

    @property
    def promise(self) -> Promise:
        """What the number of unanswerable labels allows to say."""
        return self._allowed(len(self._by["none"]))[1]

    @property
    def expected(self) -> float:
        """The bound on the mean false-answer rate at the fitted threshold."""
        n = len(self._by["none"])
        return (self._allowed(n)[0] + 1) / (n + 1)

    def fit(self) -> float | None:
        """The lowest threshold that keeps the promise; None where even the highest does not.

        It lies midway to the next score above, so that it does not hang on the last digit of one question.
        Raises ValueError without an unanswerable question.
        """
        if not len(self._by["none"]):
            raise ValueError("there is no unanswerable question to fit to")
        return self._fit(self._by["none"], self._all)

    def at(self, threshold: float) -> At:
        """What this threshold answers."""
        shares = {
            label: Share(int((scores >= threshold).sum()), len(scores)) for label, scores in self._by.items()
        }
        return At(threshold, shares["full"], shares["partial"], shares["none"])

    def table(self) -> tuple[At, ...]:
        """For each number of false answers the lowest threshold that has no more; the strictest first."""
        levels = sorted({0.0, *self._by["none"].tolist()}, reverse=True)
        thresholds = [_above(level, self._all) for level in levels]
        return tuple(self.at(one) for one in dict.fromkeys(thresholds) if one is not None)

    def cross_fitted(self) -> tuple[Share, Share | None]:
        """Leave-one-out: each question by a threshold fitted to all the others. Full, then unanswerable.

        The second is None for a single unanswerable question: nothing is left to fit to.
        """
        none = self._by["none"]
        n = {"full": 0, "partial": 0, "none": 0}
        for one in self._scored:
            rest = _without(none, one.score) if one.answerable == "none" else none
            if len(rest):
                threshold = self._fit(rest, _without(self._all, one.score))
                n[one.answerable] += threshold is not None and one.score >= threshold
        false = Share(n["none"], len(none)) if len(none) > 1 else None
        return Share(n["full"], len(self._by["full"])), false

    def auroc(self) -> tuple[float | None, stats.Interval | None]:
        """Fully answerable above unanswerable, ties half, with a bootstrap interval over questions."""
        full, none = self._by["full"], self._by["none"]
        scores = [*full.tolist(), *none.tolist()]
        interval = measures.auroc_interval(scores, [at < len(full) for at in range(len(scores))])
        return measures.auroc(full.tolist(), none.tolist()), interval

    def _fit(self, none: Scores, everything: Scores) -> float | None:
        k, promise = self._allowed(len(none))
        threshold = _above(float(none[len(none) - 1 - k]), everything)
        if threshold is not None and promise == "none" and self.floor is not None:
            threshold = max(threshold, self.floor)
        return threshold

    def _allowed(self, n: int) -> tuple[int, Promise]:
        """How many of n may be answered falsely."""
        k = stats.most_within(n, self.rate)
        if k is not None:
            return k, "confident"
        # On average one could be allowed from 2 / rate labels on, and with a few more labels, for the sake of
        # confidence, none again. More labels must not make the gate stricter.
        return 0, "on average" if 1 / (n + 1) <= self.rate + 1e-12 else "none"


def _above(score: float, everything: Scores) -> float | None:
    """A threshold above this score: midway to the next that occurs, else the next step; None above 1."""
    after = int(np.searchsorted(everything, score, side="right"))
    if after == len(everything):
        found = (math.floor(score / _STEP + 1e-6) + 1) * _STEP
        return round(found, 4) if found <= 1 + 1e-9 else None
    following = float(everything[after])
    middle = round((score + following) / 2, 4)
    return middle if score < middle <= following else following


def _without(scores: Scores, one: float) -> Scores:
    return np.delete(scores, int(np.searchsorted(scores, one)))
