"""An old answer is checked whole: quotes against the snapshot, and what it says against its quotes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from suffice.engine import Engine
from suffice.settings import load
from suffice.values import to_builtins

Edit = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, dict[str, Any]]]:
    place = tmp_path_factory.mktemp("kiln")
    page = place / "kiln.md"
    page.write_text("# Kiln\n\nThe kiln reaches 1240 degrees after nine hours of firing.\n", "utf-8")
    settings = load(environment={}, overrides={"embed.name": "hashing", "gate.judge": "features"})
    with Engine.open(place / ".suffice", settings, create=True) as engine:
        engine.add([str(page)])
        answer = engine.ask("The kiln reaches how many degrees after nine hours of firing?")
        assert answer.answer is not None
        yield engine, to_builtins(answer)


def test_an_honest_answer_passes(asked: tuple[Engine, dict[str, Any]]) -> None:
    engine, answer = asked
    assert engine.verify_answer(answer).ok
    assert engine.verify_answer(answer).checks


def _text(answer: dict[str, Any]) -> None:
    answer["answer"]["text"] = "The kiln reaches 9999 degrees."


def _claim(answer: dict[str, Any]) -> None:
    claim = answer["answer"]["claims"][0]
    answer["answer"]["text"] = answer["answer"]["text"].replace("1240", "1250")
    claim["text"] = claim["text"].replace("1240", "1250")


def _uncited(answer: dict[str, Any]) -> None:
    answer["answer"]["claims"][0]["citations"] = []


def _nothing_cited(answer: dict[str, Any]) -> None:
    answer["answer"]["claims"] = []


def _no_snapshot(answer: dict[str, Any]) -> None:
    answer["snapshots"] = []
    for item in answer["evidence"]:
        item["snapshot"] = "20200101T000000Z-00000000"


def _digit(answer: dict[str, Any]) -> None:
    citation = answer["answer"]["claims"][0]["citations"][0]
    citation["quote"] = citation["quote"].replace("1240", "1250")


@pytest.mark.parametrize("edit", [_text, _claim, _uncited, _nothing_cited, _no_snapshot, _digit])
def test_a_forged_answer_does_not(asked: tuple[Engine, dict[str, Any]], edit: Edit) -> None:
    engine, answer = asked
    forged = copy.deepcopy(answer)
    edit(forged)
    assert not engine.verify_answer(forged).ok
