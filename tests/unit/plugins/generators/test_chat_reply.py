"""Reading a model's reply: every complete shape is read, everything else is a named error."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import GeneratorError
from suffice.plugins.generators._chat_reply import MAX_CITATIONS, MAX_CLAIMS, claims_of, read_object

GOOD: dict[str, Any] = {"sufficient": True, "claims": []}
TEXT = json.dumps(GOOD)
FENCE = "```"


@pytest.mark.parametrize(
    "content",
    [
        TEXT,
        f"\ufeff\n {TEXT} \n",
        f"{FENCE}json\n{TEXT}\n{FENCE}",
        f"Here it is:\n{FENCE}\n{TEXT}\n{FENCE}\nAnything else?",
        f'<think>{{"sufficient": false, "claims": []}} or so</think>{TEXT}',
        f"thoughts whose opening the server ate, {{a}}</think>\n{TEXT}",
        f"<THINKING>hm</THINKING>{TEXT}",
        f"The set {{a, b}} is not needed [1]. {TEXT}",
        f'{{"sufficient": false, "claims": [1]}} no, rather: {TEXT}',
        f"[1] {TEXT} [2]",
        [{"type": "text", "text": TEXT}],
    ],
)
def test_a_complete_object_is_found(content: object) -> None:
    assert read_object(content, "stop", ("sufficient", "claims")) == GOOD


@pytest.mark.parametrize(
    ("content", "finish", "kind"),
    [
        (TEXT, "length", "truncated"),
        (TEXT, "content_filter", "refused"),
        ("", "stop", "empty"),
        (None, "stop", "empty"),
        (" \n\ufeff", "stop", "empty"),
        (f"<think>{TEXT}", "stop", "not_json"),
        ("<think>a</think>", "stop", "not_json"),
        (TEXT[:-1], "stop", "not_json"),
        ("{" * 5000, "stop", "not_json"),
        ("[" * 100_000, "stop", "not_json"),
        ('{"sufficient": NaN, "claims": []}', "stop", "not_json"),
        (f"[{TEXT}]", "stop", "wrong_shape"),
        ("3", "stop", "wrong_shape"),
        ('{"claims": []}', "stop", "wrong_shape"),
    ],
)
def test_anything_else_is_a_named_error(content: object, finish: str, kind: str) -> None:
    with pytest.raises(GeneratorError) as caught:
        read_object(content, finish, ("sufficient", "claims"))
    assert caught.value.kind == kind


@given(st.text(max_size=200), st.text(max_size=200))
def test_no_text_around_it_brings_a_crash(before: str, after: str) -> None:
    try:
        read_object(before + TEXT + after, "stop", ("sufficient", "claims"))
    except GeneratorError as error:
        assert error.kind in ("not_json", "wrong_shape")


def test_claims_are_read_and_unknown_passages_are_evidence_0() -> None:
    cited = [{"passage": "p1", "quote": "a"}, {"passage": "p9", "quote": "b"}, {"passage": 4, "quote": "c"}]
    data = GOOD | {"claims": [{"text": "T", "needs": ["N1", "N7"], "citations": cited}]}
    [claim] = claims_of(data, {"p1": 3}, ["N1", "N2"]).claims
    assert claim.needs == ("N1",)
    assert [(one.evidence, one.quote) for one in claim.citations] == [(3, "a"), (0, "b"), (0, "c")]


def test_a_claim_without_needs_serves_the_only_need() -> None:
    data = GOOD | {"claims": [{"text": "T", "citations": []}]}
    assert claims_of(data, {}, ["N1"]).claims[0].needs == ("N1",)
    with pytest.raises(GeneratorError):
        claims_of(data, {}, ["N1", "N2"])


def test_insufficient_without_saying_what_is_missing_means_all_is() -> None:
    assert claims_of({"sufficient": False, "claims": []}, {}, ["N1", "N2"]).missing == ("N1", "N2")
    assert claims_of({"sufficient": False, "claims": [], "missing": ["N2"]}, {}, ["N1", "N2"]).missing == (
        "N2",
    )
    assert claims_of(GOOD | {"missing": ["N9"]}, {}, ["N1"]).missing == ()


def test_no_reply_makes_more_than_the_limits() -> None:
    one = {"text": "x" * 9999, "needs": ["N1"], "citations": [{"passage": "p", "quote": "\ud800" * 9999}] * 9}
    claims = claims_of(GOOD | {"claims": [one] * 99}, {"p": 1}, ["N1"]).claims
    assert len(claims) == MAX_CLAIMS
    assert len(claims[0].citations) == MAX_CITATIONS
    assert len(claims[0].text) <= 2000
    claims[0].citations[0].quote.encode()


@pytest.mark.parametrize(
    "data",
    [
        {"sufficient": "yes", "claims": []},
        {"sufficient": True, "claims": {}},
        {"sufficient": True, "claims": [1]},
        {"sufficient": True, "claims": [{"text": "T", "needs": ["N1"]}]},
        {"sufficient": True, "claims": [{"text": "T", "needs": "N1", "citations": []}]},
        {"sufficient": True, "claims": [{"text": "T", "needs": ["N1"], "citations": ["q"]}]},
        {"sufficient": True, "claims": [], "missing": "N1"},
    ],
)
def test_a_wrong_shape_is_named(data: dict[str, Any]) -> None:
    with pytest.raises(GeneratorError) as caught:
        claims_of(data, {}, ["N1"])
    assert caught.value.kind == "wrong_shape"
