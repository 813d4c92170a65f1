"""Which threshold the gate asks for: the user's, else a fit that still holds, else the judge's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from suffice.gate import calibration, needs
from suffice.gate.calibration import Fitted, OperatingPoint, depends, operating_point
from suffice.journal import Journal
from suffice.settings import load
from suffice.values import Calibration, Labels
from suffice.workspace import Workspace


@dataclass
class FakeJudge:
    name: str = "fake"
    version: str = "1"
    operating_points: dict[float, float] = field(default_factory=lambda: {0.05: 0.95, 0.1: 0.9})


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Workspace.open(tmp_path / ".suffice", create=True) as workspace:
        yield Journal(workspace)


def settings(**overrides: Any) -> Any:
    return load(
        environment={}, overrides={name.replace("__", "."): value for name, value in overrides.items()}
    )


def fit(**changed: str) -> Fitted:
    now = depends(settings(), FakeJudge(), "g1")  # type: ignore[arg-type]
    return Fitted(
        "f1", "2030-01-01T00:00:00Z", 0.7, 0.1, 0.08, 0, Labels(30, 5, 40), {**now, **changed}, ("d1",)
    )


def point(
    journal: Journal, *, judge: Any = None, generation: str = "g1", tenant: str | None = None, **own: Any
) -> OperatingPoint:
    return operating_point(judge or FakeJudge(), settings(**own), generation, journal, tenant)


def test_without_a_fit_the_judges_own_point_serves(journal: Journal) -> None:
    assert point(journal) == OperatingPoint(Calibration("uncalibrated", 0.9, 0.1))
    stricter = point(journal, gate__false_answer_rate=0.05).calibration
    assert (stricter.threshold, stricter.false_answer_rate) == (0.95, 0.05)


def test_a_fit_serves_and_is_named(journal: Journal) -> None:
    calibration.keep(journal, fit(), None)
    found = point(journal)
    assert found.calibration == Calibration("calibrated", 0.7, 0.1, 0.08, Labels(30, 5, 40), "f1")
    assert found.questions == ("d1",)


def test_the_last_fit_counts_and_the_first_is_still_in_the_journal(journal: Journal) -> None:
    calibration.keep(journal, fit(), None)
    calibration.keep(journal, replace(fit(), id="f2", threshold=0.8), None)
    assert point(journal).calibration.threshold == 0.8
    assert journal.read(calibration.KIND, "f1").payload["threshold"] == 0.7


def test_the_users_own_threshold_always_wins(journal: Journal) -> None:
    calibration.keep(journal, fit(), None)
    found = point(journal, gate__threshold=0.4)
    assert found.calibration == Calibration("manual", 0.4) and found.overridden


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"judge": FakeJudge(version="2")}, "the judge was fake 1 and is fake 2"),
        ({"judge": FakeJudge(name="other")}, "the judge was fake 1 and is other 1"),
        ({"generation": "g2"}, "the generation of the index was g1 and is g2"),
        ({"search__fusion": "rrf"}, "the settings of search"),
        ({"search__late_weight": 0.0}, "the settings of search"),
        ({"gate__min_cosine": 0.8}, "gate.min_cosine was None and is 0.8"),
        ({"gate__false_answer_rate": 0.05}, "gate.false_answer_rate was 0.1 and is 0.05"),
    ],
)
def test_a_fit_is_ignored_when_what_moves_confidences_has_changed(
    changed: dict[str, Any], words: str, journal: Journal
) -> None:
    calibration.keep(journal, fit(), None)
    found = point(journal, **changed)
    assert found.calibration.status == "uncalibrated"
    assert len(found.ignored) == 1 and words in found.ignored[0]
    assert found.questions == ()
    assert point(journal).calibration.status == "calibrated", "and counts again when it is set back"


def test_what_moves_no_confidence_does_not_end_a_fit(journal: Journal) -> None:
    calibration.keep(journal, fit(), None)
    assert point(journal, search__store="memory", answer__strict=True).calibration.status == "calibrated"


def test_another_way_of_splitting_questions_ends_a_fit(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    calibration.keep(journal, fit(), None)
    needs.fingerprint.cache_clear()
    monkeypatch.setattr(needs, "MAX_NEEDS", 1)
    try:
        assert "the way in which questions are split" in point(journal).ignored[0]
    finally:
        needs.fingerprint.cache_clear()


def test_a_fit_belongs_to_its_tenant(journal: Journal) -> None:
    calibration.keep(journal, fit(), "acme")
    assert point(journal).calibration.status == "uncalibrated"
    assert point(journal, tenant="acme").calibration.status == "calibrated"
    assert point(journal, tenant="other").calibration.status == "uncalibrated"
    assert calibration.tenants(journal) == ("acme",)


def test_a_fit_can_be_forgotten_and_made_again(journal: Journal) -> None:
    assert not calibration.forget(journal, None)
    calibration.keep(journal, fit(), None)
    assert calibration.forget(journal, None)
    assert not calibration.forget(journal, None)
    assert point(journal) == OperatingPoint(Calibration("uncalibrated", 0.9, 0.1))
    calibration.keep(journal, replace(fit(), id="f2"), None)
    assert point(journal).calibration.id == "f2"


def test_a_damaged_fit_stops_no_question(journal: Journal) -> None:
    journal.append(calibration.KIND, "f1", {"threshold": "high"})
    found = point(journal)
    assert found.calibration.status == "uncalibrated" and "damaged" in found.ignored[0]
    assert calibration.forget(journal, None)
    assert not point(journal).ignored


def test_the_same_words_have_the_same_digest() -> None:
    same = calibration.digests(["Who pays?", " who  PAYS?", "Who pays？"])
    assert len(set(same)) == 1
    assert len(set(calibration.digests(["Who pays?", "Who paid?"]))) == 2
