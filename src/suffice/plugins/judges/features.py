"""The judge without an LLM: a logistic regression over the words, names and token alignment of a need.

It estimates how likely a reader would say that a passage answers the need. It is honest rather than
sharp: it sees that a word of the need has no counterpart, not that a sentence denies what is asked.
Weights are fitted by `training/features_judge.py` on public data and shipped as `_features_weights.json`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.errors import EmbedderError, SettingsError
from suffice.plugins.judges._features_read import Centre, Reader
from suffice.plugins.judges._weighted import Looking, WeightedJudge, shipped
from suffice.ports import Embedder

READ_TOKENS = 640  # a quarter of a second on two threads
FITTED = "_features_weights.json"


class Features(WeightedJudge):
    """See `create`."""

    name = "features"

    def __init__(self, embedder: Embedder | None, read_tokens: int) -> None:
        data = shipped(FITTED)
        self.version = f"1-{data['fitted']}"
        self._centre = centre_for(embedder)
        self._embedder = embedder
        self._read_tokens = read_tokens
        super().__init__(data["read" if self._centre is not None else "words"])

    def _looking(self) -> Looking:
        return Reader(self._embedder, self._centre, self._read_tokens).look


def create(*, embedder: Embedder | None = None, read_tokens: int = READ_TOKENS, **unknown: Any) -> Features:
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


def centre_for(embedder: Embedder | None) -> Centre | None:
    """The mean token states that the weights were fitted with; None where there are no such states."""
    query, passage = (np.array(shipped(FITTED)["centre"][side], np.float32) for side in ("query", "passage"))
    if embedder is None or not _has_states(embedder, len(query)):
        return None
    return Centre(query, passage)


def _has_states(embedder: Embedder, dim: int) -> bool:
    """Whether the embedder gives states of the width that the weights were fitted to."""
    if embedder.dim != dim or not embedder.name.startswith("e5"):
        return False
    try:
        return embedder.token_states(["a"], query=True)[0].vectors.shape[1:] == (dim,)
    except EmbedderError:
        return False
