"""The record to a store's arrays; they are a cache, made again whenever they are stale, lost or damaged."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from suffice import registry
from suffice.errors import StoreError
from suffice.index.generations import late_of
from suffice.ports import Store, StoreRow
from suffice.settings import Settings
from suffice.workspace import Workspace

_BATCH = 500


def open_store(ws: Workspace, generation: str, settings: Settings) -> Store:
    """The store of a generation at the record's own revision. Raises NotFound, StoreError, WorkspaceError."""
    store: Store = registry.create("store", settings.search.store, path=ws.segments / generation)
    if store.revision() != ws.revision(generation):
        dim = ws.generation(generation).dim
        with ws.reading():  # rows and the revision that they are named by are of one moment
            store.build(rows(ws, generation), ws.revision(generation), dim)
    return store


def rows(ws: Workspace, generation: str) -> Iterator[StoreRow]:
    """Every chunk of the generation, ascending by id. Raises StoreError where the record lacks a vector."""
    row = ws.generation(generation)
    embedder, late = row.embedder, late_of(row)
    ids = [key.chunk_id for key in ws.chunk_keys(generation)]
    for start in range(0, len(ids), _BATCH):
        batch = list(ws.chunk_terms(generation, ids[start : start + _BATCH]))
        wanted = dict.fromkeys(part for _, parts, _ in batch for part in parts)
        vectors = ws.get_vectors(embedder, wanted)
        states = None if late is None else ws.get_states(late, wanted)
        for chunk_id, parts, terms in batch:
            absent = [
                part for part in parts if part not in vectors or (states is not None and part not in states)
            ]
            if absent:
                raise StoreError(
                    f"the chunk {chunk_id} has {len(absent)} parts without a vector or without token states; "
                    "run `suffice update`"
                )
            yield StoreRow(
                chunk_id,
                np.stack([vectors[part] for part in parts]),
                terms,
                None if states is None else tuple(states[part] for part in parts),
            )
