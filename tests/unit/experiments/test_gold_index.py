"""Gold is found where it stands, counts by overlap, and is an error of the benchmark where it is not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from bench_library import make

from suffice.engine import Engine
from suffice.experiments.gold import GoldIndex, first_rank, holds, overlaps
from suffice.experiments.suite import Question
from suffice.gold import Gold, Piece
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


def question(*golds: Gold) -> Question:
    return Question("q", "Why?", "full", (Piece("C1", "", golds),))


@pytest.mark.parametrize("doc", ["docs/a/twice.md", "twice.md", "corpus/docs/a/twice.md", "./a/twice.md"])
def test_a_document_is_known_by_its_name_or_the_end_of_it(engine: Engine, doc: str) -> None:
    found = GoldIndex(engine).find(question(Gold(doc, "Say it once more.")))
    assert not found.errors
    text = GoldIndex(engine).text("docs/a/twice.md")
    spans = found.places["C1"]["docs/a/twice.md"]
    assert [text[slice(*span)] for span in spans] == ["Say it once more."] * 2, "either place will do"


@pytest.mark.parametrize("doc", ["wice.md", "b/twice.md", "missing.md"])
def test_a_name_that_only_looks_alike_is_no_document(engine: Engine, doc: str) -> None:
    found = GoldIndex(engine).find(question(Gold(doc, "Say it once more.")))
    assert [error.reason for error in found.errors] == [f"the corpus holds no document {doc!r}"]
    assert not found.places


def test_a_quote_that_is_not_there_is_an_error_and_no_place(engine: Engine) -> None:
    index = GoldIndex(engine)
    found = index.find(
        question(Gold("twice.md", "Say it twice more."), Gold("twice.md", "Say it once more."))
    )
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
    found = GoldIndex(engine).find(question(Gold("wrapped.md", quote)))
    (span,) = found.places["C1"]["docs/wrapped.md"]
    assert GoldIndex(engine).text("docs/wrapped.md")[slice(*span)].endswith(("two lines.", "two lines"))


def test_rows_of_a_table_and_a_quote_over_two_sections_are_found_by_overlap(engine: Engine) -> None:
    index = GoldIndex(engine)
    row = index.find(question(Gold("table.md", "| free | 100 a day |\n| paid | 5,000 a day |"))).places["C1"]
    cross = index.find(question(Gold("cross.md", "Open the door.\n\n## Next\n\nClose it"))).places["C1"]
    hits = engine.search("open door close plans", k=None).hits
    assert {hit.document for hit in hits if holds(hit, row)} == {"docs/a/table.md"}
    assert len([hit for hit in hits if holds(hit, cross)]) == 2, "both sections that the quote touches"
    rank = first_rank(hits, cross)
    assert rank is not None and holds(hits[rank - 1], cross)
    assert not any(holds(hit, cross) for hit in hits[: rank - 1])


def test_a_chunk_given_twice_takes_one_place(engine: Engine) -> None:
    places = GoldIndex(engine).find(question(Gold("cross.md", "Close it again."))).places["C1"]
    hits = engine.search("close it again", k=None).hits
    other = next(hit for hit in hits if not holds(hit, places))
    wanted = next(hit for hit in hits if holds(hit, places))
    assert first_rank((other, other, other, wanted), places) == 2
    assert first_rank((other,), places) is None


def test_spans_are_half_open() -> None:
    assert overlaps((3, 5), [(4, 9)]) and overlaps((3, 9), [(4, 5)])
    assert not overlaps((3, 5), [(5, 9)]) and not overlaps((5, 9), [(3, 5)]) and not overlaps((3, 5), [])


def test_a_citation_is_looked_up_again_whatever_it_says_of_itself(engine: Engine) -> None:
    index = GoldIndex(engine)
    text = index.text("docs/b/cross.md")
    at = text.index("Open the door.")
    good = Citation(1, "c", "docs/b/cross.md", "Open the door.", (at, at + 14), "verified")
    assert index.stands(good)
    assert not index.stands(replace(good, quote="Open the dorr."))
    assert not index.stands(replace(good, span=(at + 1, at + 15)))
    assert not index.stands(replace(good, document="docs/b/none.md"))
    assert not index.stands(replace(good, check="verified_normalized", quote="Open the gate."))
    wrapped = index.text("docs/wrapped.md")
    start, end = wrapped.index("The value"), wrapped.index("two lines.") + 10
    loose = Citation(1, "c", "docs/wrapped.md", 'The value of this "thing" is written over two lines.',
                     (start, end), "verified_normalized")  # fmt: skip
    assert index.stands(loose) and not index.stands(replace(loose, check="verified"))
