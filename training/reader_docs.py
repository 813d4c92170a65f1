"""Questions over documentation, for the last layer and the tables: pages that the reader was not trained on.

`stack`: the held-out tenth of the translated manuals. `test`: a manual of which nothing was ever trained on.
A question is asked in four languages over the English sections.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from features_data import Corpora, Item
from reader_aligned import ABOUT, LANGUAGES, WHETHER, Topic, fact, held_out, manuals

from suffice.text import sentences

TEXTS = 900  # sections in a corpus
LONGEST = 1800  # characters of a section, as of a chunk


def docs(folder: Path, corpora: Corpora, n: int) -> list[Item]:
    """About `n` questions a language and corpus; half by headings, half by single facts."""
    found = []
    train = [topic for topic in manuals(folder, "train") if held_out(topic)]
    for name, topics in (("stack", train), ("test", manuals(folder, "test"))):
        found += ask(f"docs-{name}", topics, corpora, n, random.Random(3))
    return found


def ask(name: str, topics: Sequence[Topic], corpora: Corpora, n: int, rng: random.Random) -> list[Item]:
    topics = [t for t in topics if len(text_of(t)) >= 160]
    topics = rng.sample(topics, min(TEXTS, len(topics)))
    corpora[name] = [(" › ".join(t.parts["en"].path), text_of(t)) for t in topics]
    counts = Counter(block.text for topic in topics for block in topic.parts["en"].blocks)
    items = []
    asked = [i for i, t in enumerate(topics) if len(t.parts) >= 3 and t.aligned]
    for number, place in enumerate(rng.sample(asked, min(n, len(asked)))):
        topic = topics[place]
        for lang in LANGUAGES:
            if lang not in topic.parts:
                continue
            question, answer = by_fact(topic, lang, counts, random.Random(place)) if number % 2 else None, ""
            if question is None:
                heading = topic.parts[lang].path[-1].rstrip("：: ？?。.")
                if not 4 <= len(heading) <= 80:
                    continue
                question = rng.choice(ABOUT[lang]).format(h=heading)
            else:
                question, answer = question
            kind = "fact" if answer else "heading"
            items.append(
                Item(
                    f"{name}-{lang}",
                    f"{name} {topic.page} {kind}",
                    question,
                    name,
                    frozenset([place]),
                    True,
                    answer,
                )
            )
    return items


def by_fact(topic: Topic, lang: str, counts: Counter[str], rng: random.Random) -> tuple[str, str] | None:
    """A question for what one block states, with that block's English text."""
    if lang not in topic.aligned:
        return None
    blocks = topic.parts[lang].blocks
    english = topic.parts["en"].blocks
    places = [
        i for i, b in enumerate(english) if 40 <= len(b.text) <= 400 and b.tag != "pre" and counts[b.text] < 2
    ]
    if not places:
        return None
    i = rng.choice(places)
    if english[i].text not in text_of(topic):
        return None
    cut = sentences(blocks[i].text)
    a, b = cut[0] if cut else (0, len(blocks[i].text))
    question = fact(blocks[i], (a, b), lang, rng)
    if question is None:
        sentence = blocks[i].text[a:b].strip().rstrip("。.！!？?：: ")
        question = rng.choice(WHETHER[lang]).format(s=sentence)
    return (question, english[i].text) if len(question) < 260 else None


def text_of(topic: Topic) -> str:
    return "\n".join(block.text for block in topic.parts["en"].blocks)[:LONGEST]
