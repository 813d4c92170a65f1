"""Runs a benchmark: each question is ranked at full depth once, then asked as a user would ask it.

Nothing is kept in the journal. What is measured of the ranking is measured on the ranking of the question
as asked, at full depth; the evidence that the gate is given may differ from its first k, since a question of
several needs is searched in parts, and is measured on its own (`evidence_coverage`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from suffice.engine import Engine
from suffice.errors import UsageError
from suffice.experiments import measures, summary
from suffice.experiments.outcome import Citations, NeedOutcome, Offered, Outcome, PieceOutcome
from suffice.experiments.places import (
    Found,
    GoldError,
    Places,
    fingerprint,
    holds,
    index_of,
    located,
    stands,
    unique,
)
from suffice.experiments.suite import Question
from suffice.gate.calibration import digests
from suffice.gate.needs import split
from suffice.gold import GoldIndex, overlaps
from suffice.ports import Progress
from suffice.retrieve.gather import gather
from suffice.text import language
from suffice.values import Answer, Calibration, Filter, Hit, Mode, to_builtins

SCHEMA = "suffice.benchmark/1"
RUN_DEPTH = 100
"""How many chunks of a ranking are kept for TREC's tools; our own measures by rank need 20."""
_LEGS: tuple[Mode, ...] = ("hybrid", "dense", "lexical")


@dataclass(frozen=True, slots=True)
class Corpus:
    """What was searched. `fingerprint` covers every document's name and bytes."""

    fingerprint: str
    n_documents: int
    n_chunks: int


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run. `answers` is False where only the ranking was measured.

    `calibration` is the gate's threshold and where it came from; `n_fitted_on` of the questions are among
    those that it was fitted to, so that what is measured of the gate on them flatters it.
    """

    questions: tuple[Outcome, ...]
    gold_errors: tuple[GoldError, ...]
    k: int
    mode: Mode
    answers: bool
    settings: str
    generation: str
    corpus: Corpus
    tenant: str | None = None
    calibration: Calibration | None = None
    n_fitted_on: int = 0

    def to_json(self) -> dict[str, Any]:
        """`suffice.benchmark/1`, in the contract's order of fields; the rest is extra."""
        found = summary.summarize(self.questions, self.k)
        return {
            "schema": SCHEMA,
            "n": len(self.questions),
            "settings": self.settings,
            "generation": self.generation,
            "k": self.k,
            "mode": self.mode,
            "answers": self.answers,
            "tenant": self.tenant,
            "calibration": to_builtins(self.calibration),
            "n_fitted_on": self.n_fitted_on,
            "corpus": to_builtins(self.corpus),
            "metrics": found.metrics,
            "intervals": found.intervals,
            "n_scored": found.n_scored,
            "groups": found.groups,
            "risk_coverage": found.risk_coverage,
            "gold_errors": to_builtins(self.gold_errors),
            "questions": [to_builtins(outcome) for outcome in self.questions],
        }


def run(
    engine: Engine,
    questions: Sequence[Question],
    *,
    k: int = 5,
    evidence_k: int | None = None,
    mode: Mode = "hybrid",
    tenant: str | None = None,
    answers: bool = True,
    progress: Progress | None = None,
) -> Run:
    """Measure every question. `evidence_k` None: the gate gets as many chunks as `ask` gives it by default.

    Raises UsageError without questions or an index; whatever makes a search impossible.
    """
    if not questions:
        raise UsageError("there are no questions to run")
    index = index_of(engine, tenant)
    outcomes = []
    errors: list[GoldError] = []
    generation = engine.searcher.generation
    n_chunks = 0
    rows = engine.workspace.documents(tenant)
    point = engine.operating_point(tenant) if answers else None
    for number, question in enumerate(questions, 1):
        found = located(index, question)
        errors += found.errors
        one = _Case(engine, question, found, mode, tenant)
        outcome, depth = one.ranked()
        n_chunks = max(n_chunks, depth)
        if answers:
            outcome = one.asked(outcome, index, evidence_k)
        outcomes.append(outcome)
        if progress is not None:
            progress("questions", number, len(questions))
    return Run(
        questions=tuple(outcomes),
        gold_errors=tuple(errors),
        k=k,
        mode=mode,
        answers=answers,
        settings=engine.settings.fingerprint(),
        generation=generation,
        corpus=Corpus(fingerprint(rows), len(rows), n_chunks),
        tenant=tenant,
        calibration=point.calibration if point else None,
        n_fitted_on=len({*digests([one.question for one in questions])} & {*point.questions}) if point else 0,
    )


@dataclass(frozen=True, slots=True)
class _Case:
    engine: Engine
    question: Question
    found: Found
    mode: Mode
    tenant: str | None

    def ranked(self) -> tuple[Outcome, int]:
        """The outcome as far as the ranking tells it, and how many chunks were ranked."""
        began = time.perf_counter()
        ranking = self.engine.search(self.question.question, k=None, mode=self.mode, tenant=self.tenant)
        spent_ms = (time.perf_counter() - began) * 1000
        hits = unique(ranking.hits)
        # One hybrid search ranks under all three scorers; another mode knows only its own.
        legs = hits if self.mode == "hybrid" else self.engine.search(
            self.question.question, k=None, tenant=self.tenant
        ).hits  # fmt: skip
        ids = [hit.chunk_id for hit in hits]
        relevant = tuple(
            hit.chunk_id for hit in legs if any(holds(hit, p) for p in self.found.places.values())
        )
        outcome = Outcome(
            id=self.question.id,
            question=self.question.question,
            answerable=self.question.answerable,
            lang=self.question.lang,
            kind=self.question.kind,
            pieces={
                piece.id: self._piece(hits, legs, self.found.places.get(piece.id))
                for piece in self.question.pieces
            },
            gold_ok=not any(
                piece.evidence and piece.id not in self.found.places for piece in self.question.pieces
            ),
            ndcg10=measures.ndcg_at(ids, relevant, 10),
            latency_ms=round(spent_ms, 3),
            relevant=relevant,
            top=tuple(ids[:RUN_DEPTH]),
        )
        return outcome, ranking.depth

    def _piece(self, hits: Sequence[Hit], legs: Sequence[Hit], places: Places | None) -> PieceOutcome:
        if places is None:
            return PieceOutcome()
        holders = [hit for hit in legs if holds(hit, places)]
        first = next(((rank, hit) for rank, hit in enumerate(hits, 1) if holds(hit, places)), None)
        ranks: dict[str, int | None] = {
            leg: min((rank for hit in holders if (rank := hit.ranks.get(leg)) is not None), default=None)
            for leg in _LEGS
        }
        return PieceOutcome(
            rank=first[0] if first else None,
            held=True,
            ranks=ranks,
            chunk_id=first[1].chunk_id if first else None,
            document=first[1].document if first else None,
        )

    def asked(self, outcome: Outcome, index: GoldIndex, k: int | None) -> Outcome:
        """The outcome with what `ask` made of it."""
        answer = self.engine.ask(self.question.question, k=k, mode=self.mode, tenant=self.tenant, keep=False)
        needs = tuple(
            NeedOutcome(judged.need.id, judged.need.text, judged.status, judged.best_confidence)
            for judged in answer.verdict.needs
        )
        confidences = [need.best_confidence or 0.0 for need in needs]
        failed = answer.status == "search_failed"
        return replace(
            outcome,
            status=answer.status,
            pieces={
                name: self._with_answer(piece, answer, self.found.places.get(name))
                for name, piece in outcome.pieces.items()
            },
            needs=needs,
            confidence=None if failed or not confidences else min(confidences),
            confidence_any=None if failed or not confidences else max(confidences),
            evidence=tuple(hit.chunk_id for hit in answer.evidence),
            citations=self._citations(answer, index),
            suggestions=tuple(
                self._suggestion(one.question, one.preview, answer) for one in answer.suggestions
            ),
            latency_ms=answer.timings_ms.get("total"),
            failures=tuple(f"{failure.stage}: {failure.reason}" for failure in answer.verdict.failures),
        )

    def _with_answer(self, piece: PieceOutcome, answer: Answer, places: Places | None) -> PieceOutcome:
        if places is None:
            return piece
        in_evidence = any(holds(hit, places) for hit in answer.evidence)
        return replace(piece, in_evidence=in_evidence, cited=_shows(answer, places))

    def _citations(self, answer: Answer, index: GoldIndex) -> Citations:
        shown = _cited(answer)
        return Citations(
            shown=len(shown),
            verified=sum(stands(index, one) for one in shown),
            on_gold=sum(
                any(overlaps(one.span, places.get(one.document, ())) for places in self.found.places.values())
                for one in shown
            ),
            dropped_claims=len(answer.dropped_claims),
        )

    def _suggestion(self, text: str, preview: Any, answer: Answer) -> Offered:
        """Asked as `pick` would ask it: the gold that it finds and shows, and that the question did not."""
        status = preview.status if preview is not None else None
        if status in ("sufficient", "partial"):
            own = self.engine.ask(text, mode=self.mode, tenant=self.tenant, keep=False, suggest=False)
            evidence = own.evidence
        else:  # it would be declined: its evidence is all that it leads to
            own = None
            needs = split(text, language(text))
            evidence = gather(
                self.engine.searcher, text, needs, k=None, mode=self.mode, filter=Filter(self.tenant)
            ).evidence
        places = self.found.places
        found = [name for name in places if any(holds(hit, places[name]) for hit in evidence)]
        had = {name for name in places if any(holds(hit, places[name]) for hit in answer.evidence)}
        shown = [name for name in places if own is not None and _shows(own, places[name])]
        return Offered(
            text,
            status,
            tuple(name for name in found if name not in had),
            tuple(name for name in shown if not _shows(answer, places[name])),
        )


def _shows(answer: Answer, places: Places) -> bool:
    return any(overlaps(one.span, places.get(one.document, ())) for one in _cited(answer))


def _cited(answer: Answer) -> list[Any]:
    return [one for claim in answer.answer.claims for one in claim.citations] if answer.answer else []
