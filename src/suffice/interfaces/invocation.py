"""What one call of the command line was given, and the ways it may speak."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from suffice.errors import UsageError
from suffice.interfaces import progress, schema

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from suffice.engine import Engine
    from suffice.ports import Progress
    from suffice.settings import Settings

FOLDER = ".suffice"
WIDEST = 100
"""Lines longer than this are hard to read, however wide the terminal."""

_JOINERS = "\u200c\u200d"
"""They shape words of Persian and of Indic scripts, and emoji."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """The options that every command takes; `workspace` and `config` are None where not given."""

    workspace: Path | None = None
    config: Path | None = None
    json: bool = False
    quiet: bool = False

    @classmethod
    def current(cls) -> Invocation:
        """Those of the running command, wherever they stood on the line."""
        meta = click.get_current_context().meta
        return cls(**{name: meta[f"suffice.{name}"] for name in cls.__slots__ if f"suffice.{name}" in meta})

    def folder(self) -> Path:
        """The workspace: as given, else the nearest `.suffice` upward, else `./.suffice`."""
        if self.workspace is not None:
            return self.workspace
        here = Path.cwd()
        for place in (here, *here.parents):
            if (place / FOLDER).is_dir():
                return place / FOLDER
        return here / FOLDER

    def settings(self) -> Settings:
        """From `--config`, else from `suffice.toml` beside the workspace. Raises SettingsError."""
        from suffice.settings import load

        beside = self.folder().absolute().parent / "suffice.toml"
        return load(self.config or (beside if beside.is_file() else None))

    @contextmanager
    def engine(self, *, create: bool = False) -> Iterator[Engine]:
        """The engine on the workspace, closed at the end. Raises UsageError where there is none to read."""
        folder = self.folder()
        if not create and not folder.is_dir():
            raise UsageError(
                f"there is no workspace at {folder}; make one with: suffice add FOLDER "
                "(or name another with --workspace DIR)"
            )
        settings = self.settings()
        from suffice.engine import Engine

        engine = Engine.open(folder, settings, create=create)
        try:
            yield engine
        finally:
            engine.close()

    @contextmanager
    def progress(self) -> Iterator[Progress | None]:
        """A bar on standard error for what takes long; None where nobody would see it."""
        with progress.shown(not (self.json or self.quiet)) as callback:
            yield callback

    def write_json(self, data: Any, *, compact: bool = False) -> None:
        """JSON to standard output, flushed."""
        self.write(schema.dumps(data, compact=compact) + "\n")

    def write(self, text: str) -> None:
        """Text to standard output as it is, flushed."""
        sys.stdout.write(text)
        sys.stdout.flush()

    def show(self, lines: Iterable[Text]) -> None:
        """Styled lines to standard output; without styles where it is no terminal or NO_COLOR is set."""
        out = console()
        for row in lines:
            # Already wrapped to fit: Rich must neither crop a line nor wrap it again.
            out.print(row, soft_wrap=True, highlight=False, end="\n")
        sys.stdout.flush()

    def note(self, message: str) -> None:
        """A remark of one line to standard error, unless `--quiet`."""
        if not self.quiet:
            sys.stderr.write(harmless(" ".join(message.split())) + "\n")
            sys.stderr.flush()


def harmless(message: str) -> str:
    """Without control characters: a file's name or an id may hold any. (Rich is not loaded for a line.)"""
    return "".join(
        char if char.isprintable() or char.isspace() or char in _JOINERS else "\ufffd" for char in message
    )


def console() -> Console:
    """Rich's console on standard output; NO_COLOR, TERM=dumb, FORCE_COLOR and COLUMNS are respected."""
    from rich.console import Console

    class Pipe(Console):
        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704 - Rich calls this while it handles BrokenPipeError, and would exit with 1

    width = None if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit() else WIDEST
    return Pipe(width=width, highlight=False, emoji=False, markup=False)


def width() -> int:
    """Cells that a line may take."""
    return max(20, min(console().width, WIDEST))
