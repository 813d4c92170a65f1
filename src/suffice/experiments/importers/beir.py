"""BEIR's folder: `corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`; grades above 0 are relevant.

A judgement is about a whole document, so its quote is the whole text and any chunk of it will do. Each
relevant document is a piece: coverage@k is then BEIR's recall@k.
"""

from __future__ import annotations

from pathlib import Path

from suffice.errors import UsageError
from suffice.experiments.importers.collection import Collection, field, file_names
from suffice.experiments.importers.trec import read_qrels
from suffice.experiments.suite import Gold, Piece, Question, json_lines
from suffice.text import language


def load(source: Path, split: str = "test") -> Collection:
    """Queries with judgements in `qrels/<split>.tsv` over the whole corpus. Raises UsageError."""
    for name in ("corpus.jsonl", "queries.jsonl"):
        if not (source / name).is_file():
            raise UsageError(f"{source} has no {name}; give a folder in BEIR's layout")
    qrels_file = source / "qrels" / f"{split}.tsv"
    if not qrels_file.is_file():
        there = sorted(path.stem for path in (source / "qrels").glob("*.tsv"))
        raise UsageError(f"{source} has no qrels/{split}.tsv; there are: {', '.join(there) or 'none'}")
    texts: dict[str, str] = {}
    for number, row in json_lines(source / "corpus.jsonl"):
        where = f"{source / 'corpus.jsonl'}, line {number}"
        title = str(row.get("title") or "").strip() if isinstance(row, dict) else ""
        body = field(row, "text", str, where).strip()
        texts[str(field(row, "_id", (str, int), where))] = f"{title}\n\n{body}" if title else body
    names = file_names(texts, ".txt")
    qrels = read_qrels(qrels_file)
    questions = []
    n_unjudged = 0
    for number, row in json_lines(source / "queries.jsonl"):
        where = f"{source / 'queries.jsonl'}, line {number}"
        key, text = str(field(row, "_id", (str, int), where)), field(row, "text", str, where).strip()
        relevant = [document for document, grade in qrels.get(key, {}).items() if grade > 0]
        if not relevant:
            n_unjudged += 1
            continue
        pieces = tuple(
            Piece(document, "", (Gold(names.get(document, document), texts.get(document, "?")),))
            for document in relevant
        )
        questions.append(Question(key, text, "full", pieces, language(text), "judged"))
    remarks = (f"{n_unjudged} queries without a relevant document: left out",) if n_unjudged else ()
    return Collection({names[key]: text for key, text in texts.items()}, tuple(questions), remarks)
