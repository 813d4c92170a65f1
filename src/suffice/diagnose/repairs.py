"""Every known repair, really run on the case. "None helped" is a result; so is why one was not run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from suffice import registry
from suffice.diagnose.case import Target, positions
from suffice.diagnose.findings import Ranks, Repair
from suffice.diagnose.layers import Located, Locator
from suffice.diagnose.scratch import NotRun
from suffice.diagnose.trials import RERANKED, Trials, Tried
from suffice.errors import SufficeError
from suffice.ports import Progress
from suffice.values import Mode, Scalar

TOP_K = (5, 10, 20, 50)
MMR = 0.7
MODES: tuple[Mode, ...] = ("dense", "lexical", "hybrid")

Setting = Mapping[str, Scalar | None]
Plan = tuple[str, Setting, Callable[[], Tried]]


def run_all(
    locator: Locator, located: Sequence[Located], progress: Progress | None = None
) -> tuple[Repair, ...]:
    """One result a repair, in a fixed order."""
    repairs = _Repairs(locator, located)
    plans = list(_plans(Trials(locator, located)))
    results = []
    for number, (name, setting, trial) in enumerate(plans, 1):
        results.append(repairs.run(name, setting, trial))
        if progress is not None:
            progress("repairs", number, len(plans))
    return tuple(results)


def helped(repairs: Sequence[Repair]) -> list[Repair]:
    """Those that brought a piece into the evidence and lost none, the best first."""
    good = [repair for repair in repairs if repair.judgement == "helps"]
    return sorted(good, key=lambda repair: -(repair.coverage_after or 0.0))


def _plans(trials: Trials) -> Iterator[Plan]:
    case = trials.case
    for k in TOP_K:
        yield "top_k", {"k": k}, partial(trials.top_k, k)
    yield "deduplication", {}, partial(trials.with_switch, dedup=True)
    yield "mmr", {"share": MMR}, partial(trials.with_switch, mmr=MMR)
    for mode in MODES:
        if mode != case.mode:
            yield f"{mode}_only", {}, partial(trials.leg, mode)
    yield "page_aggregation", {}, trials.pages
    yield "query_split", {}, trials.split
    if len(case.queries) > 1:
        yield "whole_question", {}, trials.whole
    yield "query_rewrite", {}, trials.rewrite
    if case.filter.conditions:
        yield "without_filter", {}, trials.unfiltered
    yield from _suggestions(trials)
    for name in registry.names("reranker") or ("none",):
        yield "rerank", {"reranker": name, "first": RERANKED}, partial(trials.rerank, name)
    for name in registry.names("embedder"):
        if name != trials.locator.embedder.name:
            yield "embedder", {"name": name}, partial(trials.embedder, name)
    yield "chunk_size", {"max_chars": trials.other_size}, trials.chunk_size


def _suggestions(trials: Trials) -> Iterator[Plan]:
    answer = trials.case.answer
    if not answer.suggestions:
        reason = (
            "the verdict is sufficient"
            if answer.status == "sufficient"
            else "none could be made from this evidence"
        )
        yield "suggestion", {}, partial(_not_run, f"nothing was suggested: {reason}")
    for one in answer.suggestions:
        yield "suggestion", {"id": one.id, "question": one.question}, partial(trials.asked, one.question)


def _not_run(reason: str) -> Tried:
    raise NotRun(reason)


class _Repairs:
    """Compares what a repair made of the evidence's order with what it was."""

    def __init__(self, locator: Locator, located: Sequence[Located]) -> None:
        self.field, self.k = locator.field, locator.case.k
        self.located = located
        self.before = self._ranks(self.field.ranked(self.field.evidence_order()), None)
        self.counted = [one.finding.id for one in located if one.finding.quote]

    def run(self, name: str, setting: Setting, trial: Callable[[], Tried]) -> Repair:
        """The repair with ranks, coverage, cost and judgement; a trial that cannot run says why."""
        began = time.perf_counter()
        try:
            tried = trial()
        except (NotRun, SufficeError) as error:
            return Repair(name, dict(setting), f"not run: {error}", ranks_before=self.before)
        cost_ms = round((time.perf_counter() - began) * 1000, 1)
        n = len(self.field.ids) if tried.n is None else tried.n
        after = self._ranks(positions(tried.order, n), tried.targets)
        covered = self._coverage(self.before, self.k), self._coverage(after, tried.k or self.k)
        return Repair(
            name=name,
            setting={**setting, **(tried.setting or {})},
            judgement=_judgement(*covered),
            ranks_before=self.before,
            ranks=after,
            coverage_before=covered[0],
            coverage_after=covered[1],
            cost_ms=cost_ms,
            note=tried.note,
        )

    def _ranks(self, position: NDArray[np.int64], targets: Mapping[str, tuple[Target, ...]] | None) -> Ranks:
        found: Ranks = {}
        for one in self.located:
            own = one if targets is None else replace(one, targets=targets.get(one.finding.id, ()))
            found[one.finding.id] = own.rank(position)
        return found

    def _coverage(self, ranks: Ranks, k: int) -> float | None:
        if not self.counted:
            return None
        n_held = sum(1 for piece in self.counted if (rank := ranks[piece]) is not None and rank <= k)
        return round(n_held / len(self.counted), 4)


def _judgement(before: float | None, after: float | None) -> str:
    if before is None or after is None or before == after:
        return "no change"
    return "helps" if after > before else "hurts"
