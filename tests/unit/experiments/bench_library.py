"""A small corpus, questions on it, and an engine whose judge looks for words that a need asks about."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from suffice.engine import Engine
from suffice.experiments.suite import Question
from suffice.gold import Gold, Piece
from suffice.settings import load
from suffice.values import Need, Passage, Support

PAGES = {
    "guide/keys.md": (
        "# Keys\n\n## Rotate a key\n\nKeys are rotated every ninety days by the owner of the vault.\n\n"
        "## Revoke a key\n\nA revoked key stops working at once.\n"
    ),
    "guide/limits.md": (
        "# Limits\n\nThese are the limits of the plans.\n\n| plan | uploads |\n|---|---|\n"
        "| free | 100 a day |\n| paid | 5,000 a day |\n"
    ),
    "guide/regions.md": "# Regions\n\nData is kept in the region that the project was made in.\n",
    "guide/other.md": "# Colours\n\nThe badge can be green or grey, as the reader likes.\n",
}

ROTATE = Question(
    "q-rotate", "How often are keys rotated?", "full",
    (Piece("C1", "how often", (Gold("keys.md", "rotated every ninety days"),)),), "en", "single",
)  # fmt: skip
BOTH = Question(
    "q-both", "How many uploads a day has the paid plan, and in which region is data kept?", "full",
    (
        Piece("C1", "uploads", (Gold("guide/limits.md", "| paid | 5,000 a day |"),)),
        Piece("C2", "region", (Gold("guide/regions.md", "Data is kept in the region"),)),
    ),
    "en", "compound",
)  # fmt: skip
ABSENT = Question(
    "q-absent", "Which telescope found the comet?", "none", (Piece("C1", "which"),), "en", "absent"
)
PARTLY = Question(
    "q-partly", "What happens to a revoked key, and what does the comet weigh?", "partial",
    (
        Piece("C1", "revoked", (Gold("guide/keys.md", "A revoked key stops working at once."),)),
        Piece("C2", "mass"),
    ),
    "en", "partial",
)  # fmt: skip
QUESTIONS = (ROTATE, BOTH, ABSENT, PARTLY)


class WordJudge:
    """Supports a need with the passages that hold one of its long words; their share is the confidence."""

    name, version = "words", "1"
    operating_points: ClassVar[dict[float, float]] = {0.1: 0.2}

    def judge(self, question: str, needs: Sequence[Need], passages: Sequence[Passage]) -> tuple[Support, ...]:
        found = []
        for need in needs:
            words = {word.strip("?,.").lower() for word in need.text.split() if len(word) > 4}
            for passage in passages:
                share = sum(word in passage.text.lower() for word in words) / max(len(words), 1)
                if share:
                    found.append(Support(need.id, passage.evidence, passage.span, share, self.name))
        return tuple(found)


def make(folder: Path, pages: dict[str, str] | None = None, **overrides: Any) -> Engine:
    """An engine on `folder/.suffice` with the pages indexed; close it."""
    for name, text in (pages or PAGES).items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    settings = load(environment={}, overrides={"embed.name": "hashing", **overrides})
    engine = Engine.open(folder / ".suffice", settings, create=True)
    engine.judge = WordJudge()  # type: ignore[misc,assignment]
    engine.add([str(folder / "docs")])
    return engine
