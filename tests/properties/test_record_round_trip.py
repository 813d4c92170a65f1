"""The record gives back exactly what was put in, and a removal holds under any order of steps."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.journal import Journal
from suffice.values import Block, Chunk, Document, RawFile, Removal, Segment, Snapshot, Unreadable
from suffice.workspace import GenerationRow, IndexedChunk, SourceSpec, Workspace, now

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
NAME = TEXT.filter(bool)
NUMBER = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
META = st.dictionaries(NAME, TEXT | st.booleans() | NUMBER, max_size=3)
PAYLOAD = st.recursive(
    TEXT | st.none() | NUMBER, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=10
)
TENANT = st.none() | NAME
SPAN = st.tuples(st.integers(0, 99), st.integers(100, 999))
KIND = st.sampled_from(["heading", "paragraph", "list_item", "table", "code", "details", "page"])
RAW = st.builds(RawFile, NAME, NAME, TEXT, st.just("ab" * 32), st.integers(0, 10**12), TEXT, TENANT, META)
BLOCK = st.builds(Block, KIND, SPAN, st.integers(0, 6), TEXT)
DOCUMENT = st.builds(
    Document,
    name=NAME,
    sha256=st.just("ab" * 32),
    title=TEXT,
    text=TEXT,
    blocks=st.lists(BLOCK, max_size=3).map(tuple),
    segments=st.lists(st.builds(Segment, SPAN, SPAN, st.booleans()), max_size=3).map(tuple),
    encoding=TEXT,
    tenant=TENANT,
    meta=META,
    removed=st.lists(st.builds(Removal, TEXT, st.integers(0, 9)), max_size=2).map(tuple),
)
CHUNK = st.builds(
    Chunk,
    id=NAME,
    document=st.just("a.md"),
    title=TEXT,
    heading_path=st.lists(TEXT, max_size=3).map(tuple),
    span=SPAN,
    text=TEXT,
    kinds=st.lists(KIND, max_size=3).map(tuple),
    page=st.none() | st.integers(1, 999),
    oversized=st.booleans(),
)
ITEM = st.builds(
    IndexedChunk,
    CHUNK,
    st.lists(NAME, min_size=1, max_size=3).map(tuple),
    st.dictionaries(TEXT, st.integers(1, 99), max_size=4),
)
GENERATION = GenerationRow("g", {"a": [1, {"b": None}]}, "toy", 2, "structure 1", "markdown 1", "2026")


def _workspace(folder: str) -> Workspace:
    ws = Workspace.open(Path(folder), create=True)
    ws.put_generation(GENERATION)
    return ws


@settings(max_examples=25, deadline=None)
@given(
    files=st.lists(RAW, max_size=4, unique_by=lambda file: (file.tenant, file.name)),
    bad=st.lists(st.builds(Unreadable, TEXT, TEXT), max_size=3),
    source=st.builds(SourceSpec, NAME, NAME, st.tuples(TEXT), st.tuples(TEXT, TEXT), META, TENANT),
    payload=PAYLOAD,
    document=DOCUMENT,
)
def test_snapshots_sources_entries_and_documents(
    files: list[RawFile], bad: list[Unreadable], source: SourceSpec, payload: object, document: Document
) -> None:
    with tempfile.TemporaryDirectory() as folder, _workspace(folder) as ws:
        snapshot = Snapshot("s", now(), now(), tuple(files), tuple(bad))
        ws.put_snapshot(snapshot)
        found = ws.snapshot("s")
        assert sorted(found.files, key=lambda file: (file.tenant or "", file.name)) == sorted(
            files, key=lambda file: (file.tenant or "", file.name)
        )
        assert found.unreadable == snapshot.unreadable
        ws.put_source(source)
        [back] = ws.sources()
        assert (back.kind, back.uri, back.include, back.exclude, back.meta, back.tenant) == (
            source.kind, source.uri, source.include, source.exclude, source.meta, source.tenant,
        )  # fmt: skip
        entry = Journal(ws).append("answer", "x", payload)
        assert Journal(ws).read("answer", "x") == entry
        assert entry.payload == payload
        for file in files:
            ws.put_normalized(file, "p 1", document)
            assert ws.normalized(file, "p 1") == document


@settings(max_examples=25, deadline=None)
@given(items=st.lists(ITEM, max_size=5, unique_by=lambda item: item.chunk.id), seed=st.integers(0, 999))
def test_chunks_and_vectors(items: list[IndexedChunk], seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder, _workspace(folder) as ws:
        file = RawFile("a.md", "/a.md", "text/markdown", "ab" * 32, 1, now())
        ws.put_snapshot(Snapshot("s", now(), now(), (file,)))
        ws.put_document(file, "s", None)
        random = np.random.default_rng(seed)
        parts = sorted({part for item in items for part in item.parts})
        vectors = {part: random.standard_normal(2).astype(np.float32) for part in parts}
        ws.put_vectors("toy", vectors)
        [row] = ws.pending("g")
        assert ws.publish("g", row, items, title="T")
        assert [found.chunk for found in ws.document_chunks("g", None, "a.md")] == [
            item.chunk for item in items
        ]
        ids = [item.chunk.id for item in items]
        assert list(ws.chunk_terms("g", ids)) == [
            (item.chunk.id, item.parts, dict(item.terms)) for item in items
        ]
        back = ws.get_vectors("toy", parts)
        assert {part: vector.tobytes() for part, vector in back.items()} == {
            part: vector.tobytes() for part, vector in vectors.items()
        }


STEP = st.tuples(
    st.sampled_from(["change", "remove", "read", "publish"]),
    st.sampled_from([None, "acme"]),
    st.sampled_from("ab"),
)


@settings(max_examples=40, deadline=None)
@given(steps=st.lists(STEP, max_size=25))
def test_no_order_of_steps_shows_a_removed_or_foreign_document(
    steps: list[tuple[str, str | None, str]],
) -> None:
    """An oracle beside the record: per document its latest text, and what a slow indexer has in its hands."""
    with tempfile.TemporaryDirectory() as folder, _workspace(folder) as ws:
        ws.put_vectors("toy", {"p": np.ones(2, np.float32)})
        live: dict[tuple[str | None, str], str] = {}
        held = {}
        for number, (step, tenant, name) in enumerate(steps):
            key = (tenant, name)
            if step == "change":
                file = RawFile(name, f"/{name}", "text/markdown", f"{number:064}", 1, now(), tenant)
                ws.put_snapshot(Snapshot(f"s{number}", now(), now(), (file,)))
                ws.put_document(file, f"s{number}", None)
                live[key] = file.sha256
            elif step == "remove" and key in live:
                ws.remove_document(tenant, name)
                del live[key]
            elif step == "read" and key in live:
                held[key] = ws.document(tenant, name)
            elif step == "publish" and (row := held.get(key)) is not None:
                chunk = Chunk(f"{tenant}-{name}", name, "", (), (0, 64), row.file.sha256, tenant=tenant)
                done = ws.publish("g", row, [IndexedChunk(chunk, ("p",), {})])
                assert done == (live.get(key) == row.file.sha256)
            for shown in ws.chunk_keys("g"):
                assert (shown.tenant, shown.document) in live
                [found] = ws.chunks("g", [shown.chunk_id]).values()
                assert found.current == (live[shown.tenant, shown.document] == found.chunk.text)
