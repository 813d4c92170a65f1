"""A scratch copy of a workspace, in which the same documents are cut or embedded otherwise."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from suffice.engine import Engine


@contextmanager
def copied(engine: Engine) -> Iterator[Path]:
    """The folder of a copy, gone at the end. Its vectors come along, so that only new texts are embedded.

    What is built in it can never serve a user, and an experiment that is stopped leaves nothing behind.
    """
    with tempfile.TemporaryDirectory(prefix="suffice-experiment-") as place:
        folder = Path(place) / ".suffice"
        folder.mkdir()
        with closing(sqlite3.connect(folder / "suffice.db")) as copy:
            engine.workspace.db.backup(copy)
        if (engine.workspace.path / "blobs").is_dir():
            shutil.copytree(engine.workspace.path / "blobs", folder / "blobs")
        yield folder
