"""The main job from the command line, with the real model: a folder, questions, checked quotes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from check_citations import faults

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = [
    {"id": "a", "question": "What does exit status 10 mean?"},
    {"id": "b", "question": "退出状态 12 是什么意思？"},
    {"id": "c", "question": "How are near duplicates found, and how is a document removed?"},
    {"id": "d", "question": "Welche Textkodierungen werden erkannt?"},
]


def suffice(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "suffice", "--workspace", str(place / ".suffice"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)


def answers(place: Path, questions: Sequence[dict[str, Any]]) -> tuple[Path, list[dict[str, Any]]]:
    asked, got = place / "questions.jsonl", place / "answers.jsonl"
    asked.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in questions), "utf-8")
    done = suffice(place, "ask", "--batch", str(asked), "--json")
    assert done.returncode == 0, done.stderr
    got.write_text(done.stdout, "utf-8")
    return got, [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("manual")
    done = suffice(place, "add", str(ROOT / "docs"), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["n_documents"] >= 15
    return place


def test_every_citation_stands_in_the_file_itself(manual: Path) -> None:
    file, got = answers(manual, QUESTIONS)
    assert [one["question_id"] for one in got] == ["a", "b", "c", "d"]
    assert any(one["answer"] for one in got), "nothing was answered, so nothing was checked"
    assert faults(file, ROOT) == []


def test_the_checker_sees_a_wrong_quote(manual: Path) -> None:
    file, got = answers(manual, QUESTIONS)
    claim = next(claim for one in got if one["answer"] for claim in one["answer"]["claims"])
    claim["citations"][0]["span"][0] += 1
    file.write_text("".join(json.dumps(one) + "\n" for one in got), "utf-8")
    assert len(faults(file, ROOT)) == 1


def test_what_the_manual_does_not_hold_is_declined_without_an_answer(manual: Path) -> None:
    done = suffice(manual, "ask", "Which football club won the cup in 1987?", "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["status"], answer["answer"]) == (11, "insufficient", None)
    assert answer["missing"] == [need["id"] for need in answer["needs"]]


def test_an_answer_is_verified_again_after_the_document_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    page = folder / "kiln.md"
    page.write_text("# Kiln\n\nThe kiln reaches 1240 degrees after nine hours of firing.\n", "utf-8")
    assert suffice(tmp_path, "add", str(folder)).returncode == 0
    done = suffice(tmp_path, "ask", "What temperature does the kiln reach after nine hours?", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    saved = tmp_path / "answer.json"
    saved.write_text(done.stdout, "utf-8")
    page.unlink()
    assert suffice(tmp_path, "update").returncode == 0
    assert suffice(tmp_path, "verify", str(saved)).returncode == 0
    changed = json.loads(done.stdout)
    citation = changed["answer"]["claims"][0]["citations"][0]
    citation["quote"] = citation["quote"].replace("1240", "1250")
    saved.write_text(json.dumps(changed), "utf-8")
    assert suffice(tmp_path, "verify", str(saved)).returncode == 1
    gone = suffice(tmp_path, "ask", "What temperature does the kiln reach after nine hours?", "--json")
    assert "1240" not in gone.stdout


def test_the_public_benchmark_cites_only_what_stands_there(shared: Path, tmp_path: Path) -> None:
    pages = shared / "corpora" / "cloudflare-2024-08" / "pages"
    lines = (shared / "benchmarks" / "cloudflare" / "questions.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    assert suffice(tmp_path, "add", str(pages)).returncode == 0
    file, got = answers(tmp_path, questions)
    assert len(got) == len(questions) == 46
    assert faults(file, pages.parent) == []
    by_id = {one["question_id"]: one for one in got}
    assert by_id["q9a"]["status"] == "insufficient"
    if by_id["q7"]["status"] == "sufficient":
        pieces = next(one for one in questions if one["id"] == "q7")["pieces"]
        missed = [piece["id"] for piece in pieces if not _held(piece, by_id["q7"]["evidence"], pages.parent)]
        assert missed == []


def _held(piece: dict[str, Any], evidence: Sequence[dict[str, Any]], folder: Path) -> bool:
    for gold in piece["evidence"]:
        at = (folder / gold["doc"]).read_text("utf-8").find(gold["quote"])
        place = (at, at + len(gold["quote"]))
        for item in evidence:
            if item["document"] == gold["doc"] and item["span"][0] < place[1] and place[0] < item["span"][1]:
                return True
    return False
