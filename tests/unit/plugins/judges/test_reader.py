"""The judge that reads: windows, packing, independence of the batch, spans, and near misses told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from suffice import registry
from suffice.errors import SettingsError
from suffice.plugins.judges import reader as module
from suffice.plugins.judges._reader_model import shared_model
from suffice.plugins.judges._reader_pack import (
    QUESTION,
    QUESTION_TOKENS,
    TEXT,
    TEXT_TOKENS,
    TITLE,
    TITLE_TOKENS,
)
from suffice.plugins.judges._reader_windows import WINDOW_TOKENS, choose, head, windows
from suffice.values import Need, Passage

LONG = " ".join(
    f"Sentence number {n} tells of the {n}th bridge over the river and who built it." for n in range(40)
)


def passage(evidence: int, title: str, text: str, start: int = 0) -> Passage:
    return Passage(evidence, f"c{evidence}", title, (title,), text, (start, start + len(text)))


def test_windows_cover_every_unit_in_order_and_stay_short() -> None:
    found = windows(LONG)
    units = [unit for window in found for unit in window.units]
    assert units == sorted(units)
    assert "".join(LONG[a:b] for a, b in units).replace(" ", "") == LONG.replace(" ", "")
    assert len(found) > 3
    assert all(window.n_tokens <= WINDOW_TOKENS + 2 for window in found)


def test_a_text_without_units_has_no_windows() -> None:
    assert windows(" \n|---|\n") == ()


def test_every_passage_gets_its_best_window_before_any_gets_a_second() -> None:
    texts = [windows(LONG), windows("The lighthouse keeper's name was Ann. She lived there.")]
    wanted = windows("Sentence 39th bridge")[0].terms
    chosen = choose(wanted, texts, 1)
    assert [number for number, _ in chosen] == [0, 1]
    assert LONG[slice(*texts[0][chosen[0][1]].span)].count("39th") == 1
    assert len(choose(wanted, texts, 100_000)) == len(texts[0]) + len(texts[1])


def test_a_title_that_repeats_is_told_once() -> None:
    assert head(Passage(1, "c", "Bees", ("Bees", "Hives"), "x", (0, 1))) == "Bees › Hives"
    assert head(Passage(1, "c", "", (), "x", (0, 1))) == ""


def test_parts_are_cut_to_their_share_and_only_the_text_has_spans() -> None:
    packer = shared_model(1).packer
    packed = packer.pack("why " * 500, "title " * 90, "word " * 900)
    assert packed.kinds.count(QUESTION) == QUESTION_TOKENS
    assert packed.kinds.count(TITLE) == TITLE_TOKENS
    assert packed.kinds.count(TEXT) == TEXT_TOKENS == len(packed.spans)
    assert packed.kinds[packed.first] == TEXT
    assert len(packed.ids) == len(packed.kinds)
    assert packer.pack("why", "", "").spans == ()


def test_what_is_read_does_not_depend_on_the_batch_or_on_threads() -> None:
    model = shared_model(1)
    inputs = [
        model.packer.pack("Who built the 7th bridge?", "Bridges", LONG[:200]),
        model.packer.pack("谁修建了第七座桥？", "", "第七座桥由王工修建。"),
        model.packer.pack("?", "", "x"),
    ]
    alone = [model.read([one])[0] for one in inputs]
    for together in (model.read(inputs), shared_model(3).read(inputs), model.read(inputs[::-1])[::-1]):
        assert [one.logit for one in together] == [one.logit for one in alone]
        assert all((a.shares == b.shares).all() for a, b in zip(together, alone, strict=True))


def test_an_input_without_text_says_nothing() -> None:
    model = shared_model(1)
    assert model.read([model.packer.pack("why", "", "")])[0].logit < -20


def test_the_span_is_the_unit_that_answers() -> None:
    text = (
        "The museum stands on the hill. It was opened in 1931 by the mayor. "
        "Visitors pay four euros. Dogs must stay outside."
    )
    judge = registry.create("judge", "reader")
    best = max(
        judge.judge(
            "", [Need("N1", "In which year was the museum opened?")], [passage(1, "Museum", text, 50)]
        ),
        key=lambda support: support.confidence,
    )
    assert text[best.span[0] - 50 : best.span[1] - 50] == "It was opened in 1931 by the mayor."


@pytest.mark.parametrize(
    ("question", "answer", "near"),
    [
        (
            "When was the Old Mill built?",
            "The Old Mill was built in 1788 by two brothers.",
            "The Old Mill stands by the river and belongs to two brothers.",
        ),
        (
            "老磨坊是哪一年建成的？",
            "The Old Mill was built in 1788 by two brothers.",
            "The Old Mill stands by the river and belongs to two brothers.",
        ),
        (
            "Wann wurde die alte Mühle gebaut?",
            "The old mill was built in 1788 by two brothers.",
            "The old mill stands by the river and belongs to two brothers.",
        ),
    ],
)
def test_what_answers_reads_better_than_what_nearly_does(question: str, answer: str, near: str) -> None:
    look = module.Look(shared_model(1), module.READ_TOKENS)
    seen = look(Need("N1", question), [passage(1, "Mill", answer), passage(2, "Mill", near)])
    by_evidence = {one.passage.evidence: one.features["reader"] for one in seen}
    assert by_evidence[1] > by_evidence[2]


@pytest.mark.parametrize(
    "option", [{"read_tokens": 0}, {"read_tokens": True}, {"threads": -1}, {"threads": "2"}]
)
def test_impossible_options_are_refused(option: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match="whole number"):
        registry.create("judge", "reader", **option)


def test_the_adapter_in_the_wheel_is_small() -> None:
    file = Path(module.__file__).with_name("_reader_weights.npz")
    assert 100_000 < file.stat().st_size < 3_000_000
