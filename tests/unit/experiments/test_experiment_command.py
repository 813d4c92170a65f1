"""`suffice experiment …`: folders out, statuses, JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from bench_library import QUESTIONS, make

from suffice.experiments import catalog, plots, suite

Suffice = Callable[..., SimpleNamespace]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("experiment-command")
    make(folder).close()
    suite.write(folder / "questions.jsonl", QUESTIONS)
    return folder


def test_the_catalogue_is_listed(suffice: Suffice) -> None:
    done = suffice("experiment", "list")
    assert done.status == 0 and all(name in done.out for name in catalog.names())
    data = json.loads(suffice("experiment", "list", "--json").out)
    assert data["schema"] == "suffice.experiments/1"
    assert [one["name"] for one in data["experiments"]] == list(catalog.names())
    assert all(one["hypothesis"] and one["needs"] for one in data["experiments"])


def test_a_run_is_shown_written_and_checked(
    suffice: Suffice, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = suffice("experiment", "run", "topk", "questions.jsonl", "--id", "q-both", "-k", "1")
    assert done.status == 0, done.err
    assert "On the whole benchmark" in done.out and "On the case q-both" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    folder = home / "experiments" / "topk-q-both"
    assert (folder / "report.md").is_file() and not (folder / "INCOMPLETE").exists()
    assert suffice("experiment", "check", folder).status == 0
    page = folder / "report.md"
    page.write_text(page.read_text("utf-8").replace("1.000", "0.999", 1), "utf-8")
    done = suffice("experiment", "check", folder)
    assert done.status == 1 and "report.md, line" in done.out
    data = json.loads(suffice("experiment", "check", folder, "--json").out)
    assert data["agrees"] is False and data["differences"]


def test_json_is_the_results_file(suffice: Suffice, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = suffice("experiment", "run", "diversity", "questions.jsonl", "--out", out, "--json")
    data = json.loads(done.out)
    assert data == json.loads((out / "results.json").read_text("utf-8"))
    assert (data["schema"], data["experiment"]) == ("suffice.experiment/1", "diversity")


def test_a_limit_keeps_the_case(suffice: Suffice, tmp_path: Path) -> None:
    done = suffice(
        "experiment", "run", "topk", "questions.jsonl", "--limit", "1", "--id", "q-partly",
        "--out", tmp_path / "run", "--json",
    )  # fmt: skip
    assert [one["id"] for one in json.loads(done.out)["questions"]] == ["q-rotate", "q-partly"]


def test_missing_plots_are_told(suffice: Suffice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "available", lambda: False)
    done = suffice("experiment", "run", "topk", "questions.jsonl", "--out", tmp_path / "run")
    assert done.status == 0 and 'pip install "suffice[experiments]"' in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "nothing", "questions.jsonl"), "there are: boundary"),
        (("run", "topk", "absent.jsonl"), "absent.jsonl"),
        (("run", "topk", "questions.jsonl", "--id", "q-none"), "'q-none'"),
        (("run", "topk", "questions.jsonl", "--out", "docs"), "something else"),
        (("check", "absent"), "is no folder"),
        (("chek",), "check"),
    ],
)
def test_wrong_use_is_one_line_that_says_what_to_do(
    suffice: Suffice, arguments: tuple[str, ...], said: str
) -> None:
    done = suffice("experiment", *arguments)
    assert done.status == 2 and said in done.err and "Traceback" not in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_a_folder_that_holds_no_run_fails_the_check(suffice: Suffice, tmp_path: Path) -> None:
    done = suffice("experiment", "check", tmp_path)
    assert done.status == 1 and "results.json" in done.out
