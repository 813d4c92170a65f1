"""What became of a piece that is in the evidence: seen by the gate, used by the answer, or neither."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from suffice.diagnose.case import Case
from suffice.diagnose.findings import Layer
from suffice.gold import WHOLE, Place, find, first_whole, overlaps, share_held
from suffice.values import Citation, Hit, Span
from suffice.workspace import ChunkRow


class Passed:
    """The evidence, verdict and claims of one answer, against one place at a time."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.answer = case.answer
        self.supported = {
            support.evidence for judged in self.answer.verdict.needs for support in judged.supports
        }

    def of(self, place: Place, chunks: Sequence[ChunkRow]) -> tuple[Layer, str] | None:
        """The layer from the gate on, and why; None for a piece that is not whole in the evidence."""
        ids = {row.chunk.id for row in chunks}
        hits = self._holding(place, ids)
        if not hits:
            return None
        where = f"{place.document.name}: in the evidence at {_listed(hit.rank for hit in hits)}"
        cited = self._cited(hits, place)
        if cited is not None:
            return "answered", f"{where}, and quoted in the answer"
        if not any(hit.rank in self.supported for hit in hits):
            return "unrecognised_by_gate", f"{where}, but {self._unrecognised()}"
        return "unused_by_answer", f"{where}, and the gate took it for support, but {self._unused(hits)}"

    def _holding(self, place: Place, ids: set[str]) -> list[Hit]:
        """The hits that together hold the place, by span, or by words where the text is another."""
        same = [hit for hit in self.answer.evidence if hit.document == place.document.name]
        of_text = [
            hit
            for hit in same
            if hit.sha256 == place.document.sha256
            and (hit.chunk_id in ids or overlaps(hit.span, [place.span]))
        ]
        last = first_whole(place.document.text, place.span, [(hit.rank, hit.span) for hit in of_text])
        if last is not None:
            alone = [
                hit for hit in of_text if share_held(place.document.text, place.span, [hit.span]) >= WHOLE
            ]
            return alone or [hit for hit in of_text if hit.rank <= last]
        return [
            hit for hit in same if hit.sha256 != place.document.sha256 and find(hit.text, place.gold.quote)
        ]

    def _cited(self, hits: Sequence[Hit], place: Place) -> Citation | None:
        for citation in self._citations():
            for hit in hits:
                if citation.evidence == hit.rank and overlaps(citation.span, self._spans(hit, place)):
                    return citation
        return None

    def _spans(self, hit: Hit, place: Place) -> list[Span]:
        if hit.sha256 == place.document.sha256:
            return [place.span]
        start = hit.span[0]
        return [(start + a, start + b) for a, b in find(hit.text, place.gold.quote)]

    def _citations(self) -> list[Citation]:
        body = self.answer.answer
        return [citation for claim in body.claims for citation in claim.citations] if body else []

    def _unrecognised(self) -> str:
        failures = self.answer.verdict.failures
        if failures:
            return f"the gate could not run ({failures[0].stage}: {failures[0].reason})"
        tried = [
            f"{judged.need.id} {judged.best_confidence:.2f}"
            for judged in self.answer.verdict.needs
            if judged.best_confidence is not None
        ]
        if not tried:
            return "the judge saw no support for any part of the question in it"
        return (
            f"the gate did not take it for support: it asks for a confidence of {self.case.threshold:.2f}; "
            f"the best that it saw in any chunk, part by part, is {', '.join(tried)}"
        )

    def _unused(self, hits: Sequence[Hit]) -> str:
        if self.answer.answer is None:
            return "no answer was written: the system declined"
        ranks = {hit.rank for hit in hits}
        if any(citation.evidence in ranks for citation in self._citations()):
            return "the answer quotes other words of the same chunk"
        if self.answer.dropped_claims:
            first = self.answer.dropped_claims[0]
            return (
                f"the answer quotes other chunks; {len(self.answer.dropped_claims)} claims were dropped "
                f"({first.reason})"
            )
        return "the answer quotes other chunks"


def _listed(ranks: Iterable[int]) -> str:
    found = [str(rank) for rank in ranks]
    return f"rank {found[0]}" if len(found) == 1 else f"ranks {', '.join(found)}"
