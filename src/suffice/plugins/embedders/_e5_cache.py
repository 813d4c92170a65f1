"""Files that are made once and kept in the user's cache folder, each with its sha256 at the end."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from suffice.errors import EmbedderError

_DIGEST_BYTES = 32


def folder() -> Path:
    """`$SUFFICE_CACHE_DIR`, else the platform's cache folder for suffice."""
    chosen = os.environ.get("SUFFICE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("suffice", appauthor=False)


def load(name: str, build: Callable[[], bytes]) -> memoryview:
    """The kept bytes under this name, or `build()`'s, kept for the next time.

    Two processes may build at once: each writes its own temporary file and renames it over the
    other's, and both hold the same bytes. A damaged file is built again. Where nothing can be
    written the bytes are used without being kept: a read-only home is no reason to fail.
    """
    path = folder() / name
    kept = _read(path)
    if kept is not None:
        return kept
    data = build()
    try:
        _write(path, data)
    except OSError:
        return memoryview(data)
    return memoryview(data)


def _read(path: Path) -> memoryview | None:
    try:
        data = memoryview(path.read_bytes())
    except OSError:
        return None
    if len(data) <= _DIGEST_BYTES:
        return None
    payload, digest = data[:-_DIGEST_BYTES], data[-_DIGEST_BYTES:]
    return payload if hashlib.sha256(payload).digest() == digest else None


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=path.name + ".", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.write(hashlib.sha256(data).digest())
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def local_file(root: Path, *names: str) -> Path:
    """The first of the names that is a file under the folder. Raises EmbedderError that lists them."""
    for name in names:
        if (root / name).is_file():
            return root / name
    raise EmbedderError(f"the model folder {root} has no {' nor '.join(names)}")
