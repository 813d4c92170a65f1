"""Where a quote may begin and end: never inside a word, a number, an identifier, or after its "not"."""

from __future__ import annotations

import re

from suffice.text.scripts import GRAMS, IGNORABLE, MARKS
from suffice.values import Span

CUT = "quote cut inside a word or number"
NEGATED = "quote cut off from its negation"

_WORD = re.compile(rf"(?![{GRAMS}])(?:[\w{MARKS}])")
_SPACED_SIGN = re.compile(r"[^\s\-] *[=:(<>≤≥]? *[-±] \Z|± \Z")
_JOINTS = frozenset("-./:@\\'~+_#=&")
_SIGNS = frozenset("-+±<>≤≥≈~$€£¥₩₹.,—×")
_SUFFIXES = frozenset("%‰°′″²³⁴⁵⁶⁷⁸⁹")
_NUMERALS = frozenset("〇零一二三四五六七八九十百千万亿兆两壹贰叁肆伍陆柒捌玖拾佰仟萬億兩")
_MULTIPLIERS = frozenset("十百千万亿兆萬億")
_NEGATION_BEFORE = re.compile(
    r"(?:\b(?:not|never|cannot|no|without|neither|nor|nicht|nie|niemals|kein\w{0,2}|ohne|ne|pas|jamais|sans|nunca"
    r"|jamás|não|nem|non|mai|senza|niet|geen|nooit)|n't)"
    r"[\"'(\s]*\Z|\bn'\Z|[不没沒未無无非勿别別莫毋][能会會可要]?\Z",
    re.IGNORECASE,
)
_NEGATION_AFTER = re.compile(
    r"[\"')\s]*(?:not|never|nicht|nie|niemals|pas|jamais|nunca|niet|nooit)\b|n't\b"
    r"|(?:て|で|は|が|も|し|く|に)?(?:い|き|み|り|ち|に|び|ぎ|え|け|せ|れ|め|べ|て|ね|げ)?(?:ません|ない|なく|なかっ)",
    re.IGNORECASE,
)
_REACH = 40  # code points looked at on either side


_UNSEEN = re.compile(f"[{IGNORABLE}*`]+")
_SPACE = re.compile(r"\s+")
# A long dash is left out: it stands between words as a stop does, and joins only figures.
_TYPOGRAPHY = str.maketrans({**dict.fromkeys("‐‑‒–−﹘﹣－", "-"), **dict.fromkeys("‘’", "'"), "％": "%"})


def objection(text: str, span: Span) -> str | None:
    """Why this span of a source may not be quoted alone, or None. Emphasis marks around it are not seen."""
    start, end = span
    inside = _seen(text[start:end])
    before = _seen(text[max(0, start - _REACH) : start])
    after = _seen(text[end : end + _REACH])
    if before and _cut_at_start(before, inside[:2]):
        return CUT
    if after and _cut_at_end(inside[-2:], after):
        return CUT
    if _NEGATION_BEFORE.search(before) or _NEGATION_AFTER.match(after):
        return NEGATED
    return None


def _seen(text: str) -> str:
    """White space as one space or line break: a dash that begins a line is a list mark, not a sign."""
    bare = _UNSEEN.sub("", text).translate(_TYPOGRAPHY)
    return _SPACE.sub(lambda match: "\n" if "\n" in match.group() else " ", bare)


def is_word(character: str) -> bool:
    """A letter, digit, mark or underscore of a script that writes spaces between words."""
    return bool(character) and bool(_WORD.match(character))


def _cut_at_start(before: str, head: str) -> bool:
    near, far, first = before[-1], before[-2:-1], head[:1]
    if first in _NUMERALS and near in _NUMERALS:
        return True
    if not is_word(first):
        return first in _JOINTS and is_word(head[1:2]) and is_word(near)
    if is_word(near) or (near in _JOINTS and is_word(far)):
        return True
    if not first.isdigit():
        return False
    if near in _SIGNS:
        return near not in ",—" or far.isdigit()
    # A sign may stand apart from its figure, but "- 5" after nothing is a list.
    return near == " " and bool(_SPACED_SIGN.search(before))


def _cut_at_end(tail: str, after: str) -> bool:
    near, far, last = after[0], after[1:2], tail[-1:]
    if last in _NUMERALS and near in _NUMERALS:
        return True
    if not is_word(last):
        return last in _JOINTS and len(tail) == 2 and is_word(tail[0]) and is_word(near)
    if is_word(near) or (near in _JOINTS and is_word(far)):
        return True
    if not last.isdigit():
        return False
    return near in _SUFFIXES or near in _MULTIPLIERS or (near in ",—" and far.isdigit())
