"""What a complete answer needs, as verbatim quotes, where those quotes stand, and which chunks hold them.

Below diagnosis and experiments, because both ask the same thing: at which rank is this piece found? Gold is
quotes, never chunk ids, so that it outlives every change of chunking. The rule, for both: a quote marks a
place, and a chunk that overlaps the place has the evidence. A quote that spans blocks or rows of a table may
overlap several chunks; the first of them finds it. Only a diagnosis asks further, from which rank on they
hold all of it, because it has to say what cutting lost (`first_whole`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from suffice.corpus.normalize import normalize
from suffice.errors import NotFound, ParseError, WorkspaceError
from suffice.text.folding import OF_SOURCE, fold
from suffice.text.scripts import UNSPACED_CJK
from suffice.values import Document, RawFile, Span
from suffice.workspace import DocumentRow, Workspace


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


@dataclass(frozen=True, slots=True)
class Place:
    """A quote at a span of a document's text, as the generation in use has it."""

    gold: Gold
    document: Document
    span: Span


WHOLE = 0.9
"""Share of a quote's characters, blanks aside, that chunks must hold together to hold the quote: what stands
between two chunks (a rule, a lone heading) is in none, and must not make a quote across it unreachable."""

_ANCHOR = re.compile(r"[^\W_]{3,}|[\u3040-\u30ff\u3400-\u9fff]{2,}")
_N_ANCHORS = 3
_FOLDED = re.compile("[\u00ad\u0300-\u036f\u200b-\u200f\u2060\ufb00-\ufb06\ufeff\uff01-\uff9f]")
_MAX_PLACES = 200
_BARS = re.compile(r"\|?(?:[ ]?:?-{3,}:?[ ]?\|)+(?:[ ]?:?-{3,}:?)?|[\s|]+")
_JOINED = re.compile(rf"[^\W{UNSPACED_CJK}]")


class GoldIndex:
    """Quotes to places, in the documents of one tenant as one generation has them indexed.

    Documents of other tenants do not exist for it. Each document is read once.
    """

    def __init__(self, ws: Workspace, generation: str, tenant: str | None) -> None:
        self.ws, self.tenant = ws, tenant
        self.indexed = {row.document: row for row in ws.indexed(generation, tenant)}
        self.rows = {row.name: row for row in ws.documents(tenant)}
        self.failures = {item.document: item.reason for item in ws.parse_failures(tenant)}
        self._texts: dict[tuple[str, str], Document | None] = {}

    def places(self, gold: Gold) -> tuple[Place, ...]:
        """Every place of the quote; empty where it stands nowhere.

        A document that has it more closely, word for word, is not mixed with those that have it more loosely.
        """
        found = [self._in(gold, row) for row in self._likely(gold)]
        closest = min((how for how, places in found if places), default=0)
        return tuple(place for how, places in found if how == closest for place in places)

    def why_not(self, gold: Gold) -> str:
        """In a few words why the quote has no place; empty where it has one."""
        if self.places(gold):
            return ""
        rows = self.named(gold.doc)
        if gold.doc and not rows:
            return f"the corpus holds no document {gold.doc!r}"
        if rows and all(self.standing(row) is None for row in rows):
            reason = self.failures.get(rows[0].name)
            return f"the document cannot be read: {reason}" if reason else "the document is not indexed yet"
        said = " ".join(gold.quote.split())
        return f"the quote is not in the document: {said if len(said) <= 60 else said[:59] + '…'!r}"

    def document(self, name: str) -> Document | None:
        """A document as the index has it; None where it has none of this name."""
        row = self.rows.get(name)
        return None if row is None else self.standing(row)

    def named(self, doc: str) -> list[DocumentRow]:
        """The documents that gold means: of this very name, else those whose path ends so."""
        wanted = _tidy(doc)
        if wanted in self.rows:
            return [self.rows[wanted]]
        return [row for row in self.rows.values() if same_document(row.name, wanted)]

    def standing(self, row: DocumentRow) -> Document | None:
        """The document's text as the index has it, which is an older one while a change waits."""
        indexed = self.indexed.get(row.name)
        if indexed is None:
            return None
        if indexed.sha256 == row.file.sha256:
            return self.text(row.file)
        return self.text(self.ws.snapshot_file(indexed.snapshot, row.tenant, row.name) or row.file)

    def text(self, file: RawFile) -> Document | None:
        """A file's document; None where it cannot be read."""
        key = (file.sha256, file.name)
        if key not in self._texts:
            try:
                document = self.ws.normalized(file) or normalize(self.ws.blobs.get(file.sha256), file)
            except (ParseError, NotFound, WorkspaceError):
                document = None
            self._texts[key] = document
        return self._texts[key]

    def _likely(self, gold: Gold) -> Iterator[DocumentRow]:
        """All that gold names; of a whole corpus those with one of the quote's longest words."""
        for row in self.named(gold.doc):
            document = None if gold.doc else self.standing(row)
            if gold.doc or (document is not None and may_hold(document.text, gold.quote)):
                yield row

    def _in(self, gold: Gold, row: DocumentRow) -> tuple[int, list[Place]]:
        """How closely the document has it, and where."""
        document = self.standing(row)
        if document is None:
            return 0, []
        how, spans = find_closely(document.text, gold.quote)
        return how, [Place(gold, document, span) for span in spans]


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
    for level, markup in enumerate(OF_SOURCE, 1):
        source, wanted = fold(text, markup=markup), fold(bare, markup=markup).text.strip()
        spans = [source.span(at, at + len(wanted)) for at in _occurrences(wanted, source.text)]
        if spans:
            return level, _chosen(spans, text)
    source, wanted = fold(text, markup="all"), _without_bars(fold(bare, markup="all").text)[0]
    solid, places = _without_bars(source.text)
    spans = [source.span(places[at], places[at + len(wanted) - 1] + 1) for at in _occurrences(wanted, solid)]
    return len(OF_SOURCE) + 1, _chosen(spans, text)


def same_document(name: str, doc: str) -> bool:
    """Whether a document of the corpus is the one that gold names: equal, or one path ends with the other."""
    doc = _tidy(doc)
    return not doc or name == doc or name.endswith("/" + doc) or doc.endswith("/" + name)


def _tidy(doc: str) -> str:
    return doc.replace("\\", "/").removeprefix("./")


def overlaps(span: Span, others: Iterable[Span]) -> bool:
    """Whether the half-open span shares a character with any of the others."""
    return any(span[0] < end and start < span[1] for start, end in others)


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
    """The rank from which on the chunks of this document hold all of the quote; None if they never do.

    `ranked` is (rank, span) of chunks of the quote's own document. For a quote that lies in one chunk it is
    that chunk's rank; for one that was cut, the rank of the last chunk that is needed (see `WHOLE`).
    """
    held: list[Span] = []
    for rank, span in sorted(ranked):
        if overlaps(span, [quote]):
            held.append(span)
            if share_held(text, quote, held) >= WHOLE:
                return rank
    return None


def may_hold(text: str, quote: str) -> bool:
    """Whether the quote's longest words are there as they are: cheap, and folding whole corpora is not.

    One of them is enough in a text with characters that folding changes inside of words.
    """
    anchors = sorted(_ANCHOR.findall(quote), key=len, reverse=True)[:_N_ANCHORS]
    if not anchors:
        return True
    there = [anchor in text for anchor in anchors]
    return all(there) or (any(there) and _FOLDED.search(text) is not None)


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
