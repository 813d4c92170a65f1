"""A run on a small corpus: ranks, gate, citations and suggestions are counted as the contract says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from bench_library import ABSENT, BOTH, PARTLY, QUESTIONS, ROTATE, make

from suffice.engine import Engine
from suffice.errors import UsageError
from suffice.experiments import bench, record, summary
from suffice.experiments.bench_report import report
from suffice.experiments.outcome import Citations, NeedOutcome, Offered, Outcome, PieceOutcome
from suffice.gold import Gold, Piece
from suffice.values import to_builtins


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with make(tmp_path_factory.mktemp("bench")) as engine:
        yield engine


@pytest.fixture(scope="module")
def run(engine: Engine) -> bench.Run:
    return bench.run(engine, QUESTIONS)


def outcome(run: bench.Run, id: str) -> Outcome:
    return next(one for one in run.questions if one.id == id)


def test_a_rank_is_that_of_the_first_chunk_that_overlaps_the_gold(engine: Engine, run: bench.Run) -> None:
    for mode in ("hybrid", "dense", "lexical"):
        hits = engine.search(ROTATE.question, k=None, mode=mode).hits
        rank = next((hit.rank for hit in hits if "ninety days" in hit.text), None)
        assert outcome(run, "q-rotate").pieces["C1"].ranks[mode] == rank
    assert outcome(run, "q-rotate").pieces["C1"].rank == outcome(run, "q-rotate").pieces["C1"].ranks["hybrid"]


@pytest.mark.parametrize("mode", ["dense", "lexical"])
def test_another_mode_gives_its_own_rank_and_all_three(engine: Engine, mode: Any) -> None:
    found = bench.run(engine, [BOTH], mode=mode, answers=False).questions[0]
    for piece in found.pieces.values():
        assert piece.rank == piece.ranks[mode] and set(piece.ranks) == {"hybrid", "dense", "lexical"}


def test_the_json_has_every_field_of_the_contract(run: bench.Run) -> None:
    data = json.loads(json.dumps(run.to_json(), allow_nan=False))
    assert list(data)[:4] == ["schema", "n", "settings", "generation"] and data["n"] == 4
    metrics = data["metrics"]
    for name in ("coverage@5", "coverage@10", "coverage@20", "full@5", "mrr"):
        assert 0 <= metrics[name] <= 1
    assert set(metrics["gate"]) >= {"accuracy", "false_answer_rate", "answer_rate", "auroc"}
    assert set(metrics["citations"]) >= {"shown", "verified", "on_gold"}
    assert set(metrics["suggestions"]) >= {"offered_on", "helpful_on"}
    assert metrics["latency_ms"]["p50"] <= metrics["latency_ms"]["p95"]
    low, high = data["intervals"]["coverage@5"]
    assert low <= metrics["coverage@5"] <= high
    first = data["questions"][0]
    assert first["id"] == "q-rotate" and first["status"] and first["pieces"]["C1"]["rank"] >= 1


def test_nothing_of_a_run_is_kept_as_an_answer(engine: Engine, run: bench.Run) -> None:
    assert engine.journal.last("answer") is None


def test_a_piece_that_the_corpus_does_not_hold_is_not_scored(run: bench.Run) -> None:
    assert outcome(run, "q-absent").ranks == []
    assert len(outcome(run, "q-partly").ranks) == 1
    assert run.to_json()["n_scored"]["coverage@5"] == 3


def test_the_gate_is_compared_with_the_labels(run: bench.Run) -> None:
    gate = run.to_json()["metrics"]["gate"]
    statuses = {one.id: one.status for one in run.questions}
    wanted = {"full": "sufficient", "partial": "partial", "none": "insufficient"}
    right = [statuses[question.id] == wanted[question.answerable] for question in QUESTIONS]
    assert gate["accuracy"] == sum(right) / 4
    assert gate["false_answer_rate"] == float(statuses["q-absent"] != "insufficient")
    full = [statuses[one.id] != "insufficient" for one in (ROTATE, BOTH)]
    assert gate["answer_rate"] == sum(full) / 2
    assert sum(sum(row.values()) for row in gate["confusion"].values()) == gate["n_judged"] == 4


def test_citations_are_verified_anew_and_told_from_those_on_gold(run: bench.Run) -> None:
    cited = run.to_json()["metrics"]["citations"]
    assert cited["shown"] > 0 and cited["verified"] == cited["shown"]
    assert 0 < cited["on_gold"] <= cited["of_questions_with_gold"] <= cited["shown"]


def test_a_quote_that_does_not_stand_where_the_answer_says_is_not_verified(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = engine.ask

    def tampered(*arguments: Any, **options: Any) -> Any:
        answer = ask(*arguments, **options)
        (claim, *rest), body = answer.answer.claims, answer.answer
        false = replace(claim.citations[0], quote="Keys are rotated every week", check="verified")
        claims = (replace(claim, citations=(false, *claim.citations[1:])), *rest)
        return replace(answer, answer=replace(body, claims=claims))

    monkeypatch.setattr(engine, "ask", tampered)
    cited = bench.run(engine, [ROTATE]).questions[0].citations
    assert cited is not None and cited.verified == cited.shown - 1


def test_gold_that_the_corpus_lacks_is_reported_and_not_a_miss(engine: Engine) -> None:
    lost = replace(BOTH, id="q-lost", pieces=(BOTH.pieces[0], Piece("C9", "", (Gold("no.md", "nothing"),))))
    found = bench.run(engine, [ROTATE, lost])
    assert [(one.question, one.piece, one.doc) for one in found.gold_errors] == [("q-lost", "C9", "no.md")]
    one = outcome(found, "q-lost")
    assert len(one.ranks) == 1 and not one.pieces["C9"].held
    assert one.right is None, "a label about gold that is not there says nothing about the gate"
    gone = bench.run(engine, [replace(lost, pieces=lost.pieces[1:])])
    assert gone.to_json()["metrics"]["coverage@5"] is None
    assert gone.to_json()["metrics"]["gate"]["accuracy"] is None


def test_without_answers_what_was_not_looked_at_is_null(engine: Engine) -> None:
    data = bench.run(engine, QUESTIONS, answers=False).to_json()
    metrics = data["metrics"]
    assert metrics["coverage@5"] is not None
    assert metrics["gate"]["accuracy"] is None and metrics["gate"]["auroc"] is None
    assert metrics["citations"]["shown"] is None and metrics["suggestions"]["helpful_on"] is None
    assert metrics["evidence_coverage"] is None and data["risk_coverage"] == []
    assert all(one["status"] is None for one in data["questions"])


def test_other_cutoffs_are_measured_beside_the_usual_ones(engine: Engine) -> None:
    data = bench.run(engine, [ROTATE, BOTH], k=2, evidence_k=2).to_json()
    assert {"coverage@2", "full@2", "coverage@5", "full@5"} <= set(data["metrics"])
    assert all(len(one["evidence"]) <= 2 for one in data["questions"])


def test_a_search_that_fails_is_counted_apart(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    from suffice.errors import JudgeError

    def fail(*_: Any, **__: Any) -> Any:
        raise JudgeError("the judge is out")

    monkeypatch.setattr(type(engine.judge), "judge", fail)
    gate = bench.run(engine, [ROTATE, ABSENT]).to_json()["metrics"]["gate"]
    assert (gate["n_search_failed"], gate["n_judged"]) == (2, 0)
    assert gate["accuracy"] is None and gate["false_answer_rate"] is None and gate["answer_rate"] is None


def test_only_the_tenant_s_documents_are_searched_and_hold_gold(tmp_path: Path) -> None:
    with make(tmp_path) as engine:
        (tmp_path / "theirs").mkdir()
        (tmp_path / "theirs" / "keys.md").write_text("# Keys\n\nTheirs never rotate.\n", "utf-8")
        engine.add([str(tmp_path / "theirs")], tenant="acme")
        found = bench.run(engine, [ROTATE], tenant="acme")
    assert found.corpus.n_documents == 1 and found.corpus.n_chunks == 1
    assert [error.reason[:16] for error in found.gold_errors] == ["the quote is not"]


def test_no_questions_and_no_index_are_wrong_usage(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no questions"):
        bench.run(engine, [])
    empty = Engine.open(tmp_path / ".suffice", engine.settings, create=True)
    with empty, pytest.raises(UsageError, match="indexed"):
        bench.run(empty, [ROTATE])


def made(id: str, answerable: Any, status: Any, confidence: float, **more: Any) -> Outcome:
    return Outcome(
        id, "?", answerable, status=status, confidence=confidence, confidence_any=confidence, **more
    )


def test_auroc_and_the_curve_take_the_labels_that_they_are_about() -> None:
    outcomes = [
        made("a", "full", "sufficient", 0.9),
        made("b", "none", "insufficient", 0.4),
        made("c", "full", "insufficient", 0.3),
        made("d", "partial", "partial", 0.8),
        made("e", "none", "sufficient", 0.95, gold_ok=False),
    ]
    found = summary.summarize(outcomes)
    assert found.metrics["gate"]["auroc"] == 0.5
    assert [point["coverage"] for point in found.risk_coverage] == [0.25, 0.5, 0.75, 1.0]
    assert [point["risk"] for point in found.risk_coverage] == [0.0, 0.5, pytest.approx(2 / 3), 0.5]
    assert found.metrics["gate"]["accuracy"] == 0.75


def test_a_partial_answer_is_not_a_decline() -> None:
    outcomes = [
        made("a", "none", "partial", 0.5),
        made("b", "none", "insufficient", 0.5),
        made("c", "full", "partial", 0.5),
        made("d", "partial", "insufficient", 0.5),
    ]
    gate = summary.summarize(outcomes).metrics["gate"]
    assert (gate["false_answer_rate"], gate["answer_rate"], gate["accuracy"]) == (0.5, 1.0, 0.25)


def test_a_suggestion_helps_where_it_finds_or_shows_gold_that_was_missing() -> None:
    lacking = {"C1": PieceOutcome(9, True, in_evidence=False, cited=False)}
    hiding = {"C1": PieceOutcome(1, True, in_evidence=True, cited=False)}
    showing = {"C1": PieceOutcome(1, True, in_evidence=True, cited=True)}
    finds = (Offered("x?", "insufficient", ("C1",), ()),)
    shows = (Offered("x?", "insufficient", (), ()), Offered("y?", "sufficient", (), ("C1",)))
    outcomes = [
        made("a", "full", "partial", 0.5, pieces=lacking, suggestions=finds),
        made(
            "b", "full", "partial", 0.5, pieces=lacking, suggestions=(Offered("y?", "insufficient", (), ()),)
        ),
        made("c", "full", "insufficient", 0.5, pieces=hiding, suggestions=shows),
        made("d", "full", "sufficient", 0.5, pieces=showing, suggestions=()),
        made("e", "full", "sufficient", 0.5, pieces=lacking, suggestions=()),
    ]
    assert summary.summarize(outcomes).metrics["suggestions"] == {
        "offered_on": 3, "gold_missing_on": 2, "helpful_on": 1,
        "unshown_on": 3, "shown_on": 1, "missing_unoffered_on": 1,
    }  # fmt: skip


def test_a_run_that_did_not_ask_its_suggestions_says_nothing_of_what_they_show() -> None:
    lacking = {"C1": PieceOutcome(9, True, in_evidence=False)}
    old = [
        made("a", "full", "partial", 0.5, pieces=lacking, suggestions=(Offered("x?", "partial", ("C1",)),))
    ]
    found = summary.summarize(old).metrics["suggestions"]
    assert (found["helpful_on"], found["shown_on"]) == (1, None)


def test_the_suggestions_of_a_run_are_searched_for_the_missing_gold(engine: Engine) -> None:
    found = bench.run(engine, [PARTLY, BOTH], evidence_k=1)
    for one in found.questions:
        for suggestion in one.suggestions or ():
            for name in suggestion.new_pieces:
                assert one.pieces[name].held and not one.pieces[name].in_evidence
            assert suggestion.new_shown is not None
            for name in suggestion.new_shown:
                assert one.pieces[name].held and not one.pieces[name].cited
                assert suggestion.status in ("sufficient", "partial")
    assert any(suggestion.new_shown for one in found.questions for suggestion in one.suggestions or ())


def test_the_folder_holds_what_others_need_to_check_the_run(
    engine: Engine, run: bench.Run, tmp_path: Path
) -> None:
    data = record.write(tmp_path / "out" / "run", run, QUESTIONS, engine.settings)
    folder = tmp_path / "out" / "run"
    assert {path.name for path in folder.iterdir()} == {
        "results.json", "report.md", "questions.jsonl", "settings.json", "run.trec", "qrels.trec",
    }  # fmt: skip
    kept = record.read(folder)
    assert kept == json.loads(json.dumps(data)) and record.read(folder / "results.json") == kept
    again = summary.summarize(record.outcomes(kept), kept["k"])
    assert json.loads(json.dumps(again.metrics)) == kept["metrics"], "every number follows from the questions"
    assert json.loads(json.dumps(again.intervals)) == kept["intervals"]
    assert (folder / "report.md").read_text("utf-8") == report(kept)
    assert record.outcomes(kept) == run.questions


def test_trec_eval_gets_the_same_numbers_from_the_files(
    engine: Engine, run: bench.Run, tmp_path: Path
) -> None:
    data = record.write(tmp_path, run, QUESTIONS, engine.settings)
    theirs = ir_measures.calc_aggregate(
        [ir_measures.nDCG @ 10, ir_measures.RR],
        list(ir_measures.read_trec_qrels(str(tmp_path / "qrels.trec"))),
        list(ir_measures.read_trec_run(str(tmp_path / "run.trec"))),
    )
    assert data["metrics"]["ndcg@10"] == pytest.approx(theirs[ir_measures.nDCG @ 10], abs=1e-6)
    assert data["metrics"]["mrr"] == pytest.approx(theirs[ir_measures.RR], abs=1e-6)


def test_a_report_shows_what_is_unscored_as_a_dash_and_names_the_errors(engine: Engine) -> None:
    lost = replace(ROTATE, pieces=(Piece("C1", "", (Gold("a|b.md", "nothing"),)),))
    page = report(bench.run(engine, [lost], answers=False).to_json())
    assert "| coverage@5 | – | – | – |" in page
    assert "a\\|b.md" in page and "no misses" in page and "0.000" not in page


def test_results_that_are_not_a_benchmark_s_are_refused(tmp_path: Path) -> None:
    for text, said in (("{", "not JSON"), ("[]", "'list'"), ('{"schema": "x"}', "'x'")):
        (tmp_path / "results.json").write_text(text, "utf-8")
        with pytest.raises(UsageError) as caught:
            record.read(tmp_path)
        assert said in str(caught.value)
    with pytest.raises(UsageError, match="cannot read"):
        record.read(tmp_path / "none.json")
    with pytest.raises(UsageError, match="run A"):
        record.outcomes({"questions": [{"id": 3}]}, "run A")


def test_an_outcome_survives_json() -> None:
    one = made(
        "a", "full", "partial", 0.5, needs=(NeedOutcome("N1", "x", "missing"),), citations=Citations(1, 1, 0),
        pieces={"C1": PieceOutcome(3, True, {"dense": 3, "lexical": None}, "c", "d.md", True, False)},
        suggestions=(Offered("x?", None, ("C1",)),), failures=("judge: out",), relevant=("c",),
        top=("c", "d"),
    )  # fmt: skip
    assert record.outcomes({"questions": json.loads(json.dumps([to_builtins(one)]))}) == (one,)
