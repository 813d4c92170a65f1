"""The repairs themselves: each makes another order of evidence for the same question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from suffice import registry
from suffice.chunks import cut
from suffice.diagnose import scratch
from suffice.diagnose.case import Case, Target, taken_in_turn
from suffice.diagnose.layers import Located, Locator
from suffice.diagnose.rewrites import clauses, rewritten
from suffice.diagnose.scratch import NotRun, Scratch
from suffice.gate.needs import split
from suffice.index import embedded_texts
from suffice.ports import Embedder, Float64, Reranker
from suffice.retrieve import filters, fuse
from suffice.retrieve.gather import gather, queries_of
from suffice.retrieve.search import Searcher
from suffice.text import language
from suffice.values import Document, Filter, Mode, Passage, Scalar
from suffice.workspace import ChunkRow

RERANKED = 30
"""How many of the first chunks a reranker reads: token states of 50 took over half of ten seconds."""
PAGE_WEIGHT = 0.5
PAGE_BEST = 3


@dataclass(frozen=True, slots=True)
class Tried:
    """What a repair made of the evidence's order: rows, best first.

    `k` where it changes how many are taken, `setting` where it is known only afterwards. A scratch index has
    rows of its own: `n` of them, and the places of each piece as `targets`.
    """

    order: Sequence[int]
    k: int | None = None
    setting: Mapping[str, Scalar | None] | None = None
    n: int | None = None
    targets: Mapping[str, tuple[Target, ...]] | None = None


class Trials:
    """The repairs of one case."""

    def __init__(self, locator: Locator, located: Sequence[Located]) -> None:
        self.locator, self.field, self.case = locator, locator.field, locator.case
        self.located = located
        self.order = self.field.evidence_order()

    # --- how much is taken, and in which order ------------------------------------------------------

    def top_k(self, k: int) -> Tried:
        """More or fewer chunks of the same order."""
        case = self.case
        needs = [judged.need for judged in case.answer.verdict.needs]
        gather(case.searcher, case.answer.question, needs, k=k, mode=case.mode, filter=case.filter)
        return Tried(self.order, k=k)

    def with_switch(self, *, dedup: bool | None = None, mmr: float | None = None) -> Tried:
        """The same search with deduplication or maximal marginal relevance on."""
        old = self.case.searcher
        wanted = {"dedup": dedup, "mmr": mmr}
        given = {key: value for key, value in wanted.items() if value is not None}
        settings = msgspec.structs.replace(old.settings, **given)
        searcher = Searcher(old.ws, old.store, old.embedder, settings, old.generation)
        return Tried(self.field.evidence_order(searcher=searcher))

    def leg(self, mode: Mode) -> Tried:
        """One leg alone, or both together where the question was searched with one."""
        scored = self.case.searcher.score_many(self.case.queries, mode, self.case.filter)
        return Tried(self.field.evidence_order(mode, scored))

    def pages(self) -> Tried:
        """A chunk gains by its document: half the mean of the document's three best z-scores."""
        owners = self._owners()
        legs = [_with_pages(self.field.leg(one, self.case.mode), owners) for one in self.field.scored]
        return Tried(taken_in_turn([[int(row) for row in fuse.order(leg)] for leg in legs]))

    def rerank(self, name: str) -> Tried:
        """The first chunks in a reranker's order; each is read by its part nearest to the question."""
        if name == "none":
            raise NotRun("no reranker is installed")
        reranker: Reranker = registry.create("reranker", name, embedder=self.locator.embedder)
        head = list(self.order[:RERANKED])
        scores = reranker.score(self.case.answer.question, self._passages(head))
        best = sorted(range(len(head)), key=lambda at: (-scores[at], at))
        return Tried([*(head[at] for at in best), *self.order[RERANKED:]])

    # --- what is asked ------------------------------------------------------------------------------

    def split(self) -> Tried:
        """The question and each of its clauses, taken in turn."""
        n_parts = len(self.case.queries) - 1
        if n_parts:
            raise NotRun(f"it is in use: the evidence is taken from the question and {n_parts} parts of it")
        parts = clauses(self.case.answer.question)
        if not parts:
            raise NotRun("the question has one clause")
        found = self._searched([self.case.answer.question, *parts])
        return replace(found, setting={"parts": " | ".join(parts)})

    def whole(self) -> Tried:
        """The whole question alone, where parts of it are searched too."""
        return Tried(self.field.evidence_order(scored=self.field.scored[:1]))

    def rewrite(self) -> Tried:
        """Names and content words of the question, with the words that head its first chunks."""
        top = [row.chunk for row in self._rows(self.order[: self.case.k])]
        query = rewritten(self.case.answer.question, top)
        if not query:
            raise NotRun("the question has no words to keep")
        return replace(self._searched([query]), setting={"query": query})

    def unfiltered(self) -> Tried:
        """Without `--where`; the tenant stays."""
        scored = self.case.searcher.score_many(self.case.queries, "hybrid", Filter(self.case.filter.tenant))
        return Tried(self.field.evidence_order(scored=scored))

    def asked(self, question: str) -> Tried:
        """Another question, searched as an ordinary one."""
        return self._searched(queries_of(question, split(question, language(question))))

    # --- another index ------------------------------------------------------------------------------

    def embedder(self, name: str) -> Tried:
        """The same chunks under another embedder."""
        self._check_size("embedded")
        made: Embedder = registry.create("embedder", name)
        rows = self._rows([row for row in self.order if row < len(self.field.ids)])
        documents = self._documents()
        built = scratch.build(self.case, [row.chunk for row in rows], documents, made)
        return self._in_scratch(built, documents)

    @property
    def other_size(self) -> int:
        """Half of the chunk size in use."""
        return max(self.case.settings.chunk.max_chars // 2, 200)

    def chunk_size(self) -> Tried:
        """The same documents in chunks of half the size."""
        self._check_size("cut")
        documents = self._documents()
        settings = msgspec.structs.replace(self.case.settings.chunk, max_chars=self.other_size)
        chunks = [chunk for document in documents.values() for chunk in cut(document, settings)]
        return self._in_scratch(scratch.build(self.case, chunks, documents, self.locator.embedder), documents)

    def _check_size(self, verb: str) -> None:
        n_parts = self.case.ws.n_parts(self.case.searcher.generation)
        if n_parts > scratch.MOST_PARTS:
            raise NotRun(
                f"{n_parts} parts would have to be {verb} anew; up to {scratch.MOST_PARTS} are for one case"
            )

    def _in_scratch(self, built: Scratch, documents: Mapping[str, Document]) -> Tried:
        orders = [fuse.order(one.final) for one in built.scored(self.case, self.case.queries)]
        return Tried(
            taken_in_turn([[int(row) for row in order] for order in orders]),
            n=len(built.chunks),
            targets={one.finding.id: built.targets(one.targets, documents) for one in self.located},
        )

    # --- helpers ------------------------------------------------------------------------------------

    def _searched(self, queries: list[str]) -> Tried:
        scored = self.case.searcher.score_many(queries, "hybrid", self.case.filter)
        return Tried(self.field.evidence_order(scored=scored))

    def _rows(self, numbers: Sequence[int]) -> list[ChunkRow]:
        ids = [self.field.ids[number] for number in numbers]
        return list(self.case.ws.chunks(self.case.searcher.generation, ids).values())

    def _documents(self) -> dict[str, Document]:
        """The documents that may take part, by name."""
        case: Case = self.case
        found = {}
        for row in case.ws.indexed(case.searcher.generation, case.filter.tenant):
            if filters.matches(case.filter, row.tenant, row.document, {"title": row.title, **row.meta}):
                document = self.locator.places.document(row.tenant, row.document)
                if document is not None:
                    found[row.document] = document
        return found

    def _owners(self) -> list[str]:
        owner = {key.chunk_id: key.document for key in self.case.ws.chunk_keys(self.case.searcher.generation)}
        return [owner.get(chunk_id, "") for chunk_id in self.field.ids]

    def _passages(self, numbers: Sequence[int]) -> list[Passage]:
        """One passage a row, cut down to the part that is nearest to the question where it has several."""
        embedder, store = self.locator.embedder, self.case.searcher.store
        query = embedder.embed_queries([self.case.answer.question])[0]
        rows = {row.chunk.id: row for row in self._rows(numbers)}
        found = []
        for rank, (number, vectors) in enumerate(zip(numbers, store.vectors(numbers), strict=True), 1):
            chunk = rows[self.field.ids[number]].chunk
            texts = embedded_texts(chunk, embedder, self.case.settings.embed.part_chars)
            text = texts[int(np.argmax(vectors @ query))] if len(texts) == len(vectors) else texts[0]
            found.append(Passage(rank, chunk.id, chunk.title, chunk.heading_path, text, (0, len(text))))
        return found


def _with_pages(scores: Float64, owners: Sequence[str]) -> Float64:
    """(n,) z-scores with PAGE_WEIGHT times the mean of the document's PAGE_BEST best added."""
    z = fuse.zscore(scores)
    of_page: defaultdict[str, list[float]] = defaultdict(list)
    for value, owner in zip(z, owners, strict=True):
        if not np.isnan(value):
            of_page[owner].append(float(value))
    bonus = {owner: float(np.mean(sorted(values)[-PAGE_BEST:])) for owner, values in of_page.items()}
    return z + PAGE_WEIGHT * np.array([bonus.get(owner, np.nan) for owner in owners])
