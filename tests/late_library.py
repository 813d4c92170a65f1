"""An embedder that gives token codes, for tests of late interaction without a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from library import Counting
from suffice.ports import Float32, Int8, Progress

WIDTH = 32


class LateCounting(Counting):
    """The hashing embedder with its token states projected by fixed signs; `late_calls` counts texts."""

    late_dim = WIDTH

    def __init__(self) -> None:
        super().__init__()
        self._signs = np.random.default_rng(0).choice((-1.0, 1.0), size=(self.inner.dim, WIDTH))
        self.edition = "1"

    def late_fingerprint(self) -> str:
        return f"{self.inner.fingerprint()}/late={self.edition}"

    def embed_passages_late(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> tuple[Float32, tuple[Int8, ...]]:
        return self.embed_passages(texts, progress), self._codes(texts, query=False)

    def embed_queries_late(self, texts: Sequence[str]) -> tuple[Float32, tuple[Int8, ...]]:
        return self.inner.embed_queries(texts), self._codes(texts, query=True)

    def _codes(self, texts: Sequence[str], *, query: bool) -> tuple[Int8, ...]:
        found: list[Any] = []
        for states in self.inner.token_states(texts, query=query):
            turned = states.vectors @ self._signs
            most = np.abs(turned).max(axis=1, keepdims=True, initial=1e-9)
            found.append(np.rint(turned * 127 / most).astype(np.int8))
        return tuple(found)
