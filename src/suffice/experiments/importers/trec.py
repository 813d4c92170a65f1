"""TREC's two files: qrels (`query 0 document grade`) and runs (`query Q0 document rank score tag`)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from suffice.errors import UsageError
from suffice.experiments.suite import put, text_of

Qrels = dict[str, dict[str, int]]
Run = dict[str, list[tuple[str, float]]]
"""Documents with their scores, best first."""


def read_qrels(path: Path) -> Qrels:
    """Grades by query and document. Takes BEIR's three columns with a heading too. Raises UsageError."""
    qrels: Qrels = {}
    for number, cells in _rows(path):
        if number == 1 and not _number(cells[-1]):
            continue
        if len(cells) not in (3, 4) or not _number(cells[-1]):
            raise UsageError(f"{path}, line {number} is no judgement; a line is: query 0 document grade")
        qrels.setdefault(cells[0], {})[cells[-2]] = int(float(cells[-1]))
    if not qrels:
        raise UsageError(f"{path} holds no judgements")
    return qrels


def write_qrels(path: Path, qrels: Mapping[str, Mapping[str, int]]) -> None:
    """Four columns, in the order given."""
    put(
        path,
        "".join(
            f"{_cell(query)} 0 {_cell(document)} {grade}\n"
            for query, graded in qrels.items()
            for document, grade in graded.items()
        ),
    )


def read_run(path: Path) -> Run:
    """Each query's documents by score, ties by document as `trec_eval` does. Raises UsageError."""
    run: Run = {}
    for number, cells in _rows(path):
        if len(cells) != 6 or not _number(cells[4]):
            raise UsageError(
                f"{path}, line {number} is no result; a line is: query Q0 document rank score tag"
            )
        run.setdefault(cells[0], []).append((cells[2], float(cells[4])))
    if not run:
        raise UsageError(f"{path} holds no results")
    return {
        query: sorted(found, key=lambda one: (one[1], one[0]), reverse=True) for query, found in run.items()
    }


def write_run(path: Path, run: Mapping[str, Sequence[str]], tag: str) -> None:
    """Documents best first. The score is made from the rank: tools order by score, and ours has ties that
    are broken by chunk id."""
    put(
        path,
        "".join(
            f"{_cell(query)} Q0 {_cell(document)} {rank} {1 / rank:.9f} {_cell(tag)}\n"
            for query, documents in run.items()
            for rank, document in enumerate(documents, 1)
        ),
    )


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    for number, row in enumerate(text_of(path).split("\n"), 1):
        if row.strip():
            yield number, row.split("\t") if row.count("\t") >= 2 else row.split()


def _cell(text: str) -> str:
    """White space would begin a new column."""
    return "_".join(text.split()) or "_"


def _number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
