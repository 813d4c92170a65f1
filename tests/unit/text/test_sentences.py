"""Sentences: cut where a reader would, and nowhere that a quote would suffer."""

from __future__ import annotations

import time

import pytest

from suffice.text import sentences


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Use a tool, e.g. the newest one, or v1.2.3 at 3.5 MB.",
        "Wir fahren z. B. am 3. Mai nach Berlin, bzw. Bonn.",
        "See No. 5 at https://a.example/b.c?d=e. for more",
        "Run `a. B` and J. Smith will see it vs. Brown.",
        "Wait ... then go on.",
        "「本当です。」と言った。",
        "What is Node.js 18.2?",
    ],
)
def test_one_sentence_is_not_cut(text: str) -> None:
    assert cut(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One stands. Two runs!  Three?", ["One stands.", "Two runs!", "Three?"]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("密钥需要绑定。然后部署！好吗？", ["密钥需要绑定。", "然后部署！", "好吗？"]),
        ("他说：“停。”然后走了。", ["他说：“停。”", "然后走了。"]),
        ("什么是KV?如何使用?", ["什么是KV?", "如何使用?"]),
        ("Soft\nwrapped line. Next\none.", ["Soft\nwrapped line.", "Next\none."]),
        ("First\n\nSecond", ["First", "Second"]),
        ("Intro:\n- one\n- two. Three\n1. Four", ["Intro:", "- one", "- two.", "Three", "1. Four"]),
        ("| a. B | c |\n|---|---|\n| 1. D | e |", ["| a. B | c |", "|---|---|", "| 1. D | e |"]),
        ("```\nx. Y\nz\n```\nAfter.", ["```", "x. Y", "z", "```", "After."]),
        ("# A title. With a stop\ntext", ["# A title. With a stop", "text"]),
        ("यह एक है। वह दो है।", ["यह एक है।", "वह दो है।"]),
    ],
)
def test_sentences_are_cut(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@pytest.mark.parametrize("unit", ["a. B ", ".", "- a\n", "`a", "。", "`" * 3 + "\n", "\ud800. "])
def test_a_megabyte_takes_linear_time(unit: str) -> None:
    began = time.process_time()
    sentences(unit * (1_000_000 // len(unit)))
    assert time.process_time() - began < 6
