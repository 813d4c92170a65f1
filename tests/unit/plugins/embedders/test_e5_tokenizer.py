"""The tokenizer: pieces as XLM-R cuts them, spans in the text as given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.plugins.embedders import _e5_weights
from suffice.plugins.embedders._e5_tokenizer import Tokenizer, build_table


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    weights = _e5_weights.Weights(_e5_weights.find())
    return Tokenizer(memoryview(build_table(weights.vocabulary())), bos=weights.bos, eos=weights.eos)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        # ids that XLM-R's own tokenizer gives
        ("Hello world", [35378, 8999]),
        ("How do I set a limit?", [11249, 54, 87, 5423, 10, 17475, 32]),
        ("query:", [41, 1294, 12]),
        ("", []),
        ("   ", []),
    ],
)
def test_known_ids(tokenizer: Tokenizer, text: str, ids: list[int]) -> None:
    assert tokenizer.ids(text) == ids


@pytest.mark.parametrize(
    ("given_text", "same"),
    [
        ("a  b\n c ", "a b c"),
        ("cafe\u0301", "café"),
        ("ﬁle ½ ²", "file 1⁄2 2"),
        ("a\0b\x01", "ab"),
        ("\u1112\u1161\u11ab", "한"),
    ],
)
def test_texts_that_are_the_same_to_the_model(tokenizer: Tokenizer, given_text: str, same: str) -> None:
    assert tokenizer.ids(given_text) == tokenizer.ids(same)


def test_spans_name_the_source(tokenizer: Tokenizer) -> None:
    text = "  Set\u00a0the ﬁle cafe\u0301 limit"
    pieces = tokenizer.pieces(text)
    assert [text[a:b] for a, b in pieces.spans] == ["Set", "the", "ﬁle", "cafe\u0301", "limit"]


def test_special_pieces_in_a_text_are_plain_characters(tokenizer: Tokenizer) -> None:
    assert not {0, 1, 2, 250001} & set(tokenizer.ids("<s> </s> <pad> <mask>"))


def test_a_run_of_unknown_characters_is_one_piece(tokenizer: Tokenizer) -> None:
    assert tokenizer.ids("\ud800\ud801\ud802").count(3) == 1


ANY = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("  \n\0\u0301\u1112\u1161\u11ab\ufdfa\ufb01½字a\ud800\u0915\u093c"),
    ),
    max_size=60,
)


@given(ANY)
def test_ids_and_spans_agree_on_any_text(tokenizer: Tokenizer, text: str) -> None:
    pieces = tokenizer.pieces(text)
    assert list(pieces.ids) == tokenizer.ids(text)
    assert all(0 <= start <= end <= len(text) for start, end in pieces.spans)
    starts = [start for start, _ in pieces.spans]
    assert starts == sorted(starts)


@given(st.text(max_size=80), st.integers(1, 20))
def test_the_head_of_a_text_is_its_first_ids(tokenizer: Tokenizer, text: str, n: int) -> None:
    assert tokenizer.head(text, n) == tokenizer.ids(text)[:n]
