"""Runs an experiment: every arm on every question that says anything about it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from suffice.diagnose.scratch import NotRun
from suffice.engine import Engine
from suffice.errors import SufficeError, UsageError
from suffice.experiments import check
from suffice.experiments.arms import Arm, Experiment, Found, Plan
from suffice.experiments.places import GoldError, fingerprint
from suffice.experiments.scratch import copied
from suffice.experiments.suite import Question
from suffice.experiments.trial import Ground
from suffice.ports import Progress
from suffice.settings import Settings
from suffice.values import Mode, to_builtins

MOST_PARTS = 5_000
"""Larger corpora are cut or embedded anew only with `force`: that takes minutes to hours."""


@dataclass(frozen=True, slots=True)
class ArmRun:
    """An arm as it was run, or why it was not."""

    name: str
    setting: dict[str, Any]
    not_run: str = ""


@dataclass(frozen=True, slots=True)
class QuestionRun:
    """A question with what every arm found; `pieces` are those that the corpus holds, with their needs."""

    id: str
    question: str
    lang: str
    kind: str
    answerable: str
    pieces: dict[str, str]
    arms: dict[str, Found]


@dataclass(frozen=True, slots=True)
class Cost:
    """What an arm took: `mean_ms` beside the search that all share, `build_s` for an index of its own."""

    mean_ms: float
    build_s: float | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A finished experiment. Costs are apart from the rest, so that the rest is the same every time."""

    experiment: Experiment
    arms: tuple[ArmRun, ...]
    questions: tuple[QuestionRun, ...]
    gold_errors: tuple[GoldError, ...]
    k: int
    case: str | None
    about: dict[str, Any]
    costs: dict[str, Cost]

    def to_json(self) -> dict[str, Any]:
        """`suffice.experiment/1`: raw numbers, then the findings that follow from them."""
        own = self.experiment
        return check.completed(
            {
                "schema": check.SCHEMA,
                "experiment": own.name,
                "title": own.title,
                "hypothesis": own.hypothesis,
                "answers_to": own.answers_to,
                "remark": own.remark,
                "measures": list(own.measures),
                "k": self.k,
                "case": self.case,
                "about": self.about,
                "arms": to_builtins(self.arms),
                "questions": to_builtins(self.questions),
                "gold_errors": to_builtins(self.gold_errors),
            }
        )

    def timings(self) -> dict[str, Any]:
        """The costs by arm, in the file of their own."""
        return {"arms": to_builtins(self.costs)}


def run(
    engine: Engine,
    experiment: Experiment,
    questions: Sequence[Question],
    *,
    k: int = 5,
    case: str | None = None,
    mode: Mode = "hybrid",
    tenant: str | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Run:
    """All arms. `case` is shown beside the benchmark and does not decide. Raises UsageError.

    An arm whose every question fails was not run, and says why; where the baseline itself fails, the
    experiment ends with its error.
    """
    if case is not None and case not in {question.id for question in questions}:
        raise UsageError(f"no question of the file has the id {case!r}")
    taking_part = [question for question in questions if experiment.takes(question)]
    if not taking_part:
        raise UsageError(
            f"no question of the file says anything about {experiment.name}; it needs: {experiment.needs}"
        )
    arms = tuple(experiment.arms(engine, Plan(k, force)))
    runner = _Runner(engine, taking_part, mode, tenant, k, force, progress, arms)
    runner.work()
    rows = engine.workspace.documents(tenant)
    return Run(
        experiment=experiment,
        arms=tuple(ArmRun(arm.name, dict(arm.setting), runner.reasons.get(arm.name, "")) for arm in arms),
        questions=tuple(runner.outcomes()),
        gold_errors=tuple(runner.gold_errors),
        k=k,
        case=case,
        about={
            "n_in_file": len(questions),
            "n_documents": len(rows),
            "mode": mode,
            "tenant": tenant,
            "settings": engine.settings.fingerprint(),
            "generation": engine.searcher.generation,
            "corpus": fingerprint(rows),
        },
        costs=runner.costs(),
    )


@dataclass(slots=True)
class _Runner:
    engine: Engine
    questions: Sequence[Question]
    mode: Mode
    tenant: str | None
    k: int
    force: bool
    progress: Progress | None
    arms: Sequence[Arm]
    found: dict[str, dict[str, Found]] = field(default_factory=dict)
    pieces: dict[str, dict[str, str]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    gold_errors: list[GoldError] = field(default_factory=list)
    spent_ms: dict[str, list[float]] = field(default_factory=dict)
    built_s: dict[str, float] = field(default_factory=dict)
    done: int = 0

    def work(self) -> None:
        """The arms on the index that is there, then those that need another, one index after another."""
        self.reasons = {arm.name: arm.not_run for arm in self.arms if arm.not_run}
        self.found = {question.id: {} for question in self.questions}
        here = [arm for arm in self.arms if arm.index is None and not arm.not_run]
        other = [arm for arm in self.arms if arm.index is not None and not arm.not_run]
        with ExitStack() as stack:
            if here:
                self._on(self.engine, here)
            folder = None
            for arm in other:
                too_large = self._too_large()
                if too_large:
                    self.reasons[arm.name] = too_large
                    continue
                folder = folder or stack.enter_context(copied(self.engine))
                try:
                    with self._built(folder, arm) as engine:
                        self._on(engine, [arm])
                except SufficeError as error:
                    self.reasons[arm.name] = str(error)

    def outcomes(self) -> Iterator[QuestionRun]:
        """The questions with what was found, arms in their order; an arm that was not run is in none."""
        run_arms = [arm.name for arm in self.arms if arm.name not in self.reasons]
        for question in self.questions:
            own = self.found[question.id]
            yield QuestionRun(
                question.id, question.question, question.lang, question.kind, question.answerable,
                self.pieces.get(question.id, {}), {name: own[name] for name in run_arms if name in own},
            )  # fmt: skip

    def costs(self) -> dict[str, Cost]:
        """Mean milliseconds by arm, of those that were run."""
        return {
            name: Cost(round(sum(spent) / len(spent), 2), self.built_s.get(name))
            for name, spent in self.spent_ms.items()
            if spent and name not in self.reasons
        }

    def _too_large(self) -> str:
        n_parts = self.engine.workspace.n_parts(self.engine.searcher.generation)
        if n_parts <= MOST_PARTS or self.force:
            return ""
        return f"{n_parts:,} parts would be embedded anew, over {MOST_PARTS:,}; --force does it"

    @contextmanager
    def _built(self, folder: Any, arm: Arm) -> Iterator[Engine]:
        settings: Settings = arm.index or self.engine.settings
        with Engine.open(folder, settings) as engine:
            began = time.perf_counter()
            engine.build_index(self.progress)
            self.built_s[arm.name] = round(time.perf_counter() - began, 2)
            yield engine

    def _on(self, engine: Engine, arms: Sequence[Arm]) -> None:
        """These arms on every question; one that applies to none was not run, for its first reason."""
        ground = Ground(engine, self.mode, self.tenant, self.k)
        failed: dict[str, str] = {}
        self.spent_ms |= {arm.name: [] for arm in arms}
        total = len(self.questions) * sum(not arm.not_run for arm in self.arms)
        for question in self.questions:
            trial = ground.trial(question)
            if question.id not in self.pieces:
                self.pieces[question.id] = {
                    piece.id: piece.need for piece in question.pieces if piece.id in trial.places
                }
                self.gold_errors += trial.errors
            own = self.found[question.id]
            trial.prepare()
            for arm in arms:
                began = time.perf_counter()
                try:
                    own[arm.name] = arm.run(trial)
                except NotRun as reason:
                    failed.setdefault(arm.name, str(reason))
                    baseline = own.get(self.arms[0].name)
                    if baseline is not None:
                        own[arm.name] = replace(baseline, applied=False, note="")
                except SufficeError as error:
                    if arm is self.arms[0]:
                        raise
                    failed.setdefault(arm.name, str(error))
                self.spent_ms[arm.name].append((time.perf_counter() - began) * 1000)
                self.done += 1
                if self.progress is not None:
                    self.progress("arms", self.done, total)
        for arm in arms:
            applied = any((one := own.get(arm.name)) and one.applied for own in self.found.values())
            if not applied:
                self.reasons[arm.name] = failed.get(arm.name, "it found nothing to change")
