"""What the trained judges share: a logistic of the weighted features, and supports above a floor."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from suffice.errors import EmbedderError, JudgeError
from suffice.plugins.judges._features_read import Looked
from suffice.values import Need, Passage, Support

FLOOR = 0.02  # supports below it are noise and are not proposed

Looking = Callable[[Need, Sequence[Passage]], Sequence[Looked]]


class WeightedJudge(ABC):
    """Proposes supports from features.

    `operating_points`: false-answer rate -> confidence, from held-out public data.
    """

    name: str
    version: str

    def __init__(self, fitted: Mapping[str, Any]) -> None:
        """`fitted`: weights of pairs in the same language and across languages, and operating points."""
        self._weights: Mapping[str, Mapping[str, float]] = fitted["weights"]
        points = fitted["operating_points"]
        self.operating_points: Mapping[float, float] = {float(rate): float(at) for rate, at in points.items()}

    @abstractmethod
    def _looking(self) -> Looking:
        """What gives features of a need with passages; it may keep what it read for one call."""

    def judge(
        self,
        question: str,  # noqa: ARG002  (the port's: needs already carry what they take from it)
        needs: Sequence[Need],
        passages: Sequence[Passage],
    ) -> tuple[Support, ...]:
        """Supports in order of need, then of evidence. Raises JudgeError if the model cannot run."""
        given = [passage for passage in passages if passage.text.strip()]
        look = self._looking()
        supports: list[Support] = []
        for need in needs:
            if not need.text.strip() or not given:
                continue
            try:
                looked = look(need, given)
            except EmbedderError as error:
                raise JudgeError(f"the judge {self.name} could not read the evidence: {error}") from error
            supports += [support for one in looked if (support := self._support(need, one)) is not None]
        return tuple(supports)

    def confidence(self, features: Mapping[str, float]) -> float:
        """The logistic of the weighted features, in [0, 1], rounded so that it is the same everywhere."""
        # Token alignment runs lower across languages, so those pairs have weights of their own.
        weights = self._weights["same" if features["same_language"] else "cross"]
        total = weights["bias"] + sum(weight * features[n] for n, weight in weights.items() if n != "bias")
        return round(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total)))), 4)

    def _support(self, need: Need, looked: Looked) -> Support | None:
        confidence = self.confidence(looked.features)
        if confidence < FLOOR:
            return None
        start = looked.passage.span[0]
        return Support(
            need=need.id,
            evidence=looked.passage.evidence,
            span=(start + looked.unit[0], start + looked.unit[1]),
            confidence=confidence,
            judge=self.name,
        )


@cache
def shipped(name: str) -> dict[str, Any]:
    """The fitted numbers in a JSON file beside this one."""
    data: dict[str, Any] = json.loads(files(__package__).joinpath(name).read_text("utf-8"))
    return data
