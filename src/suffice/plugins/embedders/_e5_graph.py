"""The encoder as an ONNX graph, with ONNX Runtime's fused operators written straight into it.

Input `words` (1, n, dim) float32: vectors of the vocabulary table, which is not part of the graph.
Output `states` (1, n, dim) float32: the last layer. There is no mask: a text runs by itself (see e5.py).

int8: weights are quantized per output column, activations as they come, per text. A handful of
channels carry values ten times those of all others (the same ones in every text of every language),
and one scale for all would leave the others two or three bits. These channels run beside the rest
in float32, which lifts the least cosine to float32 from .991 to .999 and costs a tenth of the speed. All
second feed-forward layers kept in float32 gave .998 only (benchmarks/README.md).

`onnx` is imported here only, and this module only when a graph is built.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from suffice.plugins.embedders._e5_weights import Float32, Weights

_FUSED = "com.microsoft"
_OPSET = 17
_MATMUL_AXIS = 2

# Channels whose absolute value passes 6 in any of 67 texts in English, Chinese, German and of
# technical documentation, by layer (benchmarks/embedder_outliers.py prints them): of the state after
# attention, and of the widened state after GELU.
_WIDE_MIDDLE = {
    0: (321, 60, 15, 87),
    1: (15, 321, 87, 146),
    2: (15, 321, 146),
    3: (15, 321, 146),
    4: (15, 321, 146),
    5: (35, 15, 321),
    6: (35, 15, 321),
    7: (35, 15),
    8: (35, 15),
    9: (35, 15, 351),
    10: (35, 351, 15),
    11: (35,),
}
_WIDE_INNER = {
    0: (318, 91, 269, 368),
    1: (1462,),
    2: (354,),
    3: (408, 803),
    4: (778,),
    5: (658,),
    6: (1152, 1219),
    7: (413,),
    8: (1269, 563, 1323),
    9: (361, 1264),
    10: (1329,),
}

# A pair of neighbouring weights may reach 127 in all: CPUs without VNNI add two products of an
# unsigned byte and a weight in 16 bits, saturating, and 255 * 128 still fits. So every CPU computes
# the same integers. Halving all weights' range ("reduce_range") does the same and loses twice as much.
_PAIR_LIMIT = 127.0


class _Graph:
    """Nodes and constants as they are added; every method returns the name of its output."""

    def __init__(self, weights: Weights, precision: str) -> None:
        self.weights = weights
        self.int8 = precision == "int8"
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(
        self, kind: str, inputs: list[str], output: str | list[str], domain: str = "", **attributes: Any
    ) -> str:
        outputs = [output] if isinstance(output, str) else output
        name = f"{outputs[0]}/{kind}"
        self.nodes.append(helper.make_node(kind, inputs, outputs, name=name, domain=domain, **attributes))
        return outputs[0]

    def tensor(self, name: str) -> str:
        """A tensor of the weights file as a constant."""
        return self.constant(name, self.weights.tensor(name))

    def matrix(self, name: str, n_in: int, n_out: int) -> Float32:
        """(n_in, n_out): a linear layer's weights, to be multiplied from the right."""
        return np.ascontiguousarray(self.weights.tensor(f"{name}.w").reshape(n_out, n_in).T)

    def product(self, state: str, name: str, matrix: Float32) -> str:
        """state @ matrix, in the graph's precision."""
        if not self.int8:
            return self.exact(state, name, matrix)
        whole, scale = _quantized(matrix)
        inputs = [state, self.constant(f"{name}.q", whole), self.constant(f"{name}.s", scale)]
        return self.node("DynamicQuantizeMatMul", inputs, f"{name}.out", _FUSED)

    def exact(self, state: str, name: str, matrix: Float32) -> str:
        """state @ matrix in float32."""
        return self.node("MatMul", [state, self.constant(f"{name}.w", matrix)], f"{name}.out")


def build(weights: Weights, precision: str) -> bytes:
    """The serialized model; precision is "float32" or "int8"."""
    graph = _Graph(weights, precision)
    dim = weights.dim
    positions = weights.tensor("emb.pos").reshape(-1, dim) + weights.tensor("emb.type")[:dim]
    graph.constant("positions", positions)
    graph.constant("zero", np.array([0], np.int64))
    graph.node("Shape", ["words"], "n", start=1, end=2)
    graph.node("Slice", ["positions", "zero", "n", "zero"], "placed")
    graph.node("Add", ["words", "placed"], "embedded")
    norm = ["embedded", graph.tensor("emb.ln.w"), graph.tensor("emb.ln.b")]
    state = graph.node("LayerNormalization", norm, "layer0", axis=-1, epsilon=weights.epsilon)
    for number in range(weights.n_layers):
        output = "states" if number == weights.n_layers - 1 else f"layer{number + 1}"
        state = _layer(graph, number, state, output)
    shape = [1, "tokens", dim]
    made = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small",
        [helper.make_tensor_value_info("words", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("states", TensorProto.FLOAT, shape)],
        graph.constants,
    )
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_FUSED, 1)]
    model = helper.make_model(made, opset_imports=opsets, ir_version=8, producer_name="suffice")
    return bytes(model.SerializeToString(deterministic=True))


def _layer(graph: _Graph, number: int, state: str, output: str) -> str:
    name, dim = f"l{number}", graph.weights.dim
    attended = _attention(graph, name, state)
    projected = graph.product(attended, f"{name}.ao", graph.matrix(f"{name}.ao", dim, dim))
    middle = _add_and_norm(graph, f"{name}.ao", f"{name}.aln", projected, state, f"{name}.middle")
    narrowed = _feed_forward(graph, number, middle)
    return _add_and_norm(graph, f"{name}.fo", f"{name}.oln", narrowed, middle, output)


def _attention(graph: _Graph, name: str, state: str) -> str:
    dim, heads = graph.weights.dim, graph.weights.n_heads
    matrix = np.concatenate([graph.matrix(f"{name}.{part}", dim, dim) for part in "qkv"], axis=1)
    bias = np.concatenate([graph.weights.tensor(f"{name}.{part}.b") for part in "qkv"])
    shift = graph.constant(f"{name}.qkv.b", bias)
    output = f"{name}.attended"
    if not graph.int8:
        inputs = [state, graph.constant(f"{name}.qkv.w", matrix), shift]
        return graph.node("Attention", inputs, output, _FUSED, num_heads=heads)
    whole, scale = _quantized(matrix)
    rounded = [f"{name}.state.{part}" for part in ("q", "s", "z")]
    graph.node("DynamicQuantizeLinear", [state], rounded)
    inputs = [rounded[0], graph.constant(f"{name}.qkv.q", whole), shift, rounded[1]]
    inputs += [graph.constant(f"{name}.qkv.s", scale), "", rounded[2]]
    return graph.node("QAttention", inputs, output, _FUSED, num_heads=heads)


def _feed_forward(graph: _Graph, number: int, state: str) -> str:
    """Without the last bias, which the fused operator that follows adds."""
    name, dim, inner = f"l{number}", graph.weights.dim, graph.weights.n_inner
    widen = graph.matrix(f"{name}.fi", dim, inner)
    narrow = graph.matrix(f"{name}.fo", inner, dim)
    bias = graph.weights.tensor(f"{name}.fi.b")
    side = None
    wide = list(_WIDE_INNER.get(number, ())) if graph.int8 else []
    if wide:  # these inner channels go their own way from the middle state to the layer's output
        apart = graph.exact(state, f"{name}.fi.wide", widen[:, wide])
        inputs = [apart, graph.constant(f"{name}.fi.wide.b", bias[wide])]
        curved = graph.node("BiasGelu", inputs, f"{name}.curved.wide", _FUSED)
        side = graph.exact(curved, f"{name}.fo.wide", narrow[wide])
        widen[:, wide] = 0
        bias[wide] = 0
    widened = _product_without(graph, f"{name}.fi", state, widen, _WIDE_MIDDLE.get(number, ()))
    shift = graph.constant(f"{name}.fi.b", bias)
    curved = graph.node("BiasGelu", [widened, shift], f"{name}.curved", _FUSED)
    narrowed = graph.product(curved, f"{name}.fo", narrow)
    return narrowed if side is None else graph.node("Add", [narrowed, side], f"{name}.fo.sum")


def _product_without(graph: _Graph, name: str, state: str, matrix: Float32, channels: tuple[int, ...]) -> str:
    """state @ matrix, the channels named in float32 when the rest is in int8."""
    if not graph.int8 or not channels:
        return graph.product(state, name, matrix)
    wide = list(channels)
    mask = np.ones(len(matrix), np.float32)
    mask[wide] = 0
    masked = graph.node("Mul", [state, graph.constant(f"{name}.mask", mask)], f"{name}.masked")
    main = graph.product(masked, name, matrix)
    places = graph.constant(f"{name}.places", np.array(wide, np.int64))
    apart = graph.node("Gather", [state, places], f"{name}.apart", axis=_MATMUL_AXIS)
    side = graph.exact(apart, f"{name}.side", matrix[wide])
    return graph.node("Add", [main, side], f"{name}.sum")


def _add_and_norm(graph: _Graph, linear: str, norm: str, new: str, old: str, output: str) -> str:
    inputs = [new, old, *(graph.tensor(name) for name in (f"{norm}.w", f"{norm}.b", f"{linear}.b"))]
    epsilon = graph.weights.epsilon
    return graph.node("SkipLayerNormalization", inputs, output, _FUSED, epsilon=epsilon)


def _quantized(matrix: Float32) -> tuple[NDArray[np.int8], Float32]:
    """(n_in, n_out) int8 and (n_out,) float32 scales: matrix = whole * scale, rounded."""
    size = np.abs(matrix)
    scale = ((size[0::2] + size[1::2]).max(axis=0) / _PAIR_LIMIT).astype(np.float32)
    scale[scale == 0] = 1
    return np.rint(matrix / scale).astype(np.int8), scale
