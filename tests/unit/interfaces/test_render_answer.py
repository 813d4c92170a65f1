"""What a person sees, for each outcome, on wide and narrow terminals, with and without colour."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import interface_samples as samples
import pytest
from interface_engine import FakeEngine
from rich.console import Console

from suffice.interfaces.render import answer, ranking
from suffice.values import Answer

WORDS = {
    "sufficient": "● SUFFICIENT",
    "written": "● SUFFICIENT",
    "partial": "◐ PARTIAL",
    "cjk": "◐ PARTIAL",
    "insufficient": "○ INSUFFICIENT",
    "search_failed": "▲ SEARCH FAILED",
}


def page(value: Answer, width: int = 100, **options: bool) -> str:
    return "\n".join(row.plain for row in answer.lines(value, width, **options))


@pytest.mark.parametrize("name", samples.EACH)
@pytest.mark.parametrize("width", [30, 40, 100])
def test_every_outcome_fits_and_begins_with_its_word(name: str, width: int) -> None:
    rows = answer.lines(samples.EACH[name], width)
    assert rows[0].plain.strip().startswith(WORDS[name])
    assert max(row.cell_len for row in rows) <= width


def test_a_partial_answer_shows_needs_quotes_places_what_is_missing_and_what_to_ask() -> None:
    shown = page(samples.PARTIAL)
    assert "✓ How do I rotate a signing key?" in shown
    assert "✗ Who is told when a key is rotated?" in shown
    assert "│ 1. Run `keyring rotate --grace 24h`. Old tokens stay valid during the grace period." in shown
    assert "[1] Signing keys › Rotate a key  guide/keys/rotation.md  ✓\u00a0verified" in shown
    assert "│ Team  50    24" in shown
    assert samples.PARTIAL.message in shown
    assert "2 How does the gateway load keys from a file?\n  ● will be answered  guide/gateway.md" in shown
    assert "1 Who may rotate keys in the gateway?\n  ○ not enough evidence either\n" in shown
    assert "→ suffice pick 2" in shown  # the first one that will get an answer


def test_no_suggestion_is_recommended_that_leads_nowhere() -> None:
    value = replace(samples.PARTIAL, suggestions=samples.SUGGESTIONS[:1])
    assert "not enough evidence either" in page(value)
    assert "suffice pick" not in page(value)
    assert "suffice pick 2" in page(
        replace(value, suggestions=(samples.SUGGESTIONS[0], samples.SUGGESTIONS[2]))
    )


def test_an_extractive_answer_says_its_quotes_once() -> None:
    assert page(samples.SUFFICIENT).count("keyring prune") == 1


def test_a_written_answer_shows_its_words_and_then_each_quote() -> None:
    shown = page(samples.WRITTEN)
    assert "Rotate the key, wait for a reload, then prune the old key. [1]" in shown
    assert shown.index("Quotes") < shown.index("│ 3. Run `keyring prune`")
    assert "Keys rotate by themselves every night. (quote not found)" in shown
    assert "qwen-plus, 876 tokens" in shown


def test_a_failed_search_and_a_decline_do_not_say_the_same() -> None:
    failed, declined = page(samples.SEARCH_FAILED), page(samples.INSUFFICIENT)
    assert "the model file e5.onnx is damaged" in failed
    assert "not cover" not in failed
    assert "? What does the Team plan cost" in failed
    assert "Read, and not enough:\n  Signing keys › Rotate a key" in declined


def test_escape_codes_of_a_document_do_not_reach_the_terminal() -> None:
    evil = "\x1b]0;owned\x07\x1b[2Jgone\x1b[31m"
    hit = replace(samples.HITS[0], title=evil, heading_path=(evil,), document=f"a{evil}.md", text=evil)
    claim = samples.claim(1, "N1")
    claim = replace(
        claim, text=evil, citations=(replace(claim.citations[0], quote=evil, document=f"a{evil}.md"),)
    )
    value = replace(
        samples.PARTIAL,
        question=evil,
        evidence=(hit,),
        answer=samples.body(claim),
        message=evil,
        suggestions=(replace(samples.SUGGESTIONS[0], question=evil),),
    )
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system="truecolor", width=80)
    for row in (*answer.lines(value, 80), *ranking.lines(replace(samples.RANKING, hits=(hit,)), 80)):
        console.print(row, soft_wrap=True)
    shown = out.getvalue()
    assert "\x1b]0;" not in shown and "\x1b[2J" not in shown and "\x07" not in shown
    assert "gone" in shown


@pytest.mark.parametrize("width", [40, 100])
def test_a_ranking_shows_ranks_scores_legs_and_places(width: int) -> None:
    rows = [row.plain for row in ranking.lines(samples.RANKING, width)]
    shown = "\n".join(rows)
    assert "Signing keys › Rotate a key" in shown
    assert "3.700" in shown
    assert "4 of 334 chunks" in shown
    assert "–" in shown  # not ranked by the lexical scorer: not the same as rank 0
    assert max(map(len, rows)) <= width


def test_no_color_and_pipes_have_no_escape_codes(
    engine: FakeEngine, suffice: Callable[..., SimpleNamespace], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.answers["q"] = samples.PARTIAL
    assert "\x1b" not in suffice("ask", "q").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in suffice("ask", "q").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "38;5" not in suffice("ask", "q").out


def test_columns_is_respected(
    engine: FakeEngine, suffice: Callable[..., SimpleNamespace], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    engine.answers["q"] = samples.PARTIAL
    assert max(map(len, suffice("ask", "q").out.splitlines())) <= 40


def test_a_question_that_is_a_page_long_does_not_fill_the_screen() -> None:
    value = replace(samples.INSUFFICIENT, question="word " * 10_000, message="gone " * 10_000)
    assert len(page(value)) < 3000
    assert "word word…" in page(value).replace("\n  ", " ")
