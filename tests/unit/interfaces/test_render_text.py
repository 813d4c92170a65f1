"""Lines that fit, and nothing that a terminal would obey."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from suffice.interfaces.render import markdown
from suffice.interfaces.render.text import grid, plain, styled, wrap

PROSE = st.text(
    st.sampled_from("ab 密钥，。（）[]`*_|-#>1.\n\t\u200d\u0301é🎉\x1b\x9b[]m;0\u202e\ud800\r")
).filter(bool)


@pytest.mark.parametrize(
    ("hostile", "safe"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;ZXZpbA==\x07x", "x"),
        ("\x9b2Jcleared", "cleared"),
        ("\x1bP1$rdevice\x1b\\x", "x"),
        ("a\x08b\x7fc\x00d", "abcd"),
        ("price\u202e 001", "price 001"),
        ("lone \ud800", "lone \ufffd"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("tab\there", "tab    here"),
        ("naïve 密钥 \u200fשלום", "naïve 密钥 \u200fשלום"),
    ],
)
def test_what_a_terminal_would_obey_is_taken_out(hostile: str, safe: str) -> None:
    assert plain(hostile) == safe


@given(PROSE)
def test_nothing_that_moves_the_cursor_is_left(text: str) -> None:
    assert not [char for char in plain(text) if ord(char) < 32 and char != "\n"]
    assert not [char for char in plain(text) if 0x7F <= ord(char) < 0xA0 or 0xD800 <= ord(char) < 0xE000]


@given(PROSE, st.integers(12, 60))
def test_wrapped_lines_fit_and_lose_only_spaces(text: str, width: int) -> None:
    rows = wrap(styled(text), width, first="1. ", rest="   ")
    assert all(row.cell_len <= width for row in rows)
    said = "".join(row.plain[3:] for row in rows)
    assert "".join(said.split()) == "".join(plain(text).split())


@given(PROSE, st.integers(20, 60))
def test_any_passage_can_be_shown_at_any_width(text: str, width: int) -> None:
    assert all(row.cell_len <= width for row in markdown.lines(text, width, bar="│ "))


def test_han_text_fills_the_line_after_a_latin_word_and_no_line_begins_with_a_closing_mark() -> None:
    rows = wrap(Text("请运行 rotate 轮换签名密钥，再等待所有实例重新加载。"), 24)
    assert [row.plain for row in rows] == ["请运行 rotate 轮换签名密", "钥，再等待所有实例重新加", "载。"]
    assert not any(row.plain[0] in "，。" for row in rows)


def test_a_long_path_is_broken_after_a_slash() -> None:
    rows = wrap(Text("see guide/keys/rotation/schedule/overview.md"), 24)
    assert [row.plain for row in rows] == ["see", "guide/keys/rotation/", "schedule/overview.md"]


def test_lists_keep_their_shape_when_wrapped() -> None:
    rows = markdown.lines("Steps:\n\n1. Run the rotation and wait for it\n   - then **prune**\n2. Done", 24)
    assert [row.plain for row in rows] == [
        "Steps:",
        "",
        "1. Run the rotation and",
        "   wait for it",
        "   • then prune",
        "2. Done",
    ]


def test_code_is_not_reflowed_and_a_long_line_goes_on_behind_an_arrow() -> None:
    rows = markdown.lines("```sh\nif true; then\n    run --with a-long-option\nfi\n```", 24)
    assert [row.plain for row in rows] == ["  if true; then", "      run --with", "  ↪ a-long-option", "  fi"]


def test_a_table_is_a_grid_where_it_fits_and_records_where_it_does_not() -> None:
    table = "| Plan | Keys per project |\n|---|---|\n| Free | 2 |\n| Team | 50 |"
    assert [row.plain for row in markdown.lines(table, 40)] == [
        "Plan  Keys per project",
        "────  ────────────────",
        "Free  2",
        "Team  50",
    ]
    wide = "| A | B | C |\n|---|---|---|\n| aaaaaaaaaaaa | bbbbbbbbbbbb | cccccccccccc |"
    assert [row.plain for row in markdown.lines(wide, 20)] == [
        "A: aaaaaaaaaaaa",
        "B: bbbbbbbbbbbb",
        "C: cccccccccccc",
    ]


def test_a_table_row_quoted_alone_is_not_torn() -> None:
    assert [row.plain for row in markdown.lines("| Team | 50   | 24 |", 40)] == ["Team  50  24"]


def test_code_spans_keep_their_ticks_and_only_links_that_lead_somewhere_keep_their_target() -> None:
    text = (
        "See [keys](/guide/keys#a) or [the site](https://example.org/k_e_y), run `a * b * c` in my_own_file."
    )
    assert markdown.inline(text).plain == (
        "See keys or the site (https://example.org/k_e_y), run `a * b * c` in my_own_file."
    )


def test_the_gist_skips_headings_fences_and_marks() -> None:
    assert markdown.gist("## Rotate\n\n```sh\n- [Run](x) it") == "Run it"


def test_columns_of_wide_characters_line_up() -> None:
    rows = grid([[Text("密钥"), Text("x")], [Text("abcdef"), Text("y")]], ["名", "v"], 40)
    assert {
        cell_len(row.plain[: row.plain.index(mark)]) for row, mark in zip(rows[2:], "xy", strict=True)
    } == {8}
