"""Generations, chunks and vectors: what is published, what is pending, what can never come back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from suffice.errors import NotFound, WorkspaceError
from suffice.values import Block, Chunk, Document, RawFile, Segment, Snapshot, chunk_id
from suffice.workspace import DocumentRow, GenerationRow, IndexedChunk, Workspace, now

GENERATION = GenerationRow("g1", {"max_chars": 2400}, "toy/1", 4, "structure 1", "markdown 1", "2026-01-01")


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    opened = Workspace.open(tmp_path, create=True)
    opened.put_generation(GENERATION)
    opened.activate("g1")
    return opened


def _document(ws: Workspace, name: str, text: str, tenant: str | None = None) -> DocumentRow:
    data = text.encode()
    sha256 = ws.blobs.put(data)
    file = RawFile(name, f"/{name}", "text/markdown", sha256, len(data), now(), tenant, {"year": 2026})
    snapshot = Snapshot(f"s{len(ws.snapshot_ids())}", now(), now(), (file,))
    ws.put_snapshot(snapshot)
    ws.put_document(file, snapshot.id, None)
    row = ws.document(tenant, name)
    assert row is not None
    return row


def _chunks(row: DocumentRow, *texts: str) -> list[IndexedChunk]:
    made, at = [], 0
    for text in texts:
        key = chunk_id(row.tenant, row.name, ("H",), text)
        chunk = Chunk(
            key, row.name, "T", ("H",), (at, at + len(text)), text, ("paragraph",), tenant=row.tenant
        )
        made.append(IndexedChunk(chunk, (f"part of {text}",), {"=x": 1, text: 2}))
        at += len(text) + 1
    return made


def _publish(ws: Workspace, row: DocumentRow, *texts: str) -> bool:
    chunks = _chunks(row, *texts)
    ws.put_vectors("toy/1", {part: np.ones(4, np.float32) for item in chunks for part in item.parts})
    return ws.publish("g1", row, chunks, title="T")


def test_a_document_is_pending_until_its_revision_is_published(ws: Workspace) -> None:
    row = _document(ws, "a.md", "one")
    assert [item.name for item in ws.pending("g1")] == ["a.md"]
    assert _publish(ws, row, "one", "two")
    assert ws.pending("g1") == ()
    newer = _document(ws, "a.md", "changed")
    assert [item.revision for item in ws.pending("g1")] == [newer.revision]
    assert newer.revision > row.revision


def test_chunks_come_back_as_they_went_in(ws: Workspace) -> None:
    row = _document(ws, "a.md", "one 二")
    _publish(ws, row, "one 二", "two")
    items = _chunks(row, "one 二", "two")
    found = ws.chunks("g1", [items[1].chunk.id, "absent", items[0].chunk.id])
    assert [found_row.chunk for found_row in found.values()] == [items[1].chunk, items[0].chunk]
    first = found[items[0].chunk.id]
    assert (first.sha256, first.snapshot, first.current, first.meta) == (
        row.file.sha256,
        "s0",
        True,
        {"year": 2026},
    )
    assert [item.chunk for item in ws.document_chunks("g1", None, "a.md")] == [item.chunk for item in items]
    keys = [key.chunk_id for key in ws.chunk_keys("g1")]
    assert keys == sorted(item.chunk.id for item in items)
    assert {key: terms for key, _, terms in ws.chunk_terms("g1", keys)} == {
        item.chunk.id: dict(item.terms) for item in items
    }


def test_a_shrunk_document_leaves_no_tail(ws: Workspace) -> None:
    _publish(ws, _document(ws, "a.md", "long"), "one", "two", "three")
    _publish(ws, _document(ws, "a.md", "short"), "one")
    assert [row.chunk.text for row in ws.document_chunks("g1", None, "a.md")] == ["one"]
    assert [row.n_chunks for row in ws.indexed("g1")] == [1]


def test_chunks_of_a_changed_document_are_not_current(ws: Workspace) -> None:
    _publish(ws, _document(ws, "a.md", "old"), "old")
    _document(ws, "a.md", "new")
    assert [row.current for row in ws.document_chunks("g1", None, "a.md")] == [False]


def test_removal_empties_every_generation_at_once(ws: Workspace) -> None:
    ws.put_generation(GenerationRow("g2", {}, "toy/1", 4, "structure 2", "markdown 1", "2026-01-02"))
    row = _document(ws, "a.md", "secret")
    _publish(ws, row, "secret")
    ws.publish("g2", row, _chunks(row, "secret"))
    other = Workspace.open(ws.path)
    before = [other.revision("g1"), other.revision("g2")]
    ws.remove_document(None, "a.md")
    assert other.chunk_keys("g1") == other.chunk_keys("g2") == ()
    assert other.chunks("g1", [chunk_id(None, "a.md", ("H",), "secret")]) == {}
    assert other.revision("g1") != before[0]
    assert other.revision("g2") != before[1]
    assert other.documents() == ()
    with pytest.raises(NotFound, match="no document"):
        other.remove_document(None, "a.md")


def test_an_indexer_that_read_an_old_revision_cannot_bring_it_back(ws: Workspace) -> None:
    row = _document(ws, "a.md", "old")
    ws.remove_document(None, "a.md")
    assert not _publish(ws, row, "old")
    newer = _document(ws, "a.md", "new")
    assert not _publish(ws, row, "old")
    assert _publish(ws, newer, "new")
    assert [found.chunk.text for found in ws.document_chunks("g1", None, "a.md")] == ["new"]


def test_removal_in_one_tenant_leaves_the_same_name_in_another(ws: Workspace) -> None:
    for tenant in (None, "acme", "globex"):
        _publish(ws, _document(ws, "a.md", "same", tenant), "same")
    ws.remove_document("acme", "a.md")
    assert [key.tenant for key in ws.chunk_keys("g1")] != []
    assert {key.tenant for key in ws.chunk_keys("g1")} == {None, "globex"}
    assert [row.tenant for row in ws.documents("globex")] == ["globex"]
    assert ws.document_chunks("g1", "acme", "a.md") == ()


def test_a_chunk_without_its_vector_is_not_published(ws: Workspace) -> None:
    row = _document(ws, "a.md", "one")
    with pytest.raises(WorkspaceError, match="needs its vectors"):
        ws.publish("g1", row, _chunks(row, "never embedded"))
    assert ws.indexed("g1") == ()


def test_a_document_that_could_not_be_parsed_keeps_no_old_text(ws: Workspace) -> None:
    _publish(ws, _document(ws, "a.md", "good"), "good")
    assert ws.publish("g1", _document(ws, "a.md", "junk"), [], failure="binary junk")
    assert ws.chunk_keys("g1") == ()
    assert [(item.document, item.reason) for item in ws.parse_failures()] == [("a.md", "binary junk")]
    assert ws.pending("g1") == ()
    _publish(ws, _document(ws, "a.md", "good again"), "good again")
    assert ws.parse_failures() == ()


def test_the_revision_of_a_generation_belongs_to_this_workspace(ws: Workspace, tmp_path: Path) -> None:
    other = Workspace.open(tmp_path / "other", create=True)
    other.put_generation(GENERATION)
    assert ws.revision("g1") == ws.revision("g1") != other.revision("g1")
    with pytest.raises(NotFound, match="g1"):
        ws.revision("g9")


def test_a_generation_never_changes_its_settings(ws: Workspace) -> None:
    ws.put_generation(GENERATION)
    with pytest.raises(WorkspaceError, match="never changes"):
        ws.put_generation(GenerationRow("g1", {}, "toy/2", 4, "structure 1", "markdown 1", "2026-01-01"))


def test_one_generation_serves_and_only_others_can_be_deleted(ws: Workspace) -> None:
    ws.put_generation(GenerationRow("g2", {}, "toy/2", 8, "structure 1", "markdown 1", "2026-01-02"))
    with pytest.raises(WorkspaceError, match="serves"):
        ws.drop_generation("g1")
    ws.activate("g2")
    with pytest.raises(NotFound):
        ws.activate("g9")
    assert [(row.id, row.active) for row in ws.generations()] == [("g1", False), ("g2", True)]
    ws.drop_generation("g1")
    active = ws.active_generation()
    assert active is not None
    assert active.id == "g2"


def test_vectors_are_shared_and_never_mixed(ws: Workspace) -> None:
    one, two = np.array([1, 2, 3, 4], np.float32), np.array([9, 9, 9, 9], np.float32)
    ws.put_vectors("toy/1", {"p": one})
    ws.put_vectors("toy/1", {"p": two})  # already there: never made twice
    ws.put_vectors("toy/2", {"p": two})
    assert np.array_equal(ws.get_vectors("toy/1", ["p", "q"])["p"], one)
    assert np.array_equal(ws.get_vectors("toy/2", ["p"])["p"], two)
    assert ws.missing_vectors("toy/1", ["q", "p", "q", "r"]) == ("q", "r")
    with pytest.raises(WorkspaceError, match="shape"):
        ws.put_vectors("toy/1", {"x": np.ones(8, np.float32)})
    with pytest.raises(WorkspaceError, match="not finite"):
        ws.put_vectors("toy/1", {"x": np.array([1, np.nan, 1, 1], np.float32)})


def test_a_flipped_byte_in_a_vector_is_found_and_can_be_made_again(ws: Workspace) -> None:
    ws.put_vectors("toy/1", {"p": np.ones(4, np.float32), "q": np.ones(4, np.float32)})
    data = bytearray(np.ones(4, "<f4").tobytes())
    data[5] ^= 1
    with ws.writing() as db:
        db.execute("UPDATE vector SET data = ? WHERE part = 'p'", (bytes(data),))
    with pytest.raises(WorkspaceError, match="part p is damaged"):
        ws.get_vectors("toy/1", ["p", "q"])
    assert ws.damaged_vectors() == (("toy/1", "p"),)
    ws.drop_vectors("toy/1", ["p"])
    assert ws.missing_vectors("toy/1", ["p", "q"]) == ("p",)


def test_more_ids_than_one_statement_takes(ws: Workspace) -> None:
    parts = [f"p{n}" for n in range(1700)]
    ws.put_vectors("toy/1", {part: np.full(4, n, np.float32) for n, part in enumerate(parts)})
    found = ws.get_vectors("toy/1", reversed(parts))
    assert len(found) == 1700
    assert found["p1234"][0] == 1234


def test_what_a_file_was_parsed_into_is_kept_per_parser(ws: Workspace) -> None:
    row = _document(ws, "a.md", "# T")
    old = Document(
        "a.md", row.file.sha256, "T", "# T", (Block("heading", (0, 3), 1, "T"),), (Segment((0, 3), (0, 3)),)
    )
    new = Document("a.md", row.file.sha256, "T", "T", (), (), meta={"n": 1, "x": 1.5, "b": True, "s": "ü"})
    ws.put_normalized(row.file, "markdown 1", old)
    ws.put_normalized(row.file, "markdown 2", new)
    assert ws.normalized(row.file, "markdown 1") == old
    assert ws.normalized(row.file) == new
    assert [parser for parser, _ in ws.normalizations(row.file)] == ["markdown 2", "markdown 1"]
    assert ws.normalized(_document(ws, "b.md", "# T").file) is None  # the same bytes under another name
