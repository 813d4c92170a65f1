"""One segment: the arrays of one revision as files in a folder, written once and then only mapped.

manifest.json   format, revision, dim, counts, and size and CRC-32 of every other file
ids.json        chunk ids, ascending
vectors.npy     (n_parts, dim) float32, parts of a chunk together, chunks by id
norms.npy       (n_parts,) float64, lengths of those vectors
states.npy      (n_tokens, width) int8, codes of the parts' tokens, in the order of the parts; only where kept
tokens.npy      (n_parts + 1,) int64, part p has the tokens tokens[p]:tokens[p + 1]; only where kept
parts.npy       (n + 1,) int64, chunk i has the parts parts[i]:parts[i + 1]
lengths.npy     (n,) int64, lexical terms of a chunk, repeats counted
terms.bin       every term in UTF-8, one after the other, in byte order
starts.npy      (n_terms + 1,) int64, where each begins in terms.bin
postings.npy    (n_terms + 1,) int64, term t has the postings postings[t]:postings[t + 1]
rows.npy        (n_postings,) int32, rows ascending within a term
counts.npy      (n_postings,) int32
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import StoreError
from suffice.ports import Float32, Float64, Int8, StoreRow

FORMAT = 2
CHECKED_BYTES = 64 << 20
"""Up to this size a segment is read and checked whole when opened (about a millisecond a megabyte);
above it, sizes alone, and `check(folder, whole=True)` on request: a million vectors take seconds to read.
Token states, fifteen times the vectors, are left out of the sum and of the reading, `whole` apart."""
_BLOCK = 4096

Int64 = NDArray[np.int64]
Int32 = NDArray[np.int32]

_ONE_HEADER = Lock()
"""numpy reads a header by `ast.literal_eval`, which in CPython 3.11 fails now and then ("AST constructor
recursion depth mismatch") when threads do it at the same moment."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment that is open. Its files may be unlinked meanwhile: what is mapped stays readable."""

    folder: Path
    revision: str
    dim: int
    ids: tuple[str, ...]
    vectors: Float32
    norms: Float64
    parts: Int64
    lengths: Int64
    terms: NDArray[np.uint8]
    starts: Int64
    postings: Int64
    rows: Int32
    counts: Int32
    states: Int8 | None = None
    tokens: Int64 | None = None

    def find(self, term: str) -> tuple[Int32, Int32] | None:
        """Rows and counts of a term, by bisection over the mapped words; None when nothing has it."""
        wanted = term.encode("utf-8", "surrogatepass")
        low, high = 0, len(self.starts) - 1
        while low < high:
            middle = (low + high) // 2
            if self._term(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        if low == len(self.starts) - 1 or self._term(low) != wanted:
            return None
        begin, end = int(self.postings[low]), int(self.postings[low + 1])
        return self.rows[begin:end], self.counts[begin:end]

    def _term(self, number: int) -> bytes:
        return self.terms[int(self.starts[number]) : int(self.starts[number + 1])].tobytes()


def write(folder: Path, rows: Iterable[StoreRow], revision: str, dim: int) -> None:
    """Write a segment into an empty folder and flush it to the disk.

    Vectors are streamed, so that memory holds the postings alone. Raises StoreError for a row
    without vectors, of another dim, with a value that is not finite, or with an id seen before.
    """
    ids: list[str] = []
    n_parts = array("q")
    lengths = array("q")
    numbers: dict[str, int] = {}
    of_term, of_row, counts = array("q"), array("q"), array("q")
    norms: list[Float64] = []
    with _Grown(folder / "vectors.npy", "<f4", dim) as file, _States(folder) as states:
        for row in rows:
            vectors = _checked(row, dim)
            file.add(vectors)
            states.add(row)
            wide = vectors.astype(np.float64)
            norms.append(np.sqrt(np.einsum("ij,ij->i", wide, wide)))
            for term, count in row.terms.items():
                of_term.append(numbers.setdefault(term, len(numbers)))
                of_row.append(len(ids))
                counts.append(count)
            ids.append(row.chunk_id)
            n_parts.append(len(vectors))
            lengths.append(sum(row.terms.values()))
    if len(set(ids)) != len(ids):
        raise StoreError("two rows have the same chunk id; a chunk is stored once")
    order = np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)
    sizes = np.asarray(n_parts, dtype=np.int64)
    flat = np.concatenate(norms) if norms else np.zeros(0)
    n_tokens = np.asarray(states.n_tokens, dtype=np.int64)
    if not np.array_equal(order, np.arange(len(ids))):
        wanted = _places(sizes, order)
        _move(folder / "vectors.npy", wanted)
        if len(n_tokens):
            _move(folder / "states.npy", _places(n_tokens, wanted))
            n_tokens = n_tokens[wanted]
        flat = flat[wanted]
    _save(folder, "norms", flat)
    if states.width is not None:
        _save(folder, "tokens", np.concatenate(([0], np.cumsum(n_tokens))).astype(np.int64))
    _save(folder, "parts", np.concatenate(([0], np.cumsum(sizes[order]))).astype(np.int64))
    _save(folder, "lengths", np.asarray(lengths, dtype=np.int64)[order])
    (folder / "ids.json").write_text(json.dumps([ids[row] for row in order]), "utf-8")
    _write_postings(folder, numbers, np.asarray(of_term), np.asarray(of_row), np.asarray(counts), order)
    _seal(folder, {"format": FORMAT, "revision": revision, "dim": dim})


def _mapped(folder: Path, name: str) -> Any:
    with _ONE_HEADER:
        return np.load(folder / f"{name}.npy", mmap_mode="r")


def open_segment(folder: Path) -> Segment:
    """Map a segment. Raises StoreError when a file is missing, of another size, or changed."""
    try:
        manifest = check(folder, whole=False)
        arrays: dict[str, Any] = {
            name: _mapped(folder, name)
            for name in ("vectors", "norms", "parts", "lengths", "starts", "postings", "rows", "counts")
        }
        if "states.npy" in manifest["files"]:
            arrays |= {name: _mapped(folder, name) for name in ("states", "tokens")}
        words = folder / "terms.bin"
        terms = np.memmap(words, dtype=np.uint8, mode="r") if words.stat().st_size else np.zeros(0, np.uint8)
        ids = tuple(json.loads((folder / "ids.json").read_text("utf-8")))
    except (OSError, ValueError) as error:
        raise StoreError(f"the segment {folder} cannot be read: {error}") from error
    # A plain view: a memmap that is sliced costs five times an array that is.
    plain = {name: np.asarray(value).view(np.ndarray) for name, value in arrays.items()}
    return Segment(folder, manifest["revision"], manifest["dim"], ids, terms=terms.view(np.ndarray), **plain)


def check(folder: Path, *, whole: bool) -> dict[str, Any]:
    """The manifest, when every file is as it was written. Raises StoreError that names the file."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        files: Mapping[str, Any] = manifest["files"]
        if manifest["format"] != FORMAT or not isinstance(manifest["revision"], str):
            raise StoreError(f"the segment {folder} has the format {manifest['format']}, not {FORMAT}")
        small = sum(size for name, (size, _) in files.items() if name != "states.npy") <= CHECKED_BYTES
        for name, (size, crc) in files.items():
            if (folder / name).stat().st_size != size:
                raise StoreError(f"{folder / name} has not the size that it was written with")
            if (whole or (small and name != "states.npy")) and _crc(folder / name) != crc:
                raise StoreError(f"{folder / name} is not what was written: its checksum differs")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"the segment {folder} cannot be read: {error!r}") from error
    return dict(manifest)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, where the system can (Windows opens no folder)."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _checked(row: StoreRow, dim: int) -> Float32:
    vectors = np.ascontiguousarray(row.vectors, dtype=np.float32)
    if vectors.ndim != 2 or vectors.shape[1] != dim or not len(vectors):
        raise StoreError(
            f"the chunk {row.chunk_id} has vectors of the shape {vectors.shape}; needed: (1 or more, {dim})"
        )
    if not np.isfinite(vectors).all():
        raise StoreError(f"the chunk {row.chunk_id} has a vector with a value that is not a finite number")
    return vectors


class _Grown:
    """An .npy file of rows, written row by row; the number of rows is put into its header at the end."""

    def __init__(self, path: Path, descr: str, width: int) -> None:
        self._file = path.open("w+b")
        self._descr, self._width, self._n = descr, width, 0
        _header(self._file, descr, 0, width)

    def add(self, rows: NDArray[Any]) -> None:
        self._file.write(np.ascontiguousarray(rows).tobytes())
        self._n += len(rows)

    def __enter__(self) -> _Grown:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.seek(0)
        _header(self._file, self._descr, self._n, self._width)
        self._file.close()


class _States:
    """The codes of all rows, streamed to their file; there is none when no row has codes."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "states.npy"
        self._file: _Grown | None = None
        self._first: bool | None = None
        self.width: int | None = None
        self.n_tokens = array("q")

    def add(self, row: StoreRow) -> None:
        if self._first is None:
            self._first = row.states is not None
        if self._first != (row.states is not None):
            raise StoreError("some rows have token states and some have none; all have them, or none")
        if row.states is None:
            return
        if len(row.states) != len(row.vectors):
            raise StoreError(
                f"the chunk {row.chunk_id} has {len(row.vectors)} parts and states of {len(row.states)}"
            )
        for codes in row.states:
            width = codes.shape[1] if codes.ndim == 2 else None
            if width is None or width != (self.width or width) or codes.dtype != np.int8:
                raise StoreError(
                    f"the chunk {row.chunk_id} has token states of {codes.dtype} and shape {codes.shape}; "
                    f"needed: int8 (any number, {self.width or 'width'})"
                )
            if self._file is None:
                self.width = width
                self._file = _Grown(self._path, "|i1", width)
            self._file.add(codes)
            self.n_tokens.append(len(codes))

    def __enter__(self) -> _States:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.__exit__()


def _header(file: IO[bytes], descr: str, n: int, width: int) -> None:
    # numpy leaves room for 21 digits in the growing axis: the header's length does not change with n
    np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": (n, width)})


def _places(sizes: Int64, order: Int64) -> Int64:
    """Where the items of groups of these sizes stand, the groups taken in this order."""
    begin = np.concatenate(([0], np.cumsum(sizes)))
    return np.concatenate(
        [np.arange(begin[group], begin[group + 1]) for group in order] or [np.zeros(0, int)]
    )


def _move(path: Path, wanted: Int64) -> None:
    """Put the rows of an .npy file into the order wanted."""
    source = np.load(path, mmap_mode="r")
    moved = path.with_suffix(".moved")
    with _Grown(moved, source.dtype.str, source.shape[1]) as file:
        for start in range(0, len(wanted), _BLOCK):
            file.add(np.take(source, wanted[start : start + _BLOCK], axis=0))
    del source
    moved.replace(path)


def _write_postings(
    folder: Path, numbers: Mapping[str, int], of_term: Int64, of_row: Int64, counts: Int64, order: Int64
) -> None:
    encoded = sorted((term.encode("utf-8", "surrogatepass"), number) for term, number in numbers.items())
    place = np.empty(len(numbers), dtype=np.int64)
    place[[number for _, number in encoded]] = np.arange(len(encoded))
    new_row = np.empty(len(order), dtype=np.int64)
    new_row[order] = np.arange(len(order))
    terms, rows = place[of_term], new_row[of_row]
    by_term = np.lexsort((rows, terms))
    (folder / "terms.bin").write_bytes(b"".join(word for word, _ in encoded))
    _save(folder, "starts", np.cumsum([0, *(len(word) for word, _ in encoded)], dtype=np.int64))
    found = np.bincount(terms, minlength=len(encoded))
    _save(folder, "postings", np.concatenate(([0], np.cumsum(found))).astype(np.int64))
    _save(folder, "rows", rows[by_term].astype(np.int32))
    _save(folder, "counts", counts[by_term].astype(np.int32))


def _save(folder: Path, name: str, values: NDArray[Any]) -> None:
    np.save(folder / f"{name}.npy", values, allow_pickle=False)


def _seal(folder: Path, manifest: dict[str, Any]) -> None:
    files: dict[str, tuple[int, int]] = {}
    for path in sorted(folder.iterdir()):
        files[path.name] = (path.stat().st_size, _crc(path))
        with path.open("rb+") as file:
            os.fsync(file.fileno())
    with (folder / "manifest.json").open("w", encoding="utf-8") as file:
        json.dump({**manifest, "files": files}, file)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(folder)


def _crc(path: Path) -> int:
    crc = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            crc = zlib.crc32(block, crc)
    return crc


def remove(folder: Path) -> None:
    """Delete a segment's folder; what another process holds open on Windows stays until the next build."""
    shutil.rmtree(folder, ignore_errors=True)
