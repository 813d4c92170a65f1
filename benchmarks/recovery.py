"""How often a suggestion leads to what the evidence of a joined question lacks.

    suffice bench import squad SETS/xquad.zh.json --paragraphs SETS/xquad.en.json --out xquad-zh
    suffice add xquad-zh/corpus
    python benchmarks/recovery.py xquad-zh/questions.jsonl --n 300

Two and three questions of different paragraphs are joined into one, by semicolons or one sentence after the
other, with a fixed seed; every second question is also asked alone. Where the evidence lacks a piece and
suggestions are offered, each is searched as an ordinary question. A joined question is judged only where
something is missing, which is what makes this a matter of minutes; `suffice bench run` measures all the rest.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

from suffice.asked import Asked, Found, teller
from suffice.engine import Engine
from suffice.experiments import suite
from suffice.experiments.places import Places, holds, index_of, located
from suffice.experiments.suite import Question
from suffice.gate.needs import split
from suffice.settings import load
from suffice.text import language
from suffice.values import Filter

SEED = 7


def joined(questions: list[Question], n: int) -> list[Question]:
    """n questions of two or three parts, then every second question by itself."""
    draw = random.Random(SEED)
    made = []
    for number in range(n):
        parts = _of_different_documents(questions, 2 if number % 2 else 3, draw)
        wide = parts[0].lang in ("zh", "ja")
        mark, semicolon, blank = ("？", "；", "") if wide else ("?", "; ", " ")
        bare = [one.question.rstrip("?？") for one in parts]
        text = blank.join(f"{one}{mark}" for one in bare) if number % 3 == 0 else semicolon.join(bare) + mark
        pieces = tuple(replace(one.pieces[0], id=f"C{at}") for at, one in enumerate(parts, 1))
        made.append(Question(f"j{number}", text, "full", pieces, parts[0].lang, "joined"))
    return made + [replace(one, kind="alone") for one in questions[::2]]


def _of_different_documents(questions: list[Question], n: int, draw: random.Random) -> list[Question]:
    while True:
        parts = draw.sample(questions, n)
        if len({one.pieces[0].evidence[0].doc for one in parts}) == n:
            return parts


def lacking(found: Found, places: dict[str, Places]) -> set[str]:
    """The pieces of which no evidence holds anything."""
    return {name for name, own in places.items() if not any(holds(hit, own) for hit in found.evidence)}


def measure(engine: Engine, questions: list[Question]) -> Counter[tuple[str, str]]:
    """Counts by kind: questions, with a piece missing, of these with suggestions, of these helped by one."""
    index, counts = index_of(engine, None), Counter[tuple[str, str]]()
    for question in questions:
        places = located(index, question).places
        text = question.question
        asked = Asked(text, None, "hybrid", Filter(), teller(None))
        found = engine._find(asked, split(text, language(text)))
        counts[question.kind, "questions"] += 1
        missing = lacking(found, places)
        if not missing:
            continue
        counts[question.kind, "missing"] += 1
        offered = engine.ask(text, keep=False).suggestions
        counts[question.kind, "offered"] += bool(offered)
        own = [
            engine._find(replace(asked, question=one.question), split(one.question, language(one.question)))
            for one in offered
        ]
        counts[question.kind, "helpful"] += any(missing - lacking(one, places) for one in own)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("questions", type=Path)
    parser.add_argument("--n", type=int, default=300, help="how many joined questions")
    parser.add_argument("--workspace", type=Path, default=Path(".suffice"))
    given = parser.parse_args()
    with Engine.open(given.workspace, load(environment={})) as engine:
        counts = measure(engine, joined(list(suite.read(given.questions)), given.n))
    for kind in ("joined", "alone"):
        row = [counts[kind, name] for name in ("questions", "missing", "offered", "helpful")]
        print("{}: {} questions, a piece missing on {}, suggestions on {}, helpful on {}".format(kind, *row))


if __name__ == "__main__":
    main()
