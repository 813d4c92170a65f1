"""Recovery with the real model: what one narrow evidence lacks, a suggestion leads to, in three languages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from suffice.engine import Engine
from suffice.experiments import bench
from suffice.experiments.suite import Question
from suffice.gold import Gold, Piece
from suffice.settings import load
from suffice.text import content_words

PAGES = {
    "kiln.md": "# Kiln\n\n## Firing\n\nThe kiln reaches 1240 degrees after nine hours of firing.\n\n"
    "## Cooling\n\nThe door stays shut until the kiln has cooled to 90 degrees.\n\n"
    "## Fees\n\nA firing costs 35 euros, and members pay 20.\n",
    "wheel.md": "# Pottery wheel\n\n## Booking\n\nA wheel is booked for two hours at the front desk.\n\n"
    "## Cleaning\n\nThe splash pan is emptied into the clay trap and never into the sink.\n",
    "clay.md": "# Clay\n\n## Storage\n\nOpened bags of clay are kept damp in the cellar for six weeks.\n\n"
    "## Recycling\n\nDry scraps go into the blue bucket and are reclaimed on Fridays.\n",
    "glaze.md": "# Glazes\n\n## Safety\n\nNobody sprays glaze without the mask `P3-FILTER`.\n\n"
    "## Mixing\n\nGlaze powder is stirred into water and sieved twice.\n",
}
ASKED = {
    "en": "How long are opened bags of clay kept, and where is the splash pan emptied?",
    "de": "Wie lange werden offene Tonbeutel aufbewahrt, und wohin wird die Spritzwanne geleert?",
    "zh": "打开的黏土袋可以保存多久？转盘的接水盘倒在哪里？",
}
QUOTES = {"clay.md": "kept damp in the cellar for six weeks", "wheel.md": "emptied into the clay trap"}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    place = tmp_path_factory.mktemp("studio")
    (place / "pages").mkdir()
    for name, text in PAGES.items():
        (place / "pages" / name).write_text(text, "utf-8")
    with Engine.open(place / ".suffice", load(environment={}), create=True) as engine:
        engine.add([str(place / "pages")])
        yield engine


@pytest.mark.parametrize("asked", ASKED)
def test_a_suggestion_leads_to_the_piece_that_one_passage_lacks(engine: Engine, asked: str) -> None:
    pieces = tuple(Piece(f"C{n}", "", (Gold(*one),)) for n, one in enumerate(QUOTES.items(), 1))
    found = bench.run(engine, [Question(asked, ASKED[asked], "full", pieces, asked, "joined")], evidence_k=1)
    (one,) = found.questions
    assert sum(bool(piece.in_evidence) for piece in one.pieces.values()) <= 1, "one passage holds one piece"
    assert any(suggestion.new_pieces for suggestion in one.suggestions or ()), one.suggestions
    words = f"{ASKED[asked]} {' '.join(PAGES.values())} 关于 有哪些说明".casefold()
    for suggestion in one.suggestions or ():
        assert all(word in words for word in content_words(suggestion.question, asked)), suggestion


def test_previews_that_will_be_answered_come_first_and_a_pick_gets_what_its_preview_said(
    engine: Engine,
) -> None:
    answer = engine.ask(ASKED["en"], k=1)
    said = [one.preview.status for one in answer.suggestions if one.preview]
    assert said and said == sorted(said, key=["sufficient", "partial", "insufficient"].index)
    assert engine.pick(1).status == said[0]


def test_suggestions_are_left_out_on_request(engine: Engine) -> None:
    assert engine.ask(ASKED["en"], k=1, keep=False, suggest=False).suggestions == ()
