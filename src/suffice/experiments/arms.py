"""An experiment as values: a hypothesis, its arms, and what each arm found for each question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from suffice.engine import Engine
from suffice.experiments.suite import Question
from suffice.settings import Settings
from suffice.values import Scalar

if TYPE_CHECKING:
    from suffice.experiments.trial import Trial

BY_RANK = ("coverage@k", "full@k", "coverage@10", "coverage@20", "mrr")
"""The measures of an experiment on a ranking; the first of an experiment's measures decides."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one arm found for one question.

    `ranks` is the rank of each piece's first evidence in the order in which chunks would be taken, None where
    it is in none of them; `k` how many are taken. `values` are measures that are no function of ranks.
    `applied` is False where the arm had nothing to change, and the baseline stands in for it. `note` is what
    a reader wants to see of it: the query, the suggestion, the words that were quoted.
    """

    ranks: dict[str, int | None] = field(default_factory=dict)
    k: int = 5
    values: dict[str, float | bool | None] = field(default_factory=dict)
    applied: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class Arm:
    """One variant. `index` are the settings of another index, which is built in a scratch copy.

    `not_run` is a reason known beforehand; `run` may raise NotRun (nothing to change for this question) or
    SufficeError (it failed).
    """

    name: str
    run: Callable[[Trial], Found]
    setting: Mapping[str, Scalar | None] = field(default_factory=dict)
    index: Settings | None = None
    not_run: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the caller chose, as far as arms depend on it."""

    k: int
    force: bool = False


@dataclass(frozen=True, slots=True)
class Experiment:
    """A hypothesis about a mechanism and the arms that test it; the first arm is the baseline.

    `answers_to` says which failure the mechanism is for. `needs` says what must be there to run it. `takes`
    chooses the questions that say anything about it. `remark` is what a reader must know to read the table.
    """

    name: str
    title: str
    hypothesis: str
    answers_to: str
    needs: str
    arms: Callable[[Engine, Plan], Sequence[Arm]]
    measures: tuple[str, ...] = BY_RANK
    takes: Callable[[Question], bool] = lambda question: any(piece.evidence for piece in question.pieces)
    remark: str = ""


def as_it_is(trial: Trial) -> Found:
    """The order in which evidence is taken with the settings as they are."""
    return trial.found(trial.trials.order)
