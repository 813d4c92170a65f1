"""`bench run`, `bench compare`, `bench import`, `bench score`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from suffice.errors import UsageError
from suffice.interfaces.group import Group
from suffice.interfaces.invocation import Invocation, width

if TYPE_CHECKING:
    from suffice.experiments.importers.collection import Collection
    from suffice.experiments.suite import Question

A_FILE = click.Path(path_type=Path)


@click.group(
    cls=Group,
    examples=(
        "suffice bench run questions.jsonl --out runs/today",
        "suffice bench compare runs/yesterday runs/today --id q7",
    ),
)
def bench() -> None:
    """Measure on a benchmark, compare two runs, import public sets.

    The file's format is in docs/how-to/benchmark.md.
    """


@bench.command(
    "run",
    examples=(
        "suffice bench run questions.jsonl",
        "suffice bench run questions.jsonl --out runs/today --json > results.json",
        "suffice bench run questions.jsonl --no-answers --mode dense --limit 200",
    ),
)
@click.argument("file", type=A_FILE)
@click.option(
    "--out",
    type=A_FILE,
    metavar="DIR",
    help="Also write results, report and TREC files there: a new folder, or an earlier run's.",
)
@click.option("-k", type=click.IntRange(min=1), metavar="N", help="How many chunks [default: 5; with more "
              "needs the gate is given more, unless -k is].")  # fmt: skip
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="The first N questions only.")
@click.option("--id", "ids", multiple=True, metavar="ID", help="This question only. Repeatable.")
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "dense", "lexical"]),
    default="hybrid",
    help="How to search [default: hybrid].",
)
@click.option("--tenant", metavar="T", help="Only documents added for this tenant.")
@click.option("--no-answers", is_flag=True, help="Measure the ranking alone; much faster.")
@click.option("--strict-gold", is_flag=True, help="Exit status 1 if the corpus lacks any gold.")
def run_(
    file: Path,
    out: Path | None,
    k: int | None,
    limit: int | None,
    ids: tuple[str, ...],
    mode: Any,
    tenant: str | None,
    no_answers: bool,
    strict_gold: bool,
) -> int:
    """Measure ranking, gate, citations and suggestions on a file of questions.

    Gold that the corpus does not hold is reported as an error of the benchmark, never counted as a miss.
    """
    run = Invocation.current()
    from suffice.experiments import bench as runner
    from suffice.experiments import record, suite

    questions = _chosen(suite.read(file), ids, limit, file)
    if out is not None:
        record.claim(out, file)
    with run.engine() as engine, run.progress() as progress:
        found = runner.run(
            engine,
            questions,
            k=k or 5,
            evidence_k=k,
            mode=mode,
            tenant=tenant,
            answers=not no_answers,
            progress=progress,
        )
        data = found.to_json() if out is None else record.write(out, found, questions, engine.settings)
    if run.json:
        run.write_json(data)
    else:
        from suffice.interfaces.render import bench as page

        run.show(page.results(data, width()))
        if out is not None:
            run.note(f"written to {out}: results.json, report.md, questions.jsonl, run.trec, qrels.trec")
    n_errors = len(found.gold_errors)
    if n_errors:
        first = found.gold_errors[0]
        told = "1 place that the benchmark names is" if n_errors == 1 else (
            f"{n_errors} places that the benchmark names are"
        )  # fmt: skip
        run.note(
            f"{told} not in the corpus and not scored "
            f"(first: question {first.question}, piece {first.piece}: {first.reason})"
        )
    return 1 if n_errors and strict_gold else 0


@bench.command(
    "compare",
    examples=(
        "suffice bench compare runs/a runs/b",
        "suffice bench compare runs/a runs/b --id q7 --measure full@5 --json",
    ),
)
@click.argument("a", type=A_FILE)
@click.argument("b", type=A_FILE)
@click.option("--id", "ids", multiple=True, metavar="ID", help="A case to judge by name. Repeatable.")
@click.option("--measure", metavar="NAME", help="The measure that decides [default: coverage@5].")
def compare(a: Path, b: Path, ids: tuple[str, ...], measure: str | None) -> int:
    """Say whether run B is better than run A, question by question.

    A and B are folders or files that bench run wrote, of the same questions.
    """
    run = Invocation.current()
    from suffice.experiments import compare as comparing
    from suffice.experiments import record

    found = comparing.compare(record.read(a), record.read(b), primary=measure or comparing.PRIMARY, ids=ids)
    if run.json:
        run.write_json(found.to_json())
    else:
        from suffice.interfaces.render import bench as page

        run.show(page.comparison(found, width()))
    return 0


@bench.command(
    "import",
    examples=(
        "suffice bench import squad dev.json --out squad",
        "suffice bench import squad questions.zh.json --paragraphs dev.json --hold-out 0.5 --out zh",
        "suffice bench import beir scifact/ --out scifact",
    ),
)
@click.argument("kind", metavar="FORMAT", type=click.Choice(["squad", "beir", "mtrag", "spans"]))
@click.argument("source", type=A_FILE)
@click.option("--out", type=A_FILE, required=True, metavar="DIR", help="A new folder for both.")
@click.option("--paragraphs", type=A_FILE, metavar="FILE", help="squad: take the paragraphs from this file, "
              "by question id.")  # fmt: skip
@click.option("--corpus", type=A_FILE, metavar="DIR", help="spans: the folder of texts [default: corpora "
              "beside SOURCE].")  # fmt: skip
@click.option("--split", metavar="NAME", help="beir: which judgements [default: test].")
@click.option("--collection", metavar="NAME", help="mtrag: this collection only [default: all, pooled].")
@click.option("--turns", type=click.Choice(["all", "first"]), help="mtrag: which turns [default: all].")
@click.option("--hold-out", type=float, metavar="SHARE", help="Leave out this share of the documents: "
              "what only they answer becomes unanswerable.")  # fmt: skip
@click.option("--seed", type=int, metavar="N", help="Which documents are held out [default: fixed].")
def import_(
    kind: str, source: Path, out: Path, hold_out: float | None, seed: int | None, **options: Any
) -> int:
    """Turn a public set into documents and a benchmark file.

    Writes DIR/corpus and DIR/questions.jsonl; add the one, run the other.
    """
    run = Invocation.current()
    from suffice.experiments.importers import collection

    made = _load(kind, source, {name: value for name, value in options.items() if value is not None})
    if hold_out is not None:
        made = collection.without(made, hold_out, collection.SEED if seed is None else seed)
    elif seed is not None:
        raise UsageError("--seed chooses what --hold-out leaves out; give both")
    collection.write(made, out)
    if run.json:
        run.write_json(
            {
                "schema": "suffice.imported/1",
                "out": str(out),
                "n_documents": len(made.documents),
                "n_questions": len(made.questions),
                "remarks": list(made.remarks),
            }
        )
        return 0
    for remark in made.remarks:
        run.note(remark)
    run.write(f"{len(made.documents)} documents and {len(made.questions)} questions in {out}\n")
    run.note(f"next: suffice add {out}/corpus, then suffice bench run {out}/questions.jsonl")
    return 0


@bench.command("score", examples=("suffice bench score qrels.tsv run.trec",))
@click.argument("qrels", type=A_FILE)
@click.argument("results", metavar="RUN", type=A_FILE)
@click.option("-k", type=click.IntRange(min=1), metavar="N", help="The cut-off [default: 10].")
def score(qrels: Path, results: Path, k: int | None) -> int:
    """Score any system's TREC run against TREC or BEIR judgements.

    A document listed twice is found once; a query without judgements is not scored.
    """
    run = Invocation.current()
    from suffice.experiments import measures
    from suffice.experiments.importers import trec

    judged, ranked, k = trec.read_qrels(qrels), trec.read_run(results), k or 10
    data = {"schema": "suffice.scores/1", "k": k, **measures.of_run(judged, ranked, k)}
    if run.json:
        run.write_json(data)
    else:
        from suffice.interfaces.render import bench as page

        run.show(page.scores(data, width()))
    return 0


def _chosen(
    questions: tuple[Question, ...], ids: tuple[str, ...], limit: int | None, file: Path
) -> tuple[Question, ...]:
    known = {question.id for question in questions}
    for name in ids:
        if name not in known:
            raise UsageError(f"{file} has no question with the id {name!r}")
    kept = [question for question in questions if not ids or question.id in ids]
    return tuple(kept[:limit])


def _load(kind: str, source: Path, options: dict[str, Any]) -> Collection:
    from suffice.experiments.importers import beir, mtrag, spans, squad

    loaders: dict[str, tuple[Callable[..., Collection], dict[str, str]]] = {
        "squad": (squad.load, {"paragraphs": "paragraphs"}),
        "beir": (beir.load, {"split": "split"}),
        "mtrag": (mtrag.load, {"collection": "collection", "turns": "turns"}),
        "spans": (spans.load, {"corpus": "corpora"}),
    }
    load, takes = loaders[kind]
    for name in options:
        if name not in takes:
            raise UsageError(f"--{name} is not for {kind}; see: suffice bench import --help")
    return load(source, **{takes[name]: value for name, value in options.items()})
