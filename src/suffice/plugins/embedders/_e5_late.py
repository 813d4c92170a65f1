"""Token states of e5, compressed for late interaction: centred, turned to 128 dimensions, rounded to int8.

What all texts of one language share says nothing of which text answers: each state is taken less the mean
of its language and side (query or passage). The projection (principal components) and the means were fitted
once on public text by `training/late_pca.py` and are shipped, not fitted to a corpus, so that codes of all
workspaces compare.
"""

from __future__ import annotations

import hashlib
import io
from functools import lru_cache
from pathlib import Path

import numpy as np

from suffice.ports import Float32, Int8
from suffice.text import language

FILE = Path(__file__).with_name("_e5_late.npz")
DIM = 128
_MOST = 127.0
_BLOCK = 5


class Late:
    """Turns states into codes. `file` holds `projection`, `languages`, `queries` and `passages`."""

    def __init__(self, file: Path = FILE) -> None:
        data = file.read_bytes()
        with np.load(io.BytesIO(data)) as arrays:
            # float32 from here on: the product of halves would be slow, and the file's rounding is in already
            self._projection: Float32 = arrays["projection"].astype(np.float32)
            names = [str(name) for name in arrays["languages"]]
            self._means = {
                True: dict(zip(names, arrays["queries"].astype(np.float32), strict=True)),
                False: dict(zip(names, arrays["passages"].astype(np.float32), strict=True)),
            }
        self.version = f"pca{DIM}-int8-{hashlib.sha256(data).hexdigest()[:8]}"

    def codes(self, states: Float32, text: str, *, query: bool) -> Int8:
        """(n, dim) int8 of (n, 384) states. Each row has its own scale: its largest value becomes 127.

        A language that the means do not know is centred by the mean over those that they do (named "").
        """
        means = self._means[query]
        centred = states - means.get(language(text), means[""])
        # In blocks small enough that OpenBLAS starts no threads: the texts run side by side already.
        turned = np.empty((len(centred), DIM), np.float32)
        for start in range(0, len(centred), _BLOCK):
            turned[start : start + _BLOCK] = centred[start : start + _BLOCK] @ self._projection
        most = np.abs(turned).max(axis=1, keepdims=True, initial=0.0)
        scaled = np.divide(turned * _MOST, most, out=np.zeros_like(turned), where=most > 0)
        rounded: Int8 = np.rint(scaled).astype(np.int8)
        return rounded


@lru_cache(1)
def shipped() -> Late:
    """The one of the package, read once."""
    return Late()
