"""Public cases about refusing: relevant passages that are not enough, and thresholds on the wrong score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from suffice import registry
from suffice.gate.needs import split
from suffice.gate.sufficiency import above_cosine, decide, threshold_for
from suffice.interfaces.cli import main
from suffice.settings import GateSettings
from suffice.values import Need, Passage, Support


def page(rank: int, name: str, text: str, dense: float) -> Passage:
    heading, _, body = text.partition("\n")
    title = heading.lstrip("# ").strip()
    body = body.strip()
    start = text.index(body)
    return Passage(
        rank, name, title, (title,), body, (start, start + len(body)), {"dense": dense}, {"dense": rank}
    )


@pytest.fixture(scope="module")
def embedder() -> Any:
    return registry.create("embedder", "e5")


def test_relevant_pages_are_not_enough(shared: Path, embedder: Any) -> None:
    folder = shared / "cases" / "gate-relevant-not-enough"
    expect = json.loads((folder / "case.json").read_text("utf-8"))["expect"]
    needs = split(expect["question"], "en", json.loads((folder / "needs.json").read_text("utf-8")))
    assert [need.id for need in needs] == ["C1", "C2", "C3"]
    texts = {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.md"))}
    query = embedder.embed_queries([expect["question"]])[0]
    cosines = embedder.embed_passages(list(texts.values())) @ query
    order = sorted(range(len(texts)), key=lambda i: -cosines[i])
    names = list(texts)
    passages = [page(rank, names[i], texts[names[i]], float(cosines[i])) for rank, i in enumerate(order, 1)]

    judge = registry.create("judge", "features", embedder=embedder)
    supports = judge.judge(expect["question"], needs, passages)
    verdict = decide(needs, supports, threshold=threshold_for(judge, GateSettings()))

    assert verdict.status == expect["status"] == "partial"
    assert list(verdict.missing) == expect["missing"] == ["C2"]
    best = {judged.need.id: judged.supports[:1] for judged in verdict.needs}
    documents = {passage.evidence: passage.chunk_id for passage in passages}
    assert documents[best["C1"][0].evidence] == "vars.md"
    assert documents[best["C3"][0].evidence] == "dev.md"


def test_a_piece_that_no_page_holds_is_not_in_the_corpus_and_not_missed_by_retrieval(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Through the command, by a benchmark file and by a pasted quote; nothing that is tried brings it."""
    folder = shared / "cases" / "gate-relevant-not-enough"
    question = json.loads((folder / "case.json").read_text("utf-8"))["expect"]["question"]
    pieces = [
        {
            "id": need["id"],
            "need": need["question"],
            "evidence": [{"doc": need["source"], "quote": need["must_contain"]}] if need["source"] else [],
        }
        for need in json.loads((folder / "needs.json").read_text("utf-8"))
    ]
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps({"id": "q", "question": question, "answerable": "partial", "pieces": pieces}))
    pages = tmp_path / "pages"
    pages.mkdir()
    for path in folder.glob("*.md"):
        (pages / path.name).write_bytes(path.read_bytes())
    at = ("--workspace", str(tmp_path / "ws"))
    assert main(["add", str(pages), "--quiet", *at]) == 0
    by_gold = ("--gold", str(gold), "--id", "q")
    by_quote = (question, "--expect", "Run `harbor key put` to set a key for production.")
    for asked, name in ((by_gold, "C2"), (by_quote, "C1")):
        capsys.readouterr()
        assert main(["diagnose", *asked, "-k", "5", "--repairs", "--json", *at]) == 0
        found = json.loads(capsys.readouterr().out)
        layers = {piece["id"]: piece for piece in found["pieces"]}
        assert layers[name]["layer"] == "not_in_corpus"
        assert (layers[name]["k_needed"], layers[name]["chunk_id"]) == (None, None)
        assert all(repair["ranks"].get(name) is None for repair in found["repairs"])
        if asked is by_gold:
            others = {layers[other]["layer"] for other in ("C1", "C3")}
            assert others <= {"unrecognised_by_gate", "unused_by_answer", "answered"}


def test_the_configured_floor_meets_the_cosine_and_never_the_fused_score(shared: Path) -> None:
    case = json.loads((shared / "cases" / "gate-fused-score-threshold" / "lists.json").read_text("utf-8"))
    k, floor = case["rrf_k"], case["config"]["min_score"]
    settings = GateSettings(min_cosine=floor, threshold=0.5)
    status, fused_best = {}, {}
    for query in case["queries"]:
        cosines = dict(query["dense"])
        ranked = [query["lexical"], [name for name, _ in query["dense"]]]
        names = sorted({name for ranks in ranked for name in ranks})
        fused = {n: sum(1 / (k + ranks.index(n) + 1) for ranks in ranked if n in ranks) for n in names}
        fused_best[query["name"]] = max(fused.values())
        passages = [
            Passage(i, n, n, (), "words", (0, 5), {"dense": cosines.get(n), "hybrid": fused[n]})
            for i, n in enumerate(sorted(names, key=lambda n: -fused[n]), start=1)
        ]
        supports = [Support("N1", passage.evidence, (0, 5), 0.9, "test") for passage in passages]
        kept = above_cosine(supports, passages, settings)
        status[query["name"]] = decide([Need("N1", "q?")], kept, threshold=0.5).status
        if query["gold"]:
            assert query["gold"] in {passages[s.evidence - 1].chunk_id for s in kept}
    assert fused_best["answered"] == pytest.approx(2 / 61, abs=1e-9)
    assert fused_best["off topic"] == pytest.approx(2 / 61, abs=1e-9)
    assert status == {"answered": "sufficient", "off topic": "insufficient"}
