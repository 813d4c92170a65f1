"""The features judge: what it reads, in what units, and which way each sign of a missing thing pulls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from suffice import registry
from suffice.errors import EmbedderError, JudgeError, SettingsError
from suffice.plugins.judges import features
from suffice.plugins.judges._features_read import READ, WORDS
from suffice.plugins.judges._features_units import units, windows
from suffice.plugins.judges._features_words import holds_name, names_of, terms, wording
from suffice.plugins.judges._weighted import shipped
from suffice.ports import TokenStates
from suffice.values import Need, Passage


def passage(rank: int, text: str, title: str = "", start: int = 0, dense: float | None = 0.85) -> Passage:
    return Passage(rank, f"c{rank}", title, (), text, (start, start + len(text)), {"dense": dense})


@pytest.fixture(scope="module")
def judge() -> Any:
    return registry.create("judge", "features", embedder=registry.create("embedder", "e5"))


def best(judge: Any, need: str, *passages: Passage, context: str = "") -> float:
    found = judge.judge(need, [Need("N1", need, context=context)], passages)
    return max((support.confidence for support in found), default=0.0)


# --- units ---------------------------------------------------------------------------------


def test_units_are_sentences_rows_items_and_whole_code_blocks() -> None:
    text = "One is here. Two is there.\n\n- item a\n- item b\n\n"
    text += "| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx. y.\nz\n```\n"
    assert [text[slice(*span)] for span in units(text)] == [
        "One is here.",
        "Two is there.",
        "- item a",
        "- item b",
        "| a | b |",
        "| 1 | 2 |",
        "```\nx. y.\nz\n```",
    ]


def test_windows_tile_the_units_in_order_and_stay_short() -> None:
    text = " ".join(f"This is sentence number {i} of the text." for i in range(60))
    cut = windows(text)
    assert [unit for window in cut for unit in window.units] == units(text)
    assert all(window.span[1] - window.span[0] < 400 for window in cut)
    assert windows("") == []
    assert all(b - a <= 320 for a, b in units("a" * 5000))


# --- words ---------------------------------------------------------------------------------


def test_wording_keeps_topic_words_apart_from_the_clause_s_own() -> None:
    words = wording("Zephyr: what is the fee for ABC_1?", "Zephyr")
    assert "abc_1" in words.names
    assert "zephyr" not in words.names
    assert "fee" in words.stems


def test_names_are_identifiers_numbers_and_names_within_the_sentence() -> None:
    assert {"x_1", "2024", "lyon"} <= set(names_of("Does x_1 work in Lyon in 2024?", "en"))
    assert names_of("Does it work?", "en") == ()
    assert "kv" in names_of("KV命名空间怎么读取？", "zh")


@pytest.mark.parametrize(
    ("name", "text", "held"),
    [
        ("kv", "the kv store", True),
        ("kv", "mkv files", False),
        ("kv", "读取kv命名空间", True),
        ("r2", "r20", False),
    ],
)
def test_a_name_is_held_as_a_whole_word(name: str, text: str, held: bool) -> None:
    assert holds_name(name, text) is held


def test_terms_meet_across_inflections_and_in_chinese_by_pairs() -> None:
    assert terms("rotating keys", "en") & terms("rotate a key", "en") == {"rotat", "key"}
    assert "限制" in terms("请求限制是多少", "zh")


# --- signs ---------------------------------------------------------------------------------

PARKS = (
    passage(2, "The east park has a pond with ducks. Benches stand along the path.", "East park"),
    passage(3, "The north park is closed for repairs until spring.", "North park"),
)


def test_the_answer_is_more_likely_than_its_neighbours(judge: Any) -> None:
    right = passage(1, "The west park opens at 7 in the morning and closes at 22.", "West park")
    asked = "When does the west park open?"
    assert best(judge, asked, right, *PARKS) > best(judge, asked, *PARKS) + 0.2


def test_a_named_thing_that_stands_nowhere_pulls_down(judge: Any) -> None:
    text = "The limit of requests is 50 per minute. Ask support for more."
    with_name = best(judge, "What is the request limit of ZX81?", passage(1, text, "ZX81 limits"))
    without = best(judge, "What is the request limit of ZX81?", passage(1, text, "QL limits"))
    assert with_name > without


def test_a_question_in_another_language_is_read_by_meaning(judge: Any) -> None:
    right = passage(1, "The west park opens at 7 in the morning and closes at 22.", "West park")
    asked = "西公园几点开门？"
    assert best(judge, asked, right, *PARKS) > best(judge, asked, *PARKS)


def test_the_span_is_the_unit_that_answers(judge: Any) -> None:
    text = "Bees are insects. The hive is opened in May. Honey is sold in jars."
    found = judge.judge("", [Need("N1", "When is the hive opened?")], [passage(1, text, "Bees", start=50)])
    start, end = found[0].span
    assert text[start - 50 : end - 50] == "The hive is opened in May."


def test_signs_of_missing_things_never_help() -> None:
    fitted = shipped(features.FITTED)
    for variant, names in (("read", READ), ("words", WORDS)):
        for weights in fitted[variant]["weights"].values():
            assert set(weights) == {"bias", *names}
            for name in names:
                if name.endswith("_missing"):
                    assert weights[name] < 0
                elif name != "same_language":
                    assert weights[name] >= 0


# --- what it does without a reader -----------------------------------------------------------


class NoStates:
    """An embedder of another model: vectors, but no token states."""

    name, version, dim, window = "plain", "1", 8, 64

    def fingerprint(self) -> str:
        return "plain"

    def room(self) -> int:
        return 60

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def token_states(self, texts: Any, *, query: bool) -> tuple[TokenStates, ...]:
        raise EmbedderError("no states")


@pytest.mark.parametrize("embedder", [None, NoStates()])
def test_without_token_states_it_goes_by_words(embedder: Any) -> None:
    judge = features.create(embedder=embedder)
    right = passage(1, "The west park opens at 7 in the morning.", "West park")
    asked = "When does the west park open?"
    assert best(judge, asked, right, *PARKS) > best(judge, asked, *PARKS)


def test_no_dense_score_is_no_reason_to_fail(judge: Any) -> None:
    right = passage(1, "The west park opens at 7 in the morning.", "West park", dense=None)
    assert best(judge, "When does the west park open?", right) > 0.02


class Broken:
    """An embedder whose model disappears after it was made."""

    name, version, dim, window = "e5", "1", 384, 512

    def __init__(self) -> None:
        self.calls = 0

    def room(self) -> int:
        return 500

    def count_tokens(self, text: str) -> int:
        return 1

    def token_states(self, texts: Any, *, query: bool) -> tuple[TokenStates, ...]:
        self.calls += 1
        if self.calls > 1:
            raise EmbedderError("the model is gone")
        return (TokenStates(np.ones((1, 384), np.float32), ((0, 1),), (5,)),)


def test_a_reader_that_fails_is_an_error_and_not_an_absence() -> None:
    judge = features.create(embedder=Broken())  # type: ignore[arg-type]
    with pytest.raises(JudgeError, match="model is gone"):
        judge.judge("q", [Need("N1", "When?")], [passage(1, "Some words here.")])


@pytest.mark.parametrize("tokens", [0, -1, "many"])
def test_an_impossible_budget_is_refused(tokens: Any) -> None:
    with pytest.raises(SettingsError, match="read_tokens"):
        features.create(read_tokens=tokens)
