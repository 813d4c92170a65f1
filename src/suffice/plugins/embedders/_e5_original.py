"""The original intfloat/multilingual-e5-small from a local folder: its ONNX file and tokenizer.json."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.errors import EmbedderError
from suffice.plugins.embedders import _e5_cache
from suffice.plugins.embedders._e5_tokenizer import Pieces
from suffice.plugins.embedders.e5 import run, session
from suffice.ports import Float32

if TYPE_CHECKING:
    from suffice.plugins.embedders.e5 import E5

_WINDOW = 512
_MODELS = {
    "float32": ("onnx/model.onnx", "model.onnx"),
    "int8": ("onnx/model_qint8_avx512_vnni.onnx", "onnx/model_int8.onnx", "onnx/model_quantized.onnx"),
}


class _Tokens:
    """The folder's tokenizer.json behind the same three methods."""

    def __init__(self, file: Path) -> None:
        try:
            from tokenizers import Tokenizer
        except ModuleNotFoundError as error:
            raise EmbedderError(
                "a model in a folder needs the package `tokenizers`: pip install 'suffice[models]'"
            ) from error
        try:
            self._tokenizer = Tokenizer.from_file(str(file))
        except Exception as error:  # the library raises bare Exception
            raise EmbedderError(f"cannot read the tokenizer {file}: {error}") from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.bos = self._special("<s>", file)
        self.eos = self._special("</s>", file)

    def _special(self, piece: str, file: Path) -> int:
        number = self._tokenizer.token_to_id(piece)
        if number is None:
            raise EmbedderError(
                f"{file} has no piece {piece!r}: it is not the tokenizer of multilingual-e5-small"
            )
        return int(number)

    def ids(self, text: str) -> list[int]:
        return list(self._encode(text).ids)

    def head(self, text: str, n: int) -> list[int]:
        return self.ids(text[: 64 * n])[:n]

    def pieces(self, text: str) -> Pieces:
        encoded = self._encode(text)
        return Pieces(tuple(encoded.ids), tuple((int(a), int(b)) for a, b in encoded.offsets))

    def _encode(self, text: str) -> Any:
        # a lone surrogate has no UTF-8; one replacement character keeps every span where it was
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if len(whole) != len(text):
            whole = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
        return self._tokenizer.encode(whole, add_special_tokens=False)


class _Encoder:
    """Runs the folder's graph on one text at a time."""

    def __init__(self, file: Path) -> None:
        self._session = session(str(file))
        self._inputs = {entry.name for entry in self._session.get_inputs()}

    def states(self, ids: Sequence[int]) -> Float32:
        row = np.array([ids], np.int64)
        feed = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
        wanted = {name: value for name, value in feed.items() if name in self._inputs}
        return run(self._session, wanted)


def open_folder(folder: Path, precision: str, threads: int, make: Callable[..., E5]) -> E5:
    """The embedder of the folder. int8 asks for a quantized file there, else the float32 one is used.

    Raises EmbedderError if the folder or a file is not there or not this model's.
    """
    if not folder.is_dir():
        raise EmbedderError(f"the model folder {folder} is not there")
    names = (*_MODELS["int8"], *_MODELS["float32"]) if precision == "int8" else _MODELS["float32"]
    file = _e5_cache.local_file(folder, *names)
    tokenizer = _e5_cache.local_file(folder, "tokenizer.json", "onnx/tokenizer.json")
    digest = hashlib.sha256()
    for part in (file, tokenizer):
        with part.open("rb") as opened:
            digest.update(hashlib.file_digest(opened, "sha256").digest())
    used = "int8" if file.relative_to(folder).as_posix() in _MODELS["int8"] else "float32"
    model = f"original-{digest.hexdigest()[:12]}"
    return make(model, used, threads, _WINDOW, _Tokens(tokenizer), _Encoder(file))
