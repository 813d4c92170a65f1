"""The record of token states: the codes of a part of text by late fingerprint, kept like vectors."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from suffice.errors import WorkspaceError
from suffice.workspace.vectors import Vectors


class States(Vectors):
    """Record methods for token states. `late` is always the embedder's late fingerprint."""

    def put_states(self, late: str, width: int, states: Mapping[str, NDArray[np.int8]]) -> None:
        """Keep (n_tokens, width) int8 codes by the hash of their part; codes that are there already stay.

        Raises WorkspaceError for another width than the fingerprint's first, or for another type.
        """
        with self.writing() as db:
            db.execute("INSERT OR IGNORE INTO space (embedder, dim) VALUES (?, ?)", (late, width))
            space, known = db.execute("SELECT id, dim FROM space WHERE embedder = ?", (late,)).fetchone()
            rows = []
            for part, codes in states.items():
                if codes.dtype != np.int8 or codes.ndim != 2 or codes.shape[1] != known:
                    raise WorkspaceError(
                        f"token states of {codes.dtype} and shape {codes.shape} came for {late}; "
                        f"it has int8 of (any number, {known})"
                    )
                data = np.ascontiguousarray(codes).tobytes()
                rows.append((space, part, zlib.crc32(data), data))
            db.executemany("INSERT OR IGNORE INTO state VALUES (?, ?, ?, ?)", rows)

    def get_states(self, late: str, parts: Iterable[str]) -> dict[str, NDArray[np.int8]]:
        """The (n_tokens, width) int8 codes of these parts; the ones never made are left out.

        Raises WorkspaceError for bytes that no longer have their checksum.
        """
        found: dict[str, NDArray[np.int8]] = {}
        for part, crc, data, width in self._kept("state", late, parts, "part, crc, data, dim"):
            if zlib.crc32(data) != crc or len(data) % width:
                raise WorkspaceError(
                    f"the token states of part {part} are damaged; `suffice index build` makes them again"
                )
            found[part] = np.frombuffer(data, np.int8).reshape(-1, width)
        return found

    def missing_states(self, late: str, parts: Iterable[str]) -> tuple[str, ...]:
        """Which of these parts have no token states yet, each once, in the order given."""
        return self._missing("state", late, parts)

    def damaged_states(self) -> tuple[tuple[str, str], ...]:
        """(late fingerprint, part) of all token states whose bytes no longer have their checksum."""
        rows = self.db.execute(
            "SELECT embedder, dim, part, crc, data FROM state JOIN space ON space.id = space"
        )
        return tuple(
            (late, part)
            for late, width, part, crc, data in rows
            if zlib.crc32(data) != crc or len(data) % width
        )

    def drop_states(self, late: str, parts: Iterable[str]) -> None:
        """Forget token states, so that the next index run makes them again."""
        self._forget("state", late, parts)
