"""The extractive generator: what it picks, how it quotes, and what it never does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from suffice import registry
from suffice.answer.citations import verify
from suffice.errors import EmbedderError, GeneratorError, SettingsError
from suffice.ports import Generated
from suffice.values import Claim, Hit, Need, Support


def hit(text: str, *, rank: int = 1, path: Sequence[str] = (), start: int = 0) -> Hit:
    return Hit(
        rank, f"c{rank}", f"d{rank}.md", path[0] if path else "", tuple(path), (start, start + len(text)),
        None, "0" * 64, "s1", text, 1.0, "hybrid", {},
    )  # fmt: skip


def support(evidence: Hit, name: str = "N1", quote: str | None = None, confidence: float = 0.9) -> Support:
    start = evidence.span[0] + (evidence.text.index(quote) if quote else 0)
    end = start + len(quote if quote is not None else evidence.text)
    return Support(name, evidence.rank, (start, end), confidence, "test")


class Counting:
    """The hashing embedder, with a count of what it was asked for."""

    def __init__(self) -> None:
        self.inner = registry.create("embedder", "hashing", dim=1024)
        self.n_calls = 0
        self.n_texts = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def embed_passages(self, texts: Sequence[str], progress: Any = None) -> Any:
        self.n_calls += 1
        self.n_texts += len(texts)
        return self.inner.embed_passages(texts, progress)


def generate(
    questions: str | Sequence[str],
    evidence: Sequence[Hit],
    supports: Sequence[Support] | None = None,
    **options: Any,
) -> Generated:
    asked = [questions] if isinstance(questions, str) else list(questions)
    needs = [Need(f"N{n}", text) for n, text in enumerate(asked, start=1)]
    if supports is None:
        supports = [support(one, need.id) for need in needs for one in evidence]
    generator = registry.create("generator", "extractive", embedder=Counting(), **options)
    result: Generated = generator.generate(asked[0], needs, supports, evidence, "en")
    return result


def quotes(result: Generated) -> list[str]:
    return [citation.quote for claim in result.claims for citation in claim.citations]


RICE = hit(
    "Cooked rice is best eaten at once. Leftover rice keeps for one day in the fridge. "
    "Wash the pan with warm water afterwards. Brown rice has more fibre than white rice has.",
    path=("Rice",),
    start=700,
)


def test_the_sentence_that_answers_is_quoted_with_its_place_in_the_document() -> None:
    claims = generate("How long does leftover rice keep in the fridge?", [RICE]).claims
    [claim] = [claim for claim in claims if "one day" in claim.text]
    [citation] = claim.citations
    assert "Leftover rice keeps for one day in the fridge." in citation.quote
    assert citation.span is not None
    start, end = (edge - 700 for edge in citation.span)
    assert RICE.text[start:end] == citation.quote
    assert not any(
        "Wash the pan" in quote for quote in quotes(generate("How long does leftover rice keep?", [RICE]))
    )


def test_a_row_is_quoted_with_its_header_as_two_places() -> None:
    header = "| Ward | Visitors until | Beds |\n| --- | --- | --- |"
    rows = [f"| {name} | {n} pm | {n * 4} |" for n, name in enumerate(
        ("cardiology", "surgery", "maternity", "geriatrics", "radiology", "psychiatry", "oncology"), start=2
    )]  # fmt: skip
    evidence = hit("\n".join((header, *rows)), path=("Visiting",))
    [claim] = generate("Until when may visitors stay in the oncology ward?", [evidence], keep=0.0).claims
    assert [citation.quote for citation in claim.citations] == [header, rows[-1]]
    assert claim.text == f"{header}\n{rows[-1]}"


def test_a_step_list_is_quoted_whole() -> None:
    steps = "To descale the kettle:\n\n1. Fill it with vinegar.\n2. Boil it twice.\n3. Rinse it well."
    evidence = hit(f"{steps}\n\nThe kettle is made of steel. Its cord is two metres long.", path=("Kettle",))
    assert steps in quotes(
        generate("How do I descale and rinse the kettle with vinegar?", [evidence], keep=0.0)
    )


def test_only_evidence_that_a_support_points_to_is_quoted() -> None:
    other = hit("Leftover rice keeps for nine days in the fridge, says nobody.", rank=2)
    result = generate("How long does leftover rice keep in the fridge?", [RICE, other], [support(RICE)])
    assert {citation.evidence for claim in result.claims for citation in claim.citations} == {1}


def test_a_need_without_support_gets_nothing() -> None:
    asked = ["How long does leftover rice keep?", "Is brown rice richer in fibre?"]
    result = generate(asked, [RICE], [support(RICE, "N2")])
    assert {name for claim in result.claims for name in claim.needs} == {"N2"}
    assert generate("anything at all", [RICE], []).claims == ()
    assert generate("anything at all", []).claims == ()


def test_supports_of_unknown_evidence_or_needs_are_passed_over() -> None:
    strays = [Support("N9", 1, RICE.span, 0.9, "test"), Support("N1", 7, (0, 5), 0.9, "test")]
    assert generate("How long does leftover rice keep?", [RICE], strays).claims == ()


def test_what_the_judge_read_is_preferred() -> None:
    text = "The red form is for visitors of the ward. The blue form is for visitors of the ward."
    evidence = hit(text)
    read = "The blue form is for visitors of the ward."
    result = generate("Which form do visitors use?", [evidence], [support(evidence, quote=read)], keep=0.0)
    assert quotes(result) == [read]


def test_one_claim_serves_two_needs_that_the_same_words_answer() -> None:
    asked = ["How long does leftover rice keep in the fridge?", "How long does leftover rice keep, in days?"]
    result = generate(asked, [RICE], keep=0.0)
    [claim] = result.claims
    assert claim.needs == ("N1", "N2")


def test_neighbouring_sentences_are_one_quote() -> None:
    text = (
        "Soak the beans overnight in water. Soak the beans in salted water. Nothing else matters here today."
    )
    result = generate("How are the beans soaked in water?", [hit(text)], keep=0.5, units=40)
    assert any(
        quote.startswith("Soak the beans overnight in water. Soak the beans in salted")
        for quote in quotes(result)
    )


def test_at_most_three_units_a_need_in_the_order_of_the_document() -> None:
    text = " ".join(
        f"Beans number {n} are soaked overnight.\n\nUnrelated filler stands here." for n in range(9)
    )
    result = generate("How are beans soaked?", [hit(text)], keep=9.0)
    spans = [citation.span for claim in result.claims for citation in claim.citations]
    assert 1 <= len(spans) <= 3
    assert spans == sorted(spans, key=lambda span: span or (0, 0))


def test_one_embedding_call_and_a_bounded_number_of_units() -> None:
    embedder = Counting()
    generator = registry.create("generator", "extractive", embedder=embedder, units=12)
    evidence = [
        hit(" ".join(f"Sentence {n} of part {rank} says little." for n in range(40)), rank=rank)
        for rank in (1, 2, 3)
    ]
    target = "The vault opens at nine o'clock sharp."
    evidence.append(hit(f"{evidence[0].text} {target}", rank=4))
    supports = [support(one) for one in evidence]
    claims = generator.generate(
        "q", [Need("N1", "When does the vault open?")], supports, evidence, "en"
    ).claims
    assert embedder.n_calls == 1
    assert embedder.n_texts <= 12
    assert any(target in claim.text for claim in claims)


def test_a_unit_larger_than_the_window_is_still_scored() -> None:
    embedder = registry.create("embedder", "hashing", window=16)
    generator = registry.create("generator", "extractive", embedder=embedder)
    evidence = hit("量" * 900 + "。" + "The beans are soaked overnight in cold water.", path=("路" * 300,))
    assert generator.generate("q", [Need("N1", "beans soaked")], [support(evidence)], [evidence], "en").claims


def test_an_embedder_that_fails_is_a_failed_generator() -> None:
    class Failing(Counting):
        def embed_passages(self, texts: Sequence[str], progress: Any = None) -> Any:
            raise EmbedderError("no weights")

    generator = registry.create("generator", "extractive", embedder=Failing())
    with pytest.raises(GeneratorError, match="no weights"):
        generator.generate("q", [Need("N1", "rice")], [support(RICE)], [RICE], "en")


@pytest.mark.parametrize(
    ("options", "named"),
    [({"beam": 3}, "beam"), ({"keep": -1}, "keep"), ({"keep": "x"}, "keep"), ({"units": 0}, "units"),
     ({"units": 2.5}, "units"), ({"words": float("nan")}, "words"), ({"read": True}, "read")],
)  # fmt: skip
def test_wrong_options_are_named(options: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        registry.create("generator", "extractive", embedder=Counting(), **options)


@pytest.mark.parametrize(
    "text",
    [
        "> **Note**\n>\n> Never leave the fryer\n> alone for long. It burns at once.",
        "```sh\n" + "\n".join(f"step --number {n} --of many" for n in range(200)) + "\n```",
        "- one two three four\n- five six seven eight\n\n  nine ten eleven",
        "# Heading\n\nShort. Text that goes on.\n\n| a | b |\n|---|---|\n| `x|y` | 2 |",
        "住院病人每天下午两点到八点可以接受探视。儿童须由成人陪同，重症监护室除外。",
        "Preise: 1.000,50 € pro Monat, z. B. für Gäste. „Nicht erstattbar“, sagt der Vertrag.",
    ],
)
def test_every_claim_passes_the_quote_check_letter_for_letter(text: str) -> None:
    evidence = hit(text, start=31)
    result = generate("What is said about it, and how many?", [evidence], keep=9.0)
    assert result.claims
    for draft in result.claims:
        checked = verify(draft, [evidence])
        assert isinstance(checked, Claim), checked
        assert all(citation.check == "verified" for citation in checked.citations)


def test_the_same_call_gives_the_same_claims() -> None:
    assert generate("How long does rice keep?", [RICE]) == generate("How long does rice keep?", [RICE])
