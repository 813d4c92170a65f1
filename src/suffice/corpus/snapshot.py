"""Takes snapshots: reads sources, keeps raw bytes, and says what every document should be from now on."""

from __future__ import annotations

import functools
import hashlib
import mimetypes
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

from suffice import registry
from suffice.corpus.history import (
    Damage,
    Difference,
    Listed,
    Verified,
    diff,
    document,
    listing,
    resolve,
    show,
    verify,
)
from suffice.corpus.names import Names
from suffice.corpus.normalize import media_type
from suffice.errors import NotFound, SourceError
from suffice.ports import Fetched, Progress, Source, Unfetched
from suffice.values import RawFile, Snapshot, Unreadable
from suffice.workspace import ANY, DocumentRow, SourceSpec, Workspace, now
from suffice.workspace.rows import pack, stored_tenant

__all__ = [
    "Damage",
    "Difference",
    "Listed",
    "Taken",
    "Verified",
    "diff",
    "document",
    "listing",
    "recorded",
    "remove",
    "resolve",
    "show",
    "specs",
    "take",
    "verify",
]

_SKIPPED = "skipped: "


@dataclass(frozen=True, slots=True)
class Taken:
    """What a `take` found. `snapshot` is None when nothing had changed; the rest are document names.

    `skipped` are files that nobody asked for (hidden ones and the like), `kept_out` those that a user
    removed and that are still in the source.
    """

    snapshot: str | None
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    skipped: tuple[Unreadable, ...] = ()
    kept_out: tuple[str, ...] = ()


@dataclass(slots=True)
class _Seen:
    """What has been read so far, source by source; bytes are in the blobs already."""

    files: list[tuple[RawFile, int]] = field(default_factory=list)  # with the index of the source
    unfetched: list[tuple[Unfetched, int]] = field(default_factory=list)
    kept_out: list[str] = field(default_factory=list)


def specs(
    sources: Sequence[str],
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    tenant: str | None = None,
    meta: Mapping[str, str | int | float | bool] | None = None,
) -> tuple[SourceSpec, ...]:
    """What a user typed as sources: http(s) addresses, else paths. Raises SourceError, UsageError."""
    stored_tenant(tenant)
    if any(not source.strip() for source in sources):
        raise SourceError("a SOURCE is empty (an unset variable?); name a folder, a file or an address")
    if not sources:
        raise SourceError("no source is given; give a file, a folder or an address")
    found = []
    for text in dict.fromkeys(sources):
        is_url = text.lower().startswith(("http://", "https://"))
        if not _is_utf8(text, *include, *exclude, tenant or "", *(meta or {}), *(meta or {}).values()):
            raise SourceError(
                f"{text!r}, or what is said of it, is not valid UTF-8; rename it or type it again"
            )
        uri = text if is_url else os.path.abspath(text)  # noqa: PTH100 - a link keeps the name that the user gave
        if not is_url and not os.path.lexists(uri):
            raise SourceError(f"{text!r} does not exist; give a file, a folder or an http(s) address")
        spec = SourceSpec(
            "urls" if is_url else "files", uri, tuple(include), tuple(exclude), dict(meta or {}), tenant
        )
        _source(spec)  # a wrong pattern or address is said before anything is read
        found.append(spec)
    return tuple(found)


def _is_utf8(*values: object) -> bool:
    try:
        "".join(value for value in values if isinstance(value, str)).encode()
    except UnicodeEncodeError:
        return False
    return True


def recorded(ws: Workspace) -> tuple[SourceSpec, ...]:
    """The sources that earlier takes recorded: what `update` reads again."""
    return ws.sources()


def take(
    ws: Workspace,
    sources: Sequence[SourceSpec],
    *,
    progress: Progress | None = None,
    kind: Literal["add", "update"] = "add",
) -> Taken:
    """Read the sources and, if anything changed, record a snapshot and the documents' new state.

    Bytes go to the blobs as they come; all rows are written in one transaction at the end, so a take that
    is killed leaves the old state whole. A document whose file is gone is removed; one whose file cannot
    be read at the moment is kept as it was. With `kind="update"` a document that a user removed stays
    removed, and a source that is not there is reported instead of raised.

    Raises SourceError (add: a source is absent or holds no file), WorkspaceError.
    """
    with ws.lock():
        ws.blobs.sweep()
        taken_from = now()
        began = ws.record_revision()
        seen = _Seen()
        absent: set[int] = set()
        names = {spec.tenant: Names(ws.documents(spec.tenant, removed=True)) for spec in sources}
        for number, spec in enumerate(sources):
            n_given, n_unfetched = 0, len(seen.unfetched)
            try:
                for item in _source(spec).fetch():
                    n_given += isinstance(item, Fetched)
                    _see(ws, seen, names[spec.tenant], spec, number, item, kind)
                    if progress is not None:
                        progress("read", len(seen.files), 0)
            except SourceError as error:
                if kind == "add":
                    raise
                absent.add(number)
                seen.unfetched.append(
                    (Unfetched(spec.uri, f"{error}; its documents stay as they are"), number)
                )
            if kind == "add" and not n_given:
                _complain_if_empty(spec, [item for item, _ in seen.unfetched[n_unfetched:]])
        return _commit(ws, sources, seen, absent, names, taken_from, began)


def remove(ws: Workspace, documents: Sequence[str], tenant: str | None) -> tuple[str, ...]:
    """From now on they are not shown, until a user adds them again. Raises NotFound before any is removed."""
    known = {row.name for row in ws.documents(tenant)}
    unknown = [name for name in documents if name not in known]
    if unknown:
        raise NotFound(f"no document is named {unknown[0]!r}; nothing was removed (see: suffice search)")
    for name in dict.fromkeys(documents):
        ws.remove_document(tenant, name)
    return tuple(dict.fromkeys(documents))


def _source(spec: SourceSpec) -> Source:
    made: Source = registry.create(
        "source", spec.kind, uri=spec.uri, include=spec.include, exclude=spec.exclude, refuse=_refuse
    )
    return made


def _complain_if_empty(spec: SourceSpec, unfetched: Sequence[Unfetched]) -> None:
    real = [item for item in unfetched if not item.reason.startswith(_SKIPPED) and item.name != spec.uri]
    if any(not item.name.startswith("--include") for item in real):
        return  # there are files, and the report says why none of them could be read
    said = "; ".join(f"{item.name} {item.reason}" for item in unfetched[:3])
    raise SourceError(f"there is nothing to read in {spec.uri}" + (f": {said}" if said else ""))


def _see(
    ws: Workspace,
    seen: _Seen,
    names: Names,
    spec: SourceSpec,
    number: int,
    item: Fetched | Unfetched,
    kind: Literal["add", "update"],
) -> None:
    if isinstance(item, Unfetched):
        seen.unfetched.append((item, number))
        return
    if names.seen(item.uri):
        return  # another source of this take gave the same file
    media = item.media_type or media_type(item.name, item.data)
    reason = _no_parser(item.name, media)
    if reason is not None:
        seen.unfetched.append((Unfetched(item.name, reason), number))
        return
    known = names.known(item.uri)
    if kind == "update" and known is not None and known.removed_by == "user":
        seen.kept_out.append(known.name)
        return
    folder = Path(spec.uri).name if spec.kind == "files" and item.uri != spec.uri else ""
    name = names.give(item.uri, f"{folder}/{item.name}" if folder else item.name)
    file = RawFile(
        name=name,
        uri=item.uri,
        media_type=media,
        sha256=ws.blobs.put(item.data),
        n_bytes=len(item.data),
        fetched_at=now(),
        tenant=spec.tenant,
        meta={**item.meta, **spec.meta},
    )
    seen.files.append((file, number))


def _commit(
    ws: Workspace,
    sources: Sequence[SourceSpec],
    seen: _Seen,
    absent: set[int],
    names: Mapping[str | None, Names],
    taken_from: str,
    began: int,
) -> Taken:
    unreadable = tuple(
        Unreadable(item.name, item.reason)
        for item, _ in seen.unfetched
        if not item.reason.startswith(_SKIPPED)
    )
    skipped = tuple(
        Unreadable(item.name, item.reason.removeprefix(_SKIPPED))
        for item, _ in seen.unfetched
        if item.reason.startswith(_SKIPPED)
    )
    added, changed, unchanged, kept_out = [], [], [], list(seen.kept_out)
    with ws.writing():
        ids = [ws.put_source(spec) for spec in sources]
        # Read again, inside the transaction: `remove` does not wait for this lock.
        current = {(row.tenant, row.name): row for row in ws.documents(ANY, removed=True)}
        to_put: list[tuple[RawFile, int]] = []
        for file, number in seen.files:
            row = current.get((file.tenant, file.name))
            if row is not None and row.removed_by == "user" and row.revision > began:
                kept_out.append(file.name)  # removed while we were reading: the removal came last
                continue
            if row is None or row.removed_at is not None:
                added.append(file.name)
            elif _same(row.file, file):
                unchanged.append(file.name)
                continue
            else:
                changed.append(file.name)
            keep = row.source if row is not None and row.removed_at is None else None
            to_put.append((file, keep or ids[number]))
        gone = [
            row
            for row in current.values()
            if row.removed_at is None
            and row.source in ids
            and ids.index(row.source) not in absent
            and not names[row.tenant].seen(row.file.uri)
            and not _still_there(row, sources[ids.index(row.source)], seen, ids.index(row.source))
        ]
        snapshot = None
        if to_put or gone:
            files = tuple(file for file, _ in seen.files)
            snapshot = Snapshot(_snapshot_id(taken_from, files), taken_from, now(), files, unreadable)
            ws.put_snapshot(snapshot)
            for row in gone:
                ws.remove_document(row.tenant, row.name, by="source")
            for file, source in to_put:
                ws.put_document(file, snapshot.id, source)
    return Taken(
        snapshot=snapshot.id if snapshot else None,
        added=tuple(added),
        changed=tuple(changed),
        unchanged=tuple(unchanged),
        gone=tuple(row.name for row in gone),
        unreadable=unreadable,
        skipped=skipped,
        kept_out=tuple(kept_out),
    )


def _same(one: RawFile, other: RawFile) -> bool:
    return (one.sha256, one.media_type, one.uri, one.meta) == (
        other.sha256,
        other.media_type,
        other.uri,
        other.meta,
    )


def _still_there(row: DocumentRow, spec: SourceSpec, seen: _Seen, number: int) -> bool:
    """Whether the source named the document's file, or a folder above it, without being able to give it."""
    for item, source in seen.unfetched:
        if source != number or item.reason.startswith(_SKIPPED):
            continue
        place = item.name if spec.kind != "files" else str(PurePosixPath(spec.uri, item.name))
        if row.file.uri in (place, spec.uri) or row.file.uri.startswith(f"{place}/"):
            return True
    return False


def _snapshot_id(taken_from: str, files: Sequence[RawFile]) -> str:
    """`20261201T000341Z-1a2b3c4d`: when, and 8 hex digits over the moment and the manifest."""
    manifest = [(file.tenant, file.name, file.uri, file.media_type, file.sha256, file.meta) for file in files]
    digest = hashlib.sha256(pack([taken_from, manifest]).encode()).hexdigest()[:8]
    moment = taken_from[:19].replace("-", "").replace(":", "")
    return f"{moment}Z-{digest}"


# --- which files can be read ------------------------------------------------------------------


@functools.cache
def _readable() -> tuple[frozenset[str], frozenset[str]]:
    """(suffixes, media types) that some parser reads."""
    parsers = [registry.create("parser", name) for name in registry.names("parser")]
    return (
        frozenset(suffix for parser in parsers for suffix in parser.suffixes),
        frozenset(kind for parser in parsers for kind in parser.media_types),
    )


@functools.cache
def _types() -> mimetypes.MimeTypes:
    return mimetypes.MimeTypes()  # Python's own table: those of operating systems differ


def _refuse(name: str) -> str | None:
    """Why a file of this name is not worth reading; None if it may be, or if only its bytes can tell."""
    guessed, _ = _types().guess_type(f"file{PurePosixPath(name).suffix.lower()}")
    return _no_parser(name, guessed) if guessed else None


def _no_parser(name: str, media: str) -> str | None:
    suffixes, media_types = _readable()
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in suffixes or media.partition(";")[0].strip().lower() in media_types:
        return None
    return f"no parser for {suffix or 'a file without a suffix'} ({media})"
