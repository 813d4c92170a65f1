"""Every arm on every question: ranks from the real repairs, reasons where an arm could not run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from bench_library import ABSENT, BOTH, PAGES, QUESTIONS, ROTATE
from experiment_library import engine_of, finding, run

from suffice.diagnose.scratch import NotRun
from suffice.engine import Engine
from suffice.errors import EmbedderError, UsageError
from suffice.experiments import bench, runner
from suffice.experiments.arms import Arm, Experiment, Found, Plan, as_it_is
from suffice.experiments.trial import Trial
from suffice.gold import Gold, Piece


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runner")
    with engine_of(folder):
        pass
    return folder


def made(*arms: Arm) -> Experiment:
    def chosen(engine: Engine, plan: Plan) -> Sequence[Arm]:
        return arms

    return Experiment("made", "made", "It helps.", "a fault", "gold", chosen)


def test_ranks_of_the_whole_question_are_those_of_a_benchmark_run(home: Path) -> None:
    with engine_of(home) as engine:
        wanted = bench.run(engine, QUESTIONS, answers=False)
        found = run(engine, "query_split")
    expected = {
        one.id: {name: piece.rank for name, piece in one.pieces.items() if piece.held}
        for one in wanted.questions
        if one.ranks
    }
    assert {one.id: one.arms["whole question"].ranks for one in found.questions} == expected
    assert len(expected) == 3


def test_only_questions_that_say_anything_take_part(home: Path) -> None:
    with engine_of(home) as engine:
        found = run(engine, "topk")
        assert ABSENT.id not in [one.id for one in found.questions]
        assert found.about["n_in_file"] == len(QUESTIONS)
        with pytest.raises(UsageError, match="says anything about topk"):
            run(engine, "topk", [ABSENT])
        with pytest.raises(UsageError, match="'nobody'"):
            run(engine, "topk", case="nobody")


def test_gold_that_the_corpus_lacks_is_an_error_of_the_benchmark_and_no_miss(home: Path) -> None:
    odd = replace(
        BOTH, pieces=(*BOTH.pieces, Piece("C3", "moon", (Gold("guide/keys.md", "made of cheese"),)))
    )
    with engine_of(home) as engine:
        found = run(engine, "topk", [odd], k=50)
    assert [error.piece for error in found.gold_errors] == ["C3"]
    assert list(found.questions[0].pieces) == ["C1", "C2"]
    assert finding(found.to_json(), "k 50")["metrics"]["coverage@k"] == 1.0


def test_where_an_arm_has_nothing_to_change_the_baseline_stands_in(home: Path) -> None:
    def picky(trial: Trial) -> Found:
        if trial.question.id == ROTATE.id:
            raise NotRun("one clause")
        return replace(as_it_is(trial), ranks=dict.fromkeys(trial.places, 99))

    with engine_of(home) as engine:
        found = runner.run(engine, made(Arm("base", as_it_is), Arm("picky", picky)), QUESTIONS)
    by_id = {one.id: one.arms for one in found.questions}
    assert by_id[ROTATE.id]["picky"].ranks == by_id[ROTATE.id]["base"].ranks
    assert not by_id[ROTATE.id]["picky"].applied and by_id[BOTH.id]["picky"].applied
    assert finding(found.to_json(), "picky")["n_applied"] == 2


def test_an_arm_that_fails_everywhere_was_not_run_and_says_why(home: Path) -> None:
    def broken(trial: Trial) -> Found:
        raise EmbedderError("it has no token states")

    with engine_of(home) as engine:
        found = runner.run(engine, made(Arm("base", as_it_is), Arm("broken", broken)), QUESTIONS)
        with pytest.raises(EmbedderError):
            runner.run(engine, made(Arm("base", broken)), QUESTIONS)
    assert [(arm.name, arm.not_run) for arm in found.arms] == [
        ("base", ""),
        ("broken", "it has no token states"),
    ]
    assert all("broken" not in one.arms for one in found.questions) and "broken" not in found.costs
    assert finding(found.to_json(), "broken")["judgement"] == "not run: it has no token states"


def test_another_index_is_built_in_a_copy_and_the_workspace_stays_as_it_was(home: Path) -> None:
    with engine_of(home) as engine:
        before = engine.searcher.generation
        rows = engine.workspace.read("SELECT count(*) FROM generation")
        found = run(engine, "chunking")
        assert engine.searcher.generation == before
        assert engine.workspace.read("SELECT count(*) FROM generation") == rows
    assert len(found.arms) >= 4 and not any(arm.not_run for arm in found.arms)
    assert all(set(one.arms) == {arm.name for arm in found.arms} for one in found.questions)
    assert found.costs["structure, 600 characters"].build_s is not None


def test_smaller_chunks_move_ranks_and_keep_gold(tmp_path: Path) -> None:
    filler = "\n\n".join(f"Paragraph {n} tells of stones, rivers, birds and boats. " * 3 for n in range(40))
    pages = {**PAGES, "long.md": f"# Long\n\n{filler}\n\nThe comet was found by the grey telescope.\n"}
    question = replace(
        ABSENT, id="q-comet", answerable="full",
        pieces=(Piece("C1", "which", (Gold("long.md", "found by the grey telescope"),)),),
    )  # fmt: skip
    for name, text in pages.items():
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / name).write_text(text, "utf-8")
    with engine_of(tmp_path) as engine:
        engine.update()
        found = run(engine, "chunking", [question])
    ranks = {name: own.ranks["C1"] for name, own in found.questions[0].arms.items()}
    assert all(rank is not None for rank in ranks.values())


def test_a_large_corpus_is_not_cut_anew_unless_forced(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "MOST_PARTS", 1)
    with engine_of(home) as engine:
        kept = run(engine, "chunking", [ROTATE])
        forced = run(engine, "chunking", [ROTATE], force=True)
    assert all("--force" in arm.not_run for arm in kept.arms[1:]) and not kept.arms[0].not_run
    assert not any(arm.not_run for arm in forced.arms)


def test_progress_reaches_the_number_of_arms_times_questions(home: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    with engine_of(home) as engine:
        run(engine, "topk", progress=lambda *step: seen.append(step))
    assert seen[-1] == ("arms", 12, 12)
