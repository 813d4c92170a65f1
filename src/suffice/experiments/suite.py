"""A benchmark: questions, the pieces that a complete answer needs, and gold as quotes in documents.

Gold names places in documents, never chunks, so that one file measures every way of cutting and embedding.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from suffice.asked import MAX_QUESTION
from suffice.errors import UsageError
from suffice.gold import Gold as Gold
from suffice.gold import Piece as Piece
from suffice.text import language

Answerable = Literal["full", "partial", "none"]
ANSWERABLE: tuple[Answerable, ...] = ("full", "partial", "none")


@dataclass(frozen=True, slots=True)
class Question:
    """A line of the file. `answerable` says what the corpus can do for it, whatever retrieval finds."""

    id: str
    question: str
    answerable: Answerable
    pieces: tuple[Piece, ...] = ()
    lang: str = "und"
    kind: str = ""
    notes: str = ""


def read(path: Path) -> tuple[Question, ...]:
    """The questions of a JSON lines file, in order. Raises UsageError that names file, line and field.

    `lang`, `kind`, `notes`, a piece's `need` and `evidence` may be left out; `answerable` too where there are
    pieces, since their evidence says it. Other fields are ignored.
    """
    return _checked(path, json_lines(path))


def read_labelled(path: Path) -> tuple[tuple[Question, ...], int]:
    """The questions of a file that say whether the corpus answers them, and how many lines say nothing.

    Such a line has neither `answerable` nor pieces. Raises UsageError as `read` does.
    """
    lines = list(json_lines(path))
    labelled = [(number, data) for number, data in lines if not _says_nothing(data)]
    if lines and not labelled:
        raise UsageError(
            f'{path} holds no labels: no line has "answerable"; write full, partial or none for each question'
        )
    return _checked(path, labelled), len(lines) - len(labelled)


def _says_nothing(data: Any) -> bool:
    return isinstance(data, Mapping) and data.get("answerable") is None and not data.get("pieces")


def _checked(path: Path, lines: Iterable[tuple[int, Any]]) -> tuple[Question, ...]:
    questions = tuple(_question(data, f"{path}, line {number}") for number, data in lines if data is not None)
    if not questions:
        raise UsageError(f"{path} holds no questions; write one a line, as docs/how-to/benchmark.md shows")
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise UsageError(f"{path}: two questions have the id {question.id!r}; give each its own")
        seen.add(question.id)
    return questions


def write(path: Path, questions: Iterable[Question]) -> None:
    """One JSON object a line, in the order of fields that CONTRACT.md shows."""
    lines = [json.dumps(to_json(question), ensure_ascii=False) + "\n" for question in questions]
    put(path, "".join(lines))


def to_json(question: Question) -> dict[str, Any]:
    """The question as a line of the file."""
    return {
        "id": question.id,
        "lang": question.lang,
        "kind": question.kind,
        "question": question.question,
        "answerable": question.answerable,
        "pieces": [
            {
                "id": piece.id,
                "need": piece.need,
                "evidence": [{"doc": gold.doc, "quote": gold.quote} for gold in piece.evidence],
            }
            for piece in question.pieces
        ],
        "notes": question.notes,
    }


def apart(benchmark: Path, written: Path) -> None:
    """Refuses to write a run's questions over the file that they are read from. Raises UsageError."""
    if benchmark.exists() and written.exists() and benchmark.samefile(written):
        raise UsageError(f"{benchmark} would be replaced by the questions of this run; name another --out")


def put(path: Path, text: str) -> None:
    """Write beside it, then rename: nobody meets half a file, and a full disk leaves what was there.

    What is no ordinary file (a link, a device, a pipe) is written where it is. Raises OSError.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        path.write_text(text, "utf-8")
        return
    beside = path.with_name(path.name + ".part")
    try:
        beside.write_text(text, "utf-8")
        os.replace(beside, path)  # noqa: PTH105 - says that an older file goes
    except OSError:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def json_lines(path: Path) -> Iterable[tuple[int, Any]]:
    """(line number from 1, value) of every line that is not blank. Raises UsageError."""
    for number, row in enumerate(text_of(path).split("\n"), 1):
        if not row.strip():
            continue
        try:
            yield number, json.loads(row)
        except (ValueError, RecursionError) as error:
            deep = isinstance(error, RecursionError)
            reason = "nested too deeply" if deep else getattr(error, "msg", str(error))
            raise UsageError(
                f"{path}, line {number} is not JSON ({reason}); write one object a line"
            ) from error


def text_of(path: Path) -> str:
    """The text of a file that the user named. Raises UsageError."""
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot read {path}: {reason}; give a file that can be read") from error


def _question(data: Any, where: str) -> Question:
    if not isinstance(data, Mapping):
        raise UsageError(f"{where} is {type(data).__name__}; a question is an object with id and question")
    text = _text(data, "question", where)
    if len(text.strip()) > MAX_QUESTION:
        raise UsageError(
            f"{where}: the question has {len(text.strip()):,} characters, at most {MAX_QUESTION:,} are read"
        )
    pieces = _pieces(data.get("pieces"), where)
    return Question(
        id=_id(data, where),
        question=text,
        answerable=_answerable(data.get("answerable"), pieces, where),
        pieces=pieces,
        lang=_optional(data, "lang", where) or language(text),
        kind=_optional(data, "kind", where),
        notes=_optional(data, "notes", where),
    )


def _pieces(given: Any, where: str) -> tuple[Piece, ...]:
    pieces = [
        Piece(
            id=_id(item, place),
            need=_optional(item, "need", place),
            evidence=tuple(
                Gold(_text(gold, "doc", spot), _text(gold, "quote", spot))
                for gold, spot in _objects(item.get("evidence"), f"{place}, evidence")
            ),
        )
        for item, place in _objects(given, f"{where}, pieces")
    ]
    ids = [piece.id for piece in pieces]
    for name in ids:
        if ids.count(name) > 1:
            raise UsageError(f"{where}: two pieces have the id {name!r}; give each its own")
    return tuple(pieces)


def _answerable(given: Any, pieces: tuple[Piece, ...], where: str) -> Answerable:
    if given is None and pieces:
        held = [bool(piece.evidence) for piece in pieces]
        return "full" if all(held) else "partial" if any(held) else "none"
    for name in ANSWERABLE:
        if given == name:
            return name
    raise UsageError(f'{where}: "answerable" is {given!r}; it must be full, partial or none')


def _objects(given: Any, where: str) -> list[tuple[Mapping[str, Any], str]]:
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(item, Mapping) for item in given):
        raise UsageError(f"{where} must be a list of objects")
    return [(item, f"{where}[{number}]") for number, item in enumerate(given)]


def _id(data: Mapping[str, Any], where: str) -> str:
    given = data.get("id")
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    return _text(data, "id", where)


def _text(data: Mapping[str, Any], field: str, where: str) -> str:
    given = data.get(field)
    if not isinstance(given, str) or not given.strip():
        raise UsageError(f'{where}: "{field}" is {_shown(given)}; it must be text')
    if any("\ud800" <= character <= "\udfff" for character in given):
        raise UsageError(f'{where}: "{field}" holds half a character; check its encoding')
    return given


def _optional(data: Mapping[str, Any], field: str, where: str) -> str:
    given = data.get(field)
    if given is not None and not isinstance(given, str):
        raise UsageError(f'{where}: "{field}" is {_shown(given)}; it must be text')
    return given or ""


def _shown(given: Any) -> str:
    if given is None:
        return "missing"
    said = repr(given)
    return said if len(said) <= 40 else said[:39] + "…"
