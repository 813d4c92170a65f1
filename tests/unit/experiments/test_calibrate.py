"""`suffice calibrate`: labels in, a threshold that ask, doctor and bench use, as long as it holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from bench_library import make

from suffice.engine import Engine
from suffice.errors import JudgeError, UsageError
from suffice.experiments import bench, calibrate, compare, suite
from suffice.experiments.suite import Question
from suffice.gold import Gold, Piece
from suffice.values import Need, Passage, Support, from_builtins, to_builtins

Suffice = Callable[..., SimpleNamespace]


class ScoreJudge:
    """Gives the needs of a question the confidences that it was told, and other questions no support."""

    name, version = "score", "1"
    operating_points: ClassVar[dict[float, float]] = {0.1: 0.9}

    def __init__(self, scores: Mapping[str, Sequence[float]]) -> None:
        self.scores = scores

    def judge(self, question: str, needs: Sequence[Need], passages: Sequence[Passage]) -> tuple[Support, ...]:
        given = self.scores.get(question, ())
        if not given:
            return ()
        place = passages[0]
        return tuple(
            Support(need.id, place.evidence, place.span, given[min(number, len(given) - 1)], self.name)
            for number, need in enumerate(needs)
        )


def ask(number: int, answerable: str) -> Question:
    return Question(f"{answerable}-{number}", f"Is the {answerable} key {number} green?", answerable)  # type: ignore[arg-type]


def labelled(**scores: Sequence[float]) -> tuple[list[Question], dict[str, list[float]]]:
    """Questions of each label, and what the judge makes of them."""
    questions, given = [], {}
    for label, values in scores.items():
        for number, score in enumerate(values):
            question = ask(number, label)
            questions.append(question)
            given[question.question] = [score] if score else []
    return questions, given


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with make(tmp_path) as opened:
        yield opened


def fitted(engine: Engine, *, rate: float | None = None, **scores: Sequence[float]) -> calibrate.Calibrated:
    questions, given = labelled(**scores)
    engine.judge = ScoreJudge(given)  # type: ignore[misc,assignment]
    return calibrate.calibrate(engine, questions, rate=rate)


def test_the_fitted_threshold_is_what_ask_uses_from_then_on(engine: Engine) -> None:
    found = fitted(engine, none=[0.0] * 20 + [0.3] * 20, full=[0.5, 0.7], partial=[0.4])
    assert found.fitted is not None and found.promised
    assert found.fitted.threshold == pytest.approx(0.35)
    assert engine.ask("Is the full key 0 green?", keep=False).status == "insufficient", "nothing is kept yet"
    calibrate.keep(engine, found)
    answer = engine.ask("Is the full key 0 green?")
    assert answer.verdict.status != "insufficient"
    gate = answer.verdict.calibration
    assert gate is not None and (gate.status, gate.threshold) == ("calibrated", 0.35)
    assert gate.labels == found.labels
    trace = engine.journal.read("trace", answer.id).payload
    assert trace["threshold"] == 0.35 and trace["calibration"]["id"] == found.fitted.id
    declined = engine.ask("Is the none key 25 green?", keep=False)
    assert declined.status == "insufficient" and declined.verdict.calibration == gate


def test_a_question_of_several_needs_is_not_declined_when_one_is_supported(engine: Engine) -> None:
    two = Question("two", "Who rotates keys, and what does the comet weigh?", "partial")
    questions, given = labelled(none=[0.2] * 30, full=[0.9])
    engine.judge = ScoreJudge({**given, two.question: [0.8, 0.1]})  # type: ignore[misc,assignment]
    found = calibrate.calibrate(engine, [*questions, two])
    assert {one.id: one.score for one in found.scored}["two"] == 0.8
    calibrate.keep(engine, found)
    assert engine.judged(two.question).status == "partial"


def test_labels_alone_count_and_gold_plays_no_part(engine: Engine) -> None:
    questions, given = labelled(none=[0.1] * 30, full=[0.8, 0.9])
    lost = Piece("C1", "", (Gold("nowhere.md", "words that stand nowhere"),))
    engine.judge = ScoreJudge(given)  # type: ignore[misc,assignment]
    plain = calibrate.calibrate(engine, questions)
    golden = [Question(one.id, one.question, one.answerable, (lost,)) for one in questions]
    again = calibrate.calibrate(engine, golden)
    assert plain.fitted is not None and again.fitted is not None
    assert plain.fitted.threshold == again.fitted.threshold


def test_the_same_question_twice_is_one_label(engine: Engine) -> None:
    questions, given = labelled(none=[0.1, 0.2, 0.3], full=[0.8])
    twice = Question("again", questions[0].question.upper(), "none")
    engine.judge = ScoreJudge(given)  # type: ignore[misc,assignment]
    found = calibrate.calibrate(engine, [*questions, twice])
    assert found.labels.none == 3 and found.left.repeated == 1
    other = Question("other", questions[0].question, "full")
    with pytest.raises(UsageError, match="'none-0' and 'other' ask the same"):
        calibrate.calibrate(engine, [*questions, other])


def test_without_an_unanswerable_question_there_is_nothing_to_fit(engine: Engine) -> None:
    with pytest.raises(UsageError, match=r"none of the 2 labelled questions is unanswerable.*29 of them"):
        fitted(engine, full=[0.8, 0.9])


def test_all_unanswerable_fits_but_does_not_know_the_cost(engine: Engine) -> None:
    found = fitted(engine, none=[0.2, 0.4] * 20)
    data = found.to_json(saved=False)
    assert data["fitted"]["threshold"] == 0.4001 and data["fitted"]["promised"]
    assert data["auroc"] is None and data["fitted"]["answered"] == {
        "n": 0, "of": 0, "rate": None, "interval": None,
    }  # fmt: skip


def test_too_few_labels_are_said_to_be_too_few(engine: Engine) -> None:
    found = fitted(engine, none=[0.2] * 9, full=[0.5] * 3)
    data = found.to_json(saved=True)
    assert not found.promised and data["unanswerable_needed"] == 29
    assert data["fitted"]["promise"] == "on average"
    assert data["fitted"]["expected_bound"] == pytest.approx(0.1)
    assert data["fitted"]["upper_bound"] == pytest.approx(0.2831, abs=1e-4)
    few = fitted(engine, none=[0.2] * 3, full=[0.5] * 3)
    assert few.fitted is not None and few.fitted.threshold == 0.9, "three labels do not lower the judge's own"


def test_a_judge_that_cannot_run_is_no_score(engine: Engine) -> None:
    class Broken(ScoreJudge):
        def judge(self, question: str, *more: Any) -> tuple[Support, ...]:
            if "full" in question:
                raise JudgeError("no model")
            return super().judge(question, *more)

    questions, given = labelled(none=[0.2] * 30, full=[0.5] * 3)
    engine.judge = Broken(given)  # type: ignore[misc,assignment]
    found = calibrate.calibrate(engine, questions)
    assert found.left.failed == 3 and found.labels.full == 0
    engine.judge = Broken({})  # type: ignore[misc,assignment]
    with pytest.raises(JudgeError, match="no unanswerable question could be judged"):
        calibrate.calibrate(engine, [Question("a", "Is a full key blue?", "none")])


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, float("nan")])
def test_a_rate_is_a_share(rate: float, engine: Engine) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        fitted(engine, rate=rate, none=[0.1], full=[0.9])


def test_another_rate_than_the_setting_may_be_fitted(engine: Engine) -> None:
    loose = fitted(engine, rate=0.3, none=[0.1] * 20 + [0.6], full=[0.5, 0.9])
    strict = fitted(engine, rate=0.1, none=[0.1] * 20 + [0.6], full=[0.5, 0.9])
    assert loose.fitted is not None and strict.fitted is not None
    assert loose.fitted.threshold == pytest.approx(0.3) and strict.fitted.threshold == pytest.approx(0.75)
    calibrate.keep(engine, loose)
    gate = engine.operating_point().calibration
    assert (gate.status, gate.false_answer_rate) == ("calibrated", 0.3)


def test_a_bench_run_says_which_threshold_it_used(engine: Engine) -> None:
    questions, given = labelled(none=[0.1] * 30, full=[0.8, 0.9])
    engine.judge = ScoreJudge(given)  # type: ignore[misc,assignment]
    few = questions[-3:]
    before = bench.run(engine, few).to_json()
    assert before["calibration"]["status"] == "uncalibrated" and before["calibration"]["threshold"] == 0.9
    calibrate.keep(engine, calibrate.calibrate(engine, questions[1:]))
    after = bench.run(engine, [questions[0], *few]).to_json()
    assert after["calibration"]["status"] == "calibrated"
    assert after["n_fitted_on"] == 3, "those three were fitted to"
    said = compare.compare(before, bench.run(engine, few).to_json(), primary="gate.accuracy").warnings
    assert any("0.9 in A and of 0.45 in B" in warning for warning in said)
    assert bench.run(engine, few, answers=False).to_json()["calibration"] is None


# --- the command ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a workspace and labels that its own judge can tell apart."""
    folder = tmp_path_factory.mktemp("calibrate")
    with make(folder, **{"gate.judge": "features"}):
        pass
    full = ["How often are keys rotated?", "In which region is data kept?", "What does a revoked key do?"]
    absent = [
        "telescope",
        "comet",
        "volcano",
        "violin",
        "harbour",
        "glacier",
        "senate",
        "orchid",
        "ferry",
        "opera",
    ]
    rows = [Question(f"f{n}", text, "full") for n, text in enumerate(full)]
    rows += [Question(f"n{n}", f"Who painted the {word} in 1912?", "none") for n, word in enumerate(absent)]
    suite.write(folder / "labels.jsonl", rows)
    return folder


@pytest.fixture
def suffice(suffice: Suffice, monkeypatch: pytest.MonkeyPatch) -> Iterator[Suffice]:
    monkeypatch.setenv("SUFFICE_GATE__JUDGE", "features")
    yield suffice
    suffice("calibrate", "--reset")


def checked(suffice: Suffice) -> dict[str, Any]:
    done = suffice("doctor", "--json")
    assert done.status == 0, done.out
    (found,) = [one for one in json.loads(done.out)["checks"] if one["name"] == "calibration"]
    return dict(found)


def gate_of(suffice: Suffice) -> dict[str, Any]:
    done = suffice("ask", "How often are keys rotated?", "--json")
    return dict(json.loads(done.out)["calibration"])


def test_calibrate_ask_doctor_and_reset(suffice: Suffice) -> None:
    before = gate_of(suffice)
    assert before["status"] == "uncalibrated" and before["labels"] is None
    note = checked(suffice)
    assert "uncalibrated for this corpus" in note["detail"] and not note["warning"]

    dry = suffice("calibrate", "labels.jsonl", "--dry-run", "--json")
    assert dry.status == 0, dry.err
    assert not json.loads(dry.out)["saved"] and gate_of(suffice) == before

    done = suffice("calibrate", "labels.jsonl")
    assert done.status == 0, done.err
    assert "13 labels: 3 fully answerable, 0 in part, 10 not at all" in done.out
    assert "Too few labels to promise 10%" in done.out and "takes 29 unanswerable" in done.out
    after = gate_of(suffice)
    fit = json.loads(dry.out)["fitted"]
    assert (after["status"], after["threshold"]) == ("calibrated", fit["threshold"])
    assert after["labels"] == {"full": 3, "partial": 0, "none": 10}
    assert after["threshold"] != before["threshold"]
    assert "fitted to 13 labels" in checked(suffice)["detail"]

    assert suffice("calibrate", "--reset").out.startswith("The fit is removed")
    assert gate_of(suffice) == before
    assert suffice("calibrate", "--reset").out.startswith("There was no fit")
    assert json.loads(suffice("calibrate", "--reset", "--json").out)["removed"] is False


def test_another_judge_ends_the_fit_with_a_warning(suffice: Suffice, monkeypatch: pytest.MonkeyPatch) -> None:
    suffice("calibrate", "labels.jsonl")
    monkeypatch.setenv("SUFFICE_GATE__JUDGE", "reader")
    found = checked(suffice)
    assert found["ok"] and found["warning"]
    assert "the judge was features" in found["detail"] and "suffice calibrate FILE" in found["remedy"]
    assert gate_of(suffice)["status"] == "uncalibrated"
    shown = suffice("doctor").out
    assert "! calibration" in shown and "1 of 8 checks warn" in shown
    monkeypatch.setenv("SUFFICE_GATE__JUDGE", "features")
    assert gate_of(suffice)["status"] == "calibrated"


def test_the_users_own_threshold_wins(suffice: Suffice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUFFICE_GATE__THRESHOLD", "0.3")
    done = suffice("calibrate", "labels.jsonl")
    assert done.status == 0 and "gate.threshold = 0.3 is set and wins" in done.err
    assert gate_of(suffice) == {
        "status": "manual", "threshold": 0.3, "false_answer_rate": None, "upper_bound": None,
        "labels": None, "id": None,
    }  # fmt: skip
    assert "does not count" in checked(suffice)["detail"]


def test_lines_without_a_label_are_left_out_and_counted(suffice: Suffice, home: Path, tmp_path: Path) -> None:
    mixed = tmp_path / "mixed.jsonl"
    extra = '{"id": "u1", "question": "What is this?"}\n{"id": "u2", "question": "And that?", "pieces": []}\n'
    mixed.write_text((home / "labels.jsonl").read_text("utf-8") + extra, "utf-8")
    done = suffice("calibrate", mixed, "--dry-run")
    assert done.status == 0 and "left out: 2 without a label" in done.out
    data = json.loads(suffice("calibrate", mixed, "--dry-run", "--json").out)
    assert data["left_out"] == {"unlabelled": 2, "repeated": 0, "failed": 0}
    assert len(data["questions"]) == 13 and data["table"]


def test_wrong_input_ends_with_status_2_and_one_line(suffice: Suffice, tmp_path: Path) -> None:
    files = {
        "none.jsonl": '{"id": "a", "question": "What?"}\n',
        "full.jsonl": '{"id": "a", "question": "What?", "answerable": "full"}\n',
        "odd.jsonl": '{"id": "a", "question": "What?", "answerable": "perhaps"}\n',
        "empty.jsonl": "",
        "broken.jsonl": "{\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    for arguments in (
        *((tmp_path / name,) for name in (*files, "absent.jsonl")),
        (),
        ("labels.jsonl", "--reset"),
        ("--reset", "--dry-run"),
        ("labels.jsonl", "--rate", "0"),
        ("labels.jsonl", "--rate", "1.5"),
        ("labels.jsonl", "--rate", "much"),
        ("labels.jsonl", "--workspace", tmp_path / "nowhere"),
    ):
        done = suffice("calibrate", *arguments)
        assert done.status == 2, (arguments, done.err)
        assert done.out == "" and done.err.count("\n") == 1, (arguments, done.err)


def test_stopped_by_ctrl_c_leaves_the_gate_as_it_was(
    suffice: Suffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = gate_of(suffice)
    asked = []

    def judged(self: Engine, question: str, **how: Any) -> Any:
        asked.append(question)
        if len(asked) == 5:
            raise KeyboardInterrupt
        return original(self, question, **how)

    original = Engine.judged
    monkeypatch.setattr(Engine, "judged", judged)
    done = suffice("calibrate", "labels.jsonl")
    assert done.status == 130 and "the gate is as it was" in done.err
    assert gate_of(suffice) == before


def test_where_no_threshold_keeps_the_rate_nothing_is_saved(
    suffice: Suffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = Engine.judged

    def sure(self: Engine, question: str, **how: Any) -> Any:
        verdict = original(self, question, **how)
        return replace(verdict, needs=tuple(replace(one, best_confidence=1.0) for one in verdict.needs))

    monkeypatch.setattr(Engine, "judged", sure)
    done = suffice("calibrate", "labels.jsonl")
    assert done.status == 1
    assert (
        "No threshold keeps the rate: 10 unanswerable questions" in done.out
        and "Nothing was saved" in done.out
    )
    assert json.loads(suffice("calibrate", "labels.jsonl", "--json").out)["fitted"] is None


@pytest.mark.parametrize("columns", ["40", "72", "200"])
def test_the_table_fits_the_terminal(columns: str, suffice: Suffice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    shown = suffice("calibrate", "labels.jsonl", "--dry-run").out
    assert max(map(len, shown.splitlines())) <= int(columns)
    assert "fitted" in shown


def test_an_answer_of_an_older_version_is_still_read(engine: Engine) -> None:
    answer = engine.ask("How often are keys rotated?", keep=False)
    kept = to_builtins(answer)
    del kept["verdict"]["calibration"]
    read = from_builtins({**kept, "calibration": "uncalibrated"}, type(answer))
    assert read.id == answer.id and read.verdict.calibration is None
