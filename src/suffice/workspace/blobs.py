"""Raw bytes by their sha256: `blobs/<aa>/<sha256>`, written once, shared by all who have the same bytes."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from suffice.errors import NotFound, WorkspaceError


class Blobs:
    """A folder of files named by the sha256 of what is in them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, sha256: str) -> Path:
        """Where the bytes of this hash stand, or would stand."""
        return self.folder / sha256[:2] / sha256

    def put(self, data: bytes) -> str:
        """Keep the bytes and give their sha256; on return they are on the disk.

        Written beside its place, synced and renamed, so that a file in its place is always whole. A file
        that stands there with the wrong size (a disk that lost it) is written again.
        """
        sha256 = hashlib.sha256(data).hexdigest()
        path = self.path(sha256)
        try:
            if path.stat().st_size == len(data):
                return sha256
        except OSError:
            pass
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                Path(temporary).replace(path)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
            _sync_folder(path.parent)
        except OSError as error:
            raise WorkspaceError(
                f"cannot write {path}: {error.strerror or error}; make room or allow writing, then run again"
            ) from error
        return sha256

    def get(self, sha256: str) -> bytes:
        """The bytes of this hash. Raises NotFound when absent, WorkspaceError when they are damaged."""
        path = self.path(sha256)
        try:
            data = path.read_bytes()
        except FileNotFoundError as error:
            raise NotFound(
                f"the raw bytes {sha256} are not in {self.folder}; "
                "restore them from a copy, or run `suffice update` if the source still has them"
            ) from error
        except OSError as error:
            raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise WorkspaceError(
                f"{path} is damaged: its bytes no longer have the sha256 that names it; "
                "delete that file and run `suffice update`, or restore it from a copy"
            )
        return data

    def verify(self, sha256: str) -> Literal["good", "missing", "damaged"]:
        """Whether the bytes are there and still have their hash."""
        try:
            self.get(sha256)
        except NotFound:
            return "missing"
        except WorkspaceError:
            return "damaged"
        return "good"

    def all(self) -> Iterator[str]:
        """The hashes of all files kept, ascending."""
        for folder in sorted(self.folder.glob("[0-9a-f][0-9a-f]")):
            yield from sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))

    def sweep(self) -> int:
        """Delete what writers that were killed left behind; call with the writer's lock. Gives the count."""
        leftovers = list(self.folder.glob("*/.new-*"))
        for path in leftovers:
            path.unlink(missing_ok=True)
        return len(leftovers)


def _sync_folder(folder: Path) -> None:
    # A rename is durable only once its folder is; some platforms cannot open a folder: nothing to do there.
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
