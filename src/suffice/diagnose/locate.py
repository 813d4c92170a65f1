"""locate(): a question with its answer, and the pieces that it should have had -> a diagnosis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from suffice.diagnose.case import Case
from suffice.diagnose.findings import IN_EVIDENCE, LAYERS, Diagnosis, PieceFinding, Repair
from suffice.diagnose.layers import Locator
from suffice.diagnose.repairs import helped, run_all
from suffice.diagnose.traces import Trace
from suffice.errors import StoreError, UsageError
from suffice.gold import Piece
from suffice.ports import Embedder, Progress
from suffice.retrieve.search import Searcher
from suffice.settings import Settings
from suffice.values import Answer
from suffice.workspace import Workspace

LAYER_WORDS: dict[str, str] = {
    "not_in_corpus": "not in the corpus",
    "lost_in_parsing": "lost in parsing",
    "cut_by_chunking": "cut by chunking",
    "not_embedded": "not embedded",
    "filtered_out": "filtered out",
    "deep": "ranked deep",
    "just_outside_k": "just outside k",
    "unrecognised_by_gate": "in the evidence, not recognised by the gate",
    "unused_by_answer": "recognised, not used by the answer",
    "answered": "answered",
}


@dataclass(frozen=True, slots=True)
class Parts:
    """What of an engine a diagnosis works with. `threshold` is what the gate asks for now."""

    workspace: Workspace
    searcher: Searcher
    settings: Settings
    embedder: Embedder
    threshold: float


def locate(
    parts: Parts,
    answer: Answer,
    trace: Trace,
    pieces: Sequence[Piece],
    *,
    earlier: bool = False,
    repairs: bool = False,
    progress: Progress | None = None,
) -> Diagnosis:
    """Where each piece was lost, and with `repairs` what every known repair does for it.

    An answer given `earlier` is judged by what was recorded then: its evidence, verdict and claims, and its
    rankings as far as they were kept. Raises UsageError without pieces, StoreError for a failed search.
    """
    if not pieces:
        raise UsageError("there is nothing to look for; give a --expect QUOTE, or --gold FILE with --id ID")
    if answer.verdict.failures and not answer.evidence:
        failure = answer.verdict.failures[0]
        raise StoreError(f"the {failure.stage} failed, so nothing was found or missed: {failure.reason}")
    case = Case(
        ws=parts.workspace,
        searcher=parts.searcher,
        settings=parts.settings,
        answer=answer,
        k=trace.k,
        mode=trace.mode,
        filter=trace.filter,
        threshold=trace.threshold,
        recorded=tuple(ranking.chunk_ids for ranking in trace.rankings),
        changes=_changes(parts, trace) if earlier else (),
        traced=earlier,
    )
    locator = Locator(case, parts.embedder)
    located = locator.locate(pieces)
    tried = run_all(locator, located, progress) if repairs else ()
    findings = tuple(one.finding for one in located)
    return Diagnosis(
        question=answer.question,
        k=case.k,
        depth=trace.rankings[0].depth if earlier and trace.rankings else locator.field.depth,
        generation=answer.generation,
        mode=case.mode,
        pieces=findings,
        judgement=_judgement(findings, tried, case.k, tried=repairs),
        status=answer.status,
        repairs=tried,
        tenant=case.filter.tenant,
        answer=answer.id if earlier else None,
        settings=trace.settings,
        changes=case.changes,
        failures=answer.verdict.failures,
    )


def _changes(parts: Parts, trace: Trace) -> tuple[str, ...]:
    """What is no longer as it was when the answer was given; empty when a new search would see the same."""
    found = []
    searcher = parts.searcher
    if trace.generation != searcher.generation:
        found.append(
            f"the index was generation {trace.generation} and is now {searcher.generation}: "
            "documents are looked up in the present one, ranks are those recorded then"
        )
    elif trace.revision != parts.workspace.revision(searcher.generation):
        found.append("documents have changed since the answer was given: ranks are those recorded then")
    if trace.settings != parts.settings.fingerprint():
        found.append(f"the settings were {trace.settings} and are now {parts.settings.fingerprint()}")
    if trace.threshold != parts.threshold:
        found.append(f"the gate asked for a confidence of {trace.threshold:g}, now for {parts.threshold:g}")
    return tuple(found)


def _judgement(pieces: Sequence[PieceFinding], repairs: Sequence[Repair], k: int, *, tried: bool) -> str:
    """The whole finding in two or three sentences."""
    n_held = sum(_is_held(piece, k) for piece in pieces)
    n_answered = sum(piece.layer == "answered" for piece in pieces)
    said = [f"{n_held} of {len(pieces)} pieces are in the first {k} chunks, {n_answered} in the answer."]
    if len(pieces) == 1:
        said = [f"{pieces[0].id} is {LAYER_WORDS[pieces[0].layer]}."]
    by_layer = Counter(piece.layer for piece in pieces if piece.layer != "answered")
    if by_layer and len(pieces) > 1:
        worst = max(by_layer, key=lambda layer: (by_layer[layer], -LAYERS.index(layer)))
        ids = ", ".join(_with_rank(piece) for piece in pieces if piece.layer == worst)
        said.append(f"Most is lost here: {LAYER_WORDS[worst]} ({ids}).")
    if tried:
        said.append(_of_repairs(pieces, repairs, n_held))
    return " ".join(said)


def _is_held(piece: PieceFinding, k: int) -> bool:
    """Whether the evidence has the piece: of a piece that was cut, the first of its chunks will do."""
    if piece.layer == "cut_by_chunking":
        return piece.k_needed is not None and piece.k_needed <= k
    return piece.layer in IN_EVIDENCE


def _of_repairs(pieces: Sequence[PieceFinding], repairs: Sequence[Repair], n_held: int) -> str:
    n_run = sum(repair.was_run for repair in repairs)
    good = helped(repairs)
    if not good:
        if n_held == len(pieces):
            return f"Nothing is left for a repair of retrieval to find; {n_run} were run."
        return f"None of the {n_run} repairs that were run brings more of it into the evidence."
    best = good[0]
    others = f"; {len(good) - 1} more help" if len(good) > 1 else ""
    all_of_it = "everything" if best.coverage_after == 1 else f"{best.coverage_after or 0:.0%} of the pieces"
    return (
        f"Of {n_run} repairs that were run, {shown(best)} brings {all_of_it} into the evidence{others}. "
        "One case is no reason to change a default: run the benchmark."
    )


def shown(repair: Repair) -> str:
    """A repair's name with the setting that tells it from others of its name."""
    name = repair.name.replace("_", " ")
    for key in ("k", "id", "name", "reranker", "max_chars"):
        if repair.setting.get(key) is not None:
            return f"{name} {repair.setting[key]}"
    return name


def _with_rank(piece: PieceFinding) -> str:
    return piece.id if piece.k_needed is None else f"{piece.id} at {piece.k_needed}"
