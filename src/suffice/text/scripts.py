"""Character classes by script, as strings to put inside a regular expression's brackets.

Written out and not computed: a walk over all of Unicode would cost more than the start of a command.
"""

from __future__ import annotations

import re

HAN = (
    "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
KANA = "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff\uffa0-\uffdc"
BOPOMOFO = "\u3105-\u312f\u31a0-\u31bf"
# Scripts that write words without spaces and without being CJK: Thai, Lao, Tibetan, Burmese, Khmer.
UNSPACED = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u0f40-\u0fbc\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
GRAMS = HAN + KANA + HANGUL + BOPOMOFO + UNSPACED
"""What is matched by characters and pairs of characters, because words cannot be told apart."""
UNSPACED_CJK = HAN + KANA + BOPOMOFO
"""Where white space carries no meaning: Han and kana, but not hangul, which is written with spaces."""

IGNORABLE = (
    "\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef"
)
"""Invisible: soft hyphen, zero-width characters, direction marks, variation selectors."""

MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0900-\u0903\u093a-\u094f\u0951-\u0963"
    "\u0981-\u0983\u09bc-\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a70-\u0a75\u0a81-\u0a83\u0abc-\u0acd"
    "\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3c-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6"
    "\u0d00-\u0d03\u0d3b-\u0d4d\u0dca-\u0ddf\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
)
"""Combining marks, which Python's `\\w` does not count as part of a word."""

DROP_IGNORABLE = re.compile(f"[{IGNORABLE}]+")
GRAM_RUN = re.compile(f"[{GRAMS}][{GRAMS}{IGNORABLE}]*")
IS_UNSPACED_CJK = re.compile(f"[{UNSPACED_CJK}]")
