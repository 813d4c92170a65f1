"""What a clause borrows from the question's start so that its words stand alone.

Names come first (identifiers, product and place names); where there are none, a clause that points back
("it", "它") or that says too little borrows the subject matter of the first clause or of the scene.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from suffice.gate.clauses import Clause
from suffice.gate.words import Words
from suffice.text import content_words, identifiers
from suffice.values import Span

_MAX_NAMES = 3
_MAX_WORDS = 7
_MAX_CHARS = 28
_BARE_WORDS = 3  # fewer words that carry meaning than this say too little alone
_BARE_CHARS = 10


@dataclass(frozen=True, slots=True)
class Topics:
    """What the question is about: names, and the subject matter of its scene and of its first clause."""

    names: tuple[str, ...]
    scene: str
    first: str
    words: Words
    language: str
    listed: bool  # the first clause asked of several things: all of them are the topic

    @classmethod
    def of(cls, question: str, scene: Sequence[Span], first: Clause, words: Words, language: str) -> Topics:
        """Read the topic from the scene before the first clause, and from that clause, list and all."""
        start = [question[slice(*span)] for span in scene]
        opening = question[slice(*(first.part or first.span))]
        found: list[str] = []
        for text in (*start, first.lead, opening):
            found += [name for name in _named(text, language) if name not in found]
        background = subject_matter(start[-1], words, language) if start else ""
        matter = subject_matter(opening, words, language)
        listed = first.part is not None and first.span != first.part and first.text.strip() != opening.strip()
        return cls(tuple(found[:_MAX_NAMES]), background, matter, words, language, listed)

    def context(self, text: str, *, sister: bool) -> str:
        """What `text` needs before it; nothing if it names the topic. `sister`: of the first clause."""
        folded = text.casefold()
        if sister:
            lacks = self.words.points_back.search(text) or self._says_little(text, self.scene)
            return self.scene if self.scene and lacks else ""
        if self.names:
            if self.listed and not any(name.casefold() in folded for name in self.names):
                return self.first
            if any(name.casefold() in folded for name in self.names):
                return ""
            return (", " if self.words.spaced else "、").join(self.names)
        if self.words.points_back.search(text) or self._says_little(text, self.first):
            return self.first or self.scene
        return ""

    def _says_little(self, text: str, topic: str) -> bool:
        if self.words.spaced:
            return len(content_words(text, self.language)) < _BARE_WORDS
        rest = re.sub(rf"{self.words.asks.pattern}|\W", "", text)
        shared = any(rest[i : i + 2] in topic for i in range(len(rest) - 1))
        return len(rest) <= _BARE_CHARS and not shared


def _named(text: str, language: str) -> list[str]:
    """Identifiers and names in order: code-like tokens, capitalised words inside a sentence, Latin in CJK."""
    unspaced = language in ("zh", "ja")
    found: list[tuple[int, str]] = [(item.span[0], item.text) for item in identifiers(text)]
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
        if not name.isnumeric() and name and not any(name.casefold() in known.casefold() for known in names):
            names = [known for known in names if known.casefold() not in name.casefold()] + [name]
    return names


def subject_matter(text: str, words: Words, language: str) -> str:
    """The words of a clause that carry meaning, as one run of it where they stand together."""
    if not words.spaced:
        run = re.sub(rf"^请问|{words.asks.pattern}|{words.each.pattern}|应该|应当", "", text)
        return re.split(r"[，,。？?！!；;：:]", run)[0].strip(" 的是にはがをのですかま")[:_MAX_CHARS]
    asks = words.asks.search(text)
    tail = text[asks.end() :] if asks is not None else text
    held = [word for word in content_words(tail, language) if word]
    if not held:
        return ""
    places = [tail.casefold().find(word.casefold()) for word in held]
    if min(places) >= 0 and all(a <= b for a, b in pairwise(places)):
        run = tail[places[0] : places[-1] + len(held[-1])]
        tokens = re.findall(r"[\w'’-]+", run)
        if len(tokens) <= _MAX_WORDS and not any(words.subject.fullmatch(token) for token in tokens):
            return run
    return " ".join(held[:_MAX_WORDS])
