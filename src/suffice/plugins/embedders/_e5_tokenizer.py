"""XLM-R's unigram tokenizer over a trie in flat arrays that is ready the moment it is mapped.

The `tokenizers` library takes 0.9 s to build from these 250,002 pieces and 1.7 s from its own JSON,
which a cold start cannot pay; this table is read in milliseconds, and its Viterbi in Python costs
about a hundredth of what embedding the same text costs (benchmarks/README.md).

Text is treated as the original XLM-R does: composed (NFC), characters mapped as in the vocabulary's
own table, runs of spaces collapsed and dropped at the ends, words marked by a leading U+2581. A run
of unknown characters is one `<unk>`. `<s>` and the like in a text are plain characters.
"""

from __future__ import annotations

import json
import re
import struct
import unicodedata
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from suffice.plugins.embedders._e5_weights import Vocabulary
from suffice.values import Span

_MARK = "\u2581"
_SPACES = re.compile(" {2,}")
_UNKNOWN_PENALTY = 10.0  # below the least likely piece, as in SentencePiece
_WORD_CACHED = 48  # characters: longer runs (CJK text, base64) do not come again


@dataclass(frozen=True, slots=True)
class Pieces:
    """Tokens of a text alone: vocabulary ids, and code points of the text as given."""

    ids: tuple[int, ...]
    spans: tuple[Span, ...]


class Tokenizer:
    """Cuts text into pieces. `head(n)` of a long text costs no more than its head."""

    def __init__(self, table: memoryview, *, bos: int, eos: int) -> None:
        """From the bytes that `build_table` made."""
        self.bos, self.eos = bos, eos
        (n_header,) = struct.unpack_from("<I", table, 0)
        header = json.loads(bytes(table[4 : 4 + n_header]))
        self._characters: dict[int, str] = {int(code): text for code, text in header["characters"].items()}
        self._unk: int = header["unk"]
        self._unk_score: float = header["unk_score"]
        self._longest: int = header["longest"]
        n = header["n_nodes"]
        at = 4 + n_header
        self._label = table[at : at + 4 * n].cast("i")
        self._first = table[at + 4 * n : at + 4 * (2 * n + 1)].cast("i")
        at += 4 * (2 * n + 1)
        self._piece = table[at : at + 4 * n].cast("i")
        self._score = table[at + 4 * n : at + 8 * n].cast("f")
        self._cut_word = lru_cache(65_536)(self._viterbi)

    def ids(self, text: str) -> list[int]:
        """Vocabulary ids of the text alone."""
        return self._ids(self._normal(text))

    def head(self, text: str, n: int) -> list[int]:
        """The first n ids; reads no more of the text than they can cover."""
        return self._ids(self._normal(text)[: (n + 1) * self._longest])[:n]

    def pieces(self, text: str) -> Pieces:
        """Ids with the spans that they cover in the text as given.

        Pieces that share a source character (one that is mapped to several) share its span.
        """
        normal, starts, ends = self._traced(text)
        ids: list[int] = []
        spans: list[Span] = []
        at = 0
        for word in normal.split(" ") if normal else ():
            offset = -1  # the mark stands before the word and covers nothing
            for piece, length in self._cut(_MARK + word):
                first, last = max(offset, 0), offset + length - 1
                ids.append(piece)
                spans.append((starts[at + first], ends[at + last]) if last >= 0 else (starts[at], starts[at]))
                offset += length
            at += len(word) + 1
        return Pieces(tuple(ids), tuple(spans))

    def _ids(self, normal: str) -> list[int]:
        ids: list[int] = []
        for word in normal.split(" ") if normal else ():
            ids.extend(piece for piece, _ in self._cut(_MARK + word))
        return ids

    def _normal(self, text: str) -> str:
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        return _SPACES.sub(" ", text.translate(self._characters)).strip(" ")

    def _traced(self, text: str) -> tuple[str, list[int], list[int]]:
        """What `_normal` gives, with the start and end in the text of each of its characters."""
        out: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        for composed, start, end in _composed(text):
            for character in composed:
                for mapped in self._characters.get(ord(character), character):
                    if mapped == " " and (not out or out[-1] == " "):
                        continue
                    out.append(mapped)
                    starts.append(start)
                    ends.append(end)
        if out and out[-1] == " ":
            del out[-1], starts[-1], ends[-1]
        return "".join(out), starts, ends

    def _cut(self, word: str) -> tuple[tuple[int, int], ...]:
        return self._cut_word(word) if len(word) <= _WORD_CACHED else self._viterbi(word)

    def _viterbi(self, word: str) -> tuple[tuple[int, int], ...]:
        """The likeliest (piece id, characters) of a word; the first found wins a tie."""
        label, first, score, piece = self._label, self._first, self._score, self._piece
        codes = [ord(character) for character in word]
        n = len(codes)
        best = [-1e30] * (n + 1)
        best[0] = 0.0
        came = [0] * (n + 1)
        chosen = [self._unk] * (n + 1)
        for start in range(n):
            so_far = best[start]
            node = 0
            for end in range(start, n):
                code = codes[end]
                high = first[node + 1]
                node = bisect_left(label, code, first[node], high)
                if node == high or label[node] != code:
                    break
                if piece[node] >= 0:
                    total = so_far + score[node]
                    if total > best[end + 1]:
                        best[end + 1], came[end + 1], chosen[end + 1] = total, start, piece[node]
            if so_far + self._unk_score > best[start + 1]:
                best[start + 1] = so_far + self._unk_score
                came[start + 1], chosen[start + 1] = start, self._unk
        found: list[tuple[int, int]] = []
        end = n
        while end > 0:
            start = came[end]
            if chosen[end] == self._unk and found and found[-1][0] == self._unk:
                found[-1] = (self._unk, found[-1][1] + end - start)
            else:
                found.append((chosen[end], end - start))
            end = start
        return tuple(reversed(found))


def _composed(text: str) -> list[tuple[str, int, int]]:
    """(NFC form, start, end) of each stretch that composes by itself."""
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return [(character, at, at + 1) for at, character in enumerate(text)]
    parts: list[tuple[str, int, int]] = []
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or _begins(text[at]):
            parts.append((unicodedata.normalize("NFC", text[start:at]), start, at))
            start = at
    return parts


@lru_cache(4096)
def _begins(character: str) -> bool:
    """The character never joins the one before it: no mark, no trailing Hangul letter."""
    return unicodedata.combining(character) == 0 and not (
        "\u1160" <= character <= "\u11ff" or unicodedata.category(character).startswith("M")
    )


def build_table(vocabulary: Vocabulary) -> bytes:
    """The trie as bytes: a JSON header, then label, first child, piece id and score of each node.

    Nodes are numbered by depth, then parent, then character, so that children are contiguous and
    sorted: node i's children are `first[i] : first[i + 1]`, and a child is found by bisection.
    """
    special = {vocabulary.bos, vocabulary.eos, vocabulary.unk, 1, len(vocabulary.pieces) - 1}
    wanted = [(text, index) for index, text in enumerate(vocabulary.pieces) if text and index not in special]
    wanted.sort()
    labels, parents, pieces = _nodes(wanted)
    first = np.searchsorted(parents[1:], np.arange(len(labels) + 1)).astype(np.int32) + 1
    scores = np.where(pieces >= 0, vocabulary.scores[pieces], np.float32(0)).astype(np.float32)
    header = {
        "characters": {0: "", **vocabulary.characters},
        "unk": vocabulary.unk,
        "unk_score": float(vocabulary.scores.min()) - _UNKNOWN_PENALTY,
        "longest": max(len(text) for text, _ in wanted),
        "n_nodes": len(labels),
    }
    encoded = json.dumps(header).encode("ascii")
    encoded += b" " * (-len(encoded) % 4)
    arrays = (labels, first, pieces, scores)
    return struct.pack("<I", len(encoded)) + encoded + b"".join(array.tobytes() for array in arrays)


def _nodes(
    wanted: list[tuple[str, int]],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Label, parent and piece id (-1: none) of every prefix of the sorted pieces, level by level."""
    labels: list[int] = [-1]
    parents: list[int] = [-1]
    pieces: list[int] = [-1]
    level = [(text, index, 0) for text, index in wanted]
    depth = 0
    while level:
        deeper: list[tuple[str, int, int]] = []
        before: tuple[int, str] | None = None
        for text, index, parent in level:
            if (parent, text[depth]) != before:
                before = (parent, text[depth])
                labels.append(ord(text[depth]))
                parents.append(parent)
                pieces.append(-1)
            if len(text) == depth + 1:
                pieces[-1] = index
            else:
                deeper.append((text, index, len(labels) - 1))
        level, depth = deeper, depth + 1
    return np.array(labels, np.int32), np.array(parents, np.int32), np.array(pieces, np.int32)
