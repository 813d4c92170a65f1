"""Identifiers: kept whole, at their place."""

from __future__ import annotations

import pytest

from suffice.text import identifiers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use `lamp dev --now` today.", ["lamp dev --now"]),
        ("Set max_upload_bytes, poolSize or v1.2.3.", ["max_upload_bytes", "poolSize", "v1.2.3"]),
        ("See CVE-2031-4471 and https://a.example/b.", ["CVE-2031-4471", "https://a.example/b"]),
        ("pass --local, not -x1; see .env", ["--local", "x1", ".env"]),
        ("脚本读取KV命名空间，调用 fetch() 即可", ["KV", "fetch"]),
        ("I met them and/or her, e.g. at noon.", []),
        ("It takes 30 seconds or 3.5 minutes.", []),
        ("@scope/pkg and /api/v1/x", ["@scope/pkg", "/api/v1/x"]),
    ],
)
def test_code_like_tokens(text: str, expected: list[str]) -> None:
    found = identifiers(text)
    assert [identifier.text for identifier in found] == expected
    assert all(text[slice(*identifier.span)] == identifier.text for identifier in found)
