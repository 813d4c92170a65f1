"""Search at several sizes: building and opening the store, one query of each leg, and exactness of the ranks.

    python benchmarks/search.py [--rows 10000 100000] [--dim 384]

A row is a chunk with one part and about 120 terms of a vocabulary whose frequencies fall as 1 / rank.
Medians of repeated runs in milliseconds; the page cache is warm. A million rows take 4 GB of memory.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from suffice import registry
from suffice.ports import StoreRow
from suffice.retrieve import fuse

BLOCK = 10_000
VOCABULARY = 50_000
TERMS = 120
COLUMNS = (
    "rows",
    "build s",
    "open",
    "open + dense",
    "dense",
    "a tenth, scattered",
    "a tenth, together",
    "BM25",
    "hybrid, ordered",
)


def rows(n: int, dim: int) -> Iterator[StoreRow]:
    rng = np.random.default_rng(7)
    shares = 1 / np.arange(1, VOCABULARY + 1)
    steps = np.cumsum(shares / shares.sum())
    for start in range(0, n, BLOCK):
        size = min(BLOCK, n - start)
        vectors = rng.standard_normal((size, dim), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        words = np.searchsorted(steps, rng.random((size, TERMS)))
        for number in range(size):
            terms = {f"t{word}": count for word, count in Counter(words[number].tolist()).items()}
            yield StoreRow(f"{start + number:08x}", vectors[number : number + 1], terms)


def median_ms(run: Callable[[], object], times: int = 7) -> float:
    seconds = []
    for _ in range(times):
        begin = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - begin)
    return 1000 * statistics.median(seconds)


def measured(n: int, dim: int) -> tuple[float, ...]:
    query = np.random.default_rng(1).standard_normal(dim).astype(np.float32)
    query /= np.linalg.norm(query)
    terms = ["t0", "t3", "t20", "t150", "t900", "t7000", "t40000"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        begin = time.perf_counter()
        registry.create("store", "embedded", path=path).build(rows(n, dim), "r", dim)
        build_s = time.perf_counter() - begin

        def opened() -> object:
            return registry.create("store", "embedded", path=path).dense(query)[:1]

        def fused() -> object:
            return fuse.order(fuse.weighted(store.dense(query), store.lexical(terms), 1.0, 0.3))[:10]

        store = registry.create("store", "embedded", path=path)
        tenth = np.random.default_rng(2).random(n) < 0.1
        block = np.zeros(n, dtype=np.bool_)
        block[: n // 10] = True
        return (
            build_s,
            median_ms(lambda: registry.create("store", "embedded", path=path).chunk_ids(), 3),
            median_ms(opened, 3),
            median_ms(lambda: store.dense(query)),
            median_ms(lambda: store.dense(query, tenth)),
            median_ms(lambda: store.dense(query, block)),
            median_ms(lambda: store.lexical(terms)),
            median_ms(fused),
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--dim", type=int, default=384)
    arguments = parser.parse_args()
    print(f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|")
    for n in arguments.rows:
        shown = " | ".join(f"{value:.1f}" for value in measured(n, arguments.dim))
        print(f"| {n:,} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
