"""Lexical terms: what two texts must share for a lexical search to see it.

Three kinds of term leave here. Plain words and CJK characters and pairs of characters; `~a_b`, a run of
neighbouring parts of an identifier, however it is written (`aB`, `a-b`, `a.b`); and `=a.b`, the identifier
exactly as it stands but for case. A bag of terms has no weights, so the exact form stands under several
names: a page that repeats the parts of a code many times must not outrank the one page that holds it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from suffice.text.scripts import DROP_IGNORABLE, GRAM_RUN, IGNORABLE, MARKS

PIECE = 200
"""Longest term in code points: longer junk is cut into pieces, so that nothing grows faster than the text."""
EXACT = ("=", "==", "===", "====", "=====", "======")
"""The names of an exact identifier. With one name or four, a two-part code on a page four times as long as
the mean lost to a short page that repeats both parts (BM25, k1 1.5, b .75); with six it does not."""

_MAX_PARTS_ALL_RUNS = 5  # up to here every run of parts is a term; above, runs of two and three
_MAX_PIECES_OF_WORD = 4  # more changes between letters and digits than this is a hash, not a name

_WORD = f"[^\\W_](?:[^\\W_]|[{MARKS}{IGNORABLE}])*"
_JOIN = r"(?:://|[_\-.:/@\\~+]|[\u2010\u2011\uff3f\uff0d\uff0e]|::|->|__)"
TOKEN = re.compile(
    rf"\d{{1,3}}(?:,\d{{3}})+(?![\w,])|{_WORD}(?:{_JOIN}{_WORD})*(?:(?<=[A-Za-z])(?:\+\+|\#)(?!\w))?"
)
"""One word, or one identifier of words that are joined without a space; or 1,000,000."""

_SPLIT = re.compile(r"[^\w]+|_+")
_CAMEL = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DASHES = str.maketrans("\u2010\u2011\uff0d", "---")
_ASCII_ALNUM = re.compile(r"[A-Za-z0-9]+\Z")


def terms(text: str) -> list[str]:
    """Terms of the text in order, repeats kept; takes any string, in time linear in its length."""
    found: list[str] = []
    last = 0
    for run in GRAM_RUN.finditer(text):
        _latin(text[last : run.start()], found)
        _grams(run.group(), found)
        last = run.end()
    _latin(text[last:], found)
    return found


def normal(term: str) -> str:
    """NFKC and case folding of one short piece, without its invisible characters."""
    folded = unicodedata.normalize("NFKC", DROP_IGNORABLE.sub("", term)).casefold()
    # Case folding can undo the composition (ΐ): once more, so that both sides end alike.
    return unicodedata.normalize("NFKC", folded)


def parts_of(token: str) -> list[str]:
    """Words that an identifier is made of: cut at joints, at camelCase and between letters and digits."""
    parts: list[str] = []
    for word in _SPLIT.split(token.replace("'", "")):
        if word:
            parts.extend(_pieces_of_word(word))
    return parts


def _pieces_of_word(word: str) -> list[str]:
    if _ASCII_ALNUM.match(word):
        pieces = _CAMEL.findall(word)
        if 1 < len(pieces) <= _MAX_PIECES_OF_WORD:
            return pieces
    return [word]


def _latin(text: str, found: list[str]) -> None:
    for match in TOKEN.finditer(text):
        token = match.group()
        if len(token) <= PIECE:
            found.extend(_of_token(token))
            continue
        for word in _SPLIT.split(token):
            for start in range(0, len(word), PIECE):
                found.extend(_of_word(word[start : start + PIECE]))


@lru_cache(maxsize=1 << 16)
def _of_token(token: str) -> tuple[str, ...]:
    if "," in token:
        return (token, token.replace(",", ""))
    words = [word for word in _SPLIT.split(token) if word]
    parts = parts_of(token)
    if len(parts) < 2 and token == words[0]:
        return _of_word(token)
    found: list[str] = []
    whole = normal(token.translate(_DASHES))
    found.extend(name + whole for name in EXACT)
    folded = [normal(part) for part in parts]
    n = len(folded)
    longest = n if n <= _MAX_PARTS_ALL_RUNS else 3
    for size in range(2, longest + 1):
        found.extend("~" + "_".join(folded[start : start + size]) for start in range(n - size + 1))
    if n > longest:
        found.append("~" + "_".join(folded))
    for word in words:
        pieces = _pieces_of_word(word)
        found.extend(_of_word(word, stem=len(words) == 1))
        if len(pieces) > 1:
            found.extend(normal(piece) for piece in pieces)
    return tuple(found)


@lru_cache(maxsize=1 << 16)
def _of_word(word: str, stem: bool = True) -> tuple[str, ...]:
    """The word, without its accents if it has any, and the singular of an English-looking plural.

    Both are added and never replace the word: where they are wrong they cost a term, not a match.
    """
    term = normal(word)
    if not term:
        return ()
    if term.isascii():
        singular = _singular(term) if stem else term
        return (term,) if singular == term else (term, singular)
    bare = "".join(c for c in unicodedata.normalize("NFD", term) if not "\u0300" <= c <= "\u036f")
    bare = unicodedata.normalize("NFC", bare)
    return (term,) if bare == term or not bare else (term, bare)


def _singular(term: str) -> str:
    if len(term) < 4 or not term.endswith("s") or term.endswith(("ss", "us", "is")) or not term.isalpha():
        return term
    if term.endswith("ies") and len(term) > 4:
        return term[:-3] + "y"
    if term.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return term[:-2]
    return term[:-1]


def _grams(run: str, found: list[str]) -> None:
    """Characters and overlapping pairs. Half-width kana join their voice mark before the cut."""
    run = DROP_IGNORABLE.sub("", run)
    previous = ""
    for start in range(0, len(run), PIECE):
        piece = normal(run[start : start + PIECE])
        for character in piece:
            if previous:
                found.append(previous + character)
            found.append(character)
            previous = character
