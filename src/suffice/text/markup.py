"""Where Markdown's own marks stand in a text: what a reader of the rendered page does not see."""

from __future__ import annotations

import re

from suffice.values import Span

# A mark before a figure is left alone: "- 5 kPa" and "> 5 MB" may be a sign.
_LINE = re.compile(
    r"^(?:[ \t]*(?:#{1,6}(?=[ \t])|>(?![ \t]*[\d.,$€£¥+\-−])|[*•‣◦+\-](?=[ \t]+[^\s\d.,$€£¥+\-−])))+[ \t]*",
    re.MULTILINE,
)
_NUMBER = re.compile(r"^[ \t]*(?P<n>\d{1,3})[.)][ \t]+(?=\S)", re.MULTILINE)
_LIST_LINE = re.compile(r"[ \t]*(?:\d{1,3}[.)]|[*•‣◦+\-])[ \t]")
_CODE = re.compile(r"(`{1,2})(?!`)([^`\n]{1,400})(?<!`)\1(?!`)")
_LINK = re.compile(
    r"!?\[(?P<text>[^\[\]]{0,400})\](?:\([^()\s]{0,800}(?:\s+\"[^\"\n]{0,200}\")?\)"
    r"|\[[^\[\]\n]{0,200}\])"
)
_AUTOLINK = re.compile(r"<(?=(?:https?://|mailto:)[^<>\s]{1,800}(>))")
_ESCAPE = re.compile(r"(?<![:\\])\\(?=[*_\[\]<>|#`])")
_DELIMITER = re.compile(r"\*{1,3}|_{1,3}")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_IDENTIFIER = re.compile(r"\w*[\d_]\w*")
_LATIN_WORD = re.compile(r"[^\W\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]")


def marks(text: str, *, links: bool, list_numbers: bool = True) -> list[Span]:
    """Spans of the marks, in order, not overlapping.

    Marks at line starts, emphasis, code and escapes; with `links` targets; with `list_numbers` "2." too.
    """
    found: list[Span] = [match.span() for match in _LINE.finditer(text) if match.end() > match.start()]
    if list_numbers:
        found.extend(match.span() for match in _NUMBER.finditer(text) if _is_list(text, match))
    protected: list[Span] = []
    for match in _CODE.finditer(text):
        found.append((match.start(), match.start(2)))
        found.append((match.end(2), match.end()))
        protected.append(match.span())
    if links:
        for match in _LINK.finditer(text):
            found.append((match.start(), match.start("text")))
            found.append((match.end("text"), match.end()))
            protected.append((match.end("text"), match.end()))
        for match in _AUTOLINK.finditer(text):
            found.append((match.start(), match.start() + 1))
            found.append((match.start(1), match.end(1)))
            protected.append((match.start(), match.end(1)))
    escapes = [match.span() for match in _ESCAPE.finditer(text)]
    found.extend(escapes)
    protected.extend((start, end + 1) for start, end in escapes)
    found.extend(_emphasis(text, sorted(protected)))
    return _disjoint(sorted(found))


def _is_list(text: str, match: re.Match[str]) -> bool:
    """A number at a line's start is a list mark only where Markdown says so; else a figure of the prose."""
    start = match.start()
    if start == 0 or match.group("n") == "1":
        return True
    before = text.rfind("\n", 0, start - 1) + 1
    line = text[before : min(start, before + 2000)]
    return not line.strip() or bool(_LIST_LINE.match(line))


def _emphasis(text: str, protected: list[Span]) -> list[Span]:
    """Paired runs of `*` and `_` at the edges of words; never inside `snake_case` or `5*10`."""
    found: list[Span] = []
    openers: dict[str, int] = {}
    boundaries = [match.start() for match in _PARAGRAPH.finditer(text)]
    n_boundary = n_protected = 0
    for match in _DELIMITER.finditer(text):
        start, end = match.span()
        while n_boundary < len(boundaries) and boundaries[n_boundary] < start:
            n_boundary += 1
            openers.clear()
        while n_protected < len(protected) and protected[n_protected][1] <= start:
            n_protected += 1
        if n_protected < len(protected) and protected[n_protected][0] <= start:
            continue
        before, after = text[start - 1 : start], text[end : end + 1]
        opens = bool(after.strip()) and not _LATIN_WORD.match(before)
        closes = bool(before.strip()) and not _LATIN_WORD.match(after)
        mark = match.group()
        begin = openers.get(mark)
        if closes and begin is not None and begin + len(mark) < start:
            if _is_emphasis(text[begin + len(mark) : start] if start - begin < 200 else " ", mark):
                found.append((begin, begin + len(mark)))
                found.append((start, end))
            openers = {key: place for key, place in openers.items() if place < begin}
        elif opens:
            openers[mark] = start
    return found


def _is_emphasis(content: str, mark: str) -> bool:
    if mark[0] == "*" or any(c.isspace() for c in content):
        return True
    # `__init__` and `_x1_` are names; `_not_` is a stressed word.
    return len(mark) == 1 and not _IDENTIFIER.search(content)


def _disjoint(spans: list[Span]) -> list[Span]:
    kept: list[Span] = []
    last = 0
    for start, end in spans:
        if end > start and start >= last:
            kept.append((start, end))
            last = end
    return kept
