"""Narrower questions: made of the user's words and the evidence's headings and names, and of nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from suffice.recover.candidates import MAX_CHARS, POOL, freeze
from suffice.values import Failure, Hit, JudgedNeed, Need, Support, Verdict


def hit(rank: int, path: Sequence[str], text: str) -> Hit:
    span, name = (0, len(text)), f"d{rank}.md"
    return Hit(
        rank, f"c{rank}", name, path[0], tuple(path), span, None, "", "", text, 1.0, "hybrid", {}
    )  # fmt: skip


def judged(*needs: tuple[str, bool]) -> Verdict:
    return Verdict(
        tuple(
            JudgedNeed(
                Need(f"N{n}", text), (Support(f"N{n}", 1, (0, 4), 0.9, "test"),) if supported else (), 0.5
            )
            for n, (text, supported) in enumerate(needs, start=1)
        )
    )


@dataclass(frozen=True)
class Asked:
    """A question in a domain of its own, with one need missing and one, if any, supported."""

    language: str
    question: str
    missing: str
    supported: str
    evidence: tuple[Hit, ...]


RICE = Asked(
    "en",
    "How long can cooked rice be kept, and how hot must it be when reheated?",
    "How hot must cooked rice be when reheated",
    "How long can cooked rice be kept",
    (
        hit(1, ["Rice", "Storing cooked rice"], "Cooked rice keeps for one day in a closed box."),
        hit(
            2,
            ["Leftovers", "Reheat your leftovers"],
            "Stir the rice once. Press `probe check` when reheated.",
        ),
        hit(3, ["Rice", "Overview"], "Rice is a grain. There are many kinds of it."),
    ),
)
WARD = Asked(
    "zh",
    "住院病人可以带宠物吗？探视时间是什么时候？",
    "住院病人可以带宠物吗",
    "探视时间是什么时候",
    (
        hit(1, ["探视规定", "探视时间"], "每天下午两点到八点可以探视病人。"),
        hit(2, ["探视规定", "办理陪护证"], "住院病人的家属到护士站办理陪护证，需要带身份证。"),
    ),
)
API = Asked(
    "ja",
    "注文を取り消すAPIは？返金はいつ届きますか？",
    "返金はいつ届きますか",
    "注文を取り消すAPIは",
    (
        hit(1, ["注文", "注文を取り消す"], "`orders.cancel` を呼ぶと返金が始まります。"),
        hit(2, ["注文", "返金の手順"], "返金には受付番号が必要です。"),
    ),
)
SICK = Asked(
    "de",
    "Wie melde ich mich krank und wie lange wird der Lohn bezahlt?",
    "Wie lange wird der Lohn bezahlt",
    "Wie melde ich mich krank",
    (
        hit(
            1,
            ["Abwesenheit", "Krankschreibung einreichen"],
            "Die Krankschreibung wird eingereicht, bevor der Lohn bezahlt wird.",
        ),
        hit(2, ["Abwesenheit", "Lohnfortzahlung"], "Der Lohn wird von der Kasse und dem Betrieb bezahlt."),
    ),
)
PASTRY = Asked(
    "fr",
    "Comment préparer la pâte et combien de temps faut-il la cuire ?",
    "Combien de temps faut-il cuire la pâte",
    "Comment préparer la pâte",
    (
        hit(
            1,
            ["Tarte", "Préparer la pâte"],
            "Mélangez la farine et le beurre avec les doigts, puis laissez reposer.",
        ),
        hit(2, ["Tarte", "Le four"], "Le four doit être chaud avant de cuire la pâte dans son moule."),
    ),
)
SHOP = Asked(
    "es",
    "¿Cómo devuelvo un pedido y cuánto tarda el reembolso?",
    "cuánto tarda el reembolso",
    "cómo devuelvo un pedido",
    (
        hit(1, ["Pedidos", "Devolver un artículo"], "El reembolso del artículo tarda si falta la factura."),
        hit(
            2, ["Pedidos", "Garantía"], "La garantía del reembolso cubre los defectos: véase `refund_status`."
        ),
    ),
)
ALL = (RICE, WARD, API, SICK, PASTRY, SHOP)
EACH = pytest.mark.parametrize("asked", ALL, ids=[one.language for one in ALL])
MARKS = {"zh": "？", "ja": "？", "fr": "\u00a0?"}


def candidates(question: str, verdict: Verdict, evidence: Sequence[Hit], language: str) -> tuple[str, ...]:
    return tuple(one.question for one in freeze(question, verdict, evidence, language))


def pool(asked: Asked, *, alone: bool = False) -> tuple[str, ...]:
    needs = [(asked.missing, False)] if alone else [(asked.supported, True), (asked.missing, False)]
    question = asked.missing if alone else asked.question
    return candidates(question, judged(*needs), asked.evidence, asked.language)


@EACH
def test_the_missing_need_alone_comes_first_and_the_supported_one_not_at_all(asked: Asked) -> None:
    found = pool(asked)
    assert found[0].strip("¿?？\u00a0").casefold() == asked.missing.casefold()
    assert not any(one.strip("¿?？\u00a0") == asked.supported for one in found)


@EACH
@pytest.mark.parametrize("alone", [False, True])
def test_each_is_a_short_question_of_its_language_and_says_something_new(asked: Asked, alone: bool) -> None:
    found = pool(asked, alone=alone)
    assert (1 if alone else 2) <= len(found) <= POOL
    folded = [re.sub(r"\W", "", one.casefold()) for one in found]
    assert len(set(folded)) == len(found)
    assert re.sub(r"\W", "", (asked.missing if alone else asked.question).casefold()) not in folded
    for one in found:
        assert one.endswith(MARKS.get(asked.language, "?"))
        assert len(re.findall(r"[?？]", one)) == 1
        assert one.startswith("¿") == (asked.language == "es")
        assert len(one) <= MAX_CHARS


@EACH
def test_a_question_of_one_need_is_led_on_by_the_headings_of_its_evidence(asked: Asked) -> None:
    found = pool(asked, alone=True)
    headings = [one.heading_path[-1].casefold().split()[-1] for one in asked.evidence[:2]]
    assert any(heading in one.casefold() for heading in headings for one in found[:3])


@EACH
def test_numbers_and_names_come_from_question_or_evidence(asked: Asked) -> None:
    known = asked.question + "".join(
        text for one in asked.evidence for text in (one.title, *one.heading_path, one.text)
    )
    for one in pool(asked):
        for token in re.findall(r"\d+|`[^`]+`|[A-Z]{2,}", one):
            assert token in known


@EACH
def test_the_same_input_gives_the_same_suggestions(asked: Asked) -> None:
    verdict = judged((asked.supported, True), (asked.missing, False))
    first = freeze(asked.question, verdict, asked.evidence, asked.language)
    assert first == freeze(asked.question, verdict, list(asked.evidence), asked.language)
    assert {one.need for one in first} == {"N2"}, "the supported need is not offered again"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (RICE, "How do I reheat my leftovers?"),
        (WARD, "如何办理陪护证？"),
        (API, "注文を取り消すにはどうすればよいですか？"),
        (SICK, "Wie kann ich Krankschreibung einreichen?"),
        (PASTRY, "Comment préparer la pâte\u00a0?"),
        (SHOP, "¿Cómo devolver un artículo?"),
    ],
    ids=[one.language for one in ALL],
)
def test_a_heading_that_instructs_becomes_a_question_of_how(asked: Asked, expected: str) -> None:
    assert expected in pool(asked, alone=True)


def test_a_heading_that_asks_is_taken_as_it_stands() -> None:
    evidence = [hit(1, ["Visitors", "Can I bring flowers?"], "Flowers are not allowed on the ward.")]
    verdict = judged(("What may visitors bring?", False))
    assert "Can I bring flowers?" in candidates("What may visitors bring?", verdict, evidence, "en")


@pytest.mark.parametrize(
    "noun", ["Order form", "Test results", "Set menu", "Return policy", "Visiting hours"]
)
def test_a_heading_that_names_a_thing_is_not_bent_into_an_instruction(noun: str) -> None:
    evidence = [hit(1, ["Manual", noun], "Some lines say that this and that is free.")]
    found = candidates("Is it free?", judged(("Is it free?", False)), evidence, "en")
    assert f"What is said about “{noun}”?" in found
    assert not any(one.startswith("How do I") for one in found)


def test_a_name_near_the_words_of_the_need_is_offered() -> None:
    found = pool(RICE, alone=True)
    assert "How hot must cooked rice be when reheated (`probe check`)?" in found
    assert "¿cuánto tarda el reembolso (`refund_status`)?" in pool(SHOP, alone=True)


def test_a_foreign_heading_is_named_as_it_stands() -> None:
    evidence = [
        hit(1, ["Uploads", "Set upload limits"], "Set `max_upload_bytes` in the server file to allow more.")
    ]
    found = candidates("怎么限制上传大小？", judged(("怎么限制上传大小", False)), evidence, "zh")
    assert "关于“Set upload limits”有哪些说明？" in found
    assert "怎么限制上传大小（`max_upload_bytes`）？" in found


def test_a_language_without_patterns_keeps_to_the_users_words() -> None:
    evidence = [
        hit(1, ["주문", "반품"], "반품은 14일 안에 할 수 있습니다."),
        hit(2, ["Orders", "Returns"], "14 days."),
    ]
    verdict = judged(("반품 기간은 얼마인가요", False), ("배송비는 얼마인가요", False))
    found = candidates("반품 기간은 얼마인가요? 배송비는 얼마인가요?", verdict, evidence, "ko")
    assert found[:2] == ("반품 기간은 얼마인가요?", "배송비는 얼마인가요?")
    assert not any(re.search(r"What|said|used", one) for one in found)


def test_sections_that_say_nothing_by_name_are_read_under_their_page_and_come_last() -> None:
    evidence = [
        hit(1, ["Ovens", "Overview"], "Cleaning is easy."),
        hit(2, ["Ovens", "Steam"], "Cleaning by steam."),
    ]
    found = candidates("Is cleaning safe?", judged(("Is cleaning safe?", False)), evidence, "en")
    headings = [one for one in found if "“" in one]
    assert headings == ["What is said about “Steam”?", "What is said about “Ovens › Overview”?"]


def test_a_need_leans_on_the_words_that_it_was_lent() -> None:
    needs = (
        JudgedNeed(Need("N1", "How is it cleaned?"), (Support("N1", 1, (0, 4), 0.9, "test"),)),
        JudgedNeed(Need("N2", "what does it cost", context="steam oven"), (), 0.4),
    )
    found = candidates(
        "Steam oven: how is it cleaned, and what does it cost?", Verdict(needs), RICE.evidence, "en"
    )
    assert found[0] == "steam oven: what does it cost?"


def test_markdown_and_numbering_of_headings_do_not_reach_the_user() -> None:
    evidence = [
        hit(1, ["Guide", "3.2 **Clean** the [filter](/f)"], "A loud part is rinsed under warm water.")
    ]
    found = candidates("Is it loud?", judged(("Is it loud?", False)), evidence, "en")
    assert found == ("How do I clean the filter?",)


@pytest.mark.parametrize("verdict", [judged(("a", True)), Verdict((), (Failure("judge", "x"),))])
def test_an_answer_or_a_failed_search_is_no_reason_to_suggest(verdict: Verdict) -> None:
    assert freeze("a?", verdict, RICE.evidence, "en") == ()


def test_without_evidence_there_is_nothing_to_suggest_from() -> None:
    assert freeze(RICE.question, judged((RICE.missing, False)), [], "en") == ()


KEYWORDS = [
    ("en", "How do I reheat the rice on Sundays?", "reheat rice Sundays?"),
    ("zh", "住院病人的早餐和午餐每天送多少次？", "住院病人 早餐 午餐每天送？"),
    ("ja", "返金の受付番号はどこに書いてありますか？", "返金 受付番号？"),
    ("de", "Wie lange darf der Kuchen im Ofen bleiben?", "lange darf Kuchen Ofen bleiben?"),
    ("fr", "Comment remplacer le filtre du four ?", "remplacer filtre four\u00a0?"),
    ("es", "¿Cuánto cuesta la entrada al museo?", "¿cuesta entrada museo?"),
]


@pytest.mark.parametrize(("language", "need", "expected"), KEYWORDS, ids=[row[0] for row in KEYWORDS])
def test_the_words_that_carry_meaning_are_a_question_too(language: str, need: str, expected: str) -> None:
    assert expected in candidates(need, judged((need, False)), RICE.evidence, language)


def test_words_of_two_characters_are_not_cut_at_a_function_word_inside_them() -> None:
    need = "会议室的目的和平时的开会时间是什么？"
    found = candidates(need, judged((need, False)), RICE.evidence, "zh")
    assert "会议室 目的 平时 开会时间？" in found or "会议室 目的和平时 开会时间？" in found


SHED = [
    ("en", "How long is a cake baked in the Solo 3?", "How long is a cake baked?"),
    ("zh", "Solo 3 的蛋糕要烤多久？", "蛋糕要烤多久？"),
    ("ja", "Solo 3 ではケーキを何分焼きますか？", "ケーキを何分焼きますか？"),
    ("de", "Wie lange bäckt ein Kuchen im Solo-3?", "Wie lange bäckt ein Kuchen?"),
    (
        "fr",
        "Combien de temps faut-il cuire le pain dans le Solo-3 ?",
        "Combien de temps faut-il cuire le pain\u00a0?",
    ),
    ("es", "¿Cuánto tarda un pastel en el Solo-3?", "¿Cuánto tarda un pastel?"),
]


@pytest.mark.parametrize(("language", "need", "expected"), SHED, ids=[row[0] for row in SHED])
def test_a_name_that_all_the_evidence_bears_may_go(language: str, need: str, expected: str) -> None:
    name = "Solo-3" if language in ("de", "fr", "es") else "Solo 3"
    bearing = [hit(n, ["Ovens", f"{name} part {n}"], "Some text.") for n in (1, 2, 3)]
    assert expected in candidates(need, judged((need, False)), bearing, language)
    other = [bearing[0], *(hit(n, ["Pans", f"Part {n}"], "Some text.") for n in (2, 3))]
    assert expected not in candidates(need, judged((need, False)), other, language)


def test_a_name_that_no_evidence_bears_is_asked_for_by_itself_and_first() -> None:
    need = "Does the oven know PROBE_7?"
    assert candidates(need, judged((need, False)), RICE.evidence, "en")[0] == "What is said about PROBE_7?"
    bearing = (*RICE.evidence, hit(4, ["Ovens", "PROBE_7"], "A probe."))
    assert candidates(need, judged((need, False)), bearing, "en")[0] != "What is said about PROBE_7?"


def test_a_need_is_asked_without_what_it_borrowed_only_where_that_leaves_a_question() -> None:
    whole, leaning = "Steam oven: who repairs the door?", "Steam oven: what does it cost?"
    needs = [
        JudgedNeed(Need("N1", whole, context="Steam oven"), ()),
        JudgedNeed(Need("N2", leaning, context="Steam oven"), ()),
    ]
    found = candidates("q", Verdict(tuple(needs)), RICE.evidence, "en")
    assert found[:2] == (whole, leaning)
    assert "Who repairs the door?" in found and "What does it cost?" not in found


@pytest.mark.parametrize("name", ["high-pressure", "18th", "150-bytes", "and/or"])
def test_a_hyphen_or_a_digit_makes_no_name(name: str) -> None:
    evidence = [hit(1, ["Ovens", "Steam"], f"Cleaning is {name} work.")]
    found = candidates("Is cleaning safe?", judged(("Is cleaning safe?", False)), evidence, "en")
    assert not any(name in one for one in found)


def test_the_target_of_a_link_and_a_tag_are_no_names() -> None:
    evidence = [
        hit(1, ["Ovens", "Steam"], "Cleaning: see [here](/guide/steam.html)<sup>1</sup>, `probe_on`.")
    ]
    found = candidates("Is cleaning safe?", judged(("Is cleaning safe?", False)), evidence, "en")
    assert "Is cleaning safe (`probe_on`)?" in found
    assert not any("/" in one for one in found)


def test_a_request_is_not_wrapped_in_a_question() -> None:
    need = "バインディングの設定を知りたい"
    found = candidates("q", judged((need, False), ("b", False)), RICE.evidence, "ja")
    assert found[0] == f"{need}？"


def test_long_candidates_come_after_those_that_fit() -> None:
    long = "How is the " + "very " * 40 + "long hose cleaned"
    verdict = judged((long, False), ("Is it loud?", False))
    found = candidates("q", verdict, RICE.evidence, "en")
    lengths = [len(one) > MAX_CHARS for one in found]
    assert lengths == sorted(lengths)
    assert found[0] == "Is it loud?"


def test_odd_headings_and_needs_do_no_harm() -> None:
    odd = [replace(RICE.evidence[0], heading_path=path, title=title) for path, title in (
        ((), ""), (("", " "), ""), (("###", "**"), "x"), (("1.",), "2."), (("?",), "?"), (("\ud800",), "\0"),
    )]  # fmt: skip
    for need in ("", "?", "🙂", "\ud800", "`", "{x} {need}"):
        for language in ("en", "zh", "ja", "de", "fr", "es", "ko", "und"):
            found = candidates("q", judged((need, False), ("b", False)), odd, language)
            assert all(one.strip("?？ ") for one in found)


def test_evidence_about_something_else_leads_nowhere() -> None:
    """A heading that a search for something else dragged in is no help, even if it could be answered."""
    evidence = [hit(1, ("Steam oven", "Clean the steam oven"), "Wipe it with a soft cloth.")]
    far = Verdict((JudgedNeed(Need("N1", "Which club won the cup?"), (), 0.02),))
    unseen = Verdict((JudgedNeed(Need("N1", "Which club won the cup?"), ()),))
    for verdict in (far, unseen):
        assert not any(
            "oven" in text for text in candidates("Which club won the cup?", verdict, evidence, "en")
        )


def test_a_heading_without_a_word_of_the_need_is_not_offered_however_sure_the_judge_is() -> None:
    evidence = [hit(1, ("Steam oven", "Clean the steam oven"), "Wipe the cup holder with a soft cloth.")]
    sure = Verdict((JudgedNeed(Need("N1", "Which club won the national cup in Oslo?"), (), 0.9),))
    assert not any("oven" in text for text in candidates("Which club won?", sure, evidence, "en"))
    near = Verdict((JudgedNeed(Need("N1", "Is the steam free?"), (), 0.9),))
    assert "How do I clean the steam oven?" in candidates("Is the steam free?", near, evidence, "en")
