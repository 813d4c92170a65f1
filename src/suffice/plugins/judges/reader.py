"""The judge that reads: a small multilingual cross-encoder over (need, passage), without an LLM.

It runs the first layers of multilingual-e5-small with an adapter that was trained to tell what answers a
question from what nearly does (training/README.md), and weighs what it read together with the words, names
and numbers of the need that the passage holds. Its span is the unit (sentence, row, item, code block)
in which it found the evidence.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from suffice.errors import EmbedderError, JudgeError, SettingsError
from suffice.plugins.judges import _features_read
from suffice.plugins.judges._features_words import wording
from suffice.plugins.judges._reader_model import ReaderModel, shared_model
from suffice.plugins.judges._reader_windows import Window, choose, head, windows
from suffice.plugins.judges.features import _has_states, _weights
from suffice.ports import Embedder
from suffice.values import Need, Passage, Span, Support

FLOOR = 0.02  # supports below it are noise and are not proposed
READ_TOKENS = 900  # of passages, for one need
_ALIGN_TOKENS = 640  # as the `features` judge, whose features they are


@dataclass(frozen=True, slots=True)
class Seen:
    """One (need, passage): features by name, `reader` among them, and the unit that holds the evidence."""

    passage: Passage
    features: dict[str, float]
    unit: Span


class Reader:
    """See `create`. `operating_points`: false-answer rate -> confidence, from held-out public data."""

    name = "reader"

    def __init__(self, model: ReaderModel, embedder: Embedder | None, read_tokens: int) -> None:
        data = _stack()
        self.version = f"1-{model.fingerprint}-{data['fitted']}"
        self._model = model
        self._read_tokens = read_tokens
        self._centre = _centre_for(embedder)
        self._embedder = embedder if self._centre is not None else None
        fitted = data["read" if self._embedder is not None else "words"]
        self._weights: Mapping[str, Mapping[str, float]] = fitted["weights"]
        points = fitted["operating_points"]
        self.operating_points: Mapping[float, float] = {float(rate): float(at) for rate, at in points.items()}

    def judge(
        self,
        question: str,  # noqa: ARG002  (the port's: needs already carry what they take from it)
        needs: Sequence[Need],
        passages: Sequence[Passage],
    ) -> tuple[Support, ...]:
        """Supports in order of need, then of evidence. Raises JudgeError if the model cannot run."""
        given = [passage for passage in passages if passage.text.strip()]
        look = Look(self._model, self._read_tokens, self._embedder, self._centre)
        supports: list[Support] = []
        for need in needs:
            if not need.text.strip() or not given:
                continue
            try:
                seen = look(need, given)
            except EmbedderError as error:
                raise JudgeError(f"the judge {self.name} could not read the evidence: {error}") from error
            supports += [support for one in seen if (support := self._support(need, one)) is not None]
        return tuple(supports)

    def _support(self, need: Need, seen: Seen) -> Support | None:
        confidence = self.confidence(seen.features)
        if confidence < FLOOR:
            return None
        start = seen.passage.span[0]
        return Support(
            need=need.id,
            evidence=seen.passage.evidence,
            span=(start + seen.unit[0], start + seen.unit[1]),
            confidence=confidence,
            judge=self.name,
        )

    def confidence(self, features: Mapping[str, float]) -> float:
        """The logistic of the weighted features, in [0, 1], rounded so that it is the same everywhere."""
        weights = self._weights["same" if features["same_language"] else "cross"]
        total = weights["bias"] + sum(weight * features[n] for n, weight in weights.items() if n != "bias")
        return round(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total)))), 4)


class Look:
    """Reads passages for needs; keeps how they were cut for the length of one call."""

    def __init__(
        self,
        model: ReaderModel,
        read_tokens: int,
        embedder: Embedder | None = None,
        centre: _features_read.Centre | None = None,
    ) -> None:
        self._model = model
        self._read_tokens = read_tokens
        self._aligns = embedder is not None and centre is not None
        self._words = _features_read.Reader(embedder, centre, _ALIGN_TOKENS)
        self._windows: dict[int, tuple[Window, ...]] = {}

    def __call__(self, need: Need, passages: Sequence[Passage]) -> list[Seen]:
        """Features of the need with every passage that may be read, in the order given."""
        looked = self._words.look(need, passages, read=self._aligns)
        cut = [self._cut(one.passage) for one in looked]
        wanted = frozenset(wording(need.text, need.context).stems)
        chosen = choose(wanted, cut, self._read_tokens)
        inputs = []
        for number, place in chosen:
            text = looked[number].passage.text[slice(*cut[number][place].span)]
            inputs.append(self._model.packer.pack(need.text, head(looked[number].passage), text))
        best: dict[int, tuple[float, Span]] = {}
        for (number, place), packed, read in zip(chosen, inputs, self._model.read(inputs), strict=True):
            if number not in best or read.logit > best[number][0]:
                window = cut[number][place]
                best[number] = (read.logit, _unit(window, packed.spans, read.shares.tolist()))
        rows = []
        for number, one in enumerate(looked):
            logit = max(-12.0, min(12.0, best[number][0]))
            rows.append(one.features | {"reader": logit, "few": 1.0 / len(looked)})
        _features_read.add_margin(rows, "reader")
        return [
            Seen(one.passage, row, best[number][1])
            for number, (one, row) in enumerate(zip(looked, rows, strict=True))
        ]

    def _cut(self, passage: Passage) -> tuple[Window, ...]:
        if passage.evidence not in self._windows:
            self._windows[passage.evidence] = windows(passage.text)
        return self._windows[passage.evidence]


def _unit(window: Window, spans: Sequence[Span], shares: Sequence[float]) -> Span:
    """The unit of the window whose tokens hold most of the evidence."""
    offset = window.span[0]
    held = [0.0] * len(window.units)
    for (start, end), share in zip(spans, shares, strict=True):
        for number, unit in enumerate(window.units):
            if start + offset < unit[1] and end + offset > unit[0]:
                held[number] += share
                break
    return window.units[max(range(len(held)), key=lambda i: (held[i], -i))]


def create(
    *,
    embedder: Embedder | None = None,
    read_tokens: int = READ_TOKENS,
    threads: int = 0,
    **unknown: Any,
) -> Reader:
    """The judge. Without an embedder that has token states it does without their alignment.

    read_tokens: how much of the evidence it reads for one need. threads 0: one per core. Raises
    SettingsError for other options, JudgeError if the model is not there.
    """
    if unknown:
        raise SettingsError(
            f"the judge reader has no option {sorted(unknown)[0]!r}; it has: embedder, read_tokens, threads"
        )
    for name, value, least in (("read_tokens", read_tokens, 1), ("threads", threads, 0)):
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise SettingsError(
                f"{name} is {value!r}; the judge reader needs a whole number, {least} or more"
            )
    try:
        return Reader(shared_model(threads), embedder, read_tokens)
    except EmbedderError as error:
        raise JudgeError(f"the judge reader cannot load its model: {error}") from error


def _centre_for(embedder: Embedder | None) -> _features_read.Centre | None:
    """The mean token states that the `features` judge takes off; None where there are no such states."""
    query, passage = (np.array(_weights()["centre"][side], np.float32) for side in ("query", "passage"))
    if embedder is None or not _has_states(embedder, len(query)):
        return None
    return _features_read.Centre(query, passage)


@cache
def _stack() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(files(__package__).joinpath("_reader_stack.json").read_text("utf-8"))
    return data
