"""What a need says in words: content, identifiers, numbers, and which of them a passage holds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from suffice.text import content_words, identifiers, language

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_HOW_MUCH = re.compile(
    r"\bhow (?:many|much|long|often|far|large|big|old|high|fast|soon|late|early)\b|\bwhen\b"
    r"|\bwhat (?:year|date|time|percent\w*|size"
    r"|number|price|age)\b|\b(?:limit|maximum|minimum|price|cost)s?\b|多少|几[个次天年月台位层]|多[大久长高远快重]"
    r"|何时|什么时候|哪[一]?年|上限|价格|费用"
    r"|いくつ|いくら|何[年人個回日時]|いつ|上限|料金|\bwie (?:viele?|lange|oft|groß|hoch|weit|alt|teuer)\b"
    r"|\bwann\b|\bkoste\w*"
    r"|\bcombien\b|\bquand\b|\bcoûte\w*|\bcuánt[oa]s?\b|\bcuándo\b|\bcuesta\w*",
    re.IGNORECASE,
)
_A_NUMBER = re.compile(
    r"\d|[一二三四五六七八九十百千万两]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?"
    r"|hundreds?|thousands?|millions?|billions?|half|twice|once|daily|monthly|yearly|unlimited|no limit)\b",
    re.IGNORECASE,
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]")
# Endings that do not change what a word names; crude on purpose: both sides are cut alike.
_ENDING = re.compile(r"(?:'s|ies|ing|ed|es|s|en|er|e|n|y)$")


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of a need that must be met: stems, named things, numbers; `context` names its topic."""

    language: str
    stems: tuple[str, ...]
    names: tuple[str, ...]
    context: tuple[str, ...]
    asks_number: bool


def stem(word: str) -> str:
    """The word without its ending, at least four letters kept; CJK words as they are."""
    word = word.casefold()
    if _CJK.search(word) or len(word) < 5:
        return word[:-1] if len(word) == 4 and word.endswith("s") else word
    return _ENDING.sub("", word) if len(_ENDING.sub("", word)) >= 4 else word


def grams(text: str) -> set[str]:
    """Overlapping pairs of CJK characters (single ones where a word is one character)."""
    pairs: set[str] = set()
    for run in re.findall(rf"{_CJK.pattern}+", text):
        pairs.update([run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)])
    return pairs


def terms(text: str, lang: str) -> set[str]:
    """Stems and CJK pairs of a text's content words."""
    found: set[str] = set()
    for word in content_words(text, lang):
        if _CJK.search(word):
            found |= grams(word)
        else:
            found.add(stem(word))
    return found


def names_of(text: str, lang: str) -> tuple[str, ...]:
    """Identifiers, numbers and, outside German, capitalised words within the sentence, case-folded."""
    found = [item.text for item in identifiers(text)]
    found += _NUMBER.findall(text)
    if lang in ("zh", "ja", "ko"):
        found += re.findall(r"[A-Za-z][A-Za-z0-9]+", text)
    elif lang != "de":
        found += [m.group() for m in re.finditer(r"(?<=[\w,'’] )[A-Z][\w'’-]*\w", text)]
    unique = dict.fromkeys(name.casefold() for name in found)
    return tuple(name for name in unique if not any(name != other and name in other for other in unique))


def wording(text: str, context: str) -> Wording:
    """The wording of a need whose topic words are `context` (they also stand in `text`)."""
    lang = language(text)
    own = text.removeprefix(context).lstrip(":： ") if context else text
    about = names_of(context, lang) if context else ()
    stems = tuple(sorted(terms(own, lang)))
    names = tuple(name for name in names_of(own, lang) if name not in about)
    return Wording(lang, stems, names, about, _HOW_MUCH.search(own) is not None)


def holds_name(name: str, text: str) -> bool:
    """Whether the case-folded text holds the name as a whole word (CJK needs no word edge)."""
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?:s|'s)?(?![a-z0-9])", text) is not None


def holds_number(text: str) -> bool:
    """Whether a digit or a word of number or frequency stands in the text."""
    return _A_NUMBER.search(text) is not None
