"""The judge without an LLM: a logistic regression over the words, names and token alignment of a need.

It estimates how likely a reader would say that a passage answers the need. It is honest rather than
sharp: it sees that a word of the need has no counterpart, not that a sentence denies what is asked.
Weights are fitted by `training/features_judge.py` on public data and shipped as `_features_weights.json`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from suffice.errors import EmbedderError, JudgeError, SettingsError
from suffice.plugins.judges._features_read import READ, WORDS, Centre, Looked, Reader
from suffice.ports import Embedder
from suffice.values import Need, Passage, Support

FLOOR = 0.02  # supports below it are noise and are not proposed
_READ_TOKENS = 640  # a quarter of a second on two threads


class Features:
    """See `create`. `operating_points`: false-answer rate -> confidence, from held-out public data."""

    name = "features"

    def __init__(self, embedder: Embedder | None, read_tokens: int) -> None:
        data = _weights()
        self.version = f"1-{data['fitted']}"
        self._embedder = embedder
        self._read_tokens = read_tokens
        self._centre = Centre(
            np.array(data["centre"]["query"], np.float32), np.array(data["centre"]["passage"], np.float32)
        )
        self._reads = embedder is not None and _has_states(embedder, len(self._centre.query))
        fitted = data["read" if self._reads else "words"]
        self._weights: Mapping[str, Mapping[str, float]] = fitted["weights"]
        points = fitted["operating_points"]
        self.operating_points: Mapping[float, float] = {float(rate): float(at) for rate, at in points.items()}

    def judge(
        self,
        question: str,  # noqa: ARG002  (the port's: needs already carry what they take from it)
        needs: Sequence[Need],
        passages: Sequence[Passage],
    ) -> tuple[Support, ...]:
        """Supports in order of need, then of evidence. Raises JudgeError if the embedder fails."""
        given = [passage for passage in passages if passage.text.strip()]
        reader = Reader(self._embedder, self._centre, self._read_tokens)
        supports: list[Support] = []
        for need in needs:
            if not need.text.strip() or not given:
                continue
            try:
                looked = reader.look(need, given, read=self._reads)
            except EmbedderError as error:
                raise JudgeError(f"the judge {self.name} could not read the evidence: {error}") from error
            supports += [support for found in looked if (support := self._support(need, found)) is not None]
        return tuple(supports)

    def _support(self, need: Need, found: Looked) -> Support | None:
        confidence = self.confidence(found.features)
        if confidence < FLOOR:
            return None
        start = found.passage.span[0]
        return Support(
            need=need.id,
            evidence=found.passage.evidence,
            span=(start + found.unit[0], start + found.unit[1]),
            confidence=confidence,
            judge=self.name,
        )

    def confidence(self, features: Mapping[str, float]) -> float:
        """The logistic of the weighted features, in [0, 1], rounded so that it is the same everywhere."""
        # Token alignment runs lower across languages, so those pairs have weights of their own.
        weights = self._weights["same" if features["same_language"] else "cross"]
        names = READ if self._reads else WORDS
        total = weights["bias"] + sum(weights[name] * features[name] for name in names)
        return round(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total)))), 4)


def create(*, embedder: Embedder | None = None, read_tokens: int = _READ_TOKENS, **unknown: Any) -> Features:
    """The judge. Without an embedder, or with one that has no token states, it goes by words alone.

    read_tokens: how much of the evidence it reads for one need. Raises SettingsError for other options.
    """
    if unknown:
        raise SettingsError(
            f"the judge features has no option {sorted(unknown)[0]!r}; it has: embedder, read_tokens"
        )
    if not isinstance(read_tokens, int) or read_tokens < 1:
        raise SettingsError(
            f"read_tokens is {read_tokens!r}; the judge features needs a whole number, 1 or more"
        )
    return Features(embedder, read_tokens)


@cache
def _weights() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(
        files(__package__).joinpath("_features_weights.json").read_text("utf-8")
    )
    return data


def _has_states(embedder: Embedder, dim: int) -> bool:
    """Whether the embedder gives states of the width that the weights were fitted to."""
    if embedder.dim != dim or not embedder.name.startswith("e5"):
        return False
    try:
        return embedder.token_states(["a"], query=True)[0].vectors.shape[1:] == (dim,)
    except EmbedderError:
        return False
