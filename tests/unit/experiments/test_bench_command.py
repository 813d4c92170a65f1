"""`suffice bench …`: files in, statuses and JSON out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from bench_library import BOTH, QUESTIONS, ROTATE, make

from suffice.experiments import suite
from suffice.gold import Gold, Piece

Suffice = Callable[..., SimpleNamespace]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a workspace and a benchmark file."""
    folder = tmp_path_factory.mktemp("command")
    make(folder).close()
    suite.write(folder / "questions.jsonl", QUESTIONS)
    return folder


def test_a_run_is_shown_written_and_compared(suffice: Suffice, tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    done = suffice("bench", "run", "questions.jsonl", "--no-answers", "--out", a)
    assert done.status == 0 and "coverage@5" in done.out and "results.json" in done.err
    assert "gate.accuracy" not in done.out, "what was not measured is not shown"
    done = suffice(
        "bench", "run", "questions.jsonl", "--no-answers", "--mode", "lexical", "--out", b, "--json"
    )
    data = json.loads(done.out)
    assert (data["schema"], data["mode"], data["n"]) == ("suffice.benchmark/1", "lexical", 4)
    assert data == json.loads((b / "results.json").read_text("utf-8"))
    done = suffice("bench", "compare", a, b, "--id", "q-both")
    assert done.status == 0 and "q-both" in done.out and "coverage@5" in done.out
    compared = json.loads(suffice("bench", "compare", a, b / "results.json", "--json").out)
    assert compared["schema"] == "suffice.comparison/1" and compared["word"] == "no difference shown"


def test_answers_are_measured_unless_left_out(suffice: Suffice) -> None:
    done = suffice("bench", "run", "questions.jsonl", "--json")
    assert done.status == 0, done.err
    metrics = json.loads(done.out)["metrics"]
    assert metrics["gate"]["n_judged"] + metrics["gate"]["n_search_failed"] == 4
    shown = suffice("bench", "run", "questions.jsonl", "--limit", "1").out
    assert "gate.accuracy" in shown and "citations" in shown


def test_a_run_takes_some_of_the_questions(suffice: Suffice) -> None:
    def ids(*more: str) -> list[str]:
        done = suffice("bench", "run", "questions.jsonl", "--no-answers", "--json", *more)
        return [one["id"] for one in json.loads(done.out)["questions"]]

    assert ids("--limit", "2") == ["q-rotate", "q-both"]
    assert ids("--id", "q-partly", "--id", "q-rotate") == ["q-rotate", "q-partly"]
    done = suffice("bench", "run", "questions.jsonl", "--id", "q99")
    assert done.status == 2 and "'q99'" in done.err


def test_gold_errors_are_told_and_fail_only_when_asked(suffice: Suffice, home: Path) -> None:
    lost = suite.Question("q-lost", "Where?", "full", (Piece("C1", "", (Gold("none.md", "x"),)),))
    suite.write(home / "lost.jsonl", [ROTATE, lost])
    done = suffice("bench", "run", "lost.jsonl", "--no-answers")
    assert done.status == 0 and "q-lost" in done.out and "not in the corpus" in done.err
    assert suffice("bench", "run", "lost.jsonl", "--no-answers", "--strict-gold").status == 1
    assert suffice("bench", "run", "questions.jsonl", "--no-answers", "--strict-gold").status == 0


def test_wrong_input_ends_with_status_2_and_one_line(suffice: Suffice, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"id": "q1"}\n', "utf-8")
    (tmp_path / "file").write_text("", "utf-8")
    for arguments in (
        ("run", tmp_path / "none.jsonl"),
        ("run", tmp_path / "bad.jsonl"),
        ("run", "questions.jsonl", "--out", tmp_path / "file"),
        ("run", "questions.jsonl", "-k", "0"),
        ("run", "questions.jsonl", "--workspace", tmp_path / "nowhere"),
        ("compare", tmp_path, tmp_path),
        ("compare", "questions.jsonl", "questions.jsonl"),
        ("import", "squad", tmp_path / "none.json", "--out", tmp_path / "out"),
        ("import", "squad", "questions.jsonl", "--split", "dev", "--out", tmp_path / "out"),
        ("import", "beir", tmp_path, "--seed", "3", "--out", tmp_path / "out"),
        ("import", "nonesuch", tmp_path, "--out", tmp_path / "out"),
        ("score", tmp_path / "file", tmp_path / "file"),
    ):
        done = suffice("bench", *arguments)
        assert done.status == 2, arguments
        assert done.out == "" and done.err.count("\n") == 1, (arguments, done.err)
    assert not (tmp_path / "out").exists()


def test_runs_of_different_questions_are_not_compared(suffice: Suffice, tmp_path: Path) -> None:
    suffice("bench", "run", "questions.jsonl", "--no-answers", "--out", tmp_path / "a")
    suffice("bench", "run", "questions.jsonl", "--no-answers", "--limit", "1", "--out", tmp_path / "b")
    done = suffice("bench", "compare", tmp_path / "a", tmp_path / "b", "--json")
    assert done.status == 2 and "different questions" in json.loads(done.out)["error"]


def test_what_is_imported_can_be_added_and_run(suffice: Suffice, tmp_path: Path) -> None:
    text = "The mill burnt in 1881. It was rebuilt of brick."
    qas = [
        {"id": "1", "question": "When did the mill burn?", "answers": [{"text": "1881", "answer_start": 18}]}
    ]
    source = tmp_path / "s.json"
    source.write_text(json.dumps({"data": [{"paragraphs": [{"context": text, "qas": qas}]}]}), "utf-8")
    out = tmp_path / "mill"
    done = suffice("bench", "import", "squad", source, "--out", out, "--json")
    assert json.loads(done.out)["n_questions"] == 1
    space = ("--workspace", tmp_path / ".suffice", "--quiet")
    assert suffice("add", out / "corpus", *space).status == 0
    done = suffice("bench", "run", out / "questions.jsonl", "--no-answers", "--strict-gold", "--json", *space)
    assert done.status == 0 and json.loads(done.out)["metrics"]["coverage@1"] == 1.0


def test_another_system_s_run_is_scored(suffice: Suffice, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 b 1\n", "utf-8")
    (tmp_path / "run").write_text("q1 Q0 x 1 3 t\nq1 Q0 x 2 2 t\nq1 Q0 a 3 1 t\n", "utf-8")
    data = json.loads(
        suffice("bench", "score", tmp_path / "qrels", tmp_path / "run", "-k", "2", "--json").out
    )
    assert (data["recall@2"], data["mrr"], data["n_used"]) == (0.5, 0.25, 2)
    shown = suffice("bench", "score", tmp_path / "qrels", tmp_path / "run").out
    assert "recall@10" in shown and "2 of 2" in shown


@pytest.mark.parametrize("columns", ["40", "76", "120"])
def test_no_line_is_wider_than_the_terminal(
    suffice: Suffice, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for name, more in (("a", ()), ("b", ("--mode", "lexical"))):
        done = suffice("bench", "run", "questions.jsonl", "--no-answers", "--out", tmp_path / name, *more)
        assert max(map(len, done.out.splitlines())) <= int(columns)
    done = suffice("bench", "compare", tmp_path / "a", tmp_path / "b", "--id", BOTH.id)
    assert max(map(len, done.out.splitlines())) <= int(columns)
