"""Gold is found where it stands, counts by overlap, and is an error of the benchmark where it is not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from bench_library import make

from suffice.engine import Engine
from suffice.experiments import bench
from suffice.experiments.places import Found, holds, index_of, located, stands, unique
from suffice.experiments.suite import Question
from suffice.gold import Gold, Piece, overlaps
from suffice.values import Citation

TABLE = "| plan | uploads |\n|---|---|\n| free | 100 a day |\n| paid | 5,000 a day |\n"
PAGES = {
    "a/twice.md": "# Twice\n\nSay it once more.\n\n## Again\n\nSay it once more.\n",
    "a/table.md": f"# Plans\n\nA lead-in.\n\n{TABLE}\nAfter it.\n",
    "b/cross.md": "# Steps\n\nOpen the door.\n\n## Next\n\nClose it again.\n",
    "wrapped.md": "# Wrapped\n\nThe value of **this** “thing” is\nwritten over\ntwo lines.\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with make(tmp_path_factory.mktemp("gold"), PAGES) as engine:
        yield engine


def find(engine: Engine, *golds: Gold) -> Found:
    return located(index_of(engine, None), Question("q", "Why?", "full", (Piece("C1", "", golds),)))


def text_of(engine: Engine, name: str) -> str:
    document = index_of(engine, None).document(name)
    assert document is not None
    return document.text


@pytest.mark.parametrize("doc", ["docs/a/twice.md", "twice.md", "corpus/docs/a/twice.md", "./a/twice.md"])
def test_a_document_is_known_by_its_name_or_the_end_of_it(engine: Engine, doc: str) -> None:
    found = find(engine, Gold(doc, "Say it once more."))
    assert not found.errors
    text = text_of(engine, "docs/a/twice.md")
    spans = found.places["C1"]["docs/a/twice.md"]
    assert [text[slice(*span)] for span in spans] == ["Say it once more."] * 2, "either place will do"


@pytest.mark.parametrize("doc", ["wice.md", "b/twice.md", "missing.md"])
def test_a_name_that_only_looks_alike_is_no_document(engine: Engine, doc: str) -> None:
    found = find(engine, Gold(doc, "Say it once more."))
    assert [error.reason for error in found.errors] == [f"the corpus holds no document {doc!r}"]
    assert not found.places


def test_a_quote_that_is_not_there_is_an_error_and_no_place(engine: Engine) -> None:
    found = find(engine, Gold("twice.md", "Say it twice more."), Gold("twice.md", "Say it once more."))
    assert [(error.piece, error.doc) for error in found.errors] == [("C1", "twice.md")]
    assert found.places["C1"], "another place satisfies the piece all the same"


@pytest.mark.parametrize(
    "quote",
    [
        "The value of **this** “thing” is written over two lines.",
        'The value of this "thing" is written over two lines.',
        "is\n  written over two lines",
    ],
)
def test_white_space_and_typography_may_differ(engine: Engine, quote: str) -> None:
    found = find(engine, Gold("wrapped.md", quote))
    (span,) = found.places["C1"]["docs/wrapped.md"]
    assert text_of(engine, "docs/wrapped.md")[slice(*span)].endswith(("two lines.", "two lines"))


def test_rows_of_a_table_and_a_quote_over_two_sections_are_found_by_overlap(engine: Engine) -> None:
    row = find(engine, Gold("table.md", "| free | 100 a day |\n| paid | 5,000 a day |")).places["C1"]
    cross = find(engine, Gold("cross.md", "Open the door.\n\n## Next\n\nClose it")).places["C1"]
    hits = engine.search("open door close plans", k=None).hits
    assert {hit.document for hit in hits if holds(hit, row)} == {"docs/a/table.md"}
    assert len([hit for hit in hits if holds(hit, cross)]) == 2, "both sections that the quote touches"


def test_a_chunk_given_twice_takes_one_place(engine: Engine) -> None:
    places = find(engine, Gold("cross.md", "Close it again.")).places["C1"]
    hits = engine.search("close it again", k=None).hits
    other = next(hit for hit in hits if not holds(hit, places))
    wanted = next(hit for hit in hits if holds(hit, places))
    assert unique((other, other, other, wanted, other)) == [other, wanted]


def test_spans_are_half_open() -> None:
    assert overlaps((3, 5), [(4, 9)]) and overlaps((3, 9), [(4, 5)])
    assert not overlaps((3, 5), [(5, 9)]) and not overlaps((5, 9), [(3, 5)]) and not overlaps((3, 5), [])


def test_a_citation_is_looked_up_again_whatever_it_says_of_itself(engine: Engine) -> None:
    index = index_of(engine, None)
    text = text_of(engine, "docs/b/cross.md")
    at = text.index("Open the door.")
    good = Citation(1, "c", "docs/b/cross.md", "Open the door.", (at, at + 14), "verified")
    assert stands(index, good)
    assert not stands(index, replace(good, quote="Open the dorr."))
    assert not stands(index, replace(good, span=(at + 1, at + 15)))
    assert not stands(index, replace(good, document="docs/b/none.md"))
    assert not stands(index, replace(good, check="verified_normalized", quote="Open the gate."))
    wrapped = text_of(engine, "docs/wrapped.md")
    start, end = wrapped.index("The value"), wrapped.index("two lines.") + 10
    loose = Citation(1, "c", "docs/wrapped.md", 'The value of this "thing" is written over two lines.',
                     (start, end), "verified_normalized")  # fmt: skip
    assert stands(index, loose) and not stands(index, replace(loose, check="verified"))


@pytest.mark.parametrize(
    ("gold", "question"),
    [
        (Gold("cross.md", "Open the door.\n\n## Next\n\nClose it again."), "How do I close it?"),
        (Gold("cross.md", "Open the door.\n\n## Next\n\nClose it again."), "How do I open the door?"),
        (Gold("table.md", "| paid | 5,000 a day |\n\nAfter it."), "What stands after it?"),
        (Gold("", "Say it once more."), "What do I say again?"),
        (Gold("wrapped.md", "is written over two lines."), "steps"),
    ],
)
def test_a_benchmark_and_a_diagnosis_find_a_piece_at_the_same_rank(
    engine: Engine, gold: Gold, question: str
) -> None:
    asked = Question("q", question, "full", (Piece("C1", "", (gold,)),))
    measured = bench.run(engine, [asked], answers=False).questions[0].pieces["C1"]
    piece = engine.diagnose(question, asked.pieces, k=1).pieces[0]
    assert piece.ranks == measured.ranks
    assert piece.k_needed == measured.rank is not None


def test_a_quote_over_two_chunks_is_found_by_the_first_and_whole_with_the_last(engine: Engine) -> None:
    gold = Gold("cross.md", "Open the door.\n\n## Next\n\nClose it again.")
    hits = engine.search("How do I open the door?", k=None).hits
    ranks = sorted(hit.rank for hit in hits if hit.document == "docs/b/cross.md")
    piece = engine.diagnose("How do I open the door?", [Piece("C1", "", (gold,))], k=1).pieces[0]
    assert (piece.layer, piece.k_needed, piece.k_whole) == ("cut_by_chunking", ranks[0], ranks[1])
    assert f"all of it from -k {ranks[1]} on" in piece.note


def test_another_tenants_documents_are_no_place_for_gold(tmp_path: Path) -> None:
    with make(tmp_path, {"a.md": "# A\n\nOnly the first house has this.\n"}) as engine:
        (tmp_path / "theirs").mkdir()
        (tmp_path / "theirs" / "b.md").write_text("# B\n\nOnly the second house has that.\n", "utf-8")
        engine.add([str(tmp_path / "theirs")], tenant="second")
        mine, theirs = Gold("a.md", "first house has this"), Gold("", "second house has that")
        for tenant, here, absent in ((None, mine, theirs), ("second", theirs, mine)):
            index = index_of(engine, tenant)
            assert len(index.places(here)) == 1 and index.why_not(here) == ""
            assert index.places(absent) == () and index.why_not(absent)
            assert index.document("docs/a.md") is None or tenant is None
