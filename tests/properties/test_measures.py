"""The measures agree with trec_eval (by ir_measures) and with their definitions, counted out the long way."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, P, R, nDCG

from suffice.experiments import measures
from suffice.experiments.importers import trec

DOCUMENT = st.sampled_from([f"d{n}" for n in range(12)])
LIST = st.lists(DOCUMENT, max_size=20)
GOLD = st.sets(DOCUMENT, max_size=6)
K = st.integers(1, 15)
SCORES = st.lists(st.integers(0, 4).map(lambda n: n / 4), max_size=25)


def reference(retrieved: list[str], gold: set[str], k: int) -> dict[str, float]:
    """What trec_eval says of the list, its first places kept."""
    unique = list(dict.fromkeys(retrieved))
    run = {"q": {document: 1 / rank for rank, document in enumerate(unique, 1)} or {"nothing": 1.0}}
    qrels = {"q": dict.fromkeys(gold, 1)}
    found = ir_measures.calc_aggregate([nDCG @ k, R @ k, P @ k, RR], qrels, run)
    return {str(name): value for name, value in found.items()}


@given(LIST, GOLD.filter(bool), K)
def test_ranking_measures_agree_with_trec_eval(retrieved: list[str], gold: set[str], k: int) -> None:
    expected = reference(retrieved, gold, k)
    assert measures.ndcg_at(retrieved, gold, k) == pytest.approx(expected[f"nDCG@{k}"], abs=1e-6)
    assert measures.recall_at(retrieved, gold, k) == pytest.approx(expected[f"R@{k}"], abs=1e-6)
    assert measures.precision_at(retrieved, gold, k) == pytest.approx(expected[f"P@{k}"], abs=1e-6)
    assert measures.reciprocal_rank(retrieved, gold) == pytest.approx(expected["RR"], abs=1e-6)


@given(LIST, GOLD, K)
def test_duplicates_change_nothing_and_values_stay_in_bounds(
    retrieved: list[str], gold: set[str], k: int
) -> None:
    doubled = [document for document in retrieved for _ in range(2)]
    for measure in (measures.ndcg_at, measures.recall_at, measures.precision_at):
        value = measure(retrieved, gold, k)
        assert value == measure(doubled, [*gold, *gold], k)
        assert value is None if not gold else value is not None and 0 <= value <= 1


@given(st.lists(st.one_of(st.none(), st.integers(1, 30)), max_size=6), K)
def test_pieces_are_scored_as_single_gold_documents(ranks: list[int | None], k: int) -> None:
    coverage = measures.coverage_at(ranks, k)
    if not ranks:
        assert coverage is None and measures.full_at(ranks, k) is None
        assert measures.reciprocal_rank_of(ranks) is None
        return
    found = [rank for rank in ranks if rank is not None and rank <= k]
    assert coverage == pytest.approx(len(found) / len(ranks))
    assert measures.full_at(ranks, k) == (coverage == 1)
    assert measures.reciprocal_rank_of(ranks) == max([1 / rank for rank in ranks if rank], default=0)


@given(SCORES, SCORES)
def test_auroc_is_the_share_of_pairs_that_are_in_order(positive: list[float], negative: list[float]) -> None:
    if not positive or not negative:
        assert measures.auroc(positive, negative) is None
        return
    pairs = [(a > b) + 0.5 * (a == b) for a in positive for b in negative]
    area = measures.auroc(positive, negative)
    assert area == pytest.approx(sum(pairs) / len(pairs))
    assert measures.auroc(negative, positive) == pytest.approx(1 - (area or 0))


@given(st.lists(st.tuples(st.integers(0, 4).map(lambda n: n / 4), st.booleans()), max_size=25))
def test_a_point_of_the_risk_curve_is_what_a_threshold_there_would_do(
    scored: list[tuple[float, bool]],
) -> None:
    points = measures.risk_coverage(scored)
    for point in points:
        answered = [right for confidence, right in scored if confidence >= point["confidence"]]
        assert point["coverage"] == pytest.approx(len(answered) / len(scored))
        assert point["risk"] == pytest.approx(1 - sum(answered) / len(answered))
    assert len(points) == len({confidence for confidence, _ in scored})
    assert (measures.area_under(points) is None) is (not scored)
    assert not points or (points[-1]["coverage"] == 1 and 0 <= (measures.area_under(points) or 0) <= 1)


@given(st.lists(st.integers(0, 9).map(float), min_size=1, max_size=30), st.sampled_from([0.5, 0.95, 1.0]))
def test_a_percentile_is_a_value_that_was_measured(values: list[float], share: float) -> None:
    found = measures.percentile(values, share)
    assert found in values
    assert sum(value <= (found or 0) for value in values) >= math.ceil(share * len(values))
    assert measures.percentile([], share) is None


def test_a_mean_leaves_out_what_is_unscored() -> None:
    assert measures.mean([1.0, None, 0.0, None]) == 0.5
    assert measures.mean([None]) is None and measures.mean([]) is None


CASE = [
    ("one gold twice", ["Q", "R", "Q", "R"], ["R"], 4, (1.0, 0.25, 1 / math.log2(3), 0.5)),
    ("a duplicate pushes nothing out", ["X", "X", "A", "B"], ["A", "B"], 3, (1.0, 2 / 3, 0.693426, 0.5)),
    ("gold listed twice", ["A", "X"], ["A", "A"], 2, (1.0, 0.5, 1.0, 1.0)),
    ("a short list", ["B"], ["A", "B"], 5, (0.5, 0.2, 0.613147, 1.0)),
    ("nothing retrieved", [], ["A"], 5, (0.0, 0.0, 0.0, 0.0)),
    ("no gold", ["A"], [], 3, (None, None, None, None)),
]


@pytest.mark.parametrize(("name", "retrieved", "gold", "k", "expected"), CASE, ids=[case[0] for case in CASE])
def test_duplicates_short_lists_and_no_gold(
    name: str, retrieved: list[str], gold: list[str], k: int, expected: tuple[float | None, ...]
) -> None:
    assert all_of(retrieved, gold, k) == pytest.approx(expected, abs=1e-6)


def all_of(retrieved: list[str], gold: list[str], k: int) -> tuple[float | None, ...]:
    return (
        measures.recall_at(retrieved, gold, k),
        measures.precision_at(retrieved, gold, k),
        measures.ndcg_at(retrieved, gold, k),
        measures.reciprocal_rank(retrieved, gold),
    )


def test_the_shared_case_of_duplicate_hits(shared: Path) -> None:
    folder = shared / "cases" / "eval-duplicate-hits"
    runs: list[dict[str, Any]] = json.loads((folder / "runs.json").read_text("utf-8"))
    expected = json.loads((folder / "case.json").read_text("utf-8"))["expect"]
    found = []
    for entry in runs:
        values = all_of(entry["retrieved"], entry["gold"], entry["k"])
        wanted = tuple(entry["expect"][name] for name in ("recall", "precision", "ndcg", "rr"))
        assert values == pytest.approx(wanted, abs=1e-6), entry["name"]
        found.append(values)
    for column, name in enumerate(("recall", "precision", "ndcg", "rr")):
        mean = measures.mean(values[column] for values in found)
        assert mean == pytest.approx(expected["mean"][name], abs=1e-6)
    assert sum(values[0] is not None for values in found) == expected["n_used"]


def test_a_run_that_is_written_and_read_scores_as_trec_eval_scores_it(tmp_path: Path) -> None:
    lists = {"q 1": ["c", "a", "b"], "q2": ["x", "y"], "unjudged": ["a"]}
    qrels = {"q 1": {"a": 1, "b": 0}, "q2": {"y": 2, "z": 1}, "unasked": {"a": 1}}
    trec.write_run(tmp_path / "run", lists, "a tag")
    trec.write_qrels(tmp_path / "qrels", qrels)
    judged, run = trec.read_qrels(tmp_path / "qrels"), trec.read_run(tmp_path / "run")
    assert judged == {"q_1": {"a": 1, "b": 0}, "q2": {"y": 2, "z": 1}, "unasked": {"a": 1}}
    assert {query: [document for document, _ in found] for query, found in run.items()} == {
        "q_1": ["c", "a", "b"], "q2": ["x", "y"], "unjudged": ["a"],
    }  # fmt: skip
    theirs = ir_measures.calc_aggregate(
        [R @ 10, RR, P @ 10],
        list(ir_measures.read_trec_qrels(str(tmp_path / "qrels"))),
        list(ir_measures.read_trec_run(str(tmp_path / "run"))),
    )
    ours = measures.of_run(judged, run, 10)
    assert ours["recall@10"] == pytest.approx(theirs[R @ 10], abs=1e-6)
    assert ours["mrr"] == pytest.approx(theirs[RR], abs=1e-6)
    assert ours["precision@10"] == pytest.approx(theirs[P @ 10], abs=1e-6)
    assert (ours["n_used"], ours["n_all"]) == (3, 4)
