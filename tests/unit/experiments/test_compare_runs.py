"""Two runs: what moved, how sure that is, and what it is called."""

from __future__ import annotations

from typing import Any

import pytest

from suffice.errors import UsageError
from suffice.experiments.compare import compare
from suffice.experiments.outcome import Outcome, PieceOutcome
from suffice.values import to_builtins


def results(ranks: dict[str, int | None], **more: Any) -> dict[str, Any]:
    """Results whose questions have one piece each, at these ranks."""
    outcomes = [
        Outcome(name, f"{name}?", "full", pieces={"C1": PieceOutcome(rank, True)})
        for name, rank in ranks.items()
    ]
    return {
        "schema": "suffice.benchmark/1", "k": 5, "settings": "s", "generation": "g", "mode": "hybrid",
        "answers": False, "corpus": {"fingerprint": "f"}, "questions": [to_builtins(one) for one in outcomes],
        **more,
    }  # fmt: skip


FAR = {f"q{n}": 30 for n in range(20)}
NEAR = {f"q{n}": 1 for n in range(20)}


def test_a_plain_gain_is_better_and_its_mirror_worse() -> None:
    found = compare(results(FAR), results(NEAR))
    assert found.word == "better" and found.judgement.startswith("B is better")
    assert (len(found.wins), len(found.losses)) == (20, 0)
    mirrored = compare(results(NEAR), results(FAR))
    assert mirrored.word == "worse" and (len(mirrored.wins), len(mirrored.losses)) == (0, 20)
    for before, after in zip(found.measures, mirrored.measures, strict=True):
        assert (before.p, before.difference) == (after.p, pytest.approx(-after.difference))


def test_too_little_to_tell_is_called_that() -> None:
    found = compare(results(FAR), results({**FAR, "q3": 1}))
    assert found.word == "no difference shown" and "No difference shown" in found.judgement
    assert [(one.id, one.a, one.b) for one in found.wins] == [("q3", 0.0, 1.0)]


def test_a_change_that_wins_one_case_and_loses_the_whole_is_called_that() -> None:
    found = compare(results({**NEAR, "q7": 36}), results({**FAR, "q7": 2}), ids=["q7"])
    assert found.word == "worse"
    assert "B wins one case (q7) and loses the whole" in found.judgement
    assert [one.id for one in found.named] == ["q7"]
    few = compare(results({"q1": 1, "q2": 1, "q7": 36}), results({"q1": 9, "q2": 9, "q7": 2}), ids=["q7"])
    assert few.word == "no difference shown"
    assert "the mean of the whole is worse, though that is not shown" in few.judgement


def test_a_named_case_that_does_not_move_is_said_so() -> None:
    found = compare(results(FAR), results({**NEAR, "q7": 28}), ids=["q7"])
    assert found.word == "better" and "Nothing changes for q7" in found.judgement
    lost = compare(results({**FAR, "q7": 1}), results({**NEAR, "q7": 28}), ids=["q7"])
    assert "B loses q7 and wins the whole" in lost.judgement


def test_yes_and_no_are_compared_by_mcnemar_and_means_by_randomization() -> None:
    tests = {one.name: one.test for one in compare(results(FAR), results(NEAR)).measures}
    assert tests["full@5"] == "mcnemar" and tests["coverage@5"] == "randomization" == tests["mrr"]


def gated(statuses: dict[str, Any]) -> dict[str, Any]:
    outcomes = [Outcome(name, f"{name}?", "none", status=status) for name, status in statuses.items()]
    return {**results({}), "answers": True, "questions": [to_builtins(one) for one in outcomes]}


def test_fewer_false_answers_are_better() -> None:
    a = gated(dict.fromkeys([f"q{n}" for n in range(12)], "sufficient"))
    b = gated(dict.fromkeys([f"q{n}" for n in range(12)], "insufficient"))
    found = compare(a, b, primary="gate.false_answer_rate")
    assert found.word == "better" and len(found.wins) == 12 and not found.losses
    accuracy = next(one for one in found.measures if one.name == "gate.accuracy")
    assert accuracy.word == "better" and accuracy.wins == 12
    false = next(one for one in found.measures if one.name == "gate.false_answer_rate")
    assert (false.wins, false.losses, false.difference) == (12, 0, -1.0)


def test_a_question_that_one_run_could_not_score_is_left_out() -> None:
    found = compare(results({"q1": 1, "q2": 9}), results({"q1": None, "q2": 1}))
    assert found.measures[0].n == 2, "not found is a rank of none, which is scored"
    unscored = results({"q1": 1, "q2": 9})
    unscored["questions"][0]["pieces"]["C1"]["held"] = False
    assert compare(unscored, results({"q1": 1, "q2": 1})).measures[0].n == 1


def test_runs_of_different_questions_are_refused() -> None:
    with pytest.raises(UsageError, match="different questions"):
        compare(results({"q1": 1}), results({"q2": 1}))
    other = results({"q1": 1})
    other["questions"][0]["question"] = "something else?"
    with pytest.raises(UsageError, match="other words"):
        compare(results({"q1": 1}), other)
    with pytest.raises(UsageError, match="no questions"):
        compare(results({}), results({}))
    with pytest.raises(UsageError, match="no measure is named 'magic'"):
        compare(results(FAR), results(NEAR), primary="magic")
    with pytest.raises(UsageError, match="no question has the id 'q99'"):
        compare(results(FAR), results(NEAR), ids=["q99"])
    with pytest.raises(UsageError, match="not scored in both"):
        compare(results(FAR), results(NEAR), primary="gate.accuracy")


def test_other_corpora_are_warned_of() -> None:
    other = results(NEAR, corpus={"fingerprint": "other"})
    assert any("different corpora" in one for one in compare(results(FAR), other).warnings)
    assert any("same settings" in one for one in compare(results(FAR), results(NEAR)).warnings)
    assert compare(results(FAR), results(NEAR, settings="t")).warnings == ()


def test_the_same_comparison_is_the_same_to_the_last_digit() -> None:
    a, b = results(FAR), results({**FAR, "q1": 1, "q2": 3, "q3": 4})
    assert compare(a, b).to_json() == compare(a, b).to_json()
    assert compare(a, b).to_json()["schema"] == "suffice.comparison/1"
