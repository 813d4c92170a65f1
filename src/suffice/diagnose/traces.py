"""What an ask leaves beside its answer: enough to say later why it went as it did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from suffice.asked import Asked, Found
from suffice.errors import NotFound, WorkspaceError
from suffice.journal import Journal
from suffice.retrieve.gather import evidence_size
from suffice.settings import Settings
from suffice.values import Answer, Calibration, Filter, Mode, Status, from_builtins, to_builtins
from suffice.workspace import Workspace

KIND = "trace"

Outcome = Literal["answered", "declined", "failed"]


@dataclass(frozen=True, slots=True)
class TracedRanking:
    """The ids of the first 50 chunks of one query, best first: a chunk's rank is its place in the list."""

    query: str
    scorer: str
    depth: int
    chunk_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """One ask. `id` is the answer's; `settings` and `generation` are fingerprints.

    `revision` names the state of the generation that was searched; `threshold` is the confidence that the
    gate asked for, `calibration` where it came from (None in traces of older versions).
    """

    id: str
    question: str
    asked_at: str
    k: int
    mode: Mode
    filter: Filter
    settings: str
    generation: str
    revision: str
    threshold: float
    rankings: tuple[TracedRanking, ...]
    status: Status
    outcome: Outcome
    timings_ms: dict[str, float] = field(default_factory=dict)
    calibration: Calibration | None = None


def trace(ws: Workspace, settings: Settings, asked: Asked, answer: Answer, found: Found) -> Trace:
    """The trace of an answer that was just given."""
    gate = answer.verdict.calibration
    outcome: Outcome = "answered" if answer.answer else "declined"
    return Trace(
        id=answer.id,
        question=answer.question,
        asked_at=answer.asked_at,
        k=evidence_size(len(answer.verdict.needs), asked.k),
        mode=asked.mode,
        filter=asked.filter,
        settings=settings.fingerprint(),
        generation=answer.generation,
        revision=ws.revision(answer.generation) if answer.generation else "",
        threshold=gate.threshold if gate is not None else 0.0,
        rankings=tuple(TracedRanking(one.query, one.scorer, one.depth, one.first) for one in found.rankings),
        status=answer.status,
        outcome="failed" if answer.status == "search_failed" else outcome,
        timings_ms=answer.timings_ms,
        calibration=gate,
    )


def keep(ws: Workspace, journal: Journal, answer: Answer, trace: Trace) -> None:
    """Write the answer and its trace into the journal, both or neither."""
    with ws.writing():
        journal.append("answer", answer.id, to_builtins(answer), tenant=answer.tenant)
        journal.append(KIND, answer.id, to_builtins(trace), tenant=answer.tenant)


def read(journal: Journal, id: str) -> tuple[Answer, Trace]:
    """An earlier answer with its trace. Raises NotFound, WorkspaceError where it cannot be read."""
    kept = journal.read("answer", id).payload
    try:
        traced = journal.read(KIND, id).payload
    except NotFound as error:
        raise NotFound(
            f"the answer {id} was given by a version of suffice that kept no trace; ask the question again"
        ) from error
    return _value(kept, Answer, id), _value(traced, Trace, id)


def _value(payload: Any, kind: type[Any], id: str) -> Any:
    try:
        return from_builtins(payload, kind)
    except msgspec.ValidationError as error:
        raise WorkspaceError(
            f"the {kind.__name__.lower()} {id} in the journal is damaged: {error}"
        ) from error
