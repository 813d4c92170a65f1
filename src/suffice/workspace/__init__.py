"""The `.suffice` folder: one SQLite file that is the record, raw bytes by hash, and what can be rebuilt."""

from suffice.workspace.blobs import Blobs
from suffice.workspace.rows import (
    ANY,
    ChunkKey,
    ChunkRow,
    DocumentRow,
    GenerationRow,
    IndexedChunk,
    IndexedRow,
    ParseFailure,
    SourceSpec,
    Tenants,
    now,
)
from suffice.workspace.workspace import Workspace

__all__ = [
    "ANY",
    "Blobs",
    "ChunkKey",
    "ChunkRow",
    "DocumentRow",
    "GenerationRow",
    "IndexedChunk",
    "IndexedRow",
    "ParseFailure",
    "SourceSpec",
    "Tenants",
    "Workspace",
    "now",
]
