"""Fit the reader judge's last layer, and say how good it is on what neither it nor the reader was trained on.

    python training/reader_stack.py --shared ../shared --weights DIR/_reader_weights.npz --out DIR

The last layer is a logistic regression (bounded signs, pairs of one language and of two apart) over the
reader's logit and the features of the `features` judge. XQuAD articles that the reader was trained on take no
part; of MTRAG-UN it has seen nothing. Half of each is fitted to, half is reported.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from features_data import Corpora, Item, mtrag, parts, xquad
from features_judge import (
    RATES,
    READ,
    Case,
    Weights,
    _centre,
    _false_quantiles,
    _without,
    auroc,
    cached,
    fit,
    half,
    logit,
    score,
    sets_of,
)
from reader_data import part_of
from reader_docs import docs

from suffice.plugins.judges import _features_read
from suffice.plugins.judges._features_read import add_margin
from suffice.plugins.judges._features_words import wording
from suffice.plugins.judges._reader_model import ReaderModel
from suffice.plugins.judges._reader_windows import choose, head, windows
from suffice.registry import create
from suffice.values import Need, Passage

K = 5
READ_TOKENS = 900
STACKED = ("reader", "reader_margin", "few", *READ)
WORDY = (
    "reader",
    "few",
    "coverage",
    "name_coverage",
    "name_missing",
    "context_missing",
    "number_missing",
    "coverage_margin",
)


@dataclass
class Seen:
    """A case with the passages that were read."""

    case: Case
    passages: list[Passage]


def collect(args: argparse.Namespace) -> list[Seen]:
    """Questions over retrieved passages, with the features of the `features` judge; kept in --out."""
    kept = args.out / f"cases-{args.questions}.pickle"
    if kept.exists():
        return pickle.loads(kept.read_bytes())
    corpora: Corpora = {}
    data = args.shared / "datasets"
    items = [item for item in xquad(data / "xquad", corpora, 1190) if place(item) != "train"]
    by_set: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        by_set.setdefault((item.set, place(item)), []).append(item)
    chosen: list[Item] = []
    for own in by_set.values():
        own.sort(key=lambda item: sha256(f"{item.group}{item.corpus}{sorted(item.gold)}".encode()).digest())
        chosen += own[:: max(1, len(own) // args.questions)][: args.questions]
    if args.aligned:
        chosen += docs(args.aligned, corpora, args.documentation)
    turns = mtrag(data / "mtrag-un", corpora)
    chosen += [item for item in turns if not item.answerable]
    chosen += [item for item in turns if item.answerable][:: max(1, 120 // args.questions)]
    embedder = create("embedder", "e5")
    spread = {}
    for name, corpus in corpora.items():
        texts = [f"{title}\n{part}" for title, text in corpus for part in parts(text)]
        owner = np.array([i for i, (_, text) in enumerate(corpus) for _ in parts(text)])
        spread[name] = (owner, cached(args.out, name, texts, embedder.embed_passages))
    queries = embedder.embed_queries([item.question for item in chosen])
    centre = _centre(chosen, corpora, embedder)
    readers: dict[str, _features_read.Reader] = {}
    found = []
    for number, (item, query) in enumerate(zip(chosen, queries, strict=True)):
        owner, vectors = spread[item.corpus]
        corpus = corpora[item.corpus]
        scores = np.full(len(corpus), -1.0)
        np.maximum.at(scores, owner, vectors @ query)
        order = [int(i) for i in np.lexsort((np.arange(len(scores)), -scores))]
        reader = readers.setdefault(item.corpus, _features_read.Reader(embedder, centre, 640))
        for condition in ("pooled",) if item.set == "mtrag" else ("kept", "out", "cut"):
            if condition == "cut" and not item.answer:
                continue
            top = [i for i in order if condition != "out" or i not in item.gold][:K]
            if condition == "cut" and not item.gold & set(top):
                continue
            texts = {i: corpus[i][1] for i in top}
            if condition == "cut":
                texts = {i: cut_out(t, item) if i in item.gold else t for i, t in texts.items()}
            given = [
                Passage(
                    rank, str(i), corpus[i][0], (), texts[i], (0, len(texts[i])), {"dense": float(scores[i])}
                )
                for rank, i in enumerate(top, start=1)
            ]
            reader._texts.clear()
            looked = reader.look(Need("N1", item.question), given)
            gold = [condition != "cut" and int(one.passage.chunk_id) in item.gold for one in looked]
            case = Case(item, condition, [dict(one.features) for one in looked], gold, float(scores[top[0]]))
            found.append(Seen(case, [one.passage for one in looked]))
        if number % 100 == 0:
            print(f"{number} of {len(chosen)} questions", file=sys.stderr, flush=True)
    kept.write_bytes(pickle.dumps(found))
    return found


def cut_out(text: str, item: Item) -> str:
    """Without the answer's block, or without each sentence that holds the answer."""
    if item.set.startswith("docs"):
        return text.replace(item.answer, "")
    return _without(text, item.answer)


def place(item: Item) -> str:
    """train, stack or test for XQuAD; the halves of the `features` judge for conversations."""
    if item.set.startswith("docs"):
        return item.set.split("-")[1]
    if item.set.startswith("xquad"):
        return part_of(item.group.replace("_", " "))
    return "test" if half(item.group) else "stack"


def read(found: Sequence[Seen], model: ReaderModel, budget: int) -> None:
    """Put the reader's logit into the features of every passage."""
    known: dict[tuple[str, str, str], float] = {}
    started, n_tokens = time.time(), 0
    for number, seen in enumerate(found):
        question = seen.case.item.question
        cut = [windows(passage.text) for passage in seen.passages]
        chosen = choose(frozenset(wording(question, "").stems), cut, budget)
        keys = [
            (question, head(seen.passages[i]), seen.passages[i].text[slice(*cut[i][j].span)])
            for i, j in chosen
        ]
        new = list(dict.fromkeys(key for key in keys if key not in known))
        packed = [model.packer.pack(*key) for key in new]
        n_tokens += sum(len(one.ids) for one in packed)
        known.update((key, one.logit) for key, one in zip(new, model.read(packed), strict=True))
        best = [-12.0] * len(cut)
        for (i, _), key in zip(chosen, keys, strict=True):
            best[i] = max(best[i], min(12.0, known[key]))
        for row, value in zip(seen.case.rows, best, strict=True):
            row["reader"] = value
        if number % 300 == 299:
            speed = n_tokens / (time.time() - started)
            print(
                f"read {number + 1} of {len(found)} cases, {speed:.0f} tokens/s", file=sys.stderr, flush=True
            )


def fewer(case: Case, n: int) -> Case:
    """The case as it would be with `n` passages, those that answer first: a small corpus gives no more."""
    order = sorted(range(len(case.rows)), key=lambda i: (not case.gold[i], -case.rows[i]["cosine"]))
    kept = sorted(order[:n])
    rows = [dict(case.rows[i]) for i in kept]
    for name in ("cosine", "align", "coverage", "reader"):
        add_margin(rows, name)
    for row in rows:
        row["few"] = 1.0 / len(rows)
    return Case(case.item, case.condition, rows, [case.gold[i] for i in kept], case.top_cosine)


def fit_both(some: Sequence[Case], names: Sequence[str], scaled_on: Sequence[Case] = ()) -> Weights:
    """Weights for pairs of one language and of two, on one scale (as in features_judge.py).

    The scale across languages is the line that takes the thresholds of `scaled_on` at each false-answer rate
    to those within a language, so that one threshold means one rate in both.
    """
    if all(case.cross for case in some) or not any(case.cross for case in some):
        weights = fit(some, names)
        return {"same": weights, "cross": weights}
    weights = {
        "same": fit([c for c in some if not c.cross], names),
        "cross": fit([c for c in some if c.cross], names),
    }
    measured = scaled_on or some
    same, cross = (
        _false_quantiles([c for c in measured if c.cross is kind], weights) for kind in (False, True)
    )
    slope = min(3.0, max(0.5, float(np.polyfit(cross, same, 1)[0])))
    shift = float(np.mean(same - slope * cross))
    weights["cross"] = {n: v * slope + (shift if n == "bias" else 0.0) for n, v in weights["cross"].items()}
    return weights


def interval(kept: Sequence[float], out: Sequence[float], n: int = 300) -> tuple[float, float]:
    """95 % of the AUROC, by bootstrap over questions."""
    rng = np.random.default_rng(5)
    p, q = np.array(kept), np.array(out)
    values = [auroc(rng.choice(p, len(p)), rng.choice(q, len(q))) for _ in range(n)]
    return float(np.quantile(values, 0.025)), float(np.quantile(values, 0.975))


def report(found: Sequence[Seen], names: Sequence[str]) -> dict[str, object]:
    """Fit, print the tables; weights and operating points."""
    cases = [fewer(seen.case, K) for seen in found]
    fitted_to = [case for case in cases if place(case.item) == "stack"]
    fitted_to += [fewer(case, n) for case in fitted_to for n in (1, 2, 3)]
    held = [case for case in cases if place(case.item) == "test"]
    alone_too = held + [fewer(case, 1) for case in held]  # what the thresholds are read off
    weights = fit_both(fitted_to, names, alone_too)
    sets = ("mtrag", "xquad", "docs")
    without = {
        name: fit_both([c for c in fitted_to if not c.item.set.startswith(name)], names)
        for name in sets
        if any(c.item.set.startswith(name) for c in fitted_to)
    }
    before = fit_both(fitted_to, READ)
    print(
        "| held-out set | n kept / not | top-1 cosine | features, same fit | reader alone | judge (95 %) "
        "| judge, set left out |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, (kept, out) in sets_of(held).items():
        own = without[name.split("-")[0]]
        final = [[score_of(c, weights) for c in side] for side in (kept, out)]
        low, high = interval(*final)
        cells = [
            f"{auroc([c.top_cosine for c in kept], [c.top_cosine for c in out]):.3f}",
            f"{auroc([score_of(c, before) for c in kept], [score_of(c, before) for c in out]):.3f}",
            f"{auroc([alone(c) for c in kept], [alone(c) for c in out]):.3f}",
            f"{auroc(*final):.3f} ({low:.3f}–{high:.3f})",
            f"{auroc([score_of(c, own) for c in kept], [score_of(c, own) for c in out]):.3f}",
        ]
        print(f"| {name} | {len(kept)} / {len(out)} | " + " | ".join(cells) + " |")
    groups = {name: group for name, group in sets_of(alone_too).items() if "cut" not in name}
    points = {str(rate): threshold([out for _, out in groups.values()], weights, rate) for rate in RATES}
    single = sets_of([fewer(case, 1) for case in held])
    print("\nOperating points:", json.dumps(points), "\n")
    print("| held-out set | " + " | ".join(f"answers / false at {rate}" for rate in RATES), end="")
    print(" | at .1, one passage alone | at .1, the threshold fixed on the other sets |")
    print("|---" * (3 + len(RATES)) + "|")
    for name, (kept, out) in sets_of(held).items():
        source = name.split(" (")[0]
        others = [false for other, (_, false) in groups.items() if other[:4] != source[:4]]
        foreign = without[source.split("-")[0]]
        limits = [(points[str(rate)], weights) for rate in RATES] + [
            (threshold(others, foreign, 0.1), foreign)
        ]
        cells = [rates(kept, out, at, own) for at, own in limits]
        cells.insert(-1, rates(*single[name], points["0.1"], weights))
        print(f"| {name} | " + " | ".join(cells) + " |")
    coverages = (0.2, 0.4, 0.6, 0.8, 1.0)
    print("\n| risk at coverage | " + " | ".join(f"{c:.0%}" for c in coverages) + " | cosine at 40% |")
    print("|---" * (2 + len(coverages)) + "|")
    for name, (kept, out) in sets_of(held).items():
        risks = [risk(kept, out, lambda c: logit(c, weights), share) for share in coverages]
        risks.append(risk(kept, out, lambda c: c.top_cosine, 0.4))
        print(f"| {name} | " + " | ".join(f"{r:.2f}" for r in risks) + " |")
    for kind, own in weights.items():
        print(kind, {n: round(v, 2) for n, v in own.items()})
    return {
        "weights": {
            kind: {n: round(v, 5) for n, v in own.items() if n in ("bias", "context_missing") or n in names}
            for kind, own in weights.items()
        },
        "operating_points": points,
    }


def plot(found: Sequence[Seen], stack: dict[str, Any], file: Path) -> None:
    """Risk over coverage on the reported sets: the judge's line, and the top cosine's dashed."""
    from matplotlib import pyplot as plt

    held = [fewer(seen.case, K) for seen in found if place(seen.case.item) == "test"]
    groups = {name: group for name, group in sets_of(held).items() if "cut" not in name}
    plt.rcParams.update({"svg.hashsalt": "suffice", "svg.fonttype": "none", "font.size": 9})
    figure, axes = plt.subplots(2, 4, figsize=(11, 5), sharex=True, sharey=True, layout="constrained")
    at = np.linspace(0.05, 1, 39)
    for axis, (name, (kept, out)) in zip(axes.flat, groups.items(), strict=False):
        for by, style in ((lambda c: logit(c, stack["weights"]), "-"), (lambda c: c.top_cosine, "--")):
            axis.plot(at, [risk(kept, out, by, share) for share in at], style, color="#1f5fa8")
        axis.set_title(f"{name}  ({len(kept)} / {len(out)})")
        axis.set(xlim=(0, 1), ylim=(0, 0.55))
        axis.grid(alpha=0.3)
    figure.supxlabel("coverage: share of the questions that is answered, the most confident first")
    figure.supylabel("risk: share of these without an answer")
    figure.savefig(file, metadata={"Date": None, "Creator": None})


def rates(kept: Sequence[Case], out: Sequence[Case], at: float, weights: Weights) -> str:
    return " / ".join(f"{np.mean([score(c, weights) >= at for c in side]):.2f}" for side in (kept, out))


def threshold(groups: Sequence[Sequence[Case]], weights: Weights, rate: float) -> float:
    """The highest threshold that any of the groups of unanswerable cases asks for: conservative."""
    asked = max(float(np.quantile([score(c, weights) for c in out], 1 - rate)) for out in groups if out)
    return min(0.999, float(np.ceil(asked * 1e4) / 1e4))


def risk(kept: Sequence[Case], out: Sequence[Case], by: Callable[[Case], float], coverage: float) -> float:
    """Of the share of questions answered first, how many had no answer in the evidence. Sides count alike."""
    scores = np.array([by(c) for c in (*kept, *out)])
    share = np.array([0.5 / len(kept)] * len(kept) + [0.5 / len(out)] * len(out))
    false = np.array([0.0] * len(kept) + [1.0] * len(out))
    order = np.argsort(-scores, kind="stable")
    taken = order[: 1 + int(np.searchsorted(share[order].cumsum(), coverage - 1e-9))]
    return float((share[taken] * false[taken]).sum() / share[taken].sum())


def score_of(case: Case, weights: Weights) -> float:
    return logit(case, weights)


def alone(case: Case) -> float:
    return max((row["reader"] for row in case.rows), default=-30.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--weights", type=Path, help="the adapter; default: the one that is shipped")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=80, help="XQuAD questions a language and part")
    parser.add_argument("--aligned", type=Path, help="folder with the unpacked packages of manuals.json")
    parser.add_argument(
        "--documentation", type=int, default=80, help="documentation questions a language and part"
    )
    parser.add_argument("--read", type=Path, help="read.pickle of an earlier run: only fit anew")
    parser.add_argument("--plot", type=Path, help="write the risk-coverage curves as SVG or PNG")
    parser.add_argument("--cases-only", action="store_true")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    model = ReaderModel(args.weights)
    if args.read:
        found = pickle.loads(args.read.read_bytes())
    else:
        found = collect(args)
        if args.cases_only:
            return
        read(found, model, READ_TOKENS)
        (args.out / "read.pickle").write_bytes(pickle.dumps(found))
    result: dict[str, Any] = {"adapter": model.fingerprint}
    for variant, names in (("read", STACKED), ("words", WORDY)):
        print(f"\n## {variant}: {', '.join(names)}\n")
        result[variant] = report(found, names)
    if args.plot:
        plot(found, result["read"], args.plot)
    result["fitted"] = sha256(json.dumps(result, sort_keys=True).encode()).hexdigest()[:8]
    (args.out / "_reader_stack.json").write_text(json.dumps(result, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
