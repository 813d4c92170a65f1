"""Questions from manuals that exist in several languages: asked in one, read in another.

Folders of HTML pages, one per language, with the same file names. Pages are cut at their headings; sections
of two languages are one section when the pages have as many of them, and their blocks are one block when the
sections have the same sequence of elements.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from aligned_pages import Block, Part, page
from reader_manual import ATTRIBUTES, IN, PRODUCTS

from suffice.text import sentences
from suffice.values import Span

LANGUAGES = ("en", "zh", "ja", "de")
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,.]*\d(?![\w])|(?<![\w.,])\d(?![\w.,])")

ABOUT = {
    "en": (
        "{h}?",
        "How does {h} work?",
        "How do I do this: {h}?",
        "What is said about {h}?",
        "{h}",
        "Where can I find {h}?",
    ),
    "zh": (
        "{h}？",
        "怎么{h}？",
        "如何{h}？",
        "{h}是什么意思？",
        "关于{h}有哪些说明？",
        "想{h}，该怎么做？",
        "{h}",
    ),
    "ja": ("{h}とは？", "{h}の方法は？", "{h}について教えてください", "{h}はどうすればいいですか？", "{h}"),
    "de": ("{h}?", "Wie geht {h}?", "Was ist {h}?", "Was muss ich über {h} wissen?", "{h}"),
}
WHAT = {
    "en": ("what", "which one"),
    "zh": ("什么", "哪个"),
    "ja": ("何", "どれ"),
    "de": ("was", "welches"),
}
MANY = {"en": "how many", "zh": "多少", "ja": "いくつ", "de": "wie viele"}
WHETHER = {
    "en": ("Is it true that {s}?", "{s}, right?", "{s}?"),
    "zh": ("{s}吗？", "是不是{s}？", "{s}，对吗？"),
    "ja": ("{s}か？", "{s}というのは本当ですか？"),
    "de": ("Stimmt es, dass gilt: {s}?", "{s}, richtig?"),
}
MARK = {"en": "?", "zh": "？", "ja": "？", "de": "?"}
# Ways to ask for what a section may state, in Japanese too; the others are in `reader_manual`.
JA = {
    "default": "{e}の既定値は何ですか？",
    "maximum": "{e}の上限はいくつですか？",
    "version": "{e}はどのバージョンから使えますか？",
    "example": "{e}の例を見せてください",
    "price": "{e}の料金はいくらですか？",
    "error": "{e}が失敗するとどうなりますか？",
    "delete": "{e}を削除するには？",
    "security": "{e}に安全上の問題はありますか？",
}


@dataclass
class Topic:
    """A section in the languages that have it. `aligned`: where its blocks stand one to one with English."""

    page: str
    parts: dict[str, Part]
    aligned: tuple[str, ...]


def topics(folders: dict[str, Path], suffixes: dict[str, str]) -> list[Topic]:
    """The sections of all pages that stand in every folder under one name (less the language's suffix)."""
    found = []
    english = folders["en"]
    for file in sorted(english.rglob("*" + suffixes["en"])):
        name = str(file.relative_to(english))[: -len(suffixes["en"])]
        parts: dict[str, list[Part]] = {}
        for lang, folder in folders.items():
            own = folder / (name + suffixes[lang])
            if own.is_file():
                parts[lang] = page(own)
        for number, part in enumerate(parts["en"]):
            same = {code: own[number] for code, own in parts.items() if len(own) == len(parts["en"])}
            aligned = tuple(code for code, own in same.items() if own.shape == part.shape)
            same = {c: own for c, own in same.items() if c == "en" or _translated(own, part)}
            aligned = tuple(code for code in aligned if code in same)
            if sum(len(b.text) for b in part.blocks) >= 120 and len(same) > 1:
                found.append(Topic(name, same, aligned))
    return found


def _translated(part: Part, english: Part) -> bool:
    """Whether it is another language's text, and not the English that stands where nobody translated."""
    known = {block.text for block in english.blocks}
    kept = sum(len(block.text) for block in part.blocks if block.text in known and block.tag != "pre")
    return kept < 0.2 * sum(len(block.text) for block in part.blocks)


def window(
    part: Part, keep: int | None, rng: random.Random, size: int, skip: int | None = None
) -> tuple[str, Span]:
    """Blocks of about `size` tokens around `keep`, without `skip`; where `keep` stands in them."""
    blocks = [(i, b.text) for i, b in enumerate(part.blocks) if i != skip]
    at = next((n for n, (i, _) in enumerate(blocks) if i == keep), None)
    if at is None:
        at = rng.randrange(len(blocks)) if blocks else 0
    if not blocks:
        return "", (0, 0)
    first = last = at
    while True:
        choices = [(first - 1, last)] * (first > 0) + [(first, last + 1)] * (last + 1 < len(blocks))
        rng.shuffle(choices)
        fit = [(a, b) for a, b in choices if estimate("\n".join(t for _, t in blocks[a : b + 1])) <= size]
        if not fit:
            break
        first, last = fit[0]
    text, span = "", (0, 0)
    for n in range(first, last + 1):
        text += "\n" if text else ""
        start = len(text)
        text += blocks[n][1]
        if n == at:
            span = (start, len(text))
    return text, span


def estimate(text: str) -> int:
    wide = sum(1 for c in text if c > "\u2e7f")
    return int(wide * 0.7 + (len(text) - wide) / 4) + 1


Asked = tuple[str, str, str, float, tuple[Span, ...], str]  # question, head, text, label, spans, kind


def questions(found: Sequence[Topic], n: int, rng: random.Random) -> Iterator[Asked]:
    """Questions from about `n` sections. A question and its near misses are read in one language, so that
    the language of a passage says nothing."""
    by_page: dict[str, list[Topic]] = {}
    by_folder: dict[str, list[Topic]] = {}
    for topic in found:
        by_page.setdefault(topic.page, []).append(topic)
        by_folder.setdefault(topic.page.rsplit("/", 1)[0], []).append(topic)
    for topic in rng.sample(list(found), min(n, len(found))):
        lang = rng.choice([code for code in ("en", "zh", "zh", "ja", "de") if code in topic.parts])
        read = "en" if rng.random() < 0.65 else rng.choice(list(topic.parts))
        size = rng.choice((48, 96, 96, 120))
        same_page = [
            t for t in by_page[topic.page] if t is not topic and read in t.parts and t.parts[read].blocks
        ]
        folder = by_folder[topic.page.rsplit("/", 1)[0]]
        near = [t for t in folder if t.page != topic.page and read in t.parts]
        yield from _Section(topic, lang, read, size, same_page, near, rng).questions()


@dataclass
class _Section:
    """A section that is asked about in `lang` and read in `read`, in windows of `size` tokens."""

    topic: Topic
    lang: str
    read: str
    size: int
    same_page: Sequence[Topic]
    near: Sequence[Topic]
    rng: random.Random

    def questions(self) -> Iterator[Asked]:
        heading = self.topic.parts[self.lang].path[-1].rstrip("：: ")
        own = self._head(self.topic)
        if 3 <= len(heading) <= 80:
            yield from self._by_heading(heading, own)
        if self.lang in self.topic.aligned and self.read in self.topic.aligned:
            yield from self._by_fact(own)

    def _head(self, topic: Topic) -> str:
        path = topic.parts[self.read].path
        return self.rng.choice(("", path[0], " › ".join(path)))

    def _other(self) -> Topic | None:
        pool = self.same_page if self.same_page and self.rng.random() < 0.5 else self.near
        return self.rng.choice(pool) if pool else None

    def _window(self, topic: Topic, keep: int | None, skip: int | None = None) -> tuple[str, Span]:
        return window(topic.parts[self.read], keep, self.rng, self.size, skip)

    def _by_heading(self, heading: str, own: str) -> Iterator[Asked]:
        rng, lang, path = self.rng, self.lang, self.topic.parts[self.lang].path
        question = rng.choice(ABOUT[lang]).format(h=heading.rstrip("？?。."))
        if len(heading) < 12 and len(path) > 1 and path[-2] != heading:
            question = f"{path[-2]}: {question}"
        yield question, own, self._window(self.topic, 0)[0], 1.0, (), "aligned heading"
        wrong = self._other()
        if wrong and heading not in wrong.parts[self.read].path:
            text, _ = self._window(wrong, None)
            yield question, self._head(wrong), text, 0.0, (), "aligned other section"
        if rng.random() < 0.2:
            product = rng.choice(PRODUCTS)
            text, _ = self._window(self.topic, 0)
            if product.casefold() not in text.casefold():
                told = IN.get(lang, "{p}の場合、{q}").format(q=question, p=product)
                yield told, own, text, 0.0, (), "aligned other product"
        if rng.random() < 0.5:
            yield from attribute(self.topic, self.read, lang, own, self.size, rng)

    def _by_fact(self, own: str) -> Iterator[Asked]:
        rng = self.rng
        blocks = self.topic.parts[self.lang].blocks
        places = [i for i, b in enumerate(blocks) if 20 <= len(b.text) <= 400 and b.tag != "pre"]
        for i in rng.sample(places, min(2, len(places))):
            question = asked_of(blocks[i], self.lang, rng)
            if question is None:
                continue
            text, span = self._window(self.topic, i)
            if estimate(text) > 2 * self.size:
                continue
            yield question, own, text, 1.0, (span,), "aligned fact"
            if len(self.topic.parts[self.read].blocks) > 1:
                text, _ = self._window(self.topic, rng.choice((i - 1, i + 1)), skip=i)
                if len(text) > 60 and blocks[i].text not in text:
                    yield question, own, text, 0.0, (), "aligned fact cut"
            wrong = self._other()
            if wrong and rng.random() < 0.6:
                text, _ = self._window(wrong, None)
                yield question, self._head(wrong), text, 0.0, (), "aligned fact elsewhere"
            swapped = swap(question, rng)
            if swapped and rng.random() < 0.7:
                text, _ = self._window(self.topic, i)
                new = set(_NUMBER.findall(swapped)) - set(_NUMBER.findall(question))
                if not new & set(_NUMBER.findall(text)):
                    yield swapped, own, text, 0.0, (), "aligned fact swapped"


def asked_of(block: Block, lang: str, rng: random.Random) -> str | None:
    """One sentence of the block as a question: for a thing that it states, or whether it is so."""
    cut = sentences(block.text)
    a, b = rng.choice(cut) if cut else (0, len(block.text))
    sentence = block.text[a:b].strip()
    if not 12 <= len(sentence) <= 240:
        return None
    question = fact(block, (a, b), lang, rng) if rng.random() < 0.7 else None
    return question or rng.choice(WHETHER[lang]).format(s=sentence.rstrip("。.！!？?：: "))


def attribute(topic: Topic, read: str, lang: str, own: str, size: int, rng: random.Random) -> Iterator[Asked]:
    """What the section states of its heading, as far as a word shows it, or what it does not state."""
    whole = [block.text for block in topic.parts["en"].blocks]
    names = [name for name in JA if name not in ("price", "security")]
    stated = [a for a in names if re.search(ATTRIBUTES[a][0], " ".join(whole))]
    label = 1.0 if stated and read in topic.aligned and rng.random() < 0.6 else 0.0
    pool = stated if label else [a for a in names if a not in stated]
    if not pool:
        return
    name = rng.choice(pool)
    form = JA[name] if lang == "ja" else rng.choice(ATTRIBUTES[name][1][lang])
    place = next((i for i, text in enumerate(whole) if re.search(ATTRIBUTES[name][0], text)), 0)
    text, _ = window(topic.parts[read], place if label else 0, rng, size)
    kind = "aligned stated" if label else "aligned not stated"
    yield form.format(e=topic.parts[lang].path[-1]), own, text, 0.9 * label, (), kind


def fact(block: Block, within: Span, lang: str, rng: random.Random) -> str | None:
    """The sentence with a number or a marked term asked for."""
    a, b = within
    places = [(m.span(), MANY[lang]) for m in _NUMBER.finditer(block.text, a, b)]
    places += [
        ((s, e), rng.choice(WHAT[lang]))
        for s, e in block.marks
        if a <= s and e <= b and e - s < 0.6 * (b - a)
    ]
    if not places:
        return None
    (s, e), word = rng.choice(places)
    question = (block.text[a:s] + word + block.text[e:b]).strip().rstrip("。.！!？?：: ")
    return question + MARK[lang]


def swap(question: str, rng: random.Random) -> str | None:
    numbers = list(_NUMBER.finditer(question))
    if not numbers:
        return None
    match = rng.choice(numbers)
    changed = re.sub(r"\d$", lambda d: str((int(d.group()) + rng.randint(1, 8)) % 10), match.group())
    return question[: match.start()] + changed + question[match.end() :]


def manuals(folder: Path, use: str = "train") -> list[Topic]:
    """The manuals that `manuals.json` lists for this use ("train" or "test"), unpacked under the folder."""
    found = []
    for entry in json.loads(Path(__file__).with_name("manuals.json").read_text("utf-8")):
        suffixes = entry.pop("suffixes")
        if entry.pop("use") != use:
            continue
        own = topics({lang: folder / path for lang, path in entry.items()}, suffixes)
        print(f"{entry['en']}: {len(own)} sections", file=sys.stderr)
        found += own
    return found


def held_out(topic: Topic) -> bool:
    """A tenth of the pages takes no part in training."""
    return sha256(topic.page.encode()).digest()[0] < 26
