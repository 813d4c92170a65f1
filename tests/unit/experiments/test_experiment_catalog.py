"""The experiments themselves, each run for real on a small corpus."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bench_library import ABSENT, BOTH, QUESTIONS
from experiment_library import engine_of, finding, run

from suffice import registry
from suffice.engine import Engine
from suffice.errors import GeneratorError, UsageError
from suffice.experiments import catalog
from suffice.ports import Generated
from suffice.values import DraftCitation, DraftClaim, Hit, Need, Passage, Support, Usage

SEED_CATALOGUE = (
    "boundary", "chunking", "direct_context", "diversity", "embedding", "query_rewrite", "query_split",
    "recovery_loop", "reranker", "topk",
)  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("catalog")
    with engine_of(folder):
        pass
    return folder


class Quoting:
    """A generator that quotes the first line of every piece of evidence that it is given."""

    name, version = "quoting", "1"

    def generate(
        self,
        question: str,
        needs: Sequence[Need],
        supports: Sequence[Support],
        evidence: Sequence[Hit],
        language: str,
    ) -> Generated:
        claims = tuple(
            DraftClaim(hit.text, tuple(need.id for need in needs), (DraftCitation(hit.rank, hit.text),))
            for hit in evidence
        )
        return Generated(claims, Usage(model="quoting"))


class ByLength:
    """A reranker that puts the longest first."""

    name, version = "length", "1"

    def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        return [float(len(passage.text)) for passage in passages]


def test_the_catalogue_is_the_files_of_the_package() -> None:
    assert set(SEED_CATALOGUE) <= set(catalog.names())
    for name in catalog.names():
        one = catalog.load(name)
        assert one.name == name and one.hypothesis.endswith(".") and one.needs and one.measures
    with pytest.raises(UsageError, match="there are: boundary"):
        catalog.load("nothing")


def test_an_experiment_is_added_by_adding_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(
        "from suffice.experiments.arms import Arm, Experiment, as_it_is\n"
        "arms = lambda engine, plan: [Arm('a', as_it_is)]\n"
        "EXPERIMENT = Experiment('mine', 'mine', 'H.', 'a fault', 'gold', arms)\n"
    )
    monkeypatch.setattr(catalog, "__path__", [*catalog.__path__, str(tmp_path)])
    assert "mine" in catalog.names() and catalog.load("mine").title == "mine"


@pytest.mark.parametrize("name", sorted(set(catalog.names()) - {"embedding"}))
def test_every_experiment_runs_or_says_why_not(home: Path, name: str) -> None:
    with engine_of(home) as engine:
        data = run(engine, name, case="q-both").to_json()
    assert data["findings"] and data["judgement"]
    for one in data["findings"]:
        if "metrics" not in one:
            assert one["judgement"].startswith("not run: ") and len(one["judgement"]) > 20


def test_topk_reaches_what_a_small_k_misses_and_tells_what_is_read(home: Path) -> None:
    with engine_of(home) as engine:
        data = run(engine, "topk", k=1).to_json()
    least, most = finding(data, "k 1"), finding(data, "k 50")
    assert least["metrics"]["coverage@k"] < 1 == most["metrics"]["coverage@k"]
    assert most["metrics"]["chars read"] > least["metrics"]["chars read"]


def test_deduplication_leaves_out_what_was_seen(tmp_path: Path) -> None:
    copies = tmp_path / "docs"
    copies.mkdir()
    for at in range(6):
        (copies / f"copy{at}.md").write_text("# Keys\n\nHow often keys are rotated is not told here.\n")
    with engine_of(tmp_path) as engine:
        engine.update()
        data = run(engine, "diversity").to_json()
    case = next(one for one in data["questions"] if one["id"] == "q-rotate")
    assert case["arms"]["deduplication"]["ranks"]["C1"] < case["arms"]["as it is"]["ranks"]["C1"]


def test_no_reranker_is_an_honest_result(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = registry.names
    monkeypatch.setattr(registry, "names", lambda kind: () if kind == "reranker" else real(kind))
    with engine_of(home) as engine:
        data = run(engine, "reranker").to_json()
    assert data["judgement"] == "Not run: no reranker is installed."


def test_every_reranker_that_is_installed_is_an_arm(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names, create = registry.names, registry.create
    monkeypatch.setattr(registry, "names", lambda kind: ("length",) if kind == "reranker" else names(kind))

    def made(kind: str, name: str, **more: Any) -> Any:
        return ByLength() if name == "length" else create(kind, name, **more)

    monkeypatch.setattr(registry, "create", made)
    with engine_of(home) as engine:
        found = run(engine, "reranker", [BOTH])
        n_chunks = engine.search("anything", k=None).depth
    ranks = found.questions[0].arms["length"].ranks
    assert set(ranks) == {"C1", "C2"} and all(1 <= rank <= n_chunks for rank in ranks.values() if rank)
    assert ranks["C1"] == 1, "the table is the longest chunk"


def test_a_question_of_one_clause_is_not_split(home: Path) -> None:
    with engine_of(home) as engine:
        found = run(engine, "query_split")
    by_id = {one.id: one.arms for one in found.questions}
    assert by_id["q-both"]["clauses in turn"].applied and not by_id["q-rotate"]["clauses in turn"].applied
    assert " · " in by_id["q-both"]["clauses in turn"].note


def test_a_rewriting_is_shown_and_a_model_is_asked_for_honestly(home: Path) -> None:
    with engine_of(home) as engine:
        found = run(engine, "query_rewrite", [BOTH])
    assert "uploads" in found.questions[0].arms["rewritten by rules"].note
    reasons = {arm.name: arm.not_run for arm in found.arms}
    assert "none is configured" in reasons["rewritten by a model"] and not reasons["rewritten by rules"]


def test_other_embedders_are_arms_and_the_one_in_use_is_the_baseline(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = registry.names
    monkeypatch.setattr(
        registry, "names", lambda kind: ("hashing", "absent") if kind == "embedder" else names(kind)
    )
    with engine_of(home) as engine:
        found = run(engine, "embedding", [BOTH])
    assert found.arms[0].name == "hashing (as it is)"
    assert "'absent'" in found.arms[1].not_run


def test_a_suggestion_keeps_what_the_question_found(home: Path) -> None:
    with engine_of(home, **{"gate.threshold": 0.99}) as engine:
        found = run(engine, "recovery_loop", k=1)
        answer = engine.ask(BOTH.question, keep=False)
    assert answer.suggestions, "two needs, and nothing is taken for support"
    for one in found.questions:
        before = one.arms["as asked"].ranks
        for name, arm in one.arms.items():
            assert all(_of(arm.ranks[piece]) <= _of(rank) for piece, rank in before.items()), name
    both = next(one for one in found.questions if one.id == BOTH.id)
    assert answer.suggestions[0].question in both.arms["S1 picked"].note
    after = both.arms["all of them"]
    assert both.arms["as asked"].ranks != after.ranks and after.values["gains a missing piece"] is True


def _of(rank: int | None) -> float:
    return math.inf if rank is None else rank


def test_no_suggestions_no_recovery(home: Path) -> None:
    with engine_of(home, **{"answer.suggestions": 0}) as engine:
        data = run(engine, "recovery_loop").to_json()
    assert "switched off" in data["judgement"]


def test_the_boundary_compares_the_gate_with_none(home: Path) -> None:
    with engine_of(home) as engine:
        found = run(engine, "boundary")
    assert [one.id for one in found.questions] == [ABSENT.id]
    arms = found.questions[0].arms
    assert arms["gate in place"].values["declined"] is True
    assert arms["gate bypassed"].values["declined"] is False, (
        "the extractive generator quotes what is nearest"
    )
    assert arms["gate bypassed"].note.startswith("not_judged: ")


def test_a_generator_that_fails_is_no_decline(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(Quoting):
        def generate(self, *_: Any) -> Generated:
            raise GeneratorError("the server is away")

    monkeypatch.setattr(Engine, "generator", lambda self, name: Failing())
    with engine_of(home) as engine, pytest.raises(GeneratorError, match="the server is away"):
        run(engine, "boundary")


def test_an_arm_whose_passages_did_not_fit_the_prompt_is_not_run(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Small(Quoting):
        def generate(
            self, question: str, needs: Any, supports: Any, evidence: Any, language: str
        ) -> Generated:
            got = super().generate(question, needs, supports, evidence[:3], language)
            return replace(got, notes=("left out",) if len(evidence) > 3 else ())

    monkeypatch.setattr(Engine, "generator", lambda self, name: Small())
    with engine_of(home, **{"answer.generator": "quoting"}) as engine:
        data = run(engine, "direct_context", k=3).to_json()
    assert "left out" in finding(data, "whole corpus")["judgement"]


def test_direct_context_needs_a_generator(home: Path) -> None:
    with engine_of(home) as engine:
        data = run(engine, "direct_context").to_json()
    assert data["judgement"].startswith("Not run: it needs a generator") and data["questions"]


def test_direct_context_reads_the_whole_corpus(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engine, "generator", lambda self, name: Quoting())
    with engine_of(home, **{"answer.generator": "quoting"}) as engine:
        data = run(engine, "direct_context").to_json()
    whole, chosen = finding(data, "whole corpus")["metrics"], finding(data, "retrieved chunks")["metrics"]
    assert whole["pieces cited"] == 1.0 and whole["chars read"] >= chosen["chars read"] > 0


def test_a_corpus_that_fits_no_prompt_is_not_sent(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engine, "generator", lambda self, name: Quoting())
    monkeypatch.setattr("suffice.experiments.catalog.direct_context.MOST_CHARS", 10)
    with engine_of(home, **{"answer.generator": "quoting"}) as engine:
        data = run(engine, "direct_context", QUESTIONS).to_json()
    assert "at most 10 go into one prompt" in finding(data, "whole corpus")["judgement"]
