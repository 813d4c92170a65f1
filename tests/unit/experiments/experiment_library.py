"""Runs experiments on the small corpus of `bench_library`, and raw results to judge by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench_library import QUESTIONS, make

from suffice.engine import Engine
from suffice.experiments import catalog, check, report, runner, suite
from suffice.experiments.suite import Question


@contextmanager
def engine_of(folder: Path, **overrides: Any) -> Iterator[Engine]:
    engine = make(folder, **overrides)
    try:
        yield engine
    finally:
        engine.close()


def run(engine: Engine, name: str, questions: Sequence[Question] = QUESTIONS, **options: Any) -> runner.Run:
    return runner.run(engine, catalog.load(name), questions, **options)


def written(folder: Path, out: Path, name: str, **options: Any) -> dict[str, Any]:
    """A folder of a run as the command writes it; gives what results.json holds."""
    with engine_of(folder) as engine:
        benchmark = folder / "questions.jsonl"
        suite.write(benchmark, QUESTIONS)
        with report.begun(out, name):
            return report.write(out, run(engine, name, **options), QUESTIONS, engine, benchmark)


def raw(
    ranks: Mapping[str, Mapping[str, Sequence[int | None]]], *, k: int = 5, case: str | None = None
) -> dict[str, Any]:
    """Raw results: ranks of the pieces by question and arm; the first arm is the baseline."""
    arms = list(next(iter(ranks.values())))
    return {
        "schema": check.SCHEMA,
        "experiment": "made",
        "title": "made",
        "hypothesis": "It helps.",
        "answers_to": "a fault",
        "remark": "",
        "measures": ["coverage@k", "full@k", "mrr"],
        "k": k,
        "case": case,
        "about": {
            "n_in_file": len(ranks), "n_documents": 1, "mode": "hybrid", "tenant": None,
            "settings": "0", "generation": "0", "corpus": "0",
        },
        "arms": [{"name": arm, "setting": {}, "not_run": ""} for arm in arms],
        "questions": [
            {
                "id": name, "question": f"What is {name}?", "lang": "en", "kind": "", "answerable": "full",
                "pieces": {f"C{at}": "" for at, _ in enumerate(by_arm[arms[0]], 1)},
                "arms": {
                    arm: {
                        "ranks": {f"C{at}": rank for at, rank in enumerate(own, 1)},
                        "k": k, "values": {}, "applied": True, "note": "",
                    }
                    for arm, own in by_arm.items()
                },
            }
            for name, by_arm in ranks.items()
        ],
        "gold_errors": [],
    }  # fmt: skip


def finding(data: Mapping[str, Any], arm: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in data["findings"] if one["arm"] == arm)
    return found
