"""Of a quote that no indexed document has: whether one once did, or waits, or only its raw bytes do.

Only the question's own tenant is looked at, here as in `suffice.gold`: that another tenant has the words is
not for this one to know.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from suffice.errors import NotFound, ParseError, WorkspaceError
from suffice.gold import Gold, GoldIndex, Place, find, may_hold, same_document
from suffice.text.encodings import decode
from suffice.values import RawFile
from suffice.workspace import DocumentRow, Workspace

_TAG = re.compile(r"<[^<>]*>")

Loss = Literal["not_in_corpus", "lost_in_parsing", "not_embedded"]


@dataclass(frozen=True, slots=True)
class Absent:
    """No document in the index holds the quote: where it was lost, and in words why."""

    gold: Gold
    loss: Loss
    note: str
    document: str | None = None


class Places:
    """Looks quotes up in one workspace and generation, for one tenant."""

    def __init__(self, ws: Workspace, generation: str, tenant: str | None) -> None:
        self.ws, self.tenant = ws, tenant
        self.index = GoldIndex(ws, generation, tenant)

    def of(self, gold: Gold) -> tuple[Place, ...] | Absent:
        """Every place of the quote; else why there is none."""
        rows = self.index.named(gold.doc)
        return (
            self.index.places(gold)
            or self._waiting(gold, rows)
            or self._unparsed(gold, rows)
            or self._gone(gold, rows)
        )

    def failure(self, document: str) -> str | None:
        """Why the document's bytes gave no chunks, if they gave none."""
        return self.index.failures.get(document)

    def _waiting(self, gold: Gold, rows: list[DocumentRow]) -> Absent | None:
        """The text has it and the index has not: a document that waits, or that could not be embedded."""
        for row in rows:
            indexed = self.index.indexed.get(row.name)
            if indexed is not None and indexed.revision == row.revision:
                continue
            document = self.index.text(row.file)
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
        reason = self.failure(row.name)
        if reason:
            return f"the raw file of {row.name} has it, but could not be read: {reason}"
        document = self.index.text(row.file)
        removed = ", ".join(f"{item.rule} ({item.count})" for item in document.removed) if document else ""
        said = f"; normalization took out: {removed}" if removed else ""
        return f"the raw file of {row.name} has it, its normalized text has not{said}"

    def _gone(self, gold: Gold, rows: list[DocumentRow]) -> Absent:
        """Nowhere now. Says so if it once was, or if it stands in another document than the one named."""
        old = self._once(gold)
        if old is not None:
            snapshot, name = old
            said = f"{name} of snapshot {snapshot} had it; {self._since(name)}"
            return Absent(gold, "not_in_corpus", said, name)
        if gold.doc:
            elsewhere = next(iter(self.index.places(Gold("", gold.quote))), None)
            also = f"; the same words stand in {elsewhere.document.name}" if elsewhere else ""
            if not rows:
                why = self._unread(gold.doc) or f"no document is named {gold.doc}"
                return Absent(gold, "not_in_corpus", f"{why}{also}")
            return Absent(gold, "not_in_corpus", f"{rows[0].name} does not have these words{also}")
        return Absent(gold, "not_in_corpus", "no document and no earlier snapshot has these words")

    def _once(self, gold: Gold) -> tuple[str, str] | None:
        seen = {row.file.sha256 for row in self.index.rows.values()}
        for snapshot in reversed(self.ws.snapshot_ids()):
            for file in self.ws.snapshot(snapshot).files:
                if file.tenant != self.tenant or file.sha256 in seen:
                    continue
                if not same_document(file.name, gold.doc):
                    continue
                seen.add(file.sha256)
                document = self.index.text(file)
                if (document and find(document.text, gold.quote)) or self._raw_has(file, gold.quote):
                    return snapshot, file.name
        return None

    def _unread(self, doc: str) -> str:
        """Why the last snapshot left a file of this name out, if it did: its bytes were not kept.

        It does not say whose file it was, so nothing is said where the workspace has several tenants.
        """
        ids = self.ws.snapshot_ids()
        if not ids or {source.tenant for source in self.ws.sources()} - {self.tenant}:
            return ""
        for item in self.ws.snapshot(ids[-1]).unreadable:
            if same_document(item.name, doc):
                return f"{item.name} was found and not taken: {item.reason}"
        return ""

    def _since(self, name: str) -> str:
        for row in self.ws.documents(self.tenant, removed=True):
            if row.name == name and row.removed_at is not None:
                by = "a user removed it" if row.removed_by == "user" else "it is gone from its source"
                return f"{by} on {row.removed_at[:10]}"
        return "it has changed since"

    def _raw_has(self, file: RawFile, quote: str) -> bool:
        try:
            data = self.ws.blobs.get(file.sha256)
        except (NotFound, WorkspaceError):
            return False
        return any(find(text, quote) for text in _readings(data) if may_hold(text, quote))


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
