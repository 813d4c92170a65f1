"""The JSON of CONTRACT.md, field by field."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import interface_samples as samples
import pytest

from suffice.interfaces import schema

ANSWER = [
    "schema",
    "id",
    "question",
    "language",
    "asked_at",
    "snapshots",
    "generation",
    "tenant",
    "status",
    "needs",
    "evidence",
    "answer",
    "dropped_claims",
    "message",
    "missing",
    "suggestions",
    "failures",
    "timings_ms",
    "usage",
]
EVIDENCE = [
    "rank",
    "chunk_id",
    "document",
    "title",
    "heading_path",
    "span",
    "page",
    "sha256",
    "text",
    "score",
    "scorer",
    "ranks",
]


@pytest.mark.parametrize("name", samples.EACH)
def test_an_answer_has_the_fields_of_the_contract_in_its_order(name: str) -> None:
    data = json.loads(schema.dumps(schema.answer(samples.EACH[name])))
    assert list(data)[: len(ANSWER)] == ANSWER
    assert data["schema"] == "suffice.answer/1"
    assert {"embed", "search", "judge", "compose", "total"} <= set(data["timings_ms"])
    assert list(data["usage"]) == ["model", "prompt_tokens", "completion_tokens", "cost"]
    for item in data["evidence"]:
        assert list(item)[: len(EVIDENCE)] == EVIDENCE
    for need in data["needs"]:
        assert list(need)[:4] == ["id", "text", "status", "supports"]


def test_a_partial_answer_says_what_is_supported_and_what_is_missing() -> None:
    data = schema.answer(samples.PARTIAL)
    assert data["status"] == "partial"
    assert data["missing"] == ["N3"]
    assert [need["status"] for need in data["needs"]] == ["supported", "supported", "missing"]
    (support,) = data["needs"][0]["supports"]
    assert support == {
        "evidence": 1,
        "span": list(samples.HITS[0].span),
        "confidence": 0.93,
        "judge": "features",
    }
    claim = data["answer"]["claims"][0]
    assert claim["needs"] == ["N1"]
    assert set(claim["citations"][0]) == {
        "evidence",
        "chunk_id",
        "document",
        "quote",
        "span",
        "check",
        "reattributed",
    }
    assert data["suggestions"][1]["preview"]["status"] == "sufficient"
    assert data["suggestions"][1]["preview"]["document"] == "guide/gateway.md"


def test_a_decline_has_no_answer_and_a_failed_search_names_its_stage() -> None:
    assert schema.answer(samples.INSUFFICIENT)["answer"] is None
    failed = schema.answer(samples.SEARCH_FAILED)
    assert failed["status"] == "search_failed"
    assert [item["stage"] for item in failed["failures"]] == ["embed"]


def test_a_ranking_has_the_fields_of_the_contract() -> None:
    data = schema.ranking(samples.RANKING)
    assert list(data)[:6] == ["schema", "query", "scorer", "depth", "generation", "hits"]
    assert data["hits"][2]["ranks"] == {"dense": 4, "lexical": None}


def test_numbers_that_json_lacks_become_null_everywhere() -> None:
    hit = replace(samples.HITS[0], score=float("nan"), scores={"dense": float("-inf")})
    text = schema.dumps(schema.ranking(replace(samples.RANKING, hits=(hit,))))
    found = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))["hits"][0]
    assert found["score"] is None
    assert found["scores"] == {"dense": None}


def test_lone_surrogates_survive_as_escapes_and_other_text_stands_as_it_is() -> None:
    text = schema.dumps({"q": "密钥 \ud83d é \udcff"}, compact=True)
    assert text.encode("utf-8")
    assert "密钥" in text
    assert json.loads(text) == {"q": "密钥 \ud83d é \udcff"}


def test_every_schema_is_in_the_manual_and_no_other() -> None:
    def named(*files: Path) -> set[str]:
        return {
            name for file in files for name in re.findall(r"suffice\.[a-z_]+/\d", file.read_text("utf-8"))
        }

    root = Path(__file__).resolve().parents[3]
    written = named(*(root / "src" / "suffice").rglob("*.py"))
    assert "suffice.answer/1" in written
    assert named(root / "docs" / "reference" / "json.md") == written
