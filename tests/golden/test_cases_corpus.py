"""The shared cases of Markdown, HTML and encodings: text, blocks and chunks as they must be."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from suffice.chunks import cut
from suffice.corpus.normalize import media_type, normalize, raw_span
from suffice.settings import ChunkSettings
from suffice.values import Chunk, Document, RawFile


def ingest(file: Path) -> tuple[Document, tuple[Chunk, ...], bytes]:
    data = file.read_bytes()
    raw = RawFile(file.name, file.as_uri(), media_type(file.name, data), "0" * 64, len(data), "")
    document = normalize(data, raw)
    return document, cut(document, ChunkSettings()), data


def expected(folder: Path) -> Any:
    return json.loads((folder / "case.json").read_text("utf-8"))["expect"]


def test_hash_lines_in_fences_are_no_headings(shared: Path) -> None:
    folder = shared / "cases" / "md-fence-hash-lines"
    expect = expected(folder)
    document, chunks, data = ingest(folder / "page.md")
    headings = [[block.level, block.text] for block in document.blocks if block.kind == "heading"]
    assert headings == expect["headings"]
    for fence in expect["fences"]:
        code = data.decode()[slice(*fence["span"])]
        holding = [chunk for chunk in chunks if code in chunk.text]
        assert [list(chunk.heading_path) for chunk in holding] == [fence["path"]]
    wrong = ("fetch the archive", "unpack it", "Not a heading", "still not", "Also not", "indented code")
    for chunk in chunks:
        assert not any(words in " ".join((chunk.title, *chunk.heading_path)) for words in wrong)


def test_a_table_keeps_its_header_and_its_rows(shared: Path) -> None:
    folder = shared / "cases" / "md-table-header-travels"
    expect = expected(folder)
    document, chunks, _ = ingest(folder / "page.md")
    rows: Counter[str] = Counter()
    for chunk in chunks:
        lines = chunk.text.split("\n")
        own = [i for i, line in enumerate(lines) if line.startswith("| quarry-")]
        rows.update(lines[i] for i in own)
        if own:
            head = lines.index(expect["header"])
            assert lines[head + 1] == expect["delimiter"]
            assert head + 1 < own[0]
            assert all(lines[i].strip() for i in range(head, own[-1] + 1))
    assert rows == Counter(line for line in document.text.split("\n") if line.startswith("| quarry-"))
    assert sum(chunk.text.count(expect["caption"]) for chunk in chunks) <= 1


def test_html_keeps_what_is_seen_and_glues_nothing(shared: Path) -> None:
    folder = shared / "cases" / "html-pre-br-cells"
    expect = expected(folder)
    _, chunks, _ = ingest(folder / "page.html")
    text = "\n".join(chunk.text for chunk in chunks)
    assert expect["pre"] in text
    folded = " ".join(text.split())
    assert [words for words in expect["words"] if words not in folded] == []
    assert [words for words in expect["glued"] if words in text] == []


def test_gb18030_is_told_from_the_whole_file(shared: Path) -> None:
    folder = shared / "cases" / "enc-gb18030-late"
    expect = expected(folder)
    document, chunks, data = ingest(folder / "notice.txt")
    assert document.text == (folder / "expected_utf8.txt").read_text("utf-8")
    assert document.encoding == expect["encoding"]
    assert not any("\ufffd" in chunk.text for chunk in chunks)
    assert sum("𠮷野站" in chunk.text for chunk in chunks) == 1
    start = document.text.index(expect["tail"])
    assert list(raw_span(document, data, (start, start + len(expect["tail"])))) == expect["tail_span"]


def test_every_item_of_a_long_list_is_whole_in_one_chunk(shared: Path) -> None:
    folder = shared / "cases" / "embed-window-tail"
    _, chunks, data = ingest(folder / "page.md")
    items = [line for line in data.decode().split("\n") if line.startswith("- ")]
    for item in items:
        assert sum(item in chunk.text.split("\n") for chunk in chunks) == 1
    assert not any(chunk.oversized for chunk in chunks)


def test_every_gold_quote_of_a_real_corpus_lies_in_a_chunk(shared: Path) -> None:
    corpus = shared / "corpora" / "cloudflare-2024-08"
    found: dict[str, tuple[Document, tuple[Chunk, ...], bytes]] = {}
    n_quotes = 0
    for line in (shared / "benchmarks" / "cloudflare" / "questions.jsonl").read_text("utf-8").splitlines():
        for piece in json.loads(line)["pieces"]:
            for evidence in piece["evidence"]:
                name = evidence["doc"]
                document, chunks, _ = found.setdefault(name, ingest(corpus / name))
                start = document.text.index(evidence["quote"])
                end = start + len(evidence["quote"])
                n_quotes += 1
                assert any(chunk.span[0] <= start and end <= chunk.span[1] for chunk in chunks), evidence
    assert n_quotes > 100
