"""The benchmark file: read, written, and refused with the line and the field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bench_library import QUESTIONS

from suffice.errors import UsageError
from suffice.experiments import suite

GOOD: dict[str, Any] = {
    "id": "q1", "lang": "en", "kind": "single", "question": "Why?", "answerable": "full",
    "pieces": [{"id": "C1", "need": "why", "evidence": [{"doc": "a.md", "quote": "because"}]}], "notes": "",
}  # fmt: skip


def read(tmp_path: Path, *lines: Any) -> tuple[suite.Question, ...]:
    path = tmp_path / "questions.jsonl"
    rows = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("\n".join(rows), "utf-8")
    return suite.read(path)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    suite.write(tmp_path / "q.jsonl", QUESTIONS)
    assert suite.read(tmp_path / "q.jsonl") == QUESTIONS


def test_a_byte_order_mark_blank_lines_and_line_separators_in_text_do_no_harm(tmp_path: Path) -> None:
    first, second = {**GOOD, "question": "What\u2028now\x85?"}, {**GOOD, "id": "q2"}
    found = read(tmp_path, "\ufeff" + json.dumps(first, ensure_ascii=False), "", second, "")
    assert [one.question for one in found] == ["What\u2028now\x85?", "Why?"]


@pytest.mark.parametrize(
    ("evidence", "answerable"),
    [([["a"], ["b"]], "full"), ([["a"], []], "partial"), ([[], []], "none")],
)
def test_evidence_says_what_is_answerable_where_the_line_does_not(
    tmp_path: Path, evidence: list[list[str]], answerable: str
) -> None:
    pieces = [
        {"id": f"C{n}", "evidence": [{"doc": "a.md", "quote": quote} for quote in quotes]}
        for n, quotes in enumerate(evidence)
    ]
    (found,) = read(tmp_path, {"id": 7, "question": "Why?", "pieces": pieces})
    assert (found.answerable, found.id, found.lang) == (answerable, "7", "en")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"answerable": "maybe"}, "\"answerable\" is 'maybe'"),
        ({"answerable": None, "pieces": []}, '"answerable" is None'),
        ({"question": "  "}, '"question"'),
        ({"question": "a\ud800b"}, "half a character"),
        ({"id": None}, '"id" is missing'),
        ({"id": True}, '"id" is True'),
        ({"lang": 3}, '"lang" is 3'),
        ({"pieces": "C1"}, "pieces must be a list"),
        ({"pieces": [{"id": "C1"}, {"id": "C1"}]}, "two pieces have the id 'C1'"),
        (
            {"pieces": [{"id": "C1", "evidence": [{"doc": "a.md"}]}]},
            'pieces[0], evidence[0]: "quote" is missing',
        ),
    ],
)
def test_a_wrong_field_is_named_with_its_line(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    wrong = json.dumps({**GOOD, "id": "q2", **change})
    with pytest.raises(UsageError) as caught:
        read(tmp_path, GOOD, "", wrong)
    assert "questions.jsonl, line 3" in str(caught.value) and said in str(caught.value)


@pytest.mark.parametrize("line", ["{", "[" * 100_000, "[1]", '"text"', "NaN"])
def test_a_line_that_is_no_object_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(UsageError, match="line 1"):
        read(tmp_path, line)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b'{"id": "caf\xe9"}')
    for name, said in (("none.jsonl", "cannot read"), (".", "cannot read"), ("latin.jsonl", "not UTF-8")):
        with pytest.raises(UsageError, match=said):
            suite.read(tmp_path / name)
    with pytest.raises(UsageError, match="holds no questions"):
        read(tmp_path, "")
    with pytest.raises(UsageError, match="two questions have the id 'q1'"):
        read(tmp_path, GOOD, GOOD)


def test_the_public_question_files_are_taken_as_they_are(shared: Path) -> None:
    for path in sorted(shared.glob("benchmarks/*/questions.jsonl")):
        found = suite.read(path)
        assert len(found) == len(path.read_text("utf-8").splitlines())
        assert all(one.pieces for one in found)
