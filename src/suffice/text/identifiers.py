"""Code-like tokens: what must be searched, kept and quoted letter by letter."""

from __future__ import annotations

import re
from dataclasses import dataclass

from suffice.text.scripts import GRAMS
from suffice.text.terms import TOKEN
from suffice.values import Span


@dataclass(frozen=True, slots=True)
class Identifier:
    """A code-like token and the code points that it stands on: `text[span] == identifier.text`."""

    text: str
    span: Span


_CODE = re.compile(r"(`{1,2})([^`\n]{1,200})\1")
_GRAMS = re.compile(f"[{GRAMS}]+")
_LEAD = re.compile(r"(?:(?<=\s)|(?<=[(\[\"'<,;=])|^)(?:--?|@|\$|\.{0,2}/|~/|\.)\Z")
_ABBREVIATION = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]\Z")
_PLAIN_ALTERNATIVE = re.compile(r"[A-Za-z]?[a-z]+(?:/[A-Za-z]?[a-z]+)\Z")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]+[A-Z]|[A-Z][a-z]+[A-Z]")


def identifiers(text: str) -> list[Identifier]:
    """Code spans, and tokens with joints, digits beside letters, camelCase or capitals only; in order."""
    found: list[Identifier] = []
    last = 0
    for code in _CODE.finditer(text):
        _tokens(text, last, code.start(), found)
        inner = code.group(2)
        stripped = inner.strip()
        if stripped:
            start = code.start(2) + inner.index(stripped)
            found.append(Identifier(stripped, (start, start + len(stripped))))
        last = code.end()
    _tokens(text, last, len(text), found)
    return found


def _tokens(text: str, start: int, end: int, found: list[Identifier]) -> None:
    for match in TOKEN.finditer(text, start, end):
        # A token that runs into Han or kana ("KV命名空间") is cut there: the identifier is the Latin part.
        at = match.start()
        for piece in _GRAMS.split(match.group()):
            at = text.index(piece, at)
            _piece(text, at, piece, start, end, found)
            at += len(piece)


def _piece(text: str, at: int, piece: str, start: int, end: int, found: list[Identifier]) -> None:
    trimmed = piece.strip("_-.:/@\\~")
    if not trimmed:
        return
    at += piece.index(trimmed)
    called = text.startswith("()", at + len(trimmed))
    lead = _LEAD.search(text, max(start, at - 3), at)
    if lead and lead.group() != "-" and not (lead.group() == "." and trimmed.isdigit()):
        begin = lead.start()
        found.append(Identifier(text[begin : at + len(trimmed)], (begin, at + len(trimmed))))
    elif (called or is_identifier(trimmed)) and at + len(trimmed) <= end:
        found.append(Identifier(trimmed, (at, at + len(trimmed))))


def is_identifier(token: str) -> bool:
    """True if the token looks like a name that a machine reads, not like a word of prose or a number."""
    if not any(c.isalpha() for c in token):
        return token.count(".") > 1 or token.count("-") > 1 or "_" in token or ":" in token
    if _ABBREVIATION.match(token) or _PLAIN_ALTERNATIVE.match(token):
        return False
    if any(c in "_-.:/@\\~+#" for c in token):
        return True
    if any(c.isdigit() for c in token):
        return True
    return (len(token) > 1 and token.isupper()) or bool(_CAMEL.search(token))
