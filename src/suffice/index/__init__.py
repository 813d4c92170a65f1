"""Chunks to a searchable store: generations, parts and their vectors, and the arrays that readers map."""

from suffice.index.arrays import open_store
from suffice.index.generations import active, generation, generation_id
from suffice.index.parts import embedded_texts
from suffice.index.update import IndexReport, update

__all__ = ["IndexReport", "active", "embedded_texts", "generation", "generation_id", "open_store", "update"]
