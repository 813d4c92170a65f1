"""What every parser keeps to, whatever it reads."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice import registry
from suffice.corpus.normalize import raw_span
from suffice.errors import ParseError, SettingsError
from suffice.ports import Parser
from suffice.values import Document

NAMES = registry.names("parser")
SAMPLES = {
    "markdown": b"---\ntitle: T\n---\n# One\n\nWords.\n\n- a\n  - b\n\n| a |\n|---|\n| 1 |\n\n```\nx\n```\n",
    "html": b"<title>T</title><h1>One</h1><p>Words &amp; more<ul><li>a<li>b</ul><pre>x\n y</pre>",
    "plain": "Title\n=====\n\nWords.\n\n- a\n- b\n\nÜber alles.\n".encode(),
}
SOUP = st.lists(
    st.sampled_from(
        [
            *(
                "# h\n",
                "text ",
                "\n",
                "\n\n",
                "- i\n",
                "  ",
                "1. s\n",
                "```\n",
                "~~~\n",
                "| a | b |\n",
                "|---|---|\n",
            ),
            *(
                "> q\n",
                "<details>\n",
                "</details>\n",
                "<!-- c -->",
                "---\n",
                "    code\n",
                "\t",
                "[x]: /u\n",
                "é",
                "漢字",
            ),
            *(
                "<p>",
                "</p>",
                "<ul>",
                "<li>",
                "</ul>",
                "<table>",
                "<tr>",
                "<td>",
                "</table>",
                "<pre>",
                "</pre>",
            ),
            *(
                "&amp;",
                "&",
                "<b>",
                "</b>",
                "<br>",
                "<script>",
                "</script>",
                "\r\n",
                "\r",
                "\ufeff",
                "𠮷",
                "<h2>",
                "</h2>",
            ),
        ]
    ),
    max_size=40,
).map("".join)


def parse(parser: Parser, data: bytes) -> Document:
    return parser.parse(data, name="folder/a-page.x", sha256="0" * 64, media_type=parser.media_types[0])


def check(parser: Parser, document: Document, data: bytes) -> None:
    """Blocks in order, apart, in range and without white space around them; segments lead into the raw."""
    assert document.title
    at = 0
    for block in document.blocks:
        start, end = block.span
        assert at <= start < end <= len(document.text)
        assert document.text[end - 1 : end].strip()
        assert document.text[start:end].strip()
        assert block.kind != "heading" or 1 <= block.level <= 6
        assert block.kind != "list_item" or block.level >= 1
        assert (block.text == "") or block.kind == "heading"
        raw = raw_span(document, data, block.span)
        assert 0 <= raw[0] <= raw[1] <= len(data)
        at = end
    at = 0
    for segment in document.segments:
        assert at <= segment.span[0] < segment.span[1] <= len(document.text)
        assert 0 <= segment.raw_span[0] <= segment.raw_span[1] <= len(data)
        at = segment.span[1]
        if segment.linear:
            raw_text = data[slice(*segment.raw_span)].decode(document.encoding).replace("\r\n", "\n")
            text = document.text[slice(*segment.span)]
            assert "".join(raw_text.split()) == "".join(text.split())


@pytest.mark.parametrize("name", NAMES)
def test_has_what_the_port_asks(name: str) -> None:
    parser = registry.create("parser", name)
    assert isinstance(parser, Parser)
    assert parser.name == name
    assert parser.version
    assert all("/" in kind for kind in parser.media_types)
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in parser.suffixes)


@pytest.mark.parametrize("name", NAMES)
def test_refuses_an_unknown_option(name: str) -> None:
    with pytest.raises(SettingsError, match="colour"):
        registry.create("parser", name, colour="red")


@pytest.mark.parametrize("name", [name for name in NAMES if name in SAMPLES])
def test_reads_its_sample(name: str) -> None:
    parser = registry.create("parser", name)
    document = parse(parser, SAMPLES[name])
    check(parser, document, SAMPLES[name])
    assert {"heading", "paragraph", "list_item"} <= {block.kind for block in document.blocks}
    assert document == parse(parser, SAMPLES[name])


@pytest.mark.parametrize("name", [name for name in NAMES if name in SAMPLES])
@pytest.mark.parametrize("data", [b"", b" \n\t\n", b"\xef\xbb\xbf", "\u3000\n".encode()])
def test_nothing_to_read_is_a_document_without_blocks(name: str, data: bytes) -> None:
    document = parse(registry.create("parser", name), data)
    assert document.blocks == ()
    assert document.title == "A page"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 20, b"PK\x03\x04" + b"\0" * 99, b"%PDF-1.7\nabc", b"\x00\x01\x02\x03" * 50]
)
def test_binary_is_refused_with_a_reason(name: str, data: bytes) -> None:
    parser = registry.create("parser", name)
    if "text/plain" not in parser.media_types and name not in SAMPLES:
        pytest.skip("reads a binary format")
    with pytest.raises(ParseError, match="not text"):
        parse(parser, data)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(
    data=st.one_of(st.binary(max_size=300), st.text(max_size=200).map(lambda s: s.encode("utf-8", "ignore")))
)
def test_any_bytes_give_a_document_or_a_parse_error(name: str, data: bytes) -> None:
    parser = registry.create("parser", name)
    try:
        document = parse(parser, data)
    except ParseError as error:
        assert str(error)
        return
    check(parser, document, data)


@pytest.mark.parametrize("name", [name for name in NAMES if name in SAMPLES])
@settings(max_examples=120, deadline=None)
@given(text=SOUP, encoding=st.sampled_from(["utf-8", "gb18030", "utf-16"]))
def test_markup_soup_keeps_spans_and_the_way_back(name: str, text: str, encoding: str) -> None:
    parser = registry.create("parser", name)
    data = text.encode(encoding)
    try:
        document = parse(parser, data)
    except ParseError:
        assert encoding != "utf-8"  # a few odd characters may be told as no encoding at all
        return
    check(parser, document, data)
