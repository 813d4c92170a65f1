"""The citation check: a quote is shown only if it stands, letter for letter but for typography, at its place.

No ratio of similarity takes part. A fuzzy score of 90 passes every changed digit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from suffice.answer.edges import objection
from suffice.answer.shortness import is_too_short, is_whole_unit
from suffice.text.folding import OF_SOURCE, Folded, Markup, fold
from suffice.text.markup import marks
from suffice.values import Check, Citation, Claim, DraftCitation, DraftClaim, DroppedClaim, Hit, Span

EMPTY = "empty quote"
NOT_FOUND = "quote not found"
TOO_SHORT = "quote too short"


@dataclass(frozen=True, slots=True)
class Located:
    """The quote stands at this span of the text; `check` says whether code point for code point."""

    span: Span
    check: Check


@dataclass(frozen=True, slots=True)
class Rejected:
    """The quote does not stand in the text, or may not be quoted so; `reason` is for people."""

    reason: str


_MAX_TRIES = 500  # places of one quote that are looked at: beyond it the quote is a single repeated letter
_MAX_GAP = 300  # code points that "…" may stand for
_ELLIPSIS = re.compile(r"\s*(?:\[…\]|\(…\)|…)\s*")
_WRAPPED = re.compile(r"""\A(?:"(.*)"|'(.*)'|`(.*)`)\Z""", re.DOTALL)
_OF_QUOTE: tuple[Markup, ...] = ("keep", "quote")
"""A quote's own link targets and list numbers are never dropped: a changed one would pass."""


def locate(quote: str, text: str, *, within: Span | None = None) -> Located | Rejected:
    """Find the quote in the text, inside `within` if that is given.

    Code point for code point first; then folded, then without Markdown marks, without what a writer adds
    around a quote (quotation marks, a full stop, "…" at an end), and in parts around "…".
    """
    bare = quote.strip()
    if not fold(bare).text.strip(" \"'…"):
        return Rejected(EMPTY)
    area = within or (0, len(text))
    reasons: list[str] = []
    for start in _occurrences(bare, text, *area):
        span = (start, start + len(bare))
        reason = _refusal(text, span)
        if reason is None:
            return Located(span, "verified")
        reasons.append(reason)
    wanted = [variant for of_quote in _OF_QUOTE for variant in _variants(fold(bare, markup=of_quote).text)]
    for of_source in OF_SOURCE:
        if of_source != "keep" and not marks(text, links=of_source == "all"):
            continue
        source = fold(text, markup=of_source)
        for variant in dict.fromkeys(wanted):
            found = _find(variant, source, text, area, reasons)
            if found is not None:
                return Located(found, "verified_normalized")
    return Rejected(reasons[0] if reasons else NOT_FOUND)


def verify(draft: DraftClaim, evidence: Sequence[Hit], *, reattribute: bool = False) -> Claim | DroppedClaim:
    """Check each citation against the evidence it names; one that fails is removed.

    A claim that is left with none is dropped, with the reason of the first. What is stored as the quote is
    the slice of the source, never the writer's version of it. With `reattribute`, a quote that stands in one
    other piece of evidence alone is cited from there, and marked so.
    """
    kept: list[Citation] = []
    reason = "no quote"
    for citation in draft.citations:
        checked = _check(citation, evidence)
        if reattribute and isinstance(checked, Rejected):
            checked = _elsewhere(citation, evidence) or checked
        if isinstance(checked, Citation):
            if checked not in kept:
                kept.append(checked)
        elif reason == "no quote":
            reason = checked.reason
    if not kept:
        return DroppedClaim(draft.text, reason)
    return Claim(draft.text, draft.needs, tuple(kept))


def recheck(text: str, citation: Citation) -> bool:
    """True if the citation's words still stand at its span of the document's text."""
    start, end = citation.span
    return (
        0 <= start < end <= len(text) and bool(citation.quote.strip()) and text[start:end] == citation.quote
    )


def _check(citation: DraftCitation, evidence: Sequence[Hit]) -> Citation | Rejected:
    hit = next((hit for hit in evidence if hit.rank == citation.evidence), None)
    if hit is None:
        return Rejected(f"no evidence {citation.evidence}")
    found = _locate_in(citation, hit)
    if isinstance(found, Rejected):
        if found.reason == NOT_FOUND:
            for other in evidence:
                if other is not hit and isinstance(locate(citation.quote, other.text), Located):
                    return Rejected(f"quote stands in evidence {other.rank}, not in the one cited")
        return found
    start, end = found.span
    span = (hit.span[0] + start, hit.span[0] + end)
    return Citation(hit.rank, hit.chunk_id, hit.document, hit.text[start:end], span, found.check)


def _elsewhere(citation: DraftCitation, evidence: Sequence[Hit]) -> Citation | None:
    """The citation from the one other piece that holds the quote; None where none or several do.

    A piece that names the document cited is refused: it may have passed its words off as that document's.
    """
    cited = next((hit for hit in evidence if hit.rank == citation.evidence), None)
    found = [
        (hit, place)
        for hit in evidence
        if hit is not cited and isinstance(place := locate(citation.quote, hit.text), Located)
    ]
    if len(found) != 1:
        return None
    hit, place = found[0]
    if cited is not None and (isinstance(locate(citation.quote, cited.text), Located) or _names(hit, cited)):
        return None
    start, end = place.span
    span = (hit.span[0] + start, hit.span[0] + end)
    quote = hit.text[start:end]
    return Citation(hit.rank, hit.chunk_id, hit.document, quote, span, place.check, reattributed=True)


def _names(hit: Hit, other: Hit) -> bool:
    name = other.document.rsplit("/", 1)[-1]
    return hit.document != other.document and bool(name) and name.casefold() in hit.text.casefold()


def _locate_in(citation: DraftCitation, hit: Hit) -> Located | Rejected:
    """Where the generator says that it stands, if it stands there; else wherever it stands."""
    if citation.span is not None:
        start = max(0, citation.span[0] - hit.span[0])
        end = min(len(hit.text), citation.span[1] - hit.span[0])
        if start < end:
            found = locate(citation.quote, hit.text, within=(start, end))
            if isinstance(found, Located):
                return found
    return locate(citation.quote, hit.text)


def _occurrences(needle: str, text: str, begin: int, end: int) -> Iterator[int]:
    at = text.find(needle, begin, end)
    for _ in range(_MAX_TRIES):
        if at < 0:
            return
        yield at
        at = text.find(needle, at + 1, end)


def _refusal(text: str, span: Span) -> str | None:
    reason = objection(text, span)
    if reason is None and is_too_short(fold(text[span[0] : span[1]]).text) and not is_whole_unit(text, span):
        return TOO_SHORT
    return reason


def _variants(wanted: str) -> list[str]:
    """The quote as it is, then without what writers add: quotation marks, "…" and a stop at the ends."""
    variants = [wanted]
    wrapped = _WRAPPED.match(wanted)
    if wrapped:
        variants.append(next(group for group in wrapped.groups() if group is not None).strip(" "))
    for variant in tuple(variants):
        stripped = re.sub(r"\A(?:\[…\]|…) *| *(?:\[…\]|…)\Z", "", variant)
        if stripped[-1:] in (".", ",", ";") and stripped[-2:-1] not in (".", ""):
            variants.extend([stripped, stripped[:-1].rstrip(" ")])
        else:
            variants.append(stripped)
    return [variant for variant in dict.fromkeys(variants) if variant]


def _find(wanted: str, source: Folded, text: str, area: Span, reasons: list[str]) -> Span | None:
    """The raw span of the first acceptable place of a folded quote, whole or in parts."""
    begin, end = source.at(area[0]), len(source.text)
    if area[1] < source.n_source:
        end = source.at(area[1])
    for start in _occurrences(wanted, source.text, begin, end):
        span = source.span(start, start + len(wanted))
        if span[1] > area[1]:
            break
        reason = _refusal(text, span)
        if reason is None:
            return span
        reasons.append(reason)
    parts = [part for part in _ELLIPSIS.split(wanted) if part]
    if len(parts) < 2 or any(is_too_short(part, part=True) for part in parts):
        return None
    return _find_parts(parts, source, text, begin, end)


def _find_parts(parts: list[str], source: Folded, text: str, begin: int, end: int) -> Span | None:
    """Parts in order, each whole at its edges, within one paragraph's reach of each other.

    A gap in which the source itself has an ellipsis is refused: then the writer's mark may be the source's
    own, with words lost beside it.
    """
    for start in _occurrences(parts[0], source.text, begin, end):
        if objection(text, source.span(start, start + len(parts[0]))):
            continue
        stop = start + len(parts[0])
        for part in parts[1:]:
            limit = min(end, stop + _MAX_GAP + len(part))
            at = next(
                (
                    place
                    for place in _occurrences(part, source.text, stop, limit)
                    if not objection(text, source.span(place, place + len(part)))
                ),
                -1,
            )
            if at < 0 or "…" in source.text[stop:at]:
                break
            stop = at + len(part)
        else:
            return source.span(start, stop)
    return None
