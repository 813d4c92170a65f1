"""Repairs that need another index: their throw-away rankings are those of an index that was really built."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from late_library import LateCounting
from suffice import registry
from suffice.diagnose import Diagnosis, Repair, scratch, trials
from suffice.diagnose.case import Case
from suffice.diagnose.layers import Located, Locator
from suffice.diagnose.loose import LooseRow, LooseRows
from suffice.diagnose.trials import Trials, Tried
from suffice.engine import Engine
from suffice.gate.needs import split
from suffice.gold import Gold, Piece
from suffice.ports import StoreRow
from suffice.settings import load
from suffice.text import language
from suffice.values import Answer, Filter, JudgedNeed, Verdict

TOPICS = ("ferry", "lantern", "harbour", "orchard", "granary", "quarry", "signal", "cistern", "weir", "kiln")
QUESTION = "How is the lantern lit, and who keeps the cistern clean?"


def page(topic: str, number: int) -> str:
    """A page of several sections, long enough to be cut in more ways than one."""
    parts = [f"# The {topic}\n"]
    for section in range(4):
        parts.append(f"\n## {topic.title()} duty {section}\n")
        for line in range(5):
            other = TOPICS[(number * 3 + section + line) % len(TOPICS)]
            parts.append(
                f"\nRule {section}.{line}: the {topic} is inspected {section + line + number} times a week, "
                f"and the keeper of the {other} signs the book of the {topic}."
            )
        parts.append("\n")
    return "".join(parts) + f"\nThe {topic} is lit or cleaned by warden number {number}.\n"


PIECES = (
    Piece("C1", "", (Gold("", "The lantern is lit or cleaned by warden number 1."),)),
    Piece("C2", "", (Gold("", "The cistern is lit or cleaned by warden number 7."),)),
)


class Opened:
    """Engines on the same pages, with settings and embedders of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.engines: list[Engine] = []
        for number, topic in enumerate(TOPICS):
            path = folder / "pages" / f"{topic}.md"
            path.parent.mkdir(exist_ok=True)
            path.write_text(page(topic, number), "utf-8")

    def __call__(self, embedder: Any = None, **settings: Any) -> Engine:
        given = {"embed.name": "hashing", "chunk.max_chars": 800} | {
            name.replace("__", "."): value for name, value in settings.items()
        }
        engine = Engine.open(self.folder / f"ws{len(self.engines)}", load(None, {}, given), create=True)
        if embedder is not None:
            engine.__dict__["embedder"] = embedder
        self.engines.append(engine)
        engine.add([str(self.folder / "pages")])
        return engine


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    made = Opened(tmp_path)
    yield made
    for engine in made.engines:
        engine.close()


def tried_on(
    engine: Engine, mode: Any = "hybrid", pieces: Sequence[Piece] = PIECES
) -> tuple[Trials, Sequence[Located]]:
    needs = split(QUESTION, language(QUESTION))
    answer = Answer(
        id="", question=QUESTION, language="en", asked_at="", snapshots=(),
        generation=engine.searcher.generation, tenant=None,
        verdict=Verdict(tuple(JudgedNeed(need, ()) for need in needs)), evidence=(), answer=None, message="",
    )  # fmt: skip
    case = Case(engine.workspace, engine.searcher, engine.settings, answer, 5, mode, Filter(), 0.0)
    locator = Locator(case, engine.embedder)
    located = locator.locate(pieces)
    return Trials(locator, located), located


def ranks(tried: Tried) -> dict[str, int | None]:
    assert tried.n is not None and tried.targets is not None
    place = np.zeros(tried.n, dtype=np.int64)
    place[list(tried.order)] = np.arange(1, len(tried.order) + 1)
    return {
        name: min((rank for target in targets if (rank := target.rank(place))), default=None)
        for name, targets in tried.targets.items()
    }


def needed(engine: Engine, mode: Any = "hybrid") -> dict[str, int | None]:
    """The ranks that an index really built has."""
    return {one.finding.id: one.finding.k_needed for one in tried_on(engine, mode)[1]}


@pytest.mark.parametrize(
    "options", [{}, {"search__dedup": True}, {"search__mmr": 0.5}, {"search__fusion": "rrf"}]
)
@pytest.mark.parametrize("embedder", [None, LateCounting])
@pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
def test_all_documents_cut_anew_rank_as_in_an_index_of_that_size(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, embedder: Any, mode: Any, options: dict[str, Any]
) -> None:
    monkeypatch.setattr(trials, "MOST_NEW", 10**6)
    wide = opened(embedder and embedder(), **options)
    found = tried_on(wide, mode)[0].chunk_size()
    assert found.note == "all 10 documents cut anew"
    assert wide.searcher.reranks is (embedder is not None)
    narrow = opened(embedder and embedder(), chunk__max_chars=400, **options)
    assert found.n == len(narrow.searcher.store.chunk_ids())
    assert ranks(found) == needed(narrow, mode)
    assert ranks(found) != needed(wide, mode) or mode != "hybrid"


@pytest.mark.parametrize("embedder", [None, LateCounting])
def test_some_documents_cut_anew_rank_among_the_rest_as_it_is(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, embedder: Any
) -> None:
    """The same ranks as in an index whose other documents are cut at the old size."""
    monkeypatch.setattr(trials, "MOST_NEW", 1)
    wide = opened(embedder and embedder())
    found = tried_on(wide)[0].chunk_size()
    assert found.note == "2 documents cut anew (2 with a piece), ranked among the rest as it is"
    n_wide = len(wide.searcher.store.chunk_ids())
    assert found.n is not None and found.n > n_wide
    # cut at the size that they have already: nothing may move at all
    monkeypatch.setattr(Trials, "other_size", 800)
    trial = tried_on(wide)[0]
    again = trial.chunk_size()
    assert again.n == n_wide
    assert list(again.order) == trial.order
    assert ranks(again) == needed(wide)


def test_what_stands_near_a_piece_is_cut_anew_while_it_is_cheap(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = opened()
    deep = [Piece("C1", "", (Gold("", "The weir is lit or cleaned by warden number 8."),))]
    notes = []
    for most in (1, 17, 25):  # of these pages each has 8 parts at half the size
        monkeypatch.setattr(trials, "MOST_NEW", most)
        notes.append(tried_on(engine, pieces=deep)[0].chunk_size().note)
    assert [note.split(",")[0] for note in notes] == [
        "1 document cut anew (1 with a piece)",
        "2 documents cut anew (1 with a piece",
        "3 documents cut anew (1 with a piece",
    ]
    assert notes[2].endswith("2 more near it), ranked among the rest as it is")


@pytest.mark.parametrize("mode", ["hybrid", "dense"])
def test_another_embedder_ranks_as_in_an_index_of_it(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, mode: Any
) -> None:
    """An embedder with token states is given its late interaction, and one without is not."""
    plain, late = opened(), opened(LateCounting())
    create = registry.create

    def made(kind: str, name: str, **given: Any) -> Any:
        if (kind, name) == ("embedder", "late"):
            return LateCounting()
        known = (kind, name) != ("embedder", "plain")
        return create(kind, name, **given) if known else create("embedder", "hashing", dim=64)

    monkeypatch.setattr(trials.registry, "create", made)
    found = tried_on(plain, mode)[0].embedder("late")
    assert found.note == f"all {found.n} chunks embedded anew"
    assert ranks(found) == needed(late, mode)
    other = opened(create("embedder", "hashing", dim=64))
    assert ranks(tried_on(late, mode)[0].embedder("plain")) == needed(other, mode)


def repair(found: Diagnosis, name: str) -> Repair:
    return next(one for one in found.repairs if one.name == name)


def test_a_huge_index_is_not_worked_over_and_says_so(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = opened()
    monkeypatch.setattr(scratch, "MOST_PARTS", 20)
    monkeypatch.setattr(trials, "MOST_NEW", 20)
    found = engine.diagnose(QUESTION, PIECES, repairs=True)
    assert "up to 20 are worked over for one case" in repair(found, "chunk_size").judgement
    assert "up to 20 are worked over for one case" in repair(found, "embedder").judgement


def test_a_slow_embedder_is_not_waited_for(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "MOST_S", 0.0)
    engine = opened()
    engine.embedder.batches = []  # type: ignore[attr-defined]
    judgement = repair(engine.diagnose(QUESTION, PIECES, repairs=True), "chunk_size").judgement
    assert judgement.startswith("not run: ") and "would have to be embedded anew" in judgement


def test_no_document_with_a_piece_means_none_to_cut(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "MOST_NEW", 1)
    absent = [Piece("C1", "", (Gold("", "words that stand nowhere"),))]
    found = opened().diagnose(QUESTION, absent, repairs=True)
    assert "no document that takes part holds a piece" in repair(found, "chunk_size").judgement


@pytest.mark.parametrize("masked", [False, True])
def test_loose_rows_score_as_the_reference_store_does(masked: bool) -> None:
    rng = np.random.default_rng(3)
    words = ["ab", "cd", "ef", "gh", "é", "密"]
    rows = []
    for number in rng.permutation(12):
        counts = {word: int(n) for word, n in zip(words, rng.integers(0, 4, len(words)), strict=True) if n}
        vectors = rng.normal(size=(int(rng.integers(1, 4)), 5)).astype(np.float32)
        rows.append((f"c{number:02}", vectors, counts))
    store = registry.create("store", "memory")
    store.build((StoreRow(*row) for row in rows), "1", 5)
    loose = LooseRows([LooseRow(*row) for row in rows])
    assert tuple(loose.row_of) == store.chunk_ids()
    mask = rng.random(12) < 0.6 if masked else None
    query = rng.normal(size=5).astype(np.float32)
    np.testing.assert_allclose(loose.dense(query, mask), store.dense(query, mask), rtol=1e-12)
    for asked in (["ab", "密", "ab"], ["é"], ["none"], [], words):
        np.testing.assert_allclose(loose.lexical(asked, mask), store.lexical(asked, mask), rtol=1e-12)
        assert loose.share_known(asked, mask) == pytest.approx(store.share_known(asked, mask))
    assert [len(own) for own in loose.vectors([3, 0])] == [len(own) for own in store.vectors([3, 0])]
    assert loose.states([0]) is None
