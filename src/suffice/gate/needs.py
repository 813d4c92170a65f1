"""Question -> needs: the things that it asks for, one by one, each in words that stand alone.

Rules only; no model. Splitting too much hurts the answer, splitting too little hides a part that the
evidence does not cover; in doubt a question stays whole.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from suffice.errors import UsageError
from suffice.gate import clauses
from suffice.gate.clauses import Clause
from suffice.gate.gaps import filled
from suffice.gate.leans import bare
from suffice.gate.lists import expand
from suffice.gate.topics import Topics
from suffice.gate.words import EN, Words, words_of
from suffice.values import Need, Span

MAX_NEEDS = 6
_HERALD = re.compile(
    r"\b(?:questions?|fragen?|preguntas?|things|points)\b|问题|請教|请教|質問|お聞き", re.IGNORECASE
)  # words before a colon that only announce questions
_PROBES = (
    ("en", "We moved to the new office. How do I book a room, a desk and a locker, and who pays for them?"),
    ("en", "I would like to know when the gate opens, whether dogs may enter and what a ticket costs."),
    ("zh", "会议室怎么预订？取消和改期有什么区别，分别要付多少钱？"),
    ("ja", "会議室を予約するには？料金と取り消しの方法を教えてください。"),
    ("de", "Wie buche ich einen Raum, was kostet er und wer darf ihn absagen?"),
    ("fr", "Comment réserver une salle, et combien coûte-t-elle ?"),
    ("es", "¿Cómo reservo una sala y cuánto cuesta? ¿Quién puede cancelarla?"),
)


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
    found = _once([clause for span in asked for clause in _clauses(question, mask, span, words)])
    if not 1 <= len(found) <= MAX_NEEDS:
        # Too many parts to be a list of needs: fall back on the coarser cut, and last on the whole.
        found = _once([Clause(span, question[slice(*span)], span) for span in asked])
        if not 1 <= len(found) <= MAX_NEEDS:
            whole = clauses.trim(question, (0, len(question)), drop=" \t\r\n")
            found = [Clause(whole, question[slice(*whole)], whole)]
    topics = Topics.of(question, [s for s in scene if s[0] < found[0].span[0]], found[0], words, language)
    return tuple(
        _need(index, clause, found[0], question.strip(), topics, words) for index, clause in enumerate(found)
    )


@cache
def fingerprint() -> str:
    """8 hex digits over what the rules make of a few questions: it changes when their needs do.

    Of what the rules do, not a number that somebody must remember to raise.
    """
    made = [(need.text, need.context) for language, text in _PROBES for need in split(text, language)]
    return hashlib.sha256(repr(made).encode()).hexdigest()[:8]


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
    marked = _marked(mask, asked)
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


def _marked(mask: str, asked: Sequence[Span]) -> list[Span]:
    """Those with a question mark of their own, and those that a semicolon puts under the next one's."""
    marked: list[Span] = []
    for span in reversed(asked):
        shared = marked and re.fullmatch(r"\s*[;；]\s*", mask[span[1] : marked[0][0]])
        if shared or re.search(r"[?？]", mask[slice(*span)]):
            marked.insert(0, span)
    return marked


def _once(found: list[Clause]) -> list[Clause]:
    """The clauses without those said before, letter case, spaces and punctuation apart."""
    kept: dict[str, Clause] = {}
    for clause in found:
        folded = unicodedata.normalize("NFKC", bare(clause.text)).casefold()
        folded = re.sub(r"[\s?.!,;:¿¡。、…\"'“”„«»]", "", folded)
        kept.setdefault(folded, clause)
    return list(kept.values())


def _clauses(question: str, mask: str, span: Span, words: Words) -> list[Clause]:
    lead, span = _lead(mask, span, words)
    scene = question[slice(*lead)].strip() if lead else ""
    opening = words.indirect.match(mask[slice(*span)])
    told = question[span[0] : span[0] + opening.end()] if opening else ""
    found: list[Clause] = []
    for part in clauses.cut(mask, span, words):
        for clause in expand(question, mask, part, words):
            # "I would like to know when A, whether B": the opening asks every part of it.
            text = told + clause.text if told and part[0] > span[0] else clause.text
            found.append(replace(clause, text=text, part=clause.part or part, lead=scene))
    return found


def _lead(mask: str, span: Span, words: Words) -> tuple[Span | None, Span]:
    """ "D1 in production: how do I ..., and how ...?" -> the words before the colon, and the rest."""
    text = mask[slice(*span)]
    colon = re.search(r"[:：](?=\s|[^\x00-\x7f])", text)
    if colon is None or words.asks.search(text[: colon.start()].strip()):
        return None, span
    if not words.asks.search(text[colon.end() :].strip()):
        return None, span
    rest = clauses.trim(mask, (span[0] + colon.end(), span[1]))
    if _HERALD.search(text[: colon.start()]):
        return None, rest  # "Two questions:" tells of no topic
    return clauses.trim(mask, (span[0], span[0] + colon.start())), rest


def _need(index: int, clause: Clause, first: Clause, whole: str, topics: Topics, words: Words) -> Need:
    text = clause.text.strip().strip(",，、;； ")
    sister = clause.part == first.part
    context = clause.lead
    if not context:
        whole_form = "" if sister else filled(text, first.text, topics.language)
        context = "" if whole_form else topics.context(text, sister=sister)
        text = whole_form or (bare(text) if index else text)
    if context:
        own = _lowered(text, words)
        colon = "：" if not words.spaced else " : " if topics.language == "fr" else ": "
        own = f"¿{own}" if topics.language == "es" and own.endswith("?") and "¿" not in own else own
        text = f"{context}{colon}{own}"
    elif index and words.spaced:
        start = 1 if text[:1] == "¿" else 0
        text = text[:start] + text[start : start + 1].upper() + text[start + 1 :]
    said = re.search(r"[?？.。!！]$", text) or (not words.spaced and words.requests.search(text))
    if not said and re.search(r"[?？]", whole):
        text += "？" if not words.spaced else " ?" if topics.language == "fr" and " ?" in whole else "?"
    if topics.language == "es" and text.endswith("?") and "¿" not in text:
        text = f"¿{text}"
    return Need(id=f"N{index + 1}", text=text, span=clause.span, context=context)


def _lowered(text: str, words: Words) -> str:
    """The clause as it reads after a colon: its question word in lower case."""
    return text[:1].lower() + text[1:] if words.spaced and words.head.match(text) else text
