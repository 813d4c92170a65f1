"""Each leg by itself, and the two ways of joining them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from suffice.engine import Engine
from suffice.experiments.arms import Arm, Experiment, Found, Plan, as_it_is
from suffice.experiments.trial import Trial
from suffice.retrieve.search import Searcher
from suffice.values import Mode


def _leg(mode: Mode) -> Arm:
    def run(trial: Trial) -> Found:
        return trial.of(trial.trials.leg(mode))

    return Arm(f"{mode} alone", run, {"mode": mode})


def _with(name: str, **settings: Any) -> Arm:
    def run(trial: Trial) -> Found:
        case, old = trial.trials.case, trial.trials.case.searcher
        changed = msgspec.structs.replace(old.settings, **settings)
        searcher = Searcher(old.ws, old.store, old.embedder, changed, old.generation)
        scored = searcher.score_many(case.queries, "hybrid", case.filter)
        return trial.found(trial.trials.field.evidence_order("hybrid", scored, searcher))

    return Arm(name, run, {f"search.{key}": value for key, value in settings.items()})


def _arms(engine: Engine, _plan: Plan) -> Sequence[Arm]:
    search = engine.settings.search
    other = "rrf" if search.fusion == "zscore" else "zscore"
    late = [_with("without late interaction", late_weight=0.0)] if engine.searcher.reranks else []
    return (
        Arm("as it is", as_it_is),
        _leg("dense"),
        _leg("lexical"),
        _with(f"hybrid, {other}", fusion=other),
        *late,
    )


EXPERIMENT = Experiment(
    name="fusion",
    title="fusion",
    hypothesis="Meaning and words find different pieces, and joining them finds more than either.",
    answers_to="pieces that one scorer alone ranks deep",
    needs="gold",
    arms=_arms,
    remark=(
        "`zscore` is a weighted sum of each leg's z-scores, `rrf` a sum of reciprocal ranks. Late "
        "interaction orders the first chunks of a hybrid search anew, by the words of question and chunk."
    ),
)
