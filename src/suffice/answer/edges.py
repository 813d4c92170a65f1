"""Where a quote may begin and end: never inside a word, a number, an identifier, or after its "not"."""

from __future__ import annotations

import re

from suffice.text.scripts import GRAMS, MARKS

CUT = "quote cut inside a word or number"
NEGATED = "quote cut off from its negation"

_WORD = re.compile(rf"(?![{GRAMS}])(?:[\w{MARKS}])")
_JOINTS = frozenset("-./:@\\'~+_#=&")
_SIGNS = frozenset("-+±<>≤≥≈~$€£¥₩₹.,×")
_SUFFIXES = frozenset("%‰°′″²³⁴⁵⁶⁷⁸⁹")
_NUMERALS = frozenset("〇零一二三四五六七八九十百千万亿兆两壹贰叁肆伍陆柒捌玖拾佰仟萬億兩")
_MULTIPLIERS = frozenset("十百千万亿兆萬億")
_NEGATION_BEFORE = re.compile(
    r"(?:\b(?:not|never|cannot|no|without|neither|nor|nicht|nie|niemals|kein\w{0,2}|ohne|ne|pas|jamais|sans|nunca"
    r"|jamás|não|nem|non|mai|senza|niet|geen|nooit)|n't)[\"'( ]*\Z|\bn'\Z|[不没沒未無无非勿别別莫毋][能会會可要]?\Z",
    re.IGNORECASE,
)
_NEGATION_AFTER = re.compile(
    r"[\"') ]*(?:not|never|nicht|nie|niemals|pas|jamais|nunca|niet|nooit)\b|n't\b"
    r"|(?:て|で|は|が|も|し|く|に)?(?:い|き|み|り|ち|に|び|ぎ|え|け|せ|れ|め|べ|て|ね|げ)?(?:ません|ない|なく|なかっ)",
    re.IGNORECASE,
)
_REACH = 24  # code points looked at on either side


def objection(text: str, start: int, end: int) -> str | None:
    """Why `text[start:end]` may not be quoted alone, or None. The text is folded or raw."""
    first, last = text[start], text[end - 1]
    before, after = text[max(0, start - _REACH) : start], text[end : end + _REACH]
    if before and _cut_at_start(before, text[start : start + 2], first):
        return CUT
    if after and _cut_at_end(text[max(0, end - 2) : end], after, last):
        return CUT
    if _NEGATION_BEFORE.search(before) or _NEGATION_AFTER.match(after):
        return NEGATED
    return None


def is_word(character: str) -> bool:
    """A letter, digit, mark or underscore of a script that writes spaces between words."""
    return bool(character) and bool(_WORD.match(character))


def _cut_at_start(before: str, head: str, first: str) -> bool:
    near, far = before[-1], before[-2:-1]
    if first in _NUMERALS and near in _NUMERALS:
        return True
    if is_word(first):
        if is_word(near):
            return True
        if near in _JOINTS and is_word(far):
            return True
        if first.isdigit():
            if near == "," and far.isdigit():
                return True
            if near in _SIGNS and near != ",":
                return True
            # A minus with a space is still a sign, unless it is a mark at a line's start.
            return (near == " " and far in ("−", "±")) or (near == " " and far == "-" and _is_sign(before))
        return False
    if first in _JOINTS | {","} and is_word(head[1:2]):
        return is_word(near)
    return False


def _is_sign(before: str) -> bool:
    """ "x - 5": a dash with space on both sides, before a figure, in the middle of a line."""
    return bool(re.search(r"[^\s\-]\s*[=:(]\s*- \Z", before))


def _cut_at_end(tail: str, after: str, last: str) -> bool:
    near, far = after[0], after[1:2]
    if last in _NUMERALS and near in _NUMERALS:
        return True
    if is_word(last):
        if is_word(near):
            return True
        if near in _JOINTS and is_word(far):
            return True
        if last.isdigit():
            if near in _SUFFIXES or near in _MULTIPLIERS:
                return True
            return near == "," and far.isdigit()
        return False
    if last in _JOINTS | {","} and len(tail) == 2 and is_word(tail[0]):
        return is_word(near) and not (last == "," and not near.isdigit())
    return False
