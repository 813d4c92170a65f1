"""Answers in the words of the source: for each need the one to three units that say it best. No model writes.

Score of a unit = cos(need, unit under its heading path) + .5 cos(need, mean of the units beside it)
+ .2 share of the need's rare words in it + a bonus where the judge read. Units within .03 of the best are
kept. Measured against one best sentence, three sentences and the whole chunk; see benchmarks/extractive.py.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from suffice.errors import EmbedderError, GeneratorError, SettingsError
from suffice.plugins.generators._blocks import BULLET, NUMBER
from suffice.plugins.generators._units import QUOTE_CHARS, Unit, cut, joined
from suffice.ports import Embedder, Float32, Float64, Generated
from suffice.text import terms
from suffice.values import DraftCitation, DraftClaim, Hit, Need, Span, Support, Usage

VERSION = "1"

MAX_UNITS = 3
MAX_EVIDENCE = 5  # pieces of evidence looked into for one need
_SCORED_CHARS = 600  # of a structure: its lead-in and first lines say what it is about
_PATH_CHARS = 200
_QUOTED = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Weights:
    """How units are scored and how many are kept. All but `units` are in the unit of a cosine."""

    beside: float = 0.5
    words: float = 0.2
    read: float = 0.05
    keep: float = 0.03
    units: int = 60  # embedded for one question at most


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit in its piece of evidence; `place` orders all candidates by evidence rank and position."""

    place: int
    hit: Hit
    unit: Unit
    text: str


@dataclass(frozen=True, slots=True)
class Pick:
    """Units that are read in one go, for one or more needs."""

    hit: Hit
    needs: tuple[str, ...]
    units: tuple[Unit, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        """What is quoted, in order."""
        return joined(self.hit.text, [span for unit in self.units for span in unit.spans])


class Extractive:
    """The generator that needs no model but the embedder."""

    name = "extractive"
    version = VERSION

    def __init__(self, embedder: Embedder, weights: Weights) -> None:
        self._embedder = embedder
        self._weights = weights

    def generate(
        self,
        question: str,  # noqa: ARG002 - the needs say it, one by one
        needs: Sequence[Need],
        supports: Sequence[Support],
        evidence: Sequence[Hit],
        language: str,  # noqa: ARG002 - a quote stays in the language of its source
    ) -> Generated:
        """Claims whose text is what they quote. Raises GeneratorError when the embedder fails."""
        by_rank = {hit.rank: hit for hit in evidence}
        wanted = {need.id: _best_first(need, supports, by_rank) for need in needs}
        candidates = _candidates(
            {hit.rank: hit for found in wanted.values() for hit in _hits(found, by_rank)}
        )
        asked = [need for need in needs if wanted[need.id]]
        if not candidates or not asked:
            return Generated((), Usage(), verbatim=True)
        overlaps = _overlaps(asked, candidates)
        allowed = np.array([[_read(c, wanted[need.id]) for c in candidates] for need in asked])
        chosen = self._preselected(overlaps, allowed)
        candidates = [candidates[n] for n in chosen]
        overlaps, allowed = overlaps[:, chosen], allowed[:, chosen]
        scores = self._scores(asked, candidates, overlaps, allowed)
        picks = [
            pick
            for need, row in zip(asked, scores, strict=True)
            for pick in self._picks(need, candidates, row)
        ]
        return Generated(tuple(_claim(pick) for pick in _shared(picks)), Usage(), verbatim=True)

    def _preselected(self, overlaps: Float64, allowed: Float64) -> list[int]:
        """Indices of the candidates worth a vector: for each need in turn, by shared words and place read."""
        n_needs, n = overlaps.shape
        if n <= self._weights.units:
            return list(range(n))
        cheap = np.where(np.isnan(allowed), -np.inf, overlaps + np.nan_to_num(allowed))
        orders = [sorted(range(n), key=lambda c, row=row: (-row[c], c)) for row in cheap]  # type: ignore[misc]
        kept: dict[int, None] = {}
        for turn in range(n):
            for need in range(n_needs):
                if len(kept) < self._weights.units and np.isfinite(cheap[need][orders[need][turn]]):
                    kept[orders[need][turn]] = None
        return sorted(kept)

    def _scores(
        self, needs: Sequence[Need], candidates: Sequence[Candidate], overlaps: Float64, allowed: Float64
    ) -> Float64:
        """(n_needs, n_candidates); -inf where the need's supports do not point to the evidence."""
        try:
            units = self._embedder.embed_passages([self._fitting(candidate) for candidate in candidates])
            queries = self._embedder.embed_queries([need.text for need in needs])
        except EmbedderError as error:
            raise GeneratorError(f"the sentences of the evidence could not be compared: {error}") from error
        weights = self._weights
        cosines = queries.astype(np.float64) @ units.T.astype(np.float64)
        beside = queries.astype(np.float64) @ _beside(candidates, units).T
        scores = cosines + weights.beside * beside + weights.words * overlaps + weights.read * allowed
        return np.where(np.isnan(scores), -np.inf, scores)

    def _fitting(self, candidate: Candidate) -> str:
        """The head of the unit under its heading path, as much as the embedder's window takes."""
        path = " › ".join(dict.fromkeys((candidate.hit.title, *candidate.hit.heading_path)))[:_PATH_CHARS]
        text = f"{path}\n{candidate.text[:_SCORED_CHARS]}" if path else candidate.text[:_SCORED_CHARS]
        while len(text) > 1 and self._embedder.count_tokens(text) > self._embedder.room():
            text = text[: len(text) * 3 // 4]
        return text

    def _picks(self, need: Need, candidates: Sequence[Candidate], scores: Float64) -> Iterator[Pick]:
        best = float(scores.max())
        if not math.isfinite(best):
            return
        order = sorted(range(len(candidates)), key=lambda n: (-scores[n], n))
        kept: list[Candidate] = []
        n_chars = 0
        for n in order[:MAX_UNITS]:
            candidate = candidates[n]
            fits = not kept or n_chars + candidate.unit.n_chars <= QUOTE_CHARS
            if scores[n] >= best - self._weights.keep and fits:
                kept.append(candidate)
                n_chars += candidate.unit.n_chars
        kept.sort(key=lambda candidate: candidate.place)
        run: list[Candidate] = []
        for candidate in kept:
            if run and not _reads_on(run[-1], candidate):
                yield Pick(run[0].hit, (need.id,), tuple(one.unit for one in run))
                run = []
            run.append(candidate)
        yield Pick(run[0].hit, (need.id,), tuple(one.unit for one in run))


def create(*, embedder: Embedder, **options: Any) -> Extractive:
    """Options: the fields of `Weights`. Raises SettingsError for others."""
    known = set(Weights.__dataclass_fields__)
    for key, value in options.items():
        if key not in known:
            raise SettingsError(
                f"the extractive generator has no option {key!r}; it has: {', '.join(sorted(known))}"
            )
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
            raise SettingsError(f"generator option {key} is {value!r}; it must be a number from 0")
    weights = Weights(**options)
    if weights.units < 1 or weights.units != int(weights.units):
        raise SettingsError(f"generator option units is {weights.units!r}; it must be a whole number from 1")
    return Extractive(embedder, weights)


def _best_first(need: Need, supports: Sequence[Support], by_rank: Mapping[int, Hit]) -> tuple[Support, ...]:
    """The need's supports in the evidence, the surest first, from MAX_EVIDENCE pieces at most."""
    own = [support for support in supports if support.need == need.id and support.evidence in by_rank]
    own.sort(key=lambda support: (-support.confidence, support.evidence, support.span))
    ranks = list(dict.fromkeys(support.evidence for support in own))[:MAX_EVIDENCE]
    return tuple(support for support in own if support.evidence in ranks)


def _hits(supports: Sequence[Support], by_rank: Mapping[int, Hit]) -> Iterator[Hit]:
    for support in supports:
        yield by_rank[support.evidence]


def _candidates(hits: Mapping[int, Hit]) -> list[Candidate]:
    found: list[Candidate] = []
    for _, hit in sorted(hits.items()):
        for unit in cut(hit.text):
            found.append(Candidate(len(found), hit, unit, unit.text(hit.text)))
    return found


def _overlaps(needs: Sequence[Need], candidates: Sequence[Candidate]) -> Float64:
    """(n_needs, n_candidates): share of the need's terms in the unit, each by how few units hold it."""
    unit_terms = [set(terms(candidate.text)) for candidate in candidates]
    n_holding = Counter(term for held in unit_terms for term in held)
    rows = []
    for need in needs:
        weight = {
            term: math.log(1 + len(candidates) / (1 + n_holding[term])) for term in set(terms(need.text))
        }
        total = sum(weight.values()) or 1.0
        rows.append([sum(weight[term] for term in held & weight.keys()) / total for held in unit_terms])
    return np.array(rows, dtype=np.float64)


def _read(candidate: Candidate, supports: Sequence[Support]) -> float:
    """How much of what the judge read for the need is here: 0 to 1; NaN where it read another piece.

    A support as long as the evidence itself says nothing about the place, and counts as 0.
    """
    hit = candidate.hit
    own = [support for support in supports if support.evidence == hit.rank]
    if not own:
        return math.nan
    best = 0.0
    for support in own:
        start, end = support.span[0] - hit.span[0], support.span[1] - hit.span[0]
        if end <= start or end - start > 0.8 * len(hit.text):
            continue
        shared = sum(max(0, min(end, right) - max(start, left)) for left, right in candidate.unit.spans)
        best = max(best, shared / min(end - start, candidate.unit.n_chars))
    return best


def _beside(candidates: Sequence[Candidate], units: Float32) -> Float64:
    """(n, dim): the mean of the units before and after in the same evidence, as unit rows; 0 if alone."""
    rows = np.zeros(units.shape, dtype=np.float64)
    for n, candidate in enumerate(candidates):
        for other in (n - 1, n + 1):
            if 0 <= other < len(candidates) and candidates[other].hit.rank == candidate.hit.rank:
                rows[n] += units[other]
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(norms == 0, 1.0, norms))


def _reads_on(one: Candidate, other: Candidate) -> bool:
    """Whether the second is the first's continuation: of the same structure, or nothing between them."""
    if one.hit.rank != other.hit.rank:
        return False
    if one.unit.fence or other.unit.fence:
        return False
    apart = one.hit.text[one.unit.spans[-1][1] : other.unit.spans[0][0]]
    touching = not apart.strip()
    return touching or (one.unit.block == other.unit.block and one.unit.kind != "sentence")


def _shared(picks: Sequence[Pick]) -> list[Pick]:
    """Picks of different needs that quote the same words, made one; a pick within another joins it."""
    merged: list[Pick] = []
    for pick in picks:
        for n, other in enumerate(merged):
            if other.hit.rank == pick.hit.rank and _common(other.spans, pick.spans):
                units = tuple(dict.fromkeys((*other.units, *pick.units)))
                both = Pick(other.hit, tuple(dict.fromkeys((*other.needs, *pick.needs))), units)
                merged[n] = replace(both, units=tuple(sorted(units, key=lambda unit: unit.spans)))
                break
        else:
            merged.append(pick)
    return merged


def _common(one: Sequence[Span], other: Sequence[Span]) -> bool:
    """Most of the smaller one is also in the larger one (a shared lead-in or table header is not enough)."""
    shared = sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in one for b in other)
    smaller = min(sum(end - start for start, end in spans) for spans in (one, other))
    return shared > 0.8 * smaller


def _claim(pick: Pick) -> DraftClaim:
    hit = pick.hit
    quotes = [hit.text[start:end] for start, end in pick.spans]
    citations = tuple(
        DraftCitation(hit.rank, quote, (hit.span[0] + start, hit.span[0] + end))
        for quote, (start, end) in zip(quotes, pick.spans, strict=True)
    )
    return DraftClaim(_readable(pick, quotes), pick.needs, citations)


def _readable(pick: Pick, quotes: Sequence[str]) -> str:
    """The quotes as Markdown that stands alone: rows under their header, code in its fence."""
    fence = pick.units[0].fence
    if fence:
        return "\n".join((fence, *quotes, fence[: len(fence) - len(fence.lstrip("`~"))]))
    plain = [_QUOTED.sub("", quote) for quote in quotes]
    if all(unit.kind == "row" for unit in pick.units):
        return "\n".join(plain)
    text = plain[0]
    for above, below in pairwise(plain):
        both_items = _is_item(above.rsplit("\n", 1)[-1]) and _is_item(below)
        text += ("\n" if both_items else "\n\n") + below
    return text


def _is_item(line: str) -> bool:
    return bool(BULLET.match(line) or NUMBER.match(line))
