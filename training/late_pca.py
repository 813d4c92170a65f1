"""Fits what `plugins/embedders/_e5_late.npz` holds: the projection of token states, and means by language.

    python training/late_pca.py --xquad FOLDER --mtrag FILE --messages FOLDER

`--xquad`: the folder with xquad.en.json, xquad.zh.json, xquad.de.json; only articles with odd numbers are
read, so that those with even numbers can be reported. `--mtrag`: reference.jsonl of MTRAG-UN, whose
contexts are technical and financial English. `--messages`: an unpacked Django 5.2 wheel, whose translated
messages give the means of languages that the other sets lack: the mean of their messages less that of the
English ones, added to the English means. The file is the same for the same inputs, up to what the CPU
rounds.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from suffice import registry

LANGUAGES = ("en", "zh", "de")
# folder of the messages by the name that suffice.text.language gives
TRANSLATED = {
    "en": "en", "zh": "zh_Hans", "de": "de", "ja": "ja", "ko": "ko", "fr": "fr", "es": "es", "pt": "pt",
    "it": "it", "nl": "nl", "ru": "ru", "uk": "uk", "ar": "ar", "fa": "fa", "he": "he", "hi": "hi",
    "bn": "bn",
    "ta": "ta", "te": "te", "th": "th", "el": "el", "hy": "hy", "ka": "ka", "km": "km",
}  # fmt: skip
N_MESSAGES, N_CONTEXTS, HEAD_CHARS, DIM = 120, 250, 600, 128
_OUT = Path(__file__).resolve().parents[1] / "src/suffice/plugins/embedders/_e5_late.npz"
_ENTRY = re.compile(r'^msgid (?P<id>(?:".*"\n)+)msgstr (?P<text>(?:".*"\n?)+)', re.MULTILINE)
_LEAST_CHARS = 20


def articles(folder: Path, language: str) -> Iterator[tuple[str, list[str]]]:
    """(paragraph, questions) of the articles with odd numbers."""
    data = json.loads((folder / f"xquad.{language}.json").read_text("utf-8"))["data"]
    for article in data[1::2]:
        for paragraph in article["paragraphs"]:
            yield paragraph["context"][:HEAD_CHARS], [qa["question"] for qa in paragraph["qas"]]


def contexts(file: Path) -> list[str]:
    """A repeatable choice of contexts, their heads."""
    found: dict[str, None] = {}
    for line in file.read_text("utf-8").splitlines():
        for context in json.loads(line).get("contexts") or ():
            found.setdefault(context["text"][:HEAD_CHARS])
    by_digest = sorted(found, key=lambda text: hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    return [text for text in by_digest if len(text) >= HEAD_CHARS // 4][:N_CONTEXTS]


def messages(folder: Path, language: str) -> list[str]:
    """The longest messages of a language, most words first in English, so that languages hold like things."""
    entries: dict[str, str] = {}
    for file in sorted(folder.rglob(f"locale/{TRANSLATED[language]}/LC_MESSAGES/django.po")):
        for match in _ENTRY.finditer(file.read_text("utf-8")):
            name, text = _joined(match["id"]), _joined(match["text"])
            entries[name] = name if language == "en" else text
    chosen = [(name, text) for name, text in entries.items() if len(name) >= _LEAST_CHARS and text]
    chosen.sort(key=lambda item: (-len(item[0]), item[0]))
    return [text for _, text in chosen[:N_MESSAGES]]


def _joined(quoted: str) -> str:
    return "".join(ast.literal_eval(line) for line in quoted.splitlines() if line)


def states(embedder: Any, texts: Sequence[str], *, query: bool) -> Any:
    """(n, dim) float32: the states of all tokens of all texts."""
    found = [each.vectors for each in embedder.token_states(list(texts), query=query)]
    return np.concatenate(found) if found else np.zeros((0, embedder.dim), np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--xquad", type=Path, required=True)
    parser.add_argument("--mtrag", type=Path, required=True)
    parser.add_argument("--messages", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=_OUT)
    arguments = parser.parse_args()
    embedder = registry.create("embedder", "e5")
    scatter = np.zeros((embedder.dim, embedder.dim))
    n_tokens = 0
    means: dict[tuple[str, bool], Any] = {}

    def seen(found: Any, mean: Any) -> None:
        nonlocal scatter, n_tokens
        centred = found.astype(np.float64) - mean
        scatter += centred.T @ centred
        n_tokens += len(found)

    for language in LANGUAGES:
        pairs = list(articles(arguments.xquad, language))
        sides = {
            False: [text for text, _ in pairs],
            True: [question for _, asked in pairs for question in asked],
        }
        for query, texts in sides.items():
            found = states(embedder, texts, query=query)
            means[language, query] = found.mean(axis=0, dtype=np.float64)
            seen(found, means[language, query])
            print(f"{language} {'queries' if query else 'passages'}: {len(texts)} texts, {len(found)} tokens")
    found = states(embedder, contexts(arguments.mtrag), query=False)
    seen(found, found.mean(axis=0, dtype=np.float64))
    print(f"contexts: {len(found)} tokens")
    of_messages = {}
    for language in TRANSLATED:
        found = states(embedder, messages(arguments.messages, language), query=False)
        of_messages[language] = found.mean(axis=0, dtype=np.float64)
        print(f"messages {language}: {len(found)} tokens")
    for language, query in list(means):
        shifted = means["en", query] + of_messages[language] - of_messages["en"]
        gap, left = means[language, query] - means["en", query], means[language, query] - shifted
        if language != "en":
            print(
                f"{language} {'queries' if query else 'passages'}: distance to the English mean "
                f"{np.linalg.norm(gap):.3f}, of which the messages leave {np.linalg.norm(left):.3f}"
            )
    for language, mean in of_messages.items():
        for query in (False, True):
            means.setdefault((language, query), means["en", query] + mean - of_messages["en"])
    values, vectors = np.linalg.eigh(scatter / n_tokens)
    kept = vectors[:, ::-1][:, :DIM]
    kept *= np.sign(
        kept[np.abs(kept).argmax(axis=0), np.arange(DIM)]
    )  # a sign that no library version changes
    names = sorted(TRANSLATED)
    sides = {
        query: np.stack(
            [*(means[name, query] for name in names), np.mean([means[n, query] for n in names], axis=0)]
        )
        for query in (True, False)
    }
    np.savez(
        arguments.out,
        projection=kept.astype(np.float16),
        languages=np.array([*names, ""]),
        queries=sides[True].astype(np.float16),
        passages=sides[False].astype(np.float16),
    )
    share = values[::-1][:DIM].sum() / values.sum()
    print(f"{n_tokens} tokens; {DIM} of {embedder.dim} dimensions keep {share:.3f} of the variance")
    print(f"{arguments.out}: {arguments.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
