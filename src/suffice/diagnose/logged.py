"""Fields of other stacks' traces, under any of the names that they give them.

A trace may hold anything anywhere: whatever else is there is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Data = Mapping[str, Any]

TEXT = ("page_content", "pageContent", "text", "content", "chunk", "passage", "document")
ASKED = ("question", "query", "input", "query_str", "user_input", "str_or_query_bundle")
SAID = ("answer", "response", "output", "result", "output_text", "completion")
HELD = (
    "retrieved",
    "context",
    "contexts",
    "documents",
    "source_documents",
    "source_nodes",
    "nodes",
    "chunks",
)


def objects(given: Any) -> list[Data]:
    """The objects of a list; of anything else none, since a trace may hold anything anywhere."""
    return [item for item in given if isinstance(item, Mapping)] if isinstance(given, list) else []


def documents_in(given: Any) -> tuple[list[str], int]:
    """Texts of a list of documents in any of the shapes above, and how many had none."""
    texts, missing = [], 0
    for item in given if isinstance(given, list) else []:
        text = text_in(item)
        if text:
            texts.append(text)
        else:
            missing += 1
    return texts, missing


def text_in(item: Any) -> str | None:
    """A string, a document, LangChain's serialized document, or LlamaIndex's node with its score."""
    if isinstance(item, str):
        return item
    if not isinstance(item, Mapping):
        return None
    for inner in ("kwargs", "node", "document"):
        if isinstance(item.get(inner), Mapping):
            return text_in(item[inner])
    resource = item.get("text_resource")
    if isinstance(resource, Mapping):
        return text_in(resource)
    return first_text(item, TEXT)


def held_in(outputs: Any) -> Any:
    if isinstance(outputs, Mapping):
        return next((outputs[key] for key in (*HELD, "output") if isinstance(outputs.get(key), list)), [])
    return outputs


def question_in(given: Any) -> str | None:
    if isinstance(given, str):
        return given
    if not isinstance(given, Mapping):
        return None
    direct = first_text(given, ASKED)
    if direct is not None:
        return direct
    for key in ASKED:
        if isinstance(given.get(key), Mapping):
            return question_in(given[key])
    return last_message(given.get("messages"))


def answer_in(given: Any) -> str | None:
    if isinstance(given, str):
        return given
    if not isinstance(given, Mapping):
        return None
    direct = first_text(given, SAID)
    if direct is not None:
        return direct
    for key in (*SAID, "message", "kwargs"):
        if isinstance(given.get(key), Mapping):
            return answer_in(given[key]) or text_in(given[key])
    generations = given.get("generations")
    while isinstance(generations, list) and generations:
        generations = generations[0]
    if isinstance(generations, Mapping):
        return first_text(generations, ("text", "content")) or answer_in(generations)
    return last_message(given.get("messages"))


def last_message(messages: Any) -> str | None:
    return text_in(messages[-1]) if isinstance(messages, list) and messages else None


def first_text(data: Any, keys: Sequence[str]) -> str | None:
    """The first of these fields that is text."""
    if not isinstance(data, Mapping):
        return None
    return next((data[key] for key in keys if isinstance(data.get(key), str) and data[key].strip()), None)


def loaded(value: Any) -> Any:
    """A value that may be JSON in a string."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
