"""The judge that reads: a small multilingual cross-encoder over (need, passage), without an LLM.

It runs the first layers of multilingual-e5-small with an adapter that was trained to tell what answers a
question from what nearly does (training/README.md), and weighs what it read together with the words, names
and numbers of the need that the passage holds. Its span is the unit (sentence, row, item, code block)
in which it found the evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from suffice.errors import EmbedderError, JudgeError, SettingsError
from suffice.plugins.judges import _features_read, features
from suffice.plugins.judges._features_read import Looked
from suffice.plugins.judges._features_words import wording
from suffice.plugins.judges._reader_model import ReaderModel, shared_model
from suffice.plugins.judges._reader_windows import Window, choose, head, windows
from suffice.plugins.judges._weighted import Looking, WeightedJudge, shipped
from suffice.ports import Embedder
from suffice.values import Need, Passage, Span

READ_TOKENS = 900  # of passages, for one need


class Reader(WeightedJudge):
    """See `create`."""

    name = "reader"

    def __init__(self, model: ReaderModel, embedder: Embedder | None, read_tokens: int) -> None:
        data = shipped("_reader_stack.json")
        self.version = f"1-{model.fingerprint}-{data['fitted']}"
        self._model = model
        self._read_tokens = read_tokens
        self._centre = features.centre_for(embedder)
        self._embedder = embedder
        super().__init__(data["read" if self._centre is not None else "words"])

    def _looking(self) -> Looking:
        return Look(self._model, self._read_tokens, self._embedder, self._centre)


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
        self._words = _features_read.Reader(embedder, centre, features.READ_TOKENS)
        self._windows: dict[int, tuple[Window, ...]] = {}

    def __call__(self, need: Need, passages: Sequence[Passage]) -> list[Looked]:
        """Features of the need with every passage that may be read, `reader` among them, in the order given;
        the unit is the one that holds the evidence.
        """
        looked = self._words.look(need, passages)
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
            Looked(one.passage, row, best[number][1])
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
