"""When a quote is too short to say anything, and when a short one is whole all the same."""

from __future__ import annotations

import re

from suffice.text.scripts import GRAMS
from suffice.text.sentences import sentences
from suffice.values import Span

MIN_WORDS = 4
MIN_CJK = 6
_PART_SHARE = 0.6  # a part of a quote with "…" may have this share of either

_CJK = re.compile(f"[{GRAMS}]")
_SAYS = re.compile(r"[^\W_]|[=<>≤≥±×+≈%/°→]")
_LINE_LEFT = re.compile(r"\s*(?:(?:[>#*•+\-]+|\d{1,3}[.)]|\[[ xX]\])\s+)*[*_`\"'“‘「]*\Z")
_SIGN_LEFT = re.compile(r"[+\-]\s*\Z")
_LINE_RIGHT = re.compile(r"[*_`\"'”’」.。!?！？:：;；,，]*\s*\Z")
_CELL_LEFT = re.compile(r"\|\s*[*_`\"'“]*\Z")
_CELL_RIGHT = re.compile(r"[*_`\"'”]*\s*\|")
_TRAILING = ".。!?！？…\"'”’」*_` "
_CONTEXT = 4000  # code points of a line looked at on either side


def is_too_short(quote: str, *, part: bool = False) -> bool:
    """Fewer than four words or six CJK characters; of mixed text, each counts for its share."""
    n_cjk = len(_CJK.findall(quote[:200]))
    n_words = sum(bool(_SAYS.search(word)) for word in _CJK.sub(" ", quote[:400]).split())
    share = n_words / MIN_WORDS + n_cjk / MIN_CJK
    return share < (_PART_SHARE if part else 1.0)


def is_whole_unit(text: str, span: Span) -> bool:
    """True if the span is a whole line, table cell, code span or sentence, but for marks around it."""
    start, end = span
    line_start = text.rfind("\n", max(0, start - _CONTEXT), start) + 1
    line_end = text.find("\n", end, end + _CONTEXT)
    if line_end < 0:
        line_end = min(len(text), end + _CONTEXT)
    left, right = text[max(line_start, start - _CONTEXT) : start], text[end:line_end]
    if _CELL_LEFT.search(left) and _CELL_RIGHT.match(right):
        return True
    if text[start] == text[end - 1] == "|" and end - start > 2:
        return True  # a cell with its borders
    if left.endswith("`") and right.startswith("`") and "`" not in text[start:end]:
        return True
    signed = text[start].isdigit() and _SIGN_LEFT.search(left)
    if not signed and _LINE_LEFT.match(left) and _LINE_RIGHT.match(right):
        return True
    around = text[line_start:line_end]
    for begin, stop in sentences(around):
        begin += line_start
        stop += line_start
        lead = text[begin:start]
        if begin <= start < stop and end <= stop + 1:
            return not lead.strip("\"'“‘「*_` ") and not text[end:stop].strip(_TRAILING)
    return False
