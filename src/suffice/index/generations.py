"""Which build of the index: a fingerprint of everything that two comparable chunks and vectors must share."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import msgspec

from suffice import registry
from suffice.chunks import chunker
from suffice.errors import NotFound, UsageError
from suffice.index import parts
from suffice.ports import Embedder, LateEmbedder
from suffice.settings import Settings
from suffice.text import terms
from suffice.workspace import GenerationRow, Workspace, now

_PROBE = (
    "The v1.2 Gateways' ERR_BAD_Gateway, café's 東京タワー 1,000.5 naïveté https://a.example/b?c=d 读取KV命名"
)


def generation(ws: Workspace, settings: Settings, embedder: Embedder) -> GenerationRow:
    """The generation that these settings and this embedder mean; it is recorded if it is not yet."""
    row = _described(settings, embedder)
    ws.put_generation(row)
    return ws.generation(row.id)


def generation_id(settings: Settings, embedder: Embedder) -> str:
    """The id, 12 hex digits, of the generation that these settings and this embedder mean."""
    return _described(settings, embedder).id


def late_embedder(settings: Settings, embedder: Embedder) -> LateEmbedder | None:
    """The embedder as one that gives token states, when the settings want them kept and it has them."""
    return embedder if settings.embed.late and isinstance(embedder, LateEmbedder) else None


def late_of(row: GenerationRow) -> str | None:
    """The late fingerprint of the token states that a generation keeps; None when it keeps none."""
    found = row.settings.get("late")
    return found if isinstance(found, str) else None


def _described(settings: Settings, embedder: Embedder) -> GenerationRow:
    made = chunker(settings.chunk)
    facts: dict[str, Any] = {
        "chunk": msgspec.to_builtins(settings.chunk),
        "part_chars": settings.embed.part_chars,
        "parts": parts.VERSION,
        "terms": _terms_version(),
    }
    late = late_embedder(settings, embedder)
    if late is not None:  # no key at all without token states: generations of before stay what they are
        facts["late"] = late.late_fingerprint()
    row = GenerationRow(
        id="",
        settings=facts,
        embedder=embedder.fingerprint(),
        dim=embedder.dim,
        chunker=f"{made.name} {made.version}",
        parsers=_parsers(),
        created_at=now(),
    )
    identity = msgspec.json.encode((facts, row.embedder, row.dim, row.chunker, row.parsers), order="sorted")
    return replace(row, id=hashlib.sha256(identity).hexdigest()[:12])


def active(ws: Workspace, embedder: Embedder | None = None) -> GenerationRow:
    """The generation that serves. Raises NotFound before the first, UsageError for another embedder."""
    row = ws.active_generation()
    if row is None:
        n = len(ws.documents())
        todo = (
            f"{n} documents wait for it: run `suffice update`"
            if n
            else "add documents with `suffice add FOLDER`"
        )
        raise NotFound(f"nothing is indexed yet; {todo}")
    if embedder is not None and embedder.fingerprint() != row.embedder:
        raise UsageError(
            f"the index was made by {row.embedder}, the settings name {embedder.fingerprint()}; vectors of "
            "different models never meet: run `suffice update` to build the index anew, or set `embed` back"
        )
    return row


def _terms_version() -> str:
    # What the rules do, not a number that somebody must remember to raise.
    return hashlib.sha256("\0".join(terms(_PROBE)).encode()).hexdigest()[:8]


def _parsers() -> str:
    made = [registry.create("parser", name) for name in registry.names("parser")]
    return ", ".join(f"{parser.name} {parser.version}" for parser in made)
