"""compose(): what is shown, what is dropped, when no generator is called, and what the message says."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from suffice.answer.compose import compose, supports_left
from suffice.errors import GeneratorError
from suffice.ports import Generated
from suffice.values import (
    DraftCitation,
    DraftClaim,
    Failure,
    Hit,
    JudgedNeed,
    Need,
    Support,
    Usage,
    Verdict,
)

RICE = "Cooked rice keeps for one day in the fridge. Reheat it to 75 degrees before serving."
DOGS = "Visitors may not bring dogs into the ward. Guide dogs are welcome in the garden."
TABLE = "| Ward | Beds |\n| --- | --- |\n| Oncology, second floor | 24 |"


def hit(rank: int, text: str) -> Hit:
    return Hit(
        rank,
        f"c{rank}",
        f"d{rank}.md",
        "T",
        (),
        (100, 100 + len(text)),
        None,
        "",
        "",
        text,
        1.0,
        "hybrid",
        {},
    )


EVIDENCE = (hit(1, RICE), hit(2, DOGS), hit(3, TABLE))
KEEP = Need("N1", "How long does cooked rice keep?")
HEAT = Need("N2", "How hot must it get?")
DOG = Need("N3", "May I bring my dog?")


def verdict(*judged: tuple[Need, bool], failures: Sequence[Failure] = ()) -> Verdict:
    return Verdict(
        tuple(
            JudgedNeed(need, (Support(need.id, 1, (100, 120), 0.9, "test"),) if supported else ())
            for need, supported in judged
        ),
        tuple(failures),
    )


def claim(quote: str, rank: int, *needs: str, text: str | None = None) -> DraftClaim:
    return DraftClaim(text if text is not None else quote, needs, (DraftCitation(rank, quote),))


class Scripted:
    """Says what it was told to say, and remembers what it was asked."""

    name = "scripted"
    version = "1"

    def __init__(self, *claims: DraftClaim, error: str = "") -> None:
        self.claims = claims
        self.error = error
        self.asked: list[tuple[str, ...]] = []
        self.handed: list[str] = []

    def generate(
        self,
        question: str,
        needs: Sequence[Need],
        supports: Sequence[Support],
        evidence: Sequence[Hit],
        language: str,
    ) -> Generated:
        self.asked.append(tuple(need.id for need in needs))
        self.handed.extend(support.need for support in supports)
        if self.error:
            raise GeneratorError(self.error)
        return Generated(self.claims, Usage("m", 10, 5, None))


ONE_DAY = claim("Cooked rice keeps for one day in the fridge.", 1, "N1")
HOT = claim("Reheat it to 75 degrees before serving.", 1, "N2")
NO_DOGS = claim("Visitors may not bring dogs into the ward.", 2, "N3")
INVENTED = claim("Cooked rice keeps for nine days in the fridge.", 1, "N1")


def test_a_sufficient_question_is_answered_with_numbered_quotes() -> None:
    composed = compose("q", verdict((KEEP, True)), EVIDENCE, Scripted(ONE_DAY), "en")
    assert composed.body is not None
    assert composed.body.text == "Cooked rice keeps for one day in the fridge. [1]"
    assert composed.body.generator == "scripted"
    [citation] = composed.body.claims[0].citations
    assert citation.span == (100, 100 + RICE.index(" Reheat"))
    assert (composed.message, composed.dropped, composed.unchecked) == ("", (), ())
    assert composed.usage == Usage("m", 10, 5, None)


@pytest.mark.parametrize("strict", [False, True])
def test_nothing_supported_declines_without_calling_the_generator(strict: bool) -> None:
    generator = Scripted(ONE_DAY)
    composed = compose("q", verdict((KEEP, False)), EVIDENCE, generator, "en", strict=strict)
    assert composed.body is None
    assert KEEP.text in composed.message
    assert generator.asked == []


def test_a_failed_search_declines_without_calling_the_generator() -> None:
    generator = Scripted(ONE_DAY)
    failed = verdict((KEEP, True), failures=[Failure("judge", "no weights")])
    composed = compose("q", failed, EVIDENCE, generator, "en")
    assert composed.body is None
    assert "no weights" in composed.message
    assert KEEP.text not in composed.message
    assert generator.asked == []


def test_a_partial_answer_names_what_is_missing_and_the_generator_hears_only_of_the_rest() -> None:
    generator = Scripted(ONE_DAY)
    composed = compose("q", verdict((KEEP, True), (DOG, False)), EVIDENCE, generator, "en")
    assert composed.body is not None
    assert composed.message == f"The evidence provided does not include: {DOG.text}"
    assert generator.asked == [("N1",)]
    assert generator.handed == ["N1"]


def test_a_claim_for_a_missing_need_is_never_shown() -> None:
    composed = compose("q", verdict((KEEP, True), (DOG, False)), EVIDENCE, Scripted(ONE_DAY, NO_DOGS), "en")
    assert composed.body is not None
    assert "dogs" not in composed.body.text
    assert [dropped.text for dropped in composed.dropped] == [NO_DOGS.text]


def test_strict_declines_a_partial_answer_without_calling_the_generator() -> None:
    generator = Scripted(ONE_DAY)
    composed = compose("q", verdict((KEEP, True), (DOG, False)), EVIDENCE, generator, "en", strict=True)
    assert composed.body is None
    assert DOG.text in composed.message
    assert "strict" in composed.message
    assert generator.asked == []


def test_a_claim_whose_quote_is_not_there_is_dropped_and_listed() -> None:
    composed = compose("q", verdict((KEEP, True)), EVIDENCE, Scripted(ONE_DAY, INVENTED), "en")
    assert composed.body is not None
    assert "nine" not in composed.body.text
    assert [dropped.text for dropped in composed.dropped] == [INVENTED.text]
    assert composed.unchecked == ()


def test_when_no_quote_can_be_checked_it_declines_and_says_so() -> None:
    judged = verdict((KEEP, True))
    composed = compose("q", judged, EVIDENCE, Scripted(INVENTED), "en")
    assert composed.body is None
    assert composed.unchecked == ("N1",)
    assert "no quote from them could be checked" in composed.message
    assert KEEP.text in composed.message
    assert "does not include" not in composed.message
    assert supports_left(judged, composed.unchecked) == ()


def test_a_need_left_without_a_checked_quote_becomes_missing() -> None:
    judged = verdict((KEEP, True), (HEAT, True))
    composed = compose("q", judged, EVIDENCE, Scripted(INVENTED, HOT), "en")
    assert composed.body is not None
    assert composed.unchecked == ("N1",)
    assert KEEP.text in composed.message
    assert [support.need for support in supports_left(judged, composed.unchecked)] == ["N2"]
    strict = compose("q", judged, EVIDENCE, Scripted(INVENTED, HOT), "en", strict=True)
    assert strict.body is None
    assert KEEP.text in strict.message


def test_a_generator_that_says_nothing_leaves_its_needs_unchecked() -> None:
    composed = compose("q", verdict((KEEP, True)), EVIDENCE, Scripted(), "en")
    assert composed.body is None
    assert composed.unchecked == ("N1",)


def test_a_generator_that_fails_is_a_failure_and_not_a_lack_of_evidence() -> None:
    composed = compose("q", verdict((KEEP, True)), EVIDENCE, Scripted(error="no model"), "de")
    assert composed.body is None
    assert composed.failures == (Failure("answer", "no model"),)
    assert "no model" in composed.message
    assert composed.unchecked == ()


def test_several_needs_each_get_a_label_in_the_order_of_the_question() -> None:
    composed = compose("q", verdict((KEEP, True), (HEAT, True)), EVIDENCE, Scripted(HOT, ONE_DAY), "en")
    assert composed.body is not None
    assert composed.body.text == (
        "**How long does cooked rice keep?**\n\nCooked rice keeps for one day in the fridge. [1]\n\n"
        "**How hot must it get?**\n\nReheat it to 75 degrees before serving. [1]"
    )


def test_a_claim_that_serves_two_needs_is_shown_once_under_both() -> None:
    both = claim(RICE, 1, "N2", "N1")
    composed = compose("q", verdict((KEEP, True), (HEAT, True)), EVIDENCE, Scripted(both, both), "en")
    assert composed.body is not None
    assert len(composed.body.claims) == 1
    assert composed.body.text.count(RICE) == 1
    assert composed.body.text.startswith(f"**{KEEP.text} · {HEAT.text}**")
    assert composed.unchecked == ()


def test_numbers_do_not_break_a_table_or_a_fence() -> None:
    table = compose("q", verdict((KEEP, True)), EVIDENCE, Scripted(claim(TABLE, 3, "N1")), "en")
    assert table.body is not None
    assert table.body.text == f"{TABLE}\n\n[3]"
    fenced = claim(DOGS, 2, "N1", text=f"```\n{DOGS}\n```")
    code = compose("q", verdict((KEEP, True)), EVIDENCE, Scripted(fenced), "en")
    assert code.body is not None
    assert code.body.text.endswith("\n```\n\n[2]")


def test_a_claim_that_cites_two_places_shows_both_numbers_once() -> None:
    cites = tuple(DraftCitation(rank, quote) for rank, quote in ((2, DOGS), (1, RICE), (2, DOGS)))
    composed = compose(
        "q", verdict((KEEP, True)), EVIDENCE, Scripted(DraftClaim("Both.", ("N1",), cites)), "en"
    )
    assert composed.body is not None
    assert composed.body.text == "Both. [1] [2]"


def test_the_message_speaks_the_language_of_the_question() -> None:
    composed = compose("q", verdict((KEEP, False)), EVIDENCE, Scripted(), "zh")
    assert composed.message.startswith("所提供的证据中未包含")
