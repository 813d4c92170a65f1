"""The generator `openai` against a scripted server: one clear outcome for whatever a server does."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from scripted_server import (
    Scripted,
    Step,
    claim,
    completion,
    cut,
    drips,
    drips_headers,
    fails,
    gives,
    passages_of,
    quoting,
    reply,
    resets,
    says,
    serving,
    stalls,
)
from suffice import registry
from suffice.answer.compose import compose
from suffice.errors import GeneratorError, SettingsError
from suffice.gate.sufficiency import decide
from suffice.plugins.generators import _chat_http
from suffice.values import Hit, Need, Support, Usage

KEY = "sk-test-1234567890abcdef"
RICE = "Cooked rice keeps for one day in the fridge."
FERRY = "The ferry leaves pier 4 at noon. Bicycles travel free of charge."
NEEDS = (Need("N1", "How long does cooked rice keep?"),)


def hit(rank: int, text: str, document: str = "", title: str = "T") -> Hit:
    span = (rank * 1000, rank * 1000 + len(text))
    return Hit(
        rank, f"c{rank}", document or f"d{rank}.md", title, (), span, None, "", "s", text, 1.0, "hybrid", {}
    )


EVIDENCE = (hit(1, f"{RICE} Reheat it to 75 degrees."), hit(2, FERRY))
SUPPORTS = (Support("N1", 1, EVIDENCE[0].span, 0.9, "test"),)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "DASHSCOPE_BASE_URL", "DASHSCOPE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_chat_http, "FIRST_WAIT_S", 0.01)


@pytest.fixture
def server() -> Iterator[Scripted]:
    with serving() as script:
        yield script


def made(server: Scripted, *steps: Step, **options: Any) -> Any:
    server.steps[:] = steps
    given = {"base_url": server.url, "model": "m"}
    limits = {"connect_s": 2.0, "first_byte_s": 0.4, "idle_s": 0.3, "total_s": 2.5, "retries": 2}
    return registry.create("generator", "openai", embedder=None, **(given | limits | options))


def generate(generator: Any, needs: Sequence[Need] = NEEDS, supports: Sequence[Support] = SUPPORTS) -> Any:
    return generator.generate("How long does cooked rice keep?", needs, supports, EVIDENCE, "en")


def test_a_valid_reply_becomes_claims_usage_and_cost(
    server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    generator = made(server, quoting(RICE), prices={"m": (2.0, 10.0)})
    generated = generate(generator)
    [one] = generated.claims
    assert (one.text, one.needs) == (RICE, ("N1",))
    assert [(c.evidence, c.quote) for c in one.citations] == [(1, RICE)]
    assert generated.usage == Usage("m", 1000, 20, pytest.approx((1000 * 2 + 20 * 10) / 1e6))
    assert server.paths == ["/v1/chat/completions"]
    assert server.keys == [f"Bearer {KEY}"]
    assert KEY not in repr(generator.endpoint) + str(generator.endpoint)
    body = server.requests[0]
    assert (body["model"], body["temperature"], body["stream"]) == ("m", 0, False)
    schema = body["response_format"]["json_schema"]["schema"]
    passage = schema["properties"]["claims"]["items"]["properties"]["citations"]["items"]["properties"][
        "passage"
    ]
    assert passage["enum"] == list(passages_of(body))


def test_without_a_need_a_support_or_evidence_no_request_leaves(server: Scripted) -> None:
    generator = made(server, quoting(RICE))
    assert generator.generate("q", (), SUPPORTS, EVIDENCE, "en").claims == ()
    assert generator.generate("q", NEEDS, (), EVIDENCE, "en").claims == ()
    assert generator.generate("q", NEEDS, SUPPORTS, (), "en").claims == ()
    assert server.n == 0


def test_the_gate_stays_first(server: Scripted) -> None:
    generator = made(server, quoting(RICE))
    declined = compose("q", decide(NEEDS, (), threshold=0.5), EVIDENCE, generator, "en")
    assert declined.body is None
    assert server.n == 0
    answered = compose("q", decide(NEEDS, SUPPORTS, threshold=0.5), EVIDENCE, generator, "en")
    assert answered.body is not None
    assert server.n == 1


FAULTS = {
    "stalls": ([stalls], "timeout", 1),
    "headers that never end": ([drips_headers], "timeout", 1),
    "a byte now and then": ([drips(completion("x" * 200), 0.05)], "timeout", 1),
    "stops in the middle": ([drips(completion("x" * 4000), 1.0, 2000)], "timeout", 1),
    "cut mid-JSON": ([cut(completion(reply(claim("x", ("a", "b")))))], "closed", 3),
    "connection closed": ([resets], "closed", 3),
    "500s": ([fails(500, "boom")], "server_error", 3),
    "503 then 429": ([fails(503), fails(429, "slow down")], "busy", 3),
    "quota": (
        [gives(b'{"error": {"message": "pay", "code": "insufficient_quota"}}', status=429)],
        "quota",
        1,
    ),
    "asks to wait for an hour": ([fails(429, "later", Retry_After="3600")], "busy", 1),
    "refused key": ([fails(401, f"Incorrect key {KEY}")], "unauthorized", 1),
    "no such model": ([fails(404, "model m does not exist")], "not_found", 1),
    "redirect": ([gives(b"", "text/html", 302)], "redirect", 1),
    "prompt too long": ([fails(400, "This model's maximum context length is 10 tokens")], "too_long", 1),
    "refuses all": ([fails(400, "bad thing")], "refused_request", 3),
    "huge": ([gives(b'{"choices": "' + b"x" * 5_000_000 + b'"}')], "too_large", 1),
    "not UTF-8": ([gives(completion("x").replace(b'"x"', b'"\xff\xfe\xe4\xb8"'))], "not_utf8", 1),
    "HTML": ([gives(b"<html>sign in</html>", "text/html")], "bad_reply", 1),
    "JSON without a completion": ([gives(b'{"ok": true}')], "bad_reply", 1),
    "an error with status 200": ([gives(b'{"error": {"message": "upstream"}}')], "bad_reply", 1),
    "a list": ([gives(b"[1]")], "bad_reply", 1),
    "no choices": ([gives(b'{"choices": []}')], "bad_reply", 1),
    "cut at the limit": ([says('{"sufficient": true, "claims": [', finish="length")], "truncated", 1),
    "whole but cut at the limit": ([says(reply(), finish="length")], "truncated", 1),
    "filtered": ([says("", finish="content_filter")], "refused", 1),
    "refusal": ([says(None, refusal="I cannot")], "refused", 1),
    "never JSON": ([says("I am sorry.")], "not_json", 2),
    "empty": ([says("")], "empty", 2),
    "thoughts alone": ([says("", reasoning_content="Hm.")], "empty", 2),
    "wrong shape": ([says('{"sufficient": true, "claims": [{"text": 4}]}')], "wrong_shape", 2),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_server_has_one_named_outcome_and_shows_nothing(
    fault: str, server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    steps, kind, n = FAULTS[fault]
    generator = made(server, *steps)
    began = time.monotonic()
    with pytest.raises(GeneratorError) as caught:
        generate(generator)
    assert time.monotonic() - began < 4.5
    assert (caught.value.kind, server.n) == (kind, n)
    assert KEY not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600

    composed = compose("q", decide(NEEDS, SUPPORTS, threshold=0.5), EVIDENCE, Raising(caught.value), "en")
    assert composed.body is None
    [failure] = composed.failures
    assert failure.stage == "answer"


class Raising:
    name = version = "raising"

    def __init__(self, error: GeneratorError) -> None:
        self.error = error

    def generate(self, *_: Any) -> Any:
        raise self.error


def test_a_server_that_is_not_there_is_unreachable(server: Scripted) -> None:
    generator = registry.create(
        "generator", "openai", embedder=None, base_url="http://127.0.0.1:9/v1", model="m", retries=1
    )
    with pytest.raises(GeneratorError, match="could not be reached") as caught:
        generate(generator)
    assert caught.value.kind == "unreachable"


def test_what_passes_is_tried_again_after_the_time_that_the_server_asks_for(server: Scripted) -> None:
    generator = made(server, fails(429, Retry_After="0.5"), resets, quoting(RICE))
    began = time.monotonic()
    assert len(generate(generator).claims) == 1
    assert time.monotonic() - began >= 0.5
    assert server.n == 3


def test_what_was_spent_before_it_failed_is_known(server: Scripted) -> None:
    with pytest.raises(GeneratorError) as caught:
        generate(made(server, says("no", usage=(70, 3))))
    assert caught.value.usage == Usage("m", 140, 6, None)


def test_one_repair_is_asked_for_and_names_the_fault(server: Scripted) -> None:
    generated = generate(made(server, says("Sure! It keeps for a day."), quoting(RICE)))
    assert len(generated.claims) == 1
    assert generated.usage.prompt_tokens == 2000
    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert "not JSON" in server.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "content",
    [
        reply(sufficient=False),
        reply(),
        reply(claim("Rice keeps for nine days.", ("x", "nine days in the fridge it keeps"))),
        reply(claim("Rice.", needs=())),
        reply(missing=("N1",)),
    ],
)
def test_a_valid_reply_is_never_asked_for_again(content: str, server: Scripted) -> None:
    generator = made(server, says(content))
    composed = compose("q", decide(NEEDS, SUPPORTS, threshold=0.5), EVIDENCE, generator, "en")
    assert composed.body is None
    assert composed.unchecked == ("N1",)
    assert server.n == 1


def test_what_the_model_says_is_missing_is_missing(server: Scripted) -> None:
    needs = (*NEEDS, Need("N2", "When does the ferry leave?"))
    supports = (*SUPPORTS, Support("N2", 2, EVIDENCE[1].span, 0.9, "test"))

    def content(request: dict[str, Any]) -> str:
        first, second = passages_of(request)
        return reply(
            claim(RICE, (first, RICE)),
            claim("At noon.", (second, "The ferry leaves pier 4 at noon."), needs=("N2",)),
            missing=("N2",),
            sufficient=False,
        )

    generator = made(server, says(content))
    composed = compose("q", decide(needs, supports, threshold=0.5), EVIDENCE, generator, "en")
    assert composed.body is not None
    assert [claim.needs for claim in composed.body.claims] == [("N1",)]
    assert composed.unchecked == ("N2",)
    assert "When does the ferry leave?" in composed.message
    assert [one.reason for one in composed.dropped] == [
        "its writer says that the evidence does not answer this"
    ]


@pytest.mark.parametrize("cited", ["no-such-id", "2", ""])
def test_a_quote_with_a_wrong_id_is_cited_from_where_it_stands_and_flagged(
    cited: str, server: Scripted
) -> None:
    generator = made(server, says(reply(claim("It keeps for one day.", (cited, RICE)))))
    composed = compose("q", decide(NEEDS, SUPPORTS, threshold=0.5), EVIDENCE, generator, "en")
    assert composed.body is not None
    [citation] = composed.body.claims[0].citations
    assert (citation.evidence, citation.reattributed) == (1, True)


def _refusing(*refused: str) -> Step:
    def step(handler: Any, request: dict[str, Any]) -> None:
        form = request.get("response_format", {}).get("type", "text")
        if form in refused:
            body = {"error": {"message": f"response_format {form} is not supported"}}
            handler.give(400, json.dumps(body).encode())
        else:
            quoting(RICE)(handler, request)

    return step


@pytest.mark.parametrize(
    ("refused", "n", "form"),
    [
        ((), 1, "json_schema"),
        (("json_schema",), 2, "json_object"),
        (("json_schema", "json_object"), 3, "text"),
    ],
)
def test_the_strictest_form_that_a_server_takes_is_found_once(
    refused: tuple[str, ...], n: int, form: str, server: Scripted
) -> None:
    generator = made(server, _refusing(*refused))
    assert len(generate(generator).claims) == 1
    assert server.n == n
    assert len(generate(generator).claims) == 1
    assert server.n == n + 1
    assert server.requests[-1].get("response_format", {"type": "text"})["type"] == form
    assert "JSON" in server.requests[-1]["messages"][0]["content"]


def test_a_form_that_is_set_is_the_only_one(server: Scripted) -> None:
    with pytest.raises(GeneratorError) as caught:
        generate(made(server, _refusing("json_schema"), format="json_schema"))
    assert (caught.value.kind, server.n) == ("refused_request", 1)


def test_parameters_that_a_model_refuses_are_left_out_and_that_is_remembered(server: Scripted) -> None:
    def step(handler: Any, request: dict[str, Any]) -> None:
        for name in ("temperature", "max_tokens"):
            if name in request:
                handler.give(400, json.dumps({"error": {"message": f"Unsupported: '{name}'"}}).encode())
                return
        quoting(RICE)(handler, request)

    generator = made(server, step, reply_budget=700)
    generate(generator)
    assert server.n == 3
    generate(generator)
    assert server.n == 4
    assert server.requests[-1]["max_completion_tokens"] == 700
    assert server.requests[-1]["response_format"]["type"] == "json_schema"


def test_whole_passages_are_left_out_from_the_end_and_it_says_so(server: Scripted) -> None:
    long = tuple(hit(n, f"{RICE} " + "filler words " * 300) for n in (1, 2, 3, 4))
    supports = (Support("N1", 4, long[3].span, 0.9, "test"),)
    generator = made(server, says(reply(sufficient=False)), prompt_budget=4_500)
    generated = generator.generate("q", NEEDS, supports, long, "en")
    assert len(passages_of(server.requests[0])) == 2
    assert set(passages_of(server.requests[0]).values()) == {long[0].text, long[3].text}
    assert "evidence [2], [3]" in generated.notes[0]
    with pytest.raises(GeneratorError) as caught:
        made(server, prompt_budget=900).generate("q", NEEDS, supports, long, "en")
    assert (caught.value.kind, server.n) == ("too_long", 1)


def test_a_server_that_read_only_part_of_the_prompt_is_noticed(server: Scripted) -> None:
    assert "may have cut the evidence" in generate(made(server, says(reply(), usage=(12, 5)))).notes[0]
    assert generate(made(server, says(reply(), usage=None))).notes == ()


def test_dashscope_is_asked_without_thinking_and_with_its_own_key(
    server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASHSCOPE_BASE_URL", server.url)
    monkeypatch.setenv("DASHSCOPE_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    server.steps[:] = [quoting(RICE)]
    generate(registry.create("generator", "openai", embedder=None, model="qwen-test"))
    assert server.keys == [f"Bearer {KEY}"]
    assert server.requests[0]["enable_thinking"] is False
    generate(registry.create("generator", "openai", model="qwen-test", extra_body={"enable_thinking": True}))
    assert server.requests[1]["enable_thinking"] is True


def test_a_key_is_read_from_the_variable_that_is_named(
    server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("MY_GATEWAY", KEY)
    generate(made(server, quoting(RICE), auth_env="MY_GATEWAY", extra_body={"seed": 7}))
    assert server.keys == [f"Bearer {KEY}"]
    assert server.requests[0]["seed"] == 7


def test_no_key_travels_in_the_open_unless_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    plain = {"base_url": "http://models.lan:8000/v1", "model": "m"}
    assert registry.create("generator", "openai", **plain).endpoint.key == ""
    named = registry.create("generator", "openai", **plain, auth_env="OPENAI_API_KEY").endpoint
    assert (named.key, named.exposed) == (KEY, True)
    secure = registry.create("generator", "openai", base_url="https://models.lan/v1", model="m").endpoint
    assert (secure.key, secure.exposed) == (KEY, False)


def test_a_chinese_claim_stands_on_an_english_quote(server: Scripted) -> None:
    generator = made(server, quoting(RICE, text="煮好的米饭在冰箱中可保存一天。"))
    composed = compose("米饭能放多久？", decide(NEEDS, SUPPORTS, threshold=0.5), EVIDENCE, generator, "zh")
    assert composed.body is not None
    assert composed.body.text == "煮好的米饭在冰箱中可保存一天。 [1]"
    assert composed.body.claims[0].citations[0].quote == RICE
    assert "Language of the claims: Chinese" in server.requests[0]["messages"][1]["content"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": ""}, "generator.model"),
        ({"base_url": "ftp://x"}, "must look like"),
        ({"base_url": "https://user:sk-secret@host/v1"}, "a key belongs into"),
        ({"base_url": "https://host/v1?key=sk-secret"}, "a key belongs into"),
        ({"base_url": "https://[::1"}, "not an address"),
        ({"auth_env": "NOT_SET_ANYWHERE"}, "NOT_SET_ANYWHERE"),
        ({"total_s": 0}, "total_s"),
        ({"retries": -1}, "retries"),
        ({"reply_budget": 3}, "reply_budget"),
        ({"extra_body": {"messages": []}}, "messages"),
        ({"prices": {"m": (1.0,)}}, "prices.m"),
        ({"format": "xml"}, "xml"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_sent(
    options: dict[str, Any], said: str, server: Scripted
) -> None:
    with pytest.raises(SettingsError, match=said) as caught:
        made(server, quoting(RICE), **options)
    assert "sk-secret" not in str(caught.value)


def test_without_an_address_it_says_what_to_set() -> None:
    with pytest.raises(SettingsError, match="OPENAI_BASE_URL"):
        registry.create("generator", "openai", model="m")


def test_a_key_with_a_line_break_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a\nX-Evil: 1")
    with pytest.raises(SettingsError) as caught:
        registry.create("generator", "openai", model="m")
    assert "sk-a" not in str(caught.value)


def test_doctor_asks_which_models_there_are_and_generates_nothing(server: Scripted) -> None:
    listed = gives(json.dumps({"data": [{"id": "m"}]}).encode())
    assert "is listed" in made(server, listed).check()
    assert server.paths == ["/v1/models"]
    assert "could not be checked" in made(server, fails(404)).check()
    assert "'other' alone" in made(server, gives(json.dumps({"data": [{"id": "other"}]}).encode())).check()
    others = gives(json.dumps({"data": [{"id": "other"}, {"id": "third"}]}).encode())
    for step in (fails(401), others, resets):
        with pytest.raises(GeneratorError):
            made(server, step).check()
