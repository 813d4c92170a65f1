"""Looks back at snapshots: lists, shows, verifies and compares them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from suffice.corpus.normalize import normalize
from suffice.errors import NotFound
from suffice.ports import Progress
from suffice.values import Document, Snapshot
from suffice.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Listed:
    """A snapshot in a list."""

    id: str
    taken_from: str
    taken_until: str
    n_files: int
    n_bytes: int
    n_unreadable: int


@dataclass(frozen=True, slots=True)
class Damage:
    """A file of a snapshot whose raw bytes are "missing" or "damaged"."""

    snapshot: str
    document: str
    sha256: str
    state: str


@dataclass(frozen=True, slots=True)
class Verified:
    """How many files and distinct bytes were checked, and what is wrong with which."""

    n_files: int
    n_bytes: int
    damage: tuple[Damage, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Names of documents that only the second snapshot has, only the first, both with other bytes, both."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]


def listing(ws: Workspace) -> tuple[Listed, ...]:
    """All snapshots, oldest first."""
    return tuple(
        Listed(
            id=one.id,
            taken_from=one.taken_from,
            taken_until=one.taken_until,
            n_files=len(one.files),
            n_bytes=sum(file.n_bytes for file in one.files),
            n_unreadable=len(one.unreadable),
        )
        for one in _snapshots(ws, None)
    )


def show(ws: Workspace, id: str) -> Snapshot:
    """One snapshot with its files. Raises NotFound."""
    return ws.snapshot(id)


def resolve(ws: Workspace, id: str) -> str:
    """The whole id of a snapshot that is named by its end or its beginning; an unknown one is given back.

    Raises NotFound where several fit.
    """
    known = ws.snapshot_ids()
    fits = [one for one in known if one == id or one.endswith(id)]
    fits = fits or [one for one in known if id and one.startswith(id)]
    if len(fits) > 1:
        raise NotFound(f"{id!r} fits several snapshots: {', '.join(fits[:4])}; give more of its id")
    return fits[0] if fits else id


def document(ws: Workspace, id: str, name: str, tenant: str | None) -> Document:
    """A document of a snapshot, normalized from its raw bytes. Raises NotFound, ParseError."""
    file = ws.snapshot_file(resolve(ws, id), tenant, name)
    if file is None:
        raise NotFound(f"snapshot {id} holds no document {name!r}")
    return normalize(ws.blobs.get(file.sha256), file)


def verify(ws: Workspace, id: str | None = None, progress: Progress | None = None) -> Verified:
    """Compute the sha256 of every raw file of a snapshot (None: of all) again. Raises NotFound."""
    state: dict[str, str] = {}
    damage, n_files, n_bytes = [], 0, 0
    for one in _snapshots(ws, id):
        for file in one.files:
            n_files += 1
            if file.sha256 not in state:
                state[file.sha256] = ws.blobs.verify(file.sha256)
                n_bytes += file.n_bytes
            if state[file.sha256] != "good":
                damage.append(Damage(one.id, file.name, file.sha256, state[file.sha256]))
            if progress is not None:
                progress("verify", n_files, 0)
    return Verified(n_files, n_bytes, tuple(damage))


def diff(ws: Workspace, a: str, b: str) -> Difference:
    """What changed from snapshot `a` to snapshot `b`. Raises NotFound."""
    first, second = (
        {(file.tenant, file.name): file.sha256 for file in ws.snapshot(id).files} for id in (a, b)
    )

    def named(wanted: Callable[[tuple[str | None, str]], bool]) -> tuple[str, ...]:
        keys = sorted(first.keys() | second.keys(), key=lambda key: (key[0] or "", key[1]))
        return tuple(name if tenant is None else f"{tenant}:{name}" for tenant, name in filter(wanted, keys))

    return Difference(
        added=named(lambda key: key not in first),
        removed=named(lambda key: key not in second),
        changed=named(lambda key: key in first and key in second and first[key] != second[key]),
        unchanged=named(lambda key: key in first and key in second and first[key] == second[key]),
    )


def _snapshots(ws: Workspace, id: str | None) -> Iterator[Snapshot]:
    for key in ws.snapshot_ids() if id is None else (id,):
        yield ws.snapshot(key)
