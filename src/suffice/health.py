"""What is here and what is wrong with it: status(), lint(), doctor(), and checks of what was stored."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from suffice.answer.messages import Outcome
from suffice.chunks import Lint, NearDuplicate, chunker, lint_chunks, near_duplicates
from suffice.corpus import snapshot
from suffice.errors import SufficeError
from suffice.gate import calibration
from suffice.gate.calibration import OperatingPoint
from suffice.index import active as serving
from suffice.index import open_store
from suffice.index.generations import late_of
from suffice.journal import Journal
from suffice.ports import Embedder, Generator, Progress
from suffice.settings import AnswerSettings, Settings
from suffice.values import Chunk, Filter, Unreadable
from suffice.workspace import Workspace

GENERATOR = AnswerSettings().generator
"""The generator that needs no server."""
_LITTLE_DISK = 500_000_000


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """A recorded source."""

    uri: str
    kind: str
    tenant: str | None


@dataclass(frozen=True, slots=True)
class Status:
    """The workspace in numbers. `generation` is None before anything was indexed."""

    workspace: str
    n_documents: int
    n_chunks: int
    n_parts: int
    n_snapshots: int
    n_pending: int
    n_unreadable: int
    generation: str | None
    embedder: str | None
    chunker: str | None
    tenants: tuple[str, ...]
    n_bytes: int
    sources: tuple[SourceStatus, ...]
    late: str | None = None  # fingerprint of the token states that the serving generation keeps


@dataclass(frozen=True, slots=True)
class LintReport:
    """What retrieves badly or could not be read."""

    n_chunks: int
    oversized: tuple[Lint, ...]
    heading_only: tuple[Lint, ...]
    truncated: tuple[Lint, ...]
    near_duplicates: tuple[NearDuplicate, ...]
    unreadable: tuple[Unreadable, ...]


@dataclass(frozen=True, slots=True)
class Integrity:
    """What was checked and each thing that is damaged."""

    n_checked: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Nothing is damaged."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that `doctor` looked at. `remedy` says what to do when it is not `ok`, or a `warning`.

    A warning is `ok`: nothing is broken, but something that the user set up does not count any more.
    """

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    warning: bool = False


def status(workspace: Workspace) -> Status:
    """Numbers from the record alone; no model is loaded."""
    active = workspace.active_generation()
    chunks = parts = 0
    if active is not None:
        chunks = sum(row.n_chunks for row in workspace.indexed(active.id))
        parts = workspace.n_parts(active.id)
    documents = workspace.documents()
    return Status(
        workspace=str(workspace.path),
        n_documents=len(documents),
        n_chunks=chunks,
        n_parts=parts,
        n_snapshots=len(workspace.snapshot_ids()),
        n_pending=n_pending(workspace),
        n_unreadable=len(unreadable(workspace)),
        generation=active.id if active else None,
        embedder=active.embedder if active else None,
        chunker=active.chunker if active else None,
        tenants=tuple(sorted({row.tenant for row in documents if row.tenant is not None})),
        n_bytes=sum(path.stat().st_size for path in workspace.path.rglob("*") if path.is_file()),
        sources=tuple(SourceStatus(s.uri, s.kind, s.tenant) for s in workspace.sources()),
        late=late_of(active) if active else None,
    )


def n_pending(workspace: Workspace) -> int:
    """How many documents the index does not hold as they are now."""
    active = workspace.active_generation()
    return len(workspace.documents() if active is None else workspace.pending(active.id))


def why_empty(workspace: Workspace, filter: Filter) -> Outcome:
    """Why no chunk took part in a search."""
    if not workspace.documents(filter.tenant):
        return "empty"
    return "filtered" if filter.conditions else "waiting"


def unreadable(workspace: Workspace) -> tuple[Unreadable, ...]:
    """Files that the last snapshot could not read, and documents that no parser could."""
    found: dict[str, str] = {}
    ids = workspace.snapshot_ids()
    if ids:
        found |= {item.name: item.reason for item in workspace.snapshot(ids[-1]).unreadable}
    found |= {item.document: item.reason for item in workspace.parse_failures()}
    return tuple(Unreadable(name, reason) for name, reason in sorted(found.items()))


def lint(workspace: Workspace, settings: Settings, embedder: Embedder) -> LintReport:
    """Findings over every chunk of the documents in use, as the settings cut them."""
    chunks = _chunks(workspace, settings)
    found = lint_chunks(chunks, embedder.count_tokens, embedder.room(), max_chars=settings.chunk.max_chars)
    return LintReport(
        n_chunks=len(chunks),
        oversized=tuple(item for item in found if item.fault == "oversized"),
        heading_only=tuple(item for item in found if item.fault == "heading_only"),
        truncated=tuple(item for item in found if item.fault == "truncated"),
        near_duplicates=near_duplicates(chunks),
        unreadable=unreadable(workspace),
    )


def _chunks(workspace: Workspace, settings: Settings) -> tuple[Chunk, ...]:
    # Cut again and not read from the index: chunks of a heading alone are left out there.
    cutter = chunker(settings.chunk)
    documents = (workspace.normalized(row.file) for row in workspace.documents())
    return tuple(chunk for document in documents if document is not None for chunk in cutter.cut(document))


def verify_snapshots(workspace: Workspace, progress: Progress | None = None) -> Integrity:
    """Recompute the sha256 of every raw file that a snapshot names."""
    found = snapshot.verify(workspace, progress=progress)
    return Integrity(
        found.n_files,
        tuple(
            f"{item.document} of snapshot {item.snapshot}: the raw file {item.sha256[:12]}… is {item.state}"
            for item in found.damage
        ),
    )


def verify_index(workspace: Workspace, settings: Settings) -> Integrity:
    """Compare the searchable arrays with the record; they are rebuilt first if they are stale."""
    active = workspace.active_generation()
    if active is None:
        return Integrity(0, ())
    recorded = {key.chunk_id for key in workspace.chunk_keys(active.id)}
    built = set(open_store(workspace, active.id, settings).chunk_ids())
    problems = [f"chunk {chunk} is in the record and not in the arrays" for chunk in sorted(recorded - built)]
    problems += [
        f"chunk {chunk} is in the arrays and not in the record" for chunk in sorted(built - recorded)
    ]
    problems += list(workspace.problems())
    return Integrity(len(recorded), tuple(problems))


def doctor(
    workspace: Workspace,
    settings: Settings,
    embedder: Callable[[], Embedder],
    generator: Callable[[], Generator],
    journal: Journal,
    point: Callable[[str | None], OperatingPoint],
) -> tuple[Check, ...]:
    """Every check runs, whatever the others found. `point` gives a tenant's operating point."""
    return (
        _database(workspace),
        _raw_files(workspace),
        _documents(workspace),
        _model(embedder),
        _index(workspace, settings, embedder),
        _unread(workspace),
        _disk(workspace.path),
        *_generator(settings, generator),
        *(_calibration(point, tenant) for tenant in (None, *calibration.tenants(journal))),
    )


def _database(workspace: Workspace) -> Check:
    problems = workspace.problems()
    detail = "; ".join(problems) or f"{workspace.path / 'suffice.db'} is whole"
    return Check("database", not problems, detail, "restore the folder from a copy, or add the sources anew")


def _raw_files(workspace: Workspace) -> Check:
    report = verify_snapshots(workspace)
    detail = "; ".join(report.problems[:3]) or f"{report.n_checked} raw files have their sha256"
    remedy = "restore blobs/ from a copy; answers that cite these files cannot be checked until then"
    return Check("raw files", report.ok, detail, remedy)


def _documents(workspace: Workspace) -> Check:
    n = len(workspace.documents())
    return Check("documents", n > 0, f"{n} documents", "add some: suffice add FOLDER")


def _model(embedder: Callable[[], Embedder]) -> Check:
    try:
        made = embedder()
        made.embed_queries(["ready?"])
    except SufficeError as error:
        return Check(
            "model", False, str(error), "install the package again: pip install --force-reinstall suffice"
        )
    return Check("model", True, f"{made.name} {made.version}, {made.dim} dimensions")


def _generator(settings: Settings, generator: Callable[[], Generator]) -> tuple[Check, ...]:
    """Whether the endpoint of a generator answers; nothing is asked unless such a one is set."""
    if settings.answer.generator == GENERATOR:
        return ()
    name, remedy = "generator", "see the table generator of the settings, and docs/how-to/language-model.md"
    try:
        made = generator()
        check = getattr(made, "check", None)
        said = check() if check else f"{made.name} {made.version}"
    except SufficeError as error:
        return (Check(name, False, str(error), remedy),)
    exposed = bool(getattr(getattr(made, "endpoint", None), "exposed", False))
    if exposed:
        said += "; passages and key travel unencrypted"
    return (Check(name, True, said, "use an address that begins with https" if exposed else "", exposed),)


def _index(workspace: Workspace, settings: Settings, embedder: Callable[[], Embedder]) -> Check:
    active = workspace.active_generation()
    if active is None:
        return Check("index", False, "there is no index yet", "suffice add FOLDER")
    try:
        serving(workspace, embedder())
        report = verify_index(workspace, settings)
    except SufficeError as error:
        return Check("index", False, str(error), "build it again: suffice index build")
    pending = len(workspace.pending(active.id))
    if pending:
        return Check("index", False, f"{pending} documents wait to be indexed", "suffice update")
    detail = "; ".join(report.problems[:3]) or f"{report.n_checked} chunks, record and arrays agree"
    return Check("index", report.ok, detail, "build it again: suffice index build")


def _unread(workspace: Workspace) -> Check:
    names = unreadable(workspace)
    detail = f"{len(names)} files could not be read" if names else "every file could be read"
    return Check("files", not names, detail, "see which, and why: suffice lint")


def _calibration(point: Callable[[str | None], OperatingPoint], tenant: str | None) -> Check:
    name = "calibration" if tenant is None else f"calibration of {tenant}"
    try:
        found = point(tenant)
    except SufficeError as error:
        return Check(name, False, str(error), "install the package again, or set gate.judge")
    gate, own = found.calibration, "" if tenant is None else f" --tenant {tenant}"
    if gate.status == "manual":
        fit = "; a fit to labels is there and does not count" if found.overridden else ""
        return Check(name, True, f"gate.threshold is set: {gate.threshold:g}{fit}")
    if found.ignored:
        return Check(
            name,
            True,
            f"the fit to your labels is ignored, since {'; '.join(found.ignored)}; the gate asks for the "
            f"judge's own {gate.threshold:g}",
            f"fit it anew: suffice calibrate FILE{own}; or forget it: suffice calibrate --reset{own}",
            warning=True,
        )
    if gate.labels is None:
        return Check(
            name,
            True,
            f"uncalibrated for this corpus: the threshold {gate.threshold:g} is the judge's own, from public "
            f"data; fit it to labelled questions: suffice calibrate FILE{own}",
        )
    n = gate.labels.full + gate.labels.partial + gate.labels.none
    return Check(
        name,
        True,
        f"fitted to {n} labels of this corpus, {gate.labels.none} of them unanswerable: threshold "
        f"{gate.threshold:g}, false-answer rate at most {gate.upper_bound:.1%} with 95% confidence",
    )


def _disk(path: Path) -> Check:
    free = shutil.disk_usage(path).free
    return Check("disk", free > _LITTLE_DISK, f"{free / 1e9:.1f} GB free", "make room")
