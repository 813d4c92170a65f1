"""Sentences of Markdown and plain text, as spans.

Every character that is not white space falls in exactly one sentence. Where a cut is in doubt there is
none: a sentence too long still quotes rightly, half a sentence may lose its "not".
"""

from __future__ import annotations

import re

from suffice.text.scripts import UNSPACED_CJK
from suffice.values import Span

_LISTED = """
    e.g i.e eg ie etc vs cf al approx appr dept est fig figs eq eqs sec secs ch chap vol no nos nr p pp
    ref refs mr mrs ms dr prof st jr sr inc ltd co corp bros gen rep sen gov min max incl excl resp
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun
    z.b d.h u.a u.ä o.ä i.d.r s.o s.u bzw ca usw evtl ggf inkl exkl zzgl vgl abs art bsp sog tel abb
    p.ex c.-à-d env av apr mme mlle m art ex p.ej ej sr sra srta ud uds pág págs núm art.
    """
_ABBREVIATIONS = frozenset(_LISTED.split())
_MONTH = re.compile(
    r"(?:Jan|Feb|Mär|Mar|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Oct|Nov|Dez|Dec)[a-zäö]*\b|(?:Jahrhundert|Tag|Stelle)\b"
)
_CLOSERS = "\"'”’»›)\\]」』）】〉》*_`"
_OPENERS = "\"'“‘„«‹(\\[「『（【〈《*_`"
_END = re.compile(
    rf"(?P<wide>[。！？｡．؟۔।॥]+[。！？!?]*[{_CLOSERS}]*)|(?P<narrow>[.!?…]+[{_CLOSERS}]*)(?=\s|$|[{UNSPACED_CJK}])"
)
_CODE = re.compile(r"(`{1,3})[^`\n]{1,400}\1")
_UNIT_START = re.compile(r"[ \t]*(?:[-*+•‣◦][ \t]|\d{1,3}[.)][ \t]|#{1,6}[ \t]|>|\||```|~~~|:::|<)")
_ROW = re.compile(r"[ \t]*(?:\||#{1,6}[ \t])")
_FENCE = re.compile(r"[ \t>]*(```+|~~~+)")
_NUMBERED = re.compile(r"[ \t>]*\d{1,3}[.)]\Z")
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘«]+\Z")
_CONTINUES = re.compile(r"[とっ、，,はがをに]")


def sentences(text: str) -> list[Span]:
    """Spans of the sentences in order, without the white space around them.

    List items, table rows, headings and lines of code are units of their own; other lines of a
    paragraph run on. Abbreviations, decimals, versions, URLs and code spans are not cut.
    """
    found: list[Span] = []
    for start, end, whole in _units(text):
        if whole:
            _add(text, start, end, found)
        else:
            _cut(text, start, end, found)
    return found


def _units(text: str) -> list[tuple[int, int, bool]]:
    """Stretches of lines that belong together: (start, end, whether it is never cut: code, row, heading)."""
    units: list[tuple[int, int, bool]] = []
    fence = ""
    begin: int | None = None  # start of the unit that is being gathered
    position = 0
    for line in text.splitlines(keepends=True):
        start, position = position, position + len(line)
        mark = _FENCE.match(line)
        if fence or mark:
            if begin is not None:
                units.append((begin, start, False))
                begin = None
            units.append((start, position, True))
            if mark and not fence:
                fence = mark.group(1)
            elif mark and mark.group(1).startswith(fence) and not line[mark.end() :].strip():
                fence = ""
            continue
        blank = not line.strip()
        if begin is not None and (blank or _UNIT_START.match(line)):
            units.append((begin, start, False))
            begin = None
        if blank:
            continue
        if begin is None:
            begin = start
        if _ROW.match(line.rstrip()):
            units.append((begin, position, True))
            begin = None
    if begin is not None:
        units.append((begin, len(text), False))
    return units


def _cut(text: str, start: int, end: int, found: list[Span]) -> None:
    codes = [(m.start(), m.end()) for m in _CODE.finditer(text, start, end)]
    n_code = 0
    begin = start
    for match in _END.finditer(text, start, end):
        at = match.start()
        while n_code < len(codes) and codes[n_code][1] <= at:
            n_code += 1
        if n_code < len(codes) and codes[n_code][0] <= at:
            continue
        if match.end() < end and _ends_here(text, begin, match, end):
            _add(text, begin, match.end(), found)
            begin = match.end()
    _add(text, begin, end, found)


def _ends_here(text: str, begin: int, match: re.Match[str], end: int) -> bool:
    stop = match.end()
    following = text[stop : stop + 40].lstrip()[:24] if stop < end else ""
    if not following:
        return True
    if match.group("wide"):
        # 「…。」と: the quotation is inside the sentence that reports it.
        return not (stop - match.start() > 1 and _CONTINUES.match(text[stop]))
    mark = match.group("narrow")
    spaced = text[stop].isspace()
    if not spaced:
        return mark[0] in "!?" and not _CONTINUES.match(text[stop])
    first = following.lstrip(_OPENERS.replace("\\", "")) or following
    if first[0].islower() and following[0] != "`":
        return False
    if mark[0] != ".":
        return mark[0] != "…" or first[0].isupper() or not first[0].isascii()
    return not _is_abbreviation(text, begin, match.start(), following) if mark[:2] != ".." else True


def _is_abbreviation(text: str, begin: int, dot: int, following: str) -> bool:
    before = text[max(begin, dot - 24) : dot]
    if _NUMBERED.match(text[max(begin, dot - 12) : dot + 1].lstrip("\n")) and dot - begin < 12:
        return True
    word = _LAST_WORD.search(before)
    if not word:
        return False
    last = word.group().casefold()
    if len(last) == 1 and last.isalpha():
        return True  # an initial, or one letter of "z. B."
    if last.isdigit():
        return len(last) <= 2 and bool(_MONTH.match(following))
    if last in {
        "no",
        "nos",
        "min",
        "max",
        "sat",
        "sun",
        "art",
        "fig",
        "ex",
        "ms",
        "co",
        "est",
        "al",
        "st",
        "mar",
    }:
        # Words too: an abbreviation only where a number or a capitalised name can follow it.
        return following[0].isdigit() or last in {"al", "st", "ms"}
    return (last in _ABBREVIATIONS and last != "etc") or (last == "etc" and following[0].islower())


def _add(text: str, start: int, end: int, found: list[Span]) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        found.append((start, end))
