"""Files and folders of this machine."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from suffice.errors import SettingsError, SourceError
from suffice.plugins.sources._globs import pattern
from suffice.ports import Fetched, Unfetched

MAX_BYTES = 100_000_000
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})  # hidden ones are skipped anyway
_N_TRIES = 3
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class FilesSource:
    """A file, or a folder walked in sorted order.

    Hidden files and folders and SKIPPED_FOLDERS are given as `Unfetched` with a reason that starts with
    "skipped: ", unless an include pattern names them. `refuse` may say by name alone why a file is not
    wanted, before it is read.
    """

    name = "files"

    def __init__(
        self,
        uri: str,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        refuse: Callable[[str], str | None] | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        # Not resolved: a document is named after the path that the user gave.
        self.root = Path(os.path.abspath(uri))  # noqa: PTH100
        self.include = {text: pattern(text) for text in include}
        self.exclude = [pattern(text) for text in exclude]
        self.refuse = refuse or (lambda _: None)
        self.max_bytes = max_bytes

    def fetch(self) -> Iterator[Fetched | Unfetched]:
        """Every wanted file, by path, named from the folder on. Raises SourceError if absent."""
        if self.root.is_dir():
            unmatched = dict.fromkeys(self.include)
            yield from self._walk(unmatched)
            for text in unmatched:
                yield Unfetched(f"--include {text}", f"matches no file in {self.root}")
        elif os.path.lexists(self.root):
            yield self._file(self.root.name, self.root)
        else:
            raise SourceError(f"{self.root} does not exist; give a file or folder that does")

    def _walk(self, unmatched: dict[str, None]) -> Iterator[Fetched | Unfetched]:
        # A stack and not recursion: folders nest deeper than Python's calls may.
        waiting = self._entries("")
        while waiting:
            item = waiting.pop()
            if isinstance(item, Unfetched):
                yield item
                continue
            name, last = item, item.rpartition("/")[2]
            path = self.root / name
            if any(glob.fullmatch(name) for glob in self.exclude):
                continue
            matching = [text for text, glob in self.include.items() if glob.fullmatch(name)]
            is_link, is_folder = path.is_symlink(), os.path.isdir(path)  # noqa: PTH112 - never raises
            if is_folder and not is_link:
                skipped = self._skipped_folder(last)
                # A bare `*` does not ask for hidden folders; a pattern that spells the name does.
                if skipped and not any(last in text.split("/") for text in self.include):
                    yield Unfetched(_shown(name), skipped)
                else:
                    waiting += self._entries(f"{name}/")
                continue
            if self.include and not matching:
                continue
            for text in matching:
                unmatched.pop(text, None)
            if is_folder:
                # Followed, it could lead round in circles or out; what is inside is walked anyway.
                yield Unfetched(_shown(name), "skipped: a link to a folder; add that folder itself")
            elif last.startswith(".") and not any(
                text.rpartition("/")[2].startswith(".") for text in matching
            ):
                yield Unfetched(_shown(name), "skipped: a hidden file; name it with --include to add it")
            else:
                yield self._file(name, path)

    def _entries(self, prefix: str) -> list[str | Unfetched]:
        """Names in a folder, the last first, or why it cannot be listed."""
        try:
            found = os.listdir(self.root / prefix)  # noqa: PTH208 - names alone are wanted
        except OSError as error:
            name = _shown(prefix.rstrip("/")) or str(self.root)
            return [Unfetched(name, f"the folder cannot be read: {error.strerror or error}")]
        return [prefix + name for name in sorted(found, key=os.fsencode, reverse=True)]

    @staticmethod
    def _skipped_folder(name: str) -> str | None:
        if name.startswith("."):
            return "skipped: a hidden folder; name it with --include to add it"
        if name in SKIPPED_FOLDERS:
            return f"skipped: folders named {name} hold no documents; name it with --include to add it"
        return None

    def _file(self, name: str, path: Path) -> Fetched | Unfetched:
        shown = _shown(name)
        if shown != name:
            return Unfetched(shown, "its name is not valid UTF-8; rename it")
        if path.is_symlink() and path != self.root and not self._inside(path):
            return Unfetched(shown, "a link that leads nowhere or out of the folder; add its target itself")
        refused = self.refuse(name)
        if refused:
            return Unfetched(shown, refused)
        data = _read(path, self.max_bytes)
        if isinstance(data, str):
            return Unfetched(shown, data)
        return Fetched(unicodedata.normalize("NFC", name), str(path), "", data, {})

    def _inside(self, path: Path) -> bool:
        try:
            return path.resolve(strict=True).is_relative_to(self.root.resolve())
        except (OSError, RuntimeError):  # RuntimeError: a loop, before Python 3.13
            return False


def create(**options: Any) -> FilesSource:
    """Options: uri, include, exclude, refuse, max_bytes. Raises SettingsError, SourceError."""
    try:
        return FilesSource(**options)
    except TypeError as error:
        raise SettingsError(f"the source 'files' does not take these options: {error}") from error


def _read(path: Path, max_bytes: int) -> bytes | str:
    """The file's bytes, or the reason why not. Only plain files are opened: a pipe would wait for ever."""
    try:
        for _ in range(_N_TRIES):
            mode = path.stat().st_mode
            if not stat.S_ISREG(mode):
                return f"not a file but {_KINDS.get(stat.S_IFMT(mode), 'something else')}"
            # Not blocking: between the look and the opening it may have become a pipe.
            handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
            with os.fdopen(handle, "rb") as file:
                before = os.fstat(handle)
                if not stat.S_ISREG(before.st_mode):
                    return "not a file any more"
                if before.st_size > max_bytes:
                    return f"too large: {before.st_size:,} bytes; the limit is {max_bytes:,}"
                data = file.read(max_bytes + 1) or b""  # None: a file of the kernel's, with nothing just now
                after = os.fstat(handle)
            if len(data) > max_bytes:
                return f"too large: over {max_bytes:,} bytes"
            if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns) and len(
                data
            ) == after.st_size:
                return data
        return "it kept changing while it was read; run again"
    except FileNotFoundError:
        return "it went away while it was read"
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"


def _shown(name: str) -> str:
    """The name as text that can be stored: bytes that are not UTF-8 become `\\xff`."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
