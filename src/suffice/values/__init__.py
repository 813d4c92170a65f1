"""Every value that passes between stages: frozen, slotted, comparable, and plain JSON both ways.

Spans are half-open pairs of code points into the *normalized text* of a document, unless a
docstring says raw bytes. A score is higher-is-better; a rank counts from 1. Unscored is None,
never 0. What follows from other fields is a property and is never stored.
"""

from __future__ import annotations

from suffice.values.answer import (
    Answer,
    AnswerBody,
    Check,
    Citation,
    Claim,
    DraftCitation,
    DraftClaim,
    DroppedClaim,
    Preview,
    Suggestion,
    Usage,
)
from suffice.values.builtins import from_builtins, to_builtins
from suffice.values.corpus import (
    Block,
    BlockKind,
    Chunk,
    Document,
    Meta,
    RawFile,
    Removal,
    Scalar,
    Segment,
    Snapshot,
    Span,
    Unreadable,
    chunk_id,
)
from suffice.values.gate import (
    Calibration,
    CalibrationStatus,
    JudgedNeed,
    Labels,
    Need,
    NeedStatus,
    Passage,
    Status,
    Support,
    Verdict,
)
from suffice.values.retrieval import Condition, Failure, Filter, Hit, Mode, Ranking

__all__ = [
    "Answer",
    "AnswerBody",
    "Block",
    "BlockKind",
    "Calibration",
    "CalibrationStatus",
    "Check",
    "Chunk",
    "Citation",
    "Claim",
    "Condition",
    "Document",
    "DraftCitation",
    "DraftClaim",
    "DroppedClaim",
    "Failure",
    "Filter",
    "Hit",
    "JudgedNeed",
    "Labels",
    "Meta",
    "Mode",
    "Need",
    "NeedStatus",
    "Passage",
    "Preview",
    "Ranking",
    "RawFile",
    "Removal",
    "Scalar",
    "Segment",
    "Snapshot",
    "Span",
    "Status",
    "Suggestion",
    "Support",
    "Unreadable",
    "Usage",
    "Verdict",
    "chunk_id",
    "from_builtins",
    "to_builtins",
]
