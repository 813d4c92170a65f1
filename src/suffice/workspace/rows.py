"""What the record gives back and takes: one frozen value a table, and how tenants are named."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeAlias, TypeVar

import msgspec

from suffice.errors import UsageError
from suffice.values import Chunk, Meta, RawFile

T = TypeVar("T")


class AnyTenant(enum.Enum):
    """Says "whichever tenant"; None is the unnamed tenant, so it cannot say that."""

    ANY = "any"


ANY: Final = AnyTenant.ANY
Tenants: TypeAlias = str | Literal[AnyTenant.ANY] | None
RemovedBy = Literal["user", "source"]


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """Where documents come from, as recorded. `kind` is a plug-in's name; `uri` a path or address."""

    kind: str
    uri: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    meta: Meta = field(default_factory=dict)
    tenant: str | None = None
    id: int | None = None


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """What a document should be now: `revision` grows with every change to any document.

    `removed_by` is "user" (`suffice remove`: only an explicit `add` brings it back) or "source" (the
    file went away: it is back when the file is back).
    """

    file: RawFile
    snapshot: str
    revision: int
    source: int | None = None
    removed_at: str | None = None
    removed_by: RemovedBy | None = None

    @property
    def name(self) -> str:
        """The document's name, unique per tenant."""
        return self.file.name

    @property
    def tenant(self) -> str | None:
        """Whose document it is; None is the unnamed tenant."""
        return self.file.tenant


@dataclass(frozen=True, slots=True)
class GenerationRow:
    """One build of the index. `parsers` and `chunker` are names with versions; `settings` plain JSON."""

    id: str
    settings: Mapping[str, Any]
    embedder: str
    dim: int
    chunker: str
    parsers: str
    created_at: str
    active: bool = False


@dataclass(frozen=True, slots=True)
class IndexedRow:
    """What of a document stands in a generation."""

    tenant: str | None
    document: str
    sha256: str
    snapshot: str
    revision: int
    n_chunks: int
    title: str
    meta: Meta


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk on its way in: `parts` are the hashes of the texts that were embedded, in order."""

    chunk: Chunk
    parts: tuple[str, ...]
    terms: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk on its way out, with the file that it was cut from.

    `current` is false when the document has since changed and is waiting to be indexed again.
    """

    chunk: Chunk
    ordinal: int
    sha256: str
    snapshot: str
    revision: int
    current: bool
    meta: Meta
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkKey:
    """Which chunk, whose, of which document: what filters need of every row."""

    chunk_id: str
    tenant: str | None
    document: str


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """A document whose current bytes could not be parsed, and why."""

    tenant: str | None
    document: str
    sha256: str
    reason: str


def now() -> str:
    """This moment as the record writes it: UTC, ISO 8601, microseconds, `Z`."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def stored_tenant(tenant: str | None) -> str:
    """How a tenant is stored: "" for the unnamed one, which is why no tenant may be called that."""
    if tenant == "":
        raise UsageError("a tenant's name is empty; give a name, or leave the tenant out")
    return tenant or ""


def tenant_clause(tenant: Tenants, column: str = "tenant") -> tuple[str, tuple[str, ...]]:
    """SQL that holds for the tenant given, with its parameters."""
    if isinstance(tenant, AnyTenant):
        return "1", ()
    return f"{column} = ?", (stored_tenant(tenant),)


def pack(value: Any) -> str:
    """A value as JSON text with sorted keys."""
    return msgspec.json.encode(value, order="sorted").decode()


def unpack(text: str, kind: type[T]) -> T:
    """The inverse of `pack`."""
    return msgspec.json.decode(text, type=kind)
