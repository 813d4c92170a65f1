"""One question on its way through the stages: what was asked, how long each stage took, what was found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypedDict

from suffice.errors import UsageError
from suffice.ports import Progress
from suffice.values import Failure, Filter, Hit, Mode, Passage, Ranking

MAX_QUESTION = 4000
"""Characters. What is longer is a document: the model reads 512 tokens of a question."""


@dataclass(slots=True)
class Clock:
    """Collects milliseconds by stage; a stage entered twice adds up."""

    started: float = field(default_factory=time.perf_counter)
    spent_ms: dict[str, float] = field(
        default_factory=lambda: dict.fromkeys(("embed", "search", "judge", "compose", "recover"), 0.0)
    )

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self.spent_ms[stage] += (time.perf_counter() - began) * 1000

    def timings_ms(self) -> dict[str, float]:
        """Rounded milliseconds by stage, and the total."""
        total = (time.perf_counter() - self.started) * 1000
        return {stage: round(ms, 1) for stage, ms in {**self.spent_ms, "total": total}.items()}


@dataclass(frozen=True, slots=True)
class Found:
    """The evidence of one question, from one generation; `depth` chunks took part in the `rankings`."""

    generation: str
    evidence: tuple[Hit, ...]
    depth: int
    failures: tuple[Failure, ...] = ()
    rankings: tuple[Ranking, ...] = ()


class Searching(TypedDict):
    """The keywords of a search."""

    k: int | None
    mode: Mode
    filter: Filter


@dataclass(frozen=True, slots=True)
class Asked:
    """One question on its way through the stages."""

    question: str
    k: int | None
    mode: Mode
    filter: Filter
    tell: Callable[[str], None]
    clock: Clock = field(default_factory=Clock)
    at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds")[:19] + "Z")

    @property
    def how(self) -> Searching:
        """What a search is told beside the question."""
        return {"k": self.k, "mode": self.mode, "filter": self.filter}


def passage(hit: Hit) -> Passage:
    """A hit as a judge sees it."""
    return Passage(
        evidence=hit.rank,
        chunk_id=hit.chunk_id,
        title=hit.title,
        heading_path=hit.heading_path,
        text=hit.text,
        span=hit.span,
        scores=hit.scores,
        ranks=hit.ranks,
    )


def checked_question(text: str) -> str:
    """The question without blanks around it. Raises UsageError when there is none, or it is not text."""
    question = text.strip()
    if not question:
        raise UsageError('the question is empty; ask something, as in: suffice ask "How do I ...?"')
    if len(question) > MAX_QUESTION:
        raise UsageError(
            f"the question has {len(question):,} characters, at most {MAX_QUESTION:,} are read; add a long "
            "text as a document (suffice add FILE) and ask about it"
        )
    if any("\ud800" <= character <= "\udfff" for character in question):
        raise UsageError("the question is not valid text (it holds half a character); check its encoding")
    return question


def teller(progress: Progress | None) -> Callable[[str], None]:
    """Says which stage begins, to whoever wants to know."""
    return lambda stage: progress(stage, 0, 0) if progress else None
