"""Passages cut into the windows that the reader reads, and which of them are read for a need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from suffice.plugins.judges._features_units import estimate_tokens, units
from suffice.plugins.judges._features_words import terms
from suffice.text import language
from suffice.values import Passage, Span

WINDOW_TOKENS = 96  # as in training; most of an ordinary chunk


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive units of a passage's text; `terms` are the words that a need can find in it."""

    span: Span
    units: tuple[Span, ...]
    n_tokens: int
    terms: frozenset[str]


def windows(text: str) -> tuple[Window, ...]:
    """The units of the text packed in order into windows of about WINDOW_TOKENS tokens."""
    lang = language(text[:2000])
    groups: list[list[Span]] = []
    size = 0
    for unit in units(text):
        n = estimate_tokens(text[unit[0] : unit[1]])
        if not groups or size + n > WINDOW_TOKENS:
            groups.append([])
            size = 0
        groups[-1].append(unit)
        size += n
    found = []
    for group in groups:
        own = text[group[0][0] : group[-1][1]]
        span = (group[0][0], group[-1][1])
        found.append(Window(span, tuple(group), estimate_tokens(own), frozenset(terms(own, lang))))
    return tuple(found)


def choose(wanted: frozenset[str], texts: Sequence[tuple[Window, ...]], budget: int) -> list[tuple[int, int]]:
    """(passage, window) to read: each passage's best window first, then round after round while tokens last.

    The best is the one that shares most words with the need; where no word is shared, as between
    languages, the first. Every passage has one window read, whatever the budget.
    """
    orders = [sorted(range(len(own)), key=lambda i: (-len(wanted & own[i].terms), i)) for own in texts]
    chosen = []
    for turn in range(max((len(order) for order in orders), default=0)):
        for number, order in enumerate(orders):
            if turn < len(order) and (turn == 0 or budget > 0):
                chosen.append((number, order[turn]))
                budget -= texts[number][order[turn]].n_tokens
    return chosen


def head(passage: Passage) -> str:
    """Title and heading path, each part once."""
    return " › ".join(dict.fromkeys(part for part in (passage.title, *passage.heading_path) if part))
