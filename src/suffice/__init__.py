"""suffice: retrieval-augmented generation that knows when the evidence is enough.

    from suffice import Engine, Settings

Names are imported on first use: `import suffice` itself reads neither numpy nor a model runtime.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from suffice.engine import Engine
    from suffice.errors import (
        EmbedderError,
        FilterError,
        GeneratorError,
        JudgeError,
        NotFound,
        ParseError,
        PluginNotFound,
        SettingsError,
        SourceError,
        StoreError,
        SufficeError,
        UsageError,
        WorkspaceError,
    )
    from suffice.settings import Settings
    from suffice.values import (
        Answer,
        Chunk,
        Citation,
        Claim,
        Document,
        Hit,
        Need,
        Ranking,
        Snapshot,
        Suggestion,
        Support,
        Verdict,
    )

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Chunk",
    "Citation",
    "Claim",
    "Document",
    "EmbedderError",
    "Engine",
    "FilterError",
    "GeneratorError",
    "Hit",
    "JudgeError",
    "Need",
    "NotFound",
    "ParseError",
    "PluginNotFound",
    "Ranking",
    "Settings",
    "SettingsError",
    "Snapshot",
    "SourceError",
    "StoreError",
    "SufficeError",
    "Suggestion",
    "Support",
    "UsageError",
    "Verdict",
    "WorkspaceError",
    "__version__",
]

_ELSEWHERE = {"Engine": "suffice.engine", "Settings": "suffice.settings"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    default = "suffice.errors" if name.endswith("Error") or name.endswith("NotFound") else "suffice.values"
    value = getattr(import_module(_ELSEWHERE.get(name, default)), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
