"""The bundled example: suffice's own manual, indexed from nothing, and four questions asked of it."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suffice.errors import SourceError
from suffice.settings import load

if TYPE_CHECKING:
    from suffice.engine import AddReport, Engine
    from suffice.values import Answer


@dataclass(frozen=True, slots=True)
class Step:
    """A command of the demo, what it shows, and what it gave."""

    title: str
    command: str
    result: AddReport | Answer


QUESTIONS = (
    ("A question that the manual answers", "How do I ask many questions in one go?"),
    ("The same manual, asked in Chinese", "suffice doctor 检查什么？"),
    (
        "A question that the manual answers in part",
        "What does suffice lint report, and which keyboard shortcuts are there?",
    ),
    ("A question that the manual does not answer", "Which football club won the cup in 1987?"),
)
PARTIAL = 2
"""Which question is answered in part; its first suggestion is taken if it will be answered."""


def run(progress: Any = None) -> Iterator[Step]:
    """Each step when it is done, in a workspace of its own that is gone at the end."""
    from suffice.engine import Engine

    with (
        manual() as folder,
        tempfile.TemporaryDirectory(prefix="suffice-demo-") as place,
        Engine.open(Path(place) / ".suffice", load(environment={}), create=True) as engine,
    ):
        report = engine.add([str(folder)], progress=progress)
        yield Step("Add a folder: here, the manual of suffice", "suffice add docs", report)
        for number, (title, question) in enumerate(QUESTIONS):
            yield Step(title, f"suffice ask {_quoted(question)}", engine.ask(question))
            if number == PARTIAL:
                yield from _picked(engine)


def _picked(engine: Engine) -> Iterator[Step]:
    last = engine.journal.last("answer")
    first = next(iter(last.payload["suggestions"]), None) if last is not None else None
    if first is not None and first["preview"]["status"] == "sufficient":
        yield Step("Take the first suggestion", "suffice pick 1", engine.pick(1))


@contextmanager
def manual() -> Iterator[Path]:
    """The folder of the manual: in the package when it is installed, in the checkout when it is worked on."""
    packed = files("suffice") / "demo_docs"
    if packed.is_dir():
        with as_file(packed) as folder, tempfile.TemporaryDirectory(prefix="suffice-docs-") as place:
            # Documents are named after their folder, and the manual's is `docs`.
            link = Path(place) / "docs"
            link.symlink_to(folder, target_is_directory=True)
            yield link
        return
    checkout = Path(__file__).resolve().parents[3] / "docs"
    if not checkout.is_dir():
        raise SourceError("the manual is not in this installation; install suffice again")
    yield checkout


def _quoted(question: str) -> str:
    return f'"{question}"' if not set('"$`\\!') & set(question) else shlex.quote(question)
