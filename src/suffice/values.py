"""Every value that passes between stages: frozen, slotted, comparable, and plain JSON both ways.

Spans are half-open pairs of code points into the *normalized text* of a document, unless a
docstring says raw bytes. A score is higher-is-better; a rank counts from 1. Unscored is None,
never 0. What follows from other fields is a property and is never stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import msgspec

Span = tuple[int, int]
Scalar = str | int | float | bool
Meta = dict[str, Scalar]

BlockKind = Literal["heading", "paragraph", "list_item", "table", "code", "details", "page"]
Status = Literal["sufficient", "partial", "insufficient", "search_failed"]
NeedStatus = Literal["supported", "missing"]
Check = Literal["verified", "verified_normalized"]
Mode = Literal["hybrid", "dense", "lexical"]

# --- corpus ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RawFile:
    """One file of a snapshot, as fetched. `name` is the document's name; unique per tenant."""

    name: str
    uri: str
    media_type: str
    sha256: str
    n_bytes: int
    fetched_at: str
    tenant: str | None = None
    meta: Meta = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that could not be fetched or parsed, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An immutable batch of raw files, taken between `taken_from` and `taken_until` (UTC)."""

    id: str
    taken_from: str
    taken_until: str
    files: tuple[RawFile, ...]
    unreadable: tuple[Unreadable, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A structural unit of a document. `level`: heading 1-6; list item depth from 1; else 0.

    The span of a heading, list item, table or code block covers its whole source lines, marks
    included (`## `, `- `, fence lines), without the final line break.
    """

    kind: BlockKind
    span: Span
    level: int = 0
    text: str = ""  # headings only: the plain words, without marks; else ""


@dataclass(frozen=True, slots=True)
class Removal:
    """What normalization took out, by rule."""

    rule: str
    count: int


@dataclass(frozen=True, slots=True)
class Segment:
    """`text[span]` came from `raw[raw_span]` (bytes of the raw file).

    When `linear`, code points map one by one onto the decoded bytes; else the whole maps to the whole.
    """

    span: Span
    raw_span: Span
    linear: bool = True


@dataclass(frozen=True, slots=True)
class Document:
    """A raw file, normalized: text, blocks that do not overlap, in order, and the way back to raw."""

    name: str
    sha256: str
    title: str
    text: str
    blocks: tuple[Block, ...]
    segments: tuple[Segment, ...]
    encoding: str = "utf-8"
    tenant: str | None = None
    meta: Meta = field(default_factory=dict)
    removed: tuple[Removal, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """The unit of retrieval: `text` is exactly the document's `text[span]`.

    `id` carries a hash of tenant, document, heading path and text, so it survives re-ordering and
    changes when, and only when, one of them does.
    """

    id: str
    document: str
    title: str
    heading_path: tuple[str, ...]
    span: Span
    text: str
    kinds: tuple[BlockKind, ...] = ()
    page: int | None = None
    oversized: bool = False
    tenant: str | None = None

    @property
    def heading_only(self) -> bool:
        """Nothing stands below the heading: there is nothing to retrieve."""
        return all(kind == "heading" for kind in self.kinds)


def chunk_id(
    tenant: str | None, document: str, heading_path: Sequence[str], text: str, occurrence: int = 0
) -> str:
    """`<16 hex of tenant and document>-<16 hex of heading path and text>`, plus `.n` for an nth repeat."""
    where = hashlib.sha256(f"{tenant or ''}\0{document}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    joined = "\0".join((*heading_path, text)).encode("utf-8", "surrogatepass")
    what = hashlib.sha256(joined).hexdigest()[:16]
    return f"{where}-{what}" + (f".{occurrence}" if occurrence else "")


# --- retrieval ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Condition:
    """One test of a document's metadata or name, as parsed from `--where`.

    `op` is one of `=`, `!=`, `<`, `<=`, `>`, `>=`, `in`, `prefix`, `glob`; `key` `path` is the name.
    """

    key: str
    op: str
    value: Scalar | tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Filter:
    """What may take part in a search; decided before ranking. `tenant` None is the unnamed tenant."""

    tenant: str | None = None
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk at a rank, with its rank under every scorer that was run (None: not scored by it)."""

    rank: int
    chunk_id: str
    document: str
    title: str
    heading_path: tuple[str, ...]
    span: Span
    page: int | None
    sha256: str
    snapshot: str
    text: str
    score: float
    scorer: str
    ranks: dict[str, int | None]
    scores: dict[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hits in a total order; `depth` is how many chunks were ranked, `generation` which index.

    `stats` are of each leg over all chunks it scored: `dense_mean`, `dense_std`, `dense_max`, `dense_n`, and
    the same for `lexical`, whose chunks without a match are not counted; a leg that scored nothing has none.
    `first` names the first 50 chunks, however few hits were asked for.
    """

    query: str
    scorer: str
    depth: int
    generation: str
    hits: tuple[Hit, ...]
    failures: tuple[Failure, ...] = ()
    stats: dict[str, float] = field(default_factory=dict)
    first: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A stage that could not run, and why. Never the same as "nothing found"."""

    stage: str
    reason: str


# --- gate -----------------------------------------------------------------------------------


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
class Verdict:
    """What the evidence is enough for. Made by `gate.sufficiency.decide` and nowhere else."""

    needs: tuple[JudgedNeed, ...]
    failures: tuple[Failure, ...] = ()

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


# --- answer ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Citation:
    """A place that a claim cites, and the words that stand there (`text[span] == quote` if verified)."""

    evidence: int
    chunk_id: str
    document: str
    quote: str
    span: Span
    check: Check


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
    calibration: str = "uncalibrated"

    @property
    def status(self) -> Status:
        """The verdict's status."""
        return self.verdict.status


# --- JSON -----------------------------------------------------------------------------------

T = TypeVar("T")


def to_builtins(value: Any) -> Any:
    """The value as dicts, lists, strings, numbers, booleans and None."""
    return msgspec.to_builtins(value)


def from_builtins(data: Any, kind: type[T]) -> T:
    """The inverse of `to_builtins`. Raises msgspec.ValidationError where the data does not fit."""
    return msgspec.convert(data, kind)
