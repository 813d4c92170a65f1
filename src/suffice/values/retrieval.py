"""Values of retrieval: filters, hits, rankings, and stages that failed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from suffice.values.corpus import Scalar, Span

Mode = Literal["hybrid", "dense", "lexical"]


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
