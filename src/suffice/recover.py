"""suggest(): narrower questions for a question that the evidence does not fully answer.

Made from the question's needs and from headings and identifiers of its evidence alone, by patterns in the
language of the question: no word is added that states a fact, and nothing is searched. The same question,
verdict and evidence always give the same suggestions, so what is previewed is what is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from suffice.answer.questions import Phrases, about, ask, phrases
from suffice.text import content_words, identifiers, terms
from suffice.text import language as language_of
from suffice.values import Hit, Need, Preview, Status, Suggestion, Verdict

POOL = 6
MAX_CHARS = 120
FAR = 0.1
"""A need for which no passage was given even this confidence is about something else: headings and names of
such evidence would lead the user away from the question, so none are offered for it."""
_PROMISING: tuple[Status, ...] = ("sufficient", "partial", "insufficient", "search_failed")
_HEADING_CHARS = 80
_IDENTIFIER_CHARS = 48
_CODE_SPAN = re.compile(r"(?<!`)`([^`\n]{2,48})`(?!`)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_NUMBERING = re.compile(
    r"^\s*(?:(?:step|schritt|étape|paso|chapter|section|§)\s*\d+\s*[:.)\-–—]?\s*"
    r"|第\s*[\d一二三四五六七八九十]+\s*[章节節条条步項]\s*[:：、]?\s*"
    r"|\d+(?:\.\d+)*[.):、]?\s+|\d+[.)、]\s*)",
    re.IGNORECASE,
)
# Names that every manual gives to some of its sections: alone they say nothing of what stands below.
_GENERIC_NAMES = """
overview introduction summary example examples note notes details general background about contents
references reference faq more other see_also next_steps related getting_started prerequisites appendix
概述 简介 介绍 总结 示例 例子 说明 注意 备注 参考 附录 其他 前提
概要 はじめに まとめ 例 補足 参考 付録 その他
überblick einleitung einführung zusammenfassung beispiel beispiele hinweis hinweise anhang allgemeines
aperçu présentation résumé exemple exemples remarque remarques annexe généralités
resumen introducción ejemplo ejemplos nota notas anexo generalidades descripción_general
"""
_GENERIC = frozenset(_GENERIC_NAMES.split())


def suggest(
    question: str, verdict: Verdict, evidence: Sequence[Hit], language: str, n: int = 3
) -> tuple[Suggestion, ...]:
    """The n most promising candidates as S1, S2 ...; none for a sufficient verdict or without evidence."""
    if n < 1:
        return ()
    pool = candidates(question, verdict, evidence, language)
    return tuple(Suggestion(f"S{place}", text) for place, text in enumerate(pool[:n], start=1))


def previewed(verdict: Verdict, evidence: Sequence[Hit]) -> Preview:
    """What a suggestion was found to lead to: the place of its best support, else its first hit."""
    best = next((support for judged in verdict.needs for support in judged.supports), None)
    hit = evidence[best.evidence - 1] if best else next(iter(evidence), None)
    if hit is None:
        return Preview(verdict.status)
    return Preview(verdict.status, hit.document, hit.title, hit.heading_path)


def promising(tried: Sequence[Suggestion]) -> tuple[Suggestion, ...]:
    """In the order in which they are shown, by what they were found to lead to; S1, S2 ... anew."""
    ordered = sorted(
        tried, key=lambda one: _PROMISING.index(one.preview.status if one.preview else "search_failed")
    )
    return tuple(replace(one, id=f"S{place}") for place, one in enumerate(ordered, start=1))


def candidates(question: str, verdict: Verdict, evidence: Sequence[Hit], language: str) -> tuple[str, ...]:
    """Up to POOL questions in order of promise; long ones after all that fit MAX_CHARS.

    Of several needs, each missing one stands alone first: searched by itself it is no longer drowned by the
    others. Then come questions that the evidence's own headings and identifiers lead to. A supported need
    is only offered when nothing else is.
    """
    if verdict.status in ("sufficient", "search_failed") or not evidence:
        return ()
    say = phrases(language)
    missing = [judged for judged in verdict.needs if judged.status == "missing"]
    alone = [_standalone(judged.need, say) for judged in missing]
    near = [judged for judged in missing if (judged.best_confidence or 0.0) >= FAR]
    led = _round_robin([_led(judged.need, evidence, say) for judged in near])
    several = len(verdict.needs) > 1
    supported = [_standalone(judged.need, say) for judged in verdict.needs if judged.status == "supported"]
    found = _different((question, *supported), (*(alone if several else ()), *led), say)
    if not found:
        found = _different((question,), (*alone, *supported), say)
    fitting = [text for text in found if len(text) <= MAX_CHARS]
    return tuple((fitting + [text for text in found if len(text) > MAX_CHARS])[:POOL])


def _standalone(need: Need, say: Phrases) -> str:
    """The need as a question of its own, with the words of the question that it leans on."""
    asked = ask(need.text, say)
    lent = need.context.strip()
    leans = bool(asked and lent) and not set(_words(lent)) <= set(_words(need.text))
    return f"{lent}{say.colon}{asked}" if leans else asked


def _led(need: Need, evidence: Sequence[Hit], say: Phrases) -> list[str]:
    """Where the evidence leads for one need: by headings and by identifiers.

    Never the need tied to a heading ("What does it cost, as described under Lockers?"): the heading's words
    raise what a judge gives to a passage below it, and a question without an answer gets one.
    """
    headings = _headings(need, evidence)
    asked = [text for heading, source in headings if (text := about(heading, say, source))]
    named = [say.identifier.replace("{x}", f"`{name}`") for name in _identifiers(need, evidence, say)]
    return [*asked[:1], *_round_robin([named[:1], asked[1:2]]), *asked[2:4], *named[1:2]]


def _headings(need: Need, evidence: Sequence[Hit]) -> list[tuple[str, str]]:
    """Headings with their text's language: first those that share the need's words or stand over them."""
    wanted = set(_words(need.text))
    found: dict[str, tuple[float, int, str, str]] = {}
    for hit in evidence:
        heading, generic = _heading(hit)
        key = " ".join(heading.casefold().split())
        if not heading or len(heading) > _HEADING_CHARS or key in found:
            continue
        shared = len(wanted & set(_words(heading))) + 0.5 * len(wanted & set(_words(hit.text)))
        promise = shared / (1 + len(wanted)) - 0.5 * generic
        found[key] = (-round(promise, 1), hit.rank, heading, language_of(f"{heading}\n{hit.text}"))
    return [(heading, source) for _, _, heading, source in sorted(found.values())]


def _heading(hit: Hit) -> tuple[str, bool]:
    """The hit's own heading; one that says nothing alone is read under the one above it, and marked so."""
    path = [part for part in map(_plain, (hit.title, *hit.heading_path)) if part]
    if not path:
        return "", False
    leaf = path[-1]
    if leaf.casefold().replace(" ", "_").strip(".:：") not in _GENERIC:
        return leaf, False
    above = next((part for part in reversed(path) if part.casefold() != leaf.casefold()), "")
    return (f"{above} › {leaf}" if above else ""), True


def _plain(heading: str) -> str:
    text = _LINK.sub(r"\1", heading).replace("**", "").replace("__", "").strip("# \t")
    return _NUMBERING.sub("", text).strip()


def _identifiers(need: Need, evidence: Sequence[Hit], say: Phrases) -> list[str]:
    """Code-like names near the need's words in the evidence, the nearest first; none that the need holds.

    Across languages no word can be shared, and the names of the best evidence stand in.
    """
    if not say.identifier:
        return []
    wanted = set(_words(need.text))
    best: dict[str, tuple[int, int, int]] = {}
    for hit in evidence:
        foreign = language_of(hit.text) != say.language and hit.rank <= 2
        for order, line in enumerate(hit.text.split("\n")):
            shared = len(wanted & set(_words(line)))
            for name in _names(line) if shared or foreign else ():
                if name.casefold() not in need.text.casefold():
                    place = (-shared, hit.rank, order)
                    best[name] = min(best.get(name, place), place)
    return sorted(best, key=lambda name: (best[name], name))


def _names(line: str) -> Iterator[str]:
    spans = [match[1].strip() for match in _CODE_SPAN.finditer(line)]
    for name in spans or [found.text.strip("`") for found in identifiers(line)]:
        worth = re.search(r"[^\W\d_]{2}", name) and len(name) <= _IDENTIFIER_CHARS
        # a lone short word in a sentence is an acronym more often than a name worth asking for
        telling = name in spans or re.search(r"[_.:/\-]|[a-z][A-Z]|\d", name)
        if worth and telling and "://" not in name and "`" not in name:
            yield name


def _different(known: Sequence[str], found: Sequence[str], say: Phrases) -> list[str]:
    """Without what is known, repeats, and what differs from either in marks or case alone."""
    seen = {_folded(text) for one in known for text in (one, ask(one, say))}
    kept: list[str] = []
    for text in found:
        if _folded(text) and _folded(text) not in seen:
            seen.add(_folded(text))
            kept.append(text)
    return kept


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", text.casefold()).split())


def _words(text: str) -> list[str]:
    """Terms of the words that carry meaning; scripts without spaces as single characters and pairs."""
    return terms(" ".join(content_words(text, language_of(text))))


def _round_robin(lists: Sequence[Sequence[str]]) -> list[str]:
    return [text for turn in zip_longest(*lists) for text in turn if text]
