"""From a quote to a place: which documents hold it, which once did, and whether only raw bytes do."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from suffice.corpus.normalize import normalize
from suffice.errors import NotFound, ParseError, WorkspaceError
from suffice.gold import Gold, find, find_closely, same_document
from suffice.text.encodings import decode
from suffice.values import Document, RawFile, Span
from suffice.workspace import DocumentRow, IndexedRow, Workspace

_TAG = re.compile(r"<[^<>]*>")
_ANCHOR = re.compile(r"[^\W_]{3,}|[\u3040-\u30ff\u3400-\u9fff]{2,}")
_N_ANCHORS = 3
_FOLDED = re.compile("[\u00ad\u0300-\u036f\u200b-\u200f\u2060\ufb00-\ufb06\ufeff\uff01-\uff9f]")

Loss = Literal["not_in_corpus", "lost_in_parsing", "not_embedded"]


@dataclass(frozen=True, slots=True)
class Place:
    """A quote at a span of a document's text, as the generation in use has it."""

    gold: Gold
    document: Document
    span: Span
    tenant: str | None


@dataclass(frozen=True, slots=True)
class Absent:
    """No document in the index holds the quote: where it was lost, and in words why."""

    gold: Gold
    loss: Loss
    note: str
    document: str | None = None


class Places:
    """Looks quotes up in one workspace and generation; documents are read once."""

    def __init__(self, ws: Workspace, generation: str, tenant: str | None) -> None:
        self.ws, self.tenant = ws, tenant
        self._indexed = {(row.tenant, row.document): row for row in ws.indexed(generation)}
        self._rows = ws.documents()
        self._failures = {(item.tenant, item.document): item.reason for item in ws.parse_failures()}
        self._texts: dict[tuple[str, str | None, str], Document | None] = {}

    def of(self, gold: Gold) -> tuple[Place, ...] | Absent:
        """Every place of the quote, the question's own tenant's if it has any; else why there is none.

        A document that has it more closely, word for word, is not mixed with those that have it more loosely.
        """
        rows = self._named(gold.doc)
        by_row = [self._in(gold, row) for row in self._likely(gold, rows)]
        by_row = [(how, places) for how, places in by_row if places]
        own = [(how, places) for how, places in by_row if places[0].tenant == self.tenant]
        if by_row:
            closest = min(how for how, _ in own or by_row)
            return tuple(place for how, places in own or by_row if how == closest for place in places)
        return self._waiting(gold, rows) or self._unparsed(gold, rows) or self._gone(gold, rows)

    def document(self, tenant: str | None, name: str) -> Document | None:
        """A document as the index has it; None where it has none of this name."""
        row = next((row for row in self._rows if (row.tenant, row.name) == (tenant, name)), None)
        return self._standing(row) if row else None

    def failure(self, tenant: str | None, document: str) -> str | None:
        """Why the document's bytes gave no chunks, if they gave none."""
        return self._failures.get((tenant, document))

    def _named(self, doc: str) -> list[DocumentRow]:
        """The documents that gold means: of this very name, else those whose path ends so."""
        wanted = _tidy(doc)
        exact = [row for row in self._rows if row.name == wanted]
        return exact or [row for row in self._rows if same_document(row.name, wanted)]

    def _likely(self, gold: Gold, rows: list[DocumentRow]) -> Iterator[DocumentRow]:
        """All that gold names; of a whole corpus those with one of the quote's longest words."""
        if gold.doc:
            yield from rows
            return
        for row in rows:
            document = self._standing(row)
            if document is not None and _may_hold(document.text, gold.quote):
                yield row

    def _in(self, gold: Gold, row: DocumentRow) -> tuple[int, list[Place]]:
        """How closely the document has it, and where."""
        document = self._standing(row)
        if document is None:
            return 0, []
        how, spans = find_closely(document.text, gold.quote)
        return how, [Place(gold, document, span, row.tenant) for span in spans]

    def _standing(self, row: DocumentRow) -> Document | None:
        """The document's text as the index has it, which is an older one while a change waits."""
        indexed = self._indexed.get((row.tenant, row.name))
        if indexed is None:
            return None
        return self._text(self._file(row, indexed))

    def _file(self, row: DocumentRow, indexed: IndexedRow) -> RawFile:
        if indexed.sha256 == row.file.sha256:
            return row.file
        return self.ws.snapshot_file(indexed.snapshot, row.tenant, row.name) or row.file

    def _text(self, file: RawFile) -> Document | None:
        key = (file.sha256, file.tenant, file.name)
        if key not in self._texts:
            self._texts[key] = self._read(file)
        return self._texts[key]

    def _read(self, file: RawFile) -> Document | None:
        try:
            return self.ws.normalized(file) or normalize(self.ws.blobs.get(file.sha256), file)
        except (ParseError, NotFound, WorkspaceError):
            return None

    # --- not in the index -----------------------------------------------------------------------

    def _waiting(self, gold: Gold, rows: list[DocumentRow]) -> Absent | None:
        """The text has it and the index has not: a document that waits, or that could not be embedded."""
        for row in rows:
            indexed = self._indexed.get((row.tenant, row.name))
            if indexed is not None and indexed.revision == row.revision:
                continue
            document = self._text(row.file)
            if document is not None and find(document.text, gold.quote):
                note = f"{row.name} has it, but waits to be indexed; run: suffice update"
                return Absent(gold, "not_embedded", note, row.name)
        return None

    def _unparsed(self, gold: Gold, rows: list[DocumentRow]) -> Absent | None:
        """The raw bytes have it and the normalized text has not."""
        for row in rows:
            if self._raw_has(row.file, gold.quote):
                return Absent(gold, "lost_in_parsing", self._why_unparsed(row), row.name)
        return None

    def _why_unparsed(self, row: DocumentRow) -> str:
        reason = self.failure(row.tenant, row.name)
        if reason:
            return f"the raw file of {row.name} has it, but could not be read: {reason}"
        document = self._text(row.file)
        removed = ", ".join(f"{item.rule} ({item.count})" for item in document.removed) if document else ""
        said = f"; normalization took out: {removed}" if removed else ""
        return f"the raw file of {row.name} has it, its normalized text has not{said}"

    def _gone(self, gold: Gold, rows: list[DocumentRow]) -> Absent:
        """Nowhere now. Says so if it once was, or if it stands in another document than the one named."""
        current = {row.file.sha256 for row in self._rows}
        old = self._once(gold, current)
        if old is not None:
            snapshot, name = old
            said = f"{name} of snapshot {snapshot} had it; {self._since(name)}"
            return Absent(gold, "not_in_corpus", said, name)
        if gold.doc:
            elsewhere = next((place for row in self._rows for place in self._in(gold, row)[1]), None)
            also = f"; the same words stand in {elsewhere.document.name}" if elsewhere else ""
            if not rows:
                why = self._unread(_tidy(gold.doc)) or f"no document is named {gold.doc}"
                return Absent(gold, "not_in_corpus", f"{why}{also}")
            return Absent(gold, "not_in_corpus", f"{rows[0].name} does not have these words{also}")
        return Absent(gold, "not_in_corpus", "no document and no earlier snapshot has these words")

    def _once(self, gold: Gold, current: set[str]) -> tuple[str, str] | None:
        seen = set(current)
        wanted = _tidy(gold.doc)
        for snapshot in reversed(self.ws.snapshot_ids()):
            for file in self.ws.snapshot(snapshot).files:
                if file.sha256 in seen or not same_document(file.name, wanted):
                    continue
                seen.add(file.sha256)
                document = self._text(file)
                if (document and find(document.text, gold.quote)) or self._raw_has(file, gold.quote):
                    return snapshot, file.name
        return None

    def _unread(self, doc: str) -> str:
        """Why the last snapshot left a file of this name out, if it did: its bytes were not kept."""
        ids = self.ws.snapshot_ids()
        for item in self.ws.snapshot(ids[-1]).unreadable if ids else ():
            if same_document(item.name, doc):
                return f"{item.name} was found and not taken: {item.reason}"
        return ""

    def _since(self, name: str) -> str:
        for row in self.ws.documents(removed=True):
            if row.name == name and row.removed_at is not None:
                by = "a user removed it" if row.removed_by == "user" else "it is gone from its source"
                return f"{by} on {row.removed_at[:10]}"
        return "it has changed since"

    def _raw_has(self, file: RawFile, quote: str) -> bool:
        try:
            data = self.ws.blobs.get(file.sha256)
        except (NotFound, WorkspaceError):
            return False
        return any(find(text, quote) for text in _readings(data) if _may_hold(text, quote))


def _readings(data: bytes) -> Iterable[str]:
    """The raw bytes as text, and as the text of markup: tags taken out, entities read."""
    if b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    try:
        text = decode(data).text
    except ParseError:  # a file that no parser could read may still show the words
        text = data.decode("utf-8", "replace")
    yield text
    if "<" in text or "&" in text:
        yield html.unescape(_TAG.sub("", text))
        yield html.unescape(_TAG.sub(" ", text))


def _may_hold(text: str, quote: str) -> bool:
    """Whether the quote's longest words are there as they are: cheap, and folding whole corpora is not.

    One of them is enough in a text with characters that folding changes inside of words.
    """
    anchors = sorted(_ANCHOR.findall(quote), key=len, reverse=True)[:_N_ANCHORS]
    if not anchors:
        return True
    there = [anchor in text for anchor in anchors]
    return all(there) or (any(there) and _FOLDED.search(text) is not None)


def _tidy(doc: str) -> str:
    return doc.replace("\\", "/").removeprefix("./")
