"""Benchmarks and folders that mean harm, or that nobody looked at: names stay names, files stay whole."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from bench_library import QUESTIONS, make
from experiment_library import raw

from suffice.errors import UsageError
from suffice.experiments import bench_report, check, plots, suite
from suffice.experiments.importers import beir, squad
from suffice.interfaces.cli import main

Suffice = Callable[..., SimpleNamespace]
NASTY = (
    "<script>alert(1)</script>",
    "![i](http://elsewhere.example/x.png)",
    "[l](javascript:alert(1))",
    "\\[l](javascript:alert(1))",
    "a\n\n# A heading",
    "\x1b[31mred\x9b2J",
    "a \u202egnihton\u202c b",
    "`code",
    "$x_{$",
    "$\\frac{$ _^",
    "a|b",
)
"""Names and texts as a file may hold them: HTML, Markdown, escapes of a terminal, formulas."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    make(folder).close()
    suite.write(folder / "questions.jsonl", QUESTIONS)
    return folder


@pytest.fixture
def suffice(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Suffice:
    monkeypatch.chdir(home)
    monkeypatch.setenv("SUFFICE_EMBED__NAME", "hashing")
    monkeypatch.delenv("SUFFICE_WORKSPACE", raising=False)

    def run(*arguments: str | Path) -> SimpleNamespace:
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        seen = capsys.readouterr()
        return SimpleNamespace(status=status, out=seen.out, err=seen.err)

    return run


def only_text(page: str) -> None:
    """The page has no HTML, no picture or link but its own plots, no heading within a line, no escape."""
    assert "<" not in page and not check._CONTROLS.search(page.replace("\n", ""))
    for row in page.splitlines():
        if row.startswith(("![the arms", "![the rank")):
            continue
        bare = row.replace("\\\\", "").replace("\\[", "").replace("\\]", "").replace("\\#", "")
        assert "[" not in bare and "#" not in bare.removeprefix("## ").removeprefix("# "), row


def nasty_line(name: str, number: int) -> str:
    pieces = [{"id": name, "need": name, "evidence": [{"doc": name, "quote": name}]}]
    data = {"id": f"{number}{name}", "kind": name, "lang": name, "question": f"Who? {name}", "pieces": pieces}
    return json.dumps(data) + "\n"


@pytest.mark.parametrize("name", NASTY)
def test_a_name_is_shown_in_a_report_as_it_is(name: str) -> None:
    data = check.completed(raw({name: {"base": [1, 9], name: [9, 1]}}, case=name))
    question = data["questions"][0]
    question["question"] = question["pieces"]["C1"] = question["arms"][name]["note"] = name
    data["gold_errors"] = [{"question": name, "piece": name, "doc": name, "reason": name}]
    only_text(check.report(data, {"arms": {name: {"mean_ms": 1.0, "build_s": None}}}, {"ranks.svg": "0"}))


@pytest.mark.parametrize("name", NASTY)
def test_a_plot_draws_a_name_as_it_is(name: str, tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    if not plots.available():
        pytest.skip("matplotlib is not installed")
    data = raw({name: {"base": [1], name: [3]}}, case=name)
    data["questions"][0]["pieces"] = {name: ""}
    for arm in data["questions"][0]["arms"].values():
        arm["ranks"] = {name: arm["ranks"]["C1"]}
    assert plots.draw(tmp_path, check.completed(data)) == ("coverage.svg", "ranks.svg")
    text = "".join(ElementTree.parse(tmp_path / "ranks.svg").getroot().itertext())
    assert check.line(name) in text and not recwarn.list


def test_a_run_over_hostile_questions_says_nothing_to_the_terminal_but_text(
    suffice: Suffice, tmp_path: Path
) -> None:
    lines = [nasty_line(name, number) for number, name in enumerate(NASTY)]
    (tmp_path / "q.jsonl").write_text("".join(lines), "utf-8")
    done = suffice("bench", "run", tmp_path / "q.jsonl", "--no-answers", "--out", tmp_path / "run")
    assert done.status == 0
    for said in (done.out, done.err):
        assert not any(char in said for char in "\x1b\x9b\u202e") and "\n# A heading" not in said
    assert done.err.count("\n") == 2, "what was written, and what is not in the corpus: a line each"
    only_text((tmp_path / "run" / "report.md").read_text("utf-8"))


def test_deepest_pieces_are_cut_before_they_are_made_safe() -> None:
    ranks = {"dense": 9, "lexical": 9}
    piece = {"rank": 9, "held": True, "ranks": ranks}
    question = {"id": "q", "question": "|" * 200, "pieces": {"C1": piece}}
    row = list(bench_report._worst([question]))[-2]
    assert row.replace("\\|", "").count("|") == 7


def test_a_question_that_is_too_long_is_named_before_anything_runs(suffice: Suffice, tmp_path: Path) -> None:
    lines = [
        {"id": "a", "question": "Who?", "pieces": [{"id": "C1"}]},
        {"id": "b", "question": "Who? " * 2000},
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    done = suffice("bench", "run", tmp_path / "q.jsonl")
    assert done.status == 2 and "q.jsonl, line 2" in done.err and "at most 4,000" in done.err


def test_json_that_python_refuses_to_read_says_why(tmp_path: Path) -> None:
    for text, why in (("[" * 200_000, "nested too deeply"), ('{"id": ' + "9" * 9000 + "}", "digits")):
        (tmp_path / "q.jsonl").write_text(text, "utf-8")
        with pytest.raises(UsageError, match=why):
            suite.read(tmp_path / "q.jsonl")


@pytest.mark.parametrize("name", ["results.json", "timings.json"])
def test_a_folder_whose_json_is_nested_without_end_is_told(name: str, tmp_path: Path) -> None:
    for file in ("results.json", "timings.json", "report.md"):
        (tmp_path / file).write_text("{}", "utf-8")
    (tmp_path / name).write_text("[" * 200_000, "utf-8")
    assert "RecursionError" in check.differences(tmp_path)[0]


def test_half_a_character_is_no_text_to_import(tmp_path: Path) -> None:
    answers = [{"text": "chair", "answer_start": 4}]
    qas = [{"id": "1", "question": "Who \ud800?", "answers": answers}]
    data = {"data": [{"title": "T", "paragraphs": [{"context": "The chair approves.", "qas": qas}]}]}
    (tmp_path / "dev.json").write_text(json.dumps(data), "utf-8")
    with pytest.raises(UsageError, match="half a character"):
        squad.load(tmp_path / "dev.json")
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d", "text": "\\udfff x"}\n', "utf-8")
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "Who?"}\n', "utf-8")
    (tmp_path / "qrels" / "test.tsv").write_text("q\td\t1\n", "utf-8")
    with pytest.raises(UsageError, match="half a character"):
        beir.load(tmp_path)


# --- folders --------------------------------------------------------------------------------------


def test_a_folder_of_something_else_is_left_alone(suffice: Suffice, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text("mine", "utf-8")
    done = suffice("bench", "run", "questions.jsonl", "--no-answers", "--out", tmp_path)
    assert done.status == 2 and "something else" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["settings.json"]


def test_the_questions_that_are_read_are_never_replaced(suffice: Suffice, tmp_path: Path) -> None:
    out = tmp_path / "run"
    for _ in range(2):
        assert suffice("bench", "run", "questions.jsonl", "--no-answers", "--out", out).status == 0
    kept = (out / "questions.jsonl").read_bytes()
    done = suffice("bench", "run", out / "questions.jsonl", "--no-answers", "--limit", "1", "--out", out)
    assert done.status == 2 and "would be replaced" in done.err
    assert (out / "questions.jsonl").read_bytes() == kept
    assert suffice("experiment", "run", "topk", "questions.jsonl", "--out", tmp_path / "e").status == 0
    file = tmp_path / "e" / "questions.jsonl"
    done = suffice("experiment", "run", "topk", file, "--limit", "1", "--out", tmp_path / "e")
    assert done.status == 2 and file.read_bytes() == kept


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "results.json"
    suite.put(file, "before")

    def full(self: Path, *_: object) -> int:
        self.touch()
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space"):
        patched.setattr(Path, "write_text", full)
        suite.put(file, "after")
    assert file.read_text("utf-8") == "before" and [path.name for path in tmp_path.iterdir()] == [file.name]


def test_a_link_or_a_pipe_is_written_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "there")
    suite.put(tmp_path / "link", "words")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "there").read_text("utf-8") == "words"
    suite.put(Path(os.devnull), "words")
    assert not Path(os.devnull).is_file()


def test_a_tenant_without_documents_is_not_calibrated_to(suffice: Suffice, tmp_path: Path) -> None:
    labels = [
        {"id": "a", "question": "Who?", "answerable": "full"},
        {"id": "n", "question": "Why?", "answerable": "none"},
    ]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(one) + "\n" for one in labels), "utf-8")
    done = suffice("calibrate", tmp_path / "labels.jsonl", "--tenant", "nobody")
    assert done.status == 2 and "no documents for the tenant 'nobody'" in done.err
