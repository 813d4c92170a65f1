"""An embedder without a model: hashed words and CJK bigrams. For tests and for a first look offline.

It sees spelling and nothing else, so it ranks by shared words; it is repeatable across processes,
platforms and versions of Python.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from suffice.errors import EmbedderError, SettingsError
from suffice.ports import Float32, Progress, TokenStates
from suffice.values import Span

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003fffd"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
_CJK_ONE = re.compile(f"[{_CJK}]")
_SPECIAL = 2  # like a model's start and end, so that `room` differs from `window`
_BIGRAM = 0x9E3779B9
_T = TypeVar("_T")


class Hashing:
    """The embedder; see `create`."""

    name = "hashing"
    version = "1"

    def __init__(self, dim: int, window: int) -> None:
        self.dim = dim
        self.window = window

    def fingerprint(self) -> str:
        """Version and dimensions: nothing else enters a vector."""
        return f"{self.name}/{self.version}/dim={self.dim}"

    def count_tokens(self, text: str) -> int:
        """Words, and each CJK character by itself."""
        return len(_TOKEN.findall(text))

    def room(self) -> int:
        """Tokens of a passage that fit the window."""
        return self.window - _SPECIAL

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> Float32:
        """(n, dim) float32, unit rows. Raises EmbedderError for a text over the window."""
        rows = np.zeros((len(texts), self.dim), np.float32)
        for number, text in enumerate(texts):
            rows[number] = self._vector(self._fitting(number, _words(text)))
            if progress is not None:
                progress("embed", number + 1, len(texts))
        return rows

    def embed_queries(self, texts: Sequence[str]) -> Float32:
        """(n, dim) float32, unit rows; a query over the window is embedded by its head."""
        rows = [self._vector(_words(text)[: self.room()]) for text in texts]
        return np.array(rows, np.float32).reshape(len(texts), self.dim)

    def token_states(self, texts: Sequence[str], *, query: bool) -> tuple[TokenStates, ...]:
        """A state per token: its own feature and a share of its neighbours'."""
        found = []
        for number, text in enumerate(texts):
            tokens = _tokens(text)
            tokens = tokens[: self.room()] if query else self._fitting(number, tokens)
            own = np.zeros((len(tokens), self.dim))
            for row, (word, _) in zip(own, tokens, strict=True):
                self._add(row, _hash(word), 1.0)
            states = own.copy()
            states[1:] += 0.25 * own[:-1]
            states[:-1] += 0.25 * own[1:]
            spans = tuple(span for _, span in tokens)
            ids = tuple(_hash(word) for word, _ in tokens)
            found.append(TokenStates(states.astype(np.float32), spans, ids))
        return tuple(found)

    def _fitting(self, number: int, tokens: list[_T]) -> list[_T]:
        if len(tokens) > self.room():
            raise EmbedderError(
                f"passage {number} has {len(tokens)} tokens; at most {self.room()} fit the window of "
                f"{self.name}: cut it before embedding"
            )
        return tokens

    def _vector(self, words: Sequence[str]) -> NDArray[np.float64]:
        found = [_hash(word) for word in words]
        is_cjk = [not word.isascii() and _CJK_ONE.match(word) is not None for word in words]
        found += [
            _hash(words[at - 1] + words[at]) ^ _BIGRAM
            for at in range(1, len(words))
            if is_cjk[at] and is_cjk[at - 1]
        ]
        codes = np.array(found, np.int64)
        signs = np.concatenate((np.where(codes & 0x10000, 1.0, -1.0), np.where(codes & 0x20000, 1.0, -1.0)))
        places = np.concatenate((codes % self.dim, (codes >> 7) * 2654435761 % self.dim))
        row = np.bincount(places, signs, self.dim)  # sums of whole numbers: exact in any order
        # A word said ten times is not ten times the word; the constant keeps an empty text a vector
        # and never changes which of two passages shares more words with a query.
        row = np.sign(row) * np.sqrt(np.abs(row))
        row[0] += 0.1
        if not row.any():
            row[0] = 0.1
        unit: NDArray[np.float64] = row / np.sqrt((row * row).sum())
        return unit

    def _add(self, row: NDArray[np.float64], code: int, weight: float) -> None:
        """Two signed places per feature: fewer features look alike by accident than with one."""
        row[code % self.dim] += weight if code & 0x10000 else -weight
        row[(code >> 7) * 2654435761 % self.dim] += weight if code & 0x20000 else -weight


def _words(text: str) -> list[str]:
    if text.isascii():  # the words of `_tokens`, in half the time
        return _TOKEN.findall(text.lower())
    return [_folded(word) for word in _TOKEN.findall(text)]


def _tokens(text: str) -> list[tuple[str, Span]]:
    return [(_folded(found.group()), found.span()) for found in _TOKEN.finditer(text)]


def _folded(word: str) -> str:
    return word if word.isascii() and word.islower() else unicodedata.normalize("NFKC", word).casefold()


@lru_cache(maxsize=1 << 16)
def _hash(word: str) -> int:
    """32 bits; crc32 is the same everywhere, the built-in hash differs in every process."""
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))


def create(*, dim: int = 256, window: int = 512, **unknown: Any) -> Hashing:
    """The embedder. dim: 8 or more; window: 16 or more. Options that matter to models are not taken.

    Raises SettingsError for an unknown or impossible option.
    """
    # every embedder is handed these two by the settings; neither can change a hashed vector
    unknown.pop("precision", None)
    unknown.pop("threads", None)
    if unknown:
        raise SettingsError(
            f"the embedder hashing has no option {sorted(unknown)[0]!r}; "
            "it has: dim, window, precision, threads"
        )
    for name, value, least in (("dim", dim, 8), ("window", window, 16)):
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise SettingsError(
                f"{name} is {value!r}; the embedder hashing needs a whole number from {least}"
            )
    return Hashing(dim, window)
