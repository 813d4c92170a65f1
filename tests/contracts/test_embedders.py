"""One suite for every embedder: whatever is in `plugins/embedders/` or registered is held to it."""

from __future__ import annotations

import random

import numpy as np
import pytest

from suffice import registry
from suffice.errors import EmbedderError, SettingsError
from suffice.ports import Embedder, LateEmbedder

TEXTS = (
    "Limits are set on the Limits page of the dashboard.",
    "Namespaces hold keys; a key is at most 512 bytes.",
    "天气很好，我们去公园散步。",
    "Die Grenze liegt bei zehn Anfragen je Minute.",
    "x",
    "",
    "ERR_SSL_PROTOCOL_ERROR after v1.2.3 — see CVE-2031-4471",
    "a longer passage " * 20,
)
HOSTILE = {
    "empty": "",
    "spaces": " \t\n\u00a0\u3000" * 50,
    "NUL": "before\0after",
    "only NUL": "\0",
    "lone surrogate": "a\ud800b\udfff",
    "noncharacter": "\uffff\U0010ffff",
    "ligature that expands": "\ufdfa" * 10,
    "combining marks alone": "\u0301" * 40,
    "decomposed": "cafe\u0301 re\u0301sume\u0301",
    "right to left override": "\u202eabc\u202c",
    "specials of the model": "<s> </s> <pad> <unk> <mask>",
    "emoji sequence": "👩‍👩‍👧‍👦🏳️‍🌈",
}


@pytest.fixture(scope="module", params=registry.names("embedder"))
def embedder(request: pytest.FixtureRequest) -> Embedder:
    made: Embedder = registry.create("embedder", request.param)
    return made


def test_names_itself(embedder: Embedder) -> None:
    assert isinstance(embedder, Embedder)
    assert embedder.name and embedder.version
    assert embedder.name in embedder.fingerprint() and embedder.version in embedder.fingerprint()
    assert 0 < embedder.room() < embedder.window


def test_rows_are_unit_float32_in_the_order_given(embedder: Embedder) -> None:
    rows = embedder.embed_passages(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.dim) and rows.dtype == np.float32
    assert np.abs(np.linalg.norm(rows.astype(np.float64), axis=1) - 1).max() < 1e-6
    for text, row in zip(TEXTS, rows, strict=True):
        assert np.array_equal(embedder.embed_passages([text])[0], row), text


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed_passages([]).shape == (0, embedder.dim)
    assert embedder.embed_queries([]).shape == (0, embedder.dim)
    assert embedder.token_states([], query=True) == ()


def test_bits_depend_on_neither_batch_nor_order(embedder: Embedder) -> None:
    texts = [f"{text} {number}" for number in range(4) for text in TEXTS]
    whole = embedder.embed_passages(texts)
    order = list(range(len(texts)))
    random.Random(7).shuffle(order)
    assert np.array_equal(embedder.embed_passages([texts[at] for at in order]), whole[order])
    queries = embedder.embed_queries(texts)
    assert np.array_equal(embedder.embed_queries(texts[::-1]), queries[::-1])


def test_a_query_is_nearest_to_the_passage_that_shares_its_words(embedder: Embedder) -> None:
    passages = embedder.embed_passages(TEXTS[:4])
    queries = embedder.embed_queries(
        ["On which page are limits set?", "How many bytes may a key have in a namespace?", "今天天气很好吗？"]
    )
    assert (queries @ passages.T).argmax(axis=1).tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", HOSTILE)
def test_any_string_gives_a_vector(embedder: Embedder, kind: str) -> None:
    text = HOSTILE[kind]
    for rows in (embedder.embed_passages([text]), embedder.embed_queries([text])):
        assert np.isfinite(rows).all() and abs(float(np.linalg.norm(rows[0])) - 1) < 1e-5
    assert embedder.count_tokens(text) >= 0
    (states,) = embedder.token_states([text], query=False)
    assert len(states.ids) == len(states.spans) == len(states.vectors)


@pytest.mark.parametrize("text", ["\ufdfa" * 10_000, "word " * 200_000, "字" * 100_000])
def test_a_long_text_is_refused_as_a_passage_and_read_by_its_head_as_a_query(
    embedder: Embedder, text: str
) -> None:
    room = embedder.room()
    if embedder.count_tokens(text) > room:
        with pytest.raises(EmbedderError, match=r"passage 1 has \d+ tokens; at most \d+ fit"):
            embedder.embed_passages(["short", text])
        with pytest.raises(EmbedderError, match="at most"):
            embedder.token_states([text], query=False)
    row = embedder.embed_queries([text])
    assert np.isfinite(row).all()
    (states,) = embedder.token_states([text], query=True)
    assert 0 < len(states.ids) < embedder.window


def test_what_fits_the_room_is_embedded(embedder: Embedder) -> None:
    text = "a " * embedder.room()
    assert embedder.count_tokens(text) == embedder.room()
    assert embedder.embed_passages([text]).shape == (1, embedder.dim)
    with pytest.raises(EmbedderError):
        embedder.embed_passages([text + "a"])


def test_token_states_are_the_texts_own_tokens_in_place(embedder: Embedder) -> None:
    text = "Namespaces hold 键值 pairs, cafe\u0301 ½ \ufdfa!"
    for query in (False, True):
        (states,) = embedder.token_states([text], query=query)
        assert states.vectors.dtype == np.float32 and states.vectors.shape == (
            len(states.ids),
            embedder.dim,
        )
        assert len(states.ids) == embedder.count_tokens(text) == len(states.spans)
        starts = [start for start, _ in states.spans]
        assert starts == sorted(starts)
        assert all(0 <= start <= end <= len(text) for start, end in states.spans)
        covered = {at for start, end in states.spans for at in range(start, end)}
        letters = {at for at, character in enumerate(text) if character.isalpha()}
        assert letters <= covered | {text.index("\u0301")}


def test_token_states_do_not_depend_on_the_batch(embedder: Embedder) -> None:
    together = embedder.token_states(TEXTS, query=False)
    for text, states in zip(TEXTS, together, strict=True):
        (alone,) = embedder.token_states([text], query=False)
        assert np.array_equal(alone.vectors, states.vectors) and alone.spans == states.spans


def test_progress_reaches_the_total(embedder: Embedder) -> None:
    seen: list[tuple[str, int, int]] = []
    embedder.embed_passages(TEXTS, progress=lambda stage, done, total: seen.append((stage, done, total)))
    assert seen[-1] == ("embed", len(TEXTS), len(TEXTS))
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


def test_an_interrupt_passes_through_and_leaves_it_usable(embedder: Embedder) -> None:
    def interrupt(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    before = embedder.embed_passages(TEXTS[:2])
    with pytest.raises(KeyboardInterrupt):
        embedder.embed_passages(TEXTS, progress=interrupt)
    assert np.array_equal(embedder.embed_passages(TEXTS[:2]), before)


@pytest.mark.parametrize("name", registry.names("embedder"))
def test_an_unknown_option_is_refused_by_name(name: str) -> None:
    with pytest.raises(SettingsError, match="sped"):
        registry.create("embedder", name, sped=3)


@pytest.mark.parametrize("name", registry.names("embedder"))
def test_the_options_of_the_settings_table_are_taken(name: str) -> None:
    made = registry.create("embedder", name, precision="int8", threads=1)
    assert made.dim > 0


def test_codes_come_with_the_same_vectors_and_do_not_depend_on_the_batch(embedder: Embedder) -> None:
    if not isinstance(embedder, LateEmbedder):
        with pytest.raises(AttributeError):
            embedder.embed_passages_late(TEXTS)  # type: ignore[attr-defined]
        return
    texts = [*TEXTS, *HOSTILE.values()]
    vectors, codes = embedder.embed_passages_late(texts)
    assert np.array_equal(vectors, embedder.embed_passages(texts))
    for text, vector, code in zip(texts, vectors, codes, strict=True):
        assert code.dtype == np.int8 and code.shape == (embedder.count_tokens(text), embedder.late_dim)
        alone = embedder.embed_passages_late([text])
        assert np.array_equal(alone[0][0], vector) and np.array_equal(alone[1][0], code), text
    assert embedder.late_fingerprint().startswith(embedder.fingerprint())
    vectors, codes = embedder.embed_queries_late(texts)
    assert np.array_equal(vectors, embedder.embed_queries(texts))
    assert all(code.shape[1] == embedder.late_dim for code in codes)
    # marks of punctuation are not matched
    (one, other) = embedder.embed_queries_late(["What is it", "What is it ?!"])[1]
    assert len(one) == len(other)
