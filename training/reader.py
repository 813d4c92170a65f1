"""Train the `reader` judge's adapter. One command, resumable; see training/README.md.

    python training/reader.py --shared ../shared --manual DJANGO/docs --out build/reader

Stages, each kept in --out and skipped when already there: pairs, training (a checkpoint every 100 steps),
export (`_reader_weights.npz`). The last logistic layer and the tables: training/reader_stack.py.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from reader_aligned import held_out, questions
from reader_aligned import manuals as aligned_manuals
from reader_data import LANGUAGES, Pair, Paragraph, chunking, cloze, documentation, paragraphs, xquad
from reader_manual import read
from reader_model import Reader
from torch.nn import functional as F

from suffice.plugins.embedders import _e5_weights
from suffice.plugins.judges._reader_pack import Packer
from suffice.registry import create

BATCH = 20
EVIDENCE_SHARE = 0.15  # of the loss: where the evidence stands, beside whether it is there


def nearest(found: Sequence[Paragraph], file: Path) -> dict[str, list[int]]:
    """Question -> the twelve nearest English paragraphs by the embedder's cosine."""
    questions = list(dict.fromkeys(q[lang] for p in found for q, _ in p.questions for lang in LANGUAGES))
    if not file.exists():
        embedder = create("embedder", "e5", threads=1)
        passages = embedder.embed_passages([f"{p.article}\n{p.texts['en']}"[:1500] for p in found])
        order = np.argsort(-(embedder.embed_queries(questions) @ passages.T), axis=1, kind="stable")[:, :12]
        np.save(file, order)
    return {q: [int(i) for i in row] for q, row in zip(questions, np.load(file), strict=True)}


def make(args: argparse.Namespace, epoch: int) -> list[Pair]:
    """The pairs of one pass, sampled anew for each."""
    rng = random.Random(args.seed + epoch)
    data = args.shared / "datasets"
    found = paragraphs(data / "xquad")
    pairs = list(xquad(found, nearest(found, args.out / "nearest.npy"), rng))
    pairs += cloze(found, rng)
    pairs += chunking(data / "chunking-evaluation", rng)
    pairs += documentation(read(args.manual), 1100, rng)
    if args.aligned:
        topics = [topic for topic in aligned_manuals(args.aligned) if not held_out(topic)]
        pairs += [
            Pair(question, head, text, label, spans, kind)
            for question, head, text, label, spans, kind in questions(topics, args.sections, rng)
        ]
    rng.shuffle(pairs)
    return pairs


class Batches:
    """Pairs as padded tensors."""

    def __init__(self, packer: Packer, source: _e5_weights.Weights) -> None:
        self.packer, self.source = packer, source

    def tensors(self, packed: Sequence[Any]) -> tuple[torch.Tensor, torch.Tensor]:
        # A batch without padding needs no mask, a tenth of the time: up to three last tokens are dropped.
        longest, shortest = (pick(len(one.ids) for one in packed) for pick in (max, min))
        longest = shortest if longest - shortest <= 3 else longest
        words = np.zeros((len(packed), longest, self.source.dim), np.float32)
        kinds = np.full((len(packed), longest), -1, np.int64)
        for i, one in enumerate(packed):
            n = min(longest, len(one.ids))
            words[i, :n] = self.source.word_vectors(one.ids[:n])
            kinds[i, :n] = one.kinds[:n]
        return torch.from_numpy(words), torch.from_numpy(kinds)

    def pack(self, pairs: Sequence[Pair]) -> list[tuple[Any, Pair, np.ndarray]]:
        """Packed inputs with the positions of evidence tokens."""
        found = []
        for pair in pairs:
            one = self.packer.pack(pair.question, pair.title, pair.text)
            at = [
                one.first + i
                for i, (a, b) in enumerate(one.spans)
                if i < len(one.spans) - 3 and any(a < end and b > start for start, end in pair.spans)
            ]
            if one.spans:
                found.append((one, pair, np.array(at, np.int64)))
        return found


def loss_of(model: Reader, batches: Batches, batch: Sequence[Any]) -> tuple[torch.Tensor, float]:
    words, kinds = batches.tensors([one for one, _, _ in batch])
    support, evidence = model(words, kinds)
    labels = torch.tensor([0.97 * pair.label + 0.015 for _, pair, _ in batch])
    loss = F.binary_cross_entropy_with_logits(support, labels)
    shares = evidence.log_softmax(-1)
    known = [(i, at) for i, (_, _, at) in enumerate(batch) if len(at)]
    if known:
        places = [torch.logsumexp(shares[i, torch.from_numpy(at)], 0) for i, at in known]
        loss = loss - EVIDENCE_SHARE * torch.stack(places).mean()
    right = ((support > 0) == (labels > 0.5)).float().mean().item()
    return loss, right


def train(args: argparse.Namespace) -> Reader:
    """Train, or go on from the last checkpoint."""
    torch.manual_seed(args.seed)
    source = _e5_weights.Weights(_e5_weights.find())
    dtype = torch.bfloat16 if args.bf16 else torch.float32
    model = Reader(source, layers=args.layers, frozen=args.frozen, rank=args.rank, hidden=64, dtype=dtype)
    batches = Batches(Packer(), source)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.rate, weight_decay=0.01)
    step, kept = 0, args.out / "checkpoint.pt"
    if args.start:
        model.load_state_dict(torch.load(args.start)["model"])
    if kept.exists():
        state = torch.load(kept)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
    started, tokens, losses, rights = time.time(), 0, [], []
    order: list[list[Any]] = []
    epoch, per_epoch = -1, 0
    total = args.steps
    while step < total:
        wanted = epoch + 1 if not order else epoch
        if wanted != epoch:
            epoch = wanted
            order = arrange(batches.pack(make(args, epoch)), args.seed + epoch)
            per_epoch = per_epoch or len(order)
            skip = step - epoch * per_epoch
            if skip >= len(order):
                order = []
                continue
            order = order[max(0, skip) :]
        batch = order.pop(0)
        warm = min(1.0, (step + 1) / 50)
        for group in optimizer.param_groups:
            group["lr"] = args.rate * warm * max(0.03, 1 - step / total)
        loss, right = loss_of(model, batches, batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        tokens += sum(len(one.ids) for one, _, _ in batch)
        losses.append(loss.item())
        rights.append(right)
        if step % 20 == 0:
            speed = tokens / (time.time() - started)
            print(
                f"step {step}/{total} epoch {epoch} loss {np.mean(losses[-60:]):.3f} "
                f"right {np.mean(rights[-60:]):.3f} {speed:.0f} tokens/s",
                file=sys.stderr,
                flush=True,
            )
        if step % 100 == 0 or step == total:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
            torch.save(state, kept.with_suffix(".part"))
            kept.with_suffix(".part").replace(kept)
    return model


def arrange(packed: Sequence[Any], seed: int) -> list[list[Any]]:
    """Batches of about one length, in random order."""
    rng = random.Random(seed)
    found = []
    for start in range(0, len(packed), 40 * BATCH):
        block = sorted(packed[start : start + 40 * BATCH], key=lambda entry: len(entry[0].ids))
        found += [block[i : i + BATCH] for i in range(0, len(block), BATCH)]
    rng.shuffle(found)
    return found


def export(model: Reader, file: Path) -> None:
    """Adapters and head as float16, by the names that `_reader_graph` reads."""
    arrays: dict[str, np.ndarray] = {}
    for number, layer in enumerate(model.layers):
        for part, linear in layer.linears.items():
            if not linear.rank:
                continue
            arrays[f"l{number}.{part}.a"] = linear.a.detach().numpy().astype(np.float16)
            arrays[f"l{number}.{part}.b"] = linear.b.detach().numpy().astype(np.float16)
    for name in ("evidence", "hidden", "out"):
        linear = getattr(model, name)
        arrays[f"{name}.w"] = linear.weight.detach().numpy().astype(np.float16)
        arrays[f"{name}.b"] = linear.bias.detach().numpy().astype(np.float16)
    np.savez_compressed(file, **arrays)
    print(f"{file}: {file.stat().st_size / 1e6:.2f} MB", file=sys.stderr)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--shared", type=Path, required=True, help="folder that holds datasets/")
    parser.add_argument("--manual", type=Path, required=True, help="docs/ of Django's source distribution")
    parser.add_argument("--aligned", type=Path, help="folder with the unpacked packages of manuals.json")
    parser.add_argument("--sections", type=int, default=3000, help="of the translated manuals, a pass")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="begin from the weights of this checkpoint")
    parser.add_argument("--steps", type=int, default=1800)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--frozen", type=int, default=2, help="layers without adapter")
    parser.add_argument("--rank", type=int, default=24)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--bf16", action="store_true", help="needs AMX or AVX512-BF16 to be faster")
    return parser.parse_args()


def main() -> None:
    args = arguments()
    torch.set_num_threads(args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    export(train(args), args.out / "_reader_weights.npz")


if __name__ == "__main__":
    main()
