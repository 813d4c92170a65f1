"""How well each setting of the search ranks, on public sets, with a paired test of each against the first.

    python benchmarks/retrieval.py xquad FOLDER --ask zh --settings late_weight=0 late_weight=2
    python benchmarks/retrieval.py joined FOLDER --ask zh --settings late_weight=0 late_weight=2
    python benchmarks/retrieval.py docs PAGES QUESTIONS.jsonl --settings late_weight=0 late_weight=2
    python benchmarks/retrieval.py spans FOLDER --settings late_weight=0 late_weight=2

`xquad`: 240 English paragraphs, 1,190 questions in the language asked; R@1 and R@5 of the question's own.
`joined`: two questions of paragraphs of different articles in one; both paragraphs in the first five of the
evidence gathered as `suffice ask -k 5` does. `docs`: gold quotes in documentation; share of a question's
pieces in the first 5 and 10 chunks. `spans`: chunking-evaluation, gold spans in five long documents,
likewise. Test: random sign changes of the questions' differences, 10,000 times. `--workspace` keeps the
index for the next run.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import msgspec
import numpy as np

from suffice import registry
from suffice.corpus.normalize import media_type, normalize
from suffice.gate.needs import split
from suffice.gold import find, first_whole, same_document
from suffice.index import active, open_store, update
from suffice.retrieve.gather import gather
from suffice.retrieve.search import Searcher
from suffice.settings import SearchSettings, Settings
from suffice.text import language
from suffice.values import Filter, RawFile, Snapshot
from suffice.workspace import Workspace, now

N_PERMUTATIONS = 10_000
JOINER = {"zh": "；", "de": "; ", "en": "; "}
Files = dict[str, bytes]


@dataclass(frozen=True)
class Asked:
    """A question, and what counts in its ranking: by measure, a value in [0, 1]. `odd`: used for tuning."""

    question: str
    measure: Callable[[Sequence[Any]], dict[str, float]]
    group: str
    odd: bool = False
    joined: bool = False
    names: tuple[str, ...] = ()  # the gold documents of xquad


def xquad(folder: Path, ask: str) -> tuple[Files, list[Asked]]:
    files: Files = {}
    found: list[Asked] = []
    both = zip(
        *(json.loads((folder / f"xquad.{name}.json").read_text("utf-8"))["data"] for name in ("en", ask)),
        strict=True,
    )
    for number, (english, asked) in enumerate(both):
        for paragraph, translated in zip(english["paragraphs"], asked["paragraphs"], strict=True):
            name = f"{len(files):03d}.txt"
            files[name] = paragraph["context"].encode()
            found += [
                Asked(qa["question"], _recall((name,)), f"{ask}->en", number % 2 == 1, names=(name,))
                for qa in translated["qas"]
            ]
    return files, found


def joined(folder: Path, ask: str) -> tuple[Files, list[Asked]]:
    """Question n with the one half the list away, of another article; every question comes twice."""
    files, single = xquad(folder, ask)
    made = []
    for number, one in enumerate(single):
        other = single[(number + len(single) // 2) % len(single)]
        text = one.question.rstrip("?？") + JOINER[ask] + other.question
        names = (*one.names, *other.names)
        made.append(Asked(text, _recall(names), f"joined {ask}->en", one.odd, joined=True))
    return files, made


def docs(pages: Path, questions: Path) -> tuple[Files, list[Asked]]:
    files = {
        path.relative_to(pages.parent).as_posix(): path.read_bytes() for path in sorted(pages.rglob("*.md"))
    }
    made = []
    for line in questions.read_text("utf-8").splitlines():
        asked = json.loads(line)
        pieces = [
            [(evidence["doc"], evidence["quote"]) for evidence in piece["evidence"]]
            for piece in asked["pieces"]
        ]
        if any(pieces):
            kind = "compound" if len(pieces) > 1 else "single"
            made.append(Asked(asked["question"], _coverage(files, [p for p in pieces if p]), kind))
    return files, made


def spans(folder: Path) -> tuple[Files, list[Asked]]:
    files = {path.name: path.read_bytes() for path in sorted((folder / "corpora").glob("*.md"))}
    made = []
    with (folder / "questions_df.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            pieces = [[(f"{row['corpus_id']}.md", part["content"])] for part in json.loads(row["references"])]
            kind = "several spans" if len(pieces) > 1 else "one span"
            made.append(Asked(row["question"], _coverage(files, pieces), kind))
    return files, made


def _recall(names: tuple[str, ...]) -> Callable[[Sequence[Any]], dict[str, float]]:
    def measure(hits: Sequence[Any]) -> dict[str, float]:
        ranked = list(dict.fromkeys(hit.document for hit in hits))
        if len(names) > 1:
            return {"all@5": float(all(name in {hit.document for hit in hits[:5]} for name in names))}
        return {"R@1": float(ranked[:1] == list(names)), "R@5": float(names[0] in ranked[:5])}

    return measure


def _coverage(files: Files, pieces: Sequence[Sequence[tuple[str, str]]]) -> Callable[..., dict[str, float]]:
    """`pieces`: for each, (document, quote) of the places of which any one will do."""
    texts: dict[str, str] = {}

    def text_of(name: str) -> str:
        if name not in texts:
            raw = RawFile(name, "", media_type(name, files[name]), "", len(files[name]), "")
            texts[name] = normalize(files[name], raw).text
        return texts[name]

    def rank(places: Sequence[tuple[str, str]], hits: Sequence[Any]) -> float:
        ranks = []
        for doc, quote in places:
            name = next((name for name in files if same_document(name, doc)), None)
            for span in find(text_of(name), quote) if name else ():
                own = [(hit.rank, hit.span) for hit in hits if hit.document == name]
                ranks.append(first_whole(text_of(name), span, own))  # type: ignore[arg-type]
        return min((found for found in ranks if found is not None), default=float("inf"))

    def measure(hits: Sequence[Any]) -> dict[str, float]:
        ranks = [rank(places, hits) for places in pieces]
        return {f"coverage@{k}": mean(found <= k for found in ranks) for k in (5, 10)}

    return measure


@contextmanager
def indexed(files: Files, folder: Path | None) -> Iterator[tuple[Workspace, Any]]:
    embedder = registry.create("embedder", "e5")
    with (
        tempfile.TemporaryDirectory() as made,
        Workspace.open((folder or Path(made)) / ".suffice", create=True) as ws,
    ):
        if not ws.generations():
            raws = [
                RawFile(name, f"x:{name}", media_type(name, data), ws.blobs.put(data), len(data), now())
                for name, data in files.items()
            ]
            with ws.writing():
                ws.put_snapshot(Snapshot("benchmark", now(), now(), tuple(raws)))
                for raw in raws:
                    ws.put_document(raw, "benchmark", None)
        update(ws, Settings(), embedder)
        yield ws, embedder


def hits_of(
    searcher: Searcher, asked: Sequence[Asked], n: int, spent: list[float]
) -> Iterator[Sequence[Any]]:
    for each in asked:
        began = time.perf_counter()
        if each.joined:
            needs = split(each.question, language(each.question))
            hits = gather(searcher, each.question, needs, k=5, mode="hybrid", filter=Filter()).evidence
        else:
            hits = searcher.search(each.question, k=n).hits
        spent.append((time.perf_counter() - began) * 1000)
        yield hits


def p_value(differences: Sequence[float], seed: int = 0) -> float:
    """Two-sided, of the mean difference being zero, by random signs (Fisher's randomization test)."""
    values = np.asarray(differences)
    values = values[values != 0]
    if not len(values):
        return 1.0
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(N_PERMUTATIONS, len(values)))
    return float((np.sum(np.abs(signs @ values) >= abs(values.sum()) - 1e-9) + 1) / (N_PERMUTATIONS + 1))


def variant(text: str) -> SearchSettings:
    pairs = dict(pair.split("=", 1) for pair in text.split(",") if pair)
    return msgspec.convert(pairs, SearchSettings, strict=False)


def report(name: str, values: dict[str, list[float]], first: dict[str, list[float]] | None) -> None:
    cells = []
    for measure, found in values.items():
        cell = f"{measure} {mean(found):.3f}"
        if first is not None:
            gained = [new - old for new, old in zip(found, first[measure], strict=True)]
            cell += f" ({mean(gained):+.3f}, p {p_value(gained):.4f})"
        cells.append(cell)
    print(f"  {name:44} n {len(next(iter(values.values()))):5}  " + "  ".join(cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("set", choices=("xquad", "joined", "docs", "spans"))
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--ask", default="en", help="language of the questions of xquad")
    parser.add_argument(
        "--settings", nargs="+", default=["late_weight=0", ""], help="KEY=VALUE,... of `search`"
    )
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--first", type=int, help="only the first N questions")
    arguments = parser.parse_args()
    if arguments.set in ("xquad", "joined"):
        files, asked = (xquad if arguments.set == "xquad" else joined)(arguments.paths[0], arguments.ask)
    else:
        files, asked = (docs if arguments.set == "docs" else spans)(*arguments.paths)
    asked = asked[: arguments.first]
    with indexed(files, arguments.workspace) as (ws, embedder):
        generation = active(ws, embedder).id
        first: list[dict[str, float]] | None = None
        for text in arguments.settings:
            settings = Settings(search=variant(text))
            searcher = Searcher(ws, open_store(ws, generation, settings), embedder, settings, generation)
            spent: list[float] = []
            found = [
                each.measure(hits)
                for each, hits in zip(asked, hits_of(searcher, asked, 50, spent), strict=True)
            ]
            print(f"{text or 'default'}: {median(spent):.1f} ms a question (median)")
            groups = {each.group for each in asked}
            parts: dict[str, list[int]] = {
                name: [n for n, a in enumerate(asked) if a.group == name] for name in sorted(groups)
            }
            if arguments.set in ("xquad", "joined"):
                parts["even articles"] = [n for n, each in enumerate(asked) if not each.odd]
                parts["odd articles"] = [n for n, each in enumerate(asked) if each.odd]
            elif len(groups) > 1:
                parts["all"] = list(range(len(asked)))
            for name, rows in parts.items():
                values = {m: [found[n][m] for n in rows] for m in found[0]}
                before = first and {m: [first[n][m] for n in rows] for m in found[0]}
                report(name, values, before or None)
            first = first or found


if __name__ == "__main__":
    main()
