"""The question in parts: by its needs, by its clauses."""

from __future__ import annotations

from collections.abc import Sequence

from suffice.diagnose.rewrites import clauses
from suffice.diagnose.scratch import NotRun
from suffice.engine import Engine
from suffice.experiments.arms import Arm, Experiment, Found, Plan
from suffice.experiments.trial import Trial


def _whole(trial: Trial) -> Found:
    return trial.of(trial.trials.whole())


def _by_needs(trial: Trial) -> Found:
    parts = trial.trials.case.queries[1:]
    if not parts:
        raise NotRun("the question has one need")
    return trial.found(trial.trials.order, " · ".join(parts))


def _by_clauses(trial: Trial) -> Found:
    parts = clauses(trial.question.question)
    if not parts:
        raise NotRun("the question has one clause")
    return trial.found(trial.searched([trial.question.question, *parts]), " · ".join(parts))


def _arms(_engine: Engine, _plan: Plan) -> Sequence[Arm]:
    return (
        Arm("whole question", _whole),
        Arm("needs in turn", _by_needs, {"parts": "needs"}),
        Arm("clauses in turn", _by_clauses, {"parts": "clauses"}),
    )


EXPERIMENT = Experiment(
    name="query_split",
    title="query split",
    hypothesis="The question joins several topics, and each of them is found when it is searched by itself.",
    answers_to="a question whose parts outrank each other",
    needs="gold",
    arms=_arms,
    remark=(
        "Chunks are taken in turn from the rankings of the whole question and of each part. `needs in "
        "turn` is what ask does; `whole question` is the ranking that `suffice bench run` measures as "
        "coverage."
    ),
)
