"""Searching a workspace: modes, ranks and their sources, tenants, filters, what is gone is gone at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from library import Library
from suffice.errors import FilterError, UsageError
from suffice.retrieve.score import only_identifiers
from suffice.retrieve.search import Searcher
from suffice.settings import SearchSettings, Settings
from suffice.values import Filter, Mode

MODES: tuple[Mode, ...] = ("hybrid", "dense", "lexical")
TEXTS = {
    "apples.md": "# Apples\n\nApples are stored in cold rooms near the harbour.",
    "pears.md": "# Pears\n\nPears ripen at room temperature in paper bags.",
    "plums.md": "# Plums\n\nPlums are dried in the sun for nine days.",
    "codes.md": "# Codes\n\nThe scanner shows E_COLD_ROOM when a door stands open.",
    "rooms.md": "# Rooms\n\nA cold room has a cold door; room by room, E stands for east and cold for cold.",
}


def replace_search(library: Library, **values: Any) -> Settings:
    return msgspec.structs.replace(library.settings, search=SearchSettings(**values))


@pytest.fixture
def library(tmp_path: Path) -> Library:
    made = Library(tmp_path / ".suffice")
    for name, text in TEXTS.items():
        made.put(name, text, meta={"fruit": name in ("apples.md", "pears.md", "plums.md")})
    made.index()
    return made


def test_each_mode_names_itself_and_hybrid_shows_where_its_hits_came_from(library: Library) -> None:
    for mode in MODES:
        ranking = library.search("cold rooms near the harbour", mode=mode)
        assert (ranking.scorer, ranking.depth, ranking.query) == (mode, 5, "cold rooms near the harbour")
        assert ranking.hits[0].document == "apples.md"
        assert [hit.rank for hit in ranking.hits] == list(range(1, len(ranking.hits) + 1))
        scores = [hit.score for hit in ranking.hits]
        assert scores == sorted(scores, reverse=True)
        assert all(hit.scores[mode] == hit.score and hit.ranks[mode] == hit.rank for hit in ranking.hits)
    hybrid = {hit.chunk_id: hit for hit in library.search("cold rooms near the harbour").hits}
    for mode in MODES[1:]:
        for hit in library.search("cold rooms near the harbour", mode=mode).hits:
            assert hybrid[hit.chunk_id].ranks[mode] == hit.rank
            assert hybrid[hit.chunk_id].scores[mode] == hit.score
            assert hit.ranks["hybrid"] is None
            assert hit.scores["hybrid"] is None


def test_what_shares_no_word_is_not_ranked_by_words(library: Library) -> None:
    found = library.search("harbour", mode="lexical").hits
    assert [hit.document for hit in found] == ["apples.md"]
    assert library.search("zeppelin", mode="lexical").hits == ()
    for hit in library.search("zeppelin").hits:
        assert hit.ranks["lexical"] is None
        assert hit.scores["lexical"] is None
        assert hit.ranks["hybrid"] == hit.ranks["dense"]


def test_a_hit_is_a_place_in_the_document(library: Library) -> None:
    hit = library.search("nine days", 1).hits[0]
    document = library.ws.document(None, "plums.md")
    assert document is not None
    text = library.ws.blobs.get(document.file.sha256).decode()
    assert text[hit.span[0] : hit.span[1]] == hit.text
    assert (hit.sha256, hit.snapshot, hit.title) == (document.file.sha256, document.snapshot, "Plums")


def test_k_cuts_the_same_order_and_none_is_all(library: Library) -> None:
    whole = library.search("cold door").hits
    assert len(whole) == 5
    for k in (1, 2, 4, 5, 99):
        assert library.search("cold door", k).hits == whole[:k]


def test_the_statistics_are_of_all_that_was_scored(library: Library) -> None:
    ranking = library.search("cold door", 1)
    cosines = [hit.scores["dense"] for hit in library.search("cold door").hits]
    assert ranking.stats["dense_mean"] == pytest.approx(np.mean(cosines))  # type: ignore[arg-type]
    assert ranking.stats["dense_max"] == max(cosines)  # type: ignore[type-var]
    assert ranking.stats["dense_n"] == 5
    assert ranking.stats["lexical_n"] == len(library.search("cold door", mode="lexical").hits) < 5
    assert "lexical_mean" not in library.search("zeppelin").stats


@pytest.mark.parametrize(("k", "mode"), [(0, "hybrid"), (-3, "dense"), (5, "fuzzy")])
def test_bounds_and_modes_are_refused_in_words(library: Library, k: int, mode: Mode) -> None:
    with pytest.raises(UsageError):
        library.search("cold", k, mode)


def test_a_query_of_white_space_is_refused(library: Library) -> None:
    with pytest.raises(UsageError, match="empty"):
        library.search(" \n\t")


@pytest.mark.parametrize("query", ["\x00", "?!", "🦊", "\ud800", "x" * 20_000, "AND OR NOT (", '"', "*"])
def test_any_other_string_gives_a_ranking(library: Library, query: str) -> None:
    for mode in MODES:
        assert library.search(query, 3, mode).depth == 5


# --- tenants and filters ------------------------------------------------------------------


def test_no_tenant_sees_anothers_documents_or_feels_their_statistics(library: Library) -> None:
    before = {mode: library.search("cold room door", mode=mode) for mode in MODES}
    for number in range(30):
        library.put(
            f"{number}.md", f"# Cold\n\nCold room door number {number}, cold and cold.", tenant="other"
        )
    library.put("apples.md", "# Apples\n\nAnother team's apples.", tenant="other")
    library.index()
    for mode in MODES:
        assert library.search("cold room door", mode=mode) == before[mode]
    theirs = library.search("apples", filter=Filter("other"))
    assert theirs.depth == 31
    assert {hit.text for hit in theirs.hits} & {hit.text for hit in library.search("apples").hits} == set()
    assert library.search("apples", filter=Filter("third")).hits == ()
    assert library.search("apples", filter=Filter("third")).depth == 0


def test_filters_decide_before_ranking(library: Library) -> None:
    for mode in MODES:
        found = library.search("room", 1, mode, library.where("fruit=true"))
        assert found.hits[0].document == "pears.md"
        assert found.depth == 3
    only = library.search("room", filter=library.where("path=p*.md", "fruit=true"))
    assert {hit.document for hit in only.hits} == {"pears.md", "plums.md"}
    titled = library.search("room", filter=library.where("title^=P", "title!=Pears"))
    assert {hit.document for hit in titled.hits} == {"plums.md"}


# --- identifiers --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("E_COLD_ROOM", True),
        ("what is E_COLD_ROOM?", True),
        ("E_COLD_ROOM 是什么？", True),
        ("`cold room`", True),
        ("v1.2.3", True),
        ("why does the scanner show E_COLD_ROOM", False),
        ("cold room", False),
        ("?", False),
    ],
)
def test_only_identifiers(query: str, expected: bool) -> None:
    assert only_identifiers(query) is expected


@pytest.mark.parametrize("fusion", ["zscore", "rrf"])
def test_the_page_with_the_exact_code_leads_whatever_the_dense_leg_says(
    library: Library, fusion: str
) -> None:
    searcher = library.searcher(replace_search(library, fusion=fusion))
    inner = searcher.store
    owners = [key.document for key in library.ws.chunk_keys(searcher.generation)]

    class Misled:
        """Its dense leg puts the page with the code last."""

        def __getattr__(self, name: str) -> Any:
            return getattr(inner, name)

        def dense(self, *_: Any) -> Any:
            return np.array([0.1 if owner == "codes.md" else 0.9 for owner in owners])

    searcher.store = Misled()  # type: ignore[assignment]
    assert searcher.search("what is E_COLD_ROOM?").hits[0].document == "codes.md"
    assert searcher.search("why does a door show east").hits[0].document != "codes.md"


def test_reciprocal_fusion_keeps_cosine_and_fused_score_apart(library: Library) -> None:
    hit = (
        library.searcher(replace_search(library, fusion="rrf"))
        .search("cold rooms near the harbour", 1)
        .hits[0]
    )
    assert hit.score == pytest.approx(2 / 61)
    assert hit.scores["dense"] != hit.score
    assert 0 < hit.scores["dense"] <= 1  # type: ignore[operator]


# --- what is gone is gone -----------------------------------------------------------------


def test_a_removed_document_is_in_no_ranking_of_a_searcher_that_was_open(library: Library) -> None:
    searcher = library.searcher()
    assert searcher.search("apples", 1).hits[0].document == "apples.md"
    library.remove("apples.md")
    for mode in MODES:
        ranking = searcher.search("apples", mode=mode)
        assert "apples.md" not in {hit.document for hit in ranking.hits}
        assert ranking.depth == 4


def test_what_is_removed_between_scoring_and_showing_is_not_shown(library: Library) -> None:
    searcher = library.searcher()
    store = searcher.store

    class Late:
        """Removes a document after the store has scored it."""

        def __getattr__(self, name: str) -> object:
            return getattr(store, name)

        def lexical(self, *arguments: object) -> object:
            scores = store.lexical(*arguments)  # type: ignore[arg-type]
            library.remove("apples.md")
            return scores

    late = Searcher(library.ws, Late(), library.embedder, library.settings, searcher.generation)  # type: ignore[arg-type]
    hits = late.search("apples", 3).hits
    assert "apples.md" not in {hit.document for hit in hits}
    assert [hit.rank for hit in hits] == [1, 2, 3]


def test_a_changed_document_shows_its_old_text_until_it_is_indexed_and_never_both(library: Library) -> None:
    library.put("apples.md", "# Apples\n\nApples are now kept in the cellar.")
    assert "harbour" in library.search("apples", 1).hits[0].text
    library.index()
    found = [hit.text for hit in library.search("apples").hits if hit.document == "apples.md"]
    assert len(found) == 1
    assert "cellar" in found[0]


# --- batches and switches -----------------------------------------------------------------


def test_many_queries_are_embedded_in_one_call_and_ranked_each_alone(library: Library) -> None:
    queries = ["cold door", "ripe pears", "E_COLD_ROOM", "sun"]
    alone = tuple(library.search(query, 3) for query in queries)
    calls = []
    inner = library.embedder.inner.embed_queries
    library.embedder.embed_queries = lambda texts: calls.append(texts) or inner(texts)
    assert library.searcher().search_many(queries, 3) == alone
    assert len(calls) == 1
    assert library.searcher().search_many([]) == ()


def test_lexical_searches_need_no_embedder(library: Library) -> None:
    open_one = library.searcher()
    searcher = Searcher(library.ws, open_one.store, None, library.settings, open_one.generation)
    assert searcher.search("harbour", mode="lexical").hits
    with pytest.raises(UsageError, match="embedder"):
        searcher.search("harbour")


def test_deduplication_is_a_switch_and_off(library: Library) -> None:
    for name in ("one.md", "two.md"):
        library.put(name, "# Same\n\nThe very same sentence stands here.")
    library.index()
    plain = library.search("very same sentence").hits
    assert len([hit for hit in plain if "very same" in hit.text]) == 2
    settings = replace_search(library, dedup=True)
    hits = library.searcher(settings).search("very same sentence").hits
    assert len([hit for hit in hits if "very same" in hit.text]) == 1
    assert [hit.rank for hit in hits] == list(range(1, 7))


def test_mmr_is_a_switch_whose_share_of_one_changes_nothing(library: Library) -> None:
    for number in range(3):
        library.put(
            f"{number}.md", f"# Same {number}\n\nCold doors of cold rooms at the harbour, copy {number}."
        )
    library.index()
    plain = library.search("cold doors of cold rooms").hits
    same = library.searcher(replace_search(library, mmr=1.0)).search("cold doors of cold rooms").hits
    assert same == plain
    varied = library.searcher(replace_search(library, mmr=0.3)).search("cold doors of cold rooms").hits
    assert varied[0] == plain[0]
    assert {hit.chunk_id for hit in varied} == {hit.chunk_id for hit in plain}
    assert [hit.chunk_id for hit in varied] != [hit.chunk_id for hit in plain]
    before = {hit.chunk_id: hit.rank for hit in plain}
    assert all(hit.ranks["hybrid"] == before[hit.chunk_id] for hit in varied)


def test_a_key_that_no_document_has_is_refused_and_the_keys_there_are_are_named(library: Library) -> None:
    library.put("team.md", "# Team\n\nKeys of the team.\n", meta={"team": "billing", "year": 2024})
    library.put("theirs.md", "# Theirs\n\nKeys of theirs.\n", tenant="acme", meta={"secret": "x"})
    library.index()
    for where in ("taem=billing", "secret=x", "month>3", "taem in a,b", "taem^=b"):
        key = where.replace(">", " ").replace("=", " ").replace("^", " ").split()[0]
        with pytest.raises(FilterError, match=f"no document has the key {key!r}") as refused:
            library.search("keys", filter=library.where(where))
        assert str(refused.value).endswith("there are: path, fruit, team, title, year")
    assert not library.search("keys", filter=library.where("team=none")).hits, "a value may well be of none"
    assert library.search("keys", filter=library.where("taem!=billing")).hits, "all documents fit this"
    assert not library.search("keys", filter=library.where("taem=x", tenant="empty")).hits


@pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
def test_a_tenant_without_a_name_is_refused(library: Library, mode: Mode) -> None:
    with pytest.raises(UsageError, match="a tenant's name is empty"):
        library.search("keys", mode=mode, filter=library.where(tenant=""))
