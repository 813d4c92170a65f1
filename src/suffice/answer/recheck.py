"""recheck_answer(): an answer of any age against the snapshots that it names; no network, model or index."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from suffice.answer.citations import recheck
from suffice.corpus.normalize import normalize
from suffice.errors import NotFound, ParseError, UsageError, WorkspaceError
from suffice.values import Citation, Document, RawFile
from suffice.workspace import Workspace


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """One citation of the answer, and whether its quote stands where the answer says."""

    document: str
    quote: str
    ok: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Verification:
    """All citations of one answer. Without any (a decline), there is nothing that could be wrong."""

    checks: tuple[CitationCheck, ...]

    @property
    def ok(self) -> bool:
        """Every quote stands where the answer says."""
        return all(check.ok for check in self.checks)


class _Claim(msgspec.Struct):
    text: str
    citations: list[Citation]


class _Body(msgspec.Struct):
    generator: str
    text: str
    claims: list[_Claim]


class _Evidence(msgspec.Struct):
    rank: int
    document: str
    sha256: str
    span: tuple[int, int]
    text: str
    snapshot: str | None = None


class _Saved(msgspec.Struct):
    """What of a saved answer a check needs; other fields may be there."""

    snapshots: list[str]
    evidence: list[_Evidence]
    answer: _Body | None
    tenant: str | None = None


def recheck_answer(workspace: Workspace, data: Mapping[str, Any]) -> Verification:
    """Check every citation of a saved answer. Raises UsageError when the data is not an answer."""
    try:
        saved = msgspec.convert(data, _Saved)
    except msgspec.ValidationError as error:
        raise UsageError(f"this is not an answer as `suffice ask --json` writes it: {error}") from error
    return Verification(tuple(_checks(workspace, saved)))


def _checks(workspace: Workspace, saved: _Saved) -> Iterator[CitationCheck]:
    evidence = {item.rank: item for item in saved.evidence}
    yield from _uncited(saved.answer) if saved.answer else ()
    for claim in saved.answer.claims if saved.answer else ():
        for citation in claim.citations:
            reason = _fault(workspace, saved, evidence.get(citation.evidence), citation)
            yield CitationCheck(citation.document, citation.quote, reason is None, reason or citation.check)


def _uncited(body: _Body) -> Iterator[CitationCheck]:
    """What the answer says without a citation. An answer made of quotes says nothing else."""
    if body.text.strip() and not body.claims:
        yield CitationCheck("", body.text, False, "the answer says this and cites nothing")
    for claim in body.claims:
        if not claim.citations:
            yield CitationCheck("", claim.text, False, "the claim cites nothing")
        elif _bare(claim.text) not in _bare(body.text):
            yield CitationCheck("", claim.text, False, "the claim is not what the answer's text says")
        elif body.generator == "extractive" and not _made_of(claim.text, claim.citations):
            yield CitationCheck("", claim.text, False, "the claim says more than it quotes")


def _made_of(text: str, citations: Sequence[Citation]) -> bool:
    """Whether every word and number of the claim stands in its quotes."""
    quoted = Counter(re.findall(r"\w+", " ".join(citation.quote for citation in citations)))
    said = re.sub(
        r"^[ \t]*(?:```|~~~).*$", "", text, flags=re.MULTILINE
    )  # a fence opened again names its language
    return not Counter(re.findall(r"\w+", said)) - quoted


def _bare(text: str) -> str:
    return "".join(text.split())


def _fault(workspace: Workspace, saved: _Saved, item: _Evidence | None, citation: Citation) -> str | None:
    """Why the citation does not hold; None when it does."""
    if item is None:
        return f"the answer has no evidence {citation.evidence}"
    if item.document != citation.document:
        return f"evidence {citation.evidence} is of {item.document}, not of {citation.document}"
    file = _file(workspace, saved, item)
    if file is None:
        return f"no snapshot named in the answer holds this document with sha256 {item.sha256[:12]}…"
    try:
        versions = list(_texts(workspace, file))
    except (NotFound, ParseError, WorkspaceError) as error:
        return str(error)
    start, end = item.span
    for document in versions:
        if document.text[start:end] == item.text and recheck(document.text, citation):
            return None
    if not any(recheck(document.text, citation) for document in versions):
        return "the quote does not stand at its span"
    return f"the text of evidence {citation.evidence} does not stand at its span"


def _file(workspace: Workspace, saved: _Saved, item: _Evidence) -> RawFile | None:
    for snapshot in dict.fromkeys([*([item.snapshot] if item.snapshot else []), *saved.snapshots]):
        try:
            file = workspace.snapshot_file(snapshot, saved.tenant, item.document)
        except NotFound:
            continue
        if file is not None and file.sha256 == item.sha256:
            return file
    return None


def _texts(workspace: Workspace, file: RawFile) -> Iterator[Document]:
    """The document as parsers made it: as today's parser does from the raw bytes, then as older ones did.

    The raw bytes are read even when a normalized text is kept: a damaged file must not pass.
    """
    data = workspace.blobs.get(file.sha256)
    yield normalize(data, file)
    for _, document in workspace.normalizations(file):
        yield document
