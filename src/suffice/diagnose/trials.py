"""The repairs themselves: each makes another order of evidence for the same question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import msgspec
import numpy as np

from suffice import registry
from suffice.chunks import cut
from suffice.diagnose import scratch
from suffice.diagnose.case import Case, Target, taken_in_turn
from suffice.diagnose.layers import Located, Locator
from suffice.diagnose.rewrites import clauses, rewritten
from suffice.diagnose.scratch import Key, NotRun, Scratch, Standing, Texts
from suffice.gate.needs import split
from suffice.index import embedded_texts
from suffice.ports import Embedder, Float64, Reranker
from suffice.retrieve import filters, fuse, reorder
from suffice.retrieve.gather import queries_of
from suffice.retrieve.search import Searcher
from suffice.text import language
from suffice.values import Document, Filter, Mode, Passage, Scalar
from suffice.workspace import ChunkRow

RERANKED = 30
"""How many of the first chunks a reranker reads: token states of 50 took over half of ten seconds."""
MOST_NEW = 80
"""Texts that a change of the chunk size may bring, beyond those of the documents that hold the pieces: the
model reads about 60 a second on two cores."""
PAGE_WEIGHT = 0.5
PAGE_BEST = 3


@dataclass(frozen=True, slots=True)
class Tried:
    """What a repair made of the evidence's order: rows, best first.

    `k` where it changes how many are taken, `setting` where it is known only afterwards, `note` where it is
    to be said what was done. A scratch index has rows of its own: `n` of them, and the places of each piece
    as `targets`.
    """

    order: Sequence[int]
    k: int | None = None
    setting: Mapping[str, Scalar | None] | None = None
    note: str = ""
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
        """More or fewer chunks of the same order: the search is the same, only more of it is read."""
        self.case.ws.chunks(self.case.searcher.generation, [self.field.ids[row] for row in self.order[:k]])
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

    @cached_property
    def standing(self) -> Standing:
        """The chunks as they are indexed. Raises NotRun where there are too many."""
        return Standing(self.field)

    def embedder(self, name: str) -> Tried:
        """The same chunks under another embedder."""
        if self.case.mode == "lexical":
            raise NotRun("a lexical search uses no embedder")
        made: Embedder = registry.create("embedder", name)
        documents = self._documents()
        texts = [
            scratch.texts_of(self.case, own.chunk, documents[own.chunk.tenant, own.chunk.document], made)
            for own in self._rows(list(self.standing.rows.values()))
            if (own.chunk.tenant, own.chunk.document) in documents
        ]
        built = scratch.embedded_anew(self.standing, texts, made)
        return self._in_scratch(built, f"all {len(built.rows):,} chunks embedded anew")

    @property
    def other_size(self) -> int:
        """Half of the chunk size in use."""
        return max(self.case.settings.chunk.max_chars // 2, 200)

    def chunk_size(self) -> Tried:
        """Documents in chunks of half the size: all where they are few, else those that matter here."""
        settings = msgspec.structs.replace(self.case.settings.chunk, max_chars=self.other_size)
        documents = self._documents()
        is_small = self.case.ws.n_parts(self.case.searcher.generation) <= MOST_NEW
        first, more = (list(documents), list[Key]()) if is_small else self._concerned()
        chosen: dict[Key, Document] = {}
        texts: list[Texts] = []
        for key in (*first, *more):
            if key in chosen or key not in documents:
                continue
            left = MOST_NEW - sum(len(parts) for _, parts in texts)
            if key not in first and len(documents[key].text) > left * self.case.settings.embed.part_chars:
                continue  # it cannot fit, so it need not be cut to see that
            own = [
                scratch.texts_of(self.case, chunk, documents[key], self.locator.embedder)
                for chunk in cut(documents[key], settings)
                if not chunk.heading_only
            ]
            if key in first or sum(len(parts) for _, parts in own) <= left:
                chosen[key] = documents[key]
                texts += own
        if not chosen:
            raise NotRun("no document that takes part holds a piece, so there is none to cut anew")
        built = scratch.cut_anew(self.standing, texts, chosen, self.locator.embedder)
        return self._in_scratch(built, _cut_note(len(chosen), len(documents), len(set(first) & set(chosen))))

    def _concerned(self) -> tuple[list[Key], list[Key]]:
        """The documents of each piece's best place; and those of other places and of what stands above."""
        place = self.field.ranked(self.order)
        best: list[Key] = []
        others: list[tuple[int, Key]] = []
        for one in self.located:
            found = [(target.rank(place) or len(place), target.document) for target in one.targets]
            ranked = sorted(found, key=lambda target: (target[0], str(target[1])))
            best += [document for _, document in ranked[:1]]
            others += ranked[1:]
            # what stands right above a piece is what it has to pass
            rows = [self.field.row_of[other.chunk_id] for other in one.finding.outranked_by]
            owned = [self.standing.owner.get(self.field.ids[row]) for row in reversed(rows)]
            others += [(at, key) for at, key in enumerate(owned) if key is not None]
        ordered = sorted(others, key=lambda other: (other[0], str(other[1])))
        return list(dict.fromkeys(best)), list(dict.fromkeys(key for _, key in ordered))

    def _in_scratch(self, built: Scratch, note: str) -> Tried:
        scored = built.scored(self.case, self.case.queries)
        orders = [[int(row) for row in built.scorer(self.case).best_first(one)] for one in scored]
        if self.case.searcher.settings.dedup:
            texts = self._texts(built)
            orders = [reorder.without_repeats(order, texts.__getitem__) for order in orders]
        return Tried(
            taken_in_turn(orders),
            note=note,
            n=len(built.rows),
            targets={one.finding.id: built.targets(self.field, one.targets) for one in self.located},
        )

    def _texts(self, built: Scratch) -> dict[int, str]:
        """The text of every row of a scratch index."""
        old = self.field.chunks(list(self.standing.rows.values())).values()
        by_id = {own.chunk.id: own.chunk.text for own in old} | {chunk.id: chunk.text for chunk in built.new}
        return {row: by_id.get(chunk_id, "") for chunk_id, row in built.rows.row_of.items()}

    # --- helpers ------------------------------------------------------------------------------------

    def _searched(self, queries: list[str]) -> Tried:
        scored = self.case.searcher.score_many(queries, "hybrid", self.case.filter)
        return Tried(self.field.evidence_order(scored=scored))

    def _rows(self, numbers: Sequence[int]) -> list[ChunkRow]:
        return list(self.field.chunks(numbers).values())

    def _documents(self) -> dict[Key, Document]:
        """The documents that may take part."""
        case: Case = self.case
        found = {}
        for row in case.ws.indexed(case.searcher.generation, case.filter.tenant):
            if filters.matches(case.filter, row.tenant, row.document, {"title": row.title, **row.meta}):
                document = self.locator.places.index.document(row.document)
                if document is not None:
                    found[row.tenant, row.document] = document
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


def _cut_note(n_cut: int, n_all: int, n_gold: int) -> str:
    if n_cut == n_all:
        return f"all {n_all} documents cut anew"
    more = f", {n_cut - n_gold} more near it" if n_cut > n_gold else ""
    said = "1 document" if n_cut == 1 else f"{n_cut} documents"
    return f"{said} cut anew ({n_gold} with a piece{more}), ranked among the rest as it is"


def _with_pages(scores: Float64, owners: Sequence[str]) -> Float64:
    """(n,) z-scores with PAGE_WEIGHT times the mean of the document's PAGE_BEST best added."""
    z = fuse.zscore(scores)
    of_page: defaultdict[str, list[float]] = defaultdict(list)
    for value, owner in zip(z, owners, strict=True):
        if not np.isnan(value):
            of_page[owner].append(float(value))
    bonus = {owner: float(np.mean(sorted(values)[-PAGE_BEST:])) for owner, values in of_page.items()}
    return z + PAGE_WEIGHT * np.array([bonus.get(owner, np.nan) for owner in owners])
