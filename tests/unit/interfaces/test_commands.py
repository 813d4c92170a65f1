"""Each command: what it hands to the engine, what it writes, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import interface_samples as samples
import pytest
from interface_engine import FakeEngine

from suffice.errors import GeneratorError
from suffice.values import Ranking

Run = Callable[..., SimpleNamespace]


# --- ask ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "status"),
    [("sufficient", 0), ("partial", 10), ("cjk", 10), ("insufficient", 11), ("search_failed", 12)],
)
def test_the_exit_status_tells_the_verdict(name: str, status: int, engine: FakeEngine, suffice: Run) -> None:
    engine.answers["q"] = samples.EACH[name]
    assert suffice("ask", "q").status == status
    shown = suffice("ask", "q", "--json")
    assert shown.status == status
    assert shown.err == ""
    assert json.loads(shown.out)["id"] == samples.EACH[name].id


def test_ask_hands_everything_to_the_engine(engine: FakeEngine, suffice: Run) -> None:
    Path("needs.json").write_text('[{"id": "C1", "question": "How?"}, "When?"]')
    suffice(
        *[
            "ask",
            "-k",
            "8",
            "--mode",
            "lexical",
            "--tenant",
            "acme",
            "--where",
            "year>=2024",
            "--where",
            "lang=en",
        ],
        *[
            "--generator",
            "openai",
            "--strict",
            "--needs",
            "needs.json",
            "--need",
            "Who?",
            "--",
            "-5 degrees?",
        ],
    )
    asked = engine.calls[1][1]
    assert asked.pop("progress") is None
    assert asked == {
        "question": "-5 degrees?",
        "k": 8,
        "mode": "lexical",
        "tenant": "acme",
        "where": ("year>=2024", "lang=en"),
        "generator": "openai",
        "strict": True,
        "checklist": [
            {"id": "C1", "question": "How?"},
            {"id": "N2", "question": "When?"},
            {"id": "N3", "question": "Who?"},
        ],
    }
    engine.calls.clear()
    suffice("ask", "q")
    asked = engine.calls[1][1]
    assert (asked["k"], asked["strict"], asked["generator"], asked["checklist"]) == (None, None, None, None)


def test_a_question_from_standard_input(engine: FakeEngine, suffice: Run) -> None:
    assert suffice("ask", "-", stdin="\ufeff怎么设置密钥？\n".encode()).status == 0
    assert engine.calls[1][1]["question"] == "怎么设置密钥？"
    assert suffice("ask", "-", stdin=b"\xff\xfe").status == 2
    assert suffice("ask", "-", stdin=b"\n").status == 2


def test_a_batch_gives_one_answer_a_line_in_order_with_its_id(engine: FakeEngine, suffice: Run) -> None:
    Path("b.jsonl").write_text(
        '{"id": "q1", "question": "a"}\n\n{"id": 7, "question": "b"}\n{"question": "c"}\n'
    )
    engine.answers |= {"a": samples.PARTIAL, "b": samples.INSUFFICIENT}
    shown = suffice("ask", "--batch", "b.jsonl", "--json", "--tenant", "acme")
    rows = [json.loads(row) for row in shown.out.splitlines()]
    assert shown.status == 0
    assert [row["question_id"] for row in rows] == ["q1", 7, None]
    assert [row["status"] for row in rows] == ["partial", "insufficient", "sufficient"]
    assert rows[0]["id"] == samples.PARTIAL.id
    assert [name for name, _ in engine.calls] == ["open", "ask", "ask", "ask", "close"]
    assert engine.calls[2][1]["tenant"] == "acme"


def test_a_question_of_a_batch_that_fails_says_so_and_the_others_go_on(
    engine: FakeEngine, suffice: Run
) -> None:
    engine.answers["a"] = GeneratorError("the server is away")
    shown = suffice(
        "ask", "--batch", "-", "--json", stdin=b'{"id": 1, "question": "a"}\n{"id": 2, "question": "b"}\n'
    )
    first, second = (json.loads(row) for row in shown.out.splitlines())
    assert shown.status == 1
    assert first == {
        "schema": "suffice.error/1",
        "question_id": 1,
        "error": "the server is away",
        "exit_status": 1,
    }
    assert second["question_id"] == 2


@pytest.mark.parametrize(
    "bad", ["{", "[]", '{"id": 1}', '{"question": 5}', '{"question": " "}', "[" * 100_000]
)
def test_a_bad_line_stops_a_batch_before_anything_is_asked(
    bad: str, engine: FakeEngine, suffice: Run
) -> None:
    Path("b.jsonl").write_text(f'{{"id": "q1", "question": "a"}}\n{bad}\n')
    shown = suffice("ask", "--batch", "b.jsonl", "--json")
    assert shown.status == 2
    assert "b.jsonl, line 2" in shown.err
    assert engine.calls == []


def test_a_batch_without_json_is_a_line_a_question(engine: FakeEngine, suffice: Run) -> None:
    Path("b.jsonl").write_text('{"id": "q1", "question": "a"}\n{"id": "q2", "question": "b"}\n')
    engine.answers["a"] = samples.PARTIAL
    shown = suffice("ask", "--batch", "b.jsonl")
    assert "◐ partial" in shown.out and "● sufficient" in shown.out
    assert "2 questions: 1 partial, 1 sufficient" in shown.err


# --- the other commands ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "schema"),
    [
        (["add", ".", "--meta", "year=2024"], "suffice.add/1"),
        (["update"], "suffice.add/1"),
        (["remove", "a.md"], "suffice.remove/1"),
        (["pick", "2"], "suffice.answer/1"),
        (["search", "q"], "suffice.ranking/1"),
        (["snapshots"], "suffice.snapshots/1"),
        (["snapshots", "list"], "suffice.snapshots/1"),
        (["snapshots", "show", "3f9a"], "suffice.snapshot/1"),
        (["snapshots", "show", "3f9a", "--document", "guide/gateway.md"], "suffice.document/1"),
        (["snapshots", "verify"], "suffice.integrity/1"),
        (["snapshots", "diff", "3f9a", "81c2"], "suffice.diff/1"),
        (["index"], "suffice.status/1"),
        (["index", "status"], "suffice.status/1"),
        (["index", "build"], "suffice.add/1"),
        (["index", "verify"], "suffice.integrity/1"),
        (["verify", samples.PARTIAL.id], "suffice.verification/1"),
        (["lint"], "suffice.lint/1"),
        (["status"], "suffice.status/1"),
        (["doctor"], "suffice.doctor/1"),
    ],
)
def test_every_command_writes_its_json_and_nothing_else_and_can_be_read_without(
    arguments: list[str], schema: str, engine: FakeEngine, suffice: Run
) -> None:
    shown = suffice(*arguments, "--json")
    assert (shown.status, shown.err) == (0, "")
    assert json.loads(shown.out)["schema"] == schema
    read = suffice(*arguments)
    assert (read.status, read.err) == (0, "")
    assert read.out.strip()
    assert "\x1b" not in read.out
    assert all(len(row) <= 100 for row in read.out.splitlines())


@pytest.mark.parametrize(
    "arguments",
    [["snapshots", "verify"], ["index", "verify"], ["verify", samples.PARTIAL.id], ["doctor"]],
)
def test_a_check_that_fails_ends_with_1_and_says_what(
    arguments: list[str], engine: FakeEngine, suffice: Run
) -> None:
    engine.ok = False
    shown = suffice(*arguments)
    assert shown.status == 1
    assert "✗" in shown.out
    data = json.loads(suffice(*arguments, "--json").out)
    assert data["ok"] is False


def test_metadata_that_is_a_number_is_one_and_text_stays_text(engine: FakeEngine, suffice: Run) -> None:
    pairs = ["year=2024", "version=1.10", "zip=01234", "draft=false", "ratio=0.5", "name=a=b", "odd=nan"]
    suffice("add", ".", *[word for pair in pairs for word in ("--meta", pair)])
    assert engine.calls[1][1]["meta"] == {
        "year": 2024,
        "version": "1.10",
        "zip": "01234",
        "draft": False,
        "ratio": 0.5,
        "name": "a=b",
        "odd": "nan",
    }


@pytest.mark.parametrize(
    ("given", "reach"),
    [
        ("", 10),
        ("-k 3", 3),
        ("--depth all", None),
        ("--depth 40", 40),
        ("--depth all -k 3", 3),
        ("--depth 40 -k 3", 3),
    ],
)
def test_how_deep_a_search_looks(given: str, reach: int | None, engine: FakeEngine, suffice: Run) -> None:
    suffice("search", "q", *given.split())
    assert engine.calls[1][1]["k"] == reach


def test_a_search_that_failed_is_not_an_empty_one(engine: FakeEngine, suffice: Run) -> None:
    failures = samples.SEARCH_FAILED.verdict.failures
    engine.answers |= {
        "failed": Ranking("failed", "hybrid", 0, "g", (), failures),
        "empty": Ranking("empty", "hybrid", 0, "g", ()),
    }
    failed, empty = suffice("search", "failed"), suffice("search", "empty")
    assert (failed.status, empty.status) == (12, 0)
    assert "could not run" in failed.out
    assert "Nothing to rank" in empty.out
    assert json.loads(suffice("search", "failed", "--json").out)["failures"]


def test_an_answer_is_verified_from_a_file_from_lines_and_from_standard_input(
    engine: FakeEngine, suffice: Run
) -> None:
    answer = suffice("ask", "q", "--json").out
    Path("answer.json").write_text(answer)
    assert suffice("verify", "answer.json").status == 0
    assert suffice("verify", "-", stdin=answer.encode()).status == 0
    line = json.dumps(json.loads(answer))
    Path("answers.jsonl").write_text(f"{line}\n{line}\n")
    assert len(suffice("verify", "answers.jsonl", "--json").out.splitlines()) == 2
    assert sum(name == "verify_answer" for name, _ in engine.calls) == 4
    for bad in ("{}", "", "not json", '{"schema": "suffice.ranking/1"}', "[1]"):
        Path("bad.json").write_text(bad)
        assert suffice("verify", "bad.json").status == 2, bad


def test_quiet_is_quiet(engine: FakeEngine, suffice: Run) -> None:
    shown = suffice("add", ".", "--quiet")
    assert (shown.status, shown.out, shown.err) == (0, "", "")
    engine.answers["q"] = samples.PARTIAL
    shown = suffice("ask", "q", "--quiet")
    assert "suffice pick" not in shown.out and "guide/gateway.md" in shown.out


def test_the_text_of_a_document_reaches_a_pipe_as_it_is(engine: FakeEngine, suffice: Run) -> None:
    shown = suffice("snapshots", "show", "3f9a", "--document", "guide/gateway.md", "--text")
    assert shown.out.encode() == b"# Gateway\r\n\x1b[31mred\n"
