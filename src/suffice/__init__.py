"""suffice: retrieval-augmented generation that knows when the evidence is enough.

    from suffice import Engine, load_settings

Names are imported on first use: `import suffice` itself reads neither numpy nor a model runtime.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as `typing` has it, which takes longer to load than all that stands here
if TYPE_CHECKING:
    from typing import Any

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
    from suffice.settings import load as load_settings
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
    "load_settings",
]

_ELSEWHERE = {
    "Engine": ("suffice.engine", "Engine"),
    "Settings": ("suffice.settings", "Settings"),
    "load_settings": ("suffice.settings", "load"),
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = "suffice.errors" if name.endswith(("Error", "NotFound")) else "suffice.values"
    module, attribute = _ELSEWHERE.get(name, (home, name))
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
