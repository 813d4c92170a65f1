"""`diagnose`: of a new question, of an answer given earlier, of another system's traces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from suffice.errors import UsageError
from suffice.interfaces import inputs, schema
from suffice.interfaces.group import Command, k_option, search_options
from suffice.interfaces.invocation import Invocation, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suffice.diagnose import Diagnosis
    from suffice.experiments.suite import Question
    from suffice.gold import Piece

A_FILE = click.Path(path_type=Path)


@click.command(
    cls=Command,
    examples=(
        'suffice diagnose "How do I rotate keys?" --expect "keys are rotated every 90 days" --repairs',
        "suffice diagnose --gold questions.jsonl --id q7 --repairs --html q7.html",
        'suffice diagnose --trace 3f1c09a2b4d5 --expect "keys are rotated every 90 days"',
        "suffice diagnose --foreign runs.json --gold questions.jsonl",
    ),
)
@click.argument("question", required=False)
@click.option(
    "--expect",
    multiple=True,
    metavar="QUOTE",
    help="Words that the answer should rest on, as they stand in a document. Repeatable.",
)
@click.option("--expect-in", metavar="DOC", help="The document that holds them [default: any].")
@click.option("--gold", type=A_FILE, metavar="FILE", help="A benchmark file with the question's pieces.")
@click.option("--id", "gold_id", metavar="ID", help="Which question of the benchmark file.")
@click.option("--repairs", is_flag=True, help="Run every known repair and compare the ranks.")
@click.option("--trace", metavar="ID", help="Explain an answer given earlier, by its id.")
@click.option("--foreign", type=A_FILE, metavar="FILE", help="Examine the traces of another system.")
@click.option(
    "--format",
    "trace_format",
    type=click.Choice(["auto", "langchain", "llamaindex", "otel", "jsonl"]),
    default="auto",
    help="What wrote the --foreign file [default: auto].",
)
@click.option("--html", type=A_FILE, metavar="FILE", help="Also write it as one page with a rank chart.")
@k_option("5, and more with more needs")
@search_options
def diagnose(
    question: str | None,
    expect: tuple[str, ...],
    expect_in: str | None,
    gold: Path | None,
    gold_id: str | None,
    repairs: bool,
    trace: str | None,
    foreign: Path | None,
    trace_format: str,
    html: Path | None,
    k: int | None,
    mode: Any,
    tenant: str | None,
    where: tuple[str, ...],
) -> int:
    """Say where each piece of an answer was lost, at which rank, and what moves it.

    A piece is a quote (--expect), or what a benchmark file lists for a question (--gold). It is followed
    from the raw files to the answer; the first layer that it does not get through is named.
    """
    run = Invocation.current()
    if expect_in and not expect:
        raise UsageError("--expect-in names the document of an --expect; give the quote too")
    if any(not quote.strip() for quote in expect):
        raise UsageError("an --expect is empty; give words as they stand in a document")
    expected = _expected(expect, expect_in)
    if foreign is not None:
        if question or trace or repairs or html:
            raise UsageError(
                "--foreign examines a file on its own; leave out QUESTION, --trace, --repairs, --html"
            )
        return _foreign(run, foreign, trace_format, expected, gold, gold_id)
    if trace_format != "auto":
        raise UsageError("--format says what wrote a trace; give --foreign FILE too")
    asked, pieces = _wanted(question, expected, gold, gold_id, trace)
    with run.engine() as engine, run.progress() as progress:
        if trace is not None:
            if question is not None or k is not None or tenant is not None or where:
                raise UsageError("--trace has its own question, -k, --tenant and --where; leave them out")
            found = engine.explain(trace, pieces, repairs=repairs, progress=progress)
        else:
            found = engine.diagnose(
                inputs.question(asked),
                pieces,
                k=k,
                mode=mode,
                tenant=tenant,
                where=where,
                repairs=repairs,
                progress=progress,
            )
    _write_html(run, html, found)
    if run.json:
        run.write_json(schema.named("diagnosis", found))
    else:
        from suffice.interfaces.render import diagnosis as page

        run.show(page.lines(found, width()))
    return 0


def _expected(quotes: Sequence[str], document: str | None) -> tuple[Piece, ...]:
    from suffice.gold import Gold, Piece

    return tuple(
        Piece(f"C{number}", "", (Gold(document or "", quote),)) for number, quote in enumerate(quotes, 1)
    )


def _wanted(
    question: str | None,
    expected: tuple[Piece, ...],
    gold: Path | None,
    gold_id: str | None,
    trace: str | None,
) -> tuple[str | None, tuple[Piece, ...]]:
    """The question and its pieces, from the arguments or the benchmark file."""
    if gold is None:
        if gold_id is not None:
            raise UsageError("--id names a question of a benchmark file; give --gold FILE too")
        if not expected:
            raise UsageError(
                "there is nothing to look for; give --expect QUOTE (words of a document), "
                "or --gold FILE --id ID"
            )
        return question, expected
    chosen = _chosen(gold, gold_id, question)
    if trace is None and question is not None and question.strip() != chosen.question.strip():
        raise UsageError(f"the question {chosen.id} of {gold} is another one; leave out QUESTION or --gold")
    numbered = tuple(replace(piece, id=f"E{number}") for number, piece in enumerate(expected, 1))
    if not chosen.pieces and not numbered:
        raise UsageError(f"the question {chosen.id} of {gold} lists no pieces; give an --expect QUOTE")
    return chosen.question, (*chosen.pieces, *numbered)


def _chosen(gold: Path, gold_id: str | None, question: str | None) -> Question:
    from suffice.experiments import suite

    questions = suite.read(gold)
    if gold_id is None and question is None and len(questions) > 1:
        raise UsageError(f"{gold} holds {len(questions)} questions; say which with --id {questions[0].id}")
    for one in questions:
        if one.id == gold_id or (gold_id is None and question in (None, one.question)):
            return one
    some = ", ".join(one.id for one in questions[:8]) + (" …" if len(questions) > 8 else "")
    named = repr(gold_id) if gold_id is not None else "this text"
    raise UsageError(f"{gold} has no question {named}; it has: {some}")


def _foreign(
    run: Invocation,
    file: Path,
    trace_format: str,
    expected: tuple[Piece, ...],
    gold: Path | None,
    gold_id: str | None,
) -> int:
    """Each trace against the pieces of its question; a trace that no question fits is said and skipped."""
    from suffice.diagnose import examine, formats
    from suffice.experiments import suite

    if gold is None and not expected:
        raise UsageError("there is nothing to look for; give --expect QUOTE, or --gold FILE")
    traces = formats.read(suite.text_of(file), trace_format, str(file))
    questions = suite.read(gold) if gold is not None else ()
    found, skipped = [], []
    for trace in traces:
        pieces = expected
        if questions:
            fitting = [
                one
                for one in questions
                if (
                    one.id == gold_id
                    if gold_id
                    else one.question.strip() == trace.question.strip() or one.id == trace.id
                )
            ]
            if not fitting:
                skipped.append(trace)
                continue
            pieces = (*fitting[0].pieces, *expected)
        found.append(examine(trace, pieces))
    if not found:
        raise UsageError(f"no trace of {file} asks a question of {gold}; give --id, or --expect QUOTE")
    if run.json:
        run.write_json(
            schema.named("foreign", {"traces": found, "skipped": [trace.question for trace in skipped]})
        )
    else:
        from suffice.interfaces.render import diagnosis as page

        run.show(page.foreign(found, width()))
        if skipped:
            told = "1 trace asks" if len(skipped) == 1 else f"{len(skipped)} traces ask"
            run.note(f"{told} what {gold} does not list; skipped")
    return 0


def _write_html(run: Invocation, file: Path | None, found: Diagnosis) -> None:
    if file is None:
        return
    from suffice.experiments.suite import put
    from suffice.interfaces.html import diagnosis as page

    try:
        put(file, page.document(found))
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}; name a file that can be written") from error
    run.note(f"written to {file}")
