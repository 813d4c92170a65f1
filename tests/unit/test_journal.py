"""The journal: what goes in comes back, and nothing in it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from suffice.errors import NotFound, UsageError, WorkspaceError
from suffice.journal import Journal
from suffice.workspace import Workspace


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path, create=True)


def test_entries_come_back_in_order_by_kind_and_tenant(ws: Workspace) -> None:
    journal = Journal(ws)
    first = journal.append("answer", journal.new_id(), {"text": "早", "score": None, "n": [1, 2.5]})
    second = journal.append("answer", journal.new_id(), {"text": "b"}, tenant="acme")
    journal.append("feedback", first.id, "up")
    journal.append("feedback", first.id, "down")
    assert journal.read("answer", first.id) == first
    assert journal.last("answer") == first  # of the unnamed tenant
    assert journal.last("answer", tenant="acme") == second
    assert journal.last("pick") is None
    assert list(journal.each("answer")) == [second, first]
    assert list(journal.each("answer", 1)) == [second]
    assert journal.read("feedback", first.id).payload == "down"
    with pytest.raises(NotFound, match="no answer has the id 'nope'"):
        journal.read("answer", "nope")


def test_it_outlives_the_process(ws: Workspace) -> None:
    entry = Journal(ws).append("answer", "abc", {"a": 1})
    assert Journal(Workspace.open(ws.path)).read("answer", "abc") == entry


def test_what_is_not_json_is_refused_in_words(ws: Workspace) -> None:
    for payload in ({"x": object()}, {"x": "\ud800"}):
        with pytest.raises(UsageError, match="cannot be kept"):
            Journal(ws).append("answer", "abc", payload)
    assert list(Journal(ws).each("answer")) == []


def test_an_entry_cannot_be_changed_or_deleted(ws: Workspace) -> None:
    entry = Journal(ws).append("answer", "abc", {"a": 1})
    for statement in ("UPDATE journal SET payload = '{}'", "DELETE FROM journal"):
        with pytest.raises(WorkspaceError, match="append-only"), ws.writing() as db:
            db.execute(statement)
    assert Journal(ws).read("answer", "abc") == entry


def test_ids_are_short_and_differ() -> None:
    ids = {Journal.new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert {len(key) for key in ids} == {12}
