"""Questions with spans in whole documents: a CSV of `question, references, corpus_id` and a folder of texts.

`references` is a JSON list of `{content, start_index, end_index}`. Each is checked against the text: where
the offsets do not give the content, the content is looked for; where it is nowhere, it stays in the
benchmark, and a run reports it as an error of the benchmark.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from suffice.errors import UsageError
from suffice.experiments.importers.collection import Collection, field
from suffice.experiments.suite import Gold, Piece, Question, text_of
from suffice.text import language

COLUMNS = ("question", "references", "corpus_id")


def load(source: Path, corpora: Path | None = None) -> Collection:
    """`corpora` holds `<corpus_id>.md` or `.txt` (default: `corpora` beside the CSV). Raises UsageError."""
    folder = corpora or source.parent / "corpora"
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}; name the texts' folder with --corpus DIR")
    files = {path.stem: path for path in sorted(folder.iterdir()) if path.suffix.lower() in (".md", ".txt")}
    csv.field_size_limit(2**31 - 1)
    reader = csv.DictReader(io.StringIO(text_of(source), newline=""))
    if not set(COLUMNS) <= set(reader.fieldnames or ()):
        raise UsageError(f"{source} has the columns {reader.fieldnames}; it needs {', '.join(COLUMNS)}")
    texts: dict[str, str] = {}
    questions: list[Question] = []
    moved = lost = 0
    for row in reader:
        number = len(questions) + 1
        where = f"{source}, question {number}"
        corpus = row["corpus_id"]
        if corpus not in files:
            raise UsageError(f"{where}: {folder} holds no text {corpus!r}")
        text = texts.setdefault(corpus, text_of(files[corpus]))
        pieces = []
        for n, reference in enumerate(_references(row["references"], where), 1):
            quote = field(reference, "content", str, where)
            at = text[reference.get("start_index", 0) : reference.get("end_index", 0)] == quote
            moved += not at and quote in text
            lost += quote not in text
            pieces.append(Piece(f"S{n}", "", (Gold(files[corpus].name, quote),)))
        kind = "one span" if len(pieces) == 1 else "several spans"
        questions.append(
            Question(f"{corpus}-{number:03d}", row["question"].strip(), "full", tuple(pieces),
                     language(row["question"]), kind, corpus)
        )  # fmt: skip
    remarks = [f"{moved} spans stand elsewhere than their offsets say; found by their words"] if moved else []
    remarks += [f"{lost} spans do not stand in their text; a run reports them"] if lost else []
    return Collection(
        {files[name].name: text for name, text in texts.items()}, tuple(questions), tuple(remarks)
    )


def _references(given: str, where: str) -> list[Mapping[str, Any]]:
    try:
        found = json.loads(given)
    except (ValueError, RecursionError, TypeError) as error:
        raise UsageError(f"{where}: 'references' is not JSON: {error}") from error
    if not isinstance(found, list) or not found or not all(isinstance(item, Mapping) for item in found):
        raise UsageError(f"{where}: 'references' is no list of spans")
    return found
