"""Answers in a model's words: any server that speaks OpenAI's chat completions writes claims with quotes.

The model is asked only once the gate has found the evidence enough for some need. What it writes is a
proposal: suffice checks every quote, and shows nothing else.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from suffice.errors import GeneratorError
from suffice.plugins.generators._chat_endpoint import FORMATS, Endpoint, endpoint
from suffice.plugins.generators._chat_http import Reply, send
from suffice.plugins.generators._chat_prompt import REPAIR, Prompt, build
from suffice.plugins.generators._chat_reply import Read, claims_of, read_object
from suffice.ports import Generated
from suffice.values import Hit, Need, Support, Usage

VERSION = "1"

KEYS = ("sufficient", "claims")
_REPAIRED = frozenset({"not_json", "wrong_shape", "empty"})
_REFUSALS = frozenset({400, 415, 422, 501})
_MAX_SHOWN = 4_000
_FORMAT = re.compile(r"response_format|json_schema|json_object|grammar|structured output", re.IGNORECASE)
_LONG = re.compile(
    r"context.{0,30}(?:length|size|window)|maximum.{0,30}tokens|too (?:long|many tokens|large)"
    r"|exceed.{0,60}(?:token|context)|(?:token|context).{0,60}exceed",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Habits:
    """What a server was found to refuse in this process: asked once, not with every question."""

    level: int = 0
    left_out: set[str] = field(default_factory=set)


_habits: dict[tuple[str, str], _Habits] = {}
_lock = threading.Lock()


class Tally:
    """Tokens of all calls for one question."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self.prompt_tokens = 0
        self.completion_tokens = 0

    def add(self, data: Mapping[str, Any]) -> int:
        """Count a reply's usage; returns its prompt tokens, 0 where the server does not say."""
        usage = data.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        prompt, completion = (_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens"))
        self.prompt_tokens += prompt
        self.completion_tokens += completion
        return prompt

    @property
    def usage(self) -> Usage:
        """What it cost so far."""
        n_in, n_out = self.prompt_tokens, self.completion_tokens
        return Usage(self._endpoint.model, n_in, n_out, self._endpoint.cost(n_in, n_out))


class OpenAI:
    """The generator that asks a chat endpoint."""

    name = "openai"
    version = VERSION

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    def generate(
        self,
        question: str,
        needs: Sequence[Need],
        supports: Sequence[Support],
        evidence: Sequence[Hit],
        language: str,
    ) -> Generated:
        """Claims for the needs, unchecked. Raises GeneratorError, whose `usage` is what was spent."""
        asked = {support.need for support in supports}
        needs = [need for need in needs if need.id in asked]
        if not needs or not evidence:
            return Generated((), Usage())
        prompt = build(question, needs, supports, evidence, language, self.endpoint.prompt_budget)
        tally = Tally(self.endpoint)
        deadline = time.monotonic() + self.endpoint.total_s
        try:
            read, n_read = self._read(prompt, [need.id for need in needs], tally, deadline)
        except GeneratorError as error:
            if error.usage is None and tally.prompt_tokens:
                error.usage = tally.usage
            raise
        return Generated(read.claims, tally.usage, missing=read.missing, notes=self._notes(prompt, n_read))

    def check(self) -> str:
        """What the endpoint says of itself, for `doctor`; nothing is generated. Raises GeneratorError."""
        one = self.endpoint
        reply = send(one, "GET", "models", None, time.monotonic() + min(one.total_s, 15.0))
        if reply.status in (401, 403):
            raise self._refusal(reply)
        listed = reply.data.get("data")
        names = (
            {item.get("id") for item in listed if isinstance(item, dict)}
            if isinstance(listed, list)
            else set()
        )
        key = f"key from {one.key_name}" if one.key_name else "no key"
        said = f"{one.host} answers, {key}, model {one.model}"
        if reply.status >= 400 or not names:
            return f"{said}; it does not list its models, so the name could not be checked"
        if one.model not in names and len(names) == 1:
            # such as llama.cpp, which calls its model by the path of a file
            other = one.hidden(str(next(iter(names))), 80)
            return f"{said}; it lists {other!r} alone, which some servers use whatever name is asked for"
        if one.model not in names:
            raise GeneratorError(f"{one.host} does not list the model {one.model!r}", "no_model")
        return f"{said} is listed"

    def _read(self, prompt: Prompt, needs: Sequence[str], tally: Tally, deadline: float) -> tuple[Read, int]:
        """The reply, read; one that is not the object asked for is asked for once more, and only that."""
        messages: list[dict[str, str]] = list(prompt.messages)
        data = self._complete(prompt, messages, deadline)
        n_read = tally.add(data)
        try:
            return self._understood(data, prompt, needs), n_read
        except GeneratorError as error:
            if error.kind not in _REPAIRED:
                raise
            shown = _message(data).get("content")
            if isinstance(shown, str) and shown.strip():
                messages.append({"role": "assistant", "content": shown[:_MAX_SHOWN]})
            messages.append({"role": "user", "content": REPAIR.format(reason=error)})
        data = self._complete(prompt, messages, deadline)
        tally.add(data)
        try:
            return self._understood(data, prompt, needs), n_read
        except GeneratorError as error:
            raise GeneratorError(f"{error}, and so was its second try", error.kind) from None

    def _understood(self, data: Mapping[str, Any], prompt: Prompt, needs: Sequence[str]) -> Read:
        message = _message(data)
        if isinstance(message.get("refusal"), str) and not message.get("content"):
            said = self.endpoint.hidden(message["refusal"])
            raise GeneratorError(f"the model refused to answer: {said}", "refused")
        try:
            found = read_object(message.get("content"), _choice(data).get("finish_reason"), KEYS)
            return claims_of(found, prompt.passages, needs)
        except GeneratorError as error:
            raise GeneratorError(
                f"{self.endpoint.model}: {error}{self._hint(error, message)}", error.kind
            ) from None

    def _hint(self, error: GeneratorError, message: Mapping[str, Any]) -> str:
        if error.kind == "truncated":
            return f"; raise generator.reply_budget ({self.endpoint.reply_budget} tokens)"
        if error.kind == "empty" and message.get("reasoning_content"):
            return "; it holds reasoning alone (turn thinking off in generator.extra_body)"
        return ""

    def _complete(
        self, prompt: Prompt, messages: Sequence[Mapping[str, str]], deadline: float
    ) -> dict[str, Any]:
        """The reply to one request, asked in the strictest form that the server takes."""
        one = self.endpoint
        with _lock:
            kept = _habits.get((one.base_url, one.model), _Habits())
            habits = _Habits(kept.level, set(kept.left_out))
        if one.format != "auto":
            habits.level = FORMATS.index(one.format)
        while True:
            reply = send(one, "POST", "chat/completions", self._body(prompt, messages, habits), deadline)
            if reply.status < 300:
                break
            if not self._relented(reply, habits):
                raise self._refusal(reply)
        if not _choice(reply.data):
            raise self._no_completion(reply)
        with _lock:
            _habits[one.base_url, one.model] = habits
        return reply.data

    def _body(self, prompt: Prompt, messages: Sequence[Mapping[str, str]], habits: _Habits) -> dict[str, Any]:
        one = self.endpoint
        body: dict[str, Any] = {"model": one.model, "messages": list(messages), "stream": False}
        if "temperature" not in habits.left_out:
            body["temperature"] = 0
        limit = "max_completion_tokens" if "max_tokens" in habits.left_out else "max_tokens"
        body[limit] = one.reply_budget
        form = FORMATS[habits.level]
        if form == "json_schema":
            schema = {"name": "answer", "strict": True, "schema": prompt.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif form == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body | dict(one.extra_body)

    def _relented(self, reply: Reply, habits: _Habits) -> bool:
        """Whether something that the server may have refused can be left out; it is then."""
        said = reply.message
        names_format = bool(_FORMAT.search(said))
        if reply.status not in _REFUSALS and not (reply.status >= 500 and names_format):
            return False
        if not names_format:
            for name in ("temperature", "max_tokens"):
                if name in said and name not in habits.left_out and name not in self.endpoint.extra_body:
                    habits.left_out.add(name)
                    return True
            if _LONG.search(said):
                return False
        if habits.level + 1 < len(FORMATS) and self.endpoint.format == "auto":
            habits.level += 1
            return True
        return False

    def _refusal(self, reply: Reply) -> GeneratorError:
        one, status = self.endpoint, reply.status
        said = one.hidden(reply.message)
        if status in (401, 403):
            source = f"the key in {one.key_name}" if one.key_name else "a request without a key"
            if one.exposed and not one.key_name:
                source += " (one is sent without encryption only where generator.auth_env names it)"
            return GeneratorError(f"{one.host} refuses {source} (status {status}: {said})", "unauthorized")
        if 300 <= status < 400:
            return GeneratorError(
                f"{one.host} sends elsewhere (status {status}); set its real address", "redirect"
            )
        if status == 404:
            return GeneratorError(
                f"{one.host} knows no such address or model (status 404: {said})", "not_found"
            )
        if reply.code == "insufficient_quota":
            return GeneratorError(f"{one.host}: the account's quota is used up ({said})", "quota")
        if _LONG.search(reply.message):
            return GeneratorError(
                f"{one.host}: the prompt is too long ({said}); lower generator.prompt_budget or -k",
                "too_long",
            )
        return GeneratorError(f"{one.host} refuses the request (status {status}: {said})", "refused_request")

    def _no_completion(self, reply: Reply) -> GeneratorError:
        kind = reply.headers.get("content-type", "no content type").split(";")[0]
        if reply.data:
            said = self.endpoint.hidden(reply.message)
            return GeneratorError(f"{self.endpoint.host} sent JSON without a completion: {said}", "bad_reply")
        return GeneratorError(
            f"{self.endpoint.host} sent {self.endpoint.hidden(kind, 60)} that is not a JSON object; "
            "is the address that of an OpenAI-compatible service?",
            "bad_reply",
        )

    def _notes(self, prompt: Prompt, n_read: int) -> tuple[str, ...]:
        notes = []
        if prompt.left_out:
            ranks = ", ".join(f"[{rank}]" for rank in prompt.left_out)
            notes.append(
                f"left out of the prompt of at most {self.endpoint.prompt_budget:,} tokens: evidence {ranks}"
            )
        if 0 < n_read < prompt.fewest_tokens:
            notes.append(
                f"{self.endpoint.host} read {n_read:,} of about {prompt.n_tokens:,} tokens of the prompt: "
                "it may have cut the evidence; raise the context length of the server"
            )
        return tuple(notes)


def create(*, embedder: object = None, **options: Any) -> OpenAI:  # noqa: ARG001 - it needs no embedder
    """Options: the table `generator` of the settings. Nothing is sent. Raises SettingsError."""
    return OpenAI(endpoint(os.environ, **options))


def _choice(data: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = data.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) and isinstance(first.get("message"), dict) else {}


def _message(data: Mapping[str, Any]) -> Mapping[str, Any]:
    message = _choice(data).get("message")
    return message if isinstance(message, dict) else {}


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
