"""Values of the gate: needs, passages, supports, the verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from suffice.values.corpus import Span
from suffice.values.retrieval import Failure

Status = Literal["sufficient", "partial", "insufficient", "search_failed"]
NeedStatus = Literal["supported", "missing"]
CalibrationStatus = Literal["uncalibrated", "calibrated", "manual"]


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that the question asks for. `text` stands alone; `span` is its place in the question."""

    id: str
    text: str
    span: Span | None = None
    context: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of evidence as a judge sees it. `evidence` is its rank in the evidence list."""

    evidence: int
    chunk_id: str
    title: str
    heading_path: tuple[str, ...]
    text: str
    span: Span
    scores: dict[str, float | None] = field(default_factory=dict)
    ranks: dict[str, int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Support:
    """A judge's proposal that a passage supports a need.

    `span` is into the document's text and lies in the passage; `confidence` is in [0, 1] and is
    an estimate of the probability that a reader would agree.
    """

    need: str
    evidence: int
    span: Span
    confidence: float
    judge: str


@dataclass(frozen=True, slots=True)
class JudgedNeed:
    """A need with the supports that passed the operating point, best first."""

    need: Need
    supports: tuple[Support, ...]
    best_confidence: float | None = None

    @property
    def status(self) -> NeedStatus:
        """Supported when at least one support passed."""
        return "supported" if self.supports else "missing"


@dataclass(frozen=True, slots=True)
class Labels:
    """How many labelled questions there were: fully, partly and not at all answerable."""

    full: int
    partial: int
    none: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """The confidence that the gate asked for, and where it comes from.

    `manual`: set by the user. `calibrated`: fitted to `labels` for `false_answer_rate`; with 95 % confidence
    the rate on this corpus is at most `upper_bound`. `uncalibrated`: the judge's own operating point for
    `false_answer_rate`, from public data. `id` is that of the fit in the journal.
    """

    status: CalibrationStatus
    threshold: float
    false_answer_rate: float | None = None
    upper_bound: float | None = None
    labels: Labels | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the evidence is enough for. Made by `gate.sufficiency.decide` and nowhere else.

    `calibration` is None where nobody asked which threshold was used, and in answers of older versions.
    """

    needs: tuple[JudgedNeed, ...]
    failures: tuple[Failure, ...] = ()
    calibration: Calibration | None = None

    @property
    def status(self) -> Status:
        """search_failed > insufficient (no need supported) > partial > sufficient."""
        if self.failures:
            return "search_failed"
        n_supported = sum(judged.status == "supported" for judged in self.needs)
        if not n_supported:
            return "insufficient"
        return "sufficient" if n_supported == len(self.needs) else "partial"

    @property
    def missing(self) -> tuple[str, ...]:
        """Ids of the needs without support."""
        return tuple(judged.need.id for judged in self.needs if judged.status == "missing")
