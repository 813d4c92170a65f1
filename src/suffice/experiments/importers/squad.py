"""SQuAD's JSON, and its translations: questions over paragraphs, each with the place of its answer.

A gold quote is the sentence that holds the answer: an answer of one word stands in many places of its
paragraph, and only its sentence says which one is meant.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suffice.errors import UsageError
from suffice.experiments.importers.collection import Collection, field, file_names
from suffice.experiments.suite import Gold, Piece, Question, text_of
from suffice.text import language, sentences


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question of the file; `places` are (start, end) of its answers in the paragraph."""

    id: str
    text: str
    paragraph: str
    title: str
    places: tuple[tuple[int, int], ...]
    impossible: bool


def load(source: Path, paragraphs: Path | None = None) -> Collection:
    """The questions of `source` over its own paragraphs, or over those of a file aligned by question id.

    `is_impossible` questions (SQuAD 2) are answerable "none" only as far as their own paragraph goes; the
    rest of the corpus may still answer them. Raises UsageError.
    """
    asked = list(_read(source))
    held = {one.id: one for one in (_read(paragraphs) if paragraphs else asked)}
    texts = dict.fromkeys((one.title, one.paragraph) for one in held.values())
    keys = {pair: f"{pair[0] or 'article'}-{number:04d}" for number, pair in enumerate(texts, 1)}
    names = file_names(keys.values(), ".txt")
    remarks = []
    absent = [one.id for one in asked if one.id not in held]
    if absent:
        remarks.append(
            f"{len(absent)} questions have no paragraph in {paragraphs}; left out (first: {absent[0]})"
        )
    questions = []
    n_placed = 0
    for one in asked:
        target = held.get(one.id)
        if target is None:
            continue
        doc = names[keys[target.title, target.paragraph]]
        quotes = dict.fromkeys(_sentence(target.paragraph, *place) for place in target.places)
        evidence = () if one.impossible else tuple(Gold(doc, quote) for quote in quotes)
        n_placed += bool(evidence) or one.impossible
        if evidence or one.impossible:
            piece = Piece("A", "the answer", evidence)
            questions.append(
                Question(
                    one.id,
                    one.text,
                    "none" if one.impossible else "full",
                    (piece,),
                    language(one.text),
                    "impossible" if one.impossible else "single",
                )
            )
    left = len(asked) - len(absent) - n_placed
    if left:
        remarks.append(f"{left} questions have no answer that stands in their paragraph; left out")
    documents = {names[keys[pair]]: pair[1] for pair in texts}
    return Collection(documents, tuple(questions), tuple(remarks))


def _read(path: Path) -> Iterator[_Asked]:
    try:
        data = json.loads(text_of(path))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}") from error
    for article_n, article in enumerate(field(data, "data", list, str(path)), 1):
        title = str(article.get("title") or "") if isinstance(article, dict) else ""
        where = f"{path}, article {article_n}"
        for paragraph in field(article, "paragraphs", list, where):
            context = field(paragraph, "context", str, where)
            for item in field(paragraph, "qas", list, where):
                yield _asked(item, context, title, where)


def _asked(item: Any, context: str, title: str, where: str) -> _Asked:
    places = []
    for answer in field(item, "answers", list, where):
        text, start = field(answer, "text", str, where), field(answer, "answer_start", int, where)
        if text and context[start : start + len(text)] != text:
            start = context.find(text)
        if text.strip() and start >= 0:
            places.append((start, start + len(text)))
    return _Asked(
        id=str(field(item, "id", (str, int), where)),
        text=field(item, "question", str, where).strip(),
        paragraph=context,
        title=title,
        places=tuple(places),
        impossible=bool(item.get("is_impossible")),
    )


def _sentence(text: str, start: int, end: int) -> str:
    """The sentences that the answer touches, as one stretch of the text."""
    touched = [span for span in sentences(text) if span[0] < end and start < span[1]]
    if not touched:
        return text[start:end]
    return text[min(touched[0][0], start) : max(touched[-1][1], end)].strip()
