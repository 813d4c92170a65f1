"""The demo's steps: the command as a user types it, and below it what it gave."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from suffice.interfaces import schema
from suffice.interfaces.demo import Step
from suffice.interfaces.render import answer, corpus
from suffice.interfaces.render.text import DIM, HEAD, NUMBER, styled, wrap
from suffice.values import Answer


def lines(step: Step, width: int) -> list[Text]:
    """A rule with the title, the command, its output, and an empty line."""
    title = f"── {step.title} "
    rule = styled((f"{title}{'─' * max(width - len(title), 0)}", DIM))
    shown = wrap(styled((step.command, HEAD)), width, first=styled(("$ ", NUMBER)), rest="  ")
    if isinstance(step.result, Answer):
        shown += answer.lines(step.result, width)
    else:
        shown += corpus.added(step.result, width)
    return [*wrap(rule, width), *shown, Text("", end="")]


def data(step: Step) -> dict[str, Any]:
    """The step's own JSON, with its title and command."""
    found = (
        schema.answer(step.result) if isinstance(step.result, Answer) else schema.named("add", step.result)
    )
    return {**found, "title": step.title, "command": step.command}
