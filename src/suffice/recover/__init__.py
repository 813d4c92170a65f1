"""suggest(): narrower questions, frozen, then searched; the most useful few are judged and offered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from suffice.asked import Asked, Clock, Found
from suffice.gate import needs as gate_needs
from suffice.recover.candidates import Candidate, freeze
from suffice.recover.choice import Searched, choose
from suffice.text import language as language_of
from suffice.values import Need, Preview, Status, Suggestion, Verdict

__all__ = ["suggest"]

PROMISING: tuple[Status, ...] = ("sufficient", "partial", "insufficient", "search_failed")
"""The order in which suggestions are shown, by what they were found to lead to."""
LEADING: tuple[Status, ...] = PROMISING[:2]
"""With any other preview, a suggestion must find something new to be worth a click."""
Find = Callable[[Asked, Sequence[Need]], Found]
Judge = Callable[[Asked, Sequence[Need], Found], Verdict]


def suggest(
    asked: Asked, verdict: Verdict, found: Found, language: str, n: int, *, find: Find, judge: Judge
) -> tuple[Suggestion, ...]:
    """At most n suggestions as S1, S2 ..., those that will be answered first; none for a sufficient verdict.

    All candidates are made before the first is searched, and none is changed after. Each is searched; the n
    that find most of what the evidence lacks are judged, which costs many times more than a search. One that
    would be declined as well and finds nothing new is not offered.
    """
    frozen = freeze(asked.question, verdict, found.evidence, language) if n > 0 else ()
    tried = [_Tried(asked, one, find) for one in frozen]
    ranked = _ranked_by_need(verdict, found)
    searched = [
        Searched(tuple(hit.chunk_id for hit in one.found.evidence), ranked[one.candidate.need])
        for one in tried
    ]
    chosen = choose(searched, [hit.chunk_id for hit in found.evidence], n)
    offered = [(tried[at].candidate.question, tried[at].preview(judge), n_new) for at, n_new in chosen]
    worth = [(text, preview) for text, preview, n_new in offered if n_new or preview.status in LEADING]
    worth.sort(key=lambda one: PROMISING.index(one[1].status))
    return tuple(Suggestion(f"S{place}", *one) for place, one in enumerate(worth, 1))


def _ranked_by_need(verdict: Verdict, found: Found) -> dict[str, tuple[str, ...]]:
    """The first chunks of each need's own ranking; the whole question's where it has none."""
    whole = found.rankings[0].first if found.rankings else ()
    by_query = {ranking.query: ranking.first for ranking in found.rankings}
    return {judged.need.id: by_query.get(judged.need.text, whole) for judged in verdict.needs}


class _Tried:
    """A candidate, searched as the ordinary question that it would be if it were picked."""

    def __init__(self, asked: Asked, candidate: Candidate, find: Find) -> None:
        self.candidate = candidate
        self.asked = replace(asked, question=candidate.question, k=None, clock=Clock(), tell=_silent)
        self.needs = gate_needs.split(candidate.question, language_of(candidate.question))
        self.found = find(self.asked, self.needs)

    def preview(self, judge: Judge) -> Preview:
        """What it would get as an ordinary question; it is judged, and nothing is written."""
        verdict = judge(self.asked, self.needs, self.found)
        best = next((support for judged in verdict.needs for support in judged.supports), None)
        hits = self.found.evidence
        hit = hits[best.evidence - 1] if best else next(iter(hits), None)
        if hit is None:
            return Preview(verdict.status)
        return Preview(verdict.status, hit.document, hit.title, hit.heading_path)


def _silent(stage: str) -> None:
    """A progress that shows the stages of one question, and not those of its suggestions."""
