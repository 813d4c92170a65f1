"""Question -> needs: the things that it asks for, one by one, each in words that stand alone.

Rules only; no model. Splitting too much hurts the answer, splitting too little hides a part that the
evidence does not cover; in doubt a question stays whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from suffice.errors import UsageError
from suffice.gate import clauses
from suffice.gate.clauses import Clause
from suffice.gate.lists import expand
from suffice.gate.topics import Topics
from suffice.gate.words import EN, Words, words_of
from suffice.values import Need, Span

MAX_NEEDS = 6


def split(
    question: str,
    language: str,
    checklist: Sequence[str | Mapping[str, object]] | None = None,
) -> tuple[Need, ...]:
    """Needs N1.. of the question, 1 to MAX_NEEDS, none for an empty one; or those of the checklist.

    A checklist item is a string or an object with `question` (or `need`) and, if wanted, its own `id`.
    Raises UsageError for an item with no text or an id used twice.
    """
    if checklist is not None:
        return _from_checklist(checklist)
    words = words_of(language)
    if language in ("ja", "zh") and not words.asks.search(question) and EN.asks.search(question):
        words = EN
    mask = clauses.masked(question)
    if not question.strip():
        return ()
    asked, scene = _asked(mask, words)
    found = [clause for span in asked for clause in _clauses(question, mask, span, words)]
    if not 1 <= len(found) <= MAX_NEEDS:
        # Too many parts to be a list of needs: fall back on the coarser cut, and last on the whole.
        found = [Clause(span, question[slice(*span)], span) for span in asked]
        if not 1 <= len(found) <= MAX_NEEDS:
            whole = clauses.trim(question, (0, len(question)), drop=" \t\r\n")
            found = [Clause(whole, question[slice(*whole)], whole)]
    topics = Topics.of(question, [s for s in scene if s[0] < found[0].span[0]], found[0], words, language)
    return tuple(
        _need(index, clause, found[0], question.strip(), topics, words) for index, clause in enumerate(found)
    )


def _from_checklist(checklist: Sequence[str | Mapping[str, object]]) -> tuple[Need, ...]:
    needs: list[Need] = []
    for number, item in enumerate(checklist, start=1):
        text: object = item
        name: object = f"N{number}"
        if isinstance(item, Mapping):
            text = item.get("question") or item.get("need") or item.get("text")
            name = item.get("id") or name
        if not isinstance(text, str) or not text.strip():
            raise UsageError(f"item {number} of the checklist has no question: {item!r}; give it a text")
        if any(need.id == str(name) for need in needs):
            raise UsageError(f"the checklist uses the id {name!r} twice; ids must differ")
        needs.append(Need(id=str(name), text=text.strip()))
    if not needs:
        raise UsageError("the checklist is empty; leave it out to split the question by rule")
    return tuple(needs)


def _asked(mask: str, words: Words) -> tuple[list[Span], list[Span]]:
    """Spans of the sentences that ask, and of those that set the scene."""
    spans = clauses.sentences(mask)
    asked = [s for s in spans if clauses.is_question(mask[slice(*s)], words)]
    marked = [s for s in asked if re.search(r"[?？]", mask[slice(*s)])]
    if marked:  # beside real questions, a sentence without a mark asks only if it is a request
        asked = [s for s in asked if s in marked or words.requests.search(mask[slice(*s)])]
    asked = [s for s in asked if not clauses.is_tail(mask[slice(*s)], words)] or asked[:1]
    # "X を使うには？ A と B を教えて": the first names the topic of the second.
    asked = [
        s for i, s in enumerate(asked) if i + 1 == len(asked) or not re.search(r"には[？?]$", mask[slice(*s)])
    ]
    if not asked:
        return [(spans[0][0], spans[-1][1]) if spans else (0, len(mask))], []
    return asked, [s for s in spans if s not in asked and not clauses.is_tail(mask[slice(*s)], words)]


def _clauses(question: str, mask: str, span: Span, words: Words) -> list[Clause]:
    lead, span = _lead(mask, span, words)
    scene = question[slice(*lead)].strip() if lead else ""
    return [
        replace(clause, part=clause.part or part, lead=scene)
        for part in clauses.cut(mask, span, words)
        for clause in expand(question, mask, part, words)
    ]


def _lead(mask: str, span: Span, words: Words) -> tuple[Span | None, Span]:
    """ "D1 in production: how do I ..., and how ...?" -> the words before the colon, and the rest."""
    text = mask[slice(*span)]
    colon = re.search(r"[:：](?=\s|[^\x00-\x7f])", text)
    if colon is None or words.asks.search(text[: colon.start()].strip()):
        return None, span
    if not words.asks.search(text[colon.end() :].strip()):
        return None, span
    rest = clauses.trim(mask, (span[0] + colon.end(), span[1]))
    return clauses.trim(mask, (span[0], span[0] + colon.start())), rest


def _need(index: int, clause: Clause, first: Clause, whole: str, topics: Topics, words: Words) -> Need:
    text = clause.text.strip().strip(",，、;； ")
    context = clause.lead or topics.context(text, sister=clause.part == first.part)
    if context:
        text = f"{context}: {text}" if words.spaced else f"{context}：{text}"
    elif index and words.spaced:
        text = text[:1].upper() + text[1:]
    said = re.search(r"[?？.。!！]$", text) or (not words.spaced and words.requests.search(text))
    if not said and re.search(r"[?？]", whole):
        text += "?" if words.spaced else "？"
    return Need(id=f"N{index + 1}", text=text, span=clause.span, context=context)
