"""The commands in the manual and the README work.

A fenced block with the info string `console test` is run, with the hashing embedder: its lines that begin
with `$ ` (continued by lines that begin with `> `) go to bash one after the other, in a temporary folder that
holds a copy of `docs/`. All such blocks of a page share the folder. A command must end with status 0, or with
the one that a comment at its end states: `# exit 11`, or `# exit 0, 10 or 11` where it depends on the model.
Other lines are output: each must be in what was printed, in this order; `...` stands for any lines, and
within a line for anything.

In every other block, each `suffice …` line must at least be one that the command line takes.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from suffice.interfaces.cli import main

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md")])
FENCE = re.compile(
    r"^(?P<mark>```+|~~~+)(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=mark)\s*$", re.MULTILINE | re.DOTALL
)
EXIT = re.compile(r"\s+# exit ((?:\d+(?:, | or )?)+)\s*$")
NOT_OURS = {"|", "||", "&&", ";", ">", ">>", "<", "2>", "&"}


@dataclass(frozen=True)
class Command:
    """A command line of a page, the statuses that it may end with, and the output that the page shows."""

    text: str
    statuses: frozenset[int]
    output: tuple[str, ...]


def blocks(text: str) -> list[tuple[str, str]]:
    """(info string, body) of every fenced block."""
    return [(match["info"].strip(), match["body"]) for match in FENCE.finditer(text)]


def session(body: str) -> list[Command]:
    """The commands of a `console test` block."""
    commands: list[tuple[str, list[str]]] = []
    for row in body.splitlines():
        if row.startswith("$ "):
            commands.append((row[2:], []))
        elif row.startswith("> ") and commands and not commands[-1][1]:
            commands[-1] = (f"{commands[-1][0]}\n{row[2:]}", [])
        elif commands:
            commands[-1][1].append(row)
    found = []
    for text, output in commands:
        stated = EXIT.search(text)
        statuses = frozenset(map(int, re.findall(r"\d+", stated[1]))) if stated else frozenset({0})
        found.append(Command(EXIT.sub("", text), statuses, tuple(output)))
    return found


def missing(output: tuple[str, ...], printed: str) -> str | None:
    """The first line of output that was not printed after the ones before it; None when all were."""
    rows = iter(" ".join(row.split()) for row in printed.splitlines())
    for row in (" ".join(row.split()) for row in output):
        wanted = re.compile(".*".join(map(re.escape, row.split("..."))))
        if row and row != "..." and not any(wanted.fullmatch(other) for other in rows):
            return row
    return None


def mentioned(text: str) -> list[list[str]]:
    """The arguments of every `suffice …` line in blocks that are not run."""
    found = []
    for info, body in blocks(text):
        if "test" in info.split() or info.split()[:1] == ["python"]:
            continue
        for row in body.replace("\\\n", " ").splitlines():
            words = _words(row.strip().removeprefix("$ "))
            if words[:1] == ["suffice"]:
                end = next((i for i, word in enumerate(words) if word in NOT_OURS), len(words))
                found.append(words[1:end])
    return found


def _words(row: str) -> list[str]:
    lexer = shlex.shlex(row, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:
        return []


def _run(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("SUFFICE_")}
    env |= {"SUFFICE_EMBED__NAME": "hashing", "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    return subprocess.run(
        ["bash", "-c", text],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        encoding="utf-8",
    )


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if any("test" in info.split() for info, _ in blocks(page.read_text("utf-8")))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_console_sessions_of_a_page_run_as_stated(page: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    for info, body in blocks(page.read_text("utf-8")):
        if "test" not in info.split():
            continue
        assert info == "console test", f"{page.name}: a block that is run has the info string `console test`"
        commands = session(body)
        assert commands, f"{page.name}: a `console test` block without a command"
        for command in commands:
            done = _run(command.text, tmp_path)
            shown = f"$ {command.text}\n{done.stdout}{done.stderr}"
            assert done.returncode in command.statuses, f"{shown}\nended with {done.returncode}"
            assert missing(command.output, done.stdout + done.stderr) is None, shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_that_a_page_mentions_exists_with_its_options(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in mentioned(page.read_text("utf-8")):
        # --help ends the command before it does anything, and after its options were parsed.
        status = main(
            [*arguments[: arguments.index("--")], "--help"] if "--" in arguments else [*arguments, "--help"]
        )
        said = capsys.readouterr()
        assert status == 0, f"suffice {shlex.join(arguments)}: {said.err}"


def test_a_session_is_read_as_described() -> None:
    body = '$ suffice ask "q" \\\n> --json  # exit 10 or 11\n$ ls  # all of it\n...\na.md\n'
    assert session(body) == [
        Command('suffice ask "q" \\\n--json', frozenset({10, 11}), ()),
        Command("ls  # all of it", frozenset({0}), ("...", "a.md")),
    ]


def test_output_that_was_not_printed_is_found() -> None:
    assert missing(("a  b", "...", "d"), "a b\nc\nd\n") is None
    assert missing(("d", "a b"), "a b\nc\nd\n") == "a b"
    assert missing(("at ... here",), "at (any) place here\n") is None
    assert missing(("at ... here",), "at (any) place here.\n") == "at ... here"


def test_commands_are_found_in_blocks_and_prose_is_left_alone() -> None:
    text = 'suffice bogus\n\n```\nsuffice ask "a b" --json | jq\n$ suffice status; ls\n```\n'
    assert mentioned(text) == [["ask", "a b", "--json"], ["status"]]
