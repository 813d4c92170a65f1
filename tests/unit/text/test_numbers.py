"""Quantities: one amount, however it is written."""

from __future__ import annotations

import pytest

from suffice.text import numbers


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10 MB", "10,000 kB"),
        ("1 MiB", "1024 KiB"),
        ("2 minutes", "120秒"),
        ("100,000", "10万"),
        ("1.5亿", "150 million"),
        ("3 %", "百分之三"),
        ("3,5 %", "3.5%"),
        ("1.000.000", "1,000,000"),
        ("1.234", "1,234"),
        ("三十天", "30 days"),
        ("−5 kPa", "-5 kPa"),
        ("$5 million", "5,000,000 USD"),
        ("４０ ms", "0.04 s"),
        ("1 000 000", "1000000"),
    ],
)
def test_the_same_amount(one: str, other: str) -> None:
    (left,), (right,) = numbers(one), numbers(other)
    assert left.same(right), (left, right)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10 MB", "10 MiB"),
        ("5 kPa", "-5 kPa"),
        ("30", "30 %"),
        ("1.5", "15"),
        ("10 Mb", "10 MB"),
        ("3 天", "3 年"),
    ],
)
def test_another_amount(one: str, other: str) -> None:
    (left,), (right,) = numbers(one), numbers(other)
    assert not left.same(right), (left, right)


def test_ranges_versions_and_words() -> None:
    assert [quantity.value for quantity in numbers("5–10 °C, CVE-2031-4471")] == [5, 10, 2031, 4471]
    assert numbers("v1.2.3 at 10.0.0.1: 统一 一些 第一") == []


def test_spans_are_exact() -> None:
    text = "At most 25 requests, 1,000 rows, 约20%。"
    assert (
        [text[slice(*q.span)] for q in numbers(text)]
        == [q.text for q in numbers(text)]
        == ["25", "1,000", "20%"]
    )
