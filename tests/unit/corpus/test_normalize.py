"""Which parser reads a file, and the way back to its bytes."""

from __future__ import annotations

import pytest

from suffice import registry
from suffice.corpus import normalize as module
from suffice.corpus.normalize import media_type, normalize, raw_span
from suffice.errors import ParseError
from suffice.values import Document, RawFile, Segment


def raw(name: str, kind: str = "", **more: object) -> RawFile:
    return RawFile(name, f"file:///{name}", kind, "0" * 64, 1, "", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.md", b"", "text/markdown"),
        ("A.MARKDOWN", b"", "text/markdown"),
        ("a.htm", b"", "text/html"),
        ("a.txt", b"<html>", "text/plain"),
        ("page", b"\n<!DOCTYPE html><p>", "text/html"),
        ("page.php", b"<!-- x --> <HTML lang=en>", "text/html"),
        ("README", b"words", "text/plain"),
        ("core", b"\0\1", "application/octet-stream"),
        ("a.zip", b"PK", "application/zip"),
        ("a.unknownsuffix", b"x", "application/octet-stream"),
    ],
)
def test_media_type_by_suffix_then_by_content(name: str, data: bytes, kind: str) -> None:
    assert media_type(name, data) == kind


@pytest.mark.parametrize(
    ("name", "kind", "heading"),
    [
        ("a.md", "text/markdown", True),
        ("a.md", "text/plain; charset=utf-8", True),  # what many servers say of Markdown
        ("a.md", "application/octet-stream", True),
        ("docs/index", "text/markdown; charset=utf-8", True),
        ("a.txt", "text/plain", False),
    ],
)
def test_the_parser_is_that_of_the_type_unless_the_name_says_more(
    name: str, kind: str, heading: bool
) -> None:
    document = normalize(b"# A\n", raw(name, kind))
    assert (document.blocks[0].kind == "heading") is heading


def test_no_parser_names_what_there_is() -> None:
    with pytest.raises(ParseError, match=r"no parser for \.zip \(application/zip\); supported: .*\.md"):
        normalize(b"PK", raw("a.zip"))


def test_tenant_and_metadata_of_the_file_are_those_of_the_document() -> None:
    data = b"---\nteam: a\nweight: 1\n---\nx\n"
    document = normalize(data, raw("a.md", tenant="acme", meta={"team": "b"}))
    assert (document.tenant, document.meta) == ("acme", {"team": "b", "weight": 1})


def test_a_parser_that_fails_is_a_reason_and_not_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = registry.create("parser", "markdown")
    monkeypatch.setattr(type(parser), "parse", lambda *args, **kwargs: 1 / 0)
    with pytest.raises(ParseError, match="the markdown parser failed: ZeroDivisionError"):
        normalize(b"x", raw("a.md"))


def test_the_way_back_over_pieces_and_gaps() -> None:
    # "ab" and "cd" stood apart in the raw file; "|" was put between them; "&" was written "&amp;".
    data = "ä-ab--cd-&amp;".encode()
    segments = (Segment((0, 2), (3, 5)), Segment((3, 5), (7, 9)), Segment((5, 6), (10, 15), linear=False))
    document = Document("a", "", "A", "ab|cd&", (), segments)
    assert raw_span(document, data, (0, 1)) == (3, 4)
    assert raw_span(document, data, (1, 4)) == (4, 8)
    assert raw_span(document, data, (3, 6)) == (7, 15)
    assert raw_span(document, data, (2, 3)) == (7, 7)
    assert raw_span(document, data, (4, 4)) == (8, 8)


@pytest.mark.parametrize("span", [(-1, 1), (0, 9), (2, 1)])
def test_a_span_outside_the_text_is_refused(span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="is not in the"):
        raw_span(Document("a", "", "A", "abc", (), ()), b"abc", span)


def test_every_suffix_has_one_parser() -> None:
    assert {".md", ".markdown", ".mdx", ".html", ".htm", ".xhtml", ".txt", ".text", ".log"} <= set(
        module._by_suffix()
    )
