"""Shared cases that need no index: citation check, and terms under a small BM25."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pytest

from suffice.answer.citations import Located, locate
from suffice.text import terms


def bm25(query: str, documents: dict[str, str], k1: float = 1.5, b: float = 0.75) -> list[tuple[str, float]]:
    """Documents with a score above 0, best first: Robertson's formula with Lucene's idf."""
    bags = {name: Counter(terms(text)) for name, text in documents.items()}
    mean = sum(map(Counter.total, bags.values())) / len(bags)
    scores = dict.fromkeys(documents, 0.0)
    for term in dict.fromkeys(terms(query)):
        holding = [name for name, bag in bags.items() if term in bag]
        idf = math.log(1 + (len(bags) - len(holding) + 0.5) / (len(holding) + 0.5))
        for name in holding:
            n = bags[name][term]
            scores[name] += idf * n * (k1 + 1) / (n + k1 * (1 - b + b * bags[name].total() / mean))
    return sorted(((name, score) for name, score in scores.items() if score > 0), key=lambda x: (-x[1], x[0]))


def pages(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.md"))}


def test_quotes_may_differ_in_typography_alone(shared: Path) -> None:
    folder = shared / "cases" / "cite-quote-typography"
    source = (folder / "source.md").read_text("utf-8")
    entries = json.loads((folder / "quotes.json").read_text("utf-8"))
    assert entries
    for entry in entries:
        found = locate(entry["quote"], source)
        assert isinstance(found, Located) == (entry["verdict"] == "accept"), (entry, found)
        if isinstance(found, Located):
            start, end = (len(source[:at].encode()) for at in found.span)
            assert [start, end] == entry["span"], entry
            assert source[found.span[0] : found.span[1]].encode() == source.encode()[start:end]


@pytest.mark.parametrize("case", ["cjk-lexical-no-spaces"])
def test_chinese_words_are_found_wherever_they_stand(shared: Path, case: str) -> None:
    folder = shared / "cases" / case
    expected = json.loads((folder / "case.json").read_text("utf-8"))["expect"]["queries"]
    documents = pages(folder)
    for query, name in expected:
        hits = bm25(query, documents)
        assert hits and hits[0][0] == name, (query, hits)
    assert bm25("微波炉", documents) == []


def test_an_identifier_ranks_its_own_page_first(shared: Path) -> None:
    folder = shared / "cases" / "hybrid-exact-identifier"
    expected = json.loads((folder / "case.json").read_text("utf-8"))["expect"]
    documents = pages(folder)
    for query, name in expected["first"]:
        hits = bm25(query, documents)
        assert hits[0][0] == name, (query, hits)
    for query, name in expected["found"]:
        assert name in [hit for hit, _ in bm25(query, documents)[:5]], query
