"""Findings follow from ranks by fixed rules; a folder whose numbers do not follow is told, by name."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from experiment_library import finding, raw, written

from suffice.experiments import check, stats

BETTER = {f"q{at}": {"base": [9], "arm": [2]} for at in range(10)}
WORSE = {f"q{at}": {"base": [2], "arm": [9]} for at in range(10)}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("experiment")
    written(folder, folder / "run", "topk", k=1, case="q-both")
    return folder / "run"


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def test_measures_are_what_the_ranks_say() -> None:
    one = check.completed(raw({"a": {"base": [1, 7, None]}, "b": {"base": [4]}}))
    base = finding(one, "base")
    assert base["metrics"]["coverage@k"] == pytest.approx((1 / 3 + 1) / 2)
    assert base["metrics"]["full@k"] == 0.5
    assert base["metrics"]["mrr"] == pytest.approx((1 + 1 / 4) / 2)
    assert base["judgement"] == "baseline" and "p" not in base


def test_an_arm_helps_or_hurts_only_where_a_paired_test_shows_it() -> None:
    assert finding(check.completed(raw(BETTER)), "arm")["word"] == "helps"
    assert finding(check.completed(raw(WORSE)), "arm")["word"] == "hurts"
    few = dict(list(BETTER.items())[:4])
    one = finding(check.completed(raw(few)), "arm")
    assert one["difference"] == 1 and one["p"] == pytest.approx(2 / 16)
    assert one["word"] == "no difference shown"


def test_arms_that_were_all_tried_must_show_more() -> None:
    """Six questions of six won: p is 1/32 alone, and not under .05 where two arms were tried."""
    questions = {f"q{at}": {"base": [9], "one": [1]} for at in range(6)}
    assert finding(check.completed(raw(questions)), "one")["word"] == "helps"
    both = {name: {**own, "other": [1]} for name, own in questions.items()}
    data = check.completed(raw(both))
    assert finding(data, "one")["p_holm"] == pytest.approx(2 / 32)
    assert finding(data, "one")["word"] == "no difference shown"
    assert data["judgement"].startswith("None of the 2 arms")


def test_a_win_on_the_case_that_loses_the_benchmark_is_named_so() -> None:
    questions = {**WORSE, "case": {"base": [9], "arm": [1]}}
    data = check.completed(raw(questions, case="case"))
    assert finding(data, "arm")["judgement"] == "helps this case and hurts the benchmark"
    assert "Shown to hurt: arm." in data["judgement"]
    assert "A win on the case that loses on the benchmark: arm." in data["judgement"]
    few = {**dict(list(WORSE.items())[:2]), "case": {"base": [9], "arm": [1]}}
    said = finding(check.completed(raw(few, case="case")), "arm")["judgement"]
    assert said == "helps this case; no difference shown on the benchmark, where it loses"


def test_questions_that_one_arm_did_not_score_are_left_out_of_the_pairs() -> None:
    data = raw(BETTER)
    del data["questions"][0]["arms"]["arm"]
    done = check.completed(data)
    one = finding(done, "arm")
    assert (one["n"], one["n_pairs"], len(one["wins"])) == (9, 9, 9)
    said = "arm: scored on 9 of 10 questions; it failed on the others."
    assert said in check.report(done, {"arms": {}}, {})
    assert "scored on" not in check.report(check.completed(raw(BETTER)), {"arms": {}}, {})


def test_an_arm_that_was_not_run_says_why_and_nothing_else() -> None:
    data = raw(BETTER)
    data["arms"][1]["not_run"] = "no reranker is installed"
    for question in data["questions"]:
        del question["arms"]["arm"]
    done = check.completed(data)
    assert finding(done, "arm") == {"arm": "arm", "judgement": "not run: no reranker is installed"}
    assert done["judgement"] == "Not run: no reranker is installed."


def test_the_tests_agree_with_those_of_bench_compare() -> None:
    drawn = random.Random(5)
    few = [drawn.choice((-1.0, -0.5, 0.0, 0.5, 0.25)) for _ in range(12)]
    assert check.randomization(few) == stats.randomization_test([0.0] * 12, few)
    many = [drawn.gauss(0.15, 1) for _ in range(60)]
    other = stats.randomization_test([0.0] * 60, many)
    assert other is not None and check.randomization(many) == pytest.approx(other, abs=0.02)
    for wins, losses in ((0, 0), (5, 0), (3, 9), (12, 12)):
        assert check.mcnemar(wins, losses) == pytest.approx(stats.mcnemar(losses, wins))
    between, by_numpy = check.interval(many), stats.mean_interval(many)
    assert between is not None and by_numpy is not None
    assert between == pytest.approx(list(by_numpy), abs=0.04)


def test_holm_never_lets_a_larger_p_pass_a_smaller_one() -> None:
    assert check.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert check.holm([0.5, 0.9]) == [1.0, 1.0]
    assert check.holm([]) == []


def test_a_folder_as_written_agrees(run: Path) -> None:
    assert check.differences(run) == []


def test_check_py_of_the_folder_needs_only_the_standard_library(run: Path) -> None:
    def checked() -> subprocess.CompletedProcess[str]:
        # -I -S: neither site-packages nor the package itself can be imported.
        return subprocess.run(
            [sys.executable, "-I", "-S", str(run / "check.py")],
            capture_output=True, text=True, encoding="utf-8", cwd=run.parent, env={"PYTHONUTF8": "1"},
        )  # fmt: skip

    done = checked()
    assert (done.returncode, done.stderr) == (0, "") and check.AGREES in done.stdout
    page = run / "report.md"
    page.write_text(page.read_text("utf-8").replace("| k 1 | ", "| k 1 | 0.001 "), "utf-8")
    done = checked()
    assert done.returncode == 1 and "report.md, line" in done.stdout


def _digits(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"\d", text)]


@pytest.mark.parametrize("name", ["report.md", "results.json"])
def test_any_digit_that_is_changed_is_found(run: Path, name: str) -> None:
    """Every 7th digit of the file, one at a time."""
    original = (run / name).read_text("utf-8")
    places = _digits(original)
    assert len(places) > 100
    for at in places[::7]:
        other = str((int(original[at]) + 1) % 10)
        (run / name).write_text(original[:at] + other + original[at + 1 :], "utf-8")
        found = check.differences(run)
        assert found, f"{name}: {original[at - 20 : at + 20]!r} with {other} for {original[at]} was not found"
        assert all(line.startswith(("report.md", "results.json", "the folder")) for line in found)
    (run / name).write_text(original, "utf-8")
    assert check.differences(run) == []


def test_a_difference_is_named_by_its_place(run: Path) -> None:
    data = json.loads((run / "results.json").read_text("utf-8"))
    data["findings"][1]["metrics"]["coverage@k"] = 0.123
    (run / "results.json").write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", "utf-8")
    found = check.differences(run)
    assert any(line.startswith("results.json.findings[1].metrics.coverage@k is 0.123") for line in found)


@pytest.mark.parametrize("name", ["settings.json", "questions.jsonl", "timings.json"])
def test_a_file_beside_the_results_that_was_changed_is_found(run: Path, name: str) -> None:
    (run / name).write_text((run / name).read_text("utf-8") + " ", "utf-8")
    assert any(name in line for line in check.differences(run))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("results.json", "{", "does not hold"),
        ("results.json", "[]", "does not hold"),
        ("results.json", '{"schema": "suffice.benchmark/1"}', "suffice.benchmark/1"),
        ("results.json", '{"schema": "suffice.experiment/1", "measures": []}', "does not hold"),
        ("report.md", "", "report.md"),
        ("INCOMPLETE", "", "not finished"),
    ],
)
def test_a_folder_that_is_no_experiment_is_told_without_a_traceback(
    run: Path, name: str, text: str, said: str
) -> None:
    (run / name).write_text(text, "utf-8")
    found = check.differences(run)
    assert found and said in " ".join(found)


def test_a_file_that_is_missing_is_named(run: Path) -> None:
    (run / "timings.json").unlink()
    assert "timings.json" in check.differences(run)[0]
