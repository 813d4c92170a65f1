"""Answers by a language model from the command line, against a scripted server: the gate stays first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scripted_server import Scripted, Step, claim, fails, gives, passages_of, quoting, reply, says, serving
from suffice.interfaces.cli import main
from suffice.plugins.generators import _chat_http

KEY = "sk-test-0123456789abcdef"
KILN = "The kiln reaches 1240 degrees after nine hours of firing."
PAGE = f"# Kiln\n\n{KILN}\n\n## Glaze\n\nThe glaze needs two coats and dries for 40 minutes.\n"
QUESTION = "What temperature does the kiln reach after nine hours?"


class Run:
    """The command line in this process, on a workspace of its own."""

    def __init__(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.place, self.capsys = place, capsys
        self.status, self.out, self.err = 0, "", ""

    def __call__(self, *arguments: str) -> Any:
        self.status = main(["--workspace", str(self.place / ".suffice"), *arguments])
        said = self.capsys.readouterr()
        self.out, self.err = said.out, said.err
        return json.loads(said.out) if "--json" in arguments else said.out


@pytest.fixture
def server() -> Iterator[Scripted]:
    with serving(quoting(KILN)) as script:
        yield script


@pytest.fixture
def suffice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], server: Scripted
) -> Run:
    for name in ("OPENAI_BASE_URL", "DASHSCOPE_BASE_URL", "DASHSCOPE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_chat_http, "FIRST_WAIT_S", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kiln.md").write_text(PAGE, "utf-8")
    (tmp_path / "suffice.toml").write_text(
        '[embed]\nname = "hashing"\n[gate]\njudge = "features"\nthreshold = 0.5\n'
        '[answer]\ngenerator = "openai"\n'
        f'[generator]\nbase_url = "{server.url}"\nmodel = "tiny"\ntotal_s = 5.0\nretries = 1\n'
        "[generator.prices]\ntiny = [1.0, 2.0]\n",
        "utf-8",
    )
    run = Run(tmp_path, capsys)
    run("add", "kiln.md", "--quiet")
    assert run.status == 0
    return run


def every_byte(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_model_answers_with_checked_quotes_and_the_key_is_nowhere(suffice: Run, server: Scripted) -> None:
    answer = suffice("ask", QUESTION, "--json")
    assert (suffice.status, answer["status"], server.n) == (0, "sufficient", 1)
    assert answer["answer"]["generator"] == "openai"
    [citation] = answer["answer"]["claims"][0]["citations"]
    assert (citation["quote"], citation["check"], citation["reattributed"]) == (KILN, "verified", False)
    assert answer["usage"] == {
        "model": "tiny",
        "prompt_tokens": 1000,
        "completion_tokens": 20,
        "cost": pytest.approx(1040e-6),
    }
    assert answer["notes"] == []
    suffice("ask", QUESTION)
    assert "tiny, 1020 tokens" in suffice.out
    suffice("status", "--json")
    assert server.keys[0] == f"Bearer {KEY}"
    assert KEY.encode() not in every_byte(suffice.place)
    suffice("verify", answer["id"])
    assert suffice.status == 0


def test_insufficient_evidence_sends_no_request(suffice: Run, server: Scripted) -> None:
    answer = suffice("ask", "Who won the football cup in 1987?", "--json")
    assert (suffice.status, answer["status"], answer["answer"]) == (11, "insufficient", None)
    answer = suffice("ask", f"{QUESTION} And who won the football cup in 1987?", "--strict", "--json")
    assert answer["answer"] is None
    assert server.n == 0


def test_another_generator_can_be_named_for_one_question(suffice: Run, server: Scripted) -> None:
    answer = suffice("ask", QUESTION, "--generator", "extractive", "--json")
    assert (answer["answer"]["generator"], server.n) == ("extractive", 0)


@pytest.mark.parametrize(
    ("step", "status", "stage"),
    [
        (fails(500, f"boom {KEY}"), 12, "answer"),
        (gives(b"<html>", "text/html"), 12, "answer"),
        (says("no JSON"), 12, "answer"),
        (says('{"sufficient": tr', finish="length"), 12, "answer"),
        (says(reply(sufficient=False)), 11, None),
        (
            says(reply(claim("The kiln reaches 1420 degrees.", ("x", "The kiln reaches 1420 degrees.")))),
            11,
            None,
        ),
    ],
)
def test_each_outcome_has_its_status_and_shows_nothing_unchecked(
    step: Step, status: int, stage: str | None, suffice: Run, server: Scripted
) -> None:
    server.steps[:] = [step]
    answer = suffice("ask", QUESTION, "--json")
    assert (suffice.status, answer["answer"]) == (status, None)
    assert [failure["stage"] for failure in answer["failures"]] == ([stage] if stage else [])
    assert KEY not in suffice.out + suffice.err
    assert KEY.encode() not in every_byte(suffice.place)
    suffice("ask", QUESTION)
    assert suffice.status == status
    assert "1420" not in suffice.out.split("Not shown")[0]


def test_what_is_dropped_moved_or_left_out_is_said(suffice: Run, server: Scripted) -> None:
    def content(request: dict[str, Any]) -> str:
        [*ids] = passages_of(request)
        wrong = next(id for id in ids if KILN not in passages_of(request)[id])
        return reply(
            claim(KILN, (wrong, KILN)),
            claim("It always reaches 1240 degrees.", (wrong, KILN)),
        )

    server.steps[:] = [says(content, usage=(5, 5))]
    answer = suffice("ask", QUESTION, "--json")
    assert answer["answer"]["claims"][0]["citations"][0]["reattributed"] is True
    assert answer["dropped_claims"] == [
        {"text": "It always reaches 1240 degrees.", "reason": 'it says "all", and its quotes do not'}
    ]
    assert "may have cut the evidence" in answer["notes"][0]
    shown = " ".join(suffice("ask", QUESTION).split())
    assert "found here and not where the writer said" in shown.replace("\u00a0", " ")
    assert "Not shown: 1 statement" in shown
    assert "may have cut the evidence" in shown


@pytest.mark.parametrize(
    ("step", "ok", "said"),
    [
        (gives(json.dumps({"data": [{"id": "tiny"}]}).encode()), True, "model tiny is listed"),
        (fails(401, f"wrong key {KEY}"), False, "refuses the key in OPENAI_API_KEY"),
        (gives(json.dumps({"data": [{"id": "a"}, {"id": "b"}]}).encode()), False, "does not list the model"),
    ],
)
def test_doctor_checks_the_endpoint(
    step: Step, ok: bool, said: str, suffice: Run, server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.steps[:] = [step]
    checks = {check["name"]: check for check in suffice("doctor", "--json")["checks"]}
    assert checks["generator"]["ok"] is ok
    assert said in checks["generator"]["detail"]
    assert server.paths == ["/v1/models"]
    assert KEY not in suffice.out


def test_doctor_asks_nobody_where_no_endpoint_is_set(
    suffice: Run, server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUFFICE_ANSWER__GENERATOR", "extractive")
    assert "generator" not in {check["name"] for check in suffice("doctor", "--json")["checks"]}
    assert server.n == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace('model = "tiny"', ""), "generator.model"),
        (
            lambda text: text.replace("retries = 1", f'api_key = "{KEY}"'),
            "generator.api_key looks like a secret",
        ),
        (
            lambda text: text.replace("retries = 1", f'extra_body = {{ api_key = "{KEY}" }}'),
            "generator.extra_body.api_key looks like a secret",
        ),
        (lambda text: text.replace("http://", f"http://me:{KEY}@"), "holds a name, a password"),
        (lambda text: text.replace("retries = 1", "no_such = 1"), "no_such"),
    ],
)
def test_wrong_settings_are_one_line_and_status_2(
    change: Callable[[str], str], said: str, suffice: Run, server: Scripted
) -> None:
    file = suffice.place / "suffice.toml"
    file.write_text(change(file.read_text("utf-8")), "utf-8")
    suffice("ask", QUESTION)
    assert suffice.status == 2
    assert said in suffice.err
    assert KEY not in suffice.out + suffice.err
    assert server.n == 0


def test_a_table_can_be_given_by_the_environment(
    suffice: Run, server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUFFICE_GENERATOR__EXTRA_BODY", '{"seed": 3, "max_thinking_tokens": 0}')
    assert suffice("ask", QUESTION, "--json")["status"] == "sufficient"
    assert server.requests[0]["seed"] == 3
