"""What an importer gives: documents by name, questions with gold, and remarks on what was left out."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from suffice.errors import UsageError
from suffice.experiments import suite
from suffice.experiments.suite import Question

SEED = 20261130
_UNSAFE = re.compile(r"[^\w.-]+")
_MOST_NAME = 120


@dataclass(frozen=True, slots=True)
class Collection:
    """`documents` maps names (paths with `/`) to text."""

    documents: Mapping[str, str]
    questions: tuple[Question, ...]
    remarks: tuple[str, ...] = ()


def write(collection: Collection, out: Path) -> None:
    """`out/corpus/…` and `out/questions.jsonl`. Raises UsageError where `out` holds something already."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there and not empty; name a new folder")
    if not collection.questions:
        raise UsageError("the collection has no question that can be used; nothing was written")
    for name, text in collection.documents.items():
        path = out / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")
    suite.write(out / "questions.jsonl", collection.questions)


def file_names(keys: Iterable[str], suffix: str) -> dict[str, str]:
    """A file name for every key, readable where it can be; no two share one, whatever the file system."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for key in dict.fromkeys(keys):
        plain = _UNSAFE.sub("-", key).strip("-.")[:_MOST_NAME]
        if not plain or plain.casefold() in taken:
            plain = f"{plain or 'document'}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
        taken.add(plain.casefold())
        names[key] = plain + suffix
    return names


def without(collection: Collection, share: float, seed: int = SEED) -> Collection:
    """The collection with a share of its documents held out, so that what they alone answer is unanswerable.

    Held-out gold is taken out of the pieces; a question left without any is answerable "none".
    """
    if not 0 < share < 1:
        raise UsageError(f"--hold-out is {share}; it must be between 0 and 1, as in 0.5")
    names = sorted(collection.documents)
    out = set(random.Random(seed).sample(names, round(share * len(names))))
    questions = tuple(_reduced(question, out) for question in collection.questions)
    kept = {name: text for name, text in collection.documents.items() if name not in out}
    n_none = sum(question.answerable == "none" for question in questions)
    remark = f"{len(out)} of {len(names)} documents held out; {n_none} questions have no answer now"
    return replace(collection, documents=kept, questions=questions, remarks=(*collection.remarks, remark))


def _reduced(question: Question, out: set[str]) -> Question:
    pieces = tuple(
        replace(piece, evidence=tuple(gold for gold in piece.evidence if gold.doc not in out))
        for piece in question.pieces
    )
    if pieces == question.pieces:
        return question
    held = [bool(piece.evidence) for piece in pieces]
    whole = question.answerable == "full" and all(held)
    return replace(
        question, pieces=pieces, answerable="full" if whole else "partial" if any(held) else "none"
    )


def field(data: Any, name: str, kind: type | tuple[type, ...], where: str) -> Any:
    """A field of an object of the source. Raises UsageError that names it."""
    value = data.get(name) if isinstance(data, Mapping) else None
    if not isinstance(value, kind):
        wanted = " or ".join(one.__name__ for one in (kind if isinstance(kind, Sequence) else (kind,)))
        raise UsageError(f"{where}: {name!r} is {type(value).__name__}; it must be {wanted}")
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        raise UsageError(f"{where}: {name!r} holds half a character; check its encoding")
    return value
