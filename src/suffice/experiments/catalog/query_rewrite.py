"""The question in other words: by rules, and by a model where one can be asked."""

from __future__ import annotations

from collections.abc import Sequence

from suffice.engine import Engine
from suffice.experiments.arms import Arm, Experiment, Found, Plan, as_it_is
from suffice.experiments.trial import Trial


def _rewritten(trial: Trial) -> Found:
    tried = trial.trials.rewrite()
    return trial.of(tried, str((tried.setting or {})["query"]))


def _beside(trial: Trial) -> Found:
    tried = trial.trials.rewrite()
    query = str((tried.setting or {})["query"])
    return trial.found(trial.searched([*trial.trials.case.queries, query]))


def _arms(engine: Engine, _plan: Plan) -> Sequence[Arm]:
    name = engine.settings.answer.generator
    no_model = (
        "it needs a generator that takes a prompt; none is configured"
        if name == "extractive"
        else f"the generator {name} writes answers and takes no prompt for a rewriting"
    )
    return (
        Arm("as it is", as_it_is),
        Arm("rewritten by rules", _rewritten, {"by": "rules"}),
        Arm("question and rewriting in turn", _beside, {"by": "rules", "beside": True}),
        Arm("rewritten by a model", as_it_is, {"by": "model"}, not_run=no_model),
    )


EXPERIMENT = Experiment(
    name="query_rewrite",
    title="query rewrite",
    hypothesis=(
        "The question does not use the words of the documents, and a query in their words finds the pieces."
    ),
    answers_to="other words in the question than in the documents",
    needs="gold; a generator for one of the arms",
    arms=_arms,
    remark=(
        "The rules keep names and content words of the question and add the words that head its first "
        "chunks. A rewriting that a person made while looking at the gold would prove nothing, and is no "
        "arm."
    ),
)
