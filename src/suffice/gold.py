"""What a complete answer needs, as verbatim quotes, and where those quotes stand in a document's text.

Below diagnosis and experiments, because both ask the same thing: from which rank on does the evidence hold
this piece? Gold is quotes, never chunk ids, so that it outlives every change of chunking.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from suffice.text.folding import Markup, fold
from suffice.text.scripts import UNSPACED_CJK
from suffice.values import Span


@dataclass(frozen=True, slots=True)
class Gold:
    """One place that satisfies a piece. `doc` empty: wherever in the corpus the quote stands."""

    doc: str
    quote: str


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing that a complete answer requires; any one of `evidence` satisfies it.

    No evidence at all says that the corpus does not hold it.
    """

    id: str
    need: str = ""
    evidence: tuple[Gold, ...] = ()


WHOLE = 0.9
"""Share of a quote's characters, blanks aside, that chunks must hold together to hold the quote: what stands
between two chunks (a rule, a lone heading) is in none, and must not make a quote across it unreachable."""

_MARKUPS: tuple[Markup, ...] = ("keep", "emphasis", "all")
_MAX_PLACES = 200
_BARS = re.compile(r"\|?(?:[ ]?:?-{3,}:?[ ]?\|)+(?:[ ]?:?-{3,}:?)?|[\s|]+")
_JOINED = re.compile(rf"[^\W{UNSPACED_CJK}]")


def find(text: str, quote: str) -> tuple[Span, ...]:
    """Every place of the quote in the text, in order, as spans of the text; empty when it stands nowhere.

    Places that cut a word count only where no other is found. Unlike the citation check this asks only where
    words stand, not whether they may be shown alone.
    """
    return find_closely(text, quote)[1]


def find_closely(text: str, quote: str) -> tuple[int, tuple[Span, ...]]:
    """How closely the quote was found, 0 the closest, and where: the first way that finds it decides.

    0: code point for code point. 1: folded (white space, typography). 2 and 3: without Markdown's marks, link
    targets too. 4: without white space and table bars, for a quote from a page that was rendered otherwise.
    """
    bare = quote.strip()
    if not bare:
        return 0, ()
    exact = _chosen([(at, at + len(bare)) for at in _occurrences(bare, text)], text)
    if exact:
        return 0, exact
    for level, markup in enumerate(_MARKUPS, 1):
        source, wanted = fold(text, markup=markup), fold(bare, markup=markup).text.strip()
        spans = [source.span(at, at + len(wanted)) for at in _occurrences(wanted, source.text)]
        if spans:
            return level, _chosen(spans, text)
    source, wanted = fold(text, markup="all"), _without_bars(fold(bare, markup="all").text)[0]
    solid, places = _without_bars(source.text)
    spans = [source.span(places[at], places[at + len(wanted) - 1] + 1) for at in _occurrences(wanted, solid)]
    return len(_MARKUPS) + 1, _chosen(spans, text)


def same_document(name: str, doc: str) -> bool:
    """Whether a document of the corpus is the one that gold names: equal, or one path ends with the other."""
    return not doc or name == doc or name.endswith("/" + doc) or doc.endswith("/" + name)


def share_held(text: str, quote: Span, spans: Iterable[Span]) -> float:
    """The share, in [0, 1], of the quote's characters that lie in the spans together; blanks do not count."""
    wanted = {at for at in range(*quote) if not text[at].isspace()}
    if not wanted:
        return 0.0
    left = set(wanted)
    for start, end in spans:
        left.difference_update(range(max(start, quote[0]), min(end, quote[1])))
    return 1 - len(left) / len(wanted)


def first_whole(text: str, quote: Span, ranked: Sequence[tuple[int, Span]]) -> int | None:
    """The rank from which on the chunks of this document hold the quote; None if they never do.

    `ranked` is (rank, span) of chunks of the quote's own document. For a quote that lies in one chunk it is
    that chunk's rank; for one that was cut, the rank of the last chunk that is needed (see `WHOLE`).
    """
    held: list[Span] = []
    for rank, span in sorted(ranked):
        if span[0] < quote[1] and quote[0] < span[1]:
            held.append(span)
            if share_held(text, quote, held) >= WHOLE:
                return rank
    return None


def _occurrences(wanted: str, text: str) -> list[int]:
    found: list[int] = []
    at = text.find(wanted) if wanted else -1
    while at >= 0 and len(found) < _MAX_PLACES:
        found.append(at)
        at = text.find(wanted, at + 1)
    return found


def _chosen(spans: Sequence[Span], text: str) -> tuple[Span, ...]:
    clean = [span for span in spans if not _cuts_a_word(text, *span)]
    return tuple(clean or spans)


def _cuts_a_word(text: str, start: int, end: int) -> bool:
    return any(
        0 < at < len(text) and bool(_JOINED.match(text[at - 1])) and bool(_JOINED.match(text[at]))
        for at in (start, end)
    )


def _without_bars(text: str) -> tuple[str, list[int]]:
    """The text without white space, table bars and delimiter rows, and where each character left stood."""
    kept: list[int] = []
    at = 0
    for match in _BARS.finditer(text):
        kept.extend(range(at, match.start()))
        at = match.end()
    kept.extend(range(at, len(text)))
    return "".join(text[place] for place in kept), kept
