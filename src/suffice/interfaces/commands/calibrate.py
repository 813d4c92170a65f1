"""`calibrate`."""

from __future__ import annotations

from pathlib import Path

import click

from suffice.errors import UsageError
from suffice.interfaces.group import Command
from suffice.interfaces.invocation import Invocation, width

STOPPED = 130


@click.command(
    cls=Command,
    examples=(
        "suffice calibrate questions.jsonl --dry-run",
        "suffice calibrate questions.jsonl --rate 0.05",
        "suffice calibrate --reset",
    ),
)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option(
    "--rate",
    type=float,
    metavar="SHARE",
    help="The false-answer rate to keep [default: the setting gate.false_answer_rate].",
)
@click.option("--tenant", metavar="T", help="Fit to the documents of this tenant, and for its questions.")
@click.option("--dry-run", is_flag=True, help="Fit and show; the gate stays as it is.")
@click.option("--reset", is_flag=True, help="Go back to the threshold that the judge comes with.")
def calibrate(file: Path | None, rate: float | None, tenant: str | None, dry_run: bool, reset: bool) -> int:
    """Fit the gate to labelled questions.

    FILE is a benchmark; only "answerable" (full, partial or none) of each question
    is used. Each is asked up to the judge, and the gate's threshold is fitted to a
    false-answer rate on the unanswerable ones. Says what so many labels can promise.
    """
    run = Invocation.current()
    if reset:
        if file is not None or rate is not None or dry_run:
            raise UsageError("--reset removes the fit and takes no file; run it alone, or with --tenant")
        return _reset(run, tenant)
    if file is None:
        raise UsageError("there is no FILE; give labelled questions: suffice calibrate questions.jsonl")
    from suffice.experiments import calibrate as fitting
    from suffice.experiments import suite

    questions, n_unlabelled = suite.read_labelled(file)
    with run.engine() as engine:
        try:
            with run.progress() as progress:
                found = fitting.calibrate(
                    engine, questions, rate=rate, tenant=tenant, n_unlabelled=n_unlabelled, progress=progress
                )
        except KeyboardInterrupt:
            click.echo("suffice: stopped; nothing was fitted, and the gate is as it was", err=True)
            return STOPPED
        saved = found.fitted is not None and not dry_run
        if saved:
            fitting.keep(engine, found)
        own = engine.settings.gate.threshold
    data = found.to_json(saved=saved)
    if run.json:
        run.write_json(data)
    else:
        from suffice.interfaces.render import calibration as page

        run.show(page.lines(data, width()))
    if own is not None and saved:
        run.note(f"gate.threshold = {own:g} is set and wins; take it out of the settings to use the fit")
    return 0 if found.fitted is not None else 1


def _reset(run: Invocation, tenant: str | None) -> int:
    from suffice.experiments import calibrate as fitting

    with run.engine() as engine:
        removed = fitting.reset(engine, tenant)
    if run.json:
        run.write_json({"schema": "suffice.calibration_reset/1", "removed": removed, "tenant": tenant})
    elif removed:
        run.write("The fit is removed; the gate asks for the judge's own threshold.\n")
    else:
        run.write("There was no fit to remove.\n")
    return 0
