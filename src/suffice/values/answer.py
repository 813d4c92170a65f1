"""Values of the answer: citations, claims, suggestions, and the whole outcome of a question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from suffice.values.corpus import Span
from suffice.values.gate import Status, Verdict
from suffice.values.retrieval import Hit

Check = Literal["verified", "verified_normalized"]


@dataclass(frozen=True, slots=True)
class Citation:
    """A place that a claim cites, and the words that stand there (`text[span] == quote` if verified).

    `reattributed`: the writer named another piece of evidence, and the quote was found in this one alone.
    """

    evidence: int
    chunk_id: str
    document: str
    quote: str
    span: Span
    check: Check
    reattributed: bool = False


@dataclass(frozen=True, slots=True)
class DraftCitation:
    """A quote that a generator says stands in a piece of evidence; nobody has looked yet."""

    evidence: int
    quote: str
    span: Span | None = None  # where the generator says it stands, if it knows


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """A statement as a generator made it, before its quotes are checked."""

    text: str
    needs: tuple[str, ...]
    citations: tuple[DraftCitation, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement whose every citation was checked."""

    text: str
    needs: tuple[str, ...]
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class DroppedClaim:
    """A statement that is not shown, and why."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class AnswerBody:
    """What is shown when the system answers."""

    generator: str
    text: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """What a suggestion was found to lead to, before anyone picked it."""

    status: Status
    document: str | None = None
    title: str | None = None
    heading_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A narrower question, frozen before it was searched."""

    id: str
    question: str
    preview: Preview | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model call cost; None where no model was called or the price is not known."""

    model: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole outcome of one question: schema `suffice.answer/1`."""

    id: str
    question: str
    language: str
    asked_at: str
    snapshots: tuple[str, ...]
    generation: str
    tenant: str | None
    verdict: Verdict
    evidence: tuple[Hit, ...]
    answer: AnswerBody | None
    message: str
    dropped_claims: tuple[DroppedClaim, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    n_pending: int = 0  # documents that the index did not hold as they are now
    notes: tuple[str, ...] = ()  # what whoever wrote the answer was not given, and the like

    @property
    def status(self) -> Status:
        """The verdict's status."""
        return self.verdict.status
