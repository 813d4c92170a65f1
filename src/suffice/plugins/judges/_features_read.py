"""Features of (need, passage): what the words say and how the token states align."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.errors import EmbedderError
from suffice.plugins.judges._features_units import Window, estimate_tokens, windows
from suffice.plugins.judges._features_words import (
    Wording,
    holds_name,
    holds_number,
    names_of,
    terms,
    wording,
)
from suffice.ports import Embedder, Float32
from suffice.text import content_words, language
from suffice.values import Need, Passage, Span

_SAID = ("coverage", "name_coverage", "name_missing", "context_missing", "number_missing")
WORDS = (*_SAID, "window_coverage", "coverage_margin", "same_language")
# Absolute cosines are left out: with them thresholds did not transfer from set to set (training/README.md),
# and the lowest token's alignment got no weight beside the mean.
READ = (*_SAID, "align", "align_margin", "align_unit", "cosine_margin")
MAX_READ = 6  # passages that are read for one need


@dataclass(frozen=True, slots=True)
class Centre:
    """Mean token states of queries and of passages, taken off before states are compared. (dim,) float32."""

    query: Float32
    passage: Float32


@dataclass(frozen=True, slots=True)
class Looked:
    """One (need, passage): features by name, and the unit that matches best (span in the passage's text)."""

    passage: Passage
    features: dict[str, float]
    unit: Span


@dataclass(frozen=True, slots=True)
class _Text:
    """A passage cut and folded once per call."""

    passage: Passage
    head: str
    windows: tuple[Window, ...]
    language: str
    folded: str
    terms: frozenset[str]
    head_terms: frozenset[str]
    window_terms: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class _States:
    """States of one text: centred unit rows (n, dim), the plain unit mean (dim,), spans in that text."""

    rows: Float32
    mean: Float32
    spans: tuple[Span, ...]


class Reader:
    """Looks at passages for needs; keeps what it read for the length of one call.

    Without an embedder or its centre it goes by words alone.
    """

    def __init__(self, embedder: Embedder | None, centre: Centre | None, read_tokens: int) -> None:
        self._embedder = embedder
        self._centre = centre
        self._read_tokens = read_tokens
        self._texts: dict[int, _Text] = {}
        self._states: dict[str, _States] = {}

    def look(self, need: Need, passages: Sequence[Passage]) -> list[Looked]:
        """Features of the need with every passage that may be read, in the order given."""
        words = wording(need.text, need.context)
        texts = [self._text(passage) for passage in passages]
        chosen = self._choose(words, texts)
        texts = [texts[i] for i in chosen]
        rows = [self._plain(words, text) for text in texts]
        add_margin(rows, "coverage")
        spans = [self._likely_window(words, text) for text in texts]
        if self._embedder is not None and self._centre is not None:
            spans = self._read(need, words, texts, rows)
            add_margin(rows, "cosine")
            add_margin(rows, "align")
        return [Looked(text.passage, row, span) for text, row, span in zip(texts, rows, spans, strict=True)]

    def _text(self, passage: Passage) -> _Text:
        if passage.evidence not in self._texts:
            head = " › ".join(dict.fromkeys(part for part in (passage.title, *passage.heading_path) if part))
            lang = language(passage.text[:2000])
            cut = tuple(windows(passage.text))
            window_terms = tuple(frozenset(terms(passage.text[slice(*w.span)], lang)) for w in cut)
            head_terms = frozenset(terms(head, lang))
            self._texts[passage.evidence] = _Text(
                passage,
                head,
                cut,
                lang,
                f"{head}\n{passage.text}".casefold(),
                head_terms.union(*window_terms),
                head_terms,
                window_terms,
            )
        return self._texts[passage.evidence]

    def _choose(self, words: Wording, texts: Sequence[_Text]) -> list[int]:
        """The passages worth reading: most of the need's words first, then by rank; at most MAX_READ."""
        wanted = frozenset(words.stems)
        order = sorted(
            (i for i, text in enumerate(texts) if text.windows),
            key=lambda i: (
                -round(len(wanted & texts[i].terms) / max(1, len(wanted)), 1),
                texts[i].passage.evidence,
            ),
        )
        # Half by words, half by rank: across languages words say nothing.
        by_rank = sorted(order, key=lambda i: texts[i].passage.evidence)
        kept = dict.fromkeys(i for pair in zip(order, by_rank, strict=True) for i in pair)
        return sorted(list(kept)[:MAX_READ])

    def _plain(self, words: Wording, text: _Text) -> dict[str, float]:
        wanted = frozenset(words.stems)
        same = float(words.language == text.language)
        missing = [name for name in words.names if not holds_name(name, text.folded)]
        about = [name for name in words.context if not holds_name(name, text.folded)]
        windowed = max((len(wanted & (own | text.head_terms)) for own in text.window_terms), default=0)
        return {
            "coverage": same * len(wanted & text.terms) / max(1, len(wanted)),
            "window_coverage": same * windowed / max(1, len(wanted)),
            "name_coverage": 1.0 - len(missing) / max(1, len(words.names)),
            "name_missing": float(bool(missing)),
            "context_missing": float(bool(words.context) and len(about) == len(words.context)),
            "number_missing": float(words.asks_number and not holds_number(text.passage.text)),
            "same_language": same,
        }

    def _likely_window(self, words: Wording, text: _Text) -> Span:
        """Without reading: the window with most of the need's words."""
        wanted = frozenset(words.stems)
        best = max(range(len(text.windows)), key=lambda i: (len(wanted & text.window_terms[i]), -i))
        return text.windows[best].span

    # --- reading ----------------------------------------------------------------------------

    def _read(
        self, need: Need, words: Wording, texts: Sequence[_Text], rows: Sequence[dict[str, float]]
    ) -> list[Span]:
        query = self._query(need.text)
        keep = _content_tokens(need.text, query.spans, words.language)
        rows_of_query = query.rows[keep]
        spans = []
        for text, chosen, row in zip(texts, self._choose_windows(words, texts), rows, strict=True):
            read = [
                (text.windows[i], self._passage(text.passage.text[slice(*text.windows[i].span)]))
                for i in chosen
            ]
            head = self._passage(text.head[:200]) if text.head else None
            spans.append(_align(rows_of_query, query.mean, read, head, row))
        return spans

    def _choose_windows(self, words: Wording, texts: Sequence[_Text]) -> list[list[int]]:
        """Round after round, each passage gets its next best window, until the token budget is spent."""
        wanted = frozenset(words.stems)
        orders = [
            sorted(range(len(text.windows)), key=lambda i: (-len(wanted & text.window_terms[i]), i))
            for text in texts
        ]
        chosen: list[list[int]] = [[] for _ in texts]
        left = self._read_tokens
        for turn in range(max((len(order) for order in orders), default=0)):
            for number, order in enumerate(orders):
                if turn < len(order) and (left > 0 or turn == 0):
                    chosen[number].append(order[turn])
                    left -= estimate_tokens(
                        texts[number].passage.text[slice(*texts[number].windows[order[turn]].span)]
                    )
        return chosen

    def _query(self, text: str) -> _States:
        return self._state(text, query=True)

    def _passage(self, text: str) -> _States:
        return self._state(text, query=False)

    def _state(self, text: str, *, query: bool) -> _States:
        key = ("q" if query else "p") + text
        if key not in self._states:
            if self._embedder is None or self._centre is None:
                raise EmbedderError("there is no embedder to read with")
            room = self._embedder.room()
            kept = text
            while not query and self._embedder.count_tokens(kept) > room:
                kept = kept[: len(kept) // 2]
            found = self._embedder.token_states([kept], query=query)[0]
            vectors = found.vectors
            if not len(found.spans):
                vectors = np.zeros((1, self._embedder.dim), np.float32)
            centred = vectors - (self._centre.query if query else self._centre.passage)
            self._states[key] = _States(_unit(centred), _unit(vectors.mean(axis=0)), found.spans or ((0, 0),))
        return self._states[key]


def _unit(vectors: NDArray[np.float32]) -> Float32:
    length = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    result: Float32 = vectors / np.maximum(length, 1e-9)
    return result


def _content_tokens(text: str, spans: Sequence[Span], lang: str) -> list[int]:
    """Indices of the tokens that stand in content words, identifiers or numbers; all, where none does."""
    marked = np.zeros(len(text) + 1, bool)
    lower = text.lower()
    at = 0
    for word in content_words(text, lang):
        place = lower.find(word, at)
        if place >= 0:
            marked[place : place + len(word)] = True
            at = place + len(word)
    for name in names_of(text, lang):
        place = lower.find(name)
        if place >= 0:
            marked[place : place + len(name)] = True
    kept = [i for i, (start, end) in enumerate(spans) if marked[start:end].any()]
    return kept or list(range(len(spans)))


def _align(
    query: Float32,
    query_mean: Float32,
    read: Sequence[tuple[Window, _States]],
    head: _States | None,
    row: dict[str, float],
) -> Span:
    """Fill the row's alignment features; give the best unit. MaxSim of Khattab and Zaharia 2020, centred."""
    best_unit, best_score = read[0][0].units[0], -2.0
    best = np.full(len(query), -1.0)
    for window, states in read:
        similar = query @ states.rows.T
        best = np.maximum(best, similar.max(axis=1))
        offset = window.span[0]
        for unit in window.units:
            inside = [
                j for j, (a, b) in enumerate(states.spans) if a + offset < unit[1] and b + offset > unit[0]
            ]
            if inside:
                score = float(similar[:, inside].max(axis=1).mean())
                if score > best_score:
                    best_unit, best_score = unit, score
    if head is not None:
        best = np.maximum(best, (query @ head.rows.T).max(axis=1))
    row["cosine"] = max(float(query_mean @ states.mean) for _, states in read)
    row["align"] = float(best.mean())
    row["align_unit"] = best_score
    return best_unit


def add_margin(rows: Sequence[dict[str, float]], name: str) -> None:
    """`<name>_margin`: how far a passage stands above the mean of the others; 0 where it is alone."""
    values = [row[name] for row in rows]
    for i, row in enumerate(rows):
        others = values[:i] + values[i + 1 :]
        row[f"{name}_margin"] = values[i] - sum(others) / len(others) if others else 0.0
