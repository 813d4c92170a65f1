"""Values of our own making, one of each outcome, that the tests of the interfaces show and write."""

from __future__ import annotations

from dataclasses import replace

from suffice.values import (
    Answer,
    AnswerBody,
    Citation,
    Claim,
    DroppedClaim,
    Failure,
    Hit,
    JudgedNeed,
    Need,
    Preview,
    Ranking,
    Suggestion,
    Support,
    Usage,
    Verdict,
)

ROTATE = """To rotate a signing key:

1. Run `keyring rotate --grace 24h`. Old tokens stay valid during the grace period.
2. Wait until **every** instance has reloaded its keys.
3. Run `keyring prune` to delete the old key.
"""
LIMITS = """| Plan | Keys | Rotations per day |
| ---- | ---- | ----------------- |
| Free | 2    | 1                 |
| Team | 50   | 24                |
"""
CODE = """```sh
keyring export --format jwks --output /etc/gateway/keys.json --include-retired --only "signing,encryption"
systemctl reload gateway
```"""
CHINESE = (
    "轮换签名密钥时，旧令牌在宽限期内仍然有效；"
    "请先运行 `keyring rotate`，再等待所有实例重新加载密钥（通常不到 30 秒）。"
)


def hit(rank: int, title: str, path: tuple[str, ...], document: str, text: str, **more: object) -> Hit:
    made = Hit(
        rank=rank,
        chunk_id=f"0badcafe-{rank:016x}",
        document=document,
        title=title,
        heading_path=path,
        span=(100, 100 + len(text)),
        page=None,
        sha256="ab" * 32,
        snapshot="3f9a1c20",
        text=text,
        score=4.2 - rank / 2,
        scorer="hybrid",
        ranks={"dense": rank + 1, "lexical": None if rank == 3 else rank},
        scores={"dense": 0.8512, "lexical": None},
    )
    return replace(made, **more)  # type: ignore[arg-type]


HITS = (
    hit(1, "Signing keys", ("Signing keys", "Rotate a key"), "guide/keys/rotation.md", ROTATE),
    hit(2, "Limits", ("Limits", "By plan"), "reference/limits.md", LIMITS),
    hit(3, "Gateway", ("Gateway", "Load keys", "From a file"), "guide/gateway.md", CODE),
    hit(4, "签名密钥", ("签名密钥", "轮换"), "zh/keys.md", CHINESE),
)


def claim(evidence: int, need: str, text: str | None = None, quote: str | None = None) -> Claim:
    found = HITS[evidence - 1]
    quote = quote if quote is not None else found.text.rstrip("\n")
    start = found.span[0] + max(found.text.find(quote), 0)
    cited = Citation(evidence, found.chunk_id, found.document, quote, (start, start + len(quote)), "verified")
    return Claim(text if text is not None else quote, (need,), (cited,))


def judged(name: str, text: str, evidence: int | None) -> JudgedNeed:
    supports = ()
    if evidence is not None:
        supports = (Support(name, evidence, HITS[evidence - 1].span, 0.93, "features"),)
    return JudgedNeed(Need(name, text), supports, 0.93 if supports else 0.11)


def body(*claims: Claim, generator: str = "extractive") -> AnswerBody:
    text = "\n\n".join(f"{item.text} [{item.citations[0].evidence}]" for item in claims)
    return AnswerBody(generator, text, claims)


QUESTION = "How do I rotate a signing key, how often may I do it on the Team plan, and who is told?"
SUGGESTIONS = (
    Suggestion("S1", "Who may rotate keys in the gateway?", Preview("insufficient")),
    Suggestion(
        "S2",
        "How does the gateway load keys from a file?",
        Preview("sufficient", "guide/gateway.md", "Gateway"),
    ),
    Suggestion(
        "S3", "What is the `--grace` period of keyring rotate?", Preview("partial", "guide/keys/rotation.md")
    ),
)

PARTIAL = Answer(
    id="01JDMA7Q4W",
    question=QUESTION,
    language="en",
    asked_at="2026-11-30T21:00:00Z",
    snapshots=("3f9a1c20",),
    generation="g-5c1d",
    tenant=None,
    verdict=Verdict(
        (
            judged("N1", "How do I rotate a signing key?", 1),
            judged("N2", "How often may I rotate a key on the Team plan?", 2),
            judged("N3", "Who is told when a key is rotated?", None),
        )
    ),
    evidence=HITS,
    answer=body(claim(1, "N1"), claim(2, "N2")),
    message="The evidence provided does not include: Who is told when a key is rotated?",
    suggestions=SUGGESTIONS,
    timings_ms={"embed": 6.0, "search": 3.2, "judge": 40.1, "compose": 12.0, "recover": 30.0, "total": 91.3},
)
SUFFICIENT = replace(
    PARTIAL,
    id="01JDMA7Q4X",
    question="How do I rotate a signing key?",
    verdict=Verdict((judged("N1", "How do I rotate a signing key?", 1),)),
    answer=body(claim(1, "N1"), claim(3, "N1")),
    message="",
    suggestions=(),
)
WRITTEN = replace(
    SUFFICIENT,
    answer=body(
        claim(
            1, "N1", "Rotate the key, wait for a reload, then prune the old key.", "3. Run `keyring prune`"
        ),
        claim(
            2,
            "N1",
            "On the **Team** plan this may be done 24 times a day.",
            "| Team | 50   | 24                |",
        ),
        generator="openai",
    ),
    dropped_claims=(DroppedClaim("Keys rotate by themselves every night.", "quote not found"),),
    usage=Usage("qwen-plus", 812, 64, 0.0004),
)
CJK = replace(
    PARTIAL,
    id="01JDMA7Q4Y",
    question="如何轮换签名密钥，每天最多可以轮换几次？",
    language="zh",
    verdict=Verdict((judged("N1", "如何轮换签名密钥？", 4), judged("N2", "每天最多可以轮换几次？", None))),
    answer=body(claim(4, "N1")),
    message="所提供的证据中未包含：每天最多可以轮换几次？",
    suggestions=(
        Suggestion("S1", "keyring rotate 的宽限期是多长？", Preview("sufficient", "zh/keys.md", "签名密钥")),
    ),
)
INSUFFICIENT = replace(
    PARTIAL,
    id="01JDMA7Q4Z",
    question="What does the Team plan cost in Norway?",
    verdict=Verdict((judged("N1", "What does the Team plan cost in Norway?", None),)),
    answer=None,
    message="The evidence provided does not include an answer to: What does the Team plan cost in Norway?",
)
SEARCH_FAILED = replace(
    INSUFFICIENT,
    id="01JDMA7Q50",
    verdict=Verdict(
        (judged("N1", "What does the Team plan cost in Norway?", None),),
        (Failure("embed", "the model file e5.onnx is damaged; remove it, and it is built again"),),
    ),
    message="The search could not be completed. This does not mean that nothing was found.",
    evidence=(),
    suggestions=(),
)
EACH = {
    "sufficient": SUFFICIENT,
    "written": WRITTEN,
    "partial": PARTIAL,
    "cjk": CJK,
    "insufficient": INSUFFICIENT,
    "search_failed": SEARCH_FAILED,
}
RANKING = Ranking("rotate key", "hybrid", 334, "g-5c1d", HITS)
