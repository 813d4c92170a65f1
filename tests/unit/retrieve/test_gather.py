"""Evidence taken in turn from several rankings."""

from __future__ import annotations

from suffice.retrieve.gather import in_turn


def test_rankings_that_agree_do_not_take_the_places_of_another() -> None:
    found = in_turn([["a", "b", "c", "d"], ["a", "c", "d", "e"], ["x", "y", "z", "w"]], 5, str)
    assert found == ["a", "x", "b", "c", "y"]
    assert in_turn([["a", "b"], ["a", "b"]], 4, str) == ["a", "b"]
    assert in_turn([], 4, str) == []
