"""Whatever is asked: the words of a suggestion come from the question and its evidence."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.answer.questions import phrases
from suffice.gate.needs import split
from suffice.recover.candidates import MAX_CHARS, POOL, freeze
from suffice.text import content_words, terms
from suffice.values import Hit, JudgedNeed, Verdict

LANGUAGES = ("en", "de", "fr", "es", "zh", "ja")
PARTS = {
    "en": [
        "How long is the trial?",
        "who repairs PUMP_7",
        "and what does it cost?",
        "Solo 3",
        "in the garage",
    ],
    "de": ["Wie lange dauert die Probezeit?", "wer repariert PUMP_7", "im Werk", "und was kostet das?"],
    "fr": ["Combien de temps dure l'essai ?", "qui répare PUMP_7", "dans l'atelier", "et que coûte-t-il ?"],
    "es": ["¿Cuánto dura la prueba?", "quién repara PUMP_7", "en el taller", "¿y cuánto cuesta?"],
    "zh": ["试用期多长？", "PUMP_7 由谁修理", "车间里", "；要多少钱？"],
    "ja": ["試用期間はどのくらいですか？", "PUMP_7 は誰が修理しますか", "工場で", "、いくらですか？"],
}
LINES = st.sampled_from(
    ["The pump costs `pump_rate` a day.", "Die Probezeit dauert lange.", "试用期为三个月。", "修理は工場で。",
     "See [prices](/x/prices.html).", "L'essai est gratuit.", "La prueba dura un mes.", "|a|b|"]
)  # fmt: skip
HEADINGS = st.sampled_from(
    [
        "Overview",
        "Repair your pump",
        "Probezeit",
        "试用期",
        "修理の手順",
        "Durée de l'essai",
        "3.1 **Precios**",
        "Is it free?",
    ]
)
HITS = st.lists(st.tuples(HEADINGS, HEADINGS, LINES), min_size=1, max_size=5)


@st.composite
def questions(draw: st.DrawFn) -> tuple[str, str]:
    language = draw(st.sampled_from(LANGUAGES))
    joint = "" if language in ("zh", "ja") else " "
    return language, joint.join(draw(st.lists(st.sampled_from(PARTS[language]), min_size=1, max_size=4)))


def evidence(rows: list[tuple[str, str, str]]) -> tuple[Hit, ...]:
    return tuple(
        Hit(
            rank,
            f"c{rank}",
            "d.md",
            title,
            (title, heading),
            (0, len(text)),
            None,
            "",
            "",
            text,
            1.0,
            "hybrid",
            {},
        )
        for rank, (title, heading, text) in enumerate(rows, 1)
    )


def frame(language: str) -> set[str]:
    """The words of the language's own patterns."""
    say = phrases(language)
    turns = (
        "how do i is what wie kann ich comment cómo 如何 にはどうすればよいですか はどのようなものですか my"
    )
    return set(terms(" ".join((say.about, say.on, say.topic, turns))))


@settings(deadline=None, max_examples=150)
@given(questions(), HITS, st.sets(st.integers(0, 5)), st.sampled_from([0.0, 0.05, 0.6]))
def test_no_word_is_added_and_nothing_changes_by_asking_again(
    asked: tuple[str, str], rows: list[tuple[str, str, str]], supported: set[int], confidence: float
) -> None:
    language, question = asked
    hits = evidence(rows)
    needs = split(question, language)
    verdict = Verdict(
        tuple(JudgedNeed(need, (), confidence) for n, need in enumerate(needs) if n not in supported)
    )
    found = freeze(question, verdict, hits, language)
    assert found == freeze(question, verdict, list(hits), language)
    assert len(found) <= POOL and len({one.question for one in found}) == len(found)
    lent = " ".join(" ".join((hit.title, *hit.heading_path, hit.text)) for hit in hits)
    known = set(terms(f"{question} {lent}")) | frame(language)
    # A joint of two parts makes pairs of characters that stand in neither: single characters are looked up.
    single = {term for term in known if len(term) == 1}
    for one in found:
        assert one.need in {need.id for need in needs}
        assert len(one.question) <= max(MAX_CHARS, len(question) + 60)
        for word in content_words(one.question, language):
            assert all(term in known or set(term) <= single for term in terms(word)), (one.question, word)
