"""Plain text to paragraphs and list items."""

from __future__ import annotations

from suffice.plugins.parsers import plain


def blocks(text: str) -> list[tuple[str, int, str]]:
    document = plain.create().parse(text.encode(), name="a.txt", sha256="", media_type="text/plain")
    return [(block.kind, block.level, document.text[slice(*block.span)]) for block in document.blocks]


def test_paragraphs_stand_between_blank_lines() -> None:
    assert blocks("a\nb\n\n \t\nc\n") == [("paragraph", 0, "a\nb"), ("paragraph", 0, "c")]


def test_marked_lines_are_list_items_with_their_further_lines() -> None:
    assert blocks("Buy:\n- milk\n  and bread\n- eggs\n1) first\n    • deep\n") == [
        ("paragraph", 0, "Buy:"),
        ("list_item", 1, "- milk\n  and bread"),
        ("list_item", 1, "- eggs"),
        ("list_item", 1, "1) first"),
        ("list_item", 3, "    • deep"),
    ]


def test_only_underlined_lines_are_headings() -> None:
    assert blocks("Title\n=====\nwords\n\nPart\n----\n\nALL CAPITALS\n\n# hash\n") == [
        ("heading", 1, "Title\n====="),
        ("paragraph", 0, "words"),
        ("heading", 2, "Part\n----"),
        ("paragraph", 0, "ALL CAPITALS"),
        ("paragraph", 0, "# hash"),
    ]


def test_a_line_of_dashes_below_a_paragraph_or_a_list_is_no_underline() -> None:
    assert [kind for kind, _, _ in blocks("one\ntwo\n-----\n\n- item\n-----\n")] == ["paragraph", "list_item"]
    assert [kind for kind, _, _ in blocks("=====\n-----\nx\n")] == ["paragraph"]


def test_markup_is_left_as_it_is() -> None:
    assert blocks("<b>a</b> &amp; `c`\n") == [("paragraph", 0, "<b>a</b> &amp; `c`")]
