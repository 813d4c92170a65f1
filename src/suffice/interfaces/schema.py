"""Values as the JSON that CONTRACT.md fixes; nothing is decided here.

| schema | written by |
|---|---|
| `suffice.answer/1` | `ask`, `pick`; `ask --batch` adds `question_id` |
| `suffice.ranking/1` | `search` |
| `suffice.diagnosis/1` | `diagnose` |
| `suffice.foreign/1` | `diagnose --foreign` |
| `suffice.add/1` | `add`, `update`, `index build` |
| `suffice.remove/1` | `remove` |
| `suffice.snapshots/1` | `snapshots list` |
| `suffice.snapshot/1` | `snapshots show ID` |
| `suffice.document/1` | `snapshots show ID --document NAME` |
| `suffice.diff/1` | `snapshots diff A B` |
| `suffice.integrity/1` | `snapshots verify`, `index verify` |
| `suffice.verification/1` | `verify` |
| `suffice.lint/1` | `lint` |
| `suffice.status/1` | `status`, `index status` |
| `suffice.doctor/1` | `doctor` |
| `suffice.benchmark/1` | `bench run` |
| `suffice.comparison/1` | `bench compare` |
| `suffice.imported/1` | `bench import` |
| `suffice.scores/1` | `bench score` |
| `suffice.calibration/1`, `suffice.calibration_reset/1` | `calibrate`, `calibrate --reset` |
| `suffice.experiments/1` | `experiment list` |
| `suffice.experiment/1` | `experiment run` |
| `suffice.experiment_check/1` | `experiment check` |
| `suffice.error/1` | any command that ends with status 1 or 2 |

A number that is not finite becomes null: JSON has no word for it. A lone surrogate is written as its
`\\udXXX` escape, so that the code points, and with them every span, survive.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from suffice.values import Answer, Citation, Claim, Hit, JudgedNeed, Ranking, Suggestion

STAGES = ("embed", "search", "judge", "compose", "total")
_SURROGATE = re.compile("[\ud800-\udfff]")


def dumps(data: Any, *, compact: bool = False) -> str:
    """JSON text, one line if `compact`; never NaN, always encodable as UTF-8."""
    text = json.dumps(
        finite(data),
        ensure_ascii=False,
        allow_nan=False,
        indent=None if compact else 2,
        separators=(",", ":") if compact else None,
    )
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def finite(data: Any) -> Any:
    """The same data with every non-finite number as None and every tuple as a list."""
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, Mapping):
        return {str(key): finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple | set | frozenset):
        return [finite(value) for value in data]
    return data


def named(schema: str, value: Any) -> dict[str, Any]:
    """A value type or mapping as an object that begins with its schema's name."""
    return {"schema": f"suffice.{schema}/1", **builtins(value)}


def builtins(value: Any) -> Any:
    """The value as dicts and lists; msgspec is loaded only here."""
    from suffice.values import to_builtins

    return to_builtins(value)


def error(message: str, exit_status: int, **extra: Any) -> dict[str, Any]:
    """`suffice.error/1`."""
    return {"schema": "suffice.error/1", **extra, "error": message, "exit_status": exit_status}


def answer(value: Answer) -> dict[str, Any]:
    """`suffice.answer/1`, in the contract's order; `calibration`, `n_pending` and `notes` are extra."""
    return {
        "schema": "suffice.answer/1",
        "id": value.id,
        "question": value.question,
        "language": value.language,
        "asked_at": value.asked_at,
        "snapshots": list(value.snapshots),
        "generation": value.generation,
        "tenant": value.tenant,
        "status": value.status,
        "needs": [_need(need) for need in value.verdict.needs],
        "evidence": [hit(item) for item in value.evidence],
        "answer": None
        if value.answer is None
        else {
            "generator": value.answer.generator,
            "text": value.answer.text,
            "claims": [_claim(claim) for claim in value.answer.claims],
        },
        "dropped_claims": [{"text": item.text, "reason": item.reason} for item in value.dropped_claims],
        "message": value.message,
        "missing": list(value.verdict.missing),
        "suggestions": [_suggestion(item) for item in value.suggestions],
        "failures": [{"stage": item.stage, "reason": item.reason} for item in value.verdict.failures],
        "timings_ms": {
            stage: round(value.timings_ms.get(stage, 0.0), 3)
            for stage in dict.fromkeys((*STAGES, *value.timings_ms))
        },
        "usage": {
            "model": value.usage.model,
            "prompt_tokens": value.usage.prompt_tokens,
            "completion_tokens": value.usage.completion_tokens,
            "cost": value.usage.cost,
        },
        "calibration": builtins(value.verdict.calibration),
        "n_pending": value.n_pending,
        "notes": list(value.notes),
    }


def ranking(value: Ranking) -> dict[str, Any]:
    """`suffice.ranking/1`; `failures` is extra."""
    return {
        "schema": "suffice.ranking/1",
        "query": value.query,
        "scorer": value.scorer,
        "depth": value.depth,
        "generation": value.generation,
        "hits": [hit(item) for item in value.hits],
        "failures": [{"stage": item.stage, "reason": item.reason} for item in value.failures],
    }


def hit(value: Hit) -> dict[str, Any]:
    """One item of `evidence` or `hits`; `snapshot` and `scores` are extra."""
    return {
        "rank": value.rank,
        "chunk_id": value.chunk_id,
        "document": value.document,
        "title": value.title,
        "heading_path": list(value.heading_path),
        "span": list(value.span),
        "page": value.page,
        "sha256": value.sha256,
        "text": value.text,
        "score": value.score,
        "scorer": value.scorer,
        "ranks": dict(value.ranks),
        "snapshot": value.snapshot,
        "scores": dict(value.scores),
    }


def _need(value: JudgedNeed) -> dict[str, Any]:
    return {
        "id": value.need.id,
        "text": value.need.text,
        "status": value.status,
        "supports": [
            {
                "evidence": support.evidence,
                "span": list(support.span),
                "confidence": support.confidence,
                "judge": support.judge,
            }
            for support in value.supports
        ],
        "best_confidence": value.best_confidence,
    }


def _claim(value: Claim) -> dict[str, Any]:
    return {
        "text": value.text,
        "needs": list(value.needs),
        "citations": [_citation(item) for item in value.citations],
    }


def _citation(value: Citation) -> dict[str, Any]:
    return {
        "evidence": value.evidence,
        "chunk_id": value.chunk_id,
        "document": value.document,
        "quote": value.quote,
        "span": list(value.span),
        "check": value.check,
        "reattributed": value.reattributed,
    }


def _suggestion(value: Suggestion) -> dict[str, Any]:
    preview = None
    if value.preview is not None:
        preview = {
            "status": value.preview.status,
            "document": value.preview.document,
            "title": value.preview.title,
            "heading_path": list(value.preview.heading_path),
        }
    return {"id": value.id, "question": value.question, "preview": preview}
