"""Public cases about language models: shapes of replies, evidence beyond its block, typography."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripted_server import Scripted, claim, passages_of, reply, says, serving
from suffice import registry
from suffice.answer.citations import Located, Rejected, locate, verify
from suffice.answer.compose import compose
from suffice.errors import GeneratorError
from suffice.gate.sufficiency import decide
from suffice.plugins.generators._chat_reply import read_object
from suffice.values import Claim, DraftCitation, DraftClaim, Hit, Need, Support


@pytest.fixture
def server() -> Iterator[Scripted]:
    with serving() as script:
        yield script


def _hit(rank: int, name: str, text: str) -> Hit:
    title = text.split("\n", 1)[0].lstrip("# ")
    return Hit(
        rank, f"c{rank}", name, title, (title,), (0, len(text)), None, "", "s", text, 1.0, "hybrid", {}
    )


def test_every_shape_of_a_reply_is_read_or_named(shared: Path, server: Scripted) -> None:
    shapes = json.loads((shared / "cases/llm-json-reply-shapes/replies.json").read_text("utf-8"))
    assert shapes
    for shape in shapes:
        content, finish = shape["content"], shape["finish_reason"]
        if "expect" in shape:
            assert read_object(content, finish, ("answer", "citations")) == shape["expect"], shape["name"]
            continue
        with pytest.raises(GeneratorError) as caught:
            read_object(content, finish, ("answer", "citations"))
        assert caught.value.kind == shape["error"], shape["name"]

        # Over HTTP none of the faulty ones becomes an answer, and none is asked for more than twice.
        server.requests.clear()
        server.steps[:] = [says(content, finish=finish)]
        generator = registry.create("generator", "openai", base_url=server.url, model="m", retries=0)
        hit, need = _hit(1, "a.md", "The ferry leaves pier 4 at noon."), Need("N1", "Where does it leave?")
        verdict = decide((need,), (Support("N1", 1, hit.span, 0.9, "t"),), threshold=0.5)
        composed = compose("q", verdict, (hit,), generator, "en")
        assert composed.body is None
        assert [failure.stage for failure in composed.failures] == ["answer"], shape["name"]
        assert server.n <= 2


def test_evidence_cannot_leave_its_block(shared: Path, server: Scripted) -> None:
    folder = shared / "cases" / "sec-evidence-boundary"
    texts = {name: (folder / name).read_text("utf-8") for name in ("shuttle.md", "fares.md")}
    hits = tuple(_hit(n, name, text) for n, (name, text) in enumerate(texts.items(), 1))
    need = Need("N1", "What does a seat cost?")
    verdict = decide((need,), (Support("N1", 2, hits[1].span, 0.9, "t"),), threshold=0.5)
    for entry in json.loads((folder / "replies.json").read_text("utf-8")):
        cited = [(one["n"], one["quote"]) for one in entry["reply"]["citations"]]
        draft = DraftClaim(entry["reply"]["answer"], ("N1",), tuple(DraftCitation(*one) for one in cited))
        passed = entry["check"] == "pass"
        assert isinstance(verify(draft, hits), Claim) is passed

        def content(request: dict[str, Any], entry: Any = entry, cited: Any = cited) -> str:
            ids = list(passages_of(request))
            return reply(claim(entry["reply"]["answer"], *((ids[n - 1], quote) for n, quote in cited)))

        server.steps[:] = [says(content)]
        generator = registry.create("generator", "openai", base_url=server.url, model="m", retries=0)
        composed = compose("What does a seat cost?", verdict, hits, generator, "en")
        assert (composed.body is not None) is passed, entry["name"]
        request = server.requests[-1]
        assert list(passages_of(request).values()) == list(texts.values())
        rules = request["messages"][0]["content"]
        assert not any(
            line in rules for text in texts.values() for line in text.split("\n") if len(line) > 12
        )


def test_a_quote_may_differ_in_typography_alone(shared: Path) -> None:
    folder = shared / "cases" / "cite-quote-typography"
    raw = (folder / "source.md").read_bytes()
    text = raw.decode("utf-8")
    for entry in json.loads((folder / "quotes.json").read_text("utf-8")):
        found = locate(entry["quote"], text)
        if entry["verdict"] == "reject":
            assert isinstance(found, Rejected), entry["quote"]
            continue
        assert isinstance(found, Located), entry["quote"]
        start, end = (len(text[:at].encode()) for at in found.span)
        assert [start, end] == entry["span"]
        assert raw[start:end].decode() == text[slice(*found.span)]
