"""Where sections are cut."""

from __future__ import annotations

import pytest

from suffice.errors import SettingsError
from suffice.plugins.chunkers import structure
from suffice.plugins.parsers import markdown
from suffice.values import Block, Chunk, Document, Segment


def cut(text: str, max_chars: int = 2400) -> tuple[Chunk, ...]:
    document = markdown.create().parse(text.encode(), name="a.md", sha256="", media_type="")
    return structure.create(max_chars=max_chars).cut(document)


def sentences(n: int, word: str = "water") -> str:
    return " ".join(f"Sentence {i} is about {word}." for i in range(n))


def test_a_section_that_fits_is_one_chunk_with_its_heading() -> None:
    (chunk,) = cut("## Limits\n\nTwo.\n\n- a\n- b\n")
    assert chunk.text == "## Limits\n\nTwo.\n\n- a\n- b"
    assert (chunk.heading_path, chunk.kinds) == (("Limits",), ("heading", "paragraph", "list_item"))


def test_text_before_the_first_heading_has_an_empty_path() -> None:
    assert [chunk.heading_path for chunk in cut("intro\n\n# A\n\nx\n")] == [(), ("A",)]


def test_a_heading_right_above_a_deeper_one_is_bound_to_what_follows() -> None:
    chunks = cut("# A\n\n## B\n\nx\n\n## C\n\ny\n\n# D\n\nz\n")
    assert [(chunk.text.split("\n")[0], chunk.heading_path) for chunk in chunks] == [
        ("# A", ("A", "B")),
        ("## C", ("A", "C")),
        ("# D", ("D",)),
    ]


def test_a_heading_with_nothing_below_is_a_chunk_of_its_own() -> None:
    chunks = cut("# A\n\n## Empty\n\n## B\n\nx\n\n## Last\n")
    assert [chunk.heading_only for chunk in chunks] == [True, False, True]
    assert chunks[2].heading_path == ("A", "Last")


def test_skipped_levels_make_the_path_of_what_is_there() -> None:
    assert [chunk.heading_path for chunk in cut("### C\n\nx\n\n# A\n\ny\n\n### D\n\nz\n")] == [
        ("C",),
        ("A",),
        ("A", "D"),
    ]


@pytest.mark.parametrize("lead", ["Run this command:", "请运行：", "`config.toml`", "**Example:**"])
def test_a_lead_in_stays_with_what_it_introduces(lead: str) -> None:
    code = "```\n" + "x = 1\n" * 60 + "```"
    chunks = cut(f"# A\n\n{sentences(10)}\n\n{lead}\n\n{code}\n", 500)
    assert [chunk.text for chunk in chunks][-1] == f"{lead}\n\n{code}"


def test_a_table_over_the_limit_is_whole_with_its_lead_in_and_reported() -> None:
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 100
    chunks = cut(f"{sentences(20)}\n\nTable 1: limits\n\n{table}\n{sentences(3)}\n", 500)
    held = [chunk for chunk in chunks if "| a | b |" in chunk.text]
    assert len(held) == 1
    assert held[0].text == f"Table 1: limits\n\n{table.rstrip()}"
    assert held[0].oversized
    assert not any(chunk.oversized for chunk in chunks if chunk is not held[0])


def test_steps_are_kept_together_where_they_fit() -> None:
    steps = "\n".join(f"{i}. Turn valve number {i} to the left until it clicks." for i in range(1, 8))
    chunks = cut(f"# A\n\n{sentences(9)}\n\n{sentences(3)}\n\nDo:\n\n{steps}\n\n{sentences(4)}\n", 500)
    assert any(steps in chunk.text and "Do:" in chunk.text for chunk in chunks)


def test_a_list_over_the_limit_is_cut_between_items() -> None:
    items = [f"- Item {i} says something about the pump in room {i}." for i in range(40)]
    chunks = cut("# A\n\n" + "\n".join(items) + "\n", 500)
    assert len(chunks) > 3
    for item in items:
        assert sum(item in chunk.text.split("\n") for chunk in chunks) == 1
    assert min(len(chunk.text) for chunk in chunks) > 200


def test_a_paragraph_over_the_limit_is_cut_at_sentences() -> None:
    chunks = cut(sentences(100), 500)
    assert all(chunk.text.startswith("Sentence") and chunk.text.endswith(".") for chunk in chunks)
    assert all(len(chunk.text) <= 500 for chunk in chunks)
    assert " ".join(chunk.text for chunk in chunks) == sentences(100)


@pytest.mark.parametrize("text", ["读" * 3000, "x" * 3000, "读取。" * 1000, "a b " * 900, "😀" * 2000])
def test_text_without_sentences_or_spaces_is_still_within_the_limit(text: str) -> None:
    chunks = cut(text, 500)
    assert all(len(chunk.text) <= 500 for chunk in chunks)
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(text.split())


def test_no_last_chunk_of_a_few_words() -> None:
    paragraphs = "\n\n".join(sentences(7, f"w{i}") for i in range(3)) + "\n\nThe end is short."
    assert min(len(chunk.text) for chunk in cut(paragraphs, 500)) > 100


def test_a_removed_comment_is_in_no_chunk() -> None:
    chunks = cut("# A\n\n<!-- one -->\n\nx\n\n<!-- two -->\n\ny\n\n---\n\nz\n")
    assert [chunk.text for chunk in chunks] == ["x", "y\n\n---\n\nz"]
    assert {chunk.heading_path for chunk in chunks} == {("A",)}


def test_ids_follow_the_text_and_not_its_place() -> None:
    before = {chunk.heading_path: chunk.id for chunk in cut("# A\n\nx\n\n# B\n\ny\n")}
    after = {chunk.heading_path: chunk.id for chunk in cut("# B\n\ny\n\n# New\n\nn\n\n# A\n\nx changed\n")}
    assert before["B",] == after["B",]
    assert before["A",] != after["A",]


def test_repeats_in_one_document_have_different_ids() -> None:
    first, second = cut("# A\n\nsame\n\n# A\n\nsame\n")
    assert second.id == first.id + ".1"


def test_the_page_is_that_of_the_marker_before_the_chunk() -> None:
    text = "one\n\ntwo"
    blocks = (Block("page", (0, 0), 1), Block("paragraph", (0, 3)), Block("page", (5, 5), 2))
    document = Document("a", "", "A", text, (*blocks, Block("paragraph", (5, 8))), (Segment((0, 8), (0, 8)),))
    assert [(chunk.text, chunk.page) for chunk in structure.create(max_chars=4).cut(document)] == [
        ("one", 1),
        ("two", 2),
    ]


@pytest.mark.parametrize("limit", [0, -5, 2.5, "many"])
def test_a_limit_that_makes_no_sense_is_refused(limit: object) -> None:
    with pytest.raises(SettingsError, match="max_chars"):
        structure.create(max_chars=limit)  # type: ignore[arg-type]
