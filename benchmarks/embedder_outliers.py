"""Print the channels of the e5 encoder whose values pass a threshold, as `_e5_graph.py` lists them.

    python benchmarks/embedder_outliers.py FILE [FILE...] [--over 6]

Give text files of several languages and kinds; each paragraph of up to 700 characters is one text.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import helper

from suffice.plugins.embedders import _e5_graph, _e5_weights, e5


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--over", type=float, default=6.0)
    parser.add_argument("--texts", type=int, default=100)
    options = parser.parse_args()
    weights = _e5_weights.Weights(_e5_weights.find())
    model = onnx.load_from_string(_e5_graph.build(weights, "float32"))
    watched = [f"l{layer}.{part}" for layer in range(weights.n_layers) for part in ("middle", "curved")]
    model.graph.output.extend(helper.make_tensor_value_info(name, 1, None) for name in watched)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    tokenizer = e5.create()._tokens
    texts = [
        text[:700]
        for file in options.files
        for text in re.split(r"\n\s*\n", file.read_text("utf-8"))
        if text.strip()
    ]
    step = max(1, len(texts) // options.texts)
    largest = {name: np.zeros(1, np.float32) for name in watched}
    for text in texts[::step]:
        ids = [weights.bos, *tokenizer.ids("passage: "), *tokenizer.ids(text), weights.eos]
        for name, value in zip(
            watched, session.run(watched, {"words": weights.word_vectors(ids)[None]}), strict=True
        ):
            largest[name] = np.maximum(largest[name], np.abs(value[0]).max(axis=0))
    for part in ("middle", "curved"):
        print(part)
        for layer in range(weights.n_layers):
            top = largest[f"l{layer}.{part}"]
            wide = [int(at) for at in np.argsort(-top) if top[at] > options.over]
            print(f"    {layer}: {tuple(wide)},  # {', '.join(f'{top[at]:.1f}' for at in wide)}")


if __name__ == "__main__":
    main()
