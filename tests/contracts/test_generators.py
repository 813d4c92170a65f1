"""One suite for every generator that the registry knows and that needs no server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from suffice import registry
from suffice.answer.compose import compose
from suffice.errors import SettingsError
from suffice.gate.sufficiency import decide
from suffice.ports import Generator
from suffice.values import Hit, Need, Support

NEEDS_A_SERVER = frozenset({"openai"})
TEXTS = (
    "Cooked rice keeps for one day in the fridge. Reheat it to 75 degrees before serving it.",
    "住院病人每天下午两点到八点可以接受探视。儿童须由成人陪同。",
    "To enable uploads:\n\n1. Open the settings page.\n2. Set `max_bytes` to 5000.\n\n"
    "| Plan | Uploads | Price |\n| --- | --- | --- |\n| Free | 10 a day | 0 € |\n| Team | 900 a day | 12 € |",
    "```py\nclient.send(order, retries=3)\n```",
)


def evidence() -> tuple[Hit, ...]:
    return tuple(
        Hit(n, f"c{n}", f"d{n}.md", f"Page {n}", (f"Page {n}",), (n * 50, n * 50 + len(text)), None, "", "s",
            text, 1.0, "hybrid", {})
        for n, text in enumerate(TEXTS, start=1)
    )  # fmt: skip


NEEDS = (
    Need("N1", "How long does cooked rice keep in the fridge?"),
    Need("N2", "什么时候可以探视病人？"),
    Need("N3", "x"),
)


def supports(*pairs: tuple[str, int]) -> list[Support]:
    by_rank = {hit.rank: hit for hit in evidence()}
    return [Support(need, rank, by_rank[rank].span, 0.8, "test") for need, rank in pairs]


@pytest.fixture(params=[name for name in registry.names("generator") if name not in NEEDS_A_SERVER])
def generator(request: pytest.FixtureRequest) -> Generator:
    made = registry.create("generator", request.param, embedder=registry.create("embedder", "hashing"))
    assert isinstance(made, Generator)
    return made


def generate(generator: Generator, needs: Sequence[Need], given: Sequence[Support]) -> Any:
    return generator.generate("q", needs, given, evidence(), "en")


def test_it_is_named_and_versioned(generator: Generator) -> None:
    assert generator.name in registry.names("generator")
    assert generator.version


def test_claims_are_for_the_needs_given_and_cite_the_evidence_given(generator: Generator) -> None:
    claims = generate(generator, NEEDS[:2], supports(("N1", 1), ("N2", 2), ("N3", 3))).claims
    assert claims
    for claim in claims:
        assert claim.text.strip()
        assert claim.needs
        assert set(claim.needs) <= {"N1", "N2"}
        assert claim.citations
        assert {citation.evidence for citation in claim.citations} <= {1, 2}


def test_every_quote_that_it_gives_can_be_checked(generator: Generator) -> None:
    given = supports(*((need.id, rank) for need in NEEDS for rank in (1, 2, 3, 4)))
    composed = compose("q", decide(NEEDS, given, threshold=0.5), evidence(), generator, "en")
    assert composed.body is not None
    assert composed.dropped == ()
    by_rank = {hit.rank: hit for hit in evidence()}
    for claim in composed.body.claims:
        for citation in claim.citations:
            hit = by_rank[citation.evidence]
            start, end = (edge - hit.span[0] for edge in citation.span)
            assert hit.text[start:end] == citation.quote


def test_no_need_no_support_or_no_evidence_gives_no_claim(generator: Generator) -> None:
    assert generate(generator, (), supports(("N1", 1))).claims == ()
    assert generate(generator, NEEDS, ()).claims == ()
    assert generator.generate("q", NEEDS, supports(("N1", 1)), (), "en").claims == ()


def test_it_repeats_itself(generator: Generator) -> None:
    given = supports(("N1", 1), ("N1", 3), ("N2", 2))
    assert generate(generator, NEEDS, given) == generate(generator, NEEDS, given)


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "?" * 5000, "🙂"])
def test_odd_needs_do_no_harm(generator: Generator, text: str) -> None:
    generate(generator, (Need("N1", text),), supports(("N1", 1), ("N1", 4)))


@pytest.mark.parametrize("name", registry.names("generator"))
def test_an_unknown_option_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="no_such_option"):
        registry.create("generator", name, embedder=registry.create("embedder", "hashing"), no_such_option=1)
