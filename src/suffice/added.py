"""What one `add` or `update` did, in numbers."""

from __future__ import annotations

import time
from dataclasses import dataclass

from suffice.corpus.snapshot import Taken
from suffice.health import Status
from suffice.index import IndexReport
from suffice.values import Unreadable


@dataclass(frozen=True, slots=True)
class AddReport:
    """What one `add` or `update` did. `snapshot` is None when nothing had changed."""

    snapshot: str | None
    generation: str
    n_added: int
    n_changed: int
    n_unchanged: int
    n_gone: int
    n_documents: int
    n_chunks: int
    n_parts: int
    n_embedded: int
    n_reused: int
    unreadable: tuple[Unreadable, ...]
    kept_out: tuple[str, ...]
    seconds: float


def report(taken: Taken, indexed: IndexReport, now: Status, began: float) -> AddReport:
    """Counts of what was taken and indexed; `began` is when, by `time.perf_counter()`."""
    failed = {item.name for item in indexed.failures}
    return AddReport(
        snapshot=taken.snapshot,
        generation=indexed.generation,
        n_added=len(taken.added),
        n_changed=len(taken.changed),
        n_unchanged=len(taken.unchanged),
        n_gone=len(taken.gone),
        n_documents=now.n_documents,
        n_chunks=now.n_chunks,
        n_parts=now.n_parts,
        n_embedded=indexed.n_embedded,
        n_reused=indexed.n_reused,
        unreadable=(*(item for item in taken.unreadable if item.name not in failed), *indexed.failures),
        kept_out=taken.kept_out,
        seconds=round(time.perf_counter() - began, 3),
    )
