"""The mapped segments: damage is noticed, swaps are atomic, readers keep what they opened, bits stay."""

from __future__ import annotations

import itertools
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from suffice.errors import StoreError
from suffice.plugins.stores import _segment, embedded
from suffice.plugins.stores.embedded import EmbeddedStore
from suffice.ports import StoreRow

DIM = 48


def rows(n: int, seed: int = 0) -> list[StoreRow]:
    rng = np.random.default_rng(seed)
    return [
        StoreRow(
            f"{number:05d}",
            rng.standard_normal((1 + number % 3, DIM)).astype(np.float32),
            {f"w{number % 7}": 1 + number % 2, "all": 1},
        )
        for number in range(n)
    ]


def query(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(DIM).astype(np.float32)


def files(path: Path) -> list[Path]:
    current = path / (path / "CURRENT").read_text("ascii")
    return sorted(current.iterdir())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    EmbeddedStore(tmp_path).build(rows(40), "one", DIM)
    return tmp_path


def test_any_file_missing_cut_or_changed_makes_the_revision_none(path: Path) -> None:
    kept = path.parent / "kept"
    shutil.copytree(path, kept)
    names = [file.name for file in files(path)]
    assert len(names) == 11
    for name, hurt in itertools.product(names, ("missing", "cut", "changed")):
        shutil.rmtree(path)
        shutil.copytree(kept, path)
        file = next(file for file in files(path) if file.name == name)
        data = file.read_bytes()
        if hurt == "missing":
            file.unlink()
        elif hurt == "cut":
            file.write_bytes(data[:-1])
        else:
            middle = len(data) // 2
            file.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])
        store = EmbeddedStore(path)
        assert store.revision() is None, (name, hurt)
        store.build(rows(40), "two", DIM)
        assert EmbeddedStore(path).revision() == "two"


@pytest.mark.parametrize("pointer", ["", "nowhere", "../x", "\x00", "é"])
def test_a_pointer_to_nothing_is_damage_not_a_crash(path: Path, pointer: str) -> None:
    (path / "CURRENT").write_text(pointer, "utf-8")
    assert EmbeddedStore(path).revision() is None
    with pytest.raises(StoreError):
        EmbeddedStore(path).chunk_ids()


def test_sizes_alone_are_checked_when_large_and_verify_reads_everything(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = next(file for file in files(path) if file.name == "vectors.npy")
    data = bytearray(vectors.read_bytes())
    data[-1] ^= 1
    vectors.write_bytes(bytes(data))
    monkeypatch.setattr(_segment, "CHECKED_BYTES", 0)
    store = EmbeddedStore(path)
    assert store.revision() == "one"
    with pytest.raises(StoreError, match=r"vectors\.npy"):
        store.verify()


def test_a_reader_keeps_what_it_opened_while_others_build(path: Path) -> None:
    reader = EmbeddedStore(path)
    before = reader.dense(query(1)).tobytes()
    EmbeddedStore(path).build(rows(70, seed=1), "two", DIM)
    assert reader.revision() == "one"
    assert reader.dense(query(1)).tobytes() == before
    assert len(reader.lexical(["all"])) == 40
    assert EmbeddedStore(path).revision() == "two"
    assert len([entry for entry in path.iterdir() if entry.is_dir()]) == 1


def test_what_a_killed_build_left_is_not_read_and_is_swept_by_the_next(path: Path) -> None:
    left = path / "tmp-1-dead"
    left.mkdir()
    (left / "vectors.npy").write_bytes(b"half")
    assert EmbeddedStore(path).revision() == "one"
    EmbeddedStore(path).build(rows(3), "two", DIM)
    assert not left.exists()


def test_a_build_that_is_interrupted_leaves_no_folder(path: Path) -> None:
    def interrupted() -> object:
        yield from rows(3)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        EmbeddedStore(path).build(interrupted(), "two", DIM)  # type: ignore[arg-type]
    assert EmbeddedStore(path).revision() == "one"
    assert len([entry for entry in path.iterdir() if entry.is_dir()]) == 1


def test_readers_during_builds_always_see_one_whole_revision(path: Path) -> None:
    def read(_: int) -> tuple[str | None, int, int]:
        store = EmbeddedStore(path)
        return store.revision(), len(store.chunk_ids()), len(store.dense(query(2)))

    def build(number: int) -> None:
        EmbeddedStore(path).build(rows(40 + number), f"b{number}", DIM)

    with ThreadPoolExecutor(6) as pool:
        builds = [pool.submit(build, number) for number in range(12)]
        seen = [pool.submit(read, number) for number in range(120)]
    assert all(build.exception() is None for build in builds)
    for result in seen:
        revision, n_ids, n_scores = result.result()
        assert revision == "one" or revision == f"b{n_ids - 40}"
        assert n_ids == n_scores


def test_bits_do_not_depend_on_blocks_threads_or_a_batch(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    EmbeddedStore(path).build(rows(1500), "big", DIM)
    store = EmbeddedStore(path)
    reference = [store.dense(query(seed)).tobytes() for seed in range(8)]
    for size in (1, 7, 64, 4096):
        monkeypatch.setattr(embedded, "_BLOCK", size)
        assert [store.dense(query(seed)).tobytes() for seed in range(8)] == reference
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda seed: store.dense(query(seed)).tobytes(), range(8))) == reference


def test_a_term_is_found_among_many_and_its_neighbours_are_not(tmp_path: Path) -> None:
    words = [f"{letter}{number}" for letter in "aé密\ud800" for number in range(500)]
    one = np.ones((1, DIM), np.float32)
    EmbeddedStore(tmp_path).build([StoreRow(f"{n:05d}", one, {w: 1}) for n, w in enumerate(words)], "r", DIM)
    store = EmbeddedStore(tmp_path)
    for number, word in enumerate(words):
        assert np.flatnonzero(store.lexical([word])).tolist() == [number]
        assert not store.lexical([word + "0x"]).any()


def test_a_folder_that_cannot_be_written_is_a_store_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(StoreError, match="cannot be written"):
        EmbeddedStore(blocked / "segments").build(rows(1), "r", DIM)
