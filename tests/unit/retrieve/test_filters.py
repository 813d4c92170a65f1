"""`--where`: what is read, what holds, and what is refused in words."""

from __future__ import annotations

import pytest

from suffice.errors import FilterError
from suffice.retrieve.filters import condition, holds, matches, read
from suffice.values import Condition, Filter, Meta

META: Meta = {
    "lang": "de",
    "year": 2024,
    "price": 9.5,
    "draft": False,
    "date": "2024-03-09",
    "version": "2",
    "名": "值",
}
PATH = "docs/api/limits.md"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("lang=de", Condition("lang", "=", "de")),
        (" lang != de ", Condition("lang", "!=", "de")),
        ("year>=2024", Condition("year", ">=", 2024.0)),
        ("date<2024-05-01", Condition("date", "<", "2024-05-01")),
        ("lang in de, en,fr", Condition("lang", "in", ("de", "en", "fr"))),
        ("lang^=d", Condition("lang", "prefix", "d")),
        ("path=docs/**", Condition("path", "glob", "docs/**")),
        ('title="a = b"', Condition("title", "=", "a = b")),
        ("url=https://x.example/?a=b", Condition("url", "=", "https://x.example/?a=b")),
        ("lang=", Condition("lang", "=", "")),
        ("inside=1", Condition("inside", "=", "1")),
    ],
)
def test_read(expression: str, expected: Condition) -> None:
    assert condition(expression) == expected


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("", "one of"),
        ("lang", "one of"),
        ("=de", "one of"),
        ("lang~de", "one of"),
        ("year>soon", "neither a number nor a date"),
        ("year>nan", "neither a number nor a date"),
        ("year<", "no value"),
        ("lang^=", "no value"),
        ("lang in ,", "nothing"),
        ("tenant=x", "--tenant"),
    ],
)
def test_what_cannot_be_read_says_why(expression: str, said: str) -> None:
    with pytest.raises(FilterError, match=said):
        condition(expression)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("lang=de", True),
        ("lang=DE", False),
        ("lang!=en", True),
        ("lang!=de", False),
        ("absent=1", False),
        ("absent!=1", True),
        ("absent<1", False),
        ("year=2024", True),
        ("year=2024.0", True),
        ("year=abc", False),
        ("year>2023", True),
        ("year>2024", False),
        ("year>=2024", True),
        ("year<=2023.9", False),
        ("price<10", True),
        ("version<10", True),  # as numbers, although "2" > "10" as text
        ("lang<3", False),
        ("date>2024-03-08", True),
        ("date>2024-03-09", False),
        ("date>=2024-03-09T00:00:00Z", True),
        ("date<2024-03-09T00:00:01+00:00", True),
        ("date<5", False),
        ("draft=false", True),
        ("draft=False", True),
        ("draft=0", False),
        ("lang in en,de", True),
        ("year in 2023,2024", True),
        ("lang in en,fr", False),
        ("lang^=d", True),
        ("lang^=e", False),
        ("名=值", True),
        ("path^=docs/", True),
        ("path!=docs/**", False),
        ("path in blog/**,docs/**", True),
    ],
)
def test_holds(expression: str, expected: bool) -> None:
    assert holds(condition(expression), PATH, META) is expected


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("docs/**", "docs/a.md", True),
        ("docs/**", "docs/a/b/c.md", True),
        ("docs/**", "mydocs/a.md", False),
        ("docs/*", "docs/a/b.md", False),
        ("docs/*.md", "docs/a.md", True),
        ("docs/**/c.md", "docs/c.md", True),
        ("docs/**/c.md", "docs/a/b/c.md", True),
        ("**/c.md", "c.md", True),
        ("*.md", "docs/api/limits.md", True),
        ("limits.md", "docs/api/limits.md", True),
        ("a?.md", "ab.md", True),
        ("a[bc].md", "ac.md", True),
        ("a[!bc].md", "ac.md", False),
        ("a[.md", "a[.md", True),
        ("a+(b).md", "a+(b).md", True),
        ("docs/api/limits.md", "docs/api/limits.md", True),
        ("docs/api/limits.md", "docs/api/limits.md.bak", False),
    ],
)
def test_path_patterns(pattern: str, path: str, expected: bool) -> None:
    assert holds(Condition("path", "glob", pattern), path, {}) is expected


def test_a_path_pattern_that_means_nothing_is_refused() -> None:
    with pytest.raises(FilterError, match="pattern"):
        holds(Condition("path", "glob", "a[z-a].md"), "a.md", {})


def test_an_operation_of_somebody_elses_making_is_refused() -> None:
    with pytest.raises(FilterError, match="operation"):
        holds(Condition("lang", "like", "d"), PATH, META)


def test_the_tenant_is_always_part_of_the_filter() -> None:
    assert matches(Filter(), None, PATH, META)
    assert not matches(Filter(), "acme", PATH, META)
    assert matches(Filter("acme"), "acme", PATH, META)
    assert not matches(Filter("acme"), None, PATH, META)
    both = read(["lang=de", "year>2025"], "acme")
    assert both.tenant == "acme"
    assert not matches(both, "acme", PATH, META)
