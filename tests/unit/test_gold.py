"""Where quotes stand in a text, and from which rank on chunks hold them."""

from __future__ import annotations

import pytest

from suffice.gold import find, first_whole, same_document, share_held


def words(text: str, quote: str) -> list[str]:
    return [text[start:end] for start, end in find(text, quote)]


@pytest.mark.parametrize(
    ("text", "quote", "there"),
    [
        ("Keep it for 30 days. Keep it.", "Keep it", ["Keep it", "Keep it"]),
        ("Keep it\n  for 30 days", "Keep it for 30 days", ["Keep it\n  for 30 days"]),
        ("Say “yes” — now", 'Say "yes" - now', ["Say “yes” — now"]),
        ("Use **bold** [links](https://a.example/x)", "Use bold links", ["Use **bold** [links"]),
        ("- one\n- two\n- three", "one\ntwo", ["one\n- two"]),
        (
            "| Plan | Days |\n| --- | --- |\n| Free | 30 |",
            "Plan Days Free 30",
            ["Plan | Days |\n| --- | --- |\n| Free | 30"],
        ),
        ("读取 KV 命名空间", "KV命名空间", ["KV 命名空间"]),
        ("a party, an art", "art", ["art"]),
        ("30 days", "90 days", []),
        ("text", "  ", []),
        ("", "text", []),
    ],
)
def test_find(text: str, quote: str, there: list[str]) -> None:
    assert words(text, quote) == there


def test_a_place_inside_a_word_counts_only_where_there_is_no_other() -> None:
    assert find("a party, an art", "art") == ((12, 15),)
    assert find("a party", "art") == ((3, 6),)


def test_a_million_repeats_do_not_take_for_ever() -> None:
    assert 0 < len(find("ab " * 300_000, "ab ab")) <= 300_000


@pytest.mark.parametrize(
    ("name", "doc", "same"),
    [
        ("pages/a.md", "a.md", True),
        ("a.md", "pages/a.md", True),
        ("pages/a.md", "pages/a.md", True),
        ("pages/ba.md", "a.md", False),
        ("a.md", "", True),
    ],
)
def test_same_document(name: str, doc: str, same: bool) -> None:
    assert same_document(name, doc) is same


def test_a_cut_quote_is_held_from_the_last_chunk_that_is_needed() -> None:
    text = "0123456789 0123456789 0123456789"
    assert first_whole(text, (0, 32), [(1, (0, 11)), (4, (11, 22)), (9, (22, 32))]) == 9
    assert first_whole(text, (0, 32), [(1, (0, 11)), (4, (11, 22))]) is None
    assert first_whole(text, (12, 20), [(7, (0, 32)), (3, (10, 22)), (1, (22, 32))]) == 3
    assert first_whole(text, (0, 10), []) is None


def test_blanks_between_chunks_belong_to_none() -> None:
    assert share_held("one\n\ntwo", (0, 8), [(0, 3), (5, 8)]) == 1.0
    assert share_held("   ", (0, 3), [(0, 3)]) == 0.0
