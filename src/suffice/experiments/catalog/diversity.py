"""Deduplication and maximal marginal relevance."""

from __future__ import annotations

from collections.abc import Sequence

from suffice.engine import Engine
from suffice.experiments.arms import Arm, Experiment, Found, Plan, as_it_is
from suffice.experiments.trial import Trial

SHARES = (0.9, 0.7, 0.5)


def _mmr(share: float) -> Arm:
    def run(trial: Trial) -> Found:
        return trial.of(trial.trials.with_switch(mmr=share))

    return Arm(f"mmr {share}", run, {"search.mmr": share})


def _without_repeats(trial: Trial) -> Found:
    return trial.of(trial.trials.with_switch(dedup=True))


def _arms(_engine: Engine, _plan: Plan) -> Sequence[Arm]:
    return (
        Arm("as it is", as_it_is),
        Arm("deduplication", _without_repeats, {"search.dedup": True}),
        *map(_mmr, SHARES),
    )


EXPERIMENT = Experiment(
    name="diversity",
    title="diversity",
    hypothesis=(
        "Chunks that say the same fill the first k, so leaving out repeats makes room for other pieces."
    ),
    answers_to="first places taken by chunks that repeat each other",
    needs="gold",
    arms=_arms,
    remark="A piece that stands in several places may be reached at any of them. Deduplication leaves out "
    "chunks whose whole text was seen; mmr trades likeness to what was picked against relevance, among the "
    "first 50, the share of relevance being its number.",
)
