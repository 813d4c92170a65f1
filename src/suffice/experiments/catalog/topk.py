"""More chunks: the plainest repair, and the only one that cannot lose a piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from suffice.engine import Engine
from suffice.experiments.arms import BY_RANK, Arm, Experiment, Found, Plan
from suffice.experiments.trial import Trial

KS = (5, 10, 20, 50)


def _first(k: int) -> Arm:
    def run(trial: Trial) -> Found:
        order = trial.trials.order
        found = trial.of(trial.trials.top_k(k))
        return replace(found, values={"chars read": float(trial.ground.chars(order[:k]))})

    return Arm(f"k {k}", run, {"k": k})


def _arms(_engine: Engine, plan: Plan) -> Sequence[Arm]:
    return [_first(k) for k in (plan.k, *(k for k in KS if k != plan.k))]


EXPERIMENT = Experiment(
    name="topk",
    title="top-k",
    hypothesis=(
        "The missing pieces stand just outside the first k chunks, so taking more of them brings them in."
    ),
    answers_to="a piece that is ranked a little too deep",
    needs="gold",
    arms=_arms,
    measures=(*BY_RANK, "chars read"),
    remark=(
        "All arms share one order: a larger k can lose nothing by this measure. What it costs is in "
        "`chars read`, the characters that judge and reader are given, and near misses come with them."
    ),
)
