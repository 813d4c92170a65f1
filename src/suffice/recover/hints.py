"""What the evidence lends to a narrower question: its headings and names, nearest to a need first.

Only how they are written is read. Nothing is searched; every word that leaves here stands in the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from suffice.answer.questions import Phrases
from suffice.text import content_words, identifiers, terms
from suffice.text import language as language_of
from suffice.values import Hit, Need

NEAR = 1 / 3
"""More than this share of a need's words must stand below a heading that has none of them."""
_HEADING_CHARS = 80
_IDENTIFIER_CHARS = 48
_CODE_SPAN = re.compile(r"(?<!`)`([^`\n]{2,48})`(?!`)")
_WORDS = re.compile(r"[^\W\d_]+(?:[-/'’][^\W\d_]+)*|\d+-?[^\W\d_]*")  # "high-pressure", "18th", "150-bytes"
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,80}>")
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


def headings(need: Need, evidence: Sequence[Hit], language: str) -> list[tuple[str, str]]:
    """Headings with their text's language: first those that share the need's words or stand over them.

    One in the need's own language that does neither is about something else, however well it was ranked.
    """
    wanted = set(words_of(need.text))
    found: dict[str, tuple[float, int, str, str]] = {}
    for hit in evidence:
        heading, generic = _heading(hit)
        key = " ".join(heading.casefold().split())
        if not heading or len(heading) > _HEADING_CHARS or key in found:
            continue
        source = language_of(f"{heading}\n{hit.text}")
        above = len(wanted & set(words_of(" ".join((hit.title, *hit.heading_path)))))
        below = len(wanted & set(words_of(hit.text)))
        if source == language and not above and below <= NEAR * len(wanted):
            continue
        shared = len(wanted & set(words_of(heading))) + 0.5 * below
        promise = shared / (1 + len(wanted)) - 0.5 * generic
        found[key] = (-round(promise, 1), hit.rank, heading, source)
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


def names(need: Need, evidence: Sequence[Hit], say: Phrases) -> list[str]:
    """Code-like names near the need's words in the evidence, the nearest first; none that the need holds.

    Across languages no word can be shared, and the names of the best evidence stand in.
    """
    wanted = set(words_of(need.text))
    best: dict[str, tuple[int, int, int]] = {}
    for hit in evidence:
        foreign = language_of(hit.text) != say.language and hit.rank <= 2
        for order, line in enumerate(hit.text.split("\n")):
            shared = len(wanted & set(words_of(line)))
            for name in _in_line(line) if shared or foreign else ():
                if name.casefold() not in need.text.casefold():
                    place = (-shared, hit.rank, order)
                    best[name] = min(best.get(name, place), place)
    return sorted(best, key=lambda name: (best[name], name))


def _in_line(line: str) -> Iterator[str]:
    line = _TAG.sub(" ", _LINK.sub(r"\1", line))  # "/sup" and the target of a link name nothing to ask for
    spans = [match[1].strip() for match in _CODE_SPAN.finditer(line)]
    for name in spans or [found.text.strip("`") for found in identifiers(line)]:
        worth = re.search(r"[^\W\d_]{2}", name) and len(name) <= _IDENTIFIER_CHARS
        # a lone short word in a sentence is an acronym more often than a name worth asking for
        telling = name in spans or (re.search(r"[_.:/\-]|[a-z][A-Z]|\d", name) and not _WORDS.fullmatch(name))
        if worth and telling and "://" not in name and "`" not in name:
            yield name


def words_of(text: str) -> list[str]:
    """Terms of the words that carry meaning; scripts without spaces as single characters and pairs."""
    return terms(" ".join(content_words(text, language_of(text))))
