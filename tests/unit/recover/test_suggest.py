"""suggest(): all frozen before the first is searched, the promising first, the useless not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from test_candidates import RICE, hit, judged

from suffice.asked import Asked, Found
from suffice.recover import suggest
from suffice.recover.candidates import freeze
from suffice.values import Failure, Filter, JudgedNeed, Need, Ranking, Suggestion, Support, Verdict

VERDICT = judged((RICE.supported, True), (RICE.missing, False))
EVIDENCE = RICE.evidence
FROZEN = [one.question for one in freeze(RICE.question, VERDICT, EVIDENCE, "en")]


def asked(question: str = RICE.question) -> Asked:
    return Asked(question, 7, "lexical", Filter("acme"), lambda stage: None)


def found(*chunks: str) -> Found:
    evidence = tuple(
        replace(hit(n, [f"Page {one}"], "text"), chunk_id=one) for n, one in enumerate(chunks, 1)
    )
    return Found("g", evidence, 9)


@dataclass
class Engine:
    """Finds what it is told for a question, and answers those that it is told."""

    finds: Callable[[str], Found] = lambda question: found("new")
    answers: frozenset[str] = frozenset()
    fails: bool = False
    calls: list[tuple[str, str]] = field(default_factory=list)
    seen: list[Asked] = field(default_factory=list)

    def find(self, one: Asked, needs: Sequence[Need]) -> Found:
        self.calls.append(("find", one.question))
        self.seen.append(one)
        return self.finds(one.question)

    def judge(self, one: Asked, needs: Sequence[Need], evidence: Found) -> Verdict:
        self.calls.append(("judge", one.question))
        if self.fails:
            return Verdict((), (Failure("judge", "gone"),))
        supports = (Support("N1", 1, (0, 4), 0.9, "test"),) if one.question in self.answers else ()
        return Verdict((JudgedNeed(needs[0], supports),))

    def suggest(self, n: int = 3, verdict: Verdict = VERDICT) -> tuple[Suggestion, ...]:
        evidence = Found("g", EVIDENCE, 9, (), (Ranking("q", "hybrid", 9, "g", EVIDENCE),))
        return suggest(asked(), verdict, evidence, "en", n, find=self.find, judge=self.judge)


def each_its_own(question: str) -> Found:
    return found(f"new {FROZEN.index(question)}")


def test_all_are_made_before_the_first_is_searched_and_searched_before_the_first_is_judged() -> None:
    engine = Engine(each_its_own)
    offered = engine.suggest()
    assert [text for stage, text in engine.calls if stage == "find"] == FROZEN
    stages = [stage for stage, _ in engine.calls]
    assert stages == sorted(stages, key=("find", "judge").index)
    assert stages.count("judge") == len(offered) == 3, "to judge costs more than to search"
    assert {one.question for one in offered} <= set(FROZEN)
    assert [one.id for one in offered] == ["S1", "S2", "S3"]


def test_each_is_searched_as_the_ordinary_question_that_a_pick_would_ask() -> None:
    engine = Engine(each_its_own)
    engine.suggest()
    for one in engine.seen:
        assert (one.k, one.mode, one.filter) == (None, "lexical", Filter("acme"))


def test_what_will_be_answered_comes_first() -> None:
    engine = Engine(each_its_own, frozenset(FROZEN[2:3]))
    offered = engine.suggest()
    assert offered[0].question == FROZEN[2]
    assert [one.preview.status for one in offered if one.preview] == ["sufficient"] + ["insufficient"] * 2
    assert offered[0].preview is not None and offered[0].preview.document == "d1.md"


def test_what_finds_nothing_new_and_would_be_declined_is_not_offered() -> None:
    old = [one.chunk_id for one in EVIDENCE]
    assert Engine(lambda question: found(*old)).suggest() == ()
    again = Engine(lambda question: found(*old), frozenset(FROZEN[:1])).suggest()
    assert [one.question for one in again] == FROZEN[:1], (
        "an answer out of the same evidence is worth a click"
    )


def test_a_search_that_found_nothing_has_a_preview_without_a_place() -> None:
    engine = Engine(lambda question: found("new") if question == FROZEN[0] else found())
    (only,) = engine.suggest()
    assert only.question == FROZEN[0] and only.preview is not None


def test_a_judge_that_fails_is_said_and_is_no_answer() -> None:
    offered = Engine(each_its_own, fails=True).suggest()
    assert {one.preview.status for one in offered if one.preview} == {"search_failed"}


@pytest.mark.parametrize("n", [0, 1, 2])
def test_no_more_than_asked_for(n: int) -> None:
    engine = Engine(each_its_own)
    assert len(engine.suggest(n)) == n
    assert bool(engine.calls) == bool(n)


def test_a_sufficient_verdict_is_no_reason_to_search() -> None:
    engine = Engine(each_its_own)
    assert engine.suggest(verdict=judged((RICE.missing, True))) == () and not engine.calls
