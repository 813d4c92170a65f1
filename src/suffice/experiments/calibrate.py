"""Fits the gate's threshold to labelled questions: each is asked up to the judge; no answer is composed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from suffice.engine import Engine
from suffice.errors import JudgeError, SettingsError, UsageError
from suffice.experiments import stats
from suffice.experiments.selective import Curve, Scored
from suffice.experiments.suite import Question
from suffice.gate import calibration
from suffice.gate.calibration import Fitted, OperatingPoint
from suffice.gate.sufficiency import threshold_for
from suffice.journal import Journal
from suffice.ports import Progress
from suffice.values import Labels, to_builtins
from suffice.workspace import now

SCHEMA = "suffice.calibration/1"


@dataclass(frozen=True, slots=True)
class Left:
    """Lines of the file that the fit did without: no label, asked twice, or a search that failed."""

    unlabelled: int = 0
    repeated: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What the labels say. `fitted` is None where no threshold keeps the rate; `before` is what served."""

    scored: tuple[Scored, ...]
    curve: Curve
    before: OperatingPoint
    fitted: Fitted | None
    left: Left
    rate: float
    tenant: str | None = None

    @property
    def labels(self) -> Labels:
        """How many questions of each label took part."""
        n = [sum(one.answerable == label for one in self.scored) for label in ("full", "partial", "none")]
        return Labels(*n)

    @property
    def promised(self) -> bool:
        """Whether the rate is kept with 95 % confidence."""
        return self.fitted is not None and self.fitted.upper_bound <= self.rate

    def to_json(self, *, saved: bool) -> dict[str, Any]:
        """`suffice.calibration/1`."""
        area, between = self.curve.auroc()
        answered, false = self.curve.cross_fitted()
        before = self.before.calibration
        fit = self.fitted
        return {
            "schema": SCHEMA,
            "saved": saved,
            "tenant": self.tenant,
            "false_answer_rate": self.rate,
            "labels": to_builtins(self.labels),
            "left_out": to_builtins(self.left),
            "fitted": None
            if fit is None
            else {
                "id": fit.id if saved else None,
                **self.curve.at(fit.threshold).to_json(),
                "promised": self.promised,
                "promise": self.curve.promise,
                "expected_bound": self.curve.expected,
            },
            "unanswerable_needed": stats.needed_for(self.rate),
            "before": {
                "status": before.status,
                **self.curve.at(before.threshold).to_json(),
                "ignored": list(self.before.ignored),
            },
            "cross_fitted": {
                "answered": answered.to_json(),
                "false": None if false is None else false.to_json(),
            },
            "auroc": area,
            "auroc_interval": between and list(between),
            "table": [row.to_json() for row in self.curve.table()],
            "questions": [to_builtins(one) for one in self.scored],
        }


def calibrate(
    engine: Engine,
    questions: Sequence[Question],
    *,
    rate: float | None = None,
    tenant: str | None = None,
    n_unlabelled: int = 0,
    progress: Progress | None = None,
) -> Calibrated:
    """Ask every question, and fit a threshold to the scores; nothing is kept (see `keep`).

    `rate` None is the setting's. What the gold of the questions says plays no part, only their labels. Raises
    UsageError without an unanswerable question or any document, or where one question has two labels;
    JudgeError where no question could be judged.
    """
    gate = engine.settings.gate
    rate = gate.false_answer_rate if rate is None else rate
    if not 0 < rate < 1:
        raise UsageError(f"the false-answer rate is {rate:g}; it must lie between 0 and 1, as in 0.1")
    asked = _once(questions)
    if not any(one.answerable == "none" for one in asked):
        raise UsageError(
            f"none of the {len(asked)} labelled questions is unanswerable, so there is nothing to fit a "
            'false-answer rate to; add questions that the documents do not answer, with "answerable": "none" '
            f"({stats.needed_for(rate)} of them can promise {rate:.2g})"
        )
    if not engine.workspace.documents(tenant):
        whose = f"the tenant {tenant!r}" if tenant else "questions without a tenant"
        raise UsageError(f"there are no documents for {whose}, so there is nothing to fit to")
    before = engine.operating_point(tenant)
    scored, failures = _scores(engine, asked, tenant, progress)
    if not any(one.answerable == "none" for one in scored):
        raise JudgeError(f"no unanswerable question could be judged: {failures[0]}; see: suffice doctor")
    found = Calibrated(
        scored=scored,
        curve=Curve(scored, rate, _own(engine, rate)),
        before=before,
        fitted=None,
        left=Left(n_unlabelled, len(questions) - len(asked), len(failures)),
        rate=rate,
        tenant=tenant,
    )
    return replace(found, fitted=_fitted(engine, found))


def keep(engine: Engine, found: Calibrated) -> None:
    """From now on the gate asks for the fitted threshold, as long as what it depends on is the same."""
    if found.fitted is not None:
        calibration.keep(engine.journal, found.fitted, found.tenant)


def reset(engine: Engine, tenant: str | None) -> bool:
    """Back to the judge's own threshold; False where there was no fit."""
    return calibration.forget(engine.journal, tenant)


def _once(questions: Sequence[Question]) -> tuple[Question, ...]:
    """Each question once, whatever its letter case and typography: twice the same is not two labels."""
    first: dict[str, Question] = {}
    for question, name in zip(
        questions, calibration.digests([one.question for one in questions]), strict=True
    ):
        other = first.setdefault(name, question)
        if other.answerable != question.answerable:
            raise UsageError(
                f"{other.id!r} and {question.id!r} ask the same and are labelled {other.answerable} and "
                f"{question.answerable}; decide which it is"
            )
    return tuple(first.values())


def _scores(
    engine: Engine, questions: Sequence[Question], tenant: str | None, progress: Progress | None
) -> tuple[tuple[Scored, ...], list[str]]:
    """What the gate made of each question, and why some have no score."""
    scored, failures = [], []
    for number, question in enumerate(questions, 1):
        verdict = engine.judged(question.question, tenant=tenant)
        if verdict.failures:
            failures.append(verdict.failures[0].reason)
        else:
            score = max((judged.best_confidence or 0.0 for judged in verdict.needs), default=0.0)
            scored.append(Scored(question.id, question.question, question.answerable, score))
        if progress is not None:
            progress("questions", number, len(questions))
    return tuple(scored), failures


def _own(engine: Engine, rate: float) -> float | None:
    """The judge's own threshold for the rate; None where it has none."""
    gate = msgspec.structs.replace(engine.settings.gate, threshold=None, false_answer_rate=rate)
    try:
        return threshold_for(engine.judge, gate)
    except SettingsError:
        return None


def _fitted(engine: Engine, found: Calibrated) -> Fitted | None:
    threshold = found.curve.fit()
    if threshold is None:
        return None
    reached = found.curve.at(threshold)
    return Fitted(
        id=Journal.new_id(),
        at=now(),
        threshold=threshold,
        false_answer_rate=found.rate,
        upper_bound=reached.upper_bound,
        n_false=reached.false.n,
        labels=found.labels,
        depends=calibration.depends(engine.settings, engine.judge, engine.searcher.generation),
        questions=calibration.digests([one.question for one in found.scored]),
    )
