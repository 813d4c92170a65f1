"""An engine that answers from samples and writes down what it was asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import interface_samples as samples

from suffice.answer.recheck import CitationCheck, Verification
from suffice.corpus.history import Difference
from suffice.engine import AddReport
from suffice.errors import NotFound
from suffice.health import Check, Integrity, LintReport, SourceStatus, Status
from suffice.values import Document, RawFile, Snapshot, Unreadable

FILE = RawFile(
    "guide/gateway.md", "file:///guide/gateway.md", "text/markdown", "ab" * 32, 2048, "2026-11-30T21:00:00Z"
)


class FakeEngine:
    """`calls` holds (name, arguments); `answers` maps a question to what is given or raised for it."""

    calls: list[tuple[str, dict[str, Any]]]
    answers: dict[str, Any]
    ok: bool = True

    def open(self, path: Path, settings: Any, *, create: bool = False) -> FakeEngine:
        self._called("open", path=path, settings=settings, create=create)
        return self

    def _called(self, name: str, **arguments: Any) -> None:
        self.calls.append((name, arguments))

    def close(self) -> None:
        self._called("close")

    def ask(self, question: str, **options: Any) -> Any:
        self._called("ask", question=question, **options)
        given = self.answers.get(question, samples.SUFFICIENT)
        if isinstance(given, BaseException):
            raise given
        return given

    def pick(self, n: int, **options: Any) -> Any:
        self._called("pick", n=n, **options)
        if n > 3:
            raise NotFound(f"the last answer has no suggestion {n}; it has: 1 to 3")
        return samples.SUFFICIENT

    def search(self, query: str, **options: Any) -> Any:
        self._called("search", query=query, **options)
        return self.answers.get(query, samples.RANKING)

    def answer(self, id: str) -> dict[str, Any]:
        if id != samples.PARTIAL.id:
            raise NotFound(f"no answer has the id {id!r} in this workspace")
        return {"id": id}

    def verify_answer(self, data: Any) -> Verification:
        self._called("verify_answer", data=data)
        reason = "" if self.ok else "the document does not hold these words there"
        return Verification((CitationCheck("guide/gateway.md", "load keys", self.ok, reason),))

    def add(self, sources: Any, **options: Any) -> Any:
        self._called("add", sources=sources, **options)
        return _report("3f9a1c20")

    def update(self, **options: Any) -> Any:
        return _report(None)

    def build_index(self, **options: Any) -> Any:
        return _report(None)

    def remove(self, documents: Any, **options: Any) -> tuple[str, ...]:
        self._called("remove", documents=documents, **options)
        return tuple(documents)

    def snapshots(self) -> tuple[dict[str, Any], ...]:
        one = {"id": "3f9a1c20", "taken_from": "2026-11-30T21:00:00Z", "taken_until": "2026-11-30T21:00:01Z"}
        return ({**one, "n_files": 1, "n_bytes": 2048, "n_unreadable": 0},)

    def snapshot(self, id: str) -> Snapshot:
        return Snapshot(id, "2026-11-30T21:00:00Z", "2026-11-30T21:00:01Z", (FILE,))

    def document_text(self, snapshot: str, name: str, **options: Any) -> Document:
        return Document(name, "ab" * 32, "Gateway", "# Gateway\r\n\x1b[31mred\n", (), ())

    def diff(self, a: str, b: str) -> Difference:
        return Difference(("new.md",), ("old.md",), ("changed.md",), ("same.md",))

    def verify_snapshots(self, *args: Any, **options: Any) -> Integrity:
        return Integrity(
            7, () if self.ok else ("guide/gateway.md of snapshot 3f9a: the raw file is damaged",)
        )

    def verify_index(self) -> Integrity:
        return self.verify_snapshots()

    def lint(self) -> LintReport:
        return LintReport(1234, (), (), (), (), (Unreadable("scan.md", "binary data"),))

    def status(self) -> Status:
        source = SourceStatus("/srv/handbook", "folder", None)
        return Status(
            "/w/.suffice", 12, 34, 56, 2, 0, 1, "g-5c1d", "hashing", "structure", (), 2_500_000, (source,)
        )

    def doctor(self) -> tuple[Check, ...]:
        return (Check("database", True, "it is whole"), Check("disk", self.ok, "0.2 GB free", "make room"))


def _report(snapshot: str | None) -> AddReport:
    return AddReport(
        snapshot=snapshot,
        generation="g-5c1d",
        n_added=2 if snapshot else 0,
        n_changed=1 if snapshot else 0,
        n_unchanged=9,
        n_gone=0,
        n_documents=12,
        n_chunks=1234,
        n_parts=2345,
        n_embedded=40,
        n_reused=2305,
        unreadable=(Unreadable("scan.md", "binary data"),),
        kept_out=(),
        seconds=75.2,
    )
