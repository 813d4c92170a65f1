"""Pairs of (question, passage) for the reader: what answers, and above all what nearly does.

Everything is made from public data or documentation: XQuAD (train articles only), chunking-evaluation, and
the manual of an open-source project (`--manual`, reStructuredText). Near misses: the answer's sentence taken
out, a name swapped for another, the nearest other paragraphs, the right entry with an attribute that it does
not state.
"""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from reader_manual import Section, manual

from suffice.plugins.judges._features_units import estimate_tokens
from suffice.text import sentences
from suffice.values import Span

LANGUAGES = ("en", "zh", "de")
WINDOW = 96  # tokens, estimated
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,.]*\d(?![\w])|(?<![\w.,])\d(?![\w.,])")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w-]+(?: [A-Z][\w-]+)*")
_LATIN = re.compile(r"[A-Z][A-Za-z-]+(?: [A-Z][A-Za-z-]+)*")
_YEAR = re.compile(r"1\d{3}|20\d\d")
_ASK = {
    "en": ("what year", "how many", "who or what"),
    "zh": ("哪一年", "多少", "什么"),
    "de": ("welchem Jahr", "wie viele", "wer oder was"),
}
_MARK = {"en": "?", "zh": "？", "de": "?"}


@dataclass(frozen=True)
class Pair:
    """One question with one passage window. `spans`: where the evidence stands, empty when label is 0."""

    question: str
    title: str
    text: str
    label: float
    spans: tuple[Span, ...]
    kind: str


@dataclass(frozen=True)
class Paragraph:
    """One XQuAD paragraph in three languages; questions by language with (answer, start) per language."""

    article: str
    texts: dict[str, str]
    questions: tuple[tuple[dict[str, str], dict[str, tuple[str, int]]], ...]


def part_of(article: str) -> str:
    """train (60 %), stack (20 %: the last logistic layer) or test (20 %; never seen by `features` either)."""
    digest = sha256(article.encode()).digest()[0]
    if digest % 2 and (digest // 2) % 5 < 2:
        return "test"
    return "stack" if (digest // 2) % 5 == 2 else "train"


def paragraphs(folder: Path) -> list[Paragraph]:
    """All XQuAD paragraphs."""
    data = {
        lang: json.loads((folder / f"xquad.{lang}.json").read_text("utf-8"))["data"] for lang in LANGUAGES
    }
    found = []
    for a, article in enumerate(data["en"]):
        for p in range(len(article["paragraphs"])):
            own = {lang: data[lang][a]["paragraphs"][p] for lang in LANGUAGES}
            asked = []
            for q in range(len(own["en"]["qas"])):
                entries = {lang: own[lang]["qas"][q] for lang in LANGUAGES}
                answers = {lang: entry["answers"][0] for lang, entry in entries.items()}
                asked.append(
                    (
                        {lang: entry["question"] for lang, entry in entries.items()},
                        {lang: (answer["text"], answer["answer_start"]) for lang, answer in answers.items()},
                    )
                )
            texts = {lang: own[lang]["context"] for lang in LANGUAGES}
            found.append(Paragraph(article["title"].replace("_", " "), texts, tuple(asked)))
    return found


def window(text: str, keep: Span | None, rng: random.Random, size: int = WINDOW) -> tuple[str, list[Span]]:
    """Consecutive sentences of about `size` tokens that hold `keep`; those of them that touch `keep`."""
    cut = sentences(text)
    if not cut:
        return text[: 4 * size], []
    touched = [i for i, (a, b) in enumerate(cut) if keep and a < keep[1] and b > keep[0]]
    first = last = touched[0] if touched else rng.randrange(len(cut))
    if touched:
        last = touched[-1]
    while True:
        choices = [(first - 1, last)] * (first > 0) + [(first, last + 1)] * (last + 1 < len(cut))
        rng.shuffle(choices)
        fitting = [(a, b) for a, b in choices if estimate_tokens(text[cut[a][0] : cut[b][1]]) <= size]
        if not fitting:
            break
        first, last = fitting[0]
    start, end = cut[first][0], cut[last][1]
    return text[start:end], [(cut[i][0] - start, cut[i][1] - start) for i in touched]


def without(text: str, answer: str, span: Span) -> str:
    """The text without the sentence of the answer and any other that holds the answer's words."""
    kept = [
        text[a:b]
        for a, b in sentences(text)
        if not (a < span[1] and b > span[0]) and answer.casefold() not in text[a:b].casefold()
    ]
    return " ".join(part.strip() for part in kept)


def xquad(found: Sequence[Paragraph], near: dict[str, list[int]], rng: random.Random) -> Iterator[Pair]:
    """Questions of train articles, in each language, with passages in each language."""
    names = sorted(
        {name for p in found if part_of(p.article) == "train" for name in _NAME.findall(p.texts["en"])}
    )
    for paragraph in found:
        if part_of(paragraph.article) != "train":
            continue
        for questions, answers in paragraph.questions:
            for lang in LANGUAGES:
                question = questions[lang]
                hard = [i for i in near[question][:6] if found[i] is not paragraph]
                rng.shuffle(hard)
                # Every pair of languages has as many near misses as answers: else the reader learns that
                # a passage in English answers less often than others (it did).
                third = rng.choice([other for other in LANGUAGES if other != "en"])
                for of, other in zip(
                    ("en", third) if lang == "en" else ("en", "en", lang), hard, strict=False
                ):
                    text, (answer, start) = paragraph.texts[of], answers[of]
                    span = (start, start + len(answer))
                    seen, spans = window(text, span, rng)
                    yield Pair(question, _title(paragraph, of, rng), seen, 1.0, tuple(spans), "xquad own")
                    rest = without(text, answer, span)
                    if len(rest) > 80 and rng.random() < 0.9:
                        seen, _ = window(rest, None, rng)
                        yield Pair(question, _title(paragraph, of, rng), seen, 0.0, (), "xquad cut")
                    seen, _ = window(found[other].texts[of], None, rng)
                    yield Pair(question, _title(found[other], of, rng), seen, 0.0, (), "xquad near")
                swapped = swap(question, names, paragraph.texts["en"], rng)
                if swapped and rng.random() < 0.7:
                    answer, start = answers["en"]
                    seen, _ = window(paragraph.texts["en"], (start, start + len(answer)), rng)
                    yield Pair(swapped, _title(paragraph, "en", rng), seen, 0.0, (), "xquad swapped")


def _title(paragraph: Paragraph, lang: str, rng: random.Random) -> str:
    return paragraph.article if lang == "en" and rng.random() < 0.7 else ""


def swap(question: str, names: Sequence[str], text: str, rng: random.Random) -> str | None:
    """The question with one of its names or numbers changed to one that the text does not hold."""
    held = [m for m in _LATIN.finditer(question) if m.start() > 0 and m.group() in text]
    if held:
        match = rng.choice(held)
        new = rng.choice(names)
        if new.casefold() not in text.casefold():
            return question[: match.start()] + new + question[match.end() :]
    numbers = list(_NUMBER.finditer(question))
    if numbers:
        match = rng.choice(numbers)
        digits = re.sub(r"\d$", lambda d: str((int(d.group()) + rng.randint(1, 8)) % 10), match.group())
        if digits not in text:
            return question[: match.start()] + digits + question[match.end() :]
    return None


def cloze(found: Sequence[Paragraph], rng: random.Random) -> Iterator[Pair]:
    """Sentences with a number or name asked for; across languages where sentences stand one to one."""
    train = [p for p in found if part_of(p.article) == "train"]
    names = sorted({name for p in train for name in _NAME.findall(p.texts["en"])})
    for paragraph in train:
        cut = {lang: sentences(paragraph.texts[lang]) for lang in LANGUAGES}
        for lang in LANGUAGES:
            for number, (a, b) in enumerate(cut[lang]):
                sentence = paragraph.texts[lang][a:b].strip()
                asked = _asked(sentence, lang, rng)
                if asked is None or not 20 <= len(sentence) <= 260 or rng.random() < 0.35:
                    continue
                aligned = [other for other in LANGUAGES if len(cut[other]) == len(cut[lang])]
                of = rng.choice(aligned)
                text, span = paragraph.texts[of], cut[of][number]
                seen, spans = window(text, span, rng)
                yield Pair(asked, _title(paragraph, of, rng), seen, 1.0, tuple(spans), "cloze")
                if rng.random() < 0.5:
                    rest = text[: span[0]] + text[span[1] :]
                    seen, _ = window(rest, None, rng)
                    if len(rest) > 80:
                        yield Pair(asked, _title(paragraph, of, rng), seen, 0.0, (), "cloze cut")
                else:
                    wrong = swap(asked, names, text, rng)
                    if wrong:
                        seen, _ = window(text, span, rng)
                        yield Pair(wrong, _title(paragraph, of, rng), seen, 0.0, (), "cloze swapped")


def _asked(sentence: str, lang: str, rng: random.Random) -> str | None:
    year, many, what = _ASK[lang]
    places = [(m, year if _YEAR.fullmatch(m.group()) else many) for m in _NUMBER.finditer(sentence)]
    if lang != "de":
        pattern = _NAME if lang == "en" else _LATIN
        places += [(m, what) for m in pattern.finditer(sentence)]
    if not places:
        return None
    match, word = rng.choice(places)
    return (sentence[: match.start()] + word + sentence[match.end() :]).rstrip(".。！!？? ") + _MARK[lang]


def chunking(folder: Path, rng: random.Random) -> Iterator[Pair]:
    """Questions with gold spans in long English documents; near misses by shared words."""
    with (folder / "questions_df.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for name in sorted({row["corpus_id"] for row in rows}):
        text = (folder / "corpora" / f"{name}.md").read_text("utf-8")
        pieces = [text[i : i + 480] for i in range(0, len(text), 360)]
        bags = Bags(pieces)
        for row in (row for row in rows if row["corpus_id"] == name):
            gold = [(r["start_index"], r["end_index"]) for r in json.loads(row["references"])]
            question = row["question"]
            for start, end in gold[:3]:
                low, high = max(0, start - 700), min(len(text), end + 700)
                seen, spans = window(text[low:high], (start - low, end - low), rng)
                # Alone it may be part of the answer only, when there are several.
                label = 1.0 if len(gold) == 1 else 0.8
                yield Pair(question, name.replace("_", " "), seen, label, tuple(spans), "chunking gold")
                rest = text[low:start] + text[end:high]
                if not any(a < high and b > low for a, b in gold if (a, b) != (start, end)):
                    seen, _ = window(rest, None, rng)
                    yield Pair(question, name.replace("_", " "), seen, 0.0, (), "chunking cut")
            wrong = 0
            for i in bags.nearest(question, 12):
                low, high = 360 * i, 360 * i + 480
                if wrong < 2 and not any(a < high + 200 and b > low - 200 for a, b in gold):
                    wrong += 1
                    seen, _ = window(pieces[i], None, rng)
                    yield Pair(question, name.replace("_", " "), seen, 0.0, (), "chunking near")


class Bags:
    """Texts as bags of words, to find those that share rare words with a question."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._words = [set(re.findall(r"\w{3,}", text.casefold())) for text in texts]
        counts: dict[str, int] = {}
        for words in self._words:
            for word in words:
                counts[word] = counts.get(word, 0) + 1
        self._weight = {word: float(np.log(len(texts) / n)) for word, n in counts.items()}

    def nearest(self, text: str, n: int) -> list[int]:
        asked = set(re.findall(r"\w{3,}", text.casefold())) & self._weight.keys()
        scores = [sum(self._weight[w] for w in asked & words) for words in self._words]
        return [int(i) for i in np.argsort(-np.array(scores), kind="stable")[:n]]


def documentation(sections: Sequence[Section], n: int, rng: random.Random) -> Iterator[Pair]:
    """See `reader_manual`: its questions with windows of the sections."""
    for question, section, label, kind in manual(sections, n, rng):
        head = section.title if rng.random() < 0.5 else " › ".join(section.path)
        if "entry" in kind:
            head = section.title if rng.random() < 0.3 else " › ".join(section.path)
        first, last = 0, min(len(section.text), 420)
        keep = (first, last) if label else None
        seen, _ = window(section.text[:1200], keep if rng.random() < 0.6 else (0, 1), rng)
        yield Pair(question, head, seen, label, (), kind)
