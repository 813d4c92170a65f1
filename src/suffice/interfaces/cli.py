"""The `suffice` command: parses, calls the engine, shows what it gave, and ends with the right status.

Exit status: 0 done (`ask`: sufficient) · 1 failed · 2 wrong usage or input · 10 partial · 11 insufficient ·
12 search failed · 130 stopped by Ctrl-C · 141 the reader of the output went away.

Nothing heavy is imported before a command needs it: `suffice --help` loads click and no more.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from suffice import __version__
from suffice.errors import SufficeError
from suffice.interfaces import schema
from suffice.interfaces.commands import about, bench, calibrate, diagnose, documents, experiment, questions
from suffice.interfaces.group import Group, ReaderGone
from suffice.interfaces.invocation import harmless

if TYPE_CHECKING:
    from typing import TextIO

STOPPED = 130
READER_GONE = 141


@click.group(
    cls=Group,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    examples=("suffice add docs/", 'suffice ask "How do I set a secret?"', "suffice pick 1"),
)
@click.version_option(__version__, "-V", "--version", message="suffice %(version)s")
def cli() -> None:
    """Answers from your own documents, with quotes that were checked.

    Says which part of a question the evidence does not cover, and offers narrower
    questions that it has already tried. Exit status: 0 done (ask: sufficient),
    1 failed, 2 wrong usage, 10 partial, 11 insufficient, 12 search failed.
    """


for _command in (
    questions.ask,
    questions.pick,
    questions.search,
    questions.verify,
    diagnose.diagnose,
    documents.add,
    documents.update,
    documents.remove,
    documents.snapshots,
    documents.index,
    documents.lint,
    bench.bench,
    experiment.experiment,
    calibrate.calibrate,
    about.status,
    about.doctor,
    about.demo,
    about.completion,
):
    cli.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status. No exception leaves it, and no traceback is shown."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        _speak_utf8(stream)
    try:
        status = _run(given)
        sys.stdout.flush()
    except (BrokenPipeError, ReaderGone):
        status = _reader_gone()
    return status


def _run(given: list[str]) -> int:
    try:
        result = cli.main(given, prog_name="suffice", standalone_mode=False, complete_var="_SUFFICE_COMPLETE")
    except (BrokenPipeError, ReaderGone):
        raise
    except (click.Abort, KeyboardInterrupt):
        return _fail(
            "stopped; nothing is broken, and the same command can be given again (what add, update and index "
            "build had finished is kept)",
            STOPPED,
            given,
        )
    except click.exceptions.NoArgsIsHelpError as error:
        sys.stderr.write(error.format_message() + "\n")
        return 2
    except click.ClickException as error:
        return _fail(_advice(error), error.exit_code, given)
    except SufficeError as error:
        return _fail(str(error), error.exit_status, given)
    except MemoryError:
        return _fail(
            "there is not enough memory; close other programs, or add fewer files at a time", 1, given
        )
    except OSError as error:
        name = f" ({error.filename})" if error.filename else ""
        return _fail(f"{error.strerror or error}{name}; see: suffice doctor", 1, given)
    except Exception as error:
        if os.environ.get("SUFFICE_DEBUG"):
            raise
        said = " ".join(str(error).split())
        return _fail(
            f"{type(error).__name__}: {said}; this is a fault of suffice, please report it "
            "(SUFFICE_DEBUG=1 shows where it happened)",
            1,
            given,
        )
    return result if isinstance(result, int) else 0


def _fail(message: str, status: int, given: Sequence[str]) -> int:
    """One line on standard error; with `--json` an object on standard output too."""
    message = " ".join(message.split())
    sys.stderr.write(f"suffice: {harmless(message)}\n")
    options = given[: given.index("--")] if "--" in given else given
    with suppress(OSError):  # standard output may be what failed
        sys.stdout.flush()
        if "--json" in options and status != STOPPED:
            # --batch writes one line a row, and whoever reads it line by line must be able to read this one
            is_batch = any(option.partition("=")[0] == "--batch" for option in options)
            sys.stdout.write(schema.dumps(schema.error(message, status), compact=is_batch) + "\n")
            sys.stdout.flush()
    return status


def _advice(error: click.ClickException) -> str:
    """Click's message as one line that says what to do."""
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "suffice"
    return f"{message[:1].lower()}{message[1:]}; see: {path} --help"


def _speak_utf8(stream: TextIO) -> None:
    """UTF-8 whatever the locale says; what UTF-8 cannot hold is escaped, never an error."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="backslashreplace")


def _reader_gone() -> int:
    """Leave quietly: whoever read our output (`| head`) has had enough."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(devnull, sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - stands in until the process ends
    return READER_GONE
