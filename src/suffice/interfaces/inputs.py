"""Reads what the commands are given: questions, batches, checklists, metadata, old answers.

Every refusal is a UsageError that says what to write instead.
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suffice.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a batch; `id` is what its line gave, of any JSON type, None where it gave none."""

    id: Any
    question: str
    line: int

    @property
    def name(self) -> str:
        """The id, else the line's number."""
        return str(self.id) if self.id is not None else f"line {self.line}"


def question(given: str | None, *, name: str = "QUESTION") -> str:
    """The words of a question; `-` reads standard input."""
    if given is None:
        raise UsageError(f'there is no {name}; give one in quotation marks, as in: suffice ask "How do I …?"')
    text = _stdin() if given == "-" else given
    if not text.strip():
        raise UsageError(f"the {name} is empty; write what you want to know")
    return text.strip() if given == "-" else text


def questions(file: str) -> list[Asked]:
    """All questions of a batch file, checked before the first is asked; blank lines are skipped."""
    asked = []
    for number, row in enumerate(_text(file).split("\n"), 1):
        if not row.strip():
            continue
        where = f"{_shown(file)}, line {number}"
        try:
            data = json.loads(row)
        except (ValueError, RecursionError) as error:
            raise UsageError(
                f"{where} is not JSON ({_reason(error)}); write one object a line: "
                '{"id": "q1", "question": "…"}'
            ) from error
        if not isinstance(data, dict) or not isinstance(data.get("question"), str):
            raise UsageError(
                f'{where} has no "question"; write one object a line: {{"id": "q1", "question": "…"}}'
            )
        if not data["question"].strip():
            raise UsageError(
                f"{where}: the question is empty; write what you want to know, or remove the line"
            )
        asked.append(Asked(data.get("id"), data["question"], number))
    if not asked:
        raise UsageError(
            f"{_shown(file)} holds no questions; write one object a line: " + '{"id": …, "question": …}'
        )
    return asked


def checklist(needs: Sequence[str], file: Path | None) -> list[dict[str, str]] | None:
    """The needs that the user wrote, from `--needs FILE` and then `--need`; None where there are none."""
    items: list[dict[str, str]] = []
    if file is not None:
        try:
            data = json.loads(_text(str(file)))
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{file} is not JSON ({_reason(error)}); a checklist is a list") from error
        if not isinstance(data, list) or not data:
            raise UsageError(f'{file} is no checklist; write [{{"id": "N1", "question": "…"}}]')
        for number, item in enumerate(data, 1):
            item = {"question": item} if isinstance(item, str) else item
            text = item.get("question") if isinstance(item, dict) else None
            if not isinstance(text, str) or not text.strip():
                raise UsageError(
                    f'{file}, item {number} has no "question"; write {{"id": "N1", "question": "…"}}'
                )
            items.append({"id": str(item.get("id") or f"N{number}"), "question": text})
    for text in needs:
        if not text.strip():
            raise UsageError("a --need is empty; write a thing that the answer must cover")
        items.append({"id": f"N{len(items) + 1}", "question": text})
    ids = [item["id"] for item in items]
    for name in ids:
        if ids.count(name) > 1:
            raise UsageError(f"two needs of the checklist have the id {name!r}; give each its own")
    return items or None


def meta(pairs: Sequence[str]) -> dict[str, str | int | float | bool]:
    """`--meta K=V`. A value that is written just as a number or true/false is one; 1.10 and 007 stay text."""
    found: dict[str, str | int | float | bool] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--meta {pair!r} is not K=V; write for example: --meta team=billing")
        found[key.strip()] = _scalar(value.strip())
    return found


def _scalar(value: str) -> str | int | float | bool:
    if value in ("true", "false"):
        return value == "true"
    for kind in (int, float):
        try:
            number = kind(value)
        except ValueError:
            continue
        if math.isfinite(number) and str(number) == value:
            return number
    return value


def depth(given: str | None, k: int | None) -> int | None:
    """How many hits to rank and show; None is all. `-k` and `--depth`: the smaller one."""
    if given is None:
        return k or 10
    if given == "all":
        return k
    if not (given.isascii() and given.isdigit()) or int(given) < 1:
        raise UsageError(f"--depth {given!r} is neither all nor a number from 1")
    return min(int(given), k) if k else int(given)


def answers(given: str) -> list[dict[str, Any]] | None:
    """The answers in a file or on standard input; None where the argument is no file (then it is an id)."""
    if given != "-" and not Path(given).exists():
        if given.endswith((".json", ".jsonl")) or "/" in given:
            raise UsageError(
                f"there is no file {given}; give an answer's JSON file, its id, or - for standard input"
            )
        return None
    text = _text(given)
    try:
        data = [json.loads(text)]
    except (ValueError, RecursionError):
        data = [_answer_line(given, n, row) for n, row in enumerate(text.split("\n"), 1) if row.strip()]
    found = []
    for item in data:
        if not isinstance(item, dict) or item.get("schema") != "suffice.answer/1":
            seen = item.get("schema") if isinstance(item, dict) else type(item).__name__
            raise UsageError(
                f"{_shown(given)} holds {seen!r} and not suffice.answer/1; "
                "write one with: suffice ask QUESTION --json"
            )
        found.append(item)
    if not found:
        raise UsageError(f"{_shown(given)} is empty; write an answer with: suffice ask QUESTION --json")
    return found


def _answer_line(file: str, number: int, row: str) -> Any:
    try:
        return json.loads(row)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{_shown(file)}, line {number} is not JSON ({_reason(error)}); give a file that "
            "suffice ask QUESTION --json wrote"
        ) from error


def _text(file: str) -> str:
    if file == "-":
        return _stdin()
    try:
        return Path(file).read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}; give a file that can be read") from error
    except ValueError as error:
        raise UsageError(f"{file!r} is no file name: {error}") from error


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"standard input is not UTF-8 text (byte {error.start})") from error


def _shown(file: str) -> str:
    return "standard input" if file == "-" else file


def _reason(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else getattr(error, "msg", str(error))
