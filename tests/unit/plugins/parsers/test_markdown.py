"""Markdown to blocks."""

from __future__ import annotations

import pytest

from suffice.plugins.parsers import markdown
from suffice.values import Document, Removal


def parse(text: str, name: str = "guides/get-started.md") -> Document:
    return markdown.create().parse(text.encode(), name=name, sha256="", media_type="text/markdown")


def blocks(text: str) -> list[tuple[str, int, str]]:
    document = parse(text)
    return [(block.kind, block.level, document.text[slice(*block.span)]) for block in document.blocks]


def test_the_text_is_the_file() -> None:
    text = "---\ntitle: T\n---\n\n# Ä *b*\r\n\r\nword\tword  \n<!-- c -->\n"
    document = parse("\ufeff" + text)
    assert document.text == text.replace("\r\n", "\n")


def test_kinds_levels_and_whole_source_lines() -> None:
    text = "# One #\n\nWords.\n\n- a\n  - b\n- c\n\n| x |\n|---|\n| 1 |\n\n```py\n# no\n```\n\nTwo\n---\n"
    assert blocks(text) == [
        ("heading", 1, "# One #"),
        ("paragraph", 0, "Words."),
        ("list_item", 1, "- a"),
        ("list_item", 2, "  - b"),
        ("list_item", 1, "- c"),
        ("table", 0, "| x |\n|---|\n| 1 |"),
        ("code", 0, "```py\n# no\n```"),
        ("heading", 2, "Two\n---"),
    ]


def test_heading_words_are_plain() -> None:
    document = parse("## The `wrap` [link](/u) *and* &amp; <b>more</b> {#anchor}\n")
    assert [block.text for block in document.blocks] == ["The wrap link and & more"]


@pytest.mark.parametrize(
    "fence",
    ["~~~~\n# a\n~~~\n# b\n~~~~", "````\n```\n# a\n```\n````", "```\n# never closed\n\n# b"],
)
def test_hash_lines_in_a_fence_are_code(fence: str) -> None:
    assert blocks(f"para\n\n{fence}\n")[1:] == [("code", 0, fence)]


def test_indented_code_keeps_its_indentation() -> None:
    assert blocks("para\n\n    # a\n\n      b\n")[1] == ("code", 0, "    # a\n\n      b")


def test_code_in_a_list_item_is_a_block_of_its_own() -> None:
    text = "1. Run:\n\n   ```sh\n   make\n   ```\n\n   Then wait.\n2. Done.\n"
    assert blocks(text) == [
        ("list_item", 1, "1. Run:"),
        ("code", 0, "   ```sh\n   make\n   ```"),
        ("paragraph", 0, "   Then wait."),
        ("list_item", 1, "2. Done."),
    ]


def test_a_second_paragraph_belongs_to_its_item() -> None:
    assert blocks("- a\n\n  more\n- b\n")[0] == ("list_item", 1, "- a\n\n  more")


def test_a_quote_is_one_paragraph_with_its_marks() -> None:
    assert blocks("> **Note**\n>\n> - x\n> > deep\n\nafter\n") == [
        ("paragraph", 0, "> **Note**\n>\n> - x\n> > deep"),
        ("paragraph", 0, "after"),
    ]


def test_details_are_one_block_even_over_blank_lines_headings_and_nesting() -> None:
    details = (
        "<details>\n<summary>S</summary>\n\n# no\n\n<details>\n\nx\n\n</details>\n\n```\ny\n```\n\n</details>"
    )
    assert blocks(f"a\n\n{details}\n\nb\n") == [
        ("paragraph", 0, "a"),
        ("details", 0, details),
        ("paragraph", 0, "b"),
    ]


def test_details_never_closed_do_not_swallow_the_page() -> None:
    assert [kind for kind, _, _ in blocks("<details>\n\n# a\n\nb\n")] == ["paragraph", "heading", "paragraph"]


def test_a_comment_is_in_no_block_and_is_recorded() -> None:
    document = parse("a\n\n<!-- secret -->\n\nb\n")
    assert [document.text[slice(*block.span)] for block in document.blocks] == ["a", "b"]
    assert document.removed == (Removal("HTML comment", 1),)


def test_link_definitions_are_not_lost() -> None:
    assert ("paragraph", 0, "[x]: https://example.org/limit") in blocks(
        "a [x]\n\n[x]: https://example.org/limit\n"
    )


@pytest.mark.parametrize(
    ("front", "title", "meta"),
    [
        (
            "---\ntitle: 'It''s: here'\nweight: 3\ndraft: false\n---",
            "It's: here",
            {"weight": 3, "draft": False},
        ),
        ("---\ntitle: A\ntags: [x, y]\n---", "A", {"tags": "x, y"}),
        (
            "---\ntags:\n  - x\n  - y\nversion: 1.10.2\n---",
            "Get started",
            {"tags": "x, y", "version": "1.10.2"},
        ),
        ("---\ntitle: A # why\nmore:\n  deep: 1\nnote: >\n  two\n  lines\n---", "A", {"note": "two lines"}),
        ('+++\ntitle = "B"\ndate = 2024-05-01\n[x]\ny = 1\n+++', "B", {"date": "2024-05-01"}),
    ],
)
def test_front_matter(front: str, title: str, meta: dict[str, object]) -> None:
    document = parse(f"{front}\n\nwords\n")
    assert (document.title, document.meta) == (title, meta)
    assert [document.text[slice(*block.span)] for block in document.blocks] == ["words"]
    assert document.removed == (Removal("front matter", 1),)


def test_a_thematic_break_at_the_top_is_no_front_matter() -> None:
    assert [text for _, _, text in blocks("---\n\nwords\n\n---\n\nmore\n")] == ["words", "more"]


def test_title_from_the_first_top_heading_or_the_name() -> None:
    assert parse("## Two\n\n# One\n").title == "One"
    assert parse("words\n", "a/my_long-name.md").title == "My long name"
    assert parse("words\n", "guides/bulk-loads/index.md").title == "Bulk loads"
    assert parse("words\n", "README.md").title == "README"


def test_spans_are_code_points_not_bytes() -> None:
    text = "# 概述 𠮷\n\nÄpfel kosten 3 €.\n\n- 第一\n"
    assert [words for _, _, words in blocks(text)] == ["# 概述 𠮷", "Äpfel kosten 3 €.", "- 第一"]
