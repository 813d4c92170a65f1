"""The normaliser: what it folds, what it never touches, and the way back."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.text.folding import Markup, fold


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a\u00a0b\u2009c\nd", "a b c d"),
        ("“x” ‘y’", "\"x\" 'y'"),
        ("5–10 re‑start −5 —", "5-10 re-start -5 -"),
        ("e\u0301 A\u030a", "é Å"),
        ("ＡＢ１２（x）", "AB12(x)"),
        ("ｶﾞｽ", "ガス"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"),
        ("使用 KV 命名\n空间，好。", "使用KV命名空间,好."),
        ("wait...", "wait…"),
        ("ﬁne 5 µm", "fine 5 μm"),
    ],
)
def test_typography_is_folded(one: str, other: str) -> None:
    assert fold(one).text == fold(other).text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10²", "102"),
        ("−5", "5"),
        ("5–10", "510"),
        ("A", "a"),
        ("α", "a"),
        ("½", "1/2"),
        ("é", "e"),
        ("①", "1"),
        ("5 6", "56"),
    ],
)
def test_what_is_said_is_not(one: str, other: str) -> None:
    assert fold(one).text != fold(other).text


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("**Set** `max_upload` to *not* _so_ __two words__", "Set max_upload to not so two words"),
        ("5*10*2 a_b_c __init__ _x1_ 2 * 3 * 4", "5*10*2 a_b_c __init__ _x1_ 2 * 3 * 4"),
        ("[text](https://a_b.example/c_d) ![alt](x.png) <https://a.example>", "text alt https://a.example"),
        (
            "# Title\n\n- item\n- 5 kPa\n> said\n> 5 MB\n1. one\n2. two",
            "Title item - 5 kPa said > 5 MB one two",
        ),
        ("at least\n90. Then", "at least 90. Then"),
        ("`a*b*c` *d*", "a*b*c d"),
        ("foo\\_bar \\*", "foo_bar *"),
        ("这是**重要**的", "这是重要的"),
    ],
)
def test_marks_are_dropped_and_names_are_not(source: str, seen: str) -> None:
    assert fold(source, markup="all").text == seen


def test_a_quote_keeps_its_numbers_and_targets() -> None:
    assert fold("3. See *the* [x](y)", markup="quote").text == "3. See the [x](y)"


ANY = st.text(st.characters(), max_size=80) | st.text(
    alphabet="*_`[]()<>#-+1. \n\\a中ｶﾞ\u0301\u200b\ud800", max_size=80
)


@given(ANY, st.sampled_from(["keep", "quote", "emphasis", "all"]))
def test_offsets_ascend_and_stay_in_the_source(text: str, markup: Markup) -> None:
    folded = fold(text, markup=markup)
    n = len(folded.text)
    assert len(folded.starts) == len(folded.ends) == n and len(folded.offsets) == n + 1
    assert all(0 <= a < b <= len(text) for a, b in zip(folded.starts, folded.ends, strict=True))
    assert list(folded.starts) == sorted(folded.starts) and list(folded.ends) == sorted(folded.ends)
    for i, character in enumerate(folded.text):
        if character.isascii() and character.isalnum():
            assert character in fold(text[folded.starts[i] : folded.ends[i]]).text


@given(ANY)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    once = fold(text).text
    assert fold(fold(once).text).text == fold(once).text


@pytest.mark.parametrize(
    "unit", ["a", "*a", "`a", "[a](", " \n", "\u0301", "é", "- a\n", "**_", "<https://", "\ud800", "1. "]
)
def test_a_megabyte_takes_linear_time(unit: str) -> None:
    began = time.process_time()
    fold(unit * (1_000_000 // len(unit)), markup="all")
    assert time.process_time() - began < 8
