"""Public formats become documents and gold that stands in them; what does not fit is said, never guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bench_library import make

from suffice.errors import UsageError
from suffice.experiments import bench, suite
from suffice.experiments.importers import beir, collection, mtrag, spans, squad, trec
from suffice.experiments.importers.collection import Collection

PARAGRAPH = "The mill burnt in 1881. It was rebuilt of brick in 1884, at a cost of 308 crowns. Nobody died."


def put(path: Path, data: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data, ensure_ascii=False), "utf-8")
    return path


def gold_stands(made: Collection) -> bool:
    """Whether every quote stands in the document that it names."""
    return all(
        gold.quote in made.documents[gold.doc]
        for question in made.questions
        for piece in question.pieces
        for gold in piece.evidence
    )


# --- SQuAD -----------------------------------------------------------------------------------


def qa(id: str, question: str, answer: str, start: int | None = None, **more: Any) -> dict[str, Any]:
    at = PARAGRAPH.find(answer) if start is None else start
    return {"id": id, "question": question, "answers": [{"text": answer, "answer_start": at}], **more}


def squad_file(path: Path, qas: list[dict[str, Any]], context: str = PARAGRAPH, title: str = "Mill") -> Path:
    return put(path, {"data": [{"title": title, "paragraphs": [{"context": context, "qas": qas}]}]})


def test_squad_gold_is_the_sentence_that_holds_the_answer(tmp_path: Path) -> None:
    made = squad.load(squad_file(tmp_path / "s.json", [qa("1", "What did it cost?", "308 crowns")]))
    (question,) = made.questions
    assert [gold.quote for gold in question.pieces[0].evidence] == [
        "It was rebuilt of brick in 1884, at a cost of 308 crowns."
    ]
    assert question.answerable == "full" and gold_stands(made)


def test_squad_an_answer_over_two_sentences_takes_both(tmp_path: Path) -> None:
    made = squad.load(squad_file(tmp_path / "s.json", [qa("1", "When?", "1881. It was rebuilt")]))
    assert made.questions[0].pieces[0].evidence[0].quote.startswith("The mill burnt in 1881. It was")
    assert gold_stands(made)


def test_squad_a_wrong_offset_is_mended_by_the_words_and_a_missing_answer_is_left_out(tmp_path: Path) -> None:
    wrong = [qa("1", "When?", "1884", start=3), qa("2", "Who?", "the miller", start=0)]
    made = squad.load(squad_file(tmp_path / "s.json", wrong))
    assert [one.id for one in made.questions] == ["1"] and "1884" in made.questions[0].pieces[0].evidence[
        0
    ].quote
    assert made.remarks == ("1 questions have no answer that stands in their paragraph; left out",)


def test_squad_questions_of_one_language_over_paragraphs_of_another(tmp_path: Path) -> None:
    chinese = "磨坊于1881年被烧毁。1884年用砖重建，耗资308克朗。"
    zh = put(
        tmp_path / "zh.json",
        {"data": [{"paragraphs": [{"context": chinese, "qas": [
            {"id": "1", "question": "花了多少钱？", "answers": [{"text": "308克朗", "answer_start": 18}]},
            {"id": "9", "question": "谁？", "answers": [{"text": "磨坊", "answer_start": 0}]},
        ]}]}]},
    )  # fmt: skip
    en = squad_file(tmp_path / "en.json", [qa("1", "What did it cost?", "308 crowns")])
    made = squad.load(zh, en)
    assert [(one.id, one.lang) for one in made.questions] == [("1", "zh")]
    assert list(made.documents.values()) == [PARAGRAPH] and gold_stands(made)
    assert "1 questions have no paragraph" in made.remarks[0]
    assert list(squad.load(en).documents) == list(made.documents), "all languages share one corpus"


def test_squad_2_impossible_questions_are_unanswerable(tmp_path: Path) -> None:
    item = {"id": "1", "question": "Who owned it?", "answers": [], "is_impossible": True}
    made = squad.load(squad_file(tmp_path / "s.json", [item, qa("2", "When?", "1881")]))
    assert [(one.answerable, bool(one.pieces[0].evidence)) for one in made.questions] == [
        ("none", False), ("full", True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"data": [{}]}', '{"data": [{"paragraphs": [{"context": 1}]}]}']
)
def test_squad_another_shape_is_refused_by_name(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"bad\.json"):
        squad.load(put(tmp_path / "bad.json", text))


# --- holding out -------------------------------------------------------------------------------


def test_what_held_out_documents_alone_answer_becomes_unanswerable(tmp_path: Path) -> None:
    def article(n: int) -> dict[str, Any]:
        item = qa(str(n), f"Which fact is {n}?", f"Fact {n}", start=0)
        return {"title": f"T{n}", "paragraphs": [{"context": f"Fact {n} is here.", "qas": [item]}]}

    data = [article(n) for n in range(10)]
    made = squad.load(put(tmp_path / "s.json", {"data": data}))
    half = collection.without(made, 0.3, seed=1)
    assert len(half.documents) == 7 and len(half.questions) == 10
    for question in half.questions:
        held = any(gold.doc in half.documents for piece in question.pieces for gold in piece.evidence)
        assert question.answerable == ("full" if held else "none")
    assert sum(one.answerable == "none" for one in half.questions) == 3
    assert collection.without(made, 0.3, seed=1) == half != collection.without(made, 0.3, seed=2)
    for share in (0.0, 1.0, -1.0, float("nan")):
        with pytest.raises(UsageError, match="between 0 and 1"):
            collection.without(made, share)


# --- multi-turn tasks ----------------------------------------------------------------------------


def task(id: str, label: Any, contexts: list[tuple[str, str]], *turns: str, **more: Any) -> dict[str, Any]:
    return {
        "task_id": id, "answerability": label, "Collection": "c1",
        "contexts": [{"document_id": key, "text": text} for key, text in contexts],
        "input": [{"speaker": "user", "text": turn} for turn in turns], **more,
    }  # fmt: skip


def tasks(path: Path, *rows: dict[str, Any]) -> Path:
    return put(path, "\n".join(json.dumps(row) for row in rows))


def test_tasks_pool_their_passages_and_keep_their_labels(tmp_path: Path) -> None:
    source = tasks(
        tmp_path / "t.jsonl",
        task("a<::>1", ["ANSWERABLE"], [("p/1", "Red is first."), ("p/2", "Blue too.")], "Which is first?"),
        task("a<::>2", ["PARTIAL"], [("p/1", "Red is first.")], "Which is first?", "And who says so?"),
        task("b", ["UNANSWERABLE"], [("p/3", "Green.")], "How heavy is it?"),
        task("c", "UNDERSPECIFIED", [], "It?"),
    )
    made = mtrag.load(source)
    assert sorted(made.documents.values()) == ["Blue too.", "Green.", "Red is first."] and gold_stands(made)
    assert [(one.answerable, one.kind) for one in made.questions] == [
        ("full", "first turn"), ("partial", "later turn"), ("none", "first turn"),
    ]  # fmt: skip
    assert len(made.questions[0].pieces[0].evidence) == 2, "any passage will do"
    assert [bool(piece.evidence) for piece in made.questions[1].pieces] == [True, False]
    assert made.questions[1].question == "And who says so?" and made.questions[1].notes == "Which is first?"
    assert not any(piece.evidence for piece in made.questions[2].pieces), (
        "the label decides, not the passages"
    )
    assert made.remarks == ("1 tasks labelled UNDERSPECIFIED: left out",)
    assert [one.id for one in mtrag.load(source, turns="first").questions] == ["a<::>1", "b"]


def test_a_task_without_passages_is_not_taken_for_unanswerable(tmp_path: Path) -> None:
    source = tasks(
        tmp_path / "t.jsonl",
        task("a", ["ANSWERABLE"], [], "Which?"),
        task("b", ["ANSWERABLE"], [("p", "Red.")], "What?", Collection="c2"),
    )
    made = mtrag.load(source)
    assert (made.questions[0].answerable, made.questions[0].pieces) == ("full", ())
    assert [one.id for one in mtrag.load(source, collection="c2").questions] == ["b"]
    with pytest.raises(UsageError, match="there are: c1, c2"):
        mtrag.load(source, collection="c9")


@pytest.mark.parametrize(
    "row",
    [{}, {**task("a", None, [], "Why?")}, {**task("a", ["ANSWERABLE"], [])}, {**task("a", [], [], "x")}],
)
def test_a_task_of_another_shape_is_refused_with_its_line(tmp_path: Path, row: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="line 1"):
        mtrag.load(tasks(tmp_path / "t.jsonl", row))


# --- spans ------------------------------------------------------------------------------------


def spans_file(tmp_path: Path, *rows: tuple[str, list[dict[str, Any]], str]) -> Path:
    put(tmp_path / "corpora" / "mill.md", PARAGRAPH)
    lines = ["question,references,corpus_id"]
    lines += [
        ",".join('"' + cell.replace('"', '""') + '"' for cell in (asked, json.dumps(found), corpus))
        for asked, found, corpus in rows
    ]
    return put(tmp_path / "q.csv", "\n".join(lines))


def span(quote: str, at: int | None = None) -> dict[str, Any]:
    start = PARAGRAPH.find(quote) if at is None else at
    return {"content": quote, "start_index": start, "end_index": start + len(quote)}


def test_each_span_is_a_piece_and_its_offsets_are_checked(tmp_path: Path) -> None:
    rows = [
        ("When, and at\nwhat cost?", [span("burnt in 1881"), span("308 crowns")], "mill"),
        ("Who?", [span("Nobody died.", at=2), span("never written", at=1)], "mill"),
    ]
    made = spans.load(spans_file(tmp_path, *rows))
    assert [len(one.pieces) for one in made.questions] == [2, 2]
    assert made.questions[0].question == "When, and at\nwhat cost?" and made.documents == {
        "mill.md": PARAGRAPH
    }
    assert [remark[:7] for remark in made.remarks] == ["1 spans", "1 spans"]
    with make(tmp_path / "w", dict(made.documents)) as engine:
        found = bench.run(engine, made.questions, answers=False)
    assert [(one.question, one.piece) for one in found.gold_errors] == [("mill-002", "S2")]


def test_spans_without_their_text_or_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no text 'barn'"):
        spans.load(spans_file(tmp_path, ("Who?", [span("Nobody")], "barn")))
    with pytest.raises(UsageError, match="it needs question, references, corpus_id"):
        spans.load(put(tmp_path / "q.csv", "a,b\n1,2\n"))
    with pytest.raises(UsageError, match="--corpus"):
        spans.load(tmp_path / "q.csv", tmp_path / "nowhere")
    with pytest.raises(UsageError, match="question 1"):
        spans.load(put(tmp_path / "q.csv", "question,references,corpus_id\nWho?,[,mill\n"))


# --- BEIR and TREC -----------------------------------------------------------------------------


def beir_folder(folder: Path, qrels: str) -> Path:
    first = {"_id": "d/1", "title": "Mills", "text": "A mill burnt."}
    tasks(folder / "corpus.jsonl", first, {"_id": "d:1", "title": "", "text": "Brick."})
    tasks(folder / "queries.jsonl", {"_id": "1", "text": "What burnt?"}, {"_id": "2", "text": "Unjudged?"})
    put(folder / "qrels" / "test.tsv", qrels)
    return folder


def test_beir_each_relevant_document_is_a_piece(tmp_path: Path) -> None:
    folder = beir_folder(tmp_path, "query-id\tcorpus-id\tscore\n1\td/1\t1\n1\td:1\t2\n2\td/1\t0\n")
    made = beir.load(folder)
    assert len(made.documents) == 2, "ids that fold to one file name get two"
    assert [(one.id, [piece.id for piece in one.pieces]) for one in made.questions] == [("1", ["d/1", "d:1"])]
    assert gold_stands(made) and made.remarks == ("1 queries without a relevant document: left out",)


def test_beir_a_judged_document_that_is_not_there_is_reported_by_the_run(tmp_path: Path) -> None:
    made = beir.load(beir_folder(tmp_path / "b", "1\td/1\t1\n1\tgone\t1\n"))
    collection.write(made, tmp_path / "out")
    with make(tmp_path / "w", dict(made.documents)) as engine:
        found = bench.run(engine, suite.read(tmp_path / "out" / "questions.jsonl"), answers=False)
    assert [error.doc for error in found.gold_errors] == ["gone"]
    assert found.to_json()["metrics"]["coverage@5"] == 1.0


def test_beir_another_layout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no corpus\.jsonl"):
        beir.load(tmp_path)
    folder = beir_folder(tmp_path, "1\td/1\t1\n")
    with pytest.raises(UsageError, match="there are: test"):
        beir.load(folder, "dev")


@pytest.mark.parametrize("text", ["q 0 d one\n", "q d\n", "", "q 0 d nan\n"])
def test_trec_qrels_of_another_shape_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="judgement"):
        trec.read_qrels(put(tmp_path / "qrels", "q 0 d 1\n" * bool(text) + text))


@pytest.mark.parametrize("text", ["q Q0 d 1 high tag\n", "q d 1\n", "", "q Q0 d 1 inf tag\n"])
def test_trec_runs_of_another_shape_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="result"):
        trec.read_run(put(tmp_path / "run", text))


def test_trec_a_run_is_ordered_by_score_whatever_the_ranks_say(tmp_path: Path) -> None:
    run = trec.read_run(
        put(tmp_path / "run", "q Q0 low 1 0.1 t\nq Q0 high 2 9 t\nq Q0 a 3 1 t\nq Q0 b 4 1 t\n")
    )
    assert [document for document, _ in run["q"]] == ["high", "b", "a", "low"]


# --- writing -----------------------------------------------------------------------------------


def test_file_names_are_safe_and_never_shared() -> None:
    keys = ["a/b", "a:b", "A/B", "..", "x" * 500, "x" * 501, "中文", "", "a/b"]
    names = collection.file_names(keys, ".txt")
    assert len({name.casefold() for name in names.values()}) == len(names) == 8
    assert all("/" not in name and not name.startswith(".") and len(name) < 160 for name in names.values())


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    made = squad.load(squad_file(tmp_path / "s.json", [qa("1", "When?", "1881")]))
    with pytest.raises(UsageError, match="not empty"):
        collection.write(made, tmp_path)
    collection.write(made, tmp_path / "new")
    assert suite.read(tmp_path / "new" / "questions.jsonl") == made.questions
    with pytest.raises(UsageError, match="no question"):
        collection.write(Collection({}, ()), tmp_path / "none")


# --- the public sets, where they are here --------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh", "de"])
def test_the_public_squad_translations_share_one_corpus(shared: Path, language: str) -> None:
    folder = shared / "datasets" / "xquad"
    paragraphs = folder / "xquad.en.json"
    made = squad.load(folder / f"xquad.{language}.json", paragraphs)
    assert (len(made.documents), len(made.questions), made.remarks) == (240, 1190, ())
    assert gold_stands(made)


def test_the_public_tasks_and_spans_have_their_published_sizes(shared: Path) -> None:
    made = mtrag.load(shared / "datasets" / "mtrag-un" / "reference.jsonl")
    assert (len(made.documents), len(made.questions)) == (1152, 429) and gold_stands(made)
    made = spans.load(shared / "datasets" / "chunking-evaluation" / "questions_df.csv")
    assert (len(made.documents), len(made.questions), made.remarks) == (5, 472, ())
    assert sum(len(one.pieces) > 1 for one in made.questions) == 188 and gold_stands(made)
