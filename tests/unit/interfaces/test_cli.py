"""Options, exit statuses, errors and streams of the command line, over a fake engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import click
import interface_samples as samples
import pytest
from interface_engine import FakeEngine

from suffice.errors import GeneratorError
from suffice.interfaces.cli import cli, main
from suffice.interfaces.group import SECTIONS
from suffice.values import Ranking

Run = Callable[..., SimpleNamespace]


def commands(command: click.Command = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    yield " ".join(path), command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))


# --- usage ----------------------------------------------------------------------------------


def test_the_commands_are_those_of_the_contract_and_none_that_do_not_exist_yet() -> None:
    documents = {"add", "update", "remove", "snapshots", "index", "lint"}
    about = {"status", "doctor", "demo", "completion"}
    assert set(cli.commands) == {"ask", "pick", "search", "verify"} | documents | about
    assert {name for names in SECTIONS.values() for name in names} == set(cli.commands)


@pytest.mark.parametrize("path", [path for path, _ in commands()])
def test_every_command_has_help_with_examples_that_parse(path: str, suffice: Run) -> None:
    shown = suffice(*path.split(), "--help")
    assert shown.status == 0
    assert "Example" in shown.out
    for option in ("--workspace", "--json", "--quiet", "--config"):
        assert option in shown.out
    for example in dict(commands())[path].examples:
        assert example in shown.out


def test_no_command_at_all_shows_help_and_is_wrong_usage(suffice: Run) -> None:
    shown = suffice()
    assert shown.status == 2
    assert "Usage: suffice" in shown.err


@pytest.mark.parametrize(
    ("typed", "meant"),
    [(["serach", "x"], "suffice search"), (["snapshots", "lst"], "suffice snapshots list")],
)
def test_an_unknown_command_gets_the_nearest_one(typed: list[str], meant: str, suffice: Run) -> None:
    shown = suffice(*typed)
    assert shown.status == 2
    assert shown.err.endswith(f"; did you mean: {meant}\n")
    assert shown.out == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask"],
        ["ask", ""],
        ["ask", " \n "],
        ["ask", "q", "-k", "0"],
        ["ask", "q", "-k", "many"],
        ["ask", "q", "--mode", "psychic"],
        ["ask", "q", "--bogus"],
        ["ask", "q", "another"],
        ["ask", "q", "--need", " "],
        ["ask", "q", "--needs", "absent.json"],
        ["ask", "q", "--batch", "absent.jsonl"],
        ["ask", "--batch", "absent.jsonl"],
        ["pick", "0"],
        ["pick", "9"],
        ["pick", "two"],
        ["search", "  "],
        ["search", "q", "--depth", "deep"],
        ["search", "q", "--depth", "0"],
        ["add"],
        ["add", ".", "--meta", "no-equals"],
        ["remove"],
        ["snapshots", "show", "3f9a", "--text"],
        ["verify", "absent.json"],
        ["verify", "01UNKNOWN"],
        ["status", "--config", "absent.toml"],
        ["completion", "tcsh"],
    ],
)
def test_wrong_input_is_status_2_and_one_line(arguments: list[str], engine: FakeEngine, suffice: Run) -> None:
    shown = suffice(*arguments)
    assert shown.status == 2
    assert shown.out == ""
    assert shown.err.startswith("suffice: ")
    assert shown.err.count("\n") == 1
    assert not [name for name, _ in engine.calls if name in ("ask", "add", "remove")]
    with_json = suffice(*arguments, "--json")
    assert with_json.status == 2
    data = json.loads(with_json.out)
    assert data["schema"] == "suffice.error/1"
    assert data["exit_status"] == 2
    assert f"suffice: {data['error']}\n" == with_json.err


def test_where_there_is_no_workspace_it_says_how_to_make_one(
    suffice: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = suffice("ask", "q")
    assert shown.status == 2
    assert "suffice add FOLDER" in shown.err
    assert list(tmp_path.iterdir()) == []


# --- shared options -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ["--workspace", "w", "--json", "ask", "q"],
        ["ask", "q", "--json", "--workspace", "w"],
        ["--workspace", "elsewhere", "ask", "--json", "q", "--workspace", "w"],
    ],
)
def test_shared_options_stand_before_or_after_the_command(
    arguments: list[str], engine: FakeEngine, suffice: Run
) -> None:
    Path("w").mkdir()
    shown = suffice(*arguments)
    assert shown.status == 0
    assert json.loads(shown.out)["schema"] == "suffice.answer/1"
    assert engine.calls[0][1]["path"] == Path("w")
    assert engine.calls[-1][0] == "close"


def test_the_workspace_is_the_variable_else_the_nearest_upward(
    engine: FakeEngine, suffice: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    suffice("status")
    assert engine.calls[0][1]["path"] == tmp_path / ".suffice"
    monkeypatch.setenv("SUFFICE_WORKSPACE", str(tmp_path / "a"))
    engine.calls.clear()
    suffice("status")
    assert engine.calls[0][1]["path"] == tmp_path / "a"


def test_settings_come_from_the_file_beside_the_workspace_else_from_config(
    engine: FakeEngine, suffice: Run
) -> None:
    Path("suffice.toml").write_text("[answer]\nstrict = true\n")
    Path("other.toml").write_text("[answer]\nsuggestions = 1\n")
    suffice("status")
    assert engine.calls[0][1]["settings"].answer.strict is True
    engine.calls.clear()
    suffice("status", "--config", "other.toml")
    assert engine.calls[0][1]["settings"].answer.strict is False
    assert engine.calls[0][1]["settings"].answer.suggestions == 1
    Path("other.toml").write_text("[answer]\nstict = true\n")
    assert "stict" in suffice("status", "--config", "other.toml").err


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


# --- what goes wrong ------------------------------------------------------------------------


def test_ctrl_c_says_that_it_stopped(engine: FakeEngine, suffice: Run) -> None:
    engine.answers["q"] = KeyboardInterrupt()
    shown = suffice("ask", "q", "--json")
    assert shown.status == 130
    assert shown.err.strip().startswith("suffice: stopped; ")
    assert shown.out == ""
    assert engine.calls[-1][0] == "close"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(28, "No space left on device", "/w/suffice.db"), "No space left on device (/w/suffice.db)"),
        (MemoryError(), "not enough memory"),
        (
            RuntimeError("two\nlines \x1b[31m"),
            "RuntimeError: two lines \ufffd[31m; this is a fault of suffice",
        ),
        (GeneratorError("the server is away; start it"), "the server is away; start it"),
    ],
)
def test_no_exception_shows_a_traceback(
    error: Exception, said: str, engine: FakeEngine, suffice: Run
) -> None:
    engine.answers["q"] = error
    shown = suffice("ask", "q")
    assert shown.status == 1
    assert said in shown.err
    assert shown.err.count("\n") == 1


def _process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("SUFFICE_", "LC_"))}
    return subprocess.run(
        [sys.executable, "-m", "suffice", *arguments],
        capture_output=True,
        env={**env, **environment},
        timeout=60,
    )


def test_help_loads_nothing_heavy() -> None:
    heavy = {"numpy", "onnxruntime", "rich", "msgspec", "sqlite3", "suffice.engine", "suffice.values"}
    code = (
        "import sys\nfrom suffice.interfaces.cli import main\nassert main(['--help']) == 0\n"
        f"print(sorted({heavy!r} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "Usage: suffice" in done.stdout


def test_output_is_utf_8_whatever_the_locale_says(tmp_path: Path) -> None:
    environment = {"LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    done = _process("ask", "--help", **environment)
    assert done.returncode == 0
    assert "怎么设置密钥" in done.stdout.decode("utf-8")


@pytest.mark.parametrize(
    "write",
    [
        "[Invocation.current().write('x' * 4096 + chr(10)) for _ in range(4096)]",
        "from rich.text import Text; Invocation.current().show([Text('x' * 4096)] * 4096)",
    ],
)
def test_a_reader_that_goes_away_is_no_fault(write: str) -> None:
    code = (
        "import sys\nfrom suffice.interfaces.invocation import Invocation\n"
        "from suffice.interfaces.cli import cli, main\n"
        "@cli.command('much', examples=['suffice much'])\n"
        f"def much():\n    {write}\n"
        "sys.exit(main(['much']))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 141


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_and_completes(shell: str) -> None:
    done = _process("completion", shell)
    assert done.returncode == 0
    assert b"_SUFFICE_COMPLETE" in done.stdout
    if shell == "bash":
        asked = _process(_SUFFICE_COMPLETE="bash_complete", COMP_WORDS="suffice sea", COMP_CWORD="1")
        assert asked.stdout.decode().strip() == "plain,search"


def test_main_gives_a_status_and_does_not_exit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("suffice ")
