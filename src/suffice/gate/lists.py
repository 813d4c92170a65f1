"""Expands one clause that asks the same of several things into one clause a thing.

A plain "X and Y" stays one need: people mean the pair. It is expanded only where the question says
that the items are asked about one by one: a distributive word ("each", "分别", "jeweils"), a list after a
colon, coordinated question words ("how and why"), the same preposition twice ("in A and in B"), or a
second verb phrase under one "how do I".
"""

from __future__ import annotations

import re
from re import Match

from suffice.gate.clauses import MASK, Clause, trim
from suffice.gate.words import Words
from suffice.values import Span

_MAX_ITEM_WORDS = 9
_MAX_ITEM_CHARS = 26
_MEANING = re.compile(
    r"\b(?:errors?|messages?|warnings?|says?|means?|meaning|fehler\w*|meldung|bedeutet|erreur"
    r"|signifie|mensaje|significa)\b"
    r"|报错|错误|意思|提示|エラー|意味",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\b(?:or|oder|ou|o|u)\b|还是|或者?|それとも|または", re.IGNORECASE)


def expand(question: str, mask: str, span: Span, words: Words) -> list[Clause]:
    """The clauses that the words at `span` stand for; one clause, unchanged, where nothing is listed."""
    for rule in (_pair, _colon, _each, _request, _told, _twice, _second_verb):
        found = rule(question, mask, span, words)
        if found:
            return found
    start, end = trim(question, span)
    return [Clause((start, end), question[start:end])]


def _clause(question: str, span: Span, *parts: str, gap: str) -> Clause:
    """A clause of the parts that say something, joined; its place is that of the item."""
    text = gap.join(part.strip() for part in parts if part.strip())
    text = re.sub(r"(?<=\w) (?=[?.!,]*$)", "", text)
    text = re.sub(r"(?<=¿) ", "", text)
    return Clause(trim(question, span), text)


def _pair(question: str, mask: str, span: Span, words: Words) -> list[Clause]:
    """ "How and why does it fail?" -> how ..., why ...: question words side by side, before one predicate."""
    text = mask[span[0] : span[1]]
    word = words.pair_word
    if words.spaced:
        several = rf"(?:{word})(?:,\s*(?:{word}))*,?\s+(?:{words.conjunction})\s+(?:{word})"
        pattern = rf"\b(?P<words>{several})\b(?=\s+[\w{MASK}])"
    else:
        pattern = rf"(?P<words>(?:{word})(?:(?:、|，|{words.conjunction})\s*(?:{word}))+)(?=\s*[\w{MASK}])"
    match = re.search(pattern, text, re.IGNORECASE)
    if match is None:
        return []
    gap = " " if words.spaced else ""
    before, after = question[span[0] : span[0] + match.start()], question[span[0] + match.end() : span[1]]
    return [
        _clause(
            question,
            (span[0] + match.start() + found.start(), span[0] + match.start() + found.end()),
            before,
            found.group(),
            after,
            gap=gap,
        )
        for found in re.finditer(
            rf"(?:{word})(?=$|[\s,、，]|{words.conjunction})", match.group("words"), re.IGNORECASE
        )
    ]


def _colon(question: str, mask: str, span: Span, words: Words) -> list[Clause]:
    """ "What does it cost: base fee, requests and rows?" -> one clause an item, the lead before each."""
    text = mask[span[0] : span[1]]
    match = re.search(r"[:：](?=\s|[^\x00-\x7f])", text)
    if match is None:
        return []
    lead = text[: match.start()]
    tail = (match.end(), len(text.rstrip("?？。.! ！")))
    if not words.asks.search(lead) or _MEANING.search(lead) or _EITHER.search(text[tail[0] :]):
        return []
    items = split_items(text, tail, words)
    limit = _MAX_ITEM_WORDS if words.spaced else _MAX_ITEM_CHARS
    if len(items) < 2 or any(_size(text[a:b], words) > limit for a, b in items):
        return []
    mark = match.group() + (" " if words.spaced else "")
    end = question[span[0] + tail[1] : span[1]].strip()
    return [
        Clause(
            (span[0] + a, span[0] + b),
            question[span[0] : span[0] + match.start()].strip()
            + mark
            + question[span[0] + a : span[0] + b]
            + end,
        )
        for a, b in items
    ]


def split_items(text: str, span: Span, words: Words, *, commas_first: bool = False) -> list[Span]:
    """Spans of the items of a list "A, B and C" that fills `span` of the masked text."""
    if words.spaced:
        joint = rf",?\s+(?:{words.conjunction}|&)\s+|,\s+|\s+&\s+"
    else:
        joint = rf"、|，|,\s*|\s*(?:{words.conjunction}|跟)\s*(?![能同平解气谐])"
    found: list[Span] = []
    start = span[0]
    commas = list(re.compile("、").finditer(text, *span)) if commas_first else []
    if commas:  # "X 和 Y 的 A、B 和 C": beside enumeration commas only the last "and" joins items
        for match in commas:
            found.append(trim(text, (start, match.start())))
            start = match.end()
    for match in re.compile(joint, re.IGNORECASE).finditer(text, start, span[1]):
        found.append(trim(text, (start, match.start())))
        start = match.end()
    found.append(trim(text, (start, span[1])))
    return [item for item in found if item[0] < item[1]]


def _size(item: str, words: Words) -> int:
    return len(item.split()) if words.spaced else len(item)


def _each(question: str, mask: str, span: Span, words: Words) -> list[Clause]:
    """A list with a distributive word: the predicate is asked of every item."""
    text = mask[span[0] : span[1]]
    if words.compares.search(text):
        return []
    for marker in words.each.finditer(text):
        found = (_each_spaced if words.spaced else _each_unspaced)(question, text, span, marker, words)
        if len(found) >= 2:
            return found
    return []


def _each_spaced(question: str, text: str, span: Span, marker: Match[str], words: Words) -> list[Clause]:
    before = text[: marker.start()].rstrip(" ,")
    after = text[marker.end() :]
    tail_end = len(text.rstrip("?？.! "))
    joint = rf"\s+(?:{words.conjunction}|&)\s+"
    if re.search(joint, before, re.IGNORECASE):
        start = _list_start(before, words)
        region = (start, _list_end(text, start, len(before), words))
        suffix = (marker.end(), len(text))
        link = (region[1], len(before))
    elif re.search(joint, after, re.IGNORECASE):
        of = re.match(r"\s*(?:of|de|von|von den|for)?\s*", after)
        start = marker.end() + (of.end() if of else 0)
        region = (start, _list_end(text, start, tail_end, words))
        suffix = (region[1], len(text))
        link = (0, 0)
    else:
        return []
    items = split_items(text, region, words)
    if len(items) < 2 or any(_size(text[a:b], words) > _MAX_ITEM_WORDS for a, b in items):
        return []
    base = span[0]
    head = question[base : base + region[0]]
    head = re.sub(rf"{words.each.pattern}\s*(?:of|de|von)?\s*$", "", head, flags=re.IGNORECASE)
    between, after = (question[base + a : base + b].strip() for a, b in (link, suffix))
    tail = f"{between} {after}"
    return [
        _clause(question, (base + a, base + b), head, question[base + a : base + b], tail, gap=" ")
        for a, b in items
    ]


def _list_start(before: str, words: Words) -> int:
    """Where the list that ends `before` starts: after the last word that cannot be part of its first item."""
    first = re.search(rf",\s|\s+(?:{words.conjunction}|&)\s+", before, re.IGNORECASE)
    asks = words.asks.search(before)
    if asks is not None:  # commas of the scene ("In Docker, how ...") are not those of the list
        first = (
            re.compile(rf",\s|\s+(?:{words.conjunction}|&)\s+", re.IGNORECASE).search(before, asks.start())
            or first
        )
    end = first.start() if first else len(before)
    tokens = list(re.finditer(rf"[\w'’{MASK}-]+", before[:end]))
    start = 0
    for index, token in enumerate(tokens):
        if words.subject.fullmatch(token.group()) and index + 1 < len(tokens) - 1:
            start = index + (2 if words.elided.pattern != "(?!)" else 1)
        elif words.boundary.fullmatch(token.group()):
            start = index + 1
    article = re.compile(r"(?:the|an?|der|die|das|ein\w*|les?|la|une?|el|los|las|un[oa]s?)", re.IGNORECASE)
    if (
        start == 1
        and len(tokens) > 2
        and not (article.fullmatch(tokens[1].group()) or words.elided.search(before))
    ):
        start = 2  # "Cuánto miden A y B": the verb right after the question word
    if start >= len(tokens):
        start = len(tokens) - 1
    return tokens[start].start() if tokens else 0


def _list_end(text: str, start: int, limit: int, words: Words) -> int:
    """Where a list after the marker ends: before a preposition that follows its last conjunction."""
    last = None
    for match in re.compile(rf"\s+(?:{words.conjunction}|&)\s+", re.IGNORECASE).finditer(text, start, limit):
        last = match
    if last is None:
        return limit
    for token in re.compile(r"\s+([\w-]+)").finditer(text, last.end(), limit):
        if words.boundary.fullmatch(token.group(1)):
            return token.start()
    return limit


def _each_unspaced(question: str, text: str, span: Span, marker: Match[str], words: Words) -> list[Clause]:
    base = span[0]
    possessive = "的" if words.each.search("分别") else "の"
    before = text[: marker.start()]
    region_end = len(re.sub(r"(?:[\s，、]|应该|应当|需要|可以|要|该|应|是|は|が|を|の|に)+$", "", before))
    region_start = 0
    for cut in re.compile(rf"[，,：:。？?]|{words.boundary.pattern}").finditer(before, 0, region_end):
        region_start = cut.end()
    items = split_items(text, (region_start, region_end), words, commas_first=True)
    if len(items) < 2:
        return _each_after(question, text, span, marker, words)
    if any(_size(text[a:b], words) > _MAX_ITEM_CHARS for a, b in items):
        return []
    head, tail = question[base : base + items[0][0]], question[base + marker.end() : base + span[1] - base]
    link = question[base + region_end : base + marker.start()]
    link = "" if possessive == "的" else link
    first, last = text[slice(*items[0])], text[slice(*items[-1])]
    inner = [possessive in text[a:b] for a, b in items]
    if inner[0] and not any(inner[1:]):  # "A 的 x、y": the owner is shared
        shift = first.rindex(possessive) + 1
        head += question[base + items[0][0] : base + items[0][0] + shift]
        items[0] = trim(text, (items[0][0] + shift, items[0][1]))
    elif inner[-1] and not any(inner[:-1]):  # "A 和 B 的 x": the attribute is shared
        shift = last.index(possessive)
        link = question[base + items[-1][0] + shift : base + items[-1][1]] + link
        items[-1] = (items[-1][0], items[-1][0] + shift)
    asked = (link + tail).lstrip()
    return [
        Clause((base + a, base + b), head + question[base + a : base + b] + asked) for a, b in items if a < b
    ]


def _each_after(question: str, text: str, span: Span, marker: Match[str], words: Words) -> list[Clause]:
    """ "怎么分别设置 A、B 和 C": the list is the object; the two characters after the marker are the verb."""
    base = span[0]
    end = len(text.rstrip("?？。 "))
    verb = re.compile(r"\s*[\u4e00-\u9fff]{2}\s*").match(text, marker.end())
    if verb is None:
        return []
    items = split_items(text, (verb.end(), end), words, commas_first=True)
    if len(items) < 2 or any(_size(text[a:b], words) > _MAX_ITEM_CHARS for a, b in items):
        return []
    head = question[base : base + marker.start()] + question[base + marker.end() : base + verb.end()]
    return [
        Clause((base + a, base + b), head + question[base + a : base + b] + question[base + end : span[1]])
        for a, b in items
    ]


def _request(question: str, mask: str, span: Span, words: Words) -> list[Clause]:
    """ "A、B、C を教えて": three things or more, asked for by one request."""
    text = mask[span[0] : span[1]]
    request = words.listing.search(text)
    if request is None or words.compares.search(text):
        return []
    items = split_items(text, (0, request.start()), words)
    if len(items) < 3 or any(_size(text[a:b], words) > _MAX_ITEM_CHARS for a, b in items):
        return []
    base = span[0]
    asked = question[base + request.start() : span[1]]
    return [Clause((base + a, base + b), question[base + a : base + b] + asked) for a, b in items]


def _told(question: str, mask: str, span: Span, words: Words) -> list[Clause]:
    """ "请介绍 A 以及 B": two things asked for by the request before them; "A 和 B" may be a pair."""
    text = mask[span[0] : span[1]]
    request = words.telling.match(text)
    if request is None or words.compares.search(text) or words.asks.search(text[request.end() :]):
        return []
    end = len(text.rstrip("?？。.! ！"))
    items = [
        trim(text, (request.end() + a.start(), request.end() + a.end()))
        for a in re.finditer(r".+?(?=[，,、]?(?:以及|还有)|$)", text[request.end() : end])
    ]
    joint = re.compile(r"^[，,、]?(?:以及|还有)")
    items = [(a + (m.end() if (m := joint.match(text[a:b])) else 0), b) for a, b in items]
    items = [item for item in items if item[0] < item[1]]
    if len(items) < 2 or any(_size(text[a:b], words) > _MAX_ITEM_CHARS for a, b in items):
        return []
    base = span[0]
    asked = question[base : base + request.end()]
    return [Clause((base + a, base + b), asked + question[base + a : base + b]) for a, b in items]


def _twice(question: str, mask: str, span: Span, words: Words) -> list[Clause]:
    """ "... from a Worker and from a page": the preposition said twice asks twice."""
    text = mask[span[0] : span[1]]
    if not words.location or words.compares.search(text):
        return []
    match = re.search(
        rf"\b(?P<one>{words.location})\s+(?P<a>[^,;:?]{{1,60}}?),?\s+(?:{words.conjunction})\s+(?P<two>{words.location})\s+"
        rf"(?P<b>[^,;:?]+?)(?=[,;:?.!]|$)",
        text,
        re.IGNORECASE,
    )
    if match is None or _size(match["a"], words) > 4 or _size(match["b"], words) > 5:
        return []
    places = {"in", "on", "at", "auf", "im", "am", "dans", "sur", "en"}
    one, two = match["one"].lower(), match["two"].lower()
    if one != two and not {one, two} <= places:
        return []
    base = span[0]
    a, b = (
        (base + match.start("one"), base + match.end("a")),
        (base + match.start("two"), base + match.end("b")),
    )
    head, tail = question[base : a[0]], question[base + match.end() : span[1]]
    return [Clause(place, f"{head.strip()} {question[slice(*place)]}{tail}") for place in (a, b)]


def _second_verb(question: str, mask: str, span: Span, words: Words) -> list[Clause]:
    """ "How do I bind it, and read it in code?" -> the second verb phrase under the same "how do I"."""
    text = mask[span[0] : span[1]]
    opening = words.elided.search(text)
    if opening is None:
        return []
    if words.spaced:
        pattern = (
            r",\s+(?:and|then|and then)\s+(?!the|an?\b|my|its)"
            r"(?=[a-z]+\s+(?:it|them|the|an?|my|its|their|this|that|those)\b)"
        )
    else:
        # 并 is also half of words (合并, 并发, 并行 ...): those never cut.
        pattern = (
            r"[，,]\s*(?:并且?|以及|还有|同时|再|然后)\s*(?=\S{2})|(?<![合一兼吞火])并(?:且)?"
            r"(?![不非行列入购联存排未没肩且发]|发(?![布送起出给到]))(?=\S{2})|(?<![合一兼])并(?=发[布送起出给到])"
        )
    match = re.compile(pattern).search(text, opening.end())
    if match is None or match.start() - opening.end() < 2:
        return []
    base = span[0]
    first, second = (
        trim(question, (base, base + match.start())),
        trim(question, (base + match.end(), span[1])),
    )
    end = re.search(r"[?？]$", question[slice(*second)])
    head = question[base : base + opening.end()] if words.spaced else opening.group()
    gap = " " if words.spaced else ""
    return [
        Clause(first, question[slice(*first)] + (end.group() if end else "")),
        Clause(second, head.strip() + gap + question[slice(*second)], second),
    ]
