"""Chunks tile the document, for any document."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from suffice import registry
from suffice.corpus.normalize import raw_span
from suffice.errors import ParseError
from suffice.values import Chunk, Document

WORDS = st.lists(
    st.sampled_from(
        ["pump", "valve", "v1.2.3", "ERR_7", "Öl", "读取", "命名空间。", "50 %.", "e.g.", "the end."]
    ),
    min_size=1,
    max_size=40,
).map(" ".join)
PIECES = st.one_of(
    st.tuples(st.sampled_from(["# ", "## ", "### "]), WORDS).map(lambda t: t[0] + t[1][:60]),
    WORDS,
    WORDS.map(lambda words: words + ":"),
    st.lists(WORDS, min_size=1, max_size=6).map(lambda items: "\n".join(f"- {item}" for item in items)),
    st.lists(WORDS, min_size=1, max_size=6).map(
        lambda xs: "\n".join(f"{i}. {x}" for i, x in enumerate(xs, 1))
    ),
    st.lists(WORDS, min_size=1, max_size=3).map(
        lambda xs: "\n".join(f"{'  ' * i}- {x}" for i, x in enumerate(xs))
    ),
    WORDS.map(lambda words: f"```\n# {words}\n\n{words}\n```"),
    st.lists(WORDS, min_size=1, max_size=9).map(
        lambda rows: "| a |\n|---|\n" + "\n".join(f"| {r} |" for r in rows)
    ),
    WORDS.map(lambda words: f"> {words}\n> {words}"),
    WORDS.map(lambda words: f"<details>\n<summary>S</summary>\n\n# {words}\n\n{words}\n</details>"),
    st.sampled_from(["---", "<!-- a note to writers -->", "[ref]: https://example.org/a"]),
)
MARKDOWN = st.lists(PIECES, max_size=14).map("\n\n".join)
LIMITS = st.sampled_from([200, 400, 2400])


def cut(text: str, max_chars: int) -> tuple[Document, tuple[Chunk, ...]]:
    document = registry.create("parser", "markdown").parse(
        text.encode(), name="a.md", sha256="", media_type="text/markdown"
    )
    return document, registry.create("chunker", "structure", max_chars=max_chars).cut(document)


@settings(max_examples=150, deadline=None)
@given(text=MARKDOWN, max_chars=LIMITS)
def test_every_character_of_every_block_but_headings_is_in_exactly_one_chunk(
    text: str, max_chars: int
) -> None:
    document, chunks = cut(text, max_chars)
    covered = [0] * len(document.text)
    for chunk in chunks:
        assert chunk.text == document.text[slice(*chunk.span)]
        for i in range(*chunk.span):
            covered[i] += 1
    assert max(covered, default=0) <= 1
    for block in document.blocks:
        if block.kind != "heading":
            assert all(covered[i] for i in range(*block.span) if not document.text[i].isspace())


@settings(max_examples=150, deadline=None)
@given(text=MARKDOWN, max_chars=LIMITS)
def test_no_chunk_crosses_a_heading_and_its_path_is_that_of_the_headings(text: str, max_chars: int) -> None:
    document, chunks = cut(text, max_chars)
    for chunk in chunks:
        inside = [b for b in document.blocks if b.span[0] < chunk.span[1] and b.span[1] > chunk.span[0]]
        kinds = [block.kind == "heading" for block in inside]
        assert kinds == sorted(kinds, reverse=True)  # headings stand at the start of a chunk or nowhere
        path: list[tuple[int, str]] = []
        for block in document.blocks:
            if block.kind == "heading" and block.span[1] <= chunk.span[1]:
                path = [(level, words) for level, words in path if level < block.level] + [
                    (block.level, block.text)
                ]
        assert chunk.heading_path == tuple(words for _, words in path)


@settings(max_examples=150, deadline=None)
@given(text=MARKDOWN, max_chars=LIMITS)
def test_tables_code_and_details_stay_whole_and_all_else_stays_within_the_limit(
    text: str, max_chars: int
) -> None:
    document, chunks = cut(text, max_chars)
    whole = [block.span for block in document.blocks if block.kind in ("table", "code", "details")]
    for start, end in whole:
        assert sum(chunk.span[0] <= start and end <= chunk.span[1] for chunk in chunks) == 1
    for chunk in chunks:
        assert chunk.oversized == (len(chunk.text) > max_chars)
        if chunk.oversized:
            held = [s for s in whole if chunk.span[0] <= s[0] and s[1] <= chunk.span[1]]
            heading = [b for b in document.blocks if b.kind == "heading" and b.span[0] == chunk.span[0]]
            assert held or heading  # many headings on top of one another may be over the limit as well


@settings(max_examples=150, deadline=None)
@given(text=MARKDOWN)
def test_no_text_is_lost(text: str) -> None:
    document, _ = cut(text, 2400)
    outside = list(document.text)
    for block in document.blocks:
        outside[slice(*block.span)] = " " * (block.span[1] - block.span[0])
    rest = "".join(outside).replace("<!-- a note to writers -->", "")
    assert not rest.strip("-* \n")


@settings(max_examples=150, deadline=None)
@given(
    text=st.lists(
        st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"), exclude_characters="\ufeff")
        | st.sampled_from(["\r\n", "\n", "\r"]),
        max_size=80,
    ).map("".join),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030"]),
    data=st.data(),
)
def test_a_span_leads_back_to_its_bytes(text: str, encoding: str, data: st.DataObject) -> None:
    raw = (("\ufeff" if encoding == "gb18030" else "") + text).encode(encoding)
    try:
        document = registry.create("parser", "plain").parse(
            raw, name="a.txt", sha256="", media_type="text/plain"
        )
    except ParseError:
        assert not text.isprintable()
        return
    assert document.text == text.replace("\r\n", "\n").replace("\r", "\n")
    start = data.draw(st.integers(0, len(document.text)))
    end = data.draw(st.integers(start, len(document.text)))
    begin, stop = raw_span(document, raw, (start, end))
    there = raw[begin:stop].decode(document.encoding).replace("\r\n", "\n").replace("\r", "\n")
    assert there == document.text[start:end]
