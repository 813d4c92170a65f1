"""Parts: every word embedded, nothing over the window, cut where a reader would cut."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice import registry
from suffice.errors import EmbedderError
from suffice.index.parts import embedded_texts
from suffice.values import Block, Chunk


class Words:
    """Counts words; `room` is set by the test."""

    def __init__(self, room: int) -> None:
        self._room = room

    def count_tokens(self, text: str) -> int:
        return len(re.findall(r"\w+|[^\w\s]", text))

    def room(self) -> int:
        return self._room


def chunk(text: str, title: str = "", path: tuple[str, ...] = (), start: int = 0) -> Chunk:
    return Chunk("id", "d.md", title, path, (start, start + len(text)), text, ("paragraph",))


def bodies(texts: tuple[str, ...], prefix: str) -> list[str]:
    assert all(text.startswith(prefix) for text in texts)
    return [text.removeprefix(prefix) for text in texts]


def test_what_fits_is_one_text_with_title_and_headings_each_once() -> None:
    made = chunk("Body.", "Guide", ("Guide", "Setup", "Keys"))
    assert embedded_texts(made, Words(100), 800) == ("Guide\nSetup\nKeys\nBody.",)


def test_without_title_and_headings_the_text_stands_alone() -> None:
    assert embedded_texts(chunk(" Body.\n"), Words(100), 800) == ("Body.",)


def test_parts_are_of_near_equal_size_and_end_at_sentences() -> None:
    text = " ".join(f"Sentence number {n} says a little something here." for n in range(40))
    parts = embedded_texts(chunk(text), Words(10_000), 500)
    assert " ".join(parts) == text
    assert all(len(part) <= 500 and part.endswith(".") for part in parts)
    assert max(map(len, parts)) < 1.5 * min(map(len, parts))


def test_a_list_is_cut_at_items_and_blocks_go_before_lines() -> None:
    items = [f"- item {n} " + "word " * 12 + "end\n" for n in range(30)]
    text = "".join(items)
    parts = embedded_texts(chunk(text), Words(10_000), 400)
    assert "\n".join(parts) == text.strip()
    assert all(part.startswith("- ") for part in parts)
    first, second = "a b c.\n" * 30, "d e f.\n" * 40
    blocks = (
        Block("paragraph", (0, len(first) - 1)),
        Block("paragraph", (len(first), len(first + second) - 1)),
    )
    cut = embedded_texts(chunk(first + second), Words(10_000), 400, blocks)
    assert any(part.startswith("d e f") for part in cut)
    assert not any("a b c" in part and "d e f" in part for part in cut)


def test_every_part_of_a_table_repeats_the_header() -> None:
    header = "| plan | price | limit |\n| --- | --- | --- |\n"
    body = "".join(f"| plan{n} | {n} EUR | {n * 10} |\n" for n in range(60))
    lead = "The plans are these:\n\n"
    text = lead + header + body.rstrip("\n")
    start = 1000
    blocks = (
        Block("paragraph", (start, start + len(lead) - 2)),
        Block("table", (start + len(lead), start + len(text))),
    )
    parts = embedded_texts(chunk(text, "Plans", (), start), Words(90), 400, blocks)
    shown = bodies(parts, "Plans\n")
    assert len(shown) > 3
    assert shown[0].startswith(lead + header.splitlines()[0])
    assert all(part.startswith(header) for part in shown[1:])
    rows = [
        line
        for part in shown
        for line in part.splitlines()
        if line.startswith("| plan") and "price" not in line
    ]
    assert rows == body.splitlines()
    assert all(Words(90).count_tokens(part) <= 90 for part in parts)


def test_a_header_that_leaves_no_room_for_a_row_is_left_out() -> None:
    header = "| " + " | ".join(f"column{n}" for n in range(30)) + " |\n|" + "---|" * 30 + "\n"
    row = "| " + " | ".join(f"cell{n}" for n in range(30)) + " |\n"
    text = (header + row * 3).rstrip("\n")
    parts = embedded_texts(chunk(text), Words(40), 5000, (Block("table", (0, len(text))),))
    assert all(Words(40).count_tokens(part) <= 40 for part in parts)
    assert " ".join(parts).count("cell29") == 3


def test_a_heading_is_not_cut_off_from_what_stands_below_it() -> None:
    words = "Limits of what may be stored in one place at one time by one team, " * 2 + "its guests too"
    heading = f"## {words}\n\n"
    text = heading + ("The limit is seven of them. " * 12).strip()
    blocks = (
        Block("heading", (0, len(heading) - 2), 2, words),
        Block("paragraph", (len(heading), len(text))),
    )
    for known in (blocks, blocks[:1]):
        parts = embedded_texts(chunk(text), Words(10_000), 280, known)
        assert len(parts) == 2
        assert "seven" in parts[0]


def test_absurd_headings_shrink_and_leave_the_room_to_the_text() -> None:
    made = chunk("alpha beta gamma delta", "T" * 5 + " t" * 300, ("h " * 200, "x " * 100, "last"))
    embedder = Words(20)
    parts = embedded_texts(made, embedder, 800)
    assert all(embedder.count_tokens(part) <= 20 for part in parts)
    assert "alpha beta gamma delta" in parts[0]


def test_one_line_of_a_million_letters_is_cut_anywhere_and_kept_whole() -> None:
    text = "x" * 1_000_000
    parts = embedded_texts(chunk(text), Words(10_000), 800)
    assert "".join(parts) == text
    assert max(map(len, parts)) <= 800


def test_a_window_that_holds_not_one_character_is_an_error_in_words() -> None:
    class Nothing(Words):
        def count_tokens(self, text: str) -> int:
            return 9 * len(text)

    with pytest.raises(EmbedderError, match="one character"):
        embedded_texts(chunk("abc"), Nothing(8), 800)


TEXT = st.text(alphabet=st.sampled_from("ab c.|-\n\n密钥。é\ud800\x00\u200b#"), max_size=600)


@settings(deadline=None)
@given(
    text=TEXT,
    room=st.integers(8, 60),
    part_chars=st.integers(5, 120),
    title=st.sampled_from(["", "T a", "标题"]),
)
def test_no_character_is_lost_and_no_part_is_over(text: str, room: int, part_chars: int, title: str) -> None:
    embedder: Any = Words(room)
    parts = embedded_texts(chunk(text, title), embedder, part_chars)
    prefix = f"{title}\n" if title else ""
    assert parts
    assert all(embedder.count_tokens(part) <= room for part in parts)
    shown = parts if not text.strip() else bodies(parts, prefix)
    if text.strip():
        assert "".join("".join(shown).split()) == "".join(text.split())
        assert all(len(part) <= part_chars for part in shown)


def test_the_hashing_embedder_takes_every_part(tmp_path: Any) -> None:
    embedder = registry.create("embedder", "hashing", window=40)
    text = "密钥轮换 secret rotation. " * 200
    parts = embedded_texts(chunk(text, "Keys"), embedder, 800)
    assert len(embedder.embed_passages(parts)) == len(parts) > 20
