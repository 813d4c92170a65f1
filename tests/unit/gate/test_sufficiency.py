"""The decision: confidences and failures in, verdict out; no retrieval score takes part."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from suffice.errors import JudgeError, SettingsError
from suffice.gate.sufficiency import above_cosine, decide, threshold_for
from suffice.settings import GateSettings
from suffice.values import Failure, Need, Passage, Support

A, B = Need("N1", "a?"), Need("N2", "b?")


def support(need: str, evidence: int, confidence: float, span: tuple[int, int] = (0, 5)) -> Support:
    return Support(need=need, evidence=evidence, span=span, confidence=confidence, judge="test")


def test_all_some_or_none_supported() -> None:
    one, two = support("N1", 1, 0.9), support("N2", 1, 0.6)
    assert decide([A, B], [one, two], threshold=0.5).status == "sufficient"
    partial = decide([A, B], [one, two], threshold=0.7)
    assert (partial.status, partial.missing) == ("partial", ("N2",))
    none = decide([A, B], [one, two], threshold=0.95)
    assert (none.status, none.missing) == ("insufficient", ("N1", "N2"))


def test_a_confidence_at_the_threshold_counts() -> None:
    assert decide([A], [support("N1", 1, 0.5)], threshold=0.5).status == "sufficient"


def test_supports_come_best_first_and_ties_by_evidence() -> None:
    given = [support("N1", 3, 0.6), support("N1", 2, 0.8), support("N1", 1, 0.6), support("N1", 4, 0.1)]
    judged = decide([A], given, threshold=0.5).needs[0]
    assert [(s.evidence, s.confidence) for s in judged.supports] == [(2, 0.8), (1, 0.6), (3, 0.6)]


def test_the_best_confidence_is_kept_even_below_the_threshold_and_none_is_not_zero() -> None:
    verdict = decide([A, B], [support("N1", 1, 0.2)], threshold=0.5)
    assert [need.best_confidence for need in verdict.needs] == [0.2, None]


def test_a_stage_that_failed_is_never_nothing_found() -> None:
    failure = Failure("judge", "no model")
    assert decide([A], [support("N1", 1, 0.9)], threshold=0.5, failures=[failure]).status == "search_failed"
    assert decide([A], [], threshold=0.5).status == "insufficient"


def test_a_support_of_an_unasked_need_is_the_judge_s_fault() -> None:
    with pytest.raises(JudgeError, match="N9"):
        decide([A], [support("N9", 1, 0.9)], threshold=0.5)


@dataclass
class FakeJudge:
    operating_points: dict[float, float]
    name: str = "fake"
    version: str = "1"

    def judge(self, question: str, needs: object, passages: object) -> tuple[Support, ...]:
        return ()


@pytest.mark.parametrize(
    ("rate", "wanted"), [(0.05, 0.8), (0.1, 0.7), (0.07, 0.8), (0.01, 0.9), (0.02, 0.9), (0.5, 0.6)]
)
def test_the_operating_point_is_the_stricter_neighbour(rate: float, wanted: float) -> None:
    judge = FakeJudge({0.2: 0.6, 0.02: 0.9, 0.1: 0.7, 0.05: 0.8})
    assert threshold_for(judge, GateSettings(false_answer_rate=rate)) == wanted


def test_an_explicit_threshold_wins_and_a_judge_without_points_needs_one() -> None:
    assert threshold_for(FakeJudge({}), GateSettings(threshold=0.3)) == 0.3
    with pytest.raises(SettingsError, match="threshold"):
        threshold_for(FakeJudge({}), GateSettings())


@dataclass
class P:
    scores: dict[str, float | None] = field(default_factory=dict)

    def at(self, evidence: int) -> Passage:
        return Passage(evidence, f"c{evidence}", "t", (), "text", (0, 4), self.scores)


def test_the_cosine_floor_looks_at_the_cosine_and_never_at_a_fused_score() -> None:
    passages = [
        P({"dense": 0.8, "hybrid": 0.01}).at(1),
        P({"dense": 0.2, "hybrid": 9.0}).at(2),
        P({"hybrid": 9.0}).at(3),
        P({"dense": None, "rrf": 0.9}).at(4),
    ]
    given = [support("N1", evidence, 0.9) for evidence in (1, 2, 3, 4)]
    kept = above_cosine(given, passages, GateSettings(min_cosine=0.5))
    assert [s.evidence for s in kept] == [1]
    assert above_cosine(given, passages, GateSettings()) == tuple(given)
