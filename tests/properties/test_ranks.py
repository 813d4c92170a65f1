"""Ranks depend on documents and query alone: not on batches, threads, the order or history of ingestion."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from library import Library
from suffice import registry
from suffice.ports import StoreRow
from suffice.values import Mode, Ranking

MODES: tuple[Mode, ...] = ("hybrid", "dense", "lexical")
WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "E_X_1", "密钥", "轮换", "épée", "v1.2"])
SECTION = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
PAGE = st.lists(SECTION, min_size=1, max_size=3).map(
    lambda sections: "# Page\n\n" + "\n\n".join(f"## S{n}\n\n{text}" for n, text in enumerate(sections))
)
NAME = st.sampled_from(["a.md", "b.md", "c.md", "d.md"])
QUERY = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
STEP = st.tuples(NAME, st.one_of(st.none(), PAGE))


def plain(rankings: list[Ranking]) -> list[object]:
    """All that must be equal bit for bit; snapshots and ids of generations are of one workspace."""
    return [
        [(hit.rank, hit.chunk_id, hit.text, hit.score.hex(), hit.scores, hit.ranks) for hit in ranking.hits]
        for ranking in rankings
    ]


def filled(folder: str, pages: list[tuple[str, str]], batch: int = 64) -> Library:
    library = Library(Path(folder) / ".suffice")
    for name, text in pages:
        library.put(name, text)
    library.index(batch=batch)
    return library


@settings(max_examples=25, deadline=None)
@given(
    pages=st.dictionaries(NAME, PAGE, min_size=1),
    queries=st.lists(QUERY, min_size=1, max_size=3),
    data=st.data(),
)
def test_neither_the_order_of_ingestion_nor_the_batch_moves_a_bit(
    pages: dict[str, str], queries: list[str], data: st.DataObject
) -> None:
    other_order = data.draw(st.permutations(list(pages.items())))
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        first, second = filled(one, list(pages.items())), filled(two, other_order, batch=1)
        for mode in MODES:
            together = first.searcher().search_many(queries, None, mode)
            alone = [second.search(query, None, mode) for query in queries]
            assert plain(list(together)) == plain(alone)
        first.ws.close()
        second.ws.close()


@settings(max_examples=25, deadline=None)
@given(steps=st.lists(STEP, min_size=1, max_size=8), every=st.integers(1, 3), query=QUERY)
def test_an_index_that_grew_equals_a_fresh_one(
    steps: list[tuple[str, str | None]], every: int, query: str
) -> None:
    final: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        grown = Library(Path(one) / ".suffice")
        grown.index()
        for number, (name, text) in enumerate(steps):
            if text is not None:
                grown.put(name, text)
                final[name] = text
            elif final.pop(name, None) is not None:
                grown.remove(name)
            if number % every == 0:
                grown.index()
                grown.search(query)
        grown.index()
        fresh = filled(two, list(final.items()))
        assert grown.chunks() == fresh.chunks()
        for mode in MODES:
            assert plain([grown.search(query, None, mode)]) == plain([fresh.search(query, None, mode)])
        grown.ws.close()
        fresh.ws.close()


def test_threads_that_share_a_searcher_get_the_same_bits() -> None:
    pages = [
        (f"{n}.md", f"# Page {n}\n\nalpha {n} beta {n % 3} gamma {n % 7} " + "delta " * (n % 5))
        for n in range(60)
    ]
    queries = [f"alpha {n} gamma {n % 4}" for n in range(40)]
    with tempfile.TemporaryDirectory() as folder:
        library = filled(folder, pages)
        searcher = library.searcher()
        expected = plain([searcher.search(query) for query in queries])
        with ThreadPoolExecutor(8) as pool:
            assert plain(list(pool.map(searcher.search, queries))) == expected
        library.ws.close()


VECTORS = st.lists(
    st.lists(st.integers(-3, 3), min_size=4, max_size=4).map(lambda row: np.array(row, np.float32)),
    min_size=1,
    max_size=3,
)
BAG = st.dictionaries(st.sampled_from(["a", "b", "c", "密"]), st.integers(1, 4))


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(VECTORS, BAG), min_size=1, max_size=12), data=st.data())
def test_masked_scores_are_those_of_a_store_that_never_held_the_rest(
    rows: list[tuple[list[np.ndarray], dict[str, int]]], data: st.DataObject
) -> None:
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    made = [StoreRow(f"{n:03d}", np.stack(vectors), bag) for n, (vectors, bag) in enumerate(rows)]
    query = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=4, max_size=4)), np.float32)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        whole = registry.create("store", "embedded", path=one)
        part = registry.create("store", "embedded", path=two)
        reference = registry.create("store", "memory")
        for store, held in (
            (whole, made),
            (part, [r for r, m in zip(made, mask, strict=True) if m]),
            (reference, made),
        ):
            store.build(held, "r", 4)
        assert whole.dense(query, mask)[mask].tobytes() == part.dense(query).tobytes()
        assert (
            whole.lexical(["a", "密", "z"], mask)[mask].tobytes() == part.lexical(["a", "密", "z"]).tobytes()
        )
        np.testing.assert_allclose(whole.dense(query, mask), reference.dense(query, mask), atol=1e-12)
        np.testing.assert_allclose(
            whole.lexical(["a", "z"], mask), reference.lexical(["a", "z"], mask), atol=1e-12
        )
