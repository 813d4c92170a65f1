"""The store of a workspace: mapped segment files, exact and exhaustive search, no server."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from suffice.errors import SettingsError, StoreError
from suffice.plugins.stores import _segment
from suffice.ports import Float32, Float64, Int8, StoreRow

K1 = 1.2
B = 0.75
_BLOCK = (
    256  # rows of float64 that stay in the second-level cache; 64 to 512 measured equal, 2,048 a third slower
)
_SPARSE = 0.3  # below this share of selected parts, gathering rows is faster than scanning all
_TRIES = 5

Int64 = NDArray[np.int64]
Mask = NDArray[np.bool_]


def create(**options: Any) -> EmbeddedStore:
    """A store in the folder `path`. Raises SettingsError for other options."""
    path = options.pop("path", None)
    if path is None or options:
        raise SettingsError(
            f"the embedded store takes `path` (a folder) and nothing else; got {options or path}"
        )
    return EmbeddedStore(Path(path))


class EmbeddedStore:
    """One generation's segments: `CURRENT` names the folder that readers map.

    An object keeps the segment that it opened first, so that one query never meets two revisions;
    a reader that wants a newer one makes a new object. Old folders are unlinked after a build: on POSIX
    what is mapped stays readable, on Windows the folder stays until the next build.
    """

    name = "embedded"
    version = "1"

    def __init__(self, path: Path) -> None:
        self.path = path
        self._open: _segment.Segment | None = None

    def build(self, rows: Iterable[StoreRow], revision: str, dim: int) -> None:
        """Replace everything, atomically. Raises StoreError when a row or the disk does not allow it."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path / "build.lock"):
                self._build(rows, revision, dim)
        except OSError as error:
            raise StoreError(f"the index cannot be written to {self.path}: {error}") from error

    def revision(self) -> str | None:
        """The revision that this object reads; None when there is none or it is damaged."""
        try:
            return self._reading().revision
        except StoreError:
            return None

    def chunk_ids(self) -> tuple[str, ...]:
        """Ids of all rows, ascending. Raises StoreError when there is nothing to read."""
        return self._reading().ids

    def dense(self, query: Float32, mask: Mask | None = None) -> Float64:
        """(n,) float64 cosines; a chunk by its best part.

        Each row is one `einsum` reduction in float64 over products that are exact, so its bits do not
        depend on blocks, on the mask, or on threads; matrix products (BLAS) were measured to differ by 2e-7.
        """
        segment = self._reading()
        wide = np.asarray(query, dtype=np.float64).reshape(-1)
        if len(wide) != segment.dim:
            raise StoreError(f"the query's vector has {len(wide)} dimensions, the index has {segment.dim}")
        scores = np.full(len(segment.ids), np.nan)
        chosen = np.arange(len(segment.ids)) if mask is None else np.flatnonzero(_fit(mask, len(segment.ids)))
        if not len(chosen):
            return scores
        sizes = np.diff(segment.parts)[chosen]
        starts = np.concatenate(([0], np.cumsum(sizes)))
        n_parts = int(starts[-1])
        if n_parts < _SPARSE * len(segment.norms):
            wanted = np.repeat(segment.parts[chosen] - starts[:-1], sizes) + np.arange(n_parts)
            cosines = _cosines(segment, wide, wanted)
        elif n_parts < len(segment.norms):
            inside = np.zeros(len(segment.ids), dtype=np.bool_)
            inside[chosen] = True
            cosines = _cosines(segment, wide, None)[np.repeat(inside, np.diff(segment.parts))]
        else:
            cosines = _cosines(segment, wide, None)
        scores[chosen] = np.maximum.reduceat(cosines, starts[:-1])
        return scores

    def lexical(self, terms: Sequence[str], mask: Mask | None = None) -> Float64:
        """(n,) float64 BM25 (Robertson and Zaragoza 2009, with Lucene's idf that is never negative).

        idf = ln(1 + (N - df + .5) / (df + .5)). N, df and the mean length are of the rows in the mask, so
        that what one tenant adds cannot shift another's scores. A repeated query term counts once: a
        question repeats words by grammar. Terms are added up in byte order, so that the bits do not depend
        on the query's order.
        """
        segment = self._reading()
        n = len(segment.ids)
        inside = np.ones(n, dtype=np.bool_) if mask is None else _fit(mask, n)
        scores = np.zeros(n)
        n_inside = int(inside.sum())
        total = int(segment.lengths[inside].sum())
        if n_inside and total:
            damping = K1 * (1 - B + B * (segment.lengths / (total / n_inside)))
            for term in sorted(set(terms), key=lambda term: term.encode("utf-8", "surrogatepass")):
                found = segment.find(term)
                if found is None:
                    continue
                keep = inside[found[0]]
                rows, counts = found[0][keep], found[1][keep].astype(np.float64)
                df = len(rows)
                if df:
                    idf = np.log(1 + (n_inside - df + 0.5) / (df + 0.5))
                    scores[rows] += idf * (counts * (K1 + 1) / (counts + damping[rows]))
        scores[~inside] = np.nan
        return scores

    def share_known(self, terms: Sequence[str], mask: Mask | None = None) -> float:
        """The share of the distinct terms that some row in the mask holds; 0 without terms."""
        segment = self._reading()
        inside = None if mask is None else _fit(mask, len(segment.ids))
        distinct = set(terms)
        n_known = 0
        for term in distinct:
            found = segment.find(term)
            n_known += found is not None and bool(len(found[0]) if inside is None else inside[found[0]].any())
        return n_known / len(distinct) if distinct else 0.0

    def vectors(self, rows: Sequence[int]) -> tuple[Float32, ...]:
        """The (n_parts, dim) vectors of the rows given, copied."""
        segment = self._having(rows)
        return tuple(segment.vectors[segment.parts[row] : segment.parts[row + 1]].copy() for row in rows)

    def states(self, rows: Sequence[int]) -> tuple[tuple[Int8, ...], ...] | None:
        """The codes of each part of the rows given, as mapped; None when the segment was written without."""
        segment = self._having(rows)
        states, tokens = segment.states, segment.tokens
        if states is None or tokens is None:
            return None
        return tuple(
            tuple(
                states[tokens[part] : tokens[part + 1]]
                for part in range(int(segment.parts[row]), int(segment.parts[row + 1]))
            )
            for row in rows
        )

    def verify(self) -> None:
        """Read everything and compare checksums. Raises StoreError that names the file."""
        _segment.check(self._reading().folder, whole=True)

    def _build(self, rows: Iterable[StoreRow], revision: str, dim: int) -> None:
        fresh = self.path / f"tmp-{os.getpid()}-{secrets.token_hex(4)}"
        fresh.mkdir()
        try:
            _segment.write(fresh, rows, revision, dim)
            name = f"{''.join(c for c in revision if c.isalnum())[:24]}-{secrets.token_hex(4)}"
            fresh.rename(self.path / name)
        except BaseException:
            _segment.remove(fresh)
            raise
        pointer = self.path / "CURRENT.new"
        with pointer.open("w", encoding="ascii") as file:
            file.write(name)
            file.flush()
            os.fsync(file.fileno())
        pointer.replace(self.path / "CURRENT")
        _segment.sync_folder(self.path)
        self._open = _segment.open_segment(self.path / name)
        for folder in self.path.iterdir():
            if folder.is_dir() and folder.name != name:
                _segment.remove(folder)

    def _having(self, rows: Sequence[int]) -> _segment.Segment:
        segment = self._reading()
        if any(not 0 <= row < len(segment.ids) for row in rows):
            raise StoreError(f"there are {len(segment.ids)} rows; one of {list(rows)[:5]} … is none of them")
        return segment

    def _reading(self) -> _segment.Segment:
        if self._open is None:
            self._open = self._opened()
        return self._open

    def _opened(self) -> _segment.Segment:
        # A build may remove the folder between the two reads; then CURRENT names the next one.
        seen = None
        for _ in range(_TRIES):
            try:
                name = (self.path / "CURRENT").read_text("ascii").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise StoreError(f"there is no index in {self.path}: {error}") from error
            if not name or name == seen or Path(name).name != name:
                break
            seen = name
            try:
                return _segment.open_segment(self.path / name)
            except StoreError as error:
                problem = error
        raise StoreError(
            f"the index in {self.path} is damaged: {problem if seen else 'CURRENT names no folder'}"
        )


def _cosines(segment: _segment.Segment, query: Float64, wanted: Int64 | None) -> Float64:
    n = len(segment.norms) if wanted is None else len(wanted)
    norms = segment.norms if wanted is None else segment.norms[wanted]
    dots = np.empty(n)
    wide = np.empty((min(_BLOCK, n), segment.dim))
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        block = (
            segment.vectors[start:stop]
            if wanted is None
            else np.take(segment.vectors, wanted[start:stop], axis=0, mode="clip")
        )
        np.copyto(wide[: stop - start], block)
        dots[start:stop] = np.einsum("ij,j->i", wide[: stop - start], query)
    lengths = norms * np.sqrt(np.einsum("i,i->", query, query))
    cosines: Float64 = np.divide(dots, lengths, out=np.zeros(n), where=lengths > 0)
    return cosines


def _fit(mask: Mask, n: int) -> Mask:
    if mask.shape != (n,) or mask.dtype != np.bool_:
        raise StoreError(f"a mask over {n} rows was expected; got {mask.dtype} of the shape {mask.shape}")
    return mask
