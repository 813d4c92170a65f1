"""How much of the embedder's own throughput is left when a folder is indexed. Target: 85 % or more.

    python benchmarks/indexing.py FOLDER [--embedder e5] [--files N]

Indexes the Markdown, HTML and text files of FOLDER into a new workspace, then embeds the very same texts in
one bare call, in the same process, and compares tokens a second. The share of the time spent inside the
embedder and the ratio of CPU seconds are shown beside it: other work on the machine moves them less.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from suffice import registry
from suffice.corpus.normalize import media_type
from suffice.index import update
from suffice.ports import Float32, Progress
from suffice.settings import Settings
from suffice.values import RawFile, Snapshot
from suffice.workspace import Workspace, now

SUFFIXES = (".md", ".html", ".htm", ".txt")


class Timed:
    """The embedder, with the seconds spent in it and the texts that it was given."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.texts: list[str] = []
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> Float32:
        begin = time.perf_counter()
        vectors: Float32 = self.inner.embed_passages(texts, progress)
        self.seconds += time.perf_counter() - begin
        self.texts += texts
        return vectors


def filled(ws: Workspace, folder: Path, n: int | None) -> int:
    paths = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)[:n]
    files = []
    for path in paths:
        data, name = path.read_bytes(), path.relative_to(folder).as_posix()
        kind = media_type(name, data)
        files.append(RawFile(name, path.resolve().as_uri(), kind, ws.blobs.put(data), len(data), now()))
    with ws.writing():
        ws.put_snapshot(Snapshot("benchmark", now(), now(), tuple(files)))
        for file in files:
            ws.put_document(file, "benchmark", None)
    return len(files)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedder", default="e5")
    parser.add_argument("--files", type=int, help="only the first N files")
    arguments = parser.parse_args()
    inner = registry.create("embedder", arguments.embedder)
    inner.embed_passages(["warm up"])
    embedder = Timed(inner)
    with (
        tempfile.TemporaryDirectory() as folder,
        Workspace.open(Path(folder) / ".suffice", create=True) as ws,
    ):
        n_files = filled(ws, arguments.folder, arguments.files)
        begin, cpu = time.perf_counter(), time.process_time()
        report = update(ws, Settings(), embedder)  # type: ignore[arg-type]
        indexing_s, indexing_cpu_s = time.perf_counter() - begin, time.process_time() - cpu
    n_tokens = sum(inner.count_tokens(text) for text in embedder.texts)
    begin, cpu = time.perf_counter(), time.process_time()
    inner.embed_passages(embedder.texts)
    bare_s, bare_cpu_s = time.perf_counter() - begin, time.process_time() - cpu
    print(
        f"{n_files} files, {report.n_chunks} chunks, {report.n_embedded} texts embedded, "
        f"{report.n_reused} found equal to others, {n_tokens} tokens, {len(report.failures)} not readable"
    )
    for name, wall_s, cpu_s in (
        ("indexing", indexing_s, indexing_cpu_s),
        ("embedder alone", bare_s, bare_cpu_s),
    ):
        print(f"{name:16}{wall_s:8.1f} s {n_tokens / wall_s:8.0f} tokens/s {cpu_s:8.1f} s CPU")
    print(
        f"indexing reaches {bare_s / indexing_s:.1%} of the embedder's own throughput (target 85 %); by CPU "
        f"seconds, {bare_cpu_s / indexing_cpu_s:.1%}"
    )
    print(f"share of the indexing time inside the embedder: {embedder.seconds / indexing_s:.1%}")


if __name__ == "__main__":
    main()
