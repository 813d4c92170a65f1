"""What a diagnosis says: a layer a piece, its ranks, what stands above it, and what each repair did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from suffice.values import Failure, Mode, Scalar, Span, Status

Layer = Literal[
    "not_in_corpus",
    "lost_in_parsing",
    "cut_by_chunking",
    "not_embedded",
    "filtered_out",
    "deep",
    "just_outside_k",
    "unrecognised_by_gate",
    "unused_by_answer",
    "answered",
]
LAYERS: tuple[Layer, ...] = get_args(Layer)
"""In the order in which a piece passes them: it is lost in the first that it does not get through."""

IN_EVIDENCE = frozenset({"unrecognised_by_gate", "unused_by_answer", "answered"})

Ranks = dict[str, int | None]


@dataclass(frozen=True, slots=True)
class SharedTerm:
    """A word that the query and both or one of the chunks have, and the BM25 points that it gave each."""

    term: str
    wrong: float
    right: float


@dataclass(frozen=True, slots=True)
class Outranker:
    """A chunk without gold that stands above the piece's own, and what put it there.

    `dense`, `lexical` and `late` are what each leg adds to the score of this chunk beyond the piece's chunk;
    above 0 it speaks for the wrong one, and their sum is the difference of the two scores. None: the leg was
    not run.
    """

    rank: int
    chunk_id: str
    document: str
    title: str
    heading_path: tuple[str, ...]
    dense: float | None
    lexical: float | None
    terms: tuple[SharedTerm, ...]
    why: str
    late: float | None = None


@dataclass(frozen=True, slots=True)
class PieceFinding:
    """Where one piece was lost. `quote` and `span` are of the best-off place.

    A piece is found by the first chunk that overlaps its place (`suffice.gold`). `ranks` are of the whole
    question's ranking at full depth, `k_needed` is the rank in the order in which evidence is taken: the
    smallest `-k` that finds the piece. A piece that was cut names all its chunks in `chunk_ids`, and in
    `k_whole` the `-k` that brings all of it.
    """

    id: str
    need: str
    layer: Layer
    note: str
    quote: str = ""
    document: str | None = None
    span: Span | None = None
    chunk_id: str | None = None
    chunk_ids: tuple[str, ...] = ()
    ranks: Ranks = field(default_factory=lambda: {"dense": None, "lexical": None, "hybrid": None})
    k_needed: int | None = None
    k_whole: int | None = None
    outranked_by: tuple[Outranker, ...] = ()


@dataclass(frozen=True, slots=True)
class Repair:
    """One known repair, run on the case. Ranks are `k_needed` by piece; `cost_ms` None: it was not run.

    `note` says what was done, where the name does not. Coverage is the share of the question's pieces within
    the first `k` chunks.
    """

    name: str
    setting: dict[str, Scalar | None]
    judgement: str
    ranks_before: Ranks = field(default_factory=dict)
    ranks: Ranks = field(default_factory=dict)
    coverage_before: float | None = None
    coverage_after: float | None = None
    cost_ms: float | None = None
    note: str = ""

    @property
    def was_run(self) -> bool:
        """False where `judgement` says why not."""
        return self.cost_ms is not None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The whole finding: schema `suffice.diagnosis/1`. `depth` is how many chunks could take part.

    `status` is the verdict of the answer that was looked at; `changes` says what is no longer as it was then.
    """

    question: str
    k: int
    depth: int
    generation: str
    mode: Mode
    pieces: tuple[PieceFinding, ...]
    judgement: str
    status: Status
    repairs: tuple[Repair, ...] = ()
    tenant: str | None = None
    answer: str | None = None
    settings: str = ""
    changes: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
