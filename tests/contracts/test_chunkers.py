"""What every chunker keeps to: chunks tile the blocks, say where they stand, and have lasting names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from suffice import registry
from suffice.errors import SettingsError
from suffice.ports import Chunker
from suffice.values import Document

NAMES = registry.names("chunker")
TEXT = (
    "# Pumps\n\nAbout pumps.\n\n## Start\n\nDo this:\n\n1. Open the valve.\n2. Press the button.\n\n"
    + "## Limits\n\n| a | b |\n|---|---|\n"
    + "| 1 | 2 |\n" * 400
    + "\n## Same\n\nTwice.\n\n## Same\n\nTwice.\n\n"
    + "### Long\n\n"
    + "A sentence of the long section, number one. " * 200
    + "\n"
)


@pytest.fixture
def document() -> Document:
    parser = registry.create("parser", "markdown")
    made: Document = parser.parse(TEXT.encode(), name="pumps.md", sha256="0" * 64, media_type="text/markdown")
    return made


@pytest.mark.parametrize("name", NAMES)
def test_has_what_the_port_asks(name: str) -> None:
    chunker = registry.create("chunker", name)
    assert isinstance(chunker, Chunker)
    assert chunker.name == name
    assert chunker.version
    with pytest.raises(SettingsError, match="colour"):
        registry.create("chunker", name, colour="red")


@pytest.mark.parametrize("name", NAMES)
def test_every_chunk_is_the_text_at_its_span(name: str, document: Document) -> None:
    chunks = registry.create("chunker", name).cut(document)
    for chunk in chunks:
        assert chunk.text == document.text[slice(*chunk.span)]
        assert (chunk.document, chunk.title, chunk.tenant) == ("pumps.md", "Pumps", None)
        assert chunk.kinds
    starts = [chunk.span for chunk in chunks]
    assert starts == sorted(starts)


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_unique_repeatable_and_tell_tenants_apart(name: str, document: Document) -> None:
    chunker = registry.create("chunker", name)
    chunks = chunker.cut(document)
    ids = [chunk.id for chunk in chunks]
    assert len(set(ids)) == len(ids)
    assert chunks == chunker.cut(document)
    other = chunker.cut(replace(document, tenant="acme"))
    assert {chunk.tenant for chunk in other} == {"acme"}
    assert not set(ids) & {chunk.id for chunk in other}


@pytest.mark.parametrize("name", NAMES)
def test_a_document_without_blocks_has_no_chunks(name: str, document: Document) -> None:
    assert registry.create("chunker", name).cut(replace(document, blocks=())) == ()
