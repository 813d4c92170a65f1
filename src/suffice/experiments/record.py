"""A run's folder: `results.json`, `report.md`, questions and settings as they were, TREC's run and qrels."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from suffice.errors import UsageError
from suffice.experiments import suite
from suffice.experiments.bench import SCHEMA, Run
from suffice.experiments.bench_report import report
from suffice.experiments.importers import trec
from suffice.experiments.outcome import Outcome
from suffice.experiments.suite import Question
from suffice.settings import Settings

RESULTS = "results.json"


def write(folder: Path, run: Run, questions: Sequence[Question], settings: Settings) -> dict[str, Any]:
    """Everything that another person needs to check the run; gives what `results.json` holds.

    Files of an earlier run in the folder are replaced. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    data = run.to_json()
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)
    (folder / RESULTS).write_text(text + "\n", "utf-8")
    (folder / "report.md").write_text(report(data), "utf-8")
    suite.write(folder / "questions.jsonl", questions)
    kept = json.dumps(msgspec.to_builtins(settings), indent=2)
    (folder / "settings.json").write_text(kept + "\n", "utf-8")
    trec.write_run(
        folder / "run.trec", {one.id: one.top for one in run.questions}, f"suffice-{run.settings}-{run.mode}"
    )
    trec.write_qrels(
        folder / "qrels.trec",
        {one.id: dict.fromkeys(one.relevant, 1) for one in run.questions},
    )
    return data


def read(path: Path) -> dict[str, Any]:
    """A results file, or the one in a run's folder. Raises UsageError."""
    file = path / RESULTS if path.is_dir() else path
    try:
        data = json.loads(suite.text_of(file))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} is not JSON: {error}") from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        seen = data.get("schema") if isinstance(data, dict) else type(data).__name__
        raise UsageError(
            f"{file} holds {seen!r} and not {SCHEMA}; write one with: suffice bench run FILE --out DIR"
        )
    return data


def outcomes(data: Mapping[str, Any], where: str = "the results") -> tuple[Outcome, ...]:
    """The outcomes of a results file. Raises UsageError."""
    try:
        return msgspec.convert(data.get("questions"), tuple[Outcome, ...])
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {error}; write it anew with: suffice bench run FILE --out DIR") from error
