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
from dataclasses import dataclass, field
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

from reader_manual import ATTRIBUTES, IN, PRODUCTS

from suffice.text import sentences
from suffice.values import Span

LANGUAGES = ("en", "zh", "ja", "de")
_HEADS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_BLOCKS = _HEADS | {"p", "li", "pre", "dt", "dd", "td", "th"}
_MARKS = {"code", "tt", "kbd", "em", "strong", "b"}
_MARK_CLASSES = {
    "emph",
    "menuitem",
    "literal",
    "input",
    "widget",
    "guilabel",
    "guimenu",
    "filename",
    "command",
}
_HIDDEN = {"script", "style", "nav", "head", "noscript"}
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
class Block:
    tag: str
    text: str
    marks: list[Span] = field(default_factory=list)


@dataclass
class Part:
    """A section: its headings from the page's title down, and its blocks."""

    path: tuple[str, ...]
    blocks: list[Block]

    @property
    def shape(self) -> tuple[str, ...]:
        return tuple(block.tag for block in self.blocks)


@dataclass
class Topic:
    """One section in the languages that have it; `aligned`: those whose blocks stand one to one with English."""

    page: str
    parts: dict[str, Part]
    aligned: tuple[str, ...]


class _Pages(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self._hidden = 0
        self._open: list[tuple[str, int | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        in_row = bool(self.blocks) and self.blocks[-1].tag == "tr"
        if tag == "tr":
            self.blocks.append(Block(tag, ""))
        elif in_row and tag in ("td", "th"):
            self.blocks[-1].text += " | " if self.blocks[-1].text.strip() else ""
        elif tag in _BLOCKS and not (in_row and tag not in _HEADS):
            self.blocks.append(Block(tag, ""))
        elif tag == "br" and self.blocks:
            self.blocks[-1].text += "\n" if self.blocks[-1].tag == "pre" else " "
        classes = set((dict(attrs).get("class") or "").split())
        if self.blocks and (tag in _MARKS or (tag == "span" and classes & _MARK_CLASSES)):
            self._open.append((tag, len(self.blocks[-1].text)))
        elif tag == "span":
            self._open.append((tag, None))

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        if tag == "tr" and self.blocks and self.blocks[-1].tag == "tr":
            self.blocks.append(Block("p", ""))
        if self._open and self._open[-1][0] == tag:
            _, start = self._open.pop()
            if start is not None and self.blocks and start < len(self.blocks[-1].text):
                self.blocks[-1].marks.append((start, len(self.blocks[-1].text)))

    def handle_data(self, data: str) -> None:
        if self._hidden or not self.blocks:
            return
        block = self.blocks[-1]
        block.text += data if block.tag == "pre" else re.sub(r"\s+", " ", data)


def page(file: Path) -> list[Part]:
    parser = _Pages()
    parser.feed(file.read_text("utf-8", "replace"))
    found: list[Part] = []
    path: list[str] = []
    for block in parser.blocks:
        text = block.text.strip()
        shift = len(block.text) - len(block.text.lstrip())
        marks = [(a - shift, b - shift) for a, b in block.marks if a >= shift and b - shift <= len(text)]
        if block.tag in _HEADS and text:
            level = int(block.tag[1]) - 1
            path = [*path[:level], re.sub(r"^(第 ?)?[\d.]+( ?章)?[.\s]+", "", text)]
            found.append(Part(tuple(path), []))
        elif found and text:
            found[-1].blocks.append(Block(block.tag, text, marks))
    return found


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
            same = {l: p[number] for l, p in parts.items() if len(p) == len(parts["en"])}
            aligned = tuple(l for l, p in same.items() if p.shape == part.shape)
            same = {l: p for l, p in same.items() if l == "en" or _translated(p, part)}
            aligned = tuple(l for l in aligned if l in same)
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


def questions(
    found: Sequence[Topic], n: int, rng: random.Random
) -> Iterator[tuple[str, str, str, float, tuple[Span, ...], str]]:
    """(question, head, text, label, spans, kind) from about `n` sections. A question and its near misses
    are read in one language, so that the language of a passage says nothing."""
    by_page: dict[str, list[Topic]] = {}
    by_folder: dict[str, list[Topic]] = {}
    for topic in found:
        by_page.setdefault(topic.page, []).append(topic)
        by_folder.setdefault(topic.page.rsplit("/", 1)[0], []).append(topic)
    for topic in rng.sample(list(found), min(n, len(found))):
        lang = rng.choice([l for l in ("en", "zh", "zh", "ja", "de") if l in topic.parts])
        read = "en" if rng.random() < 0.65 else rng.choice(list(topic.parts))
        part, asked_in = topic.parts[read], topic.parts[lang]
        size = rng.choice((48, 96, 96, 120))
        others = [
            t for t in by_page[topic.page] if t is not topic and read in t.parts and t.parts[read].blocks
        ]
        near = [
            t for t in by_folder[topic.page.rsplit("/", 1)[0]] if t.page != topic.page and read in t.parts
        ]

        def head(p: Part) -> str:
            return rng.choice(("", p.path[0], " › ".join(p.path)))

        def other() -> Topic | None:
            pool = others if others and rng.random() < 0.5 else near
            return rng.choice(pool) if pool else None

        heading = asked_in.path[-1].rstrip("：: ")
        own = head(part)
        if 3 <= len(heading) <= 80:
            question = rng.choice(ABOUT[lang]).format(h=heading.rstrip("？?。."))
            if len(heading) < 12 and len(asked_in.path) > 1 and asked_in.path[-2] != heading:
                question = f"{asked_in.path[-2]}: {question}"
            text, _ = window(part, 0, rng, size)
            yield question, own, text, 1.0, (), "aligned heading"
            wrong = other()
            if wrong and heading not in wrong.parts[read].path:
                text, _ = window(wrong.parts[read], None, rng, size)
                yield question, head(wrong.parts[read]), text, 0.0, (), "aligned other section"
            if rng.random() < 0.2:
                product = rng.choice(PRODUCTS)
                text, _ = window(part, 0, rng, size)
                if product.casefold() not in text.casefold():
                    told = IN.get(lang, "{p}の場合、{q}").format(q=question, p=product)
                    yield told, own, text, 0.0, (), "aligned other product"
            if rng.random() < 0.5:
                yield from attribute(topic, read, lang, own, size, rng)
        if lang not in topic.aligned or read not in topic.aligned:
            continue
        places = [i for i, b in enumerate(asked_in.blocks) if 20 <= len(b.text) <= 400 and b.tag != "pre"]
        for i in rng.sample(places, min(2, len(places))):
            block = asked_in.blocks[i]
            cut = sentences(block.text)
            a, b = rng.choice(cut) if cut else (0, len(block.text))
            sentence = block.text[a:b].strip()
            if not 12 <= len(sentence) <= 240:
                continue
            question = fact(block, (a, b), lang, rng) if rng.random() < 0.7 else None
            if question is None:
                question = rng.choice(WHETHER[lang]).format(s=sentence.rstrip("。.！!？?：: "))
            text, span = window(part, i, rng, size)
            if estimate(text) > 2 * size:
                continue
            yield question, own, text, 1.0, (span,), "aligned fact"
            if len(part.blocks) > 1:
                text, _ = window(part, rng.choice((i - 1, i + 1)), rng, size, skip=i)
                if len(text) > 60 and block.text not in text:
                    yield question, own, text, 0.0, (), "aligned fact cut"
            wrong = other()
            if wrong and rng.random() < 0.6:
                text, _ = window(wrong.parts[read], None, rng, size)
                yield question, head(wrong.parts[read]), text, 0.0, (), "aligned fact elsewhere"
            swapped = swap(question, rng)
            if swapped and rng.random() < 0.7:
                text, _ = window(part, i, rng, size)
                if not set(_NUMBER.findall(swapped)) - set(_NUMBER.findall(question)) & set(
                    _NUMBER.findall(text)
                ):
                    yield swapped, own, text, 0.0, (), "aligned fact swapped"


def attribute(
    topic: Topic, read: str, lang: str, own: str, size: int, rng: random.Random
) -> Iterator[tuple[str, str, str, float, tuple[Span, ...], str]]:
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
    """All manuals that `manuals.json` in the folder lists for this use.

    [{"use": "train" or "test", "en": "a folder", ..., "suffixes": {"en": ".html", ...}}, ...]
    """
    found = []
    for entry in json.loads((folder / "manuals.json").read_text("utf-8")):
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
