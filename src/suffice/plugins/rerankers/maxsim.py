"""Late interaction without training: each word of the query finds its nearest word in the passage (MaxSim).

Over the token states of the embedder that is there already (Khattab and Zaharia 2020, without its trained
projection). States are centred first: all of them share a large common direction, which hides differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from suffice.errors import EmbedderError, SettingsError
from suffice.ports import Embedder, Float32, Float64, TokenStates
from suffice.text import sentences
from suffice.values import Passage


class MaxSim:
    """The reranker; see `create`."""

    name = "maxsim"
    version = "1"

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def score(self, query: str, passages: Sequence[Passage]) -> Float64:
        """(n,) float64: the mean, over the query's tokens, of the best cosine in the passage.

        A passage over the embedder's window is read in windows and scored by the best of them. Raises
        EmbedderError where the embedder has no token states.
        """
        windows = [self._windows(passage.text) for passage in passages]
        texts = [text for own in windows for text in own]
        if not texts:
            return np.zeros(0)
        asked = self._embedder.token_states([query], query=True)[0]
        read = self._embedder.token_states(texts, query=False)
        centre = _centre(read)
        words = _unit(asked.vectors, centre)
        best = iter([_maxsim(words, _unit(states.vectors, centre)) for states in read])
        return np.array([max((next(best) for _ in own), default=-1.0) for own in windows])

    def _windows(self, text: str) -> list[str]:
        """The text in pieces that fit the window, cut between sentences, in halves as a last resort."""
        room = self._embedder.room()
        pending, kept = [text.strip()], []
        while pending:
            piece = pending.pop()
            if not piece:
                continue
            if self._embedder.count_tokens(piece) <= room or len(piece) < 2:
                kept.append(piece)
                continue
            middle = len(piece) // 2
            cut = min(
                (start for start, _ in sentences(piece) if start), default=0, key=lambda at: abs(at - middle)
            )
            cut = cut or middle
            pending += [piece[cut:].strip(), piece[:cut].strip()]
        return kept


def _centre(read: Sequence[TokenStates]) -> Float32:
    """(dim,) the mean of all the passages' token states."""
    vectors = [states.vectors for states in read if len(states.vectors)]
    if not vectors:
        raise EmbedderError("the passages have no tokens to compare")
    centre: Float32 = np.concatenate(vectors).mean(axis=0, dtype=np.float64).astype(np.float32)
    return centre


def _unit(vectors: Float32, centre: Float32) -> Float32:
    """(n, dim) centred rows of length 1; a row that is the centre stays zero."""
    moved = vectors - centre
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    unit: Float32 = np.divide(moved, lengths, out=np.zeros_like(moved), where=lengths > 0)
    return unit


def _maxsim(query: Float32, passage: Float32) -> float:
    if not len(query) or not len(passage):
        return -1.0
    return float(np.max(query @ passage.T, axis=1).mean(dtype=np.float64))


def create(*, embedder: Embedder | None = None, **unknown: Any) -> MaxSim:
    """The reranker over `embedder`'s token states. Raises SettingsError without one or for other options."""
    if unknown:
        raise SettingsError(f"the reranker maxsim has no option {sorted(unknown)[0]!r}; it has: embedder")
    if embedder is None:
        raise SettingsError("the reranker maxsim needs an embedder; give create(embedder=...)")
    return MaxSim(embedder)
