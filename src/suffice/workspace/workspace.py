"""The folder as a whole: what every stage is handed."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from suffice.workspace.blobs import Blobs
from suffice.workspace.connection import prepare
from suffice.workspace.snapshots import Snapshots


class Workspace(Snapshots):
    """A `.suffice` folder: `suffice.db`, `blobs/`, `segments/`. Record methods stand in the modules beside.

    One instance may be shared by threads; each gets its own connection.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.blobs = Blobs(path / "blobs")

    @classmethod
    def open(cls, path: Path, *, create: bool = False) -> Workspace:
        """Open the folder, make it if `create`, and bring an older schema up to date.

        Raises NotFound (there is none), WorkspaceError (damaged, of a newer version, not accessible).
        """
        prepare(path, create=create)
        return cls(path)

    @property
    def segments(self) -> Path:
        """The folder for arrays that can be rebuilt from the record; made by whoever writes there."""
        return self.path / "segments"

    @property
    def settings_file(self) -> Path:
        """`suffice.toml` beside the folder, whether or not it exists."""
        return self.path.parent / "suffice.toml"

    def problems(self) -> tuple[str, ...]:
        """What SQLite's own checks find wrong with the file; empty when nothing is."""
        found = [str(row[0]) for row in self.read("PRAGMA integrity_check(20)") if row[0] != "ok"]
        found += [
            f"{row[0]} names a row of {row[2]} that is not there"
            for row in self.read("PRAGMA foreign_key_check")
        ]
        return tuple(found)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
