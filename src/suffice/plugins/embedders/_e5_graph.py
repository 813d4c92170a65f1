"""The encoder as an ONNX graph, with ONNX Runtime's fused operators written straight into it.

Input `words` (1, n, dim) float32: vectors of the vocabulary table, which is not part of the graph.
Output `states` (1, n, dim) float32: the last layer. There is no mask: a text runs by itself (see e5.py).
`onnx` and the quantizer are imported here only, and this module only when a graph is built.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from suffice.plugins.embedders._e5_weights import Weights

_FUSED = "com.microsoft"
_OPSET = 17


class _Graph:
    """Nodes and constants as they are added; every method returns the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: np.ndarray[Any, Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(
            helper.make_node(kind, inputs, [output], name=f"{output}/{kind}", domain=domain, **attributes)
        )
        return output


def build(weights: Weights, precision: str) -> bytes:
    """The serialized model; precision is "float32" or "int8"."""
    model = _float32(weights)
    return _quantized(model) if precision == "int8" else bytes(model.SerializeToString())


def _float32(weights: Weights) -> Any:
    graph = _Graph()
    dim = weights.dim
    positions = weights.tensor("emb.pos").reshape(-1, dim) + weights.tensor("emb.type")[:dim]
    graph.constant("positions", positions)
    graph.constant("zero", np.array([0], np.int64))
    graph.node("Shape", ["words"], "n", start=1, end=2)
    graph.node("Slice", ["positions", "zero", "n", "zero"], "placed")
    graph.node("Add", ["words", "placed"], "embedded")
    scale, shift = _norm(graph, weights, "emb.ln")
    state = graph.node(
        "LayerNormalization", ["embedded", scale, shift], "layer0", axis=-1, epsilon=weights.epsilon
    )
    for number in range(weights.n_layers):
        output = "states" if number == weights.n_layers - 1 else f"layer{number + 1}"
        state = _layer(graph, weights, f"l{number}", state, output)
    shape = [1, "tokens", dim]
    made = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small",
        [helper.make_tensor_value_info("words", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("states", TensorProto.FLOAT, shape)],
        graph.constants,
    )
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_FUSED, 1)]
    return helper.make_model(made, opset_imports=opsets, ir_version=8, producer_name="suffice")


def _layer(graph: _Graph, weights: Weights, layer: str, state: str, output: str) -> str:
    dim, inner = weights.dim, weights.n_inner
    qkv = [weights.tensor(f"{layer}.{part}.w").reshape(dim, dim).T for part in "qkv"]
    bias = [weights.tensor(f"{layer}.{part}.b") for part in "qkv"]
    attended = graph.node(
        "Attention",
        [
            state,
            graph.constant(f"{layer}.qkv.w", np.concatenate(qkv, axis=1)),
            graph.constant(f"{layer}.qkv.b", np.concatenate(bias)),
        ],
        f"{layer}.attended",
        _FUSED,
        num_heads=weights.n_heads,
    )
    projected = _linear(graph, weights, f"{layer}.ao", attended, dim, dim)
    middle = _add_and_norm(graph, weights, layer, "a", projected, state, f"{layer}.middle")
    widened = _linear(graph, weights, f"{layer}.fi", middle, inner, dim)
    widened_bias = graph.constant(f"{layer}.fi.b", weights.tensor(f"{layer}.fi.b"))
    curved = graph.node("BiasGelu", [widened, widened_bias], f"{layer}.curved", _FUSED)
    narrowed = _linear(graph, weights, f"{layer}.fo", curved, dim, inner)
    return _add_and_norm(graph, weights, layer, "f", narrowed, middle, output)


def _linear(graph: _Graph, weights: Weights, name: str, state: str, n_out: int, n_in: int) -> str:
    """Without its bias, which the fused operator that follows adds."""
    matrix = weights.tensor(f"{name}.w").reshape(n_out, n_in).T
    return graph.node("MatMul", [state, graph.constant(f"{name}.w", matrix)], f"{name}.out")


def _add_and_norm(
    graph: _Graph, weights: Weights, layer: str, part: str, new: str, old: str, output: str
) -> str:
    """part "a": after attention; "f": after the feed-forward layers."""
    linear, norm = (f"{layer}.ao", f"{layer}.aln") if part == "a" else (f"{layer}.fo", f"{layer}.oln")
    scale, shift = _norm(graph, weights, norm)
    bias = graph.constant(f"{linear}.b", weights.tensor(f"{linear}.b"))
    return graph.node(
        "SkipLayerNormalization", [new, old, scale, shift, bias], output, _FUSED, epsilon=weights.epsilon
    )


def _norm(graph: _Graph, weights: Weights, name: str) -> tuple[str, str]:
    return (
        graph.constant(f"{name}.w", weights.tensor(f"{name}.w")),
        graph.constant(f"{name}.b", weights.tensor(f"{name}.b")),
    )


def _quantized(model: Any) -> bytes:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory(prefix="suffice-e5-") as folder:
        plain, small = Path(folder, "float32.onnx"), Path(folder, "int8.onnx")
        onnx.save(model, plain)
        quantize_dynamic(
            plain,
            small,
            per_channel=True,
            weight_type=QuantType.QInt8,
            # the quantizer cannot infer the output type of fused operators
            extra_options={"DefaultTensorType": TensorProto.FLOAT},
        )
        return small.read_bytes()
