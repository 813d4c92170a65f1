"""freeze(): narrower questions for a question that the evidence does not fully answer, frozen in order.

Made of the question's needs and of headings and names in its evidence alone, by patterns in the language of
the question: no word is added that states a fact, and nothing is searched. The same question, verdict and
evidence always give the same candidates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from suffice.answer.questions import Phrases, about, ask, marked, markless, phrases
from suffice.recover import hints, wordings
from suffice.values import Hit, Need, Verdict

POOL = 8
"""How many are searched. Twelve led to a missing piece on no more questions (three are shown)."""
MAX_CHARS = 120
FAR = 0.1
"""A need for which no passage was given even this confidence is about something else: headings and names of
such evidence would lead the user away from the question, so none are offered for it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that may be offered. `need` is the id of the need that it came from."""

    question: str
    need: str


def freeze(question: str, verdict: Verdict, evidence: Sequence[Hit], language: str) -> tuple[Candidate, ...]:
    """Up to POOL questions in order of promise; long ones after all that fit MAX_CHARS.

    Of several needs, each missing one stands alone first: searched by itself it is no longer drowned by the
    others. Then come its other wordings and what the evidence leads to, the needs in turn. A supported need
    is only offered when nothing else is.
    """
    if verdict.status in ("sufficient", "search_failed") or not evidence:
        return ()
    say = phrases(language)
    several = len(verdict.needs) > 1
    missing = [judged for judged in verdict.needs if judged.status == "missing"]
    supported = [judged.need for judged in verdict.needs if judged.status == "supported"]
    known = (question, *(wordings.alone(need, say) for need in supported))
    alone = [Candidate(wordings.alone(judged.need, say), judged.need.id) for judged in missing]
    others = _in_turn(
        [
            [
                Candidate(text, judged.need.id)
                for text in _of_need(judged.need, evidence, say, far=(judged.best_confidence or 0.0) < FAR)
            ]
            for judged in missing
        ]
    )
    found = _different(known, [*(alone if several else ()), *others], say)
    if not found:
        spare = [Candidate(wordings.alone(need, say), need.id) for need in supported]
        found = _different((question,), [*alone, *spare], say)
    fitting = [one for one in found if len(one.question) <= MAX_CHARS]
    return tuple((fitting + [one for one in found if len(one.question) > MAX_CHARS])[:POOL])


def _of_need(need: Need, evidence: Sequence[Hit], say: Phrases, *, far: bool) -> Iterator[str]:
    """Other questions for one need, the most promising first."""
    yield from (_of(name, say) for name in wordings.lost(need, evidence, say.language))
    if words := wordings.keywords(need, say.language):
        yield marked(words, say)
    names = [] if far else hints.names(need, evidence, say)[:2]
    headings = [] if far else hints.headings(need, evidence, say.language)[:3]
    yield from (ask(text, say) for text in wordings.shed(need, evidence, say.language))
    yield from (_hinted(need, f"`{name}`", say) for name in names[:1])
    yield from (about(heading, say, source) for heading, source in headings[:1])
    yield ask(wordings.own(need, say.language), say)
    yield from (_hinted(need, f"`{name}`", say) for name in names[1:])
    yield from (about(heading, say, source) for heading, source in headings[1:])


def _of(thing: str, say: Phrases) -> str:
    return say.on.replace("{x}", thing) if say.on else marked(thing, say)


def _hinted(need: Need, hint: str, say: Phrases) -> str:
    """The need with a name of the evidence in brackets: nothing is claimed of how they belong together."""
    left, right = ("（", "）") if say.language in ("zh", "ja") else (" (", ")")
    return marked(f"{markless(wordings.alone(need, say))}{left}{hint}{right}", say)


def _different(known: Sequence[str], found: Sequence[Candidate], say: Phrases) -> list[Candidate]:
    """Without what is known, repeats, and what differs from either in marks or case alone."""
    seen = {_folded(text) for one in known for text in (one, ask(one, say))}
    kept: list[Candidate] = []
    for one in found:
        key = _folded(one.question)
        if key and key not in seen:
            seen.add(key)
            kept.append(one)
    return kept


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", text.casefold()).split())


def _in_turn(lists: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    return [one for turn in zip_longest(*lists) for one in turn if one is not None]
