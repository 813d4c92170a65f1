"""`ask`, `pick`, `search`, `verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from suffice.errors import SufficeError, UsageError
from suffice.interfaces import inputs, schema
from suffice.interfaces.group import Command, k_option, search_options
from suffice.interfaces.invocation import Invocation, width

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suffice.engine import Engine
    from suffice.values import Answer, Status

EXIT_STATUS: dict[Status, int] = {"sufficient": 0, "partial": 10, "insufficient": 11, "search_failed": 12}


@click.command(
    cls=Command,
    examples=(
        'suffice ask "How do I set a secret?"',
        'suffice ask "怎么设置密钥？" --tenant acme --where "path=guide/*" --json',
        "suffice ask --batch questions.jsonl --json > answers.jsonl",
    ),
)
@click.argument("question", required=False)
@k_option("5, and more with more needs")
@search_options
@click.option("--generator", metavar="NAME", help="Who writes the answer [default: as set, else extractive].")
@click.option("--strict", is_flag=True, default=None, help="Decline unless every need is answered.")
@click.option(
    "--need", "needs", multiple=True, metavar="TEXT", help="A thing that the answer must cover. Repeatable."
)
@click.option(
    "--needs",
    "needs_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help='A checklist in JSON: [{"id": "N1", "question": "…"}].',
)
@click.option(
    "--batch", metavar="FILE", help='Questions as JSON lines {"id", "question"}; - is standard input.'
)
def ask(
    question: str | None,
    k: int | None,
    mode: Any,
    tenant: str | None,
    where: tuple[str, ...],
    generator: str | None,
    strict: bool | None,
    needs: tuple[str, ...],
    needs_file: Path | None,
    batch: str | None,
) -> int:
    """Answer a question with checked quotes, or say what is missing.

    QUESTION may be - to read it from standard input. Exit status: 0 sufficient, 10 partial, 11 insufficient,
    12 search failed.
    """
    run = Invocation.current()
    options: dict[str, Any] = {
        "k": k,
        "mode": mode,
        "tenant": tenant,
        "where": where,
        "generator": generator,
        "strict": strict,
    }
    if batch is not None:
        if question is not None:
            raise UsageError("give a QUESTION or --batch FILE, not both")
        if needs or needs_file:
            raise UsageError("--need and --needs belong to one question; leave them out with --batch")
        return _batch(run, inputs.questions(batch), options)
    question = inputs.question(question)
    checklist = inputs.checklist(needs, needs_file)
    with run.engine() as engine, run.progress() as progress:
        answer = engine.ask(question, **options, checklist=checklist, progress=progress)
    return _give(run, answer)


@click.command(cls=Command, examples=("suffice pick 2",))
@click.argument("n", type=click.IntRange(min=1))
@click.option("--tenant", metavar="T", help="The tenant of the last answer, if it had one.")
def pick(n: int, tenant: str | None) -> int:
    """Ask the Nth suggestion of the last answer.

    It becomes a new ordinary question, with its own search and its own verdict.
    """
    run = Invocation.current()
    with run.engine() as engine, run.progress() as progress:
        answer = engine.pick(n, tenant=tenant, progress=progress)
    return _give(run, answer)


@click.command(
    cls=Command,
    examples=(
        'suffice search "upload_bytes limit" -k 3',
        'suffice search "rotate keys" --mode lexical --depth all --json',
    ),
)
@click.argument("query")
@click.option("-k", type=click.IntRange(min=1), metavar="N", help="How many chunks to show [default: 10].")
@search_options
@click.option("--depth", metavar="all|N", help="Show the ranking down to there; all is the whole corpus.")
def search(
    query: str, k: int | None, mode: Any, tenant: str | None, where: tuple[str, ...], depth: str | None
) -> int:
    """Show the ranking of chunks for a query, and no answer."""
    run = Invocation.current()
    query = inputs.question(query, name="QUERY")
    reach = inputs.depth(depth, k)
    with run.engine() as engine, run.progress():
        ranking = engine.search(query, k=reach, mode=mode, tenant=tenant, where=where)
    if run.json:
        run.write_json(schema.ranking(ranking))
    else:
        from suffice.interfaces.render import ranking as page

        run.show(page.lines(ranking, width()))
    return EXIT_STATUS["search_failed"] if ranking.failures else 0


@click.command(
    cls=Command,
    examples=(
        'suffice ask "How do I set a secret?" --json > answer.json; suffice verify answer.json',
        "suffice verify 01JDMA7Q4W",
    ),
)
@click.argument("answer", metavar="ANSWER.json")
def verify(answer: str) -> int:
    """Check the quotes of an old answer, offline.

    They are looked up in the snapshots that the answer names.

    ANSWER.json is a file of one or more answers, - for standard input, or the id of
    an answer given here. Exit status 1 when a quote does not stand where it should.
    """
    run = Invocation.current()
    stored = inputs.answers(answer)
    with run.engine() as engine:
        given = [engine.answer(answer)] if stored is None else stored
        results = [engine.verify_answer(data) for data in given]
    for data, result in zip(given, results, strict=True):
        if run.json:
            found = {**schema.named("verification", result), "answer": data.get("id"), "ok": result.ok}
            run.write_json(found, compact=len(results) > 1)
        else:
            from suffice.interfaces.render import checks as page

            run.show(page.verification(data, result, width()))
    return 0 if all(result.ok for result in results) else 1


def _give(run: Invocation, answer: Answer) -> int:
    if run.json:
        run.write_json(schema.answer(answer))
    else:
        from suffice.interfaces.render import answer as page

        run.show(page.lines(answer, width(), quiet=run.quiet))
    return EXIT_STATUS[answer.status]


def _batch(run: Invocation, questions: Sequence[inputs.Asked], options: Mapping[str, Any]) -> int:
    """One line a question, in order, each written as soon as it is known. A question that fails says so."""
    failed = 0
    counts: dict[str, int] = {}
    with run.engine() as engine, run.progress() as progress:
        for number, asked in enumerate(questions, 1):
            try:
                answer = _one(engine, asked, options)
            except SufficeError as error:
                failed += 1
                if not run.json:
                    run.note(f"suffice: question {asked.name}: {error}")
                else:
                    run.write_json(
                        schema.error(str(error), error.exit_status, question_id=asked.id), compact=True
                    )
            else:
                counts[answer.status] = counts.get(answer.status, 0) + 1
                if run.json:
                    run.write_json({**schema.answer(answer), "question_id": asked.id}, compact=True)
                else:
                    from suffice.interfaces.render import answer as page

                    run.show(page.summary(answer, asked.name, width()))
            if progress is not None:
                progress("questions", number, len(questions))
    said = ", ".join(f"{n} {status.replace('_', ' ')}" for status, n in counts.items())
    if not run.json:
        run.note(f"{len(questions)} questions: {said}" + (f", {failed} could not be asked" if failed else ""))
    return 1 if failed else 0


def _one(engine: Engine, asked: inputs.Asked, options: Mapping[str, Any]) -> Answer:
    return engine.ask(asked.question, **options)
