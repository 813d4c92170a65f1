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
import pytest
from interface_engine import FakeEngine

from suffice.errors import GeneratorError
from suffice.interfaces.cli import cli, main
from suffice.interfaces.group import SECTIONS

Run = Callable[..., SimpleNamespace]


def commands(command: click.Command = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    yield " ".join(path), command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))


# --- usage ----------------------------------------------------------------------------------


def test_the_commands_are_those_of_the_contract_and_none_that_do_not_exist_yet() -> None:
    documents = {"add", "update", "remove", "snapshots", "index", "lint"}
    measure = {"diagnose", "bench", "experiment", "calibrate"}
    about = {"status", "doctor", "demo", "completion"}
    assert set(cli.commands) == {"ask", "pick", "search", "verify"} | documents | measure | about
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


def test_a_batch_that_cannot_run_still_says_so_in_one_line(suffice: Run, tmp_path: Path) -> None:
    """Whoever reads the output line by line must be able to read this line too."""
    shown = suffice("ask", "--batch", "absent.jsonl", "--json")
    assert shown.status == 2
    assert shown.out.count("\n") == 1
    assert json.loads(shown.out)["schema"] == "suffice.error/1"
    assert suffice("ask", " ", "--json").out.count("\n") > 1, "one object by itself is for people to read"


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


@pytest.mark.parametrize("module", ["click", "suffice.interfaces.cli", "suffice.interfaces.commands", "json"])
def test_ctrl_c_while_it_loads_ends_it_without_a_word(module: str) -> None:
    """The signal comes in the middle of an import, where a KeyboardInterrupt would show a traceback."""
    code = (
        "import os, signal, sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.startswith({module!r}):\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.modules.pop('json', None)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from suffice.interfaces.entry import main\n"
        "sys.argv = ['suffice', '--version']\n"
        "sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_ctrl_c_at_work_says_that_it_stopped(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "from suffice.interfaces import invocation\n"
        "invocation.Invocation.folder = lambda self: os.kill(os.getpid(), signal.SIGINT)\n"
        "from suffice.interfaces.entry import main\n"
        "sys.argv = ['suffice', 'status']\n"
        "sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, text=True)
    assert done.returncode == 130
    assert done.stderr.strip().startswith("suffice: stopped; nothing is broken")
    assert done.stderr.strip().count("\n") == 0


def test_ctrl_c_that_was_ignored_stays_so() -> None:
    """A job that a script puts in the background is not for Ctrl-C to end."""
    code = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from suffice.interfaces.entry import main\n"
        "sys.argv = ['suffice', '--version']\n"
        "main()\n"
        "assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60).returncode == 0


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
