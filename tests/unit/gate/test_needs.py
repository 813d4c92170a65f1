"""Question -> needs: how many, in what words, from which place."""

from __future__ import annotations

from pathlib import Path

import pytest

from suffice.errors import UsageError
from suffice.gate import clauses, topics
from suffice.gate.needs import MAX_NEEDS, split

ROWS = [
    row.split("\t")
    for row in (Path(__file__).parent / "questions.tsv").read_text("utf-8").splitlines()
    if not row.startswith("#")
]
QUESTIONS = [(language, int(wanted), question) for language, wanted, question in ROWS]


@pytest.mark.parametrize(("language", "wanted", "question"), QUESTIONS)
def test_as_many_needs_as_a_careful_reader_counts(language: str, wanted: int, question: str) -> None:
    needs = split(question, language)
    assert len(needs) == wanted, [need.text for need in needs]


@pytest.mark.parametrize(("language", "wanted", "question"), QUESTIONS)
def test_ids_count_up_and_spans_lie_in_the_question(language: str, wanted: int, question: str) -> None:
    needs = split(question, language)
    assert [need.id for need in needs] == [f"N{i + 1}" for i in range(len(needs))]
    for need in needs:
        assert need.text.strip()
        assert need.span is not None
        start, end = need.span
        assert 0 <= start < end <= len(question)


WORDINGS = [
    row.split("\t")
    for row in (Path(__file__).parent / "wordings.tsv").read_text("utf-8").splitlines()
    if not row.startswith("#")
]


@pytest.mark.parametrize(("language", "question", "wanted"), WORDINGS)
def test_each_need_reads_as_a_person_would_ask_it(language: str, question: str, wanted: str) -> None:
    assert texts(question, language) == wanted.split(" | ")


def test_words_borrowed_are_a_balanced_run_and_only_in_clauses_that_lean() -> None:
    assert topics.closed("private bath (貸切風呂") == "private bath"
    assert topics.closed("「朝食」の「時間") == "「朝食」の"
    for language, question, _ in WORDINGS:
        for need in split(question, language):
            assert not need.context or need.text.startswith(need.context)


def test_a_name_that_differs_by_a_sign_is_no_repetition() -> None:
    assert len(split("What is C? What is C++?", "en")) == 2


def texts(question: str, language: str) -> list[str]:
    return [need.text for need in split(question, language)]


def test_each_item_of_a_list_carries_the_shared_predicate() -> None:
    assert texts("How should passwords, certificates and API tokens each be stored?", "en") == [
        "How should passwords be stored?",
        "How should certificates be stored?",
        "How should API tokens be stored?",
    ]
    assert texts("账号、密钥和普通设置应该分别怎么保存？", "zh") == [
        "账号怎么保存？",
        "密钥怎么保存？",
        "普通设置怎么保存？",
    ]


def test_a_shared_owner_or_attribute_goes_with_every_item() -> None:
    assert texts("普通卡的年费、额度、积分各是多少？", "zh") == [
        "普通卡的年费是多少？",
        "普通卡的额度是多少？",
        "普通卡的积分是多少？",
    ]
    assert texts("无线版和有线版 K7 的重量、价格、保修各是多少？", "zh")[1:] == [
        "无线版和有线版 K7 的价格是多少？",
        "无线版和有线版 K7 的保修是多少？",
    ]
    assert texts("車両Aと車両Bの定員はそれぞれ何人ですか？", "ja") == [
        "車両Aの定員は何人ですか？",
        "車両Bの定員は何人ですか？",
    ]


def test_a_later_clause_borrows_the_names_of_the_first() -> None:
    first, second = split("How do I renew a Zephyr permit, and what is the fee?", "en")
    assert first.context == ""
    assert second.context == "Zephyr"
    assert second.text == "Zephyr: what is the fee?"
    assert split("K7 键盘怎么换电池？保修多久？", "zh")[1].text == "K7：保修多久？"


def test_a_later_clause_that_points_back_borrows_the_subject_matter() -> None:
    second = split("How do I bake rye bread, and can I freeze it?", "en")[1]
    assert second.context == "Rye bread"
    assert second.text == "Rye bread: can I freeze it?"


def test_a_clause_that_names_its_own_topic_borrows_nothing() -> None:
    needs = split("How do I renew a Zephyr permit, and when does the Zephyr office open?", "en")
    assert [need.context for need in needs] == ["", ""]


def test_a_sentence_that_sets_the_scene_is_context_and_not_a_need() -> None:
    needs = split("My boat sits in the harbour. How do I renew it, and where does the sticker go?", "en")
    assert len(needs) == 2
    assert needs[0].text == "My boat sits in the harbour: how do I renew it?"
    assert needs[1].text == "Where does the sticker go?"


def test_words_before_a_colon_are_the_context_of_all_questions_after_it() -> None:
    needs = split("For the X200 camera: how do I format the card, and what size is allowed?", "en")
    assert [need.context for need in needs] == ["For the X200 camera"] * 2


def test_the_span_is_the_clause_s_own_place() -> None:
    question = "How do I open an account, and what does it cost?"
    spans = [need.span for need in split(question, "en")]
    assert [question[slice(*span)] for span in spans if span] == [
        "How do I open an account",
        "what does it cost?",
    ]


@pytest.mark.parametrize(
    "kept",
    [
        "`a, and how b?`",
        "“why? and how?”",
        "app.v1.2-x",
        "「什么，怎么」",
        "https://x.test/a?b=c&d",
        "db:copy_all",
    ],
)
def test_code_quotes_and_identifiers_are_never_cut(kept: str) -> None:
    needs = split(f"How do I read {kept} on my machine?", "en")
    assert len(needs) == 1
    assert kept in needs[0].text


def test_a_question_with_too_many_parts_stays_coarse() -> None:
    question = "What is the price of " + ", ".join(f"item{i}" for i in range(9)) + " and item9 respectively?"
    assert [need.text for need in split(question, "en")] == [question]
    assert len(split("What is a? " * 30, "en")) <= MAX_NEEDS


def test_a_checklist_replaces_the_rules_and_keeps_its_ids() -> None:
    needs = split(
        "anything", "en", [{"id": "C1", "question": "How?"}, "What of it? And when?", {"need": "Who?"}]
    )
    assert [(need.id, need.text) for need in needs] == [
        ("C1", "How?"),
        ("N2", "What of it? And when?"),
        ("N3", "Who?"),
    ]


@pytest.mark.parametrize(
    "checklist",
    [[], [""], [{"id": "C1"}], [{"id": "C1", "question": "a"}, {"id": "C1", "question": "b"}], [3]],
)
def test_a_checklist_that_makes_no_sense_is_refused_with_words(checklist: list[object]) -> None:
    with pytest.raises(UsageError, match="checklist"):
        split("q", "en", checklist)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "question", ["?", "and", "，，，", "\x00", "\ud800", "? and ?", "¿", "(((", "and " * 500, "、" * 999]
)
@pytest.mark.parametrize("language", ["en", "zh", "ja", "de", "fr", "es", "und", "xx"])
def test_odd_strings_give_one_need_or_more_and_no_error(question: str, language: str) -> None:
    assert 1 <= len(split(question, language)) <= MAX_NEEDS


def test_an_empty_question_has_no_needs() -> None:
    assert split("", "en") == ()
    assert split("  \n", "en") == ()


def test_masking_keeps_every_offset() -> None:
    question = "Run `a and b` (or c), then see x.y_z."
    assert len(clauses.masked(question)) == len(question)
