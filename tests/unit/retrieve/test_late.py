"""Late interaction: the definition, its bits, what it reorders, and what turns it off."""

from __future__ import annotations

import math
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from late_library import LateCounting
from library import Library
from suffice.errors import WorkspaceError
from suffice.index import active, open_store
from suffice.retrieve import fuse, late
from suffice.retrieve.search import Searcher
from suffice.settings import EmbedSettings, SearchSettings, Settings
from suffice.workspace import Workspace
from suffice.workspace.schema import MIGRATIONS

ASKED = "Which cold room near the harbour stores apples?"


def codes(n: int, dim: int = 6) -> Any:
    return arrays(np.int8, (n, dim), elements=st.integers(-127, 127))


@settings(deadline=None, max_examples=40)
@given(codes(3), st.lists(st.lists(st.integers(0, 4).flatmap(codes), min_size=1, max_size=3), max_size=5))
def test_it_is_the_mean_best_cosine_of_the_best_part(query: Any, rows: list[list[Any]]) -> None:
    def cosine(one: Any, other: Any) -> float:
        a, b = one.astype(int).tolist(), other.astype(int).tolist()
        lengths = math.hypot(*a) * math.hypot(*b)
        return sum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 0.0

    def part(tokens: Any) -> float:
        if not len(tokens):
            return 0.0
        return math.fsum(max(cosine(word, token) for token in tokens) for word in query) / len(query)

    found = late.maxsim(query, rows)
    assert found == pytest.approx([max(part(tokens) for tokens in row) for row in rows], abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_a_rows_bits_do_not_depend_on_what_stands_beside_it(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def some(n: int) -> Any:
        return rng.integers(-127, 128, (n, 128)).astype(np.int8)

    query = some(int(rng.integers(1, 30)))
    rows = [[some(int(rng.integers(0, 90))) for _ in range(rng.integers(1, 4))] for _ in range(8)]
    whole = late.maxsim(query, rows)
    assert [late.maxsim(query, [row])[0] for row in rows] == whole.tolist()
    assert late.maxsim(query, rows[::-1])[::-1].tolist() == whole.tolist()


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(-50, 50), min_size=3, max_size=30), st.integers(1, 40), st.data())
def test_the_head_stands_above_the_rest_and_the_rest_keeps_its_order(
    before: list[float], n: int, data: st.DataObject
) -> None:
    scores = np.array(before)
    order = fuse.order(scores)
    head = order[:n]
    mixed = scores + np.array(
        data.draw(st.lists(st.floats(-9, 9), min_size=len(scores), max_size=len(scores)))
    )
    after = fuse.order(late.above(scores, mixed, head))
    assert set(after[: len(head)]) == set(head)
    assert list(after[len(head) :]) == list(order[len(head) :])


@pytest.fixture
def library(tmp_path: Path) -> Library:
    made = Library(tmp_path / ".suffice", embedder=LateCounting())
    for n in range(70):
        made.put(
            f"{n:02d}.md",
            f"# Room {n}\n\nThe {'cold' if n % 3 else 'warm'} room {n} near the "
            f"{'harbour' if n % 2 else 'mill'} stores {('apples', 'pears', 'plums')[n % 3]} for {n} days.",
            tenant="a" if n % 5 == 0 else None,
        )
    made.index()
    return made


def searcher(library: Library, **values: Any) -> Searcher:
    return library.searcher(msgspec.structs.replace(library.settings, search=SearchSettings(**values)))


def test_the_first_fifty_are_scored_anew_and_say_so(library: Library) -> None:
    ranking = searcher(library).search(ASKED)
    scored = [hit for hit in ranking.hits if hit.scores["late"] is not None]
    assert [hit.rank for hit in scored] == list(range(1, late.FIRST + 1))
    assert all(-1 <= (hit.scores["late"] or 0) <= 1 for hit in scored)
    best = sorted(scored, key=lambda hit: (-(hit.scores["late"] or 0), hit.chunk_id))
    assert [hit.ranks["late"] for hit in best] == list(range(1, len(best) + 1))
    plain = searcher(library, late_weight=0).search(ASKED)
    assert [hit.chunk_id for hit in ranking.hits[50:]] == [hit.chunk_id for hit in plain.hits[50:]]
    assert {hit.chunk_id for hit in ranking.hits[:50]} == {hit.chunk_id for hit in plain.hits[:50]}
    assert [hit.chunk_id for hit in ranking.hits] != [hit.chunk_id for hit in plain.hits]
    scores = [hit.score for hit in ranking.hits]
    assert scores == sorted(scores, reverse=True)


def test_off_gives_exactly_what_an_index_without_states_gives(library: Library, tmp_path: Path) -> None:
    off = Settings(embed=EmbedSettings(late=False))
    bare = Library(tmp_path / "bare", settings=off, embedder=LateCounting())
    for row in library.ws.documents():
        bare.put(row.name, library.ws.blobs.get(row.file.sha256), tenant=row.tenant)
    bare.index()
    for mode in ("hybrid", "dense", "lexical"):
        one = searcher(library, late_weight=0).search(ASKED, mode=mode)  # type: ignore[arg-type]
        other = bare.searcher().search(ASKED, mode=mode)  # type: ignore[arg-type]
        shown = [[(h.chunk_id, h.score, h.ranks, h.scores) for h in r.hits] for r in (one, other)]
        assert shown[0] == shown[1]
        assert all("late" not in hit.ranks for hit in one.hits)


def test_dense_and_lexical_searches_are_left_alone(library: Library) -> None:
    for mode in ("dense", "lexical"):
        with_states = searcher(library).search(ASKED, mode=mode)  # type: ignore[arg-type]
        without = searcher(library, late_weight=0).search(ASKED, mode=mode)  # type: ignore[arg-type]
        assert with_states.hits == without.hits


def test_another_tenants_chunks_never_come_in(library: Library) -> None:
    filter = library.where(tenant="a")
    found = searcher(library).search(ASKED, filter=filter)
    assert found.depth == 14 == len(found.hits)
    assert all(int(hit.document[:2]) % 5 == 0 for hit in found.hits)


def test_rank_fusion_takes_it_as_one_more_leg(library: Library) -> None:
    found = searcher(library, fusion="rrf").search(ASKED)
    plain = searcher(library, fusion="rrf", late_weight=0).search(ASKED)
    assert [h.chunk_id for h in found.hits[50:]] == [h.chunk_id for h in plain.hits[50:]]
    assert [h.chunk_id for h in found.hits] != [h.chunk_id for h in plain.hits]


def test_a_query_of_no_word_is_ranked_without_it(library: Library) -> None:
    assert len(searcher(library).search("?!").hits) == 56


def test_states_of_another_edition_are_not_used(library: Library) -> None:
    library.embedder.edition = "2"
    assert not searcher(library).reranks
    assert all("late" not in hit.ranks for hit in searcher(library).search(ASKED).hits)
    library.embedder.batches.clear()
    report = library.index()
    assert report.n_embedded == 70 and searcher(library).reranks


def test_turning_it_off_and_on_embeds_nothing_twice(library: Library) -> None:
    first = active(library.ws).id
    library.embedder.batches.clear()
    library.settings = Settings(embed=EmbedSettings(late=False))
    library.index()
    assert active(library.ws).id != first
    library.settings = Settings()
    library.index()
    assert active(library.ws).id == first
    assert library.embedder.texts == []


def test_an_index_of_vectors_alone_gets_its_states(tmp_path: Path) -> None:
    made = Library(
        tmp_path / ".suffice", settings=Settings(embed=EmbedSettings(late=False)), embedder=LateCounting()
    )
    made.put("a.md", "# A\n\nApples are stored in cold rooms.")
    made.index()
    made.settings = Settings()
    assert not made.searcher().reranks  # the old generation serves until the next update
    assert made.index().n_embedded == 1
    assert made.searcher().reranks


def test_arrays_that_were_lost_are_made_again_from_the_record(library: Library) -> None:
    before = searcher(library).search(ASKED)
    library.embedder.batches.clear()
    for file in library.ws.segments.rglob("states.npy"):
        file.write_bytes(file.read_bytes()[:-128])
    again = searcher(library).search(ASKED)
    assert again.hits == before.hits and library.embedder.texts == []


def test_a_run_cut_short_is_completed_and_embeds_the_rest_alone(tmp_path: Path) -> None:
    made = Library(tmp_path / ".suffice", embedder=LateCounting())
    for n in range(8):
        made.put(f"{n}.md", f"# Page {n}\n\nWords of page number {n}.")
    inner, seen = made.embedder._codes, []

    def codes(texts: Any, *, query: bool) -> Any:
        seen.extend(texts)
        if len(seen) > 4:
            raise KeyboardInterrupt
        return inner(texts, query=query)

    made.embedder._codes = codes
    with pytest.raises(KeyboardInterrupt):
        made.index(batch=2)
    made.embedder._codes = inner
    made.embedder.batches.clear()
    assert made.index(batch=2).n_chunks == 8
    assert len(made.embedder.texts) == 4
    generation = active(made.ws).id
    states = open_store(made.ws, generation, made.settings).states(range(8))
    assert states is not None and all(len(part) for row in states for part in row)


def test_damaged_states_are_named_and_can_be_made_again(library: Library) -> None:
    name = library.embedder.late_fingerprint()
    (part,) = library.ws.read("SELECT part FROM state ORDER BY part LIMIT 1")[0]
    with library.ws.writing() as db:
        db.execute("UPDATE state SET data = zeroblob(length(data)) WHERE part = ?", (part,))
    assert library.ws.damaged_states() == ((name, part),)
    with pytest.raises(WorkspaceError, match="damaged"):
        library.ws.get_states(name, [part])
    library.ws.drop_states(name, [part])
    assert library.ws.missing_states(name, [part]) == (part,)
    with pytest.raises(WorkspaceError, match="int8"):
        library.ws.put_states(name, 32, {part: np.zeros((2, 31), np.int8)})


def test_a_workspace_of_before_is_brought_up_to_date(tmp_path: Path) -> None:
    folder = tmp_path / ".suffice"
    with Workspace.open(folder, create=True):
        pass
    db = sqlite3.connect(folder / "suffice.db")
    db.execute("DROP TABLE state")
    db.execute("PRAGMA user_version = 1")
    db.commit()
    db.close()
    made = Library(folder, embedder=LateCounting())
    made.put("a.md", "# A\n\nApples.")
    made.index()
    assert made.searcher().reranks
    assert made.ws.read("PRAGMA user_version")[0][0] == len(MIGRATIONS)
