"""Where the pieces of a question stand, and which hits hold them, by the one rule of `suffice.gold`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from suffice.engine import Engine
from suffice.experiments.suite import Question
from suffice.gold import GoldIndex, overlaps
from suffice.text.folding import OF_SOURCE, fold
from suffice.values import Citation, Hit, Span
from suffice.workspace import DocumentRow

Places = dict[str, tuple[Span, ...]]
"""Spans by document name: where a piece's evidence stands, any one of which will do."""


@dataclass(frozen=True, slots=True)
class GoldError:
    """A place that the benchmark names and the corpus does not hold: an error of the benchmark, no miss."""

    question: str
    piece: str
    doc: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """Where the pieces of one question stand. A piece whose every place is an error is not in `places`."""

    places: dict[str, Places]
    errors: tuple[GoldError, ...]


def index_of(engine: Engine, tenant: str | None) -> GoldIndex:
    """The tenant's documents as the index that serves has them."""
    return GoldIndex(engine.workspace, engine.searcher.generation, tenant)


def located(index: GoldIndex, question: Question) -> Found:
    """The places of every piece that has gold, and what is wrong with the gold."""
    places: dict[str, Places] = {}
    errors: list[GoldError] = []
    for piece in question.pieces:
        merged: dict[str, set[Span]] = {}
        for gold in piece.evidence:
            found = index.places(gold)
            if not found:
                errors.append(GoldError(question.id, piece.id, gold.doc, index.why_not(gold)))
            for place in found:
                merged.setdefault(place.document.name, set()).add(place.span)
        if merged:
            places[piece.id] = {name: tuple(sorted(spans)) for name, spans in merged.items()}
    return Found(places, tuple(errors))


def fingerprint(rows: Iterable[DocumentRow]) -> str:
    """12 hex digits over every document's name and bytes."""
    facts = "\0".join(f"{row.name}\0{row.file.sha256}" for row in rows)
    return hashlib.sha256(facts.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def holds(hit: Hit, places: Places) -> bool:
    """Whether the chunk overlaps one of the places."""
    return overlaps(hit.span, places.get(hit.document, ()))


def unique(hits: Iterable[Hit]) -> list[Hit]:
    """The hits in order, each chunk at its first place only."""
    first: dict[str, Hit] = {}
    for hit in hits:
        first.setdefault(hit.chunk_id, hit)
    return list(first.values())


def stands(index: GoldIndex, citation: Citation) -> bool:
    """Whether the cited words stand at the cited place; looked at anew, whatever `check` says."""
    document = index.document(citation.document)
    if document is None:
        return False
    there = document.text[slice(*citation.span)]
    if citation.check == "verified":
        return there == citation.quote
    return any(
        fold(there, markup=markup).text.strip() == fold(citation.quote, markup=markup).text.strip() != ""
        for markup in OF_SOURCE
    )
