"""The public data sets as questions with the corpus texts that answer them."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from suffice.text import sentences

Corpora = dict[str, list[tuple[str, str]]]  # name -> (title, text) of each of its texts


@dataclass(frozen=True)
class Item:
    """A question with the corpus texts that answer it (`gold`), in one of the sets."""

    set: str
    group: str
    question: str
    corpus: str
    gold: frozenset[int]
    answerable: bool
    answer: str = ""


def xquad(folder: Path, corpora: Corpora, n_questions: int) -> list[Item]:
    """`n_questions` questions, the same in three languages, over all English paragraphs."""
    sets = {
        lang: json.loads((folder / f"xquad.{lang}.json").read_text("utf-8"))["data"]
        for lang in ("en", "zh", "de")
    }
    corpus: list[tuple[str, str]] = []
    items: list[Item] = []
    for number, article in enumerate(sets["en"]):
        for p, paragraph in enumerate(article["paragraphs"]):
            place = len(corpus)
            corpus.append((article["title"].replace("_", " "), paragraph["context"]))
            for q, qa in enumerate(paragraph["qas"]):
                for lang, data in sets.items():
                    other = data[number]["paragraphs"][p]["qas"][q]
                    if other["id"] != qa["id"]:
                        raise SystemExit(f"{folder}: question {qa['id']} is not at the same place in {lang}")
                    items.append(
                        Item(
                            f"xquad-{lang}",
                            article["title"],
                            other["question"],
                            "xquad",
                            frozenset([place]),
                            True,
                            qa["answers"][0]["text"],
                        )
                    )
    corpora["xquad"] = corpus
    rank = {item.question: i for i, item in enumerate(items)}
    by_language: list[Item] = []
    for lang in sets:
        own = sorted((i for i in items if i.set == f"xquad-{lang}"), key=lambda i: rank[i.question])
        step = max(1, len(own) // n_questions)
        by_language += own[::step][:n_questions]
    return by_language


def mtrag(folder: Path, corpora: Corpora) -> list[Item]:
    """Last turns that are answerable or not; partial and underspecified ones are left out."""
    rows = [json.loads(line) for line in (folder / "reference.jsonl").read_text("utf-8").splitlines()]
    places: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        for context in row["contexts"]:
            pool = corpora.setdefault(f"mtrag-{row['Collection']}", [])
            key = context["text"]
            if key not in places[row["Collection"]]:
                places[row["Collection"]][key] = len(pool)
                pool.append((str(context.get("title") or ""), context["text"]))
    items = []
    for row in rows:
        label = row["answerability"][0]
        if label in ("ANSWERABLE", "UNANSWERABLE"):
            gold = frozenset(places[row["Collection"]][c["text"]] for c in row["contexts"])
            items.append(
                Item(
                    "mtrag",
                    row["conversation_id"],
                    row["input"][-1]["text"],
                    f"mtrag-{row['Collection']}",
                    gold if label == "ANSWERABLE" else frozenset(),
                    label == "ANSWERABLE",
                )
            )
    return items


def parts(text: str, size: int = 800) -> list[str]:
    """The text in parts of at most `size` characters, cut between sentences where that is possible."""
    found, held = [], ""
    for start, end in sentences(text):
        piece = text[start:end]
        if held and len(held) + len(piece) > size:
            found.append(held)
            held = ""
        held += piece + " "
        while len(held) > size:
            found.append(held[:size])
            held = held[size:]
    return [*found, held] if held.strip() else found or [text[:size]]
