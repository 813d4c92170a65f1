"""What a clause borrows from the question's start so that its words stand alone.

Names (identifiers, product and place names) or the noun phrase that the first clause is about, always a run
of the question as it was typed: keywords in a row are not words that anybody would ask with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from suffice.gate.clauses import Clause
from suffice.gate.leans import leans, turns
from suffice.gate.words import Words
from suffice.text import identifiers
from suffice.values import Span

_MAX_NAMES = 3
_MAX_SCENE = 120  # characters; a longer scene says more than the topic
_MAX_PHRASE = 60
# Written like names, but kinds of thing: they tie a later clause to nothing.
_KINDS = re.compile(
    r"wifi|wi-fi|wlan|usb|pdf|atm|vip|app|apps|sim|gps|tv|dvd|cd|led|pc|sms|mms|email|e-mail|mail|qr"
    r"|id|faq|url|ok|monday|tuesday|wednesday|thursday|friday|saturday|sunday|mondays|tuesdays"
    r"|wednesdays|thursdays|fridays|saturdays|sundays|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|lunes|martes|lundi|mardi|english|deutsch",
    re.IGNORECASE,
)
_DEFINITE = {
    "en": r"\b(?:the|some)\s+\w",
    "de": r"\b(?:der|die|das|den|dem|des)\s+(?:\w+\s+)?[A-ZÄÖÜ]",
    "fr": r"\b(?:le|la|les|du|des)\s+\w|\bl['’]\w",
    "es": r"\b(?:el|la|los|las|del|al)\s+\w",
}
_AUX = r"(?:is|are|was|were|do|does|did|can|could|should|would|will|must|may|has|have)"
_PHRASES = {  # the noun phrase of a question, best first
    "en": (
        rf"\b{_AUX}\s+(?:i|we|you|one|they)\s+(?:\w+ly\s+)?\w+(?:\s+(?:up|out|off|down"
        rf"|in))?\s+(?P<np>(?!(?:to|in|on|at|for"
        r"|from|by|with|about|if|when|that|it|me|and|how|what|where)\b)[^,;:?]+)",
        rf"\b(?:how|what)\s+(?:many|much|kind of"
        rf"|type of)?\s*(?P<np>(?!{_AUX}\b)\w[^,;:?]*?)\s+{_AUX}\s+(?:i|we|you)\b",
        r"\b(?:how to)\s+\w+\s+(?P<np>[^,;:?]+)",
        r"\b(?:what|where|who|when|how|which|why)\s+(?:is|are|was|were)\s+(?P<np>(?!i\b|it\b"
        r"|there\b)[^,;:?]+)",
        r"\b(?:is|are) there\s+(?P<np>[^,;:?]+)",
        r"\b(?:do|does|did|can|could|should|would|will|must|may|is|are)\s+(?P<verbal>(?:the|an?|my"
        r"|our|your)\s+[^,;:?]+)",
        r"\bwho\s+\w+\s+(?P<np>[^,;:?]+)",
    ),
    "de": (r"(?<=[\w,] )(?P<np>(?!Sie\b|Ihn|Ihr)[A-ZÄÖÜ][\w-]+(?:\s+[A-ZÄÖÜ][\w-]+)*)",),
    "fr": (
        r"(?:\b(?:le|la|les|une?|mon|ma|mes|des|du|ce|cette)\s+|\bl['’])(?P<np>\w[\w-]*(?:\s+(?:de"
        r"|du|des|à|en|au|pour)"
        r"\s+(?:la\s+)?\w[\w-]*|\s+d['’]\w+)?)",
    ),
    "es": (
        r"\b(?:el|la|los|las|un|una|unos|unas|mi|mis)\s+(?P<np>\w[\w-]*(?:\s+(?:de|del"
        r"|para)\s+(?:la\s+|el\s+)?\w[\w-]*)?)",
    ),
}
_VERB_AFTER = re.compile(
    r"\s+(?:cost|take|last|work|open|close|start|stop|apply|expire|keep|run|happen|need|mean|go"
    r"|cover|include|charge"
    r"|offer|have|allow|come|leave|sell|serve|use|heated|allowed|included|kept|stored|cleaned|made)\b.*$",
    re.IGNORECASE,
)
_NP_END = re.compile(
    r"\s+(?:in|on|at|to|from|by|with|if|when|after|before|without|because|so|while|until|and (?:how"
    r"|what|when|where))\b.*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Topics:
    """What the question is about: names, its scene as typed, and the noun phrase of its first clause."""

    names: tuple[str, ...]
    scene: str
    first: str
    words: Words
    language: str
    listed: bool  # the first clause asked of several things: all of them are the topic
    whole: str

    @classmethod
    def of(cls, question: str, scene: Sequence[Span], first: Clause, words: Words, language: str) -> Topics:
        """Read the topic from the scene before the first clause, and from that clause, list and all."""
        start = [question[slice(*span)] for span in scene]
        opening = question[slice(*(first.part or first.span))]
        found: list[str] = []
        for text in (*start, first.lead, opening):
            found += [name for name in named(text, language) if name not in found]
        said = closed(start[-1].strip(" \t\r\n.。!！…?？")) if start else ""
        listed = first.part is not None and first.span != first.part and first.text.strip() != opening.strip()
        own = question[slice(*first.span)].strip()
        alone = own if first.text.strip("?？ ") == own.strip("?？ ") else ""  # no list: its own words
        return cls(
            names=tuple(found[:_MAX_NAMES]),
            scene=said if len(said) <= _MAX_SCENE else "",
            first=phrase(alone or opening, words, language),
            words=words,
            language=language,
            listed=listed,
            whole=question,
        )

    def context(self, text: str, *, sister: bool) -> str:
        """What `text` needs before it; nothing if it stands alone. `sister`: it is of the first clause."""
        folded = text.casefold()
        needy = leans(text, self.language, self.whole)
        if sister:
            if self.scene.endswith("には"):  # "X を使うには？": the topic of all that is asked after it
                return self.scene.removesuffix("には")
            return self.scene if needy else ""
        if any(name.casefold() in folded for name in self.names):
            return ""
        names = (", " if self.words.spaced else "、").join(self.names)
        if not names:
            return (self.first or self.scene) if needy else ""
        if not self.words.spaced:
            if turns(text) and not needy:
                return ""
            return self.first if self.listed and self.first else names
        if needy and self.first:
            held = any(name.casefold() in self.first.casefold() for name in self.names)
            return self.first if held else f"{names}, {self.first}"
        definite = re.search(_DEFINITE.get(self.language, r"(?!)"), text, re.IGNORECASE)
        own = named(text, self.language)
        return names if needy or (definite and not own and not turns(text)) else ""


def closed(text: str) -> str:
    """The text without a bracket or quotation mark that has lost its partner."""
    for left, right in ("()", "（）", "[]", "「」", "『』", "“”", "«»", "《》"):
        if text.count(left) > text.count(right):
            text = text[: text.rindex(left)]
        elif text.count(right) > text.count(left):
            text = text[text.index(right) + 1 :]
    for mark in '`"':
        if text.count(mark) % 2:
            text = text.replace(mark, "")
    return text.strip(" \t\r\n,，、;；:：")


def named(text: str, language: str) -> list[str]:
    """Identifiers and names in order: code-like tokens, capitalised words inside a sentence, Latin in CJK."""
    unspaced = language in ("zh", "ja")
    # "check-in" and "est-elle" are words: an identifier of lower-case words and hyphens alone is no name.
    found: list[tuple[int, str]] = [
        (item.span[0], item.text)
        for item in identifiers(text)
        if not re.fullmatch(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*", item.text)
        or re.search(r"\w[A-Z]|^[A-Z]{2}", item.text)
    ]
    if language != "de":  # German writes every noun with a capital
        first_word = re.match(r"\W*[\w'’]+", text)
        after = 0 if unspaced or first_word is None else first_word.end()
        word = r"[A-Za-z][A-Za-z0-9.+#/_-]*[A-Za-z0-9+#]" if unspaced else r"\b[A-Z][\w+#/-]*\w"
        pattern = rf"{word}(?: {word})*"  # "Golden Gate Park" is one name
        found += [
            (match.start(), match.group()) for match in re.finditer(pattern, text) if match.start() >= after
        ]
    names: list[str] = []
    for _, name in sorted(found):
        name = name.strip("`\"'“”「」 ")
        if not name or not re.search(r"[^\W\d_]", name) or _KINDS.fullmatch(name):
            continue
        if not any(name.casefold() in known.casefold() for known in names):
            names = [known for known in names if known.casefold() not in name.casefold()] + [name]
    return names


def phrase(text: str, words: Words, language: str) -> str:
    """The noun phrase that a question is about, as typed; empty where no rule is sure of one."""
    text = text.strip(" \t\r\n¿?？。.!！")
    if not words.spaced:
        return _phrase_unspaced(text, words, language)
    for pattern in _PHRASES.get(language, ()):
        match = re.search(pattern, text, 0 if language == "de" else re.IGNORECASE)
        if match is None:
            continue
        found = match.groupdict()
        if (verbal := found.get("verbal")) is not None:
            shorter = _VERB_AFTER.sub("", verbal)
            if shorter == verbal:  # no verb that is known: the article and the one word after it
                shorter = " ".join(verbal.split()[:2])
            run = shorter
        else:
            run = found["np"]
        run = _NP_END.sub("", run) if language == "en" else run
        run = closed(re.sub(r"^(?:the|an?)\s+", "", run.strip(), flags=re.IGNORECASE))
        if run and len(run) <= _MAX_PHRASE:
            return run[:1].upper() + run[1:]
    return ""


def _phrase_unspaced(text: str, words: Words, language: str) -> str:
    text = re.sub(r"^(?:请问|請問|我想知道|想知道|想问一下|麻烦)", "", text)
    if language == "ja":
        text = re.sub(rf"^(?:{words.asks.pattern})\w{{0,2}}?(?=[\u4e00-\u9fff])", "", text)
        match = re.match(r"[^、，。]{1,40}?(?=は|が|を|には)", text)
        return closed(match.group().strip()) if match else ""
    asks = words.asks.search(text)
    before = text[: asks.start()] if asks else text
    after = text[asks.end() :] if asks else ""
    if re.search(r"(?:之后|以后|之前|以前|时)$", before.strip()):
        before = ""  # a time, not a thing
    for run in (before, after):
        run = re.sub(words.each.pattern, "", re.split(r"[，,；;：:]", run)[0])
        run = re.sub(
            r"(?:应该|应当|可以|需要|必须|每[天日月年次周]|一[天日月年次]|最多|至少|大概|能|要|会|的|是|在|有|该|得)+$",
            "",
            run.strip(),
        )
        if len(run) >= 2:
            return closed(run)
    return ""
