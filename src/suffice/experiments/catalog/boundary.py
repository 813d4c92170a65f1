"""The gate bypassed on purpose, on questions that the corpus cannot answer."""

from __future__ import annotations

from collections.abc import Sequence

from suffice.engine import Engine
from suffice.errors import GeneratorError
from suffice.experiments.arms import Arm, Experiment, Found, Plan
from suffice.experiments.bypass import written
from suffice.experiments.trial import Trial

_LONGEST = 600


def _with_gate(trial: Trial) -> Found:
    answer = trial.answer
    if answer.verdict.failures:
        raise GeneratorError("; ".join(failure.reason for failure in answer.verdict.failures))
    n_claims = len(answer.answer.claims) if answer.answer else 0
    return Found(
        k=trial.k,
        values={"declined": answer.answer is None, "claims": float(n_claims)},
        note=f"{answer.status}: {_short(answer.answer.text if answer.answer else answer.message)}",
    )


def _bypassed(trial: Trial) -> Found:
    composed = written(trial.engine, trial.question.question, trial.answer.evidence)
    n_claims = len(composed.body.claims) if composed.body else 0
    text = composed.body.text if composed.body else composed.message
    return Found(
        k=trial.k,
        values={"declined": composed.body is None, "claims": float(n_claims)},
        note=f"not_judged: {_short(text)}",
    )


def _short(text: str) -> str:
    said = " ".join(text.split())
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"


def _arms(_engine: Engine, _plan: Plan) -> Sequence[Arm]:
    return (Arm("gate bypassed", _bypassed, {"gate": "bypassed"}), Arm("gate in place", _with_gate))


EXPERIMENT = Experiment(
    name="boundary",
    title="boundary",
    hypothesis=(
        "Given evidence that is near the question and does not answer it, whoever writes the answer "
        "declines without a gate."
    ),
    answers_to="an answer from evidence that is not enough",
    needs="questions that the corpus cannot answer; a model as generator for the real test",
    arms=_arms,
    measures=("declined", "claims"),
    takes=lambda question: question.answerable == "none",
    remark=(
        "The extractive generator quotes what is nearest whatever it is worth, so with it this shows what"
        " would have been quoted; whether a model would decline by itself takes a model. What is written "
        "with the gate bypassed is judged by nobody (`not_judged`): read it. A quote in it is checked, "
        "and may still be off topic."
    ),
)
