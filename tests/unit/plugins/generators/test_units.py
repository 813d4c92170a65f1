"""What can be quoted: structures whole with what introduces them, sentences whole, marks never broken."""

from __future__ import annotations

import pytest

from suffice.plugins.generators._blocks import parts
from suffice.plugins.generators._units import QUOTE_CHARS, STRUCTURE_CHARS, Unit, cut


def texts(source: str) -> list[tuple[str, str]]:
    return [(unit.kind, unit.text(source)) for unit in cut(source)]


def test_a_numbered_list_and_its_lead_in_are_one_unit() -> None:
    source = (
        "Dough needs a rest. To bake it:\n\n1. Heat the oven.\n2. Slide the loaf in.\n3. Wait 40 minutes.\n"
    )
    assert texts(source) == [
        ("sentence", "Dough needs a rest."),
        ("steps", source[source.index("To bake it") :].rstrip()),
    ]


def test_steps_parted_by_code_that_is_not_indented_stay_one_list() -> None:
    source = "To start:\n\n1. Fetch it.\n\n```sh\nget it\n```\n\n2. Open it.\n3. Close it."
    assert texts(source) == [("steps", source)]


def test_two_lists_that_both_start_at_one_are_two() -> None:
    source = "1. Fetch it now.\n2. Open it now.\n\nThen, elsewhere:\n\n1. Close it now.\n2. Leave it now."
    assert [kind for kind, _ in texts(source)] == ["steps", "steps"]


def test_an_item_keeps_its_indented_code_and_sub_items() -> None:
    filler = "and this goes on for quite a while so that the list is long " * 8
    below = "\n\n  ```sh\n  run - it\n\n  # not a heading\n  ```\n\n  - inner item\n"
    source = f"- first {filler}{below}- second {filler}"
    units = texts(source)
    assert [kind for kind, _ in units] == ["item", "item"]
    assert units[0][1].endswith("- inner item")
    assert "# not a heading" in units[0][1]


def test_a_long_list_gives_its_items_each_with_the_lead_in() -> None:
    items = [
        f"- value number {n} is described in these many words, which make the list long" for n in range(9)
    ]
    source = "These values are allowed:\n\n" + "\n".join(items)
    units = cut(source)
    assert len(units) == 9
    assert units[4].text(source) == "These values are allowed:\n" + items[4]
    assert all(unit.kind == "item" for unit in units)


def test_a_row_travels_with_the_header_and_the_line_of_dashes() -> None:
    rows = [f"| ward {n} | {n} beds | visitors until {n} pm |" for n in range(1, 12)]
    header = "| Ward | Beds | Visitors |\n| --- | ---: | --- |"
    source = header + "\n" + "\n".join(rows)
    units = cut(source)
    assert [unit.kind for unit in units] == ["row"] * 11
    assert units[0].spans == ((0, len(header) + 1 + len(rows[0])),)
    assert [source[start:end] for start, end in units[6].spans] == [header, rows[6]]


def test_a_small_table_is_read_as_one() -> None:
    source = "| Flour | Water |\n|---|---|\n| 500 g | 350 g |\n| 1 kg | 700 g |"
    assert texts(source) == [("table", source)]


def test_code_keeps_its_lead_in_and_tabs_share_it() -> None:
    tabs = "**bash**\n\n```sh\nput key\n```\n\n**fish**\n\n```fish\nput -k\n```"
    source = f"There is nothing else here. Store the key:\n\n{tabs}"
    units = texts(source)
    assert units[0] == ("sentence", "There is nothing else here.")
    assert [kind for kind, _ in units[1:]] == ["code", "code"]
    assert units[1][1].startswith("Store the key:\n\n**bash**")
    assert units[2][1].startswith("Store the key:\n**fish**")


def test_fences_inside_longer_fences_and_open_fences_are_kept_whole() -> None:
    inner = "````md\n```sh\nrun\n```\n````"
    assert texts(inner) == [("code", inner)]
    unclosed = "```sh\nrun this\n# and this"
    assert texts(unclosed) == [("code", unclosed)]


def test_code_inside_a_quoted_block_is_code() -> None:
    source = "> Run it like this:\n>\n> ```sh\n> tool run. Then wait\n> ```\n>\n> It takes a few minutes."
    units = texts(source)
    assert [kind for kind, _ in units] == ["code", "sentence"]
    assert units[0][1].endswith("> ```")


def test_code_too_long_to_show_is_quoted_by_whole_lines_in_its_fence() -> None:
    lines = [f'setting_{n} = "value {n} of the long configuration"' for n in range(120)]
    source = "```toml\n" + "\n".join(lines) + "\n```"
    units = cut(source)
    assert len(units) > 1
    assert all(unit.fence == "```toml" and unit.n_chars <= QUOTE_CHARS for unit in units)
    assert "\n".join(unit.text(source) for unit in units).split("\n") == lines


def test_a_heading_is_quoted_only_with_what_it_defines() -> None:
    glossary = "## Proofing\n\nThe last rise of shaped loaves before baking. It takes an hour."
    assert texts(glossary)[0] == (
        "definition",
        "## Proofing\n\nThe last rise of shaped loaves before baking.",
    )
    question = "## How long may visitors stay?\n\nUntil eight in the evening."
    assert texts(question) == [("definition", question)]
    named = "## Proofing\n\nProofing is the last rise of loaves. It takes an hour."
    assert texts(named)[0] == ("sentence", "Proofing is the last rise of loaves.")


@pytest.mark.parametrize("source", ["", "\n\n", "# Only a heading", "# One\n\n## Two\n", "---", "**Note**"])
def test_headings_labels_and_rules_alone_give_nothing(source: str) -> None:
    assert cut(source) == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "Write `a. Then b` in the file to make it work.",
        "Read [the guide v. 2. It helps](/a.b) before you begin here.",
        "The limit (see the table. It is below) is ten items long.",
        "Use **the first. The second** only when you are told so.",
    ],
)
def test_no_unit_ends_inside_marks(sentence: str) -> None:
    source = f"This comes before it all. {sentence} This comes after it all."
    assert sentence in [text for _, text in texts(source)]


def test_a_sentence_that_says_nothing_alone_joins_its_neighbour() -> None:
    source = "May I bring a dog? No. Guide dogs are an exception to this. Never."
    assert texts(source) == [
        ("sentence", "May I bring a dog?"),
        ("sentence", "No. Guide dogs are an exception to this. Never."),
    ]


def test_cjk_sentences_are_units() -> None:
    source = "探视时间为每天下午两点到八点。儿童须由成人陪同。重症监护室除外，请先咨询护士。"
    assert [text for _, text in texts(source)] == [
        "探视时间为每天下午两点到八点。",
        "儿童须由成人陪同。",
        "重症监护室除外，请先咨询护士。",
    ]


def test_quoted_blocks_lose_their_mark_and_their_label() -> None:
    source = "> **Warning**\n>\n> Never leave the fryer alone. Oil burns at once."
    assert [text for _, text in texts(source)] == ["Never leave the fryer alone.", "Oil burns at once."]


def test_nothing_longer_than_a_structure_is_one_unit() -> None:
    endless = "word " * 4000
    steps = "\n".join(f"{n}. {'do this and that ' * 30}" for n in range(1, 9))
    row = "| a | b |\n|---|---|\n" + "\n".join(f"| {'x ' * 100} | {n} |" for n in range(20))
    for source in (endless, steps, row):
        units = cut(source)
        assert units
        assert all(unit.n_chars <= STRUCTURE_CHARS for unit in units)


def test_spans_are_in_order_apart_and_inside() -> None:
    source = "Lead:\n\n- a b c d\n- e f g h\n\n| x | y |\n|--|--|\n| 1 | 2 |\n\n## H\n\nOne two three four."
    for unit in cut(source):
        assert isinstance(unit, Unit)
        edges = [edge for span in unit.spans for edge in span]
        assert edges == sorted(edges)
        assert edges[0] >= 0
        assert edges[-1] <= len(source)


def test_a_wrapped_line_that_begins_with_a_year_is_no_list() -> None:
    source = "The ward was opened in the spring of\n1984. It has been full since then."
    assert [part.kind for part in parts(source)] == ["paragraph"]


@pytest.mark.parametrize(
    "source", ["\0" * 50, "\ud800 lone", "| a", "|\n|-|", "[" * 3000, "> " * 2000, "- " * 2000]
)
def test_odd_input_is_read_without_failing(source: str) -> None:
    for unit in cut(source):
        assert unit.text(source)


def test_a_list_of_links_is_no_answer_but_an_item_that_says_something_is() -> None:
    menu = "## Contents\n\n- [Renew a card](renew.md)\n- [Report a loss](loss.md)\n"
    assert cut(menu) == ()
    told = menu + "- [Fees](fees.md): a lost card costs 12 euros.\n"
    assert [unit.text(told) for unit in cut(told)][-1].endswith("a lost card costs 12 euros.")
