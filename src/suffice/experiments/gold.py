"""Finds gold in the corpus: where each quote stands, and which chunks overlap it.

A quote marks a place, so a chunk that overlaps it has the evidence; a quote that spans blocks or rows of a
table may overlap several chunks, and any of them will do. (Diagnosis asks for the whole quote, since it has
to say what cutting lost: `suffice.gold.first_whole`.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from suffice.corpus.normalize import normalize
from suffice.engine import Engine
from suffice.errors import SufficeError
from suffice.experiments.suite import Question
from suffice.gold import Gold, find, same_document
from suffice.text import fold
from suffice.values import Citation, Hit, Span

Places = dict[str, tuple[Span, ...]]
"""Spans by document name: where a piece's evidence stands, any one of which will do."""

_MARKUPS: tuple[Literal["keep", "emphasis", "all"], ...] = ("keep", "emphasis", "all")


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


class GoldIndex:
    """Quotes to spans in the documents of one tenant, as they stand in the workspace now."""

    def __init__(self, engine: Engine, tenant: str | None = None) -> None:
        self._blobs = engine.workspace.blobs
        self._rows = {row.name: row for row in engine.workspace.documents(tenant)}
        self._texts: dict[str, str] = {}

    def find(self, question: Question) -> Found:
        """The places of every piece that has gold, and what is wrong with the gold."""
        places: dict[str, Places] = {}
        errors: list[GoldError] = []
        for piece in question.pieces:
            merged: dict[str, list[Span]] = {}
            for gold in piece.evidence:
                found, reason = self.locate(gold)
                if reason:
                    errors.append(GoldError(question.id, piece.id, gold.doc, reason))
                for name, spans in found.items():
                    merged.setdefault(name, []).extend(spans)
            if merged:
                places[piece.id] = {name: tuple(sorted(set(spans))) for name, spans in merged.items()}
        return Found(places, tuple(errors))

    def locate(self, gold: Gold) -> tuple[Places, str]:
        """Every place of a quote, and the reason where there is none."""
        names = self._named(gold.doc)
        if not names:
            return {}, f"the corpus holds no document {gold.doc!r}"
        found: Places = {}
        reason = f"the quote is not in the document: {_short(gold.quote)!r}"
        for name in names:
            try:
                spans = find(self.text(name), gold.quote)
            except SufficeError as error:
                reason = f"the document cannot be read: {error}"
                continue
            if spans:
                found[name] = spans
        return found, "" if found else reason

    def stands(self, citation: Citation) -> bool:
        """Whether the cited words stand at the cited place; looked at anew, whatever `check` says."""
        try:
            text = self.text(citation.document)
        except (SufficeError, KeyError):
            return False
        there = text[slice(*citation.span)]
        if citation.check == "verified":
            return there == citation.quote
        return any(
            fold(there, markup=markup).text.strip() == fold(citation.quote, markup=markup).text.strip() != ""
            for markup in _MARKUPS
        )

    def text(self, name: str) -> str:
        """A document's normalized text. Raises KeyError for a name that is not here, ParseError."""
        if name not in self._texts:
            file = self._rows[name].file
            self._texts[name] = normalize(self._blobs.get(file.sha256), file).text
        return self._texts[name]

    def _named(self, doc: str) -> list[str]:
        """Documents of this name; else those whose path ends with it, or that it ends with."""
        doc = doc.replace("\\", "/").removeprefix("./")
        if doc in self._rows:
            return [doc]
        return [name for name in self._rows if same_document(name, doc)]


def overlaps(span: Span, others: Iterable[Span]) -> bool:
    """Whether the half-open span shares a character with any of the others."""
    return any(span[0] < end and start < span[1] for start, end in others)


def holds(hit: Hit, places: Places) -> bool:
    """Whether the chunk overlaps one of the places."""
    return overlaps(hit.span, places.get(hit.document, ()))


def first_rank(hits: Sequence[Hit], places: Places) -> int | None:
    """Place from 1 of the first hit that overlaps; a chunk given twice counts once. None if there is none."""
    return next((rank for rank, hit in enumerate(unique(hits), 1) if holds(hit, places)), None)


def unique(hits: Iterable[Hit]) -> Iterator[Hit]:
    """The hits in order, each chunk at its first place only."""
    seen: set[str] = set()
    for hit in hits:
        if hit.chunk_id not in seen:
            seen.add(hit.chunk_id)
            yield hit


def _short(quote: str) -> str:
    said = " ".join(quote.split())
    return said if len(said) <= 60 else said[:59] + "…"
