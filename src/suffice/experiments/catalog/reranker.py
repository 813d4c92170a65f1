"""A second look at the first chunks by every reranker that is installed."""

from __future__ import annotations

from collections.abc import Sequence

from suffice import registry
from suffice.diagnose.trials import RERANKED
from suffice.engine import Engine
from suffice.experiments.arms import Arm, Experiment, Found, Plan, as_it_is
from suffice.experiments.trial import Trial


def _by(name: str) -> Arm:
    def run(trial: Trial) -> Found:
        return trial.of(trial.trials.rerank(name))

    return Arm(name, run, {"reranker": name, "first": RERANKED})


def _arms(_engine: Engine, _plan: Plan) -> Sequence[Arm]:
    rerankers = [_by(name) for name in registry.names("reranker")]
    none = Arm("reranker", as_it_is, not_run="no reranker is installed")
    return (Arm("as it is", as_it_is), *(rerankers or (none,)))


EXPERIMENT = Experiment(
    name="reranker",
    title="reranker",
    hypothesis=(
        "The pieces are among the first chunks but not in the first k, and a model that reads question "
        "and passage together puts them higher."
    ),
    answers_to="a rough order of chunks that are all near the question",
    needs="gold; a reranker plug-in",
    arms=_arms,
    remark=(
        f"A reranker orders the first {RERANKED} chunks anew: a piece that is ranked deeper stays where it"
        " is."
    ),
)
