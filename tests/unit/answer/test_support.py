"""What a claim may not add to its quotes, across languages; and honest claims that must pass."""

from __future__ import annotations

import pytest

from suffice.answer.support import unsupported

HONEST = [
    ("Cooked rice keeps for 1 day.", "Cooked rice keeps for one day in the fridge."),
    ("煮好的米饭可在冰箱保存 1 天。", "Cooked rice keeps for one day in the fridge."),
    ("上传上限为 10 MB。", "The upload limit is 10MB."),
    ("Der Grenzwert liegt bei 1.000 Anfragen.", "The limit is 1,000 requests."),
    ("每月可构建 500 次。", "You can run 500 builds a month."),
    ("该市有 120 万居民。", "The city has 1.2 million inhabitants."),
    ("在 5 °C 到 10 °C 之间保存。", "Keep it at 5–10 °C."),
    ("该版本于 2031年8月1日 发布。", "It was released on August 1, 2031."),
    ("Set `max_bytes` to 5000.", "2. Set `max_bytes` to 5000."),
    ("Run `tool secret put NAME`.", "Then run `tool secret put NAME` in the shell."),
    ("Dogs are not allowed in the ward.", "Visitors may not bring dogs into the ward."),
    ("病房内不允许带狗。", "Visitors may not bring dogs into the ward."),
    ("Plug-ins can not be disabled there.", "Disabling plug-ins is impossible there."),
    ("文件大小不超过 10 MB。", "Files may have up to 10 MB."),
    ("只有管理员可以删除密钥。", "Only administrators can delete keys."),
    ("Only administrators can delete keys.", "You must be an administrator to delete keys."),
    ("All requests are logged.", "Every request is logged."),
    ("所有请求都会被记录。", "Each request is logged."),
    ("The file is read-only and well-known.", "The file can be read and nothing else. Everyone knows it."),
    ("The 24h window starts at noon.", "The window of 24 h starts at noon."),
    ("1. Open it.\n2. Save it.", "Open it, then save it."),
    ("该票有效期为 1 天。", "Die Karte gilt einen Tag."),
    ("The server stops at once.", "If the key is not set, the server stops at once."),
    ("设定しなければなりません。", "The value must be set."),
]

OVERCLAIMS = [
    ("Cooked rice keeps for 2 days.", "Cooked rice keeps for one day in the fridge."),
    ("上传上限为 100 MB。", "The upload limit is 10 MB."),
    ("The upload limit is 10 GB.", "The upload limit is 10 MB."),
    ("该市有 120 亿居民。", "The city has 1.2 million inhabitants."),
    ("It takes 30 minutes.", "It takes 30 seconds."),
    ("Set `max_byte` to 5000.", "Set `max_bytes` to 5000."),
    ("Use AES-128 for it.", "Use AES-256 for it."),
    ("Use the `--force` option.", "Use the `--dry-run` option."),
    ("Visit https://evil.example/login to go on.", "Sign in to go on."),
    ("Dogs are not allowed in the garden.", "Guide dogs are welcome in the garden."),
    ("导盲犬不能进入花园。", "Guide dogs are welcome in the garden."),
    ("The pump primes itself.", "The pump does not prime itself."),
    ("水泵可以自吸。", "The pump does not prime itself."),
    ("All plans include backups.", "The team plan includes backups."),
    ("所有套餐都包含备份。", "The team plan includes backups."),
    ("Only the team plan includes backups.", "The team plan includes backups."),
    ("仅团队套餐包含备份。", "The team plan includes backups."),
    ("A seat costs 1 crown.", "A single seat costs 4 crowns."),
    ("Sitze kosten nichts.", "A single seat costs 4 crowns."),
    ("Backups are always kept.", "Backups are kept for the team plan."),
]


@pytest.mark.parametrize(("claim", "quote"), HONEST, ids=[claim for claim, _ in HONEST])
def test_an_honest_claim_passes(claim: str, quote: str) -> None:
    assert unsupported(claim, [quote]) is None


@pytest.mark.parametrize(("claim", "quote"), OVERCLAIMS, ids=[claim for claim, _ in OVERCLAIMS])
def test_an_overclaim_is_named(claim: str, quote: str) -> None:
    assert unsupported(claim, [quote])


def test_names_may_stand_in_the_title_and_abbreviations_in_the_question() -> None:
    quote = "Set a limit of your own."
    assert unsupported("`max_bytes` sets a limit.", [quote])
    assert unsupported("`max_bytes` sets a limit.", [quote], ["Option max_bytes"]) is None
    assert unsupported("The API has a limit.", [quote])
    assert unsupported("The API has a limit.", [quote], question="Has the API a limit?") is None
    assert unsupported("max_bytes is a limit.", [quote], question="Is max_bytes a limit?")


@pytest.mark.parametrize("claim", ["", "\0", "\ud800", "`" * 500, "不" * 5000, "9" * 5000, "a-" * 3000])
def test_odd_claims_do_no_harm(claim: str) -> None:
    unsupported(claim, ["", "q" * 5000])
