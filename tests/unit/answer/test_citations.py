"""The citation check: honest typography passes; nothing that changes what is said does."""

from __future__ import annotations

import time

import pytest

from suffice.answer.citations import Located, Rejected, locate, recheck, verify
from suffice.values import Citation, Claim, DraftCitation, DraftClaim, DroppedClaim, Hit

# ruff: noqa: E501 -- quotes stand on one line, as they would be written

SOURCE = """# Limits

The pump does **not** prime itself, and it can't run dry. Set `max_upload_bytes` to 10 MB or 210 MB for `v1.2.30`.
The loss is −5 kPa per metre, in a range of 5–10 °C, at ≤5 bar and $5 million or 1,000 items.
See [the guide](https://a.example/x) for more about `KV`. This is not recommended for production use.
Wait for the lamp … then switch off the main valve.

| Plan | Limit |
|---|---|
| Free | 100 MB |

- Bring the second key along
- 7 kPa

1. First do this thing here.
2. Then 90 seconds of waiting.

免费版不支持导出日志功能。付费版最多保留三十天日志，可以导出。このサービスは対応していません。
"""

ACCEPTED = {
    "The loss is −5 kPa per metre": "The loss is −5 kPa per metre",
    "The loss is -5 kPa per metre": "The loss is −5 kPa per metre",
    "The pump does not prime itself": "The pump does **not** prime itself",
    "The pump does **not** prime itself": "The pump does **not** prime itself",
    "Set max_upload_bytes to 10 MB or 210 MB": "Set `max_upload_bytes` to 10 MB or 210 MB",
    "and it can’t run dry": "and it can't run dry",
    "in a\u00a0range of 5-10\u2009°C": "in a range of 5–10 °C",
    "See the guide for more about KV": "See [the guide](https://a.example/x) for more about `KV",
    "See [the guide](https://a.example/x) for more": "See [the guide](https://a.example/x) for more",
    "“See the guide for more about KV.”": "See [the guide](https://a.example/x) for more about `KV`.",
    "in a range of 5–10 °C…": "in a range of 5–10 °C",
    "This is not recom\u00admended for production\u200b use": "This is not recommended for production use",
    "First do this thing here. Then 90 seconds of waiting.": "First do this thing here.\n2. Then 90 seconds of waiting.",
    "2. Then 90 seconds of waiting.": "2. Then 90 seconds of waiting.",
    "Wait for the lamp ... then switch off": "Wait for the lamp … then switch off",
    "The loss is […] per metre, in a range": "The loss is −5 kPa per metre, in a range",
    "100 MB": "100 MB",
    "KV": "KV",
    "| Free |": "| Free |",
    "Bring the second key": None,
    "Bring the second key along": "Bring the second key along",
    "付费版最多保留三十天日志,可以导出": "付费版最多保留三十天日志，可以导出",
    "免费版 不支持 导出日志功能": "免费版不支持导出日志功能",
    "このサービスは対応していません": "このサービスは対応していません",
}

REJECTED = {
    "": "empty quote",
    " \n\u200b ": "empty quote",
    "“…”": "empty quote",
    "The pump does prime itself": "quote not found",
    "and it can run dry": "quote not found",
    "and it can": "quote cut inside a word or number",
    "Set max_upload_bytes to 11 MB": "quote not found",
    "Set max_upload_byte to 10 MB": "quote not found",
    "Set max_upload_bytes to 10 GB": "quote not found",
    "upload_bytes to 10 MB or 210 MB": "quote cut inside a word or number",
    "0 MB or 210 MB": "quote cut inside a word or number",
    "to 10 MB or 210 MB for v1.2.3": "quote cut inside a word or number",
    "5 kPa per metre, in a range": "quote cut inside a word or number",
    "The loss is 5 kPa per metre": "quote not found",
    "in a range of 510 °C": "quote not found",
    "The loss, in a range of 5": "quote not found",
    "metre, in a range of 5": "quote cut inside a word or number",
    "10 °C, at ≤5 bar and": "quote cut inside a word or number",
    "5 bar and $5 million": "quote cut inside a word or number",
    "$5 million or 1": "quote cut inside a word or number",
    "See [the guide](https://a.example/y) for more": "quote not found",
    "recommended for production use": "quote cut off from its negation",
    "The pump does … prime itself, and it": "quote not found",
    "Wait for the lamp … switch off the main valve": "quote not found",
    "Wait for the lamp, then switch off the main valve": "quote not found",
    "First do this thing here. 3. Then 90 seconds of waiting.": "quote not found",
    "3. Then 90 seconds of waiting.": "quote not found",
    "The pump": "quote too short",
    "7 kPa": "quote too short",
    "导出日志": "quote cut off from its negation",
    "支持导出日志功能": "quote cut off from its negation",
    "十天日志，可以导出": "quote cut inside a word or number",
    "このサービスは対応して": "quote cut off from its negation",
    "THE LOSS IS −5 KPA PER METRE": "quote not found",
    "The loss is −5 kPa per metre. See the guide for more": "quote not found",
}


@pytest.mark.parametrize("quote", [quote for quote, slice_ in ACCEPTED.items() if slice_])
def test_honest_quotes_are_found_at_their_place(quote: str) -> None:
    found = locate(quote, SOURCE)
    assert isinstance(found, Located), found
    raw = SOURCE[slice(*found.span)]
    assert raw == ACCEPTED[quote]
    assert (found.check == "verified") == (raw == quote)


@pytest.mark.parametrize("quote", REJECTED)
def test_dishonest_or_empty_quotes_are_not(quote: str) -> None:
    found = locate(quote, SOURCE)
    assert isinstance(found, Rejected), SOURCE[slice(*found.span)]
    if quote != "导出日志":
        assert found.reason == REJECTED[quote]


def test_within_narrows_the_search() -> None:
    text = "Keep the valve shut now. Keep the valve shut now."
    found = locate("Keep the valve shut now.", text, within=(20, len(text)))
    assert isinstance(found, Located) and found.span == (25, 49)
    assert isinstance(locate("Keep the valve shut now.", text, within=(1, 40)), Rejected)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("a" * 50, "a" * 1_000_000),
        ("a a a a b", "a " * 500_000),
        ("a a a a … b b b b", "a " * 500_000),
        ("the last word of all", "**word** word " * 70_000 + "the  last\nword of all"),
        ("\ud800 \ud800 \ud800 b", "\ud800 " * 500_000),
    ],
)
def test_a_megabyte_takes_linear_time(quote: str, text: str) -> None:
    began = time.process_time()
    locate(quote, text)
    assert time.process_time() - began < 8


def hit(rank: int, text: str, start: int = 0) -> Hit:
    return Hit(
        rank=rank, chunk_id=f"c{rank}", document=f"d{rank}.md", title="T", heading_path=(), span=(start, start + len(text)),
        page=None, sha256="0", snapshot="s", text=text, score=1.0, scorer="hybrid", ranks={},
    )  # fmt: skip


def test_a_verified_claim_stores_the_source_and_document_places() -> None:
    document = "x" * 100 + "The pump does **not** prime itself."
    evidence = [hit(1, "Nothing of the kind stands here."), hit(2, document[100:], 100)]
    draft = DraftClaim("It does not.", ("N1",), (DraftCitation(2, "The pump does not prime itself."),))
    claim = verify(draft, evidence)
    assert isinstance(claim, Claim)
    (citation,) = claim.citations
    assert citation.quote == "The pump does **not** prime itself." == document[slice(*citation.span)]
    assert (citation.check, citation.chunk_id, citation.document) == ("verified_normalized", "c2", "d2.md")
    assert recheck(document, citation)
    assert not recheck(document.replace("not", "now"), citation)
    assert not recheck("short", citation)


def test_one_good_citation_keeps_a_claim_and_the_bad_one_goes() -> None:
    evidence = [hit(1, "The lamp burns for nine hours.")]
    good, bad = (
        DraftCitation(1, "The lamp burns for nine hours."),
        DraftCitation(1, "The lamp burns for ten hours."),
    )
    claim = verify(DraftClaim("c", ("N1",), (bad, good, good)), evidence)
    assert isinstance(claim, Claim)
    assert [citation.quote for citation in claim.citations] == ["The lamp burns for nine hours."]


@pytest.mark.parametrize(
    ("citations", "reason"),
    [
        ((), "no quote"),
        ((DraftCitation(1, "The lamp burns for ten hours."),), "quote not found"),
        ((DraftCitation(9, "The lamp burns for nine hours."),), "no evidence 9"),
        (
            (DraftCitation(2, "The lamp burns for nine hours."),),
            "quote stands in evidence 1, not in the one cited",
        ),
        ((DraftCitation(1, "The lamp"),), "quote too short"),
        ((DraftCitation(1, " "),), "empty quote"),
    ],
)
def test_a_claim_without_a_good_citation_is_dropped_with_the_reason(
    citations: tuple[DraftCitation, ...], reason: str
) -> None:
    evidence = [hit(1, "The lamp burns for nine hours."), hit(2, "Other things are said here.")]
    assert verify(DraftClaim("c", ("N1",), citations), evidence) == DroppedClaim("c", reason)


def test_the_generators_own_span_is_preferred_and_not_trusted() -> None:
    text = "Keep the valve shut now. Keep the valve shut now."
    evidence = [hit(1, text, 1000)]
    for span, start in (((1025, 1049), 1025), ((1003, 1009), 1000), ((5, 9), 1000), (None, 1000)):
        claim = verify(DraftClaim("c", (), (DraftCitation(1, "Keep the valve shut now.", span),)), evidence)
        assert isinstance(claim, Claim) and claim.citations[0].span[0] == start


def test_recheck_refuses_blank_and_impossible_spans() -> None:
    for span in ((0, 0), (3, 1), (-1, 2), (0, 99)):
        assert not recheck("abc", Citation(1, "c", "d", "abc"[span[0] : span[1]], span, "verified"))
