"""Which of the searched candidates are shown: those that find most of what the evidence lacks."""

from __future__ import annotations

from suffice.recover.choice import Searched, choose


def searched(*found: str, ranked: str = "") -> Searched:
    return Searched(found, tuple(ranked))


def order(pool: list[Searched], known: str, n: int = 3) -> list[int]:
    return [at for at, _ in choose(pool, known, n)]


def test_what_finds_something_new_comes_before_what_does_not() -> None:
    assert order([searched("a", "b"), searched("a", "c")], known="ab") == [1, 0]
    assert choose([searched("a", "b"), searched("c", "a")], known="ab", n=3) == ((1, 1), (0, 0))


def test_two_wordings_of_the_same_do_not_take_two_places() -> None:
    pool = [searched("x", "y", "z"), searched("x", "y", "z"), searched("w")]
    assert order(pool, known="", n=2) == [0, 2]
    assert choose(pool, known="", n=3)[2] == (1, 3), "what it finds is new to the user all the same"


def test_a_chunk_that_several_found_counts_more() -> None:
    pool = [searched("p"), searched("q", "r"), searched("s", "q")]
    assert order(pool, known="rs", n=1) == [1]


def test_a_chunk_that_the_need_itself_ranks_well_counts_more() -> None:
    pool = [searched("x", ranked="ay"), searched("y", ranked="ay")]
    assert order(pool, known="a", n=1) == [1]


def test_a_chunk_near_the_top_counts_more() -> None:
    assert order([searched("a", "b", "x"), searched("y", "a", "b")], known="ab", n=1) == [1]


def test_without_a_gain_the_order_of_promise_stays() -> None:
    assert order([searched("a")] * 4, known="a") == [0, 1, 2]
    assert order([], known="a") == []
    assert order([searched("a")], known="", n=0) == []
