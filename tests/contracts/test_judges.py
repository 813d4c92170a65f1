"""What every judge must hold to, run over all judges that are registered."""

from __future__ import annotations

from typing import Any

import pytest

from suffice import registry
from suffice.errors import SettingsError
from suffice.ports import Judge
from suffice.values import Need, Passage, Support

PAGES = (
    ("Opening hours", "The tower is open daily from 9 to 17. Last entry is at 16:30."),
    ("Tickets", "| ticket | price |\n|---|---|\n| adult | 12 |\n| child | 6 |\n\nBuy tickets at the gate."),
    ("Dogs", "Dogs on a lead may enter the garden. They may not enter the tower."),
    ("Bees", "# Bees\n\n```\nhive --open\n```\n\nThe hive is opened in May. 蜂箱在五月打开。"),
)
PASSAGES = tuple(
    Passage(
        evidence=rank,
        chunk_id=f"c{rank}",
        title=title,
        heading_path=(title,),
        text=text,
        span=(100 * rank, 100 * rank + len(text)),
        scores={"dense": 0.9 - 0.01 * rank, "lexical": None},
        ranks={"dense": rank},
    )
    for rank, (title, text) in enumerate(PAGES, start=1)
)
HOURS = Need("N1", "When is the tower open?")
PRICE = Need("N2", "What does a child's ticket cost?")
STRANGE = Need("N3", "How is a quantum computer cooled?")


@pytest.fixture(scope="module", params=registry.names("judge"))
def judge(request: pytest.FixtureRequest) -> Any:
    return registry.create("judge", request.param, embedder=registry.create("embedder", "e5"))


def run(
    judge: Judge, needs: tuple[Need, ...], passages: tuple[Passage, ...] = PASSAGES
) -> tuple[Support, ...]:
    return judge.judge(" ".join(need.text for need in needs), needs, passages)


def test_it_is_a_judge_with_operating_points_that_fall_with_the_rate(judge: Judge) -> None:
    assert isinstance(judge, Judge)
    assert judge.name
    assert judge.version
    points = sorted(judge.operating_points.items())
    assert points
    assert all(0 < rate < 1 and 0 <= at <= 1 for rate, at in points)
    assert [at for _, at in points] == sorted((at for _, at in points), reverse=True)


def test_confidences_spans_needs_and_evidence_are_within_bounds(judge: Judge) -> None:
    supports = run(judge, (HOURS, PRICE, STRANGE))
    spans = {passage.evidence: passage.span for passage in PASSAGES}
    assert supports
    for support in supports:
        assert 0 <= support.confidence <= 1
        assert support.need in {"N1", "N2", "N3"}
        start, end = spans[support.evidence]
        assert start <= support.span[0] < support.span[1] <= end
        assert support.judge == judge.name


def test_a_need_gets_the_same_supports_whatever_else_is_asked(judge: Judge) -> None:
    alone = run(judge, (HOURS,))
    beside = [s for s in run(judge, (STRANGE, PRICE, HOURS)) if s.need == HOURS.id]
    assert list(alone) == beside


def test_the_same_input_gives_the_same_supports(judge: Judge) -> None:
    assert run(judge, (HOURS, PRICE)) == run(judge, (HOURS, PRICE))


def test_the_passage_that_answers_is_supported_more_than_any_other_need(judge: Judge) -> None:
    best = {
        need.id: max((s.confidence for s in run(judge, (need,))), default=0.0) for need in (HOURS, STRANGE)
    }
    assert best["N1"] > best["N3"]
    first = max(run(judge, (HOURS,)), key=lambda s: s.confidence)
    assert first.evidence == 1


def test_no_passages_or_empty_ones_give_no_supports(judge: Judge) -> None:
    assert run(judge, (HOURS,), ()) == ()
    blank = Passage(1, "c", "", (), " \n ", (0, 3))
    assert run(judge, (HOURS,), (blank,)) == ()
    assert run(judge, ()) == ()


@pytest.mark.parametrize(
    "text",
    [
        "\x00",
        "\ud800",
        "\ufdfa" * 300,
        "a" * 9000,
        "|||\n|-|\n",
        "```\nunclosed",
        "？",
        "🧬" * 700,
        "x\u200b",
    ],
)
def test_odd_strings_neither_crash_nor_leave_the_passage(judge: Judge, text: str) -> None:
    passage = Passage(1, "c", text[:50], (text[:50],), text, (7, 7 + len(text)))
    for support in run(judge, (Need("N1", text[:2000]), HOURS), (passage, PASSAGES[0])):
        low, high = (7, 7 + len(text)) if support.evidence == 1 else PASSAGES[0].span
        assert low <= support.span[0] <= support.span[1] <= high or support.evidence == 1


def test_an_unknown_option_is_refused(judge: Judge) -> None:
    with pytest.raises(SettingsError, match="no_such_option"):
        registry.create("judge", judge.name, no_such_option=1)
