"""One suite for every reranker: scores for pairs, the same ones again, in the order given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from suffice import registry
from suffice.errors import SettingsError
from suffice.ports import Reranker
from suffice.values import Passage

TEXTS = (
    "Keys are rotated every thirty days.",
    "Logs are exported as JSON lines.",
    "Die Schlüssel werden alle dreißig Tage gewechselt.",
    "日志以 JSON 行导出。",
    "",
    "x" * 3000,
    "word " * 2500,
)


def passages(*texts: str) -> list[Passage]:
    return [Passage(n, f"c{n}", "", (), text, (0, len(text))) for n, text in enumerate(texts, 1)]


@pytest.fixture(params=registry.names("reranker"))
def made(request: pytest.FixtureRequest) -> Reranker:
    reranker: Any = registry.create(
        "reranker", request.param, embedder=registry.create("embedder", "hashing")
    )
    return reranker  # type: ignore[no-any-return]


def test_it_is_a_reranker_with_a_name_and_a_version(made: Reranker) -> None:
    assert isinstance(made, Reranker)
    assert made.name and made.version


def test_scores_are_finite_repeatable_and_one_a_passage(made: Reranker) -> None:
    scores = made.score("How often are keys rotated?", passages(*TEXTS))
    assert scores.shape == (len(TEXTS),)
    assert scores.dtype == np.float64
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(scores, made.score("How often are keys rotated?", passages(*TEXTS)))
    assert len(made.score("anything", [])) == 0


def test_what_answers_is_above_what_does_not(made: Reranker) -> None:
    scores = made.score("How often are keys rotated?", passages(*TEXTS[:2]))
    assert scores[0] > scores[1]


def test_the_order_given_does_not_matter(made: Reranker) -> None:
    one = made.score("keys", passages(*TEXTS[:4]))
    other = made.score("keys", passages(*reversed(TEXTS[:4])))
    np.testing.assert_allclose(one, other[::-1], atol=1e-6)


def test_options_that_it_does_not_have_are_refused() -> None:
    for name in registry.names("reranker"):
        with pytest.raises(SettingsError, match="no option 'nonsense'"):
            registry.create("reranker", name, embedder=registry.create("embedder", "hashing"), nonsense=1)
