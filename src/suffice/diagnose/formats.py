"""Reads traces of other stacks: LangChain/LangSmith runs, LlamaIndex, OpenTelemetry spans, JSON lines.

Written to the formats' own documentation (LangSmith run schema, LlamaIndex responses and instrumentation
events, OpenInference and OpenTelemetry GenAI conventions, OTLP/JSON). What a trace does not have is left
out; nothing is guessed from field names that none of them uses.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from suffice.diagnose.foreign import ForeignTrace
from suffice.diagnose.logged import (
    ASKED,
    HELD,
    SAID,
    Data,
    answer_in,
    documents_in,
    first_text,
    held_in,
    loaded,
    objects,
    question_in,
)
from suffice.errors import UsageError

FORMATS = ("auto", "langchain", "llamaindex", "otel", "jsonl")

_DOCUMENT = re.compile(
    r"(retrieval\.documents|reranker\.output_documents)\.(\d{1,9})\.document\.(content|id)"
)

_DIGITS = 40
"""Python refuses to read a number of thousands of digits."""


def read(text: str, format: str, name: str) -> tuple[ForeignTrace, ...]:
    """Every question in a file's text, in order. Raises UsageError that says what was seen."""
    if format not in FORMATS:
        raise UsageError(f"no trace format is named {format!r}; there are: {', '.join(FORMATS)}")
    items = _items(text, name)
    chosen = _recognised(items) if format == "auto" else format
    if chosen is None:
        keys = ", ".join(sorted(items[0])[:6]) or "nothing"
        raise UsageError(
            f"{name}: cannot tell which format this is (its first object has: {keys}); "
            "say so with --format langchain, llamaindex, otel or jsonl"
        )
    try:
        traces = tuple(_READERS[chosen](items))
    except RecursionError as error:
        raise UsageError(f"{name} is nested too deeply to be a trace") from error
    if not traces:
        raise UsageError(f"{name}: as {chosen} it holds no question with retrieved texts or an answer")
    return traces


def _items(text: str, name: str) -> list[Data]:
    """The objects of a JSON or JSON lines file."""
    try:
        data = json.loads(text)
        found = data if isinstance(data, list) else [data]
    except ValueError:
        found = []
        for number, row in enumerate(text.split("\n"), 1):
            if row.strip():
                try:
                    found.append(json.loads(row))
                except (ValueError, RecursionError) as error:
                    raise UsageError(f"{name}, line {number} is not JSON ({error})") from error
    except RecursionError as error:
        raise UsageError(f"{name} is nested too deeply to be a trace") from error
    if not found or not all(isinstance(item, dict) for item in found):
        raise UsageError(f"{name} holds no JSON objects; give a trace file")
    return found


def _recognised(items: Sequence[Data]) -> str | None:
    for item in items:
        if "run_type" in item or "child_runs" in item or ("trace_id" in item and "dotted_order" in item):
            return "langchain"
        if "resourceSpans" in item or "resource_spans" in item:
            return "otel"
        if "attributes" in item and any(key in item for key in ("spanId", "span_id", "context", "name")):
            return "otel"
        if "source_nodes" in item or str(item.get("class_name", "")).endswith("Event"):
            return "llamaindex"
        if first_text(item, ASKED) is not None and (any(key in item for key in (*HELD, *SAID))):
            return "jsonl"
    return None


# --- JSON lines ---------------------------------------------------------------------------------


def _jsonl(items: Sequence[Data]) -> Iterator[ForeignTrace]:
    for number, item in enumerate(items, 1):
        question = first_text(item, ASKED)
        if question is not None:
            texts, missing = documents_in(next((item[key] for key in HELD if key in item), []))
            yield ForeignTrace(
                str(item.get("id", number)), question, tuple(texts), first_text(item, SAID), missing
            )


# --- LangChain and LangSmith --------------------------------------------------------------------


def _langchain(items: Sequence[Data]) -> Iterator[ForeignTrace]:
    """Root runs with what runs below them; or the dict that a retrieval chain gives back."""
    runs = [item for item in items if "run_type" in item or "child_runs" in item]
    if not runs:
        yield from _jsonl(items)
        return
    below: defaultdict[str, list[Data]] = defaultdict(list)
    known = {str(run.get("id")) for run in runs}
    roots = []
    for run in runs:
        parent = run.get("parent_run_id")
        if parent is not None and str(parent) in known:
            below[str(parent)].append(run)
        else:
            roots.append(run)
    for number, root in enumerate(roots, 1):
        yield from _run(root, list(_runs(root, below))[1:], number)


def _runs(root: Data, below: Mapping[str, Sequence[Data]]) -> Iterator[Data]:
    """A run and all below it, in the order in which they began. Ids may name each other in a circle."""
    waiting, seen = [root], set()
    while waiting:
        run = waiting.pop()
        if id(run) in seen:
            continue
        seen.add(id(run))
        yield run
        children = [*objects(run.get("child_runs")), *below.get(str(run.get("id")), ())]
        began = [str(one.get("dotted_order") or one.get("start_time") or "") for one in children]
        waiting += [children[at] for at in sorted(range(len(children)), key=began.__getitem__)][::-1]


def _run(root: Data, inner: Sequence[Data], number: int) -> Iterator[ForeignTrace]:
    retrievers = [run for run in (root, *inner) if run.get("run_type") == "retriever"]
    texts: list[str] = []
    missing = 0
    for run in retrievers:
        found, more = documents_in(held_in(run.get("outputs")))
        texts += [text for text in found if text not in texts]
        missing += more
    question = question_in(root.get("inputs")) or next(
        (question_in(run.get("inputs")) for run in retrievers), None
    )
    answer = None if root.get("run_type") == "retriever" else answer_in(root.get("outputs"))
    if answer is None:
        models = [run for run in inner if run.get("run_type") in ("llm", "chat_model")]
        answer = answer_in(models[-1].get("outputs")) if models else None
    if question and (retrievers or answer):
        yield ForeignTrace(str(root.get("id", number)), question, tuple(texts), answer, missing)


# --- LlamaIndex ---------------------------------------------------------------------------------


def _llamaindex(items: Sequence[Data]) -> Iterator[ForeignTrace]:
    """Responses with their source nodes, or the instrumentation events of queries, one after another."""
    question: str | None = None
    nodes: Any = []
    for number, item in enumerate(items, 1):
        kind = str(item.get("class_name", ""))
        if not kind.endswith("Event"):
            texts, missing = documents_in(item.get("source_nodes", []))
            asked = first_text(item, ASKED) or first_text(item.get("metadata") or {}, ASKED) or ""
            yield ForeignTrace(str(item.get("id", number)), asked, tuple(texts), answer_in(item), missing)
        elif kind in ("QueryStartEvent", "RetrievalStartEvent", "StreamChatStartEvent"):
            question = question_in(item) or question
        elif kind in ("RetrievalEndEvent", "ReRankEndEvent"):
            nodes, question = item.get("nodes", []), question_in(item) or question
        elif kind == "QueryEndEvent" and question is not None:
            said = item.get("response")
            held = nodes or (said.get("source_nodes") if isinstance(said, Mapping) else [])
            texts, missing = documents_in(held)
            yield ForeignTrace(str(item.get("id_", number)), question, tuple(texts), answer_in(item), missing)
            question, nodes = None, []


# --- OpenTelemetry ------------------------------------------------------------------------------


def _otel(items: Sequence[Data]) -> Iterator[ForeignTrace]:
    """Spans of one trace belong together: retriever spans hold the texts, the root the answer."""
    traces: defaultdict[str, list[tuple[Data, Data]]] = defaultdict(list)
    for span in _spans(items):
        context = span.get("context") if isinstance(span.get("context"), Mapping) else {}
        key = span.get("traceId") or span.get("trace_id") or (context or {}).get("trace_id") or ""
        traces[str(key)].append((span, _attributes(span)))
    for key, spans in traces.items():
        ordered = sorted(spans, key=lambda one: _started(one[0]))
        yield from _trace(key, ordered)


def _spans(items: Sequence[Data]) -> Iterator[Data]:
    for item in items:
        for resource in objects(item.get("resourceSpans") or item.get("resource_spans")):
            for scope in objects(resource.get("scopeSpans") or resource.get("scope_spans")):
                yield from objects(scope.get("spans"))
        if "attributes" in item:
            yield item


def _attributes(span: Data) -> Data:
    """Attributes as one flat object, from OTLP's list of keys and typed values or from a nested object."""
    given = span.get("attributes") or {}
    if isinstance(given, Mapping):
        return dict(_flat(given))
    return {str(item.get("key")): _value(item.get("value")) for item in objects(given)}


def _flat(data: Data, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name}.")
        elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
            yield name, value
            for number, item in enumerate(value):
                yield from _flat(item, f"{name}.{number}.")
        else:
            yield name, value


def _value(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    for key, inner in value.items():
        if key == "arrayValue" and isinstance(inner, Mapping):
            values = inner.get("values")
            return [_value(item) for item in values] if isinstance(values, list) else []
        if key == "kvlistValue" and isinstance(inner, Mapping):
            return {str(one.get("key")): _value(one.get("value")) for one in objects(inner.get("values"))}
        return inner
    return None


def _trace(key: str, spans: Sequence[tuple[Data, Data]]) -> Iterator[ForeignTrace]:
    retrieved: list[str] = []
    reranked: list[str] = []
    question = answer = None
    missing = 0
    for span, attributes in spans:
        kind = str(attributes.get("openinference.span.kind", "")).upper()
        found, absent = _span_documents(attributes)
        (reranked if kind == "RERANKER" else retrieved).extend(found)
        missing += absent
        is_root = not (span.get("parentSpanId") or span.get("parent_span_id") or span.get("parent_id"))
        asked = _asked_of(attributes)
        if asked and (question is None or is_root):
            question = asked
        said = _said_of(attributes) if kind not in ("RETRIEVER", "RERANKER", "EMBEDDING") else None
        if said and (answer is None or is_root or kind == "LLM"):
            answer = said
    texts = list(dict.fromkeys([*reranked, *retrieved]))
    if question and (texts or missing or answer):
        yield ForeignTrace(key or question[:40], question, tuple(texts), answer, missing)


def _span_documents(attributes: Data) -> tuple[list[str], int]:
    """What a span retrieved: OpenInference's numbered documents, or GenAI's list (texts optional)."""
    numbered: dict[int, dict[str, str]] = {}
    for name, value in attributes.items():
        match = _DOCUMENT.fullmatch(name)
        if match:
            numbered.setdefault(int(match[2]), {})[match[3]] = str(value)
    texts = [numbered[number].get("content", "") for number in sorted(numbered)]
    listed, absent = documents_in(loaded(attributes.get("gen_ai.retrieval.documents")) or [])
    return [text for text in texts if text] + listed, sum(not text for text in texts) + absent


def _asked_of(attributes: Data) -> str | None:
    for name in ("gen_ai.retrieval.query.text", "input.value"):
        value = loaded(attributes.get(name))
        said = value if isinstance(value, str) else question_in(value)
        if said:
            return said
    return _message(attributes.get("gen_ai.input.messages"), "user")


def _said_of(attributes: Data) -> str | None:
    value = loaded(attributes.get("output.value"))
    said = value if isinstance(value, str) else answer_in(value)
    return said or _message(attributes.get("gen_ai.output.messages"), "assistant")


def _message(given: Any, role: str) -> str | None:
    """The last message of a role in GenAI's structured messages."""
    messages = loaded(given)
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, Mapping) and message.get("role") == role:
            parts = objects(message.get("parts") or [message])
            return " ".join(str(part["content"]) for part in parts if part.get("content")) or None
    return None


def _started(span: Data) -> tuple[int, str]:
    """OTLP counts nanoseconds in strings, exporters write ISO dates: both sort."""
    start = str(span.get("startTimeUnixNano") or span.get("start_time") or "")
    return (int(start), "") if start.isdecimal() and len(start) < _DIGITS else (0, start)


_READERS: dict[str, Callable[[Sequence[Data]], Iterator[ForeignTrace]]] = {
    "langchain": _langchain,
    "llamaindex": _llamaindex,
    "otel": _otel,
    "jsonl": _jsonl,
}
