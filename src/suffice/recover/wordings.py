"""Other wordings of a need, made of its own words alone: fewer of them, or only those that carry meaning.

A ranking that goes wrong is often drawn away by some of the words: the scene, the name that all the evidence
bears already, the verb. Each wording here leaves some of them out; none adds one beside the language's frame.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from suffice.answer.questions import Phrases, ask, markless
from suffice.gate.leans import leans
from suffice.gate.topics import named
from suffice.text import content_words
from suffice.values import Hit, Need

CARRIED = 0.8
"""A name that this share of the evidence bears has done its work: it cannot tell those chunks apart."""
_PREPOSITIONS = {
    "en": r"on|in|with|for|at|from|of|to|by|inside|within",
    "de": r"auf|in|im|mit|für|bei|beim|von|vom|aus|an|am|unter",
    "fr": r"sur|dans|avec|pour|chez|de|du|d['’]|en|à|au",
    "es": r"en|con|para|de|del|por|sobre",
}
_ARTICLES = (
    r"(?:an?|the|my|our|eine[rmns]?|der|die|das|dem|den|mein\w*|une?|le|la|les|l['’]|mon|ma|una?|el|los|las)"
)
_WORD = re.compile(r"[^\s,;:!?¿¡()（）«»“”„\"]+")
_COMPOUND = re.compile(r"\b[A-Z][\w.]*(?:-[A-Z][\w.]*)+\b")  # where every noun has a capital: "Paid-Plan"
_ASKED = re.compile(
    r"(?:为什么|为何|怎么样?|怎样|如何|什么(?:时候|样)?|哪[里儿些个种]?|多少(?:[次个天种年条人]|时间)?|多[久大长高远](?:时间)?|几[个次种天年条]?|是否|能否|有没有"
    r"|能不能|可不可以|要不要|会不会|[吗呢啥咋]|请问)"
)
_JA_NOUN = re.compile(r"[\u4e00-\u9fff々〆ヶァ-ヴー]{2,}|[A-Za-z0-9][\w.+#/-]*", re.ASCII)
_FUNCTION = re.compile(
    r"(?<!目)的(?!确)|和(?![平谐解])|与(?!会)|以?及(?![格时])|(?<![但于还只])是(?!非)|(?<![社协开])会(?![议员计话场])"
    r"|(?<![实存现])在(?![线职校])|把(?![握手])|[了被]"
)
_PARTICLES = re.compile(r"^[\s的中里上の]*(?:では|には|でも|にも|で|に|は|が|を|も)?[、，,：:\s]*")


def alone(need: Need, say: Phrases) -> str:
    """The need as a question of its own, with the words of the question that it leans on."""
    asked = ask(need.text, say)
    lent = need.context.strip()
    # A need of the gate begins with what it borrows; a caller's own need may hold both apart.
    leans = bool(asked and lent) and lent.casefold() not in need.text.casefold()
    return f"{lent}{say.colon}{asked}" if leans else asked


def own(need: Need, language: str) -> str:
    """The need without what it borrowed; empty if it borrowed nothing, or says nothing without it."""
    if not need.context or need.context not in need.text:
        return ""
    rest = need.text.partition(need.context)[2].lstrip(" \u00a0:：¿")
    return "" if leans(rest, language, need.text) else rest[:1].upper() + rest[1:]


def shed(need: Need, evidence: Sequence[Hit], language: str) -> Iterator[str]:
    """The need without a name that nearly all of the evidence bears, where it can go and leave a sentence."""
    texts = [" ".join((hit.title, *hit.heading_path, hit.document, hit.text)).casefold() for hit in evidence]
    for name in names_in(need.text, language):
        if sum(name.casefold() in text for text in texts) < CARRIED * len(texts):
            continue
        rest = _without(need.text, name, language)
        if rest and content_words(rest, language):
            yield rest


def _without(text: str, name: str, language: str) -> str:
    if language in ("zh", "ja"):
        return _PARTICLES.sub("", text[len(name) :]) if text.startswith(name) else ""
    prepositions = _PREPOSITIONS.get(language)
    if prepositions is None:
        return ""
    pattern = rf"(?<=\w)\s+(?:{prepositions})\s*(?:{_ARTICLES}\s*)?{re.escape(name)}(?![\w-])"
    rest = re.sub(pattern, "", text, count=1, flags=re.IGNORECASE)
    return rest if rest != text else ""


def lost(need: Need, evidence: Sequence[Hit], language: str) -> list[str]:
    """Names in the need that no evidence bears: the other words drowned them."""
    texts = " ".join(" ".join((hit.title, *hit.heading_path, hit.text)) for hit in evidence).casefold()
    return [name for name in names_in(need.text, language) if name.casefold() not in texts]


def names_in(text: str, language: str) -> list[str]:
    """Identifiers and names, as the gate reads them; the first word of a sentence is none."""
    read = (re.search(rf"{re.escape(name)}(?: \d[\w.]*)?", text) for name in named(text, language))
    found = dict.fromkeys(match.group() for match in read if match)  # "Model 3" is one name
    return [*found, *(name for name in _COMPOUND.findall(text) if name not in found)]


def keywords(need: Need, language: str) -> str:
    """The need without its question words and what else carries no meaning; empty where little can go.

    Chinese is cut at its question words and at the function words that seldom stand inside another word;
    cut at every one, as for a lexical search, names fall apart. Of Japanese, what is written in kanji,
    katakana or Latin letters is kept, from two characters up.
    """
    text = markless(own(need, language) or need.text)
    if language == "zh":
        words = _FUNCTION.sub(" ", _ASKED.sub(" ", text)).strip("，、：: ").split()
    elif language == "ja":
        words = _JA_NOUN.findall(text)
    else:
        words = [word for word in _WORD.findall(text) if content_words(word, language)]
    kept = " ".join(words)
    gone = sum(map(str.isalnum, text)) - sum(map(str.isalnum, kept))
    return kept if gone > 1 and len(content_words(kept, language)) > 1 else ""
