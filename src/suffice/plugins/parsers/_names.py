"""A title for a file that states none."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_OF_THE_FOLDER = frozenset(("index", "readme", "_index"))


def readable_name(name: str) -> str:
    """`guides/get-started.md` -> `Get started`; `guides/index.md` -> `Guides`, the page of its folder."""
    path = PurePosixPath(name)
    stem = path.parent.name if path.stem.lower() in _OF_THE_FOLDER and path.parent.name else path.stem
    words = re.sub(r"[\s_-]+", " ", stem).strip()
    return words[:1].upper() + words[1:] or name
