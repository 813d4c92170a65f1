"""The only wiring: opens a workspace, resolves plug-ins, runs the pipeline. `ask()` reads as it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from suffice import added, health, registry
from suffice import diagnose as diagnosing
from suffice.added import AddReport as AddReport
from suffice.answer.compose import Composed, compose, supports_left
from suffice.answer.messages import say
from suffice.answer.recheck import Verification, recheck_answer
from suffice.asked import Asked, Found, checked_question, passage, teller
from suffice.corpus import snapshot
from suffice.corpus.snapshot import Difference
from suffice.errors import EmbedderError, JudgeError, NotFound, StoreError, WorkspaceError
from suffice.gate import calibration as calibrations
from suffice.gate import needs as gate_needs
from suffice.gate.sufficiency import above_cosine, decide
from suffice.gold import Piece
from suffice.index import active, open_store, update
from suffice.journal import Journal
from suffice.ports import Embedder, Generator, Judge, Progress
from suffice.recover import suggest as suggestions_of
from suffice.retrieve.filters import read as read_filter
from suffice.retrieve.gather import gather, queries_of
from suffice.retrieve.search import Searcher
from suffice.settings import Settings
from suffice.text import language as language_of
from suffice.values import (
    Answer,
    Document,
    Failure,
    Mode,
    Need,
    Ranking,
    Scalar,
    Snapshot,
    Suggestion,
    Support,
    Verdict,
    to_builtins,
)
from suffice.workspace import Workspace


class Engine:
    """One workspace with its settings. Use as a context manager, or call `close()`."""

    def __init__(self, workspace: Workspace, settings: Settings) -> None:
        self.workspace = workspace
        self.settings = settings
        self.journal = Journal(workspace)
        self._searcher: tuple[tuple[str, str], Searcher] | None = None

    @classmethod
    def open(cls, path: Path, settings: Settings, *, create: bool = False) -> Self:
        """Raises NotFound when there is none and `create` is false, WorkspaceError when it is damaged."""
        return cls(Workspace.open(path, create=create), settings)

    def close(self) -> None:
        """Release files and connections."""
        self.workspace.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- plug-ins, made on first use -----------------------------------------------------------

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder that the settings name."""
        embed = self.settings.embed
        options = {"precision": embed.precision, "threads": embed.threads} if embed.name == "e5" else {}
        return registry.create("embedder", embed.name, **options)  # type: ignore[no-any-return]

    @cached_property
    def judge(self) -> Judge:
        """The judge that the settings name."""
        return registry.create("judge", self.settings.gate.judge, embedder=self.embedder)  # type: ignore[no-any-return]

    def generator(self, name: str | None) -> Generator:
        """The generator of that name, else that of the settings."""
        name = name or self.settings.answer.generator
        options = self.settings.generator.options(name)
        return registry.create("generator", name, embedder=self.embedder, **options)  # type: ignore[no-any-return]

    @property
    def searcher(self) -> Searcher:
        """Searches the generation that serves, as it stands now. Raises NotFound, UsageError, StoreError."""
        generation = active(self.workspace, self.embedder).id
        state = (generation, self.workspace.revision(generation))
        if self._searcher is None or self._searcher[0] != state:
            store = open_store(self.workspace, generation, self.settings)
            searcher = Searcher(self.workspace, store, self.embedder, self.settings, generation)
            self._searcher = (state, searcher)
        return self._searcher[1]

    # --- the corpus ----------------------------------------------------------------------------

    def add(
        self,
        sources: Sequence[str],
        *,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        tenant: str | None = None,
        meta: Mapping[str, Scalar] | None = None,
        progress: Progress | None = None,
    ) -> AddReport:
        """Snapshot the sources, then bring the index up to date. Raises SourceError, WorkspaceError."""
        specs = snapshot.specs(sources, include=include, exclude=exclude, tenant=tenant, meta=meta)
        return self._index(lambda: snapshot.take(self.workspace, specs, progress=progress), progress)

    def update(self, progress: Progress | None = None) -> AddReport:
        """Read the recorded sources again, then bring the index up to date."""
        specs = snapshot.recorded(self.workspace)
        if not specs:
            raise NotFound("no source is recorded in this workspace; add one: suffice add FOLDER")
        return self._index(
            lambda: snapshot.take(self.workspace, specs, kind="update", progress=progress), progress
        )

    def build_index(self, progress: Progress | None = None) -> AddReport:
        """Bring the index up to date with documents and settings; no source is read."""
        return self._index(lambda: snapshot.Taken(None), progress)

    def remove(self, documents: Sequence[str], *, tenant: str | None = None) -> tuple[str, ...]:
        """From now on no answer or ranking shows them. Raises NotFound, before anything is removed."""
        return snapshot.remove(self.workspace, documents, tenant)

    def _index(self, take: Callable[[], snapshot.Taken], progress: Progress | None) -> AddReport:
        began = time.perf_counter()
        taken = take()
        report = update(self.workspace, self.settings, self.embedder, progress)
        return added.report(taken, report, health.status(self.workspace), began)

    # --- questions -----------------------------------------------------------------------------

    def ask(
        self,
        question: str,
        *,
        k: int | None = None,
        mode: Mode = "hybrid",
        tenant: str | None = None,
        where: Sequence[str] = (),
        generator: str | None = None,
        strict: bool | None = None,
        checklist: Sequence[Mapping[str, str] | str] | None = None,
        keep: bool = True,
        suggest: bool = True,
        progress: Progress | None = None,
    ) -> Answer:
        """An answer with checked quotes, or a decline with suggestions; the journal has it if `keep`."""
        asked = Asked(checked_question(question), k, mode, read_filter(where, tenant), teller(progress))
        answer, trace = self._answered(asked, generator, strict, checklist, suggest=suggest)
        if keep:
            diagnosing.keep(self.workspace, self.journal, answer, trace)
        return answer

    def _answered(
        self,
        asked: Asked,
        generator: str | None = None,
        strict: bool | None = None,
        checklist: Sequence[Mapping[str, str] | str] | None = None,
        *,
        suggest: bool = True,
    ) -> tuple[Answer, diagnosing.Trace]:
        """The pipeline, one line a stage; nothing is kept."""
        language = language_of(asked.question)
        needs = gate_needs.split(asked.question, language, checklist)
        found = self._find(asked, needs)
        verdict = self._judge(asked, needs, found)
        composed, verdict = self._compose(asked, verdict, found, generator, strict, language)
        suggestions = self._recover(asked, verdict, found, language) if suggest else ()
        answer = Answer(
            id=Journal.new_id(),
            question=asked.question,
            language=language,
            asked_at=asked.at,
            snapshots=tuple(sorted({hit.snapshot for hit in found.evidence})),
            generation=found.generation,
            tenant=asked.filter.tenant,
            verdict=verdict,
            evidence=found.evidence,
            answer=composed.body,
            message=composed.message,
            dropped_claims=composed.dropped,
            suggestions=suggestions,
            timings_ms=asked.clock.timings_ms(),
            usage=composed.usage,
            n_pending=health.n_pending(self.workspace),
            notes=composed.notes,
        )
        return answer, diagnosing.trace(self.workspace, self.settings, asked, answer, found)

    def judged(
        self, question: str, *, k: int | None = None, mode: Mode = "hybrid", tenant: str | None = None
    ) -> Verdict:
        """The verdict that `ask` would begin with: searched and judged, not composed; nothing is kept."""
        asked = Asked(checked_question(question), k, mode, read_filter((), tenant), teller(None))
        needs = gate_needs.split(asked.question, language_of(asked.question))
        return self._judge(asked, needs, self._find(asked, needs))

    def operating_point(self, tenant: str | None = None) -> calibrations.OperatingPoint:
        """Which threshold the gate asks for, and where it comes from. Raises JudgeError, SettingsError."""
        row = self.workspace.active_generation()
        return calibrations.operating_point(
            self.judge, self.settings, row.id if row else "", self.journal, tenant
        )

    def diagnose(
        self,
        question: str,
        pieces: Sequence[Piece],
        *,
        k: int | None = None,
        mode: Mode = "hybrid",
        tenant: str | None = None,
        where: Sequence[str] = (),
        repairs: bool = False,
        progress: Progress | None = None,
    ) -> diagnosing.Diagnosis:
        """Ask, and say where each piece was lost; `repairs` runs every known one. Nothing is kept."""
        asked = Asked(checked_question(question), k, mode, read_filter(where, tenant), teller(progress))
        return self._locate(*self._answered(asked), pieces, repairs=repairs, progress=progress)

    def explain(
        self, id: str, pieces: Sequence[Piece], *, repairs: bool = False, progress: Progress | None = None
    ) -> diagnosing.Diagnosis:
        """Say where each piece was lost in an answer given earlier. Raises NotFound."""
        kept = diagnosing.read(self.journal, id)
        return self._locate(*kept, pieces, earlier=True, repairs=repairs, progress=progress)

    def _locate(
        self, answer: Answer, trace: diagnosing.Trace, pieces: Sequence[Piece], **how: Any
    ) -> diagnosing.Diagnosis:
        from suffice.diagnose.locate import Parts, locate

        gate = self.operating_point(trace.filter.tenant).calibration
        parts = Parts(self.workspace, self.searcher, self.settings, self.embedder, gate.threshold)
        return locate(parts, answer, trace, pieces, **how)

    def pick(self, n: int, *, tenant: str | None = None, progress: Progress | None = None) -> Answer:
        """Ask the nth suggestion of the tenant's last answer, as a new ordinary question."""
        last = self.journal.last("answer", tenant=tenant)
        if last is None:
            raise NotFound("there is no answer to pick a suggestion of; ask a question first")
        suggestions = last.payload["suggestions"]
        if not 1 <= n <= len(suggestions):
            there = f"1 to {len(suggestions)}" if suggestions else "none"
            raise NotFound(f"the last answer has no suggestion {n}; it has: {there}")
        return self.ask(suggestions[n - 1]["question"], tenant=tenant, progress=progress)

    def search(
        self,
        query: str,
        *,
        k: int | None = 10,
        mode: Mode = "hybrid",
        tenant: str | None = None,
        where: Sequence[str] = (),
    ) -> Ranking:
        """The ranking alone; `k` None ranks the whole corpus."""
        return self.searcher.search(
            checked_question(query), k=k, mode=mode, filter=read_filter(where, tenant)
        )

    def answer(self, id: str) -> dict[str, Any]:
        """An earlier answer, as it was kept. Raises NotFound."""
        return dict(self.journal.read("answer", id).payload)

    # --- the stages of ask() ---------------------------------------------------------------------

    def _find(self, asked: Asked, needs: Sequence[Need]) -> Found:
        asked.tell("search")
        try:
            searcher = self.searcher
            with asked.clock("embed"):
                vectors = searcher.embed(queries_of(asked.question, needs), asked.mode)
            with asked.clock("search"):
                got = gather(searcher, asked.question, needs, embedded=vectors, **asked.how)
        except (EmbedderError, StoreError, WorkspaceError) as error:
            return Found("", (), 0, (Failure("search", str(error)),))
        failures = tuple(failure for ranking in got.rankings for failure in ranking.failures)
        whole = got.rankings[0]
        return Found(whole.generation, got.evidence, whole.depth, failures, got.rankings)

    def _judge(self, asked: Asked, needs: Sequence[Need], found: Found) -> Verdict:
        asked.tell("judge")
        gate, failures = self.settings.gate, found.failures
        supports: tuple[Support, ...] = ()
        try:
            with asked.clock("judge"):
                passages = [passage(hit) for hit in found.evidence]
                if passages and not failures:
                    supports = above_cosine(self.judge.judge(asked.question, needs, passages), passages, gate)
        except (JudgeError, EmbedderError) as error:
            failures = (*failures, Failure("judge", str(error)))
        point = self.operating_point(asked.filter.tenant).calibration
        verdict = decide(needs, supports, threshold=point.threshold, failures=failures)
        return replace(verdict, calibration=point)

    def _compose(
        self,
        asked: Asked,
        verdict: Verdict,
        found: Found,
        generator: str | None,
        strict: bool | None,
        language: str,
    ) -> tuple[Composed, Verdict]:
        asked.tell("compose")
        strict = self.settings.answer.strict if strict is None else strict
        with asked.clock("compose"):
            composed = compose(
                asked.question, verdict, found.evidence, self.generator(generator), language, strict=strict
            )
        if not found.depth and verdict.status == "insufficient":
            composed = replace(
                composed, message=say(health.why_empty(self.workspace, asked.filter), language)
            )
        if composed.unchecked or composed.failures:
            left = supports_left(verdict, composed.unchecked)
            needs = [judged.need for judged in verdict.needs]
            again = decide(needs, left, threshold=0.0, failures=composed.failures)
            verdict = replace(again, calibration=verdict.calibration)
        return composed, verdict

    def _recover(self, asked: Asked, verdict: Verdict, found: Found, language: str) -> tuple[Suggestion, ...]:
        if verdict.status in ("sufficient", "search_failed"):
            return ()
        asked.tell("recover")
        with asked.clock("recover"):
            n = self.settings.answer.suggestions
            return suggestions_of(asked, verdict, found, language, n, find=self._find, judge=self._judge)

    # --- looking back and around -----------------------------------------------------------------

    def snapshots(self) -> tuple[dict[str, Any], ...]:
        """All snapshots, the newest first."""
        return tuple(to_builtins(one) for one in reversed(snapshot.listing(self.workspace)))

    def snapshot(self, id: str) -> Snapshot:
        """One snapshot by its id or the beginning of it. Raises NotFound."""
        return self.workspace.snapshot(snapshot.resolve(self.workspace, id))

    def document_text(self, snapshot_id: str, name: str, *, tenant: str | None = None) -> Document:
        """A document of a snapshot, normalized from its raw bytes. Raises NotFound, ParseError."""
        return snapshot.document(self.workspace, snapshot_id, name, tenant)

    def diff(self, a: str, b: str) -> Difference:
        """What changed between two snapshots. Raises NotFound."""
        return snapshot.diff(self.workspace, *(snapshot.resolve(self.workspace, id) for id in (a, b)))

    def verify_snapshots(self, progress: Progress | None = None) -> health.Integrity:
        """Recompute the sha256 of every raw file."""
        return health.verify_snapshots(self.workspace, progress)

    def verify_index(self) -> health.Integrity:
        """Compare the searchable arrays with the record."""
        return health.verify_index(self.workspace, self.settings)

    def verify_answer(self, data: Mapping[str, Any]) -> Verification:
        """Check every quote of a saved answer against its snapshot. Raises UsageError."""
        return recheck_answer(self.workspace, data)

    def lint(self) -> health.LintReport:
        """What retrieves badly or could not be read."""
        return health.lint(self.workspace, self.settings, self.embedder)

    def status(self) -> health.Status:
        """The workspace in numbers."""
        return health.status(self.workspace)

    def doctor(self) -> tuple[health.Check, ...]:
        """Every check, and what to do where one fails."""
        made = (lambda: self.embedder, lambda: self.generator(None))
        return health.doctor(self.workspace, self.settings, *made, self.journal, self.operating_point)
