"""`status`, `doctor`, `demo`, `completion`."""

from __future__ import annotations

import click

from suffice.interfaces import schema
from suffice.interfaces.group import Command
from suffice.interfaces.invocation import Invocation, width


@click.command(cls=Command, examples=("suffice status", "suffice status --json"))
def status() -> int:
    """Show what is here: documents, index, sources."""
    run = Invocation.current()
    with run.engine() as engine:
        found = engine.status()
    if run.json:
        run.write_json(schema.named("status", found))
    else:
        from suffice.interfaces.render import checks as page

        run.show(page.status(found, width()))
    return 0


@click.command(cls=Command, examples=("suffice doctor",))
def doctor() -> int:
    """Check what is installed and stored; say what to do.

    Exit status 1 if something is wrong.
    """
    run = Invocation.current()
    with run.engine() as engine, run.progress():
        found = engine.doctor()
    ok = all(check.ok for check in found)
    if run.json:
        checks = [
            {
                "name": c.name,
                "ok": c.ok,
                "detail": c.detail,
                "remedy": c.remedy if c.warning or not c.ok else None,
                "warning": c.warning,
            }
            for c in found
        ]
        run.write_json({"schema": "suffice.doctor/1", "ok": ok, "checks": checks})
    else:
        from suffice.interfaces.render import checks as page

        run.show(page.doctor(found, width()))
    return 0 if ok else 1


@click.command(cls=Command, examples=("suffice demo",))
def demo() -> int:
    """Show four questions on the bundled example.

    They are indexed and asked from nothing, as a user would.
    """
    run = Invocation.current()
    from suffice.interfaces import demo as bundled
    from suffice.interfaces.render import demo as page

    # The bar must be gone before a step is shown, so each step is worked out under a bar of its own.
    steps = None
    while True:
        with run.progress() as progress:
            steps = bundled.run(progress) if steps is None else steps
            step = next(steps, None)
        if step is None:
            return 0
        if run.json:
            run.write_json(page.data(step), compact=True)
        else:
            run.show(page.lines(step, width()))


@click.command(
    cls=Command,
    examples=(
        "suffice completion bash > ~/.local/share/bash-completion/completions/suffice",
        "suffice completion fish > ~/.config/fish/completions/suffice.fish",
        'suffice completion zsh > "${fpath[1]}/_suffice"',
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print the completion script for a shell."""
    from click.shell_completion import get_completion_class

    maker = get_completion_class(shell)
    root = click.get_current_context().find_root()
    if maker is not None:
        Invocation.current().write(maker(root.command, {}, "suffice", "_SUFFICE_COMPLETE").source() + "\n")
    return 0
