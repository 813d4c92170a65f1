"""Terms: what must be shared, by whom, and that any string is taken."""

from __future__ import annotations

import math
import time
from collections import Counter

import pytest

from suffice.text import terms


def bm25(query: str, documents: list[str]) -> list[int]:
    bags = [Counter(terms(text)) for text in documents]
    mean = sum(map(Counter.total, bags)) / len(bags)
    scores = [0.0] * len(bags)
    for term in dict.fromkeys(terms(query)):
        n_holding = sum(term in bag for bag in bags)
        idf = math.log(1 + (len(bags) - n_holding + 0.5) / (n_holding + 0.5))
        for i, bag in enumerate(bags):
            n = bag[term]
            scores[i] += idf * n * 2.5 / (n + 1.5 * (0.25 + 0.75 * bag.total() / mean))
    return [i for i in sorted(range(len(bags)), key=lambda i: (-scores[i], i)) if scores[i] > 0]


FILLER = [f"An ordinary page number {n} about gardens and rivers." for n in range(6)]


@pytest.mark.parametrize(
    ("query", "exact", "parts"),
    [
        (
            "E-4471",
            "The code is E-4471. " + "Other words stand here too. " * 12,
            "E 4471 E 4471 E 4471 e 4471",
        ),
        (
            "pool.size",
            "Set pool.size to 3. " + "Other words stand here too. " * 12,
            "pool size pool size pool size",
        ),
        ("maxPoolSize", "maxPoolSize is an option", "The max size of a pool: max pool, pool size, max size."),
        ("v2.10.1", "v2.10.1 came out", "v2.10.10 came out. Then v2.10, v2.1 and 2.10.0; 10, 1, 2."),
        ("KV_NS_404", "kv_ns_404 is raised", "KV NS 404, KV NS 404, KV NS 404, KV, NS, 404"),
    ],
)
def test_the_exact_identifier_outranks_its_parts(query: str, exact: str, parts: str) -> None:
    assert bm25(query, [*FILLER, parts, exact])[0] == len(FILLER) + 1
    assert bm25(query.lower(), [*FILLER, parts, exact])[0] == len(FILLER) + 1 or query == "maxPoolSize"


@pytest.mark.parametrize(
    "part", ["4471", "upload_bytes", "uploadBytes", "upload-bytes", "MAX_UPLOAD", "bytes"]
)
def test_a_part_finds_the_identifier(part: str) -> None:
    document = "Codes: CVE-2031-4471, max_upload_bytes."
    assert set(terms(part)) & set(terms(document))


def test_a_run_of_parts_is_told_from_scattered_parts() -> None:
    assert set(terms("SSL_PROTOCOL")) & set(terms("ERR_SSL_PROTOCOL_ERROR")) - set(terms("SSL and PROTOCOL"))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("密钥", "删除密钥后"),
        ("KV命名空间", "脚本读取KV命名空间需要"),
        ("球队", "NFL球队"),
        ("NFL", "看NFL球队"),
        ("𠮷野", "到𠮷野站"),
        ("ガラス", "ｶﾞﾗｽの板"),
        ("한도", "계정의한도는"),
        ("ขีด", "มีขีดจำกัด"),
        ("limit", "limits"),
        ("policies", "policy"),
        ("STRASSE", "Straße"),
        ("uber", "über"),
        ("ｋｖ", "KV"),
        ("1000000", "1,000,000 rows"),
        ("c++", "C++ and C"),
    ],
)
def test_what_must_match_matches(query: str, text: str) -> None:
    assert set(terms(query)) & set(terms(text))


@pytest.mark.parametrize(
    ("query", "text"), [("微波炉", "删除密钥后需要重新部署服务"), ("lamp", "the pump"), ("?!", "?!")]
)
def test_what_shares_nothing_is_no_hit(query: str, text: str) -> None:
    assert not set(terms(query)) & set(terms(text))


def test_pairs_count_more_than_characters() -> None:
    assert bm25("导出日志", ["日出导志", "可以导出日志"])[0] == 1


def test_short_words_and_latin_endings_are_left_alone() -> None:
    assert terms("gas class status analysis") == ["gas", "class", "status", "analysis"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "\ud800\udfff",
        "\ufdfa" * 1000,
        "_" * 50,
        "a\u0301" * 100,
        "\u200b\u00ad",
        "..." * 99,
        "=~`|",
        "İ ŉ ΐ",
    ],
)
def test_any_string_is_taken(text: str) -> None:
    assert all(term and not any("\ud800" <= c <= "\udfff" for c in term) for term in terms(text))


@pytest.mark.parametrize(
    "unit", ["a", "a.", "aB1", "中", "a\u0301\u0316", "x_", "`a", "1,000", "\ud800", "ก็"]
)
def test_a_megabyte_in_one_line_takes_linear_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    began = time.process_time()
    found = terms(text)
    assert time.process_time() - began < 6
    assert max(map(len, found), default=0) <= 210
