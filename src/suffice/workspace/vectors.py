"""The record of vectors: one a part of text and embedder, shared by all generations, never made twice."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from suffice.errors import WorkspaceError
from suffice.workspace.chunks import Chunks

_BATCH = 500
_LITTLE = np.dtype("<f4")
Table = Literal["vector", "state"]
"""Both are kept alike: bytes with a checksum, by space and part."""


class Vectors(Chunks):
    """Record methods for vectors. `embedder` is always the embedder's fingerprint."""

    def put_vectors(self, embedder: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Keep (dim,) float32 vectors by the hash of their part; one that is there already stays.

        Raises WorkspaceError for a dimension other than the embedder's first, or a value that is not finite.
        """
        if not vectors:
            return
        with self.writing() as db:
            first = next(iter(vectors.values()))
            db.execute("INSERT OR IGNORE INTO space (embedder, dim) VALUES (?, ?)", (embedder, len(first)))
            space, dim = db.execute("SELECT id, dim FROM space WHERE embedder = ?", (embedder,)).fetchone()
            rows = []
            for part, vector in vectors.items():
                if vector.shape != (dim,):
                    raise WorkspaceError(
                        f"a vector of shape {vector.shape} came for {embedder}, which has {dim}"
                    )
                if not np.isfinite(vector).all():
                    raise WorkspaceError(f"{embedder} gave a vector with values that are not finite")
                data = np.ascontiguousarray(vector, _LITTLE).tobytes()
                rows.append((space, part, zlib.crc32(data), data))
            db.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?, ?, ?)", rows)

    def get_vectors(self, embedder: str, parts: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """The (dim,) float32 vectors of these parts; the ones never embedded are left out.

        Raises WorkspaceError for bytes that no longer have their checksum.
        """
        found: dict[str, NDArray[np.float32]] = {}
        for part, crc, data, dim in self._kept("vector", embedder, parts, "part, crc, data, dim"):
            if zlib.crc32(data) != crc or len(data) != dim * _LITTLE.itemsize:
                raise WorkspaceError(
                    f"the vector of part {part} is damaged; `suffice index build` makes damaged vectors again"
                )
            found[part] = np.frombuffer(data, _LITTLE).astype(np.float32, copy=False)
        return found

    def missing_vectors(self, embedder: str, parts: Iterable[str]) -> tuple[str, ...]:
        """Which of these parts have no vector yet, each once, in the order given."""
        return self._missing("vector", embedder, parts)

    def damaged_vectors(self) -> tuple[tuple[str, str], ...]:
        """(embedder, part) of every vector whose bytes no longer have their checksum."""
        rows = self.db.execute(
            "SELECT embedder, dim, part, crc, data FROM vector JOIN space ON space.id = space"
        )
        return tuple(
            (embedder, part)
            for embedder, dim, part, crc, data in rows
            if zlib.crc32(data) != crc or len(data) != dim * _LITTLE.itemsize
        )

    def drop_vectors(self, embedder: str, parts: Iterable[str]) -> None:
        """Forget vectors, so that the next index run makes them again."""
        self._forget("vector", embedder, parts)

    def _forget(self, table: Table, fingerprint: str, parts: Iterable[str]) -> None:
        with self.writing() as db:
            db.executemany(
                f"DELETE FROM {table} WHERE part = ? AND space = (SELECT id FROM space WHERE embedder = ?)",
                [(part, fingerprint) for part in parts],
            )

    def _missing(self, table: Table, fingerprint: str, parts: Iterable[str]) -> tuple[str, ...]:
        wanted = list(dict.fromkeys(parts))
        found = {part for (part,) in self._kept(table, fingerprint, wanted, "part")}
        return tuple(part for part in wanted if part not in found)

    def _kept(
        self, table: Table, fingerprint: str, parts: Iterable[str], columns: str
    ) -> list[tuple[Any, ...]]:
        """Rows of these parts, batch by batch: SQLite takes a limited number of parameters."""
        wanted = list(parts)
        rows = []
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            marks = ", ".join("?" * len(batch))
            rows += self.read(
                f"SELECT {columns} FROM {table} JOIN space ON space.id = {table}.space "
                f"WHERE embedder = ? AND part IN ({marks})",
                (fingerprint, *batch),
            )
        return rows
