"""The same question to another stack's trace: which pieces its retriever had, and which its answer used.

Nothing of that system is run or needed: retrieved texts and the answer are read from what it logged, and
quotes are looked for in them under the same folding as everywhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from suffice.gold import Piece, find
from suffice.text import content_words, language, numbers, terms

ForeignLayer = Literal["not_retrieved", "unused_by_answer", "used", "unknown"]

_SHARED = 0.6
"""Share of a quote's content words that one passage of an answer must have to count as having used it: an
answer is written in its own words, so only what is left out entirely can be told with certainty."""


@dataclass(frozen=True, slots=True)
class ForeignTrace:
    """One question as another system logged it. `texts` are what was retrieved, best first.

    `n_without_text` counts retrieved documents that are named and not shown; `answer` None: not logged.
    """

    id: str
    question: str
    texts: tuple[str, ...]
    answer: str | None
    n_without_text: int = 0


@dataclass(frozen=True, slots=True)
class ForeignPiece:
    """One piece: the best rank at which it was retrieved, and whether the answer has it."""

    id: str
    need: str
    layer: ForeignLayer
    rank: int | None
    note: str


@dataclass(frozen=True, slots=True)
class ForeignDiagnosis:
    """What one trace had and used."""

    id: str
    question: str
    n_retrieved: int
    pieces: tuple[ForeignPiece, ...]
    judgement: str


def examine(trace: ForeignTrace, pieces: Sequence[Piece]) -> ForeignDiagnosis:
    """Where each piece was lost in a trace of another system."""
    found = tuple(_piece(trace, piece) for piece in pieces)
    n_had = sum(piece.rank is not None for piece in found)
    n_used = sum(piece.layer == "used" for piece in found)
    said = f"{n_had} of {len(found)} pieces were retrieved among {len(trace.texts)} texts"
    if trace.answer is not None:
        said += f", {n_used} of them used in the answer" if n_had else ""
    else:
        said += "; the trace has no answer"
    return ForeignDiagnosis(
        trace.id, trace.question, len(trace.texts) + trace.n_without_text, found, f"{said}."
    )


def _piece(trace: ForeignTrace, piece: Piece) -> ForeignPiece:
    if not piece.evidence:
        note = "the benchmark names no place for it: no corpus is expected to hold it."
        return ForeignPiece(piece.id, piece.need, "not_retrieved", None, note)
    quotes = [gold.quote for gold in piece.evidence]
    rank = next(
        (rank for rank, text in enumerate(trace.texts, 1) if any(find(text, quote) for quote in quotes)),
        None,
    )
    if rank is None:
        return _missing(trace, piece, quotes)
    if trace.answer is None:
        note = f"retrieved at rank {rank}; the trace has no answer."
        return ForeignPiece(piece.id, piece.need, "unknown", rank, note)
    held = [quote for quote in quotes if any(find(text, quote) for text in trace.texts)]
    if any(_used(quote, trace.answer) for quote in held):
        note = f"retrieved at rank {rank}, and the answer has it."
        return ForeignPiece(piece.id, piece.need, "used", rank, note)
    note = f"retrieved at rank {rank}, and the answer leaves it out."
    return ForeignPiece(piece.id, piece.need, "unused_by_answer", rank, note)


def _missing(trace: ForeignTrace, piece: Piece, quotes: Sequence[str]) -> ForeignPiece:
    """Not retrieved; or cut, where a text has half of it; or not to be told, where texts were not logged."""
    if trace.n_without_text:
        note = f"in no logged text; of {trace.n_without_text} documents the trace has only ids."
        return ForeignPiece(piece.id, piece.need, "unknown", None, note)
    for quote in quotes:
        middle = len(quote) // 2
        halves = [
            [rank for rank, text in enumerate(trace.texts, 1) if find(text, half)]
            for half in (quote[:middle], quote[middle:])
            if len(terms(half)) > 2
        ]
        if any(halves):
            rank = min(rank for ranks in halves for rank in ranks)
            note = f"only a part of it was retrieved (rank {rank}): it was cut, or its text was changed."
            return ForeignPiece(piece.id, piece.need, "not_retrieved", None, note)
    return ForeignPiece(
        piece.id, piece.need, "not_retrieved", None, f"in none of the {len(trace.texts)} retrieved texts."
    )


def _used(quote: str, answer: str) -> bool:
    """Whether the answer quotes it, or has most of its words and all of its figures."""
    if find(answer, quote):
        return True
    wanted = set(content_words(quote, language(quote)))
    figures = {quantity.text for quantity in numbers(quote)}
    if figures and not figures <= {quantity.text for quantity in numbers(answer)}:
        return False
    if not wanted:
        return bool(figures)
    return len(wanted & set(content_words(answer, language(answer)))) / len(wanted) >= _SHARED
