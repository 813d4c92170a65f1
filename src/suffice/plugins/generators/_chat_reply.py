"""Reads what a chat model sent: the one JSON object that was asked for, or a named error; never a guess.

Models put the object into code fences, behind thoughts, between sentences. All complete shapes are read. A
reply that the server cut at its token limit is `truncated` even where the rest happens to parse, since what
follows the cut may have taken back what stands before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from suffice.errors import GeneratorError
from suffice.values import DraftCitation, DraftClaim

MAX_CLAIMS = 20
MAX_CITATIONS = 3
MAX_TEXT = 2_000
MAX_QUOTE = 4_000
_MAX_TRIES = 200  # places at which an object may begin; prose with more braces holds none
_UNFINISHED = frozenset({"length", "max_tokens"})
_REFUSED = frozenset({"content_filter", "safety", "refusal"})
_THOUGHT = re.compile(r"\A\s*<(think|thinking|thought|reasoning)>(?:.*?</\1>|.*)", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"\A.*?</(?:think|thinking|thought|reasoning)>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Read:
    """A valid reply. `missing` are ids of needs that the model says the evidence does not answer."""

    claims: tuple[DraftClaim, ...]
    missing: tuple[str, ...]


def read_object(content: object, finish_reason: object, keys: Sequence[str]) -> dict[str, Any]:
    """The last JSON object of the reply that has all the keys.

    Raises GeneratorError with the kind `truncated`, `refused`, `empty`, `not_json` or `wrong_shape`.
    """
    if finish_reason in _UNFINISHED:
        raise GeneratorError("the reply was cut off at the token limit", "truncated")
    if finish_reason in _REFUSED:
        raise GeneratorError("the server's content filter stopped the reply", "refused")
    text = _text(content).strip("\ufeff \t\r\n")
    if not text:
        raise GeneratorError("the reply is empty", "empty")
    found = _parsed(text)
    if not found:
        bare = _without_thoughts(text)
        if not bare:
            raise GeneratorError("the reply holds thoughts and no answer", "not_json")
        found = _parsed(bare) or list(_embedded(bare))
    for value in reversed(found):
        if isinstance(value, dict) and all(key in value for key in keys):
            return value
    if found:
        raise GeneratorError(f"the reply is JSON without {_named(keys)}", "wrong_shape")
    raise GeneratorError("the reply is not JSON", "not_json")


def claims_of(data: dict[str, Any], passages: dict[str, int], needs: Sequence[str]) -> Read:
    """The claims of an object; a passage that was not in the request is evidence 0, which no check passes.

    Raises GeneratorError of the kind `wrong_shape`.
    """
    listed, missing = data["claims"], data.get("missing", [])
    sufficient = data.get("sufficient", True)
    if not isinstance(listed, list) or not isinstance(missing, list) or not isinstance(sufficient, bool):
        raise _shape("claims and missing must be lists, sufficient true or false")
    claims = tuple(_claim(item, passages, needs) for item in listed[:MAX_CLAIMS])
    named = tuple(need for need in needs if need in missing)
    if not sufficient and not named:
        named = tuple(needs)  # it does not say which: then none counts as answered
    return Read(claims, named)


def _claim(item: object, passages: dict[str, int], needs: Sequence[str]) -> DraftClaim:
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        raise _shape("each claim must be an object with a text")
    cited, served = item.get("citations"), item.get("needs")
    if not isinstance(cited, list):
        raise _shape("each claim must have a list of citations")
    if served is None and len(needs) == 1:
        served = list(needs)
    if not isinstance(served, list):
        raise _shape("each claim must have a list of needs")
    citations = []
    for citation in cited[:MAX_CITATIONS]:
        if not isinstance(citation, dict) or not isinstance(citation.get("quote"), str):
            raise _shape("each citation must be an object with a passage and a quote")
        passage = citation.get("passage")
        rank = passages.get(passage, 0) if isinstance(passage, str) else 0
        citations.append(DraftCitation(rank, _scalar(citation["quote"][:MAX_QUOTE])))
    return DraftClaim(
        _scalar(item["text"][:MAX_TEXT]), tuple(need for need in needs if need in served), tuple(citations)
    )


def _scalar(text: str) -> str:
    """Without lone surrogates, which JSON can spell and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _shape(wanted: str) -> GeneratorError:
    return GeneratorError(f"the reply has the wrong shape: {wanted}", "wrong_shape")


def _named(keys: Sequence[str]) -> str:
    return " and ".join(f'"{key}"' for key in keys)


def _text(content: object) -> str:
    """The content as text; some servers send a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _parsed(text: str) -> list[Any]:
    try:
        return [json.loads(text, parse_constant=_refuse)]
    except (ValueError, RecursionError):
        return []


def _without_thoughts(text: str) -> str:
    """What follows the thoughts at the start; some servers send only their closing mark."""
    if thought := _THOUGHT.match(text):
        return text[thought.end() :].strip()
    end = _THOUGHT_END.match(text)
    return text[end.end() :].strip() if end and text[end.end() :].strip() else text


def _embedded(text: str) -> list[Any]:
    """Every JSON object or list that stands in the text, outermost ones, in order."""
    decoder = json.JSONDecoder(parse_constant=_refuse)
    found: list[Any] = []
    at = 0
    for _ in range(_MAX_TRIES):
        start = min((place for place in (text.find("{", at), text.find("[", at)) if place >= 0), default=-1)
        if start < 0:
            break
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
        else:
            found.append(value)
    # A list of names in prose, "[1]", is no reply; it would hide that the reply is not JSON.
    return [value for value in found if isinstance(value, dict) or _holds_objects(value)]


def _holds_objects(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
