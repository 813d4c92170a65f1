"""Cuts a question into sentences and clauses; every cut is a span of the question, nothing is rewritten.

Identifiers, code spans and quoted strings are masked first (each character replaced by one that no
rule matches), so that no rule can cut them; offsets stay those of the question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from suffice.gate.words import Words
from suffice.values import Span

MASK = "\ue000"
_PROTECTED = re.compile(
    r"`[^`\n]*`"
    r"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|「[^」\n]*」|『[^』\n]*』|《[^》\n]*》|\"[^\"\n]*\"|‘[^’\n]*’"
    r"|(?<![\w'])'[^'\n]{2,60}'(?!\w)"
    r"|\([^()\n]*\)|（[^（）\n]*）|\[[^\[\]\n]*\]"
    r"|https?://[^\s，。？！、]+"
    r"|(?<!\w)--?[A-Za-z][\w-]*(?:=[\w./-]+)?"
    r"|[A-Za-z0-9_.@/$-]*[A-Za-z0-9_$](?:[.:/_@&]+[A-Za-z0-9_$-]+)+(?:\(\))?",
    re.ASCII,
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|etc|approx|no|dr|mr|mrs|ms|prof|st|fig|eq|sec|inc|ltd|cf|z\. ?b|d\. ?h|u\. ?a"
    r"|bzw|usw|ca|nr|p\. ?ex|c\.-à-d|env|art|p\. ?ej|sr|sra|ud|uds|núm|pág))$",
    re.IGNORECASE,
)
_ENDER = re.compile(r"[?？!！。．…]+[\"”’」』)）]*|\.(?=\s|$)|\n+|[;；](?=\s*\S)")


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of the question that asks one thing.

    `text` is the words as asked, with what it shares with its sisters put in; `span` is its place.
    """

    span: Span
    text: str
    part: Span | None = None  # the clause that it was expanded from, list and all
    lead: str = ""  # words of the same question that set the scene of all its parts


def masked(question: str) -> str:
    """The question with every protected run replaced by as many MASK characters."""
    return _PROTECTED.sub(lambda match: MASK * (match.end() - match.start()), question)


def trim(text: str, span: Span, drop: str = " \t\r\n,，、;；:：") -> Span:
    """The span without white space and separators at its ends."""
    start, end = span
    while start < end and text[start] in drop:
        start += 1
    while end > start and text[end - 1] in drop:
        end -= 1
    return start, end


def sentences(mask: str) -> list[Span]:
    """Sentence spans of a masked question, enders included; abbreviations and decimals are not cut."""
    spans: list[Span] = []
    start = 0
    for match in _ENDER.finditer(mask):
        if match.group() == "." and _ABBREVIATION.search(mask[start : match.start()]):
            continue
        span = trim(mask, (start, match.end()))
        if span[0] < span[1]:
            spans.append(span)
        start = match.end()
    last = trim(mask, (start, len(mask)))
    if last[0] < last[1]:
        spans.append(last)
    # An ender alone ("?" after a quoted name) belongs to the sentence before.
    joined: list[Span] = []
    for span in spans:
        if joined and not re.search(rf"[\w{MASK}]", mask[span[0] : span[1]]):
            joined[-1] = (joined[-1][0], span[1])
        else:
            joined.append(span)
    return joined


def is_question(mask: str, words: Words) -> bool:
    """Whether these words ask: a question mark, a question word in place, or a request."""
    text = mask.strip()
    return (
        bool(re.search(r"[?？¿]", text)) or bool(words.requests.search(text)) or bool(words.asks.search(text))
    )


def is_tail(mask: str, words: Words) -> bool:
    """Whether these words only confirm what was asked before ("right?", "对吗？")."""
    match = words.tails.search(mask)
    return match is not None and not re.search(rf"[\w{MASK}]", mask[: match.start()])


def cut(mask: str, span: Span, words: Words) -> list[Span]:
    """Clause spans of one sentence that asks, in order; one span where it asks one thing."""
    end = _without_tail(mask, span, words)
    parts = (_cut_spaced if words.spaced else _cut_unspaced)(mask, (span[0], end), words)
    parts[-1] = (parts[-1][0], span[1])
    return parts


def _without_tail(mask: str, span: Span, words: Words) -> int:
    match = words.tails.search(mask[span[0] : span[1]])
    return span[1] if match is None or match.start() == 0 else span[0] + match.start()


def _cut_spaced(mask: str, span: Span, words: Words) -> list[Span]:
    """Cut before a question head that follows "and" (with or without a comma) or, if safe, a comma alone."""
    text = mask[span[0] : span[1]]
    join = re.compile(rf"(?:[,;–—]\s*|\s+)(?:{words.conjunction})[,]?\s+|[,;–—]\s+", re.IGNORECASE)
    cuts: list[tuple[int, int]] = []
    opening = words.indirect.match(text)
    told = opening.end() if opening else 0
    left = 0
    position = 0
    while (match := join.search(text, position)) is not None:
        position = max(match.start() + 1, match.end() - 1)
        bare = re.search(r"\w", match.group()) is None
        rest = text[match.end() :]
        # After "I would like to know" a comma alone joins what is asked, "whether" and "ob" as well.
        head = (words.bare_head if bare and not told else words.head).match(rest)
        asked = text[max(left, told) : match.start()].strip(" ,:")
        if head is None or not (words.asks.search(asked) or (told and words.head.match(asked))):
            continue
        if words.pairs_at_end.search(text[left : match.start()]):
            continue  # "how and why ...": coordinated question words, expanded by the lists
        if not bare and _is_adverbial(text[left : match.start()], rest, words):
            continue
        if _inside_between(text[left : match.start()], words):
            continue
        cuts.append((match.start(), match.end()))
        left = match.end()
        position = match.end()
    return [(span[0] + a, span[0] + b) for a, b in _pieces(len(text), cuts)]


def _is_adverbial(left: str, rest: str, words: Words) -> bool:
    """ "What happens when it rains and when it snows": the second "when" repeats one within the clause."""
    head = words.adverbial.match(rest)
    if head is None or words.bare_head.match(rest):
        return False
    return re.search(rf"\w\W+{re.escape(head.group())}\b", left, re.IGNORECASE) is not None


def _inside_between(left: str, words: Words) -> bool:
    """ "The difference between how X works and how Y works": the first "and" after "between" compares."""
    between = re.search(r"\b(?:between|zwischen|entre)\b(.*)$", left, re.IGNORECASE | re.DOTALL)
    return between is not None and not re.search(rf"\b(?:{words.conjunction})\b", between.group(1))


def _pieces(length: int, cuts: list[tuple[int, int]]) -> list[Span]:
    starts = [0, *(after for _, after in cuts)]
    ends = [*(before for before, _ in cuts), length]
    return list(zip(starts, ends, strict=True))


def _cut_unspaced(mask: str, span: Span, words: Words) -> list[Span]:
    """Cut at commas (and inline connectors) between parts that each ask.

    A part that does not ask sets the scene of the next one, or completes the one before.
    """
    text = mask[span[0] : span[1]]
    join = re.compile(
        rf"[，,；;]\s*|、(?=[^、，？?]*?(?:{words.head.pattern}))|(?:{words.conjunction})(?={words.head.pattern})"
        r"|(?<=か)、|(?<=で)、"
    )
    cuts = [(m.start(), m.end()) for m in join.finditer(text)]
    parts = [list(piece) for piece in _pieces(len(text), cuts)]
    merged: list[list[int]] = []
    asking: list[bool] = []
    for part in parts:
        asks = _asks(text[part[0] : part[1]], words)
        if merged and not asking[-1]:
            merged[-1][1] = part[1]  # the scene, then the question
            asking[-1] = asks
        elif merged and not asks:
            merged[-1][1] = part[1]  # the question, then an afterthought
        else:
            merged.append(part)
            asking.append(asks)
    return [(span[0] + a, span[0] + b) for a, b in merged]


def _asks(part: str, words: Words) -> bool:
    # A question word alone asks nothing yet: "在哪里、怎么查看" is a pair, cut by the lists.
    bare = re.sub(rf"^(?:{words.pair_word})$", "", part.strip())
    return bool(words.asks.search(bare))
