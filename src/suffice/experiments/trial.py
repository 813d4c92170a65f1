"""One question of an experiment on one index: its gold as rows of the store, and the repairs to run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from suffice.diagnose.case import Case, positions
from suffice.diagnose.layers import Locator
from suffice.diagnose.trials import Trials, Tried
from suffice.engine import Engine
from suffice.experiments.arms import Found
from suffice.experiments.places import GoldError, Places, index_of, located
from suffice.experiments.suite import Question
from suffice.gate.needs import split
from suffice.gold import overlaps
from suffice.text import language
from suffice.values import Answer, Filter, JudgedNeed, Mode, Span, Verdict


class Ground:
    """One index with the gold in it. `gold` is the index of the documents, which every index shares."""

    def __init__(self, engine: Engine, mode: Mode, tenant: str | None, k: int) -> None:
        self.engine, self.mode, self.tenant, self.k = engine, mode, tenant, k
        self.searcher = engine.searcher
        self._gold = index_of(engine, tenant)
        self._row_of = {chunk_id: row for row, chunk_id in enumerate(self.searcher.store.chunk_ids())}
        self._chunks: dict[str, tuple[tuple[int, Span], ...]] = {}

    def trial(self, question: Question) -> Trial:
        """The question on this index, its gold looked up."""
        found = located(self._gold, question)
        return Trial(self, question, found.places, found.errors)

    def rows(self, places: Places) -> tuple[int, ...]:
        """Rows of the store whose chunk overlaps one of the places: any of them holds the piece."""
        return tuple(
            row
            for document, spans in places.items()
            for row, span in self._of(document)
            if overlaps(span, spans)
        )

    def chars(self, rows: Sequence[int]) -> int:
        """Characters of these rows' chunks."""
        ids = self.searcher.store.chunk_ids()
        found = self.engine.workspace.chunks(self.searcher.generation, [ids[row] for row in rows])
        return sum(len(row.chunk.text) for row in found.values())

    def _of(self, document: str) -> tuple[tuple[int, Span], ...]:
        if document not in self._chunks:
            rows = self.engine.workspace.document_chunks(self.searcher.generation, self.tenant, document)
            self._chunks[document] = tuple(
                (self._row_of[row.chunk.id], row.chunk.span) for row in rows if row.chunk.id in self._row_of
            )
        return self._chunks[document]


class Trial:
    """One question on one ground. What costs time is made on first use and shared by the arms."""

    def __init__(
        self, ground: Ground, question: Question, places: dict[str, Places], errors: Sequence[GoldError]
    ) -> None:
        self.ground, self.question, self.places, self.errors = ground, question, places, tuple(errors)
        self.engine, self.k = ground.engine, ground.k
        self._targets = {piece: ground.rows(own) for piece, own in places.items()}

    @cached_property
    def trials(self) -> Trials:
        """Every repair that a diagnosis knows, on this question. Nothing is judged or written for it."""
        text = self.question.question
        needs = split(text, language(text))
        unanswered = Answer(
            id="", question=text, language=language(text), asked_at="", snapshots=(),
            generation=self.ground.searcher.generation, tenant=self.ground.tenant,
            verdict=Verdict(tuple(JudgedNeed(need, ()) for need in needs)),
            evidence=(), answer=None, message="",
        )  # fmt: skip
        case = Case(
            self.engine.workspace, self.ground.searcher, self.engine.settings, unanswered,
            self.k, self.ground.mode, Filter(self.ground.tenant), threshold=0.0,
        )  # fmt: skip
        return Trials(Locator(case, self.engine.embedder), ())

    @cached_property
    def answer(self) -> Answer:
        """What `ask` makes of it with the settings as they are."""
        return self.engine.ask(
            self.question.question, mode=self.ground.mode, tenant=self.ground.tenant, keep=False
        )

    def prepare(self) -> None:
        """Search as all arms need it, so that no arm is charged for it."""
        self.trials  # noqa: B018 - made on first use

    def ranks(self, order: Sequence[int]) -> dict[str, int | None]:
        """Rank of each piece's first evidence in an order of rows."""
        place = positions(order, len(self.ground.searcher.store.chunk_ids()))
        return {
            piece: min((int(place[row]) for row in rows if place[row]), default=None)
            for piece, rows in self._targets.items()
        }

    def found(self, order: Sequence[int], note: str = "") -> Found:
        """The finding of an order of rows."""
        return Found(self.ranks(order), self.k, note=note)

    def of(self, tried: Tried, note: str = "") -> Found:
        """The finding of a repair that was tried on this index."""
        return replace(self.found(tried.order, note), k=tried.k or self.k)

    def searched(self, queries: Sequence[str]) -> list[int]:
        """Rows taken in turn from the rankings of several queries."""
        case = self.trials.case
        scored = case.searcher.score_many(queries, case.mode, case.filter)
        return self.trials.field.evidence_order(scored=scored)
