"""Traces of other stacks, in files written to their documented formats."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from suffice.diagnose.foreign import ForeignTrace, examine
from suffice.diagnose.formats import read
from suffice.errors import UsageError
from suffice.gold import Gold, Piece

TRACES = Path(__file__).parent / "traces"
FILES = {
    "langsmith.json": "langchain",
    "langchain_nested.json": "langchain",
    "llamaindex_response.json": "llamaindex",
    "llamaindex_events.jsonl": "llamaindex",
    "openinference.json": "otel",
    "genai_spans.jsonl": "otel",
    "plain.jsonl": "jsonl",
}
PIECES = (
    Piece("C1", "how long", (Gold("plans.md", "logs are kept for 30 days"),)),
    Piece("C2", "encryption", (Gold("export.md", "Exported logs are encrypted with the key"),)),
    Piece("C3", "paid plan", (Gold("plans.md", "On the paid plan, logs are kept for 400 days."),)),
)


@pytest.mark.parametrize("format", ["auto", "named"])
@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_question_texts_in_order_and_answer(name: str, format: str) -> None:
    text = (TRACES / name).read_text("utf-8")
    traces = read(text, FILES[name] if format == "named" else "auto", name)
    assert len(traces) == 1
    assert traces[0].question == "How long are logs kept?"
    assert [text.split()[0] for text in traces[0].texts] == ["Log", "On", "Exported"]
    assert traces[0].answer == "Logs are kept for 30 days on the free plan."
    found = examine(traces[0], PIECES)
    assert [(piece.layer, piece.rank) for piece in found.pieces] == [
        ("used", 2),
        ("unused_by_answer", 3),
        ("not_retrieved", None),
    ]
    assert found.judgement == "2 of 3 pieces were retrieved among 3 texts, 1 of them used in the answer."


def test_a_changed_figure_is_not_a_used_piece() -> None:
    trace = ForeignTrace("1", "q", ("Logs are kept for 30 days.",), "Logs are kept for 90 days.")
    assert (
        examine(trace, (Piece("C1", "", (Gold("", "Logs are kept for 30 days."),)),)).pieces[0].layer
        == "unused_by_answer"
    )


@pytest.mark.parametrize(
    ("had", "quote"),
    [
        (
            "After a year the archive is removed",
            "After a year the archive is removed and every copy of it is overwritten.",
        ),
        ("归档满一年后会被删除，并且它的", "归档满一年后会被删除，并且它的所有副本都会被覆盖。"),
    ],
)
def test_half_of_a_quote_is_told_from_none(had: str, quote: str) -> None:
    trace = ForeignTrace("1", "q", (had,), None)
    found = examine(trace, (Piece("C1", "", (Gold("", quote),)),)).pieces[0]
    assert (found.layer, found.rank) == ("not_retrieved", None)
    assert "only a part of it" in found.note


def test_documents_named_by_id_alone_are_never_called_not_retrieved() -> None:
    span = {
        "name": "retrieval",
        "context": {"trace_id": "t"},
        "attributes": {
            "gen_ai.retrieval.query.text": "How long are logs kept?",
            "gen_ai.retrieval.documents": [{"id": "a", "score": 0.9}, {"id": "b", "score": 0.8}],
        },
    }
    trace = read(json.dumps([span]), "auto", "spans.json")[0]
    assert trace.n_without_text == 2
    found = examine(trace, PIECES[:1])
    assert found.pieces[0].layer == "unknown"
    assert "only ids" in found.pieces[0].note


def test_a_reranker_s_order_is_the_one_that_counts() -> None:
    def span(kind: str, documents: dict[str, str], start: str) -> dict[str, object]:
        attributes = {"openinference.span.kind": kind, "input.value": "How?", **documents}
        return {
            "name": kind,
            "trace_id": "t",
            "parent_id": "r",
            "start_time": start,
            "attributes": attributes,
        }

    first = {f"retrieval.documents.{n}.document.content": text for n, text in enumerate(("one", "two"))}
    then = {f"reranker.output_documents.{n}.document.content": text for n, text in enumerate(("two", "one"))}
    spans = [span("RETRIEVER", first, "2026-11-01T10:00:00Z"), span("RERANKER", then, "2026-11-01T10:00:01Z")]
    assert read(json.dumps(spans), "otel", "x")[0].texts == ("two", "one")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no JSON objects"),
        ("{", "is not JSON"),
        ("[1, 2]", "holds no JSON objects"),
        ('{"a": 1}', "cannot tell which format"),
        ('{"run_type": "chain", "inputs": {}}', "holds no question"),
    ],
)
def test_what_is_no_trace_is_said_in_words(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read(text, "auto", "file.json")


def test_an_unknown_format_names_those_there_are() -> None:
    with pytest.raises(UsageError, match="langchain, llamaindex, otel, jsonl"):
        read("{}", "haystack", "x")


ODD: tuple[object, ...] = (
    None, 3, -1.5, float("nan"), True, "", "words", "²", "9" * 5000, "{", "\ud800", [], {}, [[]], [None],
    ["a"], {"a": {}}, [{"text": None}],
)  # fmt: skip
"""What a field may hold that is not what its format says."""


def _places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of nested data, as keys and numbers."""
    for key in data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ():
        yield (*path, key)
        yield from _places(data[key], (*path, key))


@pytest.mark.parametrize("name", FILES)
def test_a_trace_may_hold_anything_anywhere(name: str) -> None:
    text = (TRACES / name).read_text("utf-8")
    whole = json.loads(text) if name.endswith(".json") else [json.loads(row) for row in text.splitlines()]
    for path in _places(whole):
        for odd in ODD:
            data = copy.deepcopy(whole)
            inner = data
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = odd
            try:
                traces = read(json.dumps(data), FILES[name], name)
            except UsageError:
                continue
            assert all(isinstance(trace.question, str) for trace in traces), (path, odd)


def test_traces_nested_without_end_are_refused_and_long_chains_are_read() -> None:
    for text in ("[" * 200_000, '{"question": "q"}\n' + "[" * 200_000):
        with pytest.raises(UsageError):
            read(text, "auto", "f")
    runs = [
        {"id": str(at), "run_type": "chain", "parent_run_id": str(at - 1), "inputs": {"question": "Who?"},
         "outputs": {"answer": "the chair"}}
        for at in range(3000)
    ]  # fmt: skip
    assert [trace.answer for trace in read(json.dumps(runs), "auto", "f")] == ["the chair"]
    nested = {"id": "b", "run_type": "chain", "parent_run_id": "a", "child_runs": [{"id": "b"}, "no run"]}
    root = {"id": "a", "run_type": "chain", "inputs": {"question": "Who?"}, "outputs": {"answer": "chair"}}
    assert len(read(json.dumps([root, nested]), "auto", "f")) == 1, "ids that go round end"
