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
QUESTIONS = "questions.jsonl"


def claim(folder: Path, benchmark: Path) -> None:
    """Whether a run may write there: a new or empty folder, or that of an earlier run. Raises UsageError.

    What stands there would be replaced, and it may be the questions themselves.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"--out {folder} is a file; name a folder")
    if any(folder.iterdir()) and not _ours(folder / RESULTS):
        raise UsageError(f"--out {folder} holds something else; name a new folder")
    suite.apart(benchmark, folder / QUESTIONS)


def _ours(results: Path) -> bool:
    """By its beginning: a results file may be large."""
    try:
        with results.open("rb") as file:
            return f'"schema": "{SCHEMA}"'.encode() in file.read(200)
    except OSError:
        return False


def write(folder: Path, run: Run, questions: Sequence[Question], settings: Settings) -> dict[str, Any]:
    """Everything that another person needs to check the run; gives what `results.json` holds.

    Files of an earlier run in the folder are replaced, each whole or not at all. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    data = run.to_json()
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)
    suite.put(folder / RESULTS, text + "\n")
    suite.put(folder / "report.md", report(data))
    suite.write(folder / QUESTIONS, questions)
    kept = json.dumps(msgspec.to_builtins(settings), indent=2)
    suite.put(folder / "settings.json", kept + "\n")
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
