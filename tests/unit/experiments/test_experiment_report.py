"""The folder of a run: the same every time, whole or marked, readable on its own, its plots too."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from experiment_library import raw, written

from suffice.errors import UsageError
from suffice.experiments import check, plots, report

FILES = {
    "settings.json", "results.json", "timings.json", "questions.jsonl", "check.py", "report.md",
    "coverage.svg", "ranks.svg",
}  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("report")


def test_running_again_gives_the_same_files_timings_aside(home: Path) -> None:
    if not plots.available():
        pytest.skip("matplotlib is not installed")
    for name in ("one", "two"):
        written(home, home / name, "recovery_loop", k=1, case="q-partly")
    assert {path.name for path in (home / "one").iterdir()} == FILES
    for name in FILES - {"timings.json", "report.md"}:
        assert (home / "one" / name).read_bytes() == (home / "two" / name).read_bytes(), name


def test_settings_name_everything_that_the_numbers_rest_on(home: Path) -> None:
    data = written(home, home / "settings", "topk", k=3)
    kept = json.loads((home / "settings" / "settings.json").read_text("utf-8"))
    assert kept["settings"]["embed"]["name"] == "hashing" and kept["fingerprint"] == data["about"]["settings"]
    assert kept["generation"]["id"] == data["about"]["generation"] and kept["snapshots"]
    assert len(kept["benchmark"]["sha256"]) == 64 and kept["versions"]["numpy"] and kept["k"] == 3
    assert str(home) not in json.dumps(kept), (
        "a folder is handed on; the machine's paths are nobody's business"
    )


def test_the_report_says_hypothesis_arms_and_judgement(home: Path) -> None:
    data = written(home, home / "page", "topk", k=1, case="q-both")
    page = (home / "page" / "report.md").read_text("utf-8")
    for words in (data["hypothesis"], data["judgement"], "## On the case q-both", "| k 20 |", "## Cost"):
        assert words in page
    assert "What happens to a revoked key" not in page, "other questions are not the case"


def test_a_case_that_takes_no_part_is_told(home: Path) -> None:
    written(home, home / "absent", "topk", case="q-absent")
    assert "takes no part" in (home / "absent" / "report.md").read_text("utf-8")


def test_a_run_that_is_stopped_leaves_its_mark(home: Path) -> None:
    out = home / "stopped"
    with pytest.raises(KeyboardInterrupt), report.begun(out, "topk"):
        raise KeyboardInterrupt
    assert [path.name for path in out.iterdir()] == [check.UNFINISHED]
    assert "not finished" in check.differences(out)[0]
    written(home, out, "topk")
    assert check.differences(out) == []


def test_a_folder_with_other_things_is_left_alone(home: Path) -> None:
    out = home / "other"
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="something else"), report.begun(out, "topk"):
        pytest.fail("it was begun")
    assert [path.name for path in out.iterdir()] == ["thesis.txt"]
    written(home, home / "earlier", "topk")
    with pytest.raises(UsageError, match="something else"), report.begun(home / "earlier", "diversity"):
        pytest.fail("it was begun")
    file = home / "file"
    file.write_text("")
    with pytest.raises(UsageError, match="something else"), report.begun(file, "topk"):
        pytest.fail("it was begun")


def test_without_matplotlib_the_report_has_no_plots_and_is_whole(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plots, "available", lambda: False)
    written(home, home / "plain", "topk")
    assert not list((home / "plain").glob("*.svg"))
    assert "svg" not in (home / "plain" / "report.md").read_text("utf-8")
    assert check.differences(home / "plain") == []


def test_plots_hold_the_numbers_and_no_date(tmp_path: Path) -> None:
    if not plots.available():
        pytest.skip("matplotlib is not installed")
    questions = {f"q{at}": {"base": [3, 70], "arm": [1, None]} for at in range(8)}
    data = check.completed(raw(questions, case="q3"))
    assert plots.draw(tmp_path, data) == ("coverage.svg", "ranks.svg")
    for name, wanted in (("coverage.svg", "0.500"), ("ranks.svg", "C2")):
        text = (tmp_path / name).read_text("utf-8")
        assert wanted in "".join(ElementTree.fromstring(text).itertext()) and "dc:date" not in text


def test_results_without_ranks_get_no_strip(tmp_path: Path) -> None:
    if not plots.available():
        pytest.skip("matplotlib is not installed")
    data = raw({"q": {"base": [None], "arm": [None]}})
    data["questions"][0]["arms"] = {}
    assert plots.draw(tmp_path, check.completed(data)) == ()


def test_a_bar_in_a_name_breaks_no_table() -> None:
    data = raw({"q|1": {"base": [1], "a|b": [9]}}, case="q|1")
    page = check.report(check.completed(data), {"arms": {}}, {})
    rows = [row for row in page.splitlines() if row.startswith("|")]
    widths = {row.replace("\\|", "").count("|") for row in rows if "a\\|b" in row or row.startswith("| base")}
    assert "a\\|b" in page and len(widths) == 2, "one width for the benchmark's table, one for the case's"
