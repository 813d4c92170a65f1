"""Fit the weights of the `features` judge, and say how good they are on what they were not fitted to.

    python training/features_judge.py --data ../shared/datasets [--out FILE] [--cache DIR]

Data: XQuAD (questions in English, Chinese and German over the English paragraphs; the own paragraph kept,
taken out, or kept without its answer sentence) and MTRAG-UN (the contexts of a collection
pooled as its corpus). A question is scored by its best passage of five. Prints the tables of the README.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from features_data import Corpora, Item, mtrag, parts, xquad
from numpy.typing import NDArray

from suffice.plugins.judges._features_read import READ, WORDS, Centre, Reader
from suffice.plugins.judges._features_units import windows
from suffice.registry import create
from suffice.text import sentences
from suffice.values import Need, Passage

K = 5
RATES = (0.02, 0.05, 0.1, 0.2)
# Bounds of a feature's weight: more alignment or coverage must not count against a support, a missing name or
# number must not count for it. Names are held to at least 1: in these sets a passage often names its topic
# by a pronoun, in documentation hardly ever. Numbers are held to at most 2: a question word is a weak sign.
MISSING = {"name_missing": (-9.0, -1.0), "number_missing": (-2.0, 0.0)}
FREE = ("same_language", "few")
CROSS = ("-zh", "-de", "-ja")  # question and passages in different languages


@dataclass
class Case:
    """A question in one condition: features of its passages, which of them are gold."""

    item: Item
    condition: str
    rows: list[dict[str, float]]
    gold: list[bool]
    top_cosine: float

    @property
    def cross(self) -> bool:
        return self.item.set.endswith(CROSS)

    @property
    def positive(self) -> bool:
        return any(self.gold)


def half(group: str) -> int:
    """0: fitted to; 1: held out. By article or conversation, never by question."""
    return sha256(group.encode()).digest()[0] % 2


def cached(folder: Path, name: str, texts: Sequence[str], make) -> NDArray[np.float32]:
    key = sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    file = folder / f"{name}-{key}.npy"
    if not file.exists():
        np.save(file, make(texts))
    return np.load(file)


def cases(items: Sequence[Item], corpora, embedder, folder: Path) -> tuple[list[Case], Centre]:
    """Features of every question in every condition, and the centre of the token states."""
    spread = {}
    for name, corpus in corpora.items():
        texts = [f"{title}\n{part}" for title, text in corpus for part in parts(text)]
        owner = np.array([i for i, (_, text) in enumerate(corpus) for _ in parts(text)])
        spread[name] = (owner, cached(folder, name, texts, embedder.embed_passages))
    queries = cached(folder, "queries", [item.question for item in items], embedder.embed_queries)
    centre = _centre(items, corpora, embedder)
    readers: dict[str, Reader] = {}
    found: list[Case] = []
    started = time.time()
    for number, (item, query) in enumerate(zip(items, queries, strict=True)):
        owner, vectors = spread[item.corpus]
        corpus = corpora[item.corpus]
        scores = np.full(len(corpus), -1.0)
        np.maximum.at(scores, owner, vectors @ query)
        order = [int(i) for i in np.lexsort((np.arange(len(scores)), -scores))]
        reader = readers.setdefault(item.corpus, Reader(embedder, centre, 640))
        for condition in ("kept", "out", "cut") if item.set.startswith("xquad") else ("pooled",):
            chosen = [i for i in order if condition != "out" or i not in item.gold][:K]
            texts = {i: corpus[i][1] for i in chosen}
            if condition == "cut":
                if not item.gold & set(chosen):
                    continue
                texts = {
                    i: _without(text, item.answer) if i in item.gold else text for i, text in texts.items()
                }
            given = [
                Passage(
                    rank, str(i), corpus[i][0], (), texts[i], (0, len(texts[i])), {"dense": float(scores[i])}
                )
                for rank, i in enumerate(chosen, start=1)
            ]
            reader._texts.clear()
            looked = reader.look(Need("N1", item.question), given)
            gold = [condition != "cut" and int(one.passage.chunk_id) in item.gold for one in looked]
            found.append(
                Case(item, condition, [one.features for one in looked], gold, float(scores[chosen[0]]))
            )
        if number % 200 == 0:
            print(f"{number} of {len(items)} questions, {time.time() - started:.0f} s", file=sys.stderr)
    return found, centre


def _without(text: str, answer: str) -> str:
    kept = [text[a:b] for a, b in sentences(text) if answer not in text[a:b]]
    return " ".join(kept)


def _centre(items: Sequence[Item], corpora, embedder) -> Centre:
    questions = [item.question for item in items[:: max(1, len(items) // 200)]]
    texts = [
        text[slice(*windows(text)[0].span)]
        for corpus in corpora.values()
        for _, text in corpus[::9]
        if text.strip()
    ]
    means = [
        np.concatenate([s.vectors for s in embedder.token_states(some, query=query)]).mean(axis=0)
        for some, query in ((questions, True), (texts[:200], False))
    ]
    return Centre(*(mean.astype(np.float32).round(4) for mean in means))


# --- fit -------------------------------------------------------------------------------------


def fit(some: Sequence[Case], names: Sequence[str]) -> dict[str, float]:
    """Weights of a logistic regression, with bounds on the weights held by projection."""
    rows, labels, weights, owner = [], [], [], []
    totals: dict[tuple[str, bool], float] = defaultdict(float)
    for index, case in enumerate(some):
        totals[(case.item.set, case.positive)] += 1
        for row, gold in zip(case.rows, case.gold, strict=True):
            if case.positive and not gold and case.condition == "pooled":
                continue  # unlabelled: another context may answer as well
            rows.append([row[name] for name in names])
            labels.append(float(gold))
            owner.append(index)
            weights.append(1.0)
    x, y, base, own = np.array(rows), np.array(labels), np.array(weights), np.array(owner)
    # Each set counts as much as any other, and each side of it as much as the other.
    side = np.array([1.0 / totals[(some[i].item.set, some[i].positive)] for i in own])
    hard = np.array([0.35 if some[i].condition == "cut" else 1.0 for i in own])
    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-6
    z = (x - mean) / scale
    low, high = (np.array([_bounds(name)[side] for name in names]) * scale for side in (0, 1))
    share = base * side * hard
    share[y == 0] /= K
    w, b = _descend(z, y, share / share.sum(), low, high, np.zeros(len(names)), 0.0)
    raw = w / scale
    found = {"bias": float(b - (raw * mean).sum())} | {n: float(v) for n, v in zip(names, raw, strict=True)}
    found["context_missing"] = found["name_missing"]  # never seen here; it is a missing name as well
    return found


def _bounds(name: str) -> tuple[float, float]:
    return (-99.0, 99.0) if name in FREE else MISSING.get(name, (0.0, 99.0))


def _descend(z, y, share, low, high, w, b, steps: int = 4000, rate: float = 0.5, ridge: float = 2e-3):
    for _ in range(steps):
        p = 1 / (1 + np.exp(-(z @ w + b)))
        error = share * (p - y)
        w = np.clip(w - rate * (z.T @ error + ridge * w), low, high)
        b = b - rate * error.sum()
    return w, b


Weights = dict[str, dict[str, float]]  # "same" and "cross": by whether need and passage share a language


def logit(case: Case, weights: Weights) -> float:
    """The logit of the case's best passage."""
    own = weights["cross" if case.cross else "same"]
    return max(
        (own["bias"] + sum(own[n] * row[n] for n in own if n != "bias") for row in case.rows), default=-30.0
    )


def score(case: Case, weights: Weights) -> float:
    """The confidence of the case's best passage."""
    return float(1 / (1 + np.exp(-logit(case, weights))))


def fit_both(some: Sequence[Case], names: Sequence[str]) -> Weights:
    """Weights for pairs of one language and of two, on one scale of confidence.

    The logits across languages are mapped linearly so that their quantiles over unanswerable questions
    (of the set where they run highest) meet those within a language.
    """
    apart = names is READ and any(case.cross for case in some) and any(not case.cross for case in some)
    if not apart:
        weights = fit(some, names)
        return {"same": weights, "cross": weights}
    weights = {
        "same": fit([c for c in some if not c.cross], names),
        "cross": fit([c for c in some if c.cross], names),
    }
    same, cross = (_false_quantiles([c for c in some if c.cross is kind], weights) for kind in (False, True))
    slope = max(0.5, float(np.polyfit(cross, same, 1)[0]))
    shift = float(np.mean(same - slope * cross))
    weights["cross"] = {n: v * slope + (shift if n == "bias" else 0.0) for n, v in weights["cross"].items()}
    return weights


def _false_quantiles(some: Sequence[Case], weights: Weights) -> NDArray[np.float64]:
    outs = [[logit(c, weights) for c in out] for name, (_, out) in sets_of(some).items() if "cut" not in name]
    return np.array([max(np.quantile(out, 1 - rate) for out in outs) for rate in RATES])


def auroc(positive: Iterable[float], negative: Iterable[float]) -> float:
    """The chance that a positive scores above a negative, ties a half."""
    p, n = np.array(list(positive)), np.array(list(negative))
    if not len(p) or not len(n):
        return float("nan")
    return float((p[:, None] > n[None]).mean() + 0.5 * (p[:, None] == n[None]).mean())


def sets_of(some: Sequence[Case]) -> dict[str, tuple[list[Case], list[Case]]]:
    """Set -> (answerable from the evidence, not). The cut condition is a set of its own."""
    found: dict[str, tuple[list[Case], list[Case]]] = {}
    for name in sorted({case.item.set for case in some}):
        own = [case for case in some if case.item.set == name]
        kept = [c for c in own if c.positive]
        out = [c for c in own if c.condition == "out" or (c.condition == "pooled" and not c.item.answerable)]
        found[name] = (kept, out)
        cut = [c for c in own if c.condition == "cut"]
        if cut:
            found[name + " (answer sentence cut)"] = (kept, cut)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    here = Path(__file__).resolve().parents[1]
    parser.add_argument("--data", type=Path, default=here.parent / "shared" / "datasets")
    parser.add_argument(
        "--out", type=Path, default=here / "src/suffice/plugins/judges/_features_weights.json"
    )
    parser.add_argument("--cache", type=Path, default=here / "build" / "training")
    parser.add_argument("--questions", type=int, default=250, help="XQuAD questions a language")
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    corpora: Corpora = {}
    items = xquad(args.data / "xquad", corpora, args.questions) + mtrag(args.data / "mtrag-un", corpora)
    print({name: len(corpus) for name, corpus in corpora.items()}, len(items), "questions", file=sys.stderr)
    embedder = create("embedder", "e5")
    found, centre = cases(items, corpora, embedder, args.cache)
    report(found, centre, args.out)


def report(found: Sequence[Case], centre: Centre, out: Path) -> None:
    """Fit, print the tables, write the weights."""
    train = [case for case in found if half(case.item.group) == 0]
    held = [case for case in found if half(case.item.group) == 1]
    result = {
        "centre": {"query": centre.query.round(4).tolist(), "passage": centre.passage.round(4).tolist()},
    }
    fitted = {}
    for variant, names in (("read", READ), ("words", WORDS)):
        weights = fit_both(train, names)
        fitted[variant] = weights
        points = {}
        groups = [g for name, g in sets_of(held).items() if "cut" not in name]
        for rate in RATES:
            # Conservative: the highest threshold that any held-out set asks for, not that of the pool.
            asked = [np.quantile([score(c, weights) for c in out], 1 - rate) for _, out in groups if out]
            points[str(rate)] = min(0.999, float(np.ceil(max(asked) * 1e4) / 1e4))
        result[variant] = {
            "weights": {kind: {n: round(v, 5) for n, v in own.items()} for kind, own in weights.items()},
            "operating_points": points,
        }
    loso = {
        "mtrag": fit_both([c for c in train if c.item.set != "mtrag"], READ),
        "xquad": fit_both([c for c in train if c.item.set == "mtrag"], READ),
    }
    print("| held-out set | n kept / not | top-1 cosine | read | words | read, set left out |")
    print("|---|---|---|---|---|---|")
    for name, (kept, out_cases) in sets_of(held).items():
        other = loso["mtrag" if name.startswith("mtrag") else "xquad"]
        cells = [auroc([c.top_cosine for c in kept], [c.top_cosine for c in out_cases])]
        cells += [
            auroc([score(c, weights) for c in kept], [score(c, weights) for c in out_cases])
            for weights in (fitted["read"], fitted["words"], other)
        ]
        print(f"| {name} | {len(kept)} / {len(out_cases)} | " + " | ".join(f"{c:.3f}" for c in cells) + " |")
    for variant in ("read", "words"):
        print(variant, json.dumps(result[variant]["operating_points"]))
        print("| set | " + " | ".join(f"answers / false at {rate}" for rate in RATES) + " |")
        for name, (kept, out_cases) in sets_of(held).items():
            cells = []
            for rate in RATES:
                at = result[variant]["operating_points"][str(rate)]
                answers, false = (
                    np.mean([score(c, fitted[variant]) >= at for c in group]) for group in (kept, out_cases)
                )
                cells.append(f"{answers:.2f} / {false:.2f}")
            print(f"| {name} | " + " | ".join(cells) + " |")
        for kind, own in fitted[variant].items():
            print(variant, kind, {k: round(v, 2) for k, v in own.items()})
    result["fitted"] = sha256(json.dumps(result, sort_keys=True).encode()).hexdigest()[:8]
    out.write_text(json.dumps(result, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
