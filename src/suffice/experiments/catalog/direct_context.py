"""The whole of a small corpus in the prompt, against the chunks that retrieval chose."""

from __future__ import annotations

from collections.abc import Sequence

from suffice.diagnose.scratch import NotRun
from suffice.engine import Engine
from suffice.experiments.arms import Arm, Experiment, Found, Plan
from suffice.experiments.bypass import written
from suffice.experiments.trial import Trial
from suffice.gold import overlaps
from suffice.values import Hit

MOST_CHARS = 400_000
"""About 100,000 tokens of English: what many models take in one prompt."""


def _with(trial: Trial, evidence: Sequence[Hit]) -> Found:
    composed = written(trial.engine, trial.question.question, evidence)
    if composed.notes:
        raise NotRun("; ".join(composed.notes))  # it did not read what the arm says that it read
    claims = composed.body.claims if composed.body else ()
    cited = [citation for claim in claims for citation in claim.citations]
    on_gold = [
        any(overlaps(one.span, places.get(one.document, ())) for one in cited)
        for places in trial.places.values()
    ]
    return Found(
        k=trial.k,
        values={
            "pieces cited": sum(on_gold) / len(on_gold) if on_gold else None,
            "claims": float(len(claims)),
            "claims dropped": float(len(composed.dropped)),
            "chars read": float(sum(len(hit.text) for hit in evidence)),
        },
    )


def _chosen(trial: Trial) -> Found:
    return _with(trial, trial.answer.evidence)


def _all(trial: Trial) -> Found:
    searched = trial.engine.search(
        trial.question.question, k=None, mode=trial.ground.mode, tenant=trial.ground.tenant
    )
    hits = sorted(searched.hits, key=lambda hit: (hit.document, hit.span))
    n_chars = sum(len(hit.text) for hit in hits)
    if n_chars > MOST_CHARS:
        raise NotRun(f"the corpus has {n_chars:,} characters, at most {MOST_CHARS:,} go into one prompt")
    return _with(trial, hits)


def _arms(engine: Engine, _plan: Plan) -> Sequence[Arm]:
    off = ""
    if engine.settings.answer.generator == "extractive":
        off = "it needs a generator that reads a prompt; none is configured (answer.generator is extractive)"
    return (
        Arm("retrieved chunks", _chosen, {"context": "retrieved"}, not_run=off),
        Arm("whole corpus", _all, {"context": "whole"}, not_run=off),
    )


EXPERIMENT = Experiment(
    name="direct_context",
    title="direct context",
    hypothesis=(
        "A small corpus needs no retrieval: a model that is given all of it finds the pieces by itself."
    ),
    answers_to="anything that retrieval loses",
    needs="gold; a model as generator; a corpus that fits a prompt",
    arms=_arms,
    measures=("pieces cited", "claims", "claims dropped", "chars read"),
    remark=(
        "The gate is bypassed in both arms, so that they differ in what was read alone. A piece counts as"
        " cited where a checked quote of the answer stands on its gold."
    ),
)
