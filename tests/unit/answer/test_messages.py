"""The wording of every outcome in every language: distinct, complete, silent about the corpus as a whole."""

from __future__ import annotations

import re
from itertools import combinations
from typing import get_args

import pytest

from suffice.answer.messages import LANGUAGES, Outcome, say
from suffice.values import Failure

OUTCOMES = get_args(Outcome)
NEEDS = ("How long does {leftover} rice keep", "退货期限是多久？")
FAILURES = (Failure("judge", "no weights"), Failure("search", "disk {0} gone"))


def said(outcome: Outcome, language: str) -> str:
    return say(outcome, language, needs=NEEDS, failures=FAILURES)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("outcome", ("partial", "strict", "insufficient", "unchecked"))
def test_needs_are_named_as_they_stand(outcome: Outcome, language: str) -> None:
    text = said(outcome, language)
    assert all(need in text for need in NEEDS)
    assert "{needs}" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_failed_search_gives_its_reasons_and_names_no_need(language: str) -> None:
    text = said("search_failed", language)
    assert "judge (no weights)" in text
    assert "search (disk {0} gone)" in text
    assert not any(need in text for need in NEEDS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sufficient_answer_needs_no_words(language: str) -> None:
    assert said("sufficient", language) == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_outcomes_differ_in_their_wording(language: str) -> None:
    texts = {
        outcome: say(outcome, language, needs=["X"], failures=[Failure("X", "x")]) for outcome in OUTCOMES
    }
    for one, other in combinations(texts, 2):
        assert texts[one] != texts[other]
    # nothing that says "not in the evidence" may stand in a failed search, an empty corpus or a failed check
    stem = texts["partial"].split("X")[0].strip(" :：\u00a0")
    assert stem in texts["strict"]
    for outcome in ("search_failed", "empty", "unchecked"):
        assert stem not in texts[outcome]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_nothing_is_said_about_the_documents_or_their_owner(outcome: Outcome, language: str) -> None:
    text = say(outcome, language).casefold()
    blaming = (
        r"does not exist|not documented|documentation|the documents do|vendor|there is no\b"
        r"|文档中没有|官方|不存在|没有提供|文書にはありません|存在しません|公式"
        r"|existiert nicht|dokumentation|die dokumente enthalten|n'existe|la documentation"
        r"|no existe|la documentación"
    )
    assert not re.search(blaming, text)


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_each_language_has_its_own_words(language: str) -> None:
    for outcome in OUTCOMES:
        if outcome != "sufficient":
            assert said(outcome, language) != said(outcome, "en")


@pytest.mark.parametrize("language", ["ko", "und", "", "xx"])
def test_other_languages_get_english(language: str) -> None:
    assert said("partial", language) == said("partial", "en")


def test_a_sentence_ends_once() -> None:
    assert say("partial", "en", needs=["Is it safe?"]).endswith("safe?")
    assert say("partial", "en", needs=["the price"]).endswith("price.")
    assert say("partial", "zh", needs=["退货期限"]).endswith("退货期限。")


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_search_says_which_kind_of_empty_it_is(language: str) -> None:
    kinds: tuple[Outcome, ...] = ("empty", "filtered", "waiting")
    messages = {outcome: say(outcome, language) for outcome in kinds}
    assert len(set(messages.values())) == 3
    assert "--where" in messages["filtered"]
    assert "suffice update" in messages["waiting"]
    assert "suffice add" in messages["empty"]
