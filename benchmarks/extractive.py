"""What the extractive answer shows of what it should: documentation with gold quotes, short passages.

    python benchmarks/extractive.py docs PAGES QUESTIONS.jsonl    # gold chunk and its neighbours as evidence
    python benchmarks/extractive.py squad FILE.json [FILE.json ...] # gold paragraph and four of its article

`docs`: share of gold pieces of which a quote shows at least half, and characters shown for a piece. `squad`:
share of questions whose quotes hold the gold answer's text, with every passage supported as a lenient judge
would have it, and with the gold passage alone. Articles with even numbers are reported; tune on `--odd`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from suffice import registry
from suffice.answer.citations import verify
from suffice.chunks import cut
from suffice.corpus.normalize import media_type, normalize
from suffice.ports import Embedder, Generator
from suffice.settings import ChunkSettings
from suffice.values import Chunk, DraftClaim, DroppedClaim, Hit, Need, RawFile, Support


def hit_of(chunk: Chunk, rank: int) -> Hit:
    return Hit(
        rank, chunk.id, chunk.document, chunk.title, chunk.heading_path, chunk.span, None, "", "", chunk.text,
        0.0, "given", {},
    )  # fmt: skip


def chunks_of(file: Path, name: str) -> tuple[Chunk, ...]:
    data = file.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    raw = RawFile(name, file.as_uri(), media_type(name, data), digest, len(data), "")
    return cut(normalize(data, raw), ChunkSettings())


def ask(
    generator: Generator, question: str, hits: Sequence[Hit], supported: Sequence[Hit], spent: list[float]
):
    need = Need("N1", question)
    supports = [Support("N1", hit.rank, hit.span, 0.9, "given") for hit in supported]
    began = time.perf_counter()
    claims = generator.generate(question, [need], supports, hits, "en").claims
    spent.append((time.perf_counter() - began) * 1000)
    return claims


def n_shown(claims: Sequence[DraftClaim]) -> int:
    return sum(len(citation.quote) for claim in claims for citation in claim.citations)


def docs(generator: Generator, pages: Path, questions: Path, show: int) -> None:
    by_document: dict[str, tuple[Chunk, ...]] = {}
    for file in sorted(pages.rglob("*.md")):
        name = str(file.relative_to(pages.parent))
        by_document[name] = chunks_of(file, name)
    covered, lengths, whole, spent, dropped = [], [], [], [], []
    for line in questions.read_text("utf-8").splitlines():
        question = json.loads(line)
        for piece in question["pieces"]:
            best, best_length, best_whole, example = None, 0, 0, None
            for evidence in piece["evidence"]:
                chunks = by_document.get(evidence["doc"], ())
                place = next((n for n, c in enumerate(chunks) if evidence["quote"] in c.text), None)
                if place is None:
                    continue
                near = [place, *(n for n in (place - 1, place + 1) if 0 <= n < len(chunks))]
                hits = [hit_of(chunks[n], rank) for rank, n in enumerate(near, start=1)]
                claims = ask(generator, piece["need"], hits, hits, spent)
                checked = [verify(claim, hits) for claim in claims]
                dropped.extend(claim for claim in checked if isinstance(claim, DroppedClaim))
                gold = hits[0].text.index(evidence["quote"]) + hits[0].span[0]
                span = (gold, gold + len(evidence["quote"]))
                shown = sum(
                    max(0, min(span[1], c.span[1]) - max(span[0], c.span[0]))
                    for claim in claims for c in claim.citations if c.evidence == 1 and c.span
                )  # fmt: skip
                share = shown / len(evidence["quote"])
                if best is None or share > best:
                    best, best_length, best_whole = share, n_shown(claims), len(hits[0].text)
                    example = (question["id"], piece["need"], evidence["quote"], claims)
            if best is not None and example is not None:
                covered.append(best >= 0.5)
                lengths.append(best_length)
                whole.append(best_whole)
                if show and not covered[-1]:
                    show -= 1
                    print("\nMISSED", example[0], "|", example[1], "\n  GOLD", example[2])
                    print(
                        *("  SHOWN " + claim.text.replace("\n", "\n        ") for claim in example[3]),
                        sep="\n",
                    )
    print(
        f"docs: {len(covered)} pieces; gold shown {mean(covered):.3f}; {mean(lengths):.0f} characters"
        f" (gold chunk {mean(whole):.0f}); {mean(spent):.0f} ms an answer, slowest {max(spent):.0f} ms;"
        f" {len(dropped)} claims whose quote does not pass the check"
    )
    for claim in dropped[:show]:
        print("DROPPED", claim.reason, "|", claim.text)


@dataclass(frozen=True)
class Asked:
    """A question with the texts of which one must be shown, and passages, the gold one first."""

    question: str
    answers: tuple[str, ...]
    hits: tuple[Hit, ...]


def asked_of(file: Path, odd: bool, questions: dict[str, str]) -> list[Asked]:
    found = []
    for number, article in enumerate(json.loads(file.read_text("utf-8"))["data"]):
        texts = [paragraph["context"] for paragraph in article["paragraphs"]]
        for n, paragraph in enumerate(article["paragraphs"] if (number % 2 == 1) == odd else ()):
            passages = [texts[n], *texts[:n], *texts[n + 1 :]][:5]
            hits = tuple(
                Hit(rank, f"p{rank}", "d", "", (), (0, len(text)), None, "", "", text, 0.0, "", {})
                for rank, text in enumerate(passages, start=1)
            )
            for qa in paragraph["qas"]:
                answers = tuple(answer["text"] for answer in qa["answers"])
                found.append(Asked(questions.get(qa["id"], qa["question"]), answers, hits))
    return found


def squad(generator: Generator, files: Sequence[Path], odd: bool, n: int, ask_in: Path | None) -> None:
    questions = {}
    if ask_in is not None:
        for article in json.loads(ask_in.read_text("utf-8"))["data"]:
            questions.update({qa["id"]: qa["question"] for p in article["paragraphs"] for qa in p["qas"]})
    for file in files:
        asked = asked_of(file, odd, questions)
        random.Random(0).shuffle(asked)
        for label, n_supported in (("all five supported", 5), ("gold alone", 1)):
            found, lengths, spent = [], [], []
            for one in asked[:n]:
                claims = ask(generator, one.question, one.hits, one.hits[:n_supported], spent)
                text = "\n".join(c.quote for claim in claims for c in claim.citations if c.evidence == 1)
                found.append(any(answer in text for answer in one.answers))
                lengths.append(n_shown(claims))
            print(
                f"{ask_in.stem + ' over ' if ask_in else ''}{file.stem} ({'odd' if odd else 'even'} articles,"
                f" {len(found)} questions, {label}): answer shown {mean(found):.3f};"
                f" {mean(lengths):.0f} characters; {mean(spent):.0f} ms each, slowest {max(spent):.0f} ms"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("kind", choices=("docs", "squad"))
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--embedder", default="e5")
    parser.add_argument("--odd", action="store_true", help="the articles to tune on")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--ask", type=Path, help="squad: take the questions of this file, by their ids")
    parser.add_argument("--show", type=int, default=0, help="print this many misses of docs")
    parser.add_argument(
        "--set", nargs="*", default=[], metavar="WEIGHT=VALUE", help="options of the generator"
    )
    args = parser.parse_args()
    options = {key: float(value) for key, value in (pair.split("=") for pair in args.set)}
    embedder: Embedder = registry.create("embedder", args.embedder)
    generator: Generator = registry.create("generator", "extractive", embedder=embedder, **options)
    if args.kind == "docs":
        docs(generator, *args.paths[:2], args.show)
    else:
        squad(generator, args.paths, args.odd, args.questions, args.ask)


if __name__ == "__main__":
    main()
