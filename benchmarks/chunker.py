"""How fast files become documents and documents chunks, and how large the chunks are.

    python benchmarks/chunker.py FOLDER... [--repeat 5]

Every file of the folders that a parser reads is taken. The best of the repeats is printed, one thread.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from pathlib import Path

from suffice.chunks import chunker, near_duplicates
from suffice.corpus.normalize import media_type, normalize
from suffice.errors import ParseError
from suffice.settings import ChunkSettings
from suffice.values import Document, RawFile


def main() -> None:
    """Read, cut and print one table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("folders", nargs="*", type=Path, default=[Path(__file__).parents[1] / "docs"])
    arguments.add_argument("--repeat", type=int, default=5)
    given = arguments.parse_args()
    for folder in given.folders:
        measure(folder.resolve(), given.repeat)


def measure(folder: Path, repeat: int) -> None:
    """Best times of one folder."""
    files = [
        (
            RawFile(
                path.relative_to(folder).as_posix(), path.as_uri(), "", "0" * 64, path.stat().st_size, ""
            ),
            path,
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]
    inputs = [(file, path.read_bytes()) for file, path in files]
    cutter = chunker(ChunkSettings())
    parse_s = cut_s = float("inf")
    for _ in range(max(repeat, 1)):
        documents: list[Document] = []
        skipped: Counter[str] = Counter()
        start = time.perf_counter()
        for file, data in inputs:
            try:
                documents.append(normalize(data, file))
            except ParseError:
                skipped[media_type(file.name, data)] += 1
        parsed = time.perf_counter()
        chunks = [chunk for document in documents for chunk in cutter.cut(document)]
        done = time.perf_counter()
        parse_s, cut_s = min(parse_s, parsed - start), min(cut_s, done - parsed)
    start = time.perf_counter()
    pairs = near_duplicates(chunks)
    lint_s = time.perf_counter() - start
    n_chars = sum(len(document.text) for document in documents)
    sizes = sorted(len(chunk.text) for chunk in chunks)
    print(
        f"{folder}: {len(documents)} documents, {n_chars:,} characters; not read: {dict(skipped) or 'none'}"
    )
    if not chunks:
        return
    print(f"  normalize {parse_s:.3f} s ({n_chars / parse_s / 1e6:.1f} M characters/s), cut {cut_s:.3f} s")
    print(
        f"  {len(chunks)} chunks: median {statistics.median(sizes):.0f} characters, "
        f"90 % up to {sizes[int(len(sizes) * 0.9)]}, largest {sizes[-1]}, "
        f"{sum(chunk.oversized for chunk in chunks)} oversized, "
        f"{sum(size < 200 for size in sizes)} under 200, "
        f"{sum(chunk.heading_only for chunk in chunks)} heading-only"
    )
    print(f"  {len(pairs)} near-duplicate pairs, found in {lint_s:.3f} s")


if __name__ == "__main__":
    main()
