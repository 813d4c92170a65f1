"""The shared cases of search and indexing, through the Python API; each fault's kind has tests of our own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from library import Counting, Library
from suffice.retrieve import fuse
from suffice.values import Filter, Mode

MODES: tuple[Mode, ...] = ("lexical", "dense", "hybrid")


@pytest.fixture
def case(request: pytest.FixtureRequest, shared: Path) -> tuple[Path, dict[str, Any]]:
    folder = shared / "cases" / request.param
    return folder, json.loads((folder / "case.json").read_text("utf-8"))


def of(name: str) -> Any:
    return pytest.mark.parametrize("case", [name], indirect=True)


def filled(tmp_path: Path, folder: Path, names: list[str]) -> Library:
    library = Library(tmp_path / ".suffice")
    for name in names:
        library.put(name, (folder / name).read_bytes())
    library.index()
    return library


@of("cjk-lexical-no-spaces")
def test_cjk_lexical_no_spaces(tmp_path: Path, case: Any) -> None:
    folder, facts = case
    library = filled(tmp_path, folder, facts["input"])
    for query, name in facts["expect"]["queries"]:
        hits = library.search(query, 5, "lexical").hits
        assert hits[0].document == name, query
        assert all(hit.score > 0 for hit in hits)
    assert library.search("微波炉", 5, "lexical").hits == ()


@of("hybrid-exact-identifier")
def test_hybrid_exact_identifier(tmp_path: Path, case: Any) -> None:
    folder, facts = case
    library = filled(tmp_path, folder, facts["input"])
    for query, name in facts["expect"]["first"]:
        for mode in ("lexical", "hybrid"):
            assert library.search(query, 5, mode).hits[0].document == name, (query, mode)
    for query, name in facts["expect"]["found"]:
        assert name in {hit.document for hit in library.search(query, 5, "lexical").hits}, query


@of("filter-before-topk")
def test_filter_before_topk(tmp_path: Path, case: Any) -> None:
    folder, facts = case
    library = Library(tmp_path / ".suffice")
    for line in (folder / "records.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        library.put(record["id"], record["text"], tenant=record["tenant"], kind="text/plain")
    library.index()
    query = "When are fire drills held?"
    for mode in MODES:
        for k in range(1, 6):
            found = library.search(query, k, mode, Filter("south")).hits
            assert [hit.document for hit in found] == facts["expect"]["hits"]
        north = library.search(query, 5, mode, Filter("north")).hits
        assert len(north) == 5
        assert all(hit.document.startswith("n") for hit in north)
        assert library.search(query, 5, mode).hits == ()


@of("inc-shrunk-document")
def test_inc_shrunk_document(tmp_path: Path, case: Any) -> None:
    folder, facts = case
    library = Library(tmp_path / "one" / ".suffice")
    library.put("handbook.md", (folder / "v1.md").read_bytes())
    library.index()
    library.put("handbook.md", (folder / "v2.md").read_bytes())
    library.embedder.batches.clear()
    assert library.index().n_embedded == len(library.embedder.texts) <= facts["expect"]["max_reembedded"]
    fresh = Library(tmp_path / "two" / ".suffice")
    fresh.put("handbook.md", (folder / "v2.md").read_bytes())
    fresh.index()
    assert library.chunks() == fresh.chunks()
    for gone in facts["expect"]["gone"]:
        assert not any(gone in hit.text for hit in library.search(gone, mode="lexical").hits)
    for kept in facts["expect"]["kept"]:
        assert any(kept in hit.text for hit in library.search(kept, mode="lexical").hits)
    before = library.ws.revision(library.index().generation)
    library.embedder.batches.clear()
    third = library.index()
    assert (third.indexed, library.embedder.texts) == ((), [])
    assert library.ws.revision(third.generation) == before


@of("del-shared-passage")
def test_del_shared_passage(tmp_path: Path, case: Any) -> None:
    folder, facts = case
    library = filled(tmp_path, folder, facts["input"])
    passage = facts["expect"]["passage"]

    def owners(mode: Mode, query: str = "help desk working days") -> set[str]:
        return {hit.document for hit in library.search(query, mode=mode).hits if passage in hit.text}

    for mode in MODES:
        assert owners(mode) == {"a.md", "b.md"}
    library.remove("a.md")
    for mode in MODES:
        assert owners(mode) == {"b.md"}
        assert not any("Printer 12" in hit.text for hit in library.search("Printer 12", mode=mode).hits)
    library.index()
    generation = library.searcher().generation
    left = {key.document for key in library.ws.chunk_keys(generation)}
    assert left == {"b.md"}
    assert set(library.searcher().store.chunk_ids()) == set(library.chunks())
    library.remove("b.md")
    for mode in MODES:
        assert owners(mode) == set()
    library.put("a.md", (folder / "a.md").read_bytes())
    library.index()
    for mode in MODES:
        assert owners(mode) == {"a.md"}


CHILD = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from library import Counting, Library

class Deadly(Counting):
    def embed_passages(self, texts, progress=None):
        if len(self.batches) + 1 == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed_passages(texts, progress)

library = Library(Path(sys.argv[1]), embedder=Deadly())
library.put("lockers.md", Path(sys.argv[4]).read_bytes())
library.index(batch=1)
"""


@of("dur-kill-mid-ingest")
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_dur_kill_mid_ingest(tmp_path: Path, case: Any) -> None:
    folder, facts = case
    new = (folder / "new.md").read_text("utf-8")
    fresh = Library(tmp_path / "fresh" / ".suffice")
    fresh.put("lockers.md", new)
    fresh.index()
    for kill_at in facts["expect"]["kill_at"]:
        path = tmp_path / str(kill_at) / ".suffice"
        library = Library(path)
        library.put("lockers.md", (folder / "old.md").read_bytes())
        library.index()
        old = library.chunks()
        library.ws.close()
        command = [sys.executable, "-c", CHILD, str(path), str(kill_at)]
        child = subprocess.run(
            [*command, str(Path(__file__).parents[1]), str(folder / "new.md")], check=False, env=os.environ
        )
        assert child.returncode == -signal.SIGKILL
        library = Library(path, embedder=Counting())
        assert library.ws.problems() == ()
        library.searcher().store.verify()  # type: ignore[attr-defined]
        assert library.chunks() == old
        hits = library.search("Locker bank cleaned on day 3", mode="dense").hits
        assert {hit.text for hit in hits} == set(old.values())
        report = library.index(batch=1)
        assert report.indexed == ("lockers.md",)
        assert library.chunks() == fresh.chunks()
        assert len(library.chunks()) == facts["expect"]["chunks_new"]
        assert report.n_embedded == facts["expect"]["chunks_new"] - (kill_at - 1)  # nothing twice


@of("embed-window-tail")
def test_embed_window_tail(tmp_path: Path, case: Any) -> None:
    folder, facts = case
    space: dict[str, Any] = {}
    exec((folder / "fake_embedder.py").read_text("utf-8"), space)

    class Windowed(Counting):
        name, version, dim, window = "windowed", "1", space["DIM"], space["WINDOW"]

        def fingerprint(self) -> str:
            return "windowed/1"

        def count_tokens(self, text: str) -> int:
            return len(space["tokens"](text))

        def room(self) -> int:
            return int(space["WINDOW"])

        def embed_passages(self, texts: Any, progress: Any = None) -> Any:
            return np.array(space["embed"](texts), np.float32)

        def embed_queries(self, texts: Any) -> Any:
            return np.array(space["embed"](texts), np.float32)

    library = Library(tmp_path / ".suffice", embedder=Windowed())
    page = (folder / "page.md").read_text("utf-8")
    library.put("page.md", page)
    library.index()
    assert max(n for n, _ in space["seen"]) <= facts["expect"]["window"]
    for item in (line for line in page.splitlines() if line.startswith("- ")):
        assert sum(item in text for text in library.chunks().values()) == 1
    hits = library.search("quarantine bucket purged every nineteen days", 1, "dense").hits
    assert facts["expect"]["fact"] in hits[0].text


@of("gate-fused-score-threshold")
def test_gate_fused_score_threshold(case: Any) -> None:
    folder, facts = case
    lists = json.loads((folder / "lists.json").read_text("utf-8"))
    for query in lists["queries"]:
        ids = sorted({*query["lexical"], *(key for key, _ in query["dense"])})
        cosines = np.full(len(ids), np.nan)
        lexical = np.zeros(len(ids), np.int64)
        for rank, key in enumerate(query["lexical"], 1):
            lexical[ids.index(key)] = rank
        for key, cosine in query["dense"]:
            cosines[ids.index(key)] = cosine
        fused = fuse.reciprocal((fuse.ranks(cosines), lexical), lists["rrf_k"])
        first = int(fuse.order(fused)[0])
        assert fused[first] == pytest.approx(facts["expect"]["top_fused"], abs=1e-9)
        above = {key for key, cosine in query["dense"] if cosine >= lists["config"]["min_score"]}
        assert (query["gold"] in above) if query["gold"] else not above
