"""The suggestions of an answer that was not sufficient, each really searched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from suffice.diagnose.scratch import NotRun
from suffice.engine import Engine
from suffice.experiments.arms import BY_RANK, Arm, Experiment, Found, Plan, as_it_is
from suffice.experiments.trial import Trial

Ranks = dict[str, int | None]


def _own(trial: Trial, question: str) -> Ranks:
    return trial.ranks(trial.trials.asked(question).order)


def _after(trial: Trial, chosen: Sequence[str], status: Callable[[str], str]) -> Found:
    """Each piece at its best rank under the question or one of the suggestions."""
    before = trial.found(trial.trials.order)
    after = before.ranks
    said = []
    for question in chosen:
        own = _own(trial, question)
        shown = ", ".join(f"{piece} {'–' if rank is None else rank}" for piece, rank in own.items())
        said.append(f"“{question}” ({status(question)}): {shown}" if len(chosen) == 1 else "")
        after = {piece: _better(rank, own[piece]) for piece, rank in after.items()}
    missing = any(rank is None or rank > trial.k for rank in before.ranks.values())
    gained = any(
        rank is not None and rank <= trial.k and not _within(before.ranks[piece], trial.k)
        for piece, rank in after.items()
    )
    return replace(
        before,
        ranks=after,
        values={"gains a missing piece": gained if missing else None},
        note=" ".join(said).strip(),
    )


def _within(rank: int | None, k: int) -> bool:
    return rank is not None and rank <= k


def _better(one: int | None, other: int | None) -> int | None:
    return min((rank for rank in (one, other) if rank is not None), default=None)


def _picked(number: int | None) -> Callable[[Trial], Found]:
    def run(trial: Trial) -> Found:
        offered = trial.answer.suggestions
        chosen = offered if number is None else offered[number - 1 : number]
        if not chosen:
            raise NotRun(f"{len(offered)} suggestions were made (verdict {trial.answer.status})")
        status = {one.question: one.preview.status if one.preview else "not tried" for one in offered}
        return _after(trial, [one.question for one in chosen], status.__getitem__)

    return run


def _arms(engine: Engine, _plan: Plan) -> Sequence[Arm]:
    n = engine.settings.answer.suggestions
    off = "" if n else "suggestions are switched off (answer.suggestions is 0)"
    return (
        Arm("as asked", as_it_is),
        *(
            Arm(f"S{at} picked", _picked(at), {"suggestion": at}, not_run=off)
            for at in range(1, max(n, 1) + 1)
        ),
        Arm("all of them", _picked(None), {"suggestion": None}, not_run=off),
    )


EXPERIMENT = Experiment(
    name="recovery_loop",
    title="recovery loop",
    hypothesis=(
        "Where the evidence is not enough, a narrower question, made from the question and its evidence "
        "alone, finds a piece that the question did not."
    ),
    answers_to="a question that is answerable in parts, and asked as a whole",
    needs="gold",
    arms=_arms,
    measures=(*BY_RANK, "gains a missing piece"),
    remark=(
        "Whoever picks a suggestion keeps what the question found, so a piece counts at its better rank, "
        "and no arm can lose. Suggestions are made once and frozen before they are searched. `gains a "
        "missing piece` is the share of the questions with a piece beyond k for which one comes within "
        "it."
    ),
)
