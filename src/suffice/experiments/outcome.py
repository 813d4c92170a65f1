"""What a benchmark run found, question by question: plain values, JSON both ways.

A field that was not looked at is None: a run without answers has no status, no citations, no suggestions.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from suffice.experiments.suite import Answerable
from suffice.values import Status


@dataclass(frozen=True, slots=True)
class PieceOutcome:
    """Where a piece's first evidence stands. `held`: the corpus holds it, so that it can be scored.

    `rank` is that of the run's own ranking of the question as asked, at full depth; `ranks` those under each
    scorer. None: no chunk with its evidence was ranked. `in_evidence`: in what the gate was given; `cited`: a
    citation of the answer stands on it.
    """

    rank: int | None = None
    held: bool = False
    ranks: dict[str, int | None] = field(default_factory=dict)
    chunk_id: str | None = None
    document: str | None = None
    in_evidence: bool | None = None
    cited: bool | None = None


@dataclass(frozen=True, slots=True)
class NeedOutcome:
    """A need as the gate judged it; `best_confidence` None: no support was proposed."""

    id: str
    text: str
    status: str
    best_confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Citations:
    """`verified`: its words were looked up at its place by the benchmark; `on_gold`: it stands on gold."""

    shown: int = 0
    verified: int = 0
    on_gold: int = 0
    dropped_claims: int = 0


@dataclass(frozen=True, slots=True)
class Offered:
    """A suggestion, what it would get, and what it leads to when it is asked as an ordinary question.

    `new_pieces` are in its own evidence and were not in the question's; `new_shown` are shown by its answer
    and were not shown by the question's (in the evidence or not). None: nobody asked it.
    """

    question: str
    status: str | None
    new_pieces: tuple[str, ...] = ()
    new_shown: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question. `gold_ok`: all its gold is in the corpus; where not, its label cannot be trusted either.

    `confidence` is the least over needs of the best support's confidence, `confidence_any` the greatest; a
    need without a proposed support counts 0. `relevant` are the chunks that overlap any gold, `top` the first
    chunks of the ranking: what TREC's tools need.
    """

    id: str
    question: str
    answerable: Answerable
    lang: str = "und"
    kind: str = ""
    status: Status | None = None
    pieces: dict[str, PieceOutcome] = field(default_factory=dict)
    gold_ok: bool = True
    ndcg10: float | None = None
    needs: tuple[NeedOutcome, ...] = ()
    confidence: float | None = None
    confidence_any: float | None = None
    evidence: tuple[str, ...] = ()
    citations: Citations | None = None
    suggestions: tuple[Offered, ...] | None = None
    latency_ms: float | None = None
    failures: tuple[str, ...] = ()
    relevant: tuple[str, ...] = ()
    top: tuple[str, ...] = ()

    @property
    def ranks(self) -> list[int | None]:
        """Ranks of the pieces that the corpus holds."""
        return [piece.rank for piece in self.pieces.values() if piece.held]

    @property
    def expected(self) -> Status | None:
        """The status that the label asks for; None where the label cannot be trusted."""
        wanted: dict[Answerable, Status] = {
            "full": "sufficient",
            "partial": "partial",
            "none": "insufficient",
        }
        return wanted[self.answerable] if self.gold_ok else None

    @property
    def judged(self) -> bool:
        """Whether the gate decided: it was asked, nothing failed, and the label can be trusted."""
        return self.status is not None and self.status != "search_failed" and self.gold_ok

    @property
    def right(self) -> bool | None:
        """Whether the gate decided as the label says; None where it did not decide."""
        return self.status == self.expected if self.judged else None
