"""`suffice diagnose` from the outside: arguments, JSON, terminal, page, other systems' traces."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest

PIECES = [
    {
        "id": "C1",
        "need": "how to set",
        "evidence": [{"doc": "keys.md", "quote": "Run `put NAME` to set a key."}],
    },
    {
        "id": "C2",
        "need": "<b>how long</b>",
        "evidence": [{"doc": "plans.md", "quote": "keeps logs for 30 days"}],
    },
    {"id": "C3", "need": "", "evidence": [{"doc": "gone.md", "quote": "It was never written."}]},
]
Run = Callable[..., SimpleNamespace]


@pytest.fixture
def suffice(suffice: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in a folder with an indexed workspace and a benchmark of two questions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "suffice.toml").write_text('[embed]\nname = "hashing"\n', "utf-8")
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "keys.md").write_text("# Keys\n\nRun `put NAME` to set a key.\n", "utf-8")
    (pages / "plans.md").write_text("# Plans\n\nThe free plan keeps logs for 30 days.\n", "utf-8")
    (pages / "other.md").write_text("# Other\n\nNothing of interest stands here.\n", "utf-8")
    lines = [
        {"id": "q1", "question": "How do I set a key?", "answerable": "partial", "pieces": PIECES},
        {"id": "q2", "question": "How long are logs kept?", "answerable": "full", "pieces": PIECES[1:2]},
    ]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")

    assert suffice("add", pages, "--quiet").status == 0
    return suffice


def test_json_is_that_of_the_contract(suffice: Run) -> None:
    shown = suffice("diagnose", "--gold", "gold.jsonl", "--id", "q1", "--repairs", "-k", "1", "--json")
    assert shown.status == 0
    data = json.loads(shown.out)
    assert data["schema"] == "suffice.diagnosis/1"
    assert (data["question"], data["k"], data["depth"]) == ("How do I set a key?", 1, 3)
    assert isinstance(data["generation"], str)
    first, second, third = data["pieces"]
    assert first.keys() >= {"id", "need", "layer", "chunk_id", "ranks", "k_needed", "note"}
    assert set(first["ranks"]) == {"dense", "lexical", "hybrid"}
    assert (first["k_needed"], third["layer"], third["k_needed"]) == (1, "not_in_corpus", None)
    assert second["layer"] in ("just_outside_k", "deep")
    repair = next(one for one in data["repairs"] if one["setting"] == {"k": 5})
    assert repair["name"] == "top_k"
    assert repair["ranks"] == {"C1": 1, "C2": second["k_needed"], "C3": None}
    assert (repair["coverage_before"], repair["judgement"]) == (0.3333, "helps")
    assert isinstance(repair["cost_ms"], float)
    assert data["judgement"]


def test_the_terminal_shows_all_of_it_in_80_cells_without_colour(suffice: Run) -> None:
    shown = suffice("diagnose", "--gold", "gold.jsonl", "--id", "q1", "--repairs", "-k", "1")
    assert "\x1b" not in shown.out
    assert max(len(line) for line in shown.out.split("\n")) <= 80
    assert "not in the corpus" in shown.out
    assert re.search(r"as it was +1 ✓ +\d +–", shown.out)
    assert re.search(r"top k 5 +1 ✓ +\d ✓ +– +67% .* helps", shown.out)
    assert "chunk size 1200" in shown.out


def test_an_expected_quote_in_a_document(suffice: Run) -> None:
    shown = suffice(
        "diagnose", "How do I set a key?", "--expect", "to set a key", "--expect-in", "keys.md", "--json"
    )
    piece = json.loads(shown.out)["pieces"][0]
    assert (piece["document"], piece["ranks"]["hybrid"]) == ("pages/keys.md", 1)


def test_a_tenant_is_not_told_of_anothers_document(suffice: Run, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "secret-plan.md").write_text("# Plan\n\nThe merger is on Friday.\n", "utf-8")
    assert suffice("add", "theirs", "--tenant", "rival", "--quiet").status == 0
    for asker in (("--tenant", "acme"), ()):
        for doc in ((), ("--expect-in", "secret-plan.md")):
            asked = ("diagnose", "When is it?", "--expect", "The merger is on Friday.", *doc, *asker)
            shown = suffice(*asked, "--json")
            assert json.loads(shown.out)["pieces"][0]["layer"] == "not_in_corpus"
            told = shown.out + suffice(*asked).out
            assert "rival" not in told and "theirs" not in told
            assert "secret-plan" not in told.replace("no document is named secret-plan.md", "")
    mine = suffice("diagnose", "When?", "--expect", "The merger is on Friday.", "--tenant", "rival", "--json")
    assert json.loads(mine.out)["pieces"][0]["document"] == "theirs/secret-plan.md"


def test_an_earlier_answer_is_explained(suffice: Run) -> None:
    answer = json.loads(suffice("ask", "How do I set a key?", "--json").out)
    shown = suffice("diagnose", "--trace", answer["id"], "--expect", "keeps logs for 30 days", "--json")
    data = json.loads(shown.out)
    assert (data["answer"], data["question"], data["changes"]) == (answer["id"], "How do I set a key?", [])
    assert data["pieces"][0]["k_needed"] == next(
        hit["rank"] for hit in answer["evidence"] if "30 days" in hit["text"]
    )


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_stands_alone_and_shows_words_as_words(suffice: Run, tmp_path: Path) -> None:
    shown = suffice(
        "diagnose", "--gold", "gold.jsonl", "--id", "q1", "--repairs", "--html", "out.html", "-k", "1"
    )
    assert shown.status == 0
    page = (tmp_path / "out.html").read_text("utf-8")
    tags = Tags()
    tags.feed(page)
    assert not tags.open
    names = [tag for tag, _ in tags.seen]
    assert "svg" in names
    assert not {"script", "link", "img", "b"} & set(names)
    assert not any(key in attrs for _, attrs in tags.seen for key in ("src", "href", "onclick"))
    assert "http" not in page.replace("http-equiv", "")
    assert "&lt;b&gt;how long&lt;/b&gt;" in page
    assert names.count("article") == 3
    assert len([1 for tag, attrs in tags.seen if tag in ("circle",)]) == 1 + 2


def test_traces_of_another_system(suffice: Run, tmp_path: Path) -> None:
    trace = {
        "question": "How long are logs kept?",
        "retrieved": ["Nothing.", "The free plan keeps logs for **30 days**."],
        "answer": "I do not know.",
    }
    other = {"question": "What else?", "retrieved": [], "answer": "Nothing."}
    (tmp_path / "t.jsonl").write_text(json.dumps(trace) + "\n" + json.dumps(other) + "\n", "utf-8")
    data = json.loads(suffice("diagnose", "--foreign", "t.jsonl", "--gold", "gold.jsonl", "--json").out)
    assert data["schema"] == "suffice.foreign/1"
    assert data["skipped"] == ["What else?"]
    assert [(p["id"], p["layer"], p["rank"]) for p in data["traces"][0]["pieces"]] == [
        ("C2", "unused_by_answer", 2)
    ]
    shown = suffice("diagnose", "--foreign", "t.jsonl", "--gold", "gold.jsonl")
    assert "left out of the answer" in shown.out
    assert "1 trace asks what gold.jsonl does not list" in shown.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["How?"], "nothing to look for"),
        (["--expect", "x"], "there is no QUESTION"),
        (["How?", "--expect", " "], "is empty"),
        (["How?", "--expect-in", "a.md", "--gold", "gold.jsonl"], "--expect-in names"),
        (["--gold", "gold.jsonl"], "--id q1"),
        (["--gold", "gold.jsonl", "--id", "q9"], "it has: q1, q2"),
        (["--gold", "absent.jsonl", "--id", "q1"], "cannot read absent.jsonl"),
        (["Other?", "--gold", "gold.jsonl", "--id", "q1"], "is another one"),
        (["--id", "q1"], "--gold FILE too"),
        (["--trace", "abc", "--expect", "x", "-k", "3"], "--trace has its own"),
        (["How?", "--trace", "abc", "--expect", "x"], "--trace has its own question"),
        (["--trace", "abc", "--expect", "x"], "no answer has the id"),
        (["--foreign", "gold.jsonl"], "nothing to look for"),
        (["--foreign", "pages/keys.md", "--expect", "x"], "is not JSON"),
        (["How?", "--foreign", "x", "--expect", "x"], "leave out QUESTION"),
        (["How?", "--expect", "x", "--html", "no/such/folder.html"], "cannot write"),
    ],
)
def test_wrong_usage_is_told_in_one_line_that_says_what_to_do(
    suffice: Run, arguments: list[str], said: str
) -> None:
    shown = suffice("diagnose", *arguments)
    assert shown.status == 2
    assert said in shown.err
    assert shown.err.strip().count("\n") == 0


def test_a_format_without_a_foreign_file_is_refused(suffice: Run) -> None:
    shown = suffice("diagnose", "How long?", "--expect", "30 days", "--format", "otel")
    assert shown.status == 2 and "--foreign" in shown.err


def test_what_a_filter_keeps_out_is_outranked_by_nothing(suffice: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    shown = suffice(
        "diagnose", "How do I set a key?", "--expect", "keeps logs for 30 days", "--where", "path=*/keys.md",
        "--html", str(page), "--json",
    )  # fmt: skip
    piece = json.loads(shown.out)["pieces"][0]
    assert piece["layer"] == "filtered_out" and piece["outranked_by"] == []
    assert "nan" not in page.read_text("utf-8")
