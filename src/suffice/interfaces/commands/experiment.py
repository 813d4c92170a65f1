"""`experiment list`, `experiment run`, `experiment check`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from suffice.errors import UsageError
from suffice.interfaces import schema
from suffice.interfaces.group import Group
from suffice.interfaces.invocation import Invocation, width

A_FILE = click.Path(path_type=Path)


@click.group(
    cls=Group,
    examples=(
        "suffice experiment list",
        "suffice experiment run reranker questions.jsonl --id q7",
        "suffice experiment check experiments/reranker-q7",
    ),
)
def experiment() -> None:
    """Test a hypothesis on one case and on a whole benchmark; the benchmark decides."""


@experiment.command("list", examples=("suffice experiment list", "suffice experiment list --json"))
def list_() -> int:
    """Name every experiment with its hypothesis and what it needs."""
    run = Invocation.current()
    from suffice.experiments import catalog

    found = [catalog.load(name) for name in catalog.names()]
    if run.json:
        rows = [
            {
                "name": one.name,
                "title": one.title,
                "hypothesis": one.hypothesis,
                "answers_to": one.answers_to,
                "needs": one.needs,
                "measures": list(one.measures),
            }
            for one in found
        ]
        run.write_json({"schema": "suffice.experiments/1", "experiments": rows})
    else:
        from suffice.interfaces.render import experiment as page

        run.show(page.catalogue(found, width()))
    return 0


@experiment.command(
    "run",
    examples=(
        "suffice experiment run topk questions.jsonl",
        "suffice experiment run query_split questions.jsonl --id q7 --out runs/split",
        "suffice experiment run chunking questions.jsonl --limit 100 --json",
    ),
)
@click.argument("name")
@click.argument("file", type=A_FILE)
@click.option("--id", "case", metavar="ID", help="A case to show beside the benchmark.")
@click.option("--out", type=A_FILE, metavar="DIR", help="Its folder [default: experiments/NAME or NAME-ID].")
@click.option("-k", type=click.IntRange(min=1), metavar="N", help="How many chunks count [default: 5].")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="The first N questions only.")
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "dense", "lexical"]),
    default="hybrid",
    help="How to search [default: hybrid].",
)
@click.option("--tenant", metavar="T", help="Only documents added for this tenant.")
@click.option("--force", is_flag=True, help="Cut or embed a large corpus anew, however long it takes.")
def run_(
    name: str,
    file: Path,
    case: str | None,
    out: Path | None,
    k: int | None,
    limit: int | None,
    mode: Any,
    tenant: str | None,
    force: bool,
) -> int:
    """Run every arm on every question of a benchmark file, and judge by paired tests.

    Writes a folder with settings, results, a report with plots, and check.py, which computes every number of
    the report again. A win on one case that loses the benchmark is named so.
    """
    run = Invocation.current()
    from suffice.experiments import catalog, plots, report, runner, suite

    chosen = catalog.load(name)
    questions = suite.read(file)
    known = {question.id for question in questions}
    if case is not None and case not in known:
        raise UsageError(f"{file} has no question with the id {case!r}")
    first = questions[:limit]
    if case is not None and case not in {question.id for question in first}:
        first = (*first, next(question for question in questions if question.id == case))
    folder = out or Path("experiments") / (f"{name}-{_plain(case)}" if case else name)
    suite.apart(file, folder / "questions.jsonl")
    with run.engine() as engine, run.progress() as progress, report.begun(folder, name):
        found = runner.run(
            engine,
            chosen,
            first,
            k=k or 5,
            case=case,
            mode=mode,
            tenant=tenant,
            force=force,
            progress=progress,
        )
        data = report.write(folder, found, first, engine, file)
    if run.json:
        run.write_json(data)
    else:
        from suffice.interfaces.render import experiment as page

        run.show(page.results(data, width()))
    if not plots.available():
        run.note('the report has no plots; for them: pip install "suffice[experiments]"')
    run.note(f"written to {folder}: report.md, results.json, settings.json, timings.json, check.py")
    return 0


@experiment.command("check", examples=("suffice experiment check experiments/topk",))
@click.argument("folder", metavar="DIR", type=A_FILE)
def check_(folder: Path) -> int:
    """Compute every number of a report again from its results, offline; exit status 1 if one differs."""
    run = Invocation.current()
    from suffice.experiments import check

    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; name one that experiment run wrote")
    found = check.differences(folder)
    if run.json:
        run.write_json(
            {
                "schema": "suffice.experiment_check/1",
                "folder": str(folder),
                "agrees": not found,
                "differences": found,
            }
        )
    elif found:
        run.write("".join(f"{schema.dumps(line, compact=True)[1:-1]}\n" for line in found))
    else:
        run.write(f"{check.AGREES}\n")
    return 1 if found else 0


def _plain(case: str) -> str:
    """A question's id as part of a folder's name."""
    return "".join(character if character.isalnum() or character in "-_." else "_" for character in case)
