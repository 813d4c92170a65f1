"""Values of the corpus: raw files, snapshots, documents, chunks."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Span = tuple[int, int]
Scalar = str | int | float | bool
Meta = dict[str, Scalar]
BlockKind = Literal["heading", "paragraph", "list_item", "table", "code", "details", "page"]


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
