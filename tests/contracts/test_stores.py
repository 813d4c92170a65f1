"""One suite for every store that the registry knows, held against written-out definitions."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from suffice import registry
from suffice.errors import SettingsError, StoreError
from suffice.ports import Store, StoreRow

DIM = 24
WORDS = ["alpha", "beta", "gamma", "=err_x_y", "密", "密钥", "é", "zeta", "\ud800", "of"]


def rows(n: int, seed: int = 0) -> list[StoreRow]:
    rng, dice = np.random.default_rng(seed), random.Random(seed)
    made = []
    for number in range(n):
        vectors = rng.standard_normal((dice.randint(1, 4), DIM)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        terms = {word: dice.randint(1, 5) for word in dice.sample(WORDS, dice.randint(0, 6))}
        made.append(StoreRow(f"{number:04x}-{dice.getrandbits(32):08x}", vectors, terms))
    dice.shuffle(made)
    return made


def query(seed: int = 9) -> Any:
    vector = np.random.default_rng(seed).standard_normal(DIM).astype(np.float32)
    return vector / np.linalg.norm(vector)


@pytest.fixture(params=registry.names("store"))
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return lambda: registry.create("store", request.param, path=tmp_path / "segments")


@pytest.fixture
def store(make: Any) -> Store:
    made: Store = make()
    assert isinstance(made, Store)
    made.build(rows(150), "r1", DIM)
    return made


def test_rows_are_in_order_of_chunk_id_whatever_the_order_given(make: Any) -> None:
    one, other = make(), make()
    given = rows(60)
    one.build(given, "r1", DIM)
    first = one.dense(query()), one.lexical(["alpha", "密钥"])
    other.build(sorted(given, key=lambda row: row.chunk_id, reverse=True), "r2", DIM)
    assert one.chunk_ids() == other.chunk_ids() == tuple(sorted(row.chunk_id for row in given))
    assert first[0].tobytes() == other.dense(query()).tobytes()
    assert first[1].tobytes() == other.lexical(["alpha", "密钥"]).tobytes()
    by_id = {row.chunk_id: row for row in given}
    for chunk_id, vectors in zip(other.chunk_ids(), other.vectors(range(60)), strict=True):
        np.testing.assert_array_equal(vectors, by_id[chunk_id].vectors)


def test_dense_is_the_cosine_of_the_best_part(store: Store) -> None:
    by_id = {row.chunk_id: row.vectors.astype(np.float64) for row in rows(150)}
    wide = query().astype(np.float64)
    scores = store.dense(query())
    assert scores.dtype == np.float64
    for chunk_id, score in zip(store.chunk_ids(), scores, strict=True):
        parts = by_id[chunk_id]
        cosines = parts @ wide / np.linalg.norm(parts, axis=1) / np.linalg.norm(wide)
        assert score == pytest.approx(cosines.max(), abs=1e-12)


def test_a_vector_of_zeros_has_the_cosine_zero(make: Any) -> None:
    store = make()
    store.build([StoreRow("a", np.zeros((1, DIM), np.float32), {})], "r1", DIM)
    assert store.dense(query()).tolist() == [0.0]
    assert store.dense(np.zeros(DIM, np.float32)).tolist() == [0.0]


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 0.97, 1.0])
def test_a_mask_takes_rows_out_and_changes_no_other_cosine(store: Store, share: float) -> None:
    mask = np.random.default_rng(3).random(150) < share
    scores, whole = store.dense(query(), mask), store.dense(query())
    assert np.isnan(scores[~mask]).all()
    assert scores[mask].tobytes() == whole[mask].tobytes()
    assert np.isnan(store.lexical(["alpha"], mask)[~mask]).all()


def test_lexical_statistics_are_those_of_the_rows_in_the_mask(
    store: Store, make: Any, tmp_path: Path
) -> None:
    mask = np.random.default_rng(4).random(150) < 0.4
    kept = {chunk_id for chunk_id, keep in zip(store.chunk_ids(), mask, strict=True) if keep}
    terms = ["密钥", "alpha", "=err_x_y", "nowhere", "\ud800"]
    masked = store.lexical(terms, mask)[mask]
    alone = make()
    alone.build([row for row in rows(150) if row.chunk_id in kept], "r2", DIM)
    assert masked.tobytes() == alone.lexical(terms).tobytes()


def test_lexical_is_bm25(make: Any) -> None:
    store = make()
    vector = np.ones((1, DIM), np.float32)
    store.build(
        [
            StoreRow("a", vector, {"x": 2, "y": 2}),
            StoreRow("b", vector, {"y": 1, "z": 1}),
            StoreRow("c", vector, {}),
        ],
        "r1",
        DIM,
    )
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    assert store.lexical(["x"])[0] == pytest.approx(
        idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 2)), rel=1e-12
    )
    assert store.lexical(["x"])[1:].tolist() == [0.0, 0.0]
    assert store.lexical(["nothing"]).tolist() == [0.0, 0.0, 0.0]
    assert store.lexical([]).tolist() == [0.0, 0.0, 0.0]


def test_lexical_depends_neither_on_the_order_nor_on_repeats_of_the_terms(store: Store) -> None:
    terms = ["alpha", "密", "beta", "of", "é"]
    assert store.lexical(terms).tobytes() == store.lexical([*reversed(terms), "of", "of"]).tobytes()


def test_every_store_agrees_with_the_plain_reference(store: Store) -> None:
    plain = registry.create("store", "memory")
    plain.build(rows(150), "r1", DIM)
    mask = np.random.default_rng(5).random(150) < 0.6
    for chosen in (None, mask):
        np.testing.assert_allclose(
            store.dense(query(), chosen), plain.dense(query(), chosen), rtol=0, atol=1e-13
        )
        terms = ["alpha", "密钥", "zeta", "=err_x_y", "of"]
        np.testing.assert_allclose(store.lexical(terms, chosen), plain.lexical(terms, chosen), rtol=1e-12)


def test_an_empty_index_answers(make: Any) -> None:
    store = make()
    store.build([], "r0", DIM)
    assert store.revision() == "r0"
    assert store.chunk_ids() == ()
    assert len(store.dense(query())) == len(store.lexical(["alpha"])) == 0
    assert store.vectors([]) == ()


def test_before_a_build_there_is_no_revision_and_reading_is_refused(make: Any) -> None:
    store = make()
    assert store.revision() is None
    with pytest.raises(StoreError):
        store.chunk_ids()
    with pytest.raises(StoreError):
        store.dense(query())


@pytest.mark.parametrize(
    "bad",
    [
        [StoreRow("a", np.zeros((0, DIM), np.float32), {})],
        [StoreRow("a", np.ones((1, DIM + 1), np.float32), {})],
        [StoreRow("a", np.full((1, DIM), np.nan, np.float32), {})],
        [StoreRow("a", np.ones((1, DIM), np.float32), {}), StoreRow("a", np.ones((1, DIM), np.float32), {})],
    ],
    ids=["no part", "other dim", "not a number", "same id twice"],
)
def test_a_build_that_fails_says_why_and_leaves_the_old_arrays(store: Store, bad: list[StoreRow]) -> None:
    before = store.dense(query()).tobytes()
    with pytest.raises(StoreError):
        store.build(bad, "r2", DIM)
    assert store.revision() == "r1"
    assert store.dense(query()).tobytes() == before


def test_what_does_not_fit_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="dimensions"):
        store.dense(np.ones(DIM + 1, np.float32))
    with pytest.raises(StoreError, match="mask"):
        store.dense(query(), np.ones(3, np.bool_))
    with pytest.raises(StoreError, match="mask"):
        store.lexical(["alpha"], np.ones(150, np.int8))
    with pytest.raises(StoreError, match="150 rows"):
        store.vectors([150])


def test_unknown_options_are_refused(make: Any, request: pytest.FixtureRequest) -> None:
    with pytest.raises(SettingsError):
        registry.create("store", make().name, path="x", colour="red")


def late_rows(n: int) -> list[StoreRow]:
    rng = np.random.default_rng(3)
    return [
        StoreRow(
            row.chunk_id,
            row.vectors,
            row.terms,
            tuple(rng.integers(-127, 128, (rng.integers(0, 9), 16)).astype(np.int8) for _ in row.vectors),
        )
        for row in rows(n)
    ]


def test_states_come_back_part_by_part_whatever_the_order_of_ingestion(store: Store) -> None:
    made = late_rows(30)
    store.build(made, "r1", DIM)
    by_id = {row.chunk_id: row for row in made}
    wanted = [7, 0, 29, 7]
    found = store.states(wanted)
    assert found is not None
    for row, parts in zip(wanted, found, strict=True):
        expected = by_id[store.chunk_ids()[row]].states
        assert expected is not None and len(parts) == len(expected)
        assert all(np.array_equal(one, other) for one, other in zip(parts, expected, strict=True))
    with pytest.raises(StoreError):
        store.states([30])


def test_a_store_without_states_says_so(store: Store) -> None:
    store.build(rows(4), "r1", DIM)
    assert store.states([0, 1]) is None


@pytest.mark.parametrize("fault", ["some rows alone", "a part without", "another width"])
def test_states_that_do_not_fit_are_refused(store: Store, fault: str) -> None:
    made = late_rows(3)
    one = made[1]
    codes = one.states or ()
    bad = {
        "some rows alone": None,
        "a part without": codes[:-1],
        "another width": tuple(np.zeros((2, 15), np.int8) for _ in codes),
    }[fault]
    made[1] = StoreRow(one.chunk_id, one.vectors, one.terms, bad)
    with pytest.raises(StoreError):
        store.build(made, "r1", DIM)


def test_the_share_of_known_terms(store: Store) -> None:
    vector = np.ones((1, DIM), np.float32)
    store.build([StoreRow("a", vector, {"x": 2}), StoreRow("b", vector, {"y": 1})], "r1", DIM)
    assert store.share_known(["x", "y", "z", "z"]) == 2 / 3
    assert store.share_known(["x", "y"], np.array([True, False])) == 0.5
    assert store.share_known([]) == 0.0
