"""What can be plugged in. Each port is a small protocol; a plug-in is one file under `plugins/<kind>s/`.

A plug-in module defines `create(**options) -> <port>`. Options are the settings table of that kind
and name, plus what the engine hands over by keyword where the port's docstring says so. Unknown
options must raise `SettingsError`. `version` is a string that changes whenever outputs could; it enters the
generation's fingerprint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from suffice.values import Chunk, Document, DraftClaim, Hit, Meta, Need, Passage, Span, Support, Usage

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Int8 = NDArray[np.int8]
Progress = Callable[[str, int, int], None]
"""Called as progress(stage, done, total); total 0 means not known yet."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """One file as a source gives it: `name` relative to the source, bytes, and what is known of it."""

    name: str
    uri: str
    media_type: str
    data: bytes
    meta: Meta


@dataclass(frozen=True, slots=True)
class Unfetched:
    """A file that a source names but could not give, and why."""

    name: str
    reason: str


@runtime_checkable
class Source(Protocol):
    """Gives files. `fetch()` may be called again later and then gives what stands there now."""

    name: str

    def fetch(self) -> Iterator[Fetched | Unfetched]:
        """Yield files in a repeatable order; a file that fails is an `Unfetched`, never an exception."""
        ...


@runtime_checkable
class Parser(Protocol):
    """Turns one raw file into a document. `media_types` lists what it reads."""

    name: str
    version: str
    media_types: tuple[str, ...]
    suffixes: tuple[str, ...]

    def parse(self, data: bytes, *, name: str, sha256: str, media_type: str) -> Document:
        """Raises ParseError with a reason that a person understands (binary junk, encrypted ...)."""
        ...


@runtime_checkable
class Chunker(Protocol):
    """Cuts a document into chunks that tile its non-heading blocks."""

    name: str
    version: str

    def cut(self, document: Document) -> tuple[Chunk, ...]:
        """Chunks in document order."""
        ...


@dataclass(frozen=True, slots=True)
class TokenStates:
    """Last-layer states of one text's own tokens (no prefix, no special tokens).

    `vectors` is (n_tokens, dim) float32, not normalized; `spans` are code points of the text;
    `ids` are vocabulary ids.
    """

    vectors: Float32
    spans: tuple[Span, ...]
    ids: tuple[int, ...]


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors. Any string gives a vector or an EmbedderError, never a crash.

    `window` is the number of tokens that one call to the model reads, prefix included. Callers cut
    with `count_tokens`; a text over the window raises EmbedderError (nothing is truncated silently).
    """

    name: str
    version: str
    dim: int
    window: int

    def fingerprint(self) -> str:
        """Model, version, prefix, pooling, precision: all that two comparable vectors must share."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of the text alone, prefix and special tokens not counted."""
        ...

    def room(self) -> int:
        """Tokens that a passage may have so that it fits the window with prefix and special tokens."""
        ...

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> Float32:
        """(n, dim) float32, unit rows, in the order given. Raises EmbedderError."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Float32:
        """(n, dim) float32, unit rows. A query longer than the window is embedded by its head."""
        ...

    def token_states(self, texts: Sequence[str], *, query: bool) -> tuple[TokenStates, ...]:
        """States per text, for late interaction and alignment. Raises EmbedderError if it has none."""
        ...


@runtime_checkable
class LateEmbedder(Embedder, Protocol):
    """An embedder that also gives its token states compressed, from the run that gives the vectors.

    Codes are (n_tokens, late_dim) int8, one row a token, possibly none; only their directions mean
    anything: two tokens compare by the cosine of their codes. Codes of two `late_fingerprint`s never meet.
    """

    late_dim: int

    def late_fingerprint(self) -> str:
        """The embedder's fingerprint, and all else that two comparable codes must share."""
        ...

    def embed_passages_late(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> tuple[Float32, tuple[Int8, ...]]:
        """What `embed_passages` gives, bit for bit, and codes of each text. Raises EmbedderError."""
        ...

    def embed_queries_late(self, texts: Sequence[str]) -> tuple[Float32, tuple[Int8, ...]]:
        """What `embed_queries` gives, bit for bit, and codes of the tokens that are to be matched."""
        ...


@dataclass(frozen=True, slots=True)
class StoreRow:
    """A chunk as the store sees it. `vectors` is (n_parts, dim) float32; `terms` counts lexical terms.

    `states` are the codes of each part's tokens, (n_tokens, late_dim) int8; None where none are kept. All
    rows of a store have them, or none.
    """

    chunk_id: str
    vectors: Float32
    terms: Mapping[str, int]
    states: tuple[Int8, ...] | None = None


@runtime_checkable
class Store(Protocol):
    """The searchable arrays of one generation; a cache that can be rebuilt from the record.

    Rows are chunks in order of chunk id, whatever the order of ingestion. `mask` is (n,) bool; masked-out
    rows take no part: their score is NaN. Scores are float64 and do not depend on
    threads, batches or block sizes.
    """

    name: str
    version: str

    def build(self, rows: Iterable[StoreRow], revision: str, dim: int) -> None:
        """Replace everything, atomically: a reader sees the old arrays or the new ones."""
        ...

    def revision(self) -> str | None:
        """Which revision of the record the arrays were built from; None when absent or damaged."""
        ...

    def chunk_ids(self) -> tuple[str, ...]:
        """Ids of all rows, ascending."""
        ...

    def dense(self, query: Float32, mask: NDArray[np.bool_] | None = None) -> Float64:
        """(n,) float64: cosine of the query with the best part of each chunk. Exact, exhaustive."""
        ...

    def lexical(self, terms: Sequence[str], mask: NDArray[np.bool_] | None = None) -> Float64:
        """(n,) float64: BM25, 0.0 where no term matches. Statistics are those of the rows in the mask."""
        ...

    def share_known(self, terms: Sequence[str], mask: NDArray[np.bool_] | None = None) -> float:
        """The share, in [0, 1], of the distinct terms that some row in the mask holds; 0 without terms."""
        ...

    def vectors(self, rows: Sequence[int]) -> tuple[Float32, ...]:
        """The (n_parts, dim) vectors of the rows given."""
        ...

    def states(self, rows: Sequence[int]) -> tuple[tuple[Int8, ...], ...] | None:
        """The codes of each part of the rows given; None when the store was built without them."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Scores (query, passage) pairs anew."""

    name: str
    version: str

    def score(self, query: str, passages: Sequence[Passage]) -> Float64:
        """(n,) float64, higher is better."""
        ...


@runtime_checkable
class Judge(Protocol):
    """Proposes which passages support which need. It does not decide: `gate.sufficiency.decide` does.

    The engine hands `embedder` to `create` by keyword. `operating_points` maps a nominal false-answer
    rate to the confidence threshold that gave it on the judge's own calibration data.
    """

    name: str
    version: str
    operating_points: Mapping[float, float]

    def judge(self, question: str, needs: Sequence[Need], passages: Sequence[Passage]) -> tuple[Support, ...]:
        """Every (need, passage) worth proposing, confidence in [0, 1], with the span that it read.

        Needs are judged one by one: what one need gets never depends on the others. Raises JudgeError.
        """
        ...


@dataclass(frozen=True, slots=True)
class Generated:
    """What a generator wrote, unchecked.

    `verbatim` says that the claims are words of the source; else they are a writer's own, and are tamed and
    compared with their quotes. `missing` are ids of needs that the writer found the evidence not to answer;
    `notes` are for people, such as which evidence it was not given.
    """

    claims: tuple[DraftClaim, ...]
    usage: Usage
    verbatim: bool = False
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@runtime_checkable
class Generator(Protocol):
    """Writes an answer from the evidence alone. The engine hands `embedder` to `create` by keyword."""

    name: str
    version: str

    def generate(
        self,
        question: str,
        needs: Sequence[Need],
        supports: Sequence[Support],
        evidence: Sequence[Hit],
        language: str,
    ) -> Generated:
        """Claims for the needs given (the supported ones only), each with quotes. Raises GeneratorError."""
        ...
