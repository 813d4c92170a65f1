"""Updating an index: only what changed, whole documents, nothing embedded twice, whatever stops a run."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from library import Counting, Library
from suffice import registry
from suffice.errors import EmbedderError, NotFound, StoreError, UsageError
from suffice.index import active, generation, generation_id, open_store, update
from suffice.settings import ChunkSettings, EmbedSettings, Settings


def page(*sections: str) -> str:
    return "# Page\n\n" + "\n\n".join(f"## Part {n}\n\n{text}" for n, text in enumerate(sections))


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / ".suffice")


def test_a_first_run_indexes_all_and_a_second_does_nothing(library: Library) -> None:
    library.put("a.md", page("Alpha is first.", "Beta is second."))
    library.put("b.md", page("Gamma is third."))
    report = library.index()
    assert report.indexed == ("a.md", "b.md")
    assert report.n_embedded == report.n_chunks == 3
    assert library.ws.active_generation().id == report.generation  # type: ignore[union-attr]
    again = library.index()
    assert (again.indexed, again.n_embedded, again.generation) == ((), 0, report.generation)


def test_equal_text_under_equal_headings_is_embedded_once(library: Library) -> None:
    for name in ("a.md", "b.md", "c.md"):
        library.put(name, page("The same words everywhere."))
    report = library.index()
    assert report.n_embedded == 1
    assert report.n_chunks == len(library.chunks()) == 3


def test_an_edit_embeds_the_edited_section_alone(library: Library) -> None:
    library.put("a.md", page(*(f"Section {n} has its own words." for n in range(9))))
    library.index()
    library.embedder.batches.clear()
    library.put("a.md", page(*(f"Section {n} has {'new' if n == 4 else 'its own'} words." for n in range(9))))
    library.index()
    assert len(library.embedder.texts) == 1
    assert "Section 4 has new words." in library.embedder.texts[0]


def test_text_that_comes_back_is_not_embedded_again(library: Library) -> None:
    library.put("a.md", page("Alpha."))
    library.index()
    library.remove("a.md")
    library.index()
    library.put("a.md", page("Alpha."))
    report = library.index()
    assert (report.n_embedded, report.n_reused) == (0, 1)


def test_a_file_that_cannot_be_read_is_listed_and_the_run_goes_on(library: Library) -> None:
    library.put("a.md", b"\x00\x01\x02\xff binary \x00" * 50)
    library.put("b.md", page("Alpha."))
    report = library.index()
    assert report.indexed == ("b.md",)
    assert [item.name for item in report.failures] == ["a.md"]
    assert [item.document for item in library.ws.parse_failures()] == ["a.md"]
    assert library.index().failures == ()  # the same bytes are not tried again


def test_bytes_that_are_gone_or_damaged_are_listed_and_the_run_goes_on(library: Library) -> None:
    for name in ("a.md", "b.md", "c.md"):
        library.put(name, page(f"Words of {name}."))
    files = {row.name: library.ws.blobs.path(row.file.sha256) for row in library.ws.documents()}
    files["a.md"].unlink()
    files["b.md"].write_bytes(b"other")
    report = library.index()
    assert report.indexed == ("c.md",)
    assert [item.name for item in report.failures] == ["a.md", "b.md"]


def test_a_document_that_loses_all_its_text_is_out_of_the_index(library: Library) -> None:
    library.put("a.md", page("Alpha."))
    library.index()
    library.put("a.md", "")
    assert library.index().indexed == ("a.md",)
    assert library.chunks() == {}
    assert library.search("alpha").hits == ()


def test_a_heading_with_nothing_below_is_not_indexed(library: Library) -> None:
    library.put("a.md", "# Page\n\n## Empty\n\n## Full\n\nWords.\n\n## Last")
    library.index()
    assert [text.splitlines()[-1] for text in library.chunks().values()] == ["Words."]


class Stopping(Counting):
    """Raises `error` at the nth batch."""

    def __init__(self, at: int, error: BaseException) -> None:
        super().__init__()
        self.at, self.error = at, error

    def embed_passages(self, texts: Sequence[str], progress: Any = None) -> Any:
        if len(self.batches) == self.at:
            raise self.error
        return super().embed_passages(texts, progress)


@pytest.mark.parametrize("at", [0, 1, 5, 9])
def test_ctrl_c_keeps_what_was_embedded_and_the_old_text(library: Library, at: int) -> None:
    library.put("a.md", page("Old."))
    library.index()
    old = library.chunks()
    library.put("a.md", page(*(f"New section {n}." for n in range(10))))
    stopped = Stopping(at, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        update(library.ws, library.settings, stopped, batch=1)  # type: ignore[arg-type]
    assert library.chunks() == old
    assert {hit.text for hit in library.search("new section").hits} == set(old.values())
    report = library.index(batch=1)
    assert report.n_embedded == 10 - at
    assert len(library.chunks()) == 10


def test_one_text_that_the_embedder_refuses_costs_one_document(library: Library) -> None:
    class Picky(Counting):
        def embed_passages(self, texts: Sequence[str], progress: Any = None) -> Any:
            if any("poison" in text for text in texts):
                raise EmbedderError("it holds poison")
            return super().embed_passages(texts, progress)

    library.embedder = Picky()
    library.put("a.md", page("Good words.", "A drop of poison."))
    library.put("b.md", page("Better words."))
    report = library.index()
    assert report.indexed == ("b.md",)
    assert report.failures[0].name == "a.md"
    assert "poison" in report.failures[0].reason


def test_an_embedder_that_takes_nothing_stops_the_run_and_blames_no_document(library: Library) -> None:
    library.put("a.md", page("Alpha."))
    with pytest.raises(EmbedderError, match="no model"):
        update(library.ws, library.settings, Stopping(0, EmbedderError("no model")))  # type: ignore[arg-type]
    assert library.ws.parse_failures() == ()
    assert library.index().indexed == ("a.md",)


def test_a_document_removed_while_it_is_embedded_stays_removed(library: Library) -> None:
    class Slow(Counting):
        def embed_passages(self, texts: Sequence[str], progress: Any = None) -> Any:
            library.remove("a.md")
            return super().embed_passages(texts, progress)

    library.put("a.md", page("Alpha."))
    library.embedder = Slow()
    assert library.index().indexed == ()
    assert library.chunks() == {}


def test_other_settings_are_another_generation_that_serves_when_complete(library: Library) -> None:
    long = "Words that go on and on for quite a while. " * 20
    library.put("a.md", page(long))
    first = library.index().generation
    other = Settings(embed=EmbedSettings(part_chars=200), chunk=ChunkSettings(max_chars=300))
    with pytest.raises(KeyboardInterrupt):
        update(library.ws, other, Stopping(1, KeyboardInterrupt()), batch=1)  # type: ignore[arg-type]
    assert active(library.ws).id == first
    second = update(library.ws, other, library.embedder).generation
    assert active(library.ws).id == second != first
    assert {row.id for row in library.ws.generations()} == {first, second}


def test_the_id_of_a_generation_follows_what_its_vectors_depend_on(library: Library) -> None:
    base = generation_id(library.settings, library.embedder)
    assert base == generation(library.ws, library.settings, library.embedder).id
    assert len(base) == 12
    assert base == generation_id(Settings(embed=EmbedSettings(threads=2)), library.embedder)
    assert base != generation_id(Settings(embed=EmbedSettings(part_chars=700)), library.embedder)
    assert base != generation_id(Settings(chunk=ChunkSettings(max_chars=2000)), library.embedder)
    assert base != generation_id(library.settings, registry.create("embedder", "hashing", dim=64))


def test_another_embedder_than_the_index_was_made_by_is_refused(library: Library) -> None:
    with pytest.raises(NotFound, match="suffice add"):
        active(library.ws)
    library.put("a.md", page("Alpha."))
    library.index()
    with pytest.raises(UsageError, match="never meet"):
        active(library.ws, registry.create("embedder", "hashing", dim=64))


@pytest.mark.parametrize("damage", ["gone", "damaged", "stale"])
def test_arrays_are_made_again_from_the_record(library: Library, damage: str) -> None:
    library.put("a.md", page(*(f"Section {n} stands here." for n in range(5))))
    generation_now = library.index().generation
    before = library.search("section 3 stands")
    library.embedder.batches.clear()
    if damage == "gone":
        shutil.rmtree(library.ws.segments)
    elif damage == "damaged":
        for vectors in library.ws.segments.rglob("vectors.npy"):
            vectors.write_bytes(b"\0" * 10)
    else:
        open_store(library.ws, generation_now, library.settings).build([], "old", library.embedder.dim)
    assert library.search("section 3 stands") == before
    assert library.embedder.texts == []


def test_a_vector_that_the_record_lost_is_an_error_that_says_what_to_do(library: Library) -> None:
    library.put("a.md", page("Alpha."))
    library.index()
    with library.ws.writing() as db:
        db.execute("DELETE FROM vector")
    shutil.rmtree(library.ws.segments)
    with pytest.raises(StoreError, match="suffice update"):
        library.searcher()


def test_progress_counts_documents_up_to_all_of_them(library: Library) -> None:
    for number in range(7):
        library.put(f"{number}.md", page(f"Text {number}.", f"More {number}."))
    seen: list[tuple[str, int, int]] = []
    library.index(progress=lambda *step: seen.append(step), batch=2)
    done = [step[1] for step in seen]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, 7)
    assert {step[2] for step in seen} == {7}
    assert len(set(done)) > 3


def test_a_search_for_words_of_the_heading_alone_finds_the_section(library: Library) -> None:
    library.put("a.md", "# Manual\n\n## Refunds\n\nWithin two weeks.\n\n## Returns\n\nBy parcel.")
    library.index()
    assert library.search("refunds", 1, "lexical").hits[0].text.endswith("Within two weeks.")
    assert np.isfinite(library.search("refunds", 1).hits[0].score)
