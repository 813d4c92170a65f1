"""Gives documents their names: unique per tenant, and the same for the same file for ever."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import PurePath

from suffice.workspace import DocumentRow


class Names:
    """The names of one tenant's documents, for the time of one take.

    A file that is known by its uri keeps its name. The name of a document that its source lost is free
    for another file; one that a user removed stays with its uri, so that it can be kept out.
    """

    def __init__(self, documents: Iterable[DocumentRow]) -> None:
        self._known = {row.file.uri: row for row in documents}
        self._owner = {row.name: uri for uri, row in self._known.items() if row.removed_by != "source"}
        self._seen: dict[str, str] = {}

    def known(self, uri: str) -> DocumentRow | None:
        """The document made from this uri before, if any."""
        return self._known.get(uri)

    def seen(self, uri: str) -> bool:
        """Whether this take has named the uri already."""
        return uri in self._seen

    def give(self, uri: str, wanted: str) -> str:
        """The name for a uri; `wanted` is the shortest that will do, extended by parent folders if taken."""
        row = self._known.get(uri)
        candidates = [row.name] if row is not None else []
        candidates += _candidates(uri, unicodedata.normalize("NFC", wanted))
        last, number = candidates[-1], 1
        while not (free := [name for name in candidates if self._owner.get(name, uri) == uri]):
            number += 1  # nothing is left to tell them apart by: `~2`, `~3`
            candidates = [f"{last}~{number}"]
        self._owner[free[0]] = uri
        self._seen[uri] = free[0]
        return free[0]


def _candidates(uri: str, wanted: str) -> list[str]:
    """The name wanted, then with one parent folder more each."""
    path = unicodedata.normalize("NFC", PurePath(uri).as_posix())
    if not path.endswith(f"/{wanted}"):
        return [wanted]
    parents = path[: -len(wanted)].strip("/").split("/")
    parents = [part for part in parents if part]
    return ["/".join((*parents[len(parents) - n :], wanted)) for n in range(len(parents) + 1)]
