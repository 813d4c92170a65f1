"""Diagnosis over a small corpus: ranks, what stands above, repairs, and answers given earlier."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from late_library import LateCounting
from suffice.diagnose import LAYERS, Diagnosis
from suffice.engine import Engine
from suffice.errors import NotFound, UsageError
from suffice.gold import Gold, Piece
from suffice.settings import load

PAGES = {
    "keys.md": "# Keys\n\n## Set a key\n\nRun `harbor key put NAME` to set a key.\n\n## Rotate a key\n\n"
    "A key is rotated by setting it again.\n",
    "plans.md": "# Plans\n\nThe free plan keeps logs for 30 days.\n\n## Paid\n\n"
    "The paid plan keeps logs for 400 days.\n",
    "logs.md": "# Logs\n\nLog levels are debug, info and error.\n\n## Export\n\n"
    "Exported logs are encrypted.\n",
    "copy.md": "# Copy\n\nLog levels are debug, info and error.\n",
    "vars.md": "# Variables\n\nVariables stand under `[vars]` in the file harbor.toml and are not secret.\n",
}
QUESTION = "How do I set a key, and how long does the free plan keep logs?"
SET = Piece("C1", "set", (Gold("keys.md", "Run `harbor key put NAME` to set a key."),))
KEPT = Piece("C2", "kept", (Gold("plans.md", "The free plan keeps logs for 30 days."),))
VARS = Piece("C3", "vars", (Gold("vars.md", "are not secret"),))


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    for name, text in PAGES.items():
        path = tmp_path / "pages" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    with Engine.open(tmp_path / "ws", load(None, {}, {"embed.name": "hashing"}), create=True) as opened:
        opened.add([str(tmp_path / "pages")])
        yield opened


def test_ranks_are_those_of_a_search_of_the_whole_corpus(engine: Engine) -> None:
    found = engine.diagnose("Which variables are not secret?", [VARS, SET], mode="dense")
    hits = engine.search("Which variables are not secret?", k=None).hits
    for piece in found.pieces:
        hit = next(hit for hit in hits if hit.chunk_id == piece.chunk_id)
        assert piece.ranks == {mode: hit.ranks[mode] for mode in ("dense", "lexical", "hybrid")}
    assert found.depth == len(hits)
    assert found.mode == "dense"


def test_k_needed_is_the_smallest_k_that_brings_the_piece(engine: Engine) -> None:
    found = engine.diagnose(QUESTION, [SET, KEPT, VARS], k=1)
    for piece in found.pieces:
        assert piece.k_needed is not None
        for k in (piece.k_needed, piece.k_needed - 1):
            if k:
                evidence = engine.ask(QUESTION, k=k).evidence
                assert (piece.chunk_id in [hit.chunk_id for hit in evidence]) is (k == piece.k_needed)


def test_what_stands_above_holds_no_piece_and_says_why(engine: Engine) -> None:
    piece = next(iter(engine.diagnose("How are logs exported and kept?", [VARS], k=1).pieces))
    assert 1 <= len(piece.outranked_by) <= 5
    assert [other.rank for other in piece.outranked_by] == sorted(other.rank for other in piece.outranked_by)
    assert all(other.chunk_id != piece.chunk_id and other.why for other in piece.outranked_by)
    words = {term.term for other in piece.outranked_by for term in other.terms}
    assert "logs" in words
    assert all(term.wrong >= 0 and term.right >= 0 for other in piece.outranked_by for term in other.terms)


def test_of_several_places_the_one_ranked_best_is_explained(engine: Engine) -> None:
    """What stands above the others says nothing of the rank that is shown."""
    question = "How do I set a key, and how long does the free plan keep logs?"
    either = Piece("C1", "", (*VARS.evidence, *SET.evidence, *KEPT.evidence))
    piece = engine.diagnose(question, [either], k=1).pieces[0]
    rank = piece.ranks["hybrid"]
    assert rank is not None
    assert all(other.rank < rank for other in piece.outranked_by)
    assert len(piece.outranked_by) == min(rank - 1, 5)


def test_the_best_off_place_decides(engine: Engine) -> None:
    either = Piece("C1", "", (Gold("absent.md", "nothing"), *SET.evidence, Gold("keys.md", "no such words")))
    assert engine.diagnose("How do I set a key?", [either]).pieces[0].document == "pages/keys.md"
    nowhere = Piece("C1", "", (Gold("absent.md", "Log levels are debug, info and error."),))
    found = engine.diagnose("log levels", [nowhere]).pieces[0]
    assert found.layer == "not_in_corpus"
    assert "the same words stand in pages/" in found.note
    unheld = engine.diagnose("log levels", [Piece("C1", "")]).pieces[0]
    assert (unheld.layer, unheld.k_needed) == ("not_in_corpus", None)


def test_a_document_that_has_it_word_for_word_is_meant(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "pages" / "loose.md").write_text("# Loose\n\nSee Set a key.\n", "utf-8")
    (tmp_path / "pages" / "exact.md").write_text("# Exact\n\nSee [Set a key](keys.md#set).\n", "utf-8")
    engine.update()
    piece = Piece("C1", "", (Gold("", "See [Set a key](keys.md#set)."),))
    assert engine.diagnose("See", [piece]).pieces[0].document == "pages/exact.md"


def test_every_repair_is_run_or_says_why_not(engine: Engine) -> None:
    found = engine.diagnose(QUESTION, [SET, KEPT, VARS], k=2, repairs=True)
    names = {repair.name for repair in found.repairs}
    switches = {"top_k", "deduplication", "mmr", "rerank", "page_aggregation", "dense_only", "lexical_only"}
    assert names >= switches | {"query_split", "query_rewrite", "embedder", "chunk_size", "suggestion"}
    before = {piece.id: piece.k_needed for piece in found.pieces}
    for repair in found.repairs:
        assert repair.ranks_before == before
        if not repair.was_run:
            assert repair.judgement.startswith("not run: ")
            assert len(repair.judgement) > 15
            continue
        assert repair.judgement in ("helps", "no change", "hurts")
        assert set(repair.ranks) == {"C1", "C2", "C3"}
        k = repair.setting["k"] if repair.name == "top_k" else 2
        held = sum(rank is not None and rank <= k for rank in repair.ranks.values())  # type: ignore[operator]
        assert repair.coverage_after == round(held / 3, 4)
    deepest = max(rank or 0 for rank in before.values())
    top = {repair.setting["k"]: repair for repair in found.repairs if repair.name == "top_k"}
    assert top[50].judgement == "helps" if deepest > 2 else "no change"
    assert all(repair.ranks == before for repair in top.values())


def test_none_helped_is_a_result(engine: Engine) -> None:
    absent = Piece("C1", "", (Gold("", "words that stand nowhere at all"),))
    found = engine.diagnose("How do I set a key?", [absent], repairs=True)
    assert "None of the" in found.judgement
    assert {repair.judgement for repair in found.repairs if repair.was_run} == {"no change"}


def test_deduplication_gives_the_place_of_a_repeated_text_to_the_next(engine: Engine) -> None:
    found = engine.diagnose("log levels debug info error", [SET], k=3, repairs=True)
    repair = next(one for one in found.repairs if one.name == "deduplication")
    before = repair.ranks_before["C1"]
    assert before is not None
    assert repair.ranks["C1"] in (before, before - 1)
    hits = engine.search("log levels debug info error", k=None).hits
    copies = [hit.rank for hit in hits if "debug, info" in hit.text]
    texts = {hit.text for hit in hits if "debug, info" in hit.text}
    assert len(copies) == 2
    if len(texts) == 1:
        assert repair.ranks["C1"] == before - 1


def test_chunks_of_another_size_are_ranked_by_their_own_places(tmp_path: Path) -> None:
    text = "# Long\n\n" + "\n\n".join(f"Paragraph {n} says that value {n} is {n * 7}." * 6 for n in range(8))
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "long.md").write_text(text, "utf-8")
    settings = load(None, {}, {"embed.name": "hashing", "chunk.max_chars": 800})
    with Engine.open(tmp_path / "ws", settings, create=True) as engine:
        engine.add([str(tmp_path / "pages")])
        piece = Piece("C1", "", (Gold("long.md", "Paragraph 6 says that value 6 is 42."),))
        found = engine.diagnose("What is value 6?", [piece], k=1, repairs=True)
        repair = next(one for one in found.repairs if one.name == "chunk_size")
        assert repair.setting == {"max_chars": 400}
        assert repair.was_run
        assert repair.ranks["C1"] is not None


def test_without_a_filter_is_a_repair_where_there_is_one(engine: Engine) -> None:
    found = engine.diagnose("How do I set a key?", [SET], where=["path=*plans.md"], repairs=True)
    assert found.pieces[0].layer == "filtered_out"
    repair = next(one for one in found.repairs if one.name == "without_filter")
    assert (repair.ranks_before["C1"], repair.ranks["C1"]) == (None, 1)
    assert repair.judgement == "helps"


# --- answers given earlier ----------------------------------------------------------------------


def test_every_ask_leaves_a_trace_and_a_diagnosis_leaves_none(engine: Engine) -> None:
    answer = engine.ask(QUESTION, k=3)
    engine.diagnose(QUESTION, [SET])
    traces = list(engine.journal.each("trace"))
    assert [entry.id for entry in traces] == [answer.id]
    assert traces[0].payload["settings"] == engine.settings.fingerprint()
    assert traces[0].payload["generation"] == answer.generation
    assert traces[0].payload["status"] == answer.status
    assert traces[0].payload["timings_ms"]["total"] > 0
    rankings = traces[0].payload["rankings"]
    assert rankings[0]["query"] == QUESTION
    hits = engine.search(QUESTION, k=None).hits
    assert rankings[0]["chunk_ids"] == [hit.chunk_id for hit in hits][:50]
    assert len(rankings) == 1 + len(answer.verdict.needs)
    assert engine.journal.last("answer").id == answer.id  # type: ignore[union-attr]


def same(one: Diagnosis, other: Diagnosis) -> bool:
    return [(p.layer, p.k_needed, p.ranks) for p in one.pieces] == [
        (p.layer, p.k_needed, p.ranks) for p in other.pieces
    ]


def test_an_answer_is_explained_as_it_was_while_nothing_has_changed(engine: Engine) -> None:
    answer = engine.ask(QUESTION, k=3)
    now, then = (
        engine.diagnose(QUESTION, [SET, KEPT, VARS], k=3),
        engine.explain(answer.id, [SET, KEPT, VARS]),
    )
    assert same(now, then)
    assert (then.answer, then.changes, then.k) == (answer.id, (), 3)


def test_what_has_changed_since_is_said_and_its_evidence_still_counts(engine: Engine, tmp_path: Path) -> None:
    answer = engine.ask("How do I set a key?", k=3)
    before = engine.explain(answer.id, [SET]).pieces[0]
    (tmp_path / "pages" / "more.md").write_text("# More\n\nSet a key, set a key, set a key.\n", "utf-8")
    engine.update()
    then = engine.explain(answer.id, [SET])
    assert (then.pieces[0].layer, then.pieces[0].k_needed) == (before.layer, before.k_needed)
    assert any("documents have changed" in change for change in then.changes)
    engine.settings = load(None, {}, {"embed.name": "hashing", "gate.threshold": 0.5})
    assert any("settings were" in change for change in engine.explain(answer.id, [SET]).changes)


def test_a_document_that_was_removed_since_is_not_in_the_corpus_now(engine: Engine) -> None:
    answer = engine.ask("How do I set a key?", k=3)
    engine.remove(["pages/keys.md"])
    found = engine.explain(answer.id, [SET])
    assert found.pieces[0].layer == "not_in_corpus"
    assert "removed it on" in found.pieces[0].note
    assert found.changes


def test_an_unknown_answer_and_no_pieces_are_wrong_usage(engine: Engine) -> None:
    with pytest.raises(NotFound, match="no answer has the id"):
        engine.explain("0123456789ab", [SET])
    with pytest.raises(UsageError, match="nothing to look for"):
        engine.diagnose("How?", [])


def test_layers_are_those_of_the_contract_in_their_order() -> None:
    assert LAYERS == (
        "not_in_corpus", "lost_in_parsing", "cut_by_chunking", "not_embedded", "filtered_out", "deep",
        "just_outside_k", "unrecognised_by_gate", "unused_by_answer", "answered",
    )  # fmt: skip


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("options", [{}, {"search.fusion": "rrf"}, {"search.mmr": 0.3}])
def test_the_parts_shown_add_up_to_the_difference_of_the_scores(
    tmp_path: Path, options: dict[str, object], late: bool
) -> None:
    """So that what is said to put a chunk above another is really what put it there."""
    (tmp_path / "pages").mkdir()
    for number in range(70):  # more chunks than late interaction looks at
        words = " ".join(f"word{(number * step) % 9}" for step in range(1, 12))
        (tmp_path / "pages" / f"p{number}.md").write_text(
            f"# Page {number}\n\n{words}, said page {number}.\n"
        )
    settings = load(None, {}, {"embed.name": "hashing", **options})
    with Engine.open(tmp_path / "ws", settings, create=True) as engine:
        if late:
            engine.__dict__["embedder"] = LateCounting()
        engine.add([str(tmp_path / "pages")])
        question = "What do word1 and word4 and page say?"
        hits = engine.search(question, k=None).hits
        by_id = {hit.chunk_id: hit for hit in hits}
        for rank in (8, 40, 66):
            right = hits[rank - 1]
            piece = Piece("C1", "", (Gold(right.document, right.text.strip()),))
            others = engine.diagnose(question, [piece], k=1).pieces[0].outranked_by
            assert [other.rank for other in others] == list(range(rank - 5, rank))
            for other in others:
                assert (other.late is not None) is late
                total = (other.dense or 0) + (other.lexical or 0) + (other.late or 0)
                assert total == pytest.approx(by_id[other.chunk_id].score - right.score, abs=1e-5)
                assert total >= -1e-9 or "search.mmr" in other.why
                assert other.why != "almost the same score" or abs(total) < 0.2
            if late and rank == 66 and not options:
                assert not any("sets above the rest" in other.why for other in others)
        if late and "search.mmr" not in options:
            last = Piece("C1", "", (Gold(hits[50].document, hits[50].text.strip()),))
            others = engine.diagnose(question, [last], k=1).pieces[0].outranked_by
            assert all(
                "among the first 50, which late interaction sets above the rest" in o.why for o in others
            )
