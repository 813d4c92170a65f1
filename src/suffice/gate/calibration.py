"""operating_point(): which threshold the gate asks for, and whether it was fitted to labels of this corpus.

A fit stands in the journal, so that every answer that names one can be understood later; the last one of a
tenant counts. It holds as long as what moves confidences is as it was when it was made (`depends`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from suffice.errors import WorkspaceError
from suffice.gate import needs
from suffice.gate.sufficiency import threshold_for
from suffice.journal import Journal
from suffice.ports import Judge
from suffice.settings import Settings
from suffice.text import fold
from suffice.values import Calibration, Labels, from_builtins, to_builtins

KIND = "calibration"
_RATE = "gate.false_answer_rate"


@dataclass(frozen=True, slots=True)
class Fitted:
    """A threshold that was fitted to labels: `n_false` of the unanswerable questions reached it.

    `depends` is what `depends()` gave then; `questions` are digests of the questions that it was fitted to.
    """

    id: str
    at: str
    threshold: float
    false_answer_rate: float
    upper_bound: float
    n_false: int
    labels: Labels
    depends: dict[str, str]
    questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """What the gate asks for now. `ignored`: why a fit that is there does not count; empty when it does.

    `overridden`: there is a fit that would count, and the user's own threshold wins. `questions` are
    digests of the questions that the threshold was fitted to.
    """

    calibration: Calibration
    ignored: tuple[str, ...] = ()
    overridden: bool = False
    questions: tuple[str, ...] = ()


def depends(settings: Settings, judge: Judge, generation: str) -> dict[str, str]:
    """All that moves confidences, by the words in which a change of it is told.

    The corpus is not among them: it changes with every update, and its scores stay on the same scale. Nor are
    `-k` and the mode of a single question.
    """
    search = {name: value for name, value in msgspec.to_builtins(settings.search).items() if name != "store"}
    return {
        "the judge": f"{judge.name} {judge.version}",
        "the generation of the index": generation,
        "the settings of search": _digest(msgspec.json.encode(search, order="sorted")),
        "gate.min_cosine": str(settings.gate.min_cosine),
        _RATE: f"{settings.gate.false_answer_rate:g}",
        "the way in which questions are split": needs.fingerprint(),
    }


def operating_point(
    judge: Judge, settings: Settings, generation: str, journal: Journal, tenant: str | None
) -> OperatingPoint:
    """`gate.threshold` if it is set; else the tenant's fit if it still holds; else the judge's own point.

    A fit that cannot be read does not stop a question: it is ignored, and `doctor` says so. Raises
    SettingsError if the judge has no points and there is nothing else.
    """
    fitted: Fitted | None = None
    ignored: tuple[str, ...] = ()
    try:
        fitted = last(journal, tenant)
    except WorkspaceError as error:
        ignored = (str(error),)
    if fitted is not None:
        ignored = changes(fitted, depends(settings, judge, generation))
    holds = fitted is not None and not ignored
    if settings.gate.threshold is not None:
        return OperatingPoint(Calibration("manual", settings.gate.threshold), ignored, overridden=holds)
    if fitted is not None and holds:
        found = Calibration(
            "calibrated",
            fitted.threshold,
            fitted.false_answer_rate,
            fitted.upper_bound,
            fitted.labels,
            fitted.id,
        )
        return OperatingPoint(found, questions=fitted.questions)
    own = threshold_for(judge, settings.gate)
    return OperatingPoint(Calibration("uncalibrated", own, settings.gate.false_answer_rate), ignored)


def changes(fitted: Fitted, now: Mapping[str, str]) -> tuple[str, ...]:
    """What is no longer as it was when the threshold was fitted, in words."""
    return tuple(
        f"{name} was {fitted.depends.get(name, 'not known')} and is {value or 'not there'}"
        for name, value in now.items()
        if fitted.depends.get(name) != value
    )


def keep(journal: Journal, fitted: Fitted, tenant: str | None) -> None:
    """From now on this is the tenant's fit."""
    journal.append(KIND, fitted.id, to_builtins(fitted), tenant=tenant)


def forget(journal: Journal, tenant: str | None) -> bool:
    """From now on the tenant has no fit; False when it had none. The journal still knows the old ones."""
    last = journal.last(KIND, tenant=tenant)
    if last is None or last.payload is None:
        return False
    journal.append(KIND, last.id, None, tenant=tenant)
    return True


def last(journal: Journal, tenant: str | None) -> Fitted | None:
    """The tenant's fit. Raises WorkspaceError where it cannot be read."""
    entry = journal.last(KIND, tenant=tenant)
    if entry is None or entry.payload is None:
        return None
    return _fitted(entry.id, entry.payload)


def tenants(journal: Journal) -> tuple[str, ...]:
    """The named tenants that ever had a fit."""
    return tuple(sorted({entry.tenant for entry in journal.each(KIND) if entry.tenant is not None}))


def digests(questions: Sequence[str]) -> tuple[str, ...]:
    """A short name for the words of each question, letter case and typography apart."""
    return tuple(_digest(fold(text).text.casefold().strip().encode("utf-8")) for text in questions)


def _fitted(id: str, payload: Any) -> Fitted:
    try:
        return from_builtins(payload, Fitted)
    except msgspec.ValidationError as error:
        raise WorkspaceError(f"the calibration {id} in the journal is damaged: {error}") from error


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:8]
