"""Multi-turn RAG tasks as JSON lines: a conversation, the passages judged relevant to its last turn, a label.

The passages of all tasks are pooled as the corpus. A task without passages says nothing by that: the label
alone decides what is answerable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from suffice.errors import UsageError
from suffice.experiments.importers.collection import Collection, field, file_names
from suffice.experiments.suite import Answerable, Gold, Piece, Question, json_lines
from suffice.text import language

LABELS: dict[str, Answerable] = {"ANSWERABLE": "full", "PARTIAL": "partial", "UNANSWERABLE": "none"}


def load(source: Path, *, collection: str | None = None, turns: str = "all") -> Collection:
    """Tasks of one collection (None: all, pooled), of all turns or of first turns only. Raises UsageError.

    A question is the user's last turn, word for word; what came before it is in `notes`, and `kind` says
    whether there was any. Labels without a status of the gate (such as a question that is not specific
    enough) are left out.
    """
    tasks = [(task, f"{source}, line {number}") for number, task in json_lines(source)]
    known = {str(task.get("Collection")) for task, _ in tasks if isinstance(task, Mapping)}
    if collection is not None and collection not in known:
        raise UsageError(f"{source} has no collection {collection!r}; there are: {', '.join(sorted(known))}")
    texts: dict[str, str] = {}
    questions: list[Question] = []
    left: Counter[str] = Counter()
    for task, where in tasks:
        if collection is not None and task.get("Collection") != collection:
            continue
        passages = _passages(task, where)
        texts.update(passages)
        label = _label(task, where)
        spoken = [turn for turn in field(task, "input", list, where) if turn.get("speaker") == "user"]
        if not spoken:
            raise UsageError(f"{where}: no turn of a user in 'input'")
        if label not in LABELS:
            left[label] += 1
        elif turns == "all" or len(spoken) == 1:
            questions.append(
                _question(task, where, LABELS[label], [turn["text"] for turn in spoken], passages)
            )
    names = file_names(texts, ".txt")
    placed = tuple(_placed(question, names) for question in questions)
    remarks = tuple(f"{n} tasks labelled {label}: left out" for label, n in sorted(left.items()))
    return Collection({names[key]: text for key, text in texts.items()}, placed, remarks)


def _question(
    task: Mapping[str, Any],
    where: str,
    answerable: Answerable,
    spoken: list[str],
    passages: Mapping[str, str],
) -> Question:
    evidence = () if answerable == "none" else tuple(Gold(key, text) for key, text in passages.items())
    pieces = [Piece("A", "what the passages say of it", evidence)] if evidence or answerable == "none" else []
    if answerable == "partial":
        pieces.append(Piece("B", "what no passage says"))
    return Question(
        id=str(field(task, "task_id", (str, int), where)),
        question=spoken[-1].strip(),
        answerable=answerable,
        pieces=tuple(pieces),
        lang=language(spoken[-1]),
        kind="first turn" if len(spoken) == 1 else "later turn",
        notes=" / ".join(spoken[:-1]),
    )


def _placed(question: Question, names: Mapping[str, str]) -> Question:
    pieces = tuple(
        replace(piece, evidence=tuple(Gold(names[gold.doc], gold.quote) for gold in piece.evidence))
        for piece in question.pieces
    )
    return replace(question, pieces=pieces)


def _passages(task: Any, where: str) -> dict[str, str]:
    found = {}
    for passage in field(task, "contexts", list, where):
        text = field(passage, "text", str, where)
        if text.strip():
            found[str(field(passage, "document_id", (str, int), where))] = text.strip()
    return found


def _label(task: Mapping[str, Any], where: str) -> str:
    given = task.get("answerability")
    label = given[0] if isinstance(given, list) and given else given
    if not isinstance(label, str):
        raise UsageError(f"{where}: 'answerability' is {given!r}; it must be a label")
    return label.upper()
