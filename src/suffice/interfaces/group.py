"""The command classes: options that may stand before or after a command's name, examples, suggestions."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from suffice.errors import UsageError

SECTIONS = {
    "Ask": ("ask", "pick", "search", "verify"),
    "Documents": ("add", "update", "remove", "snapshots", "index", "lint"),
    "Measure": ("diagnose", "bench", "experiment", "calibrate"),
    "About": ("status", "doctor", "demo", "completion"),
}


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    # Set only where given, so that the option of an inner command does not undo that of an outer one.
    if value is not None and parameter.name is not None:
        context.meta[f"suffice.{parameter.name}"] = value
    return value


def _shared(envvar: bool) -> list[click.Option]:
    def option(*names: str, **more: Any) -> click.Option:
        return click.Option(names, expose_value=False, callback=_remember, **more)

    return [
        option(
            "--workspace",
            type=click.Path(file_okay=False, path_type=Path),
            metavar="DIR",
            envvar="SUFFICE_WORKSPACE" if envvar else None,
            help="The workspace [env SUFFICE_WORKSPACE; default: the nearest .suffice upward].",
        ),
        option(
            "--config",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Settings [default: suffice.toml beside the workspace].",
        ),
        option("--json", is_flag=True, default=None, help="JSON on standard output and nothing else there."),
        option("--quiet", is_flag=True, default=None, help="No progress, hints or remarks."),
    ]


class ReaderGone(Exception):
    """The output's reader went away. Raised in place of BrokenPipeError, which click takes for a failure."""


class _Shared:
    """What a command and a group have in common."""

    examples: tuple[str, ...]
    params: list[click.Parameter]

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The examples, one a line, never wrapped: they are there to be copied."""
        formatter.write(f"\n{'Example' if len(self.examples) == 1 else 'Examples'}:\n")
        for example in self.examples:
            formatter.write(f"  {example}\n")


class Command(_Shared, click.Command):
    """A command with the shared options and at least one example."""

    def __init__(self, *args: Any, examples: Sequence[str], **more: Any) -> None:
        super().__init__(*args, **more)
        self.examples = tuple(examples)
        self.params += _shared(envvar=False)


class Group(_Shared, click.Group):
    """A group whose unknown commands get the nearest name, and whose commands are listed by section."""

    command_class = Command

    def __init__(self, *args: Any, examples: Sequence[str], **more: Any) -> None:
        super().__init__(*args, **more)
        self.examples = tuple(examples)
        self.root = bool(more.get("no_args_is_help"))
        self.params += _shared(envvar=self.root)

    def invoke(self, ctx: click.Context) -> Any:
        """As click does; a reader that went away is told apart from a failure."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGone from error

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but an unknown name is answered with the nearest one."""
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing and args[0][:1] != "-":
            self._unknown(ctx, args[0])
        return super().resolve_command(ctx, args)

    def _unknown(self, ctx: click.Context, name: str) -> NoReturn:
        near = difflib.get_close_matches(name, self.commands, n=1, cutoff=0.5)
        path = ctx.command_path
        advice = f"did you mean: {path} {near[0]}" if near else f"see: {path} --help"
        raise UsageError(f"there is no command {name!r}; {advice}")

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One list a section; a command of no section comes last."""
        sections = SECTIONS if self.root else {"Commands": tuple(self.commands)}
        for title, names in sections.items():
            rows = [(name, self.commands[name]) for name in names if name in self.commands]
            with formatter.section(title):
                formatter.write_dl([(name, command.get_short_help_str(70)) for name, command in rows])


def k_option(default: str) -> Callable[[Any], Any]:
    """`-k`."""
    return click.option(
        "-k", type=click.IntRange(min=1), metavar="N", help=f"How many chunks [default: {default}]."
    )


def search_options(command: Any) -> Any:
    """`--mode`, `--tenant`, `--where`."""
    for option in (
        click.option(
            "--where",
            multiple=True,
            metavar="EXPR",
            help="Only documents that fit: year>=2024, path=guide/*. Repeatable; all must hold.",
        ),
        click.option("--tenant", metavar="T", help="Only documents added for this tenant."),
        click.option(
            "--mode",
            type=click.Choice(["hybrid", "dense", "lexical"]),
            default="hybrid",
            help="How to search [default: hybrid].",
        ),
    ):
        command = option(command)
    return command
