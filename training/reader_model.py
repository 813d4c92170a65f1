"""The reader as it is trained: the first layers of multilingual-e5-small, frozen, with low-rank adapters.

The forward pass is that of `plugins/judges/_reader_graph.py`; `training/reader.py export` compares the two.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from suffice.plugins.embedders import _e5_weights

LINEARS = ("q", "k", "v", "ao", "fi", "fo")
IGNORED, QUESTION, TITLE, TEXT = 0, 1, 2, 3  # what a token is, in `kinds`


class Adapted(nn.Module):
    """A frozen linear layer with a low-rank side: x W' + b + (x A') B' (Hu et al. 2021)."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor, rank: int, dtype: torch.dtype) -> None:
        super().__init__()
        self.register_buffer("weight", weight.to(dtype), persistent=False)
        self.register_buffer("bias", bias.to(dtype), persistent=False)
        n_out, n_in = weight.shape
        self.rank = rank
        if rank:
            self.a = nn.Parameter(torch.randn(rank, n_in) / n_in**0.5)
            self.b = nn.Parameter(torch.zeros(n_out, rank))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.rank:
            return F.linear(x, self.weight, self.bias)
        side = F.linear(F.linear(x, self.a.to(x.dtype)), self.b.to(x.dtype))
        return F.linear(x, self.weight, self.bias) + side


class Layer(nn.Module):
    """One encoder layer, normalized after each half, as in BERT."""

    def __init__(self, source: _e5_weights.Weights, number: int, rank: int, dtype: torch.dtype) -> None:
        super().__init__()
        dim, inner, name = source.dim, source.n_inner, f"l{number}"
        shapes = {"fi": (inner, dim), "fo": (dim, inner)}
        self.linears = nn.ModuleDict(
            {
                part: Adapted(
                    tensor(source, f"{name}.{part}.w").reshape(shapes.get(part, (dim, dim))),
                    tensor(source, f"{name}.{part}.b"),
                    rank,
                    dtype,
                )
                for part in LINEARS
            }
        )
        for norm in ("aln", "oln"):
            for part in "wb":
                self.register_buffer(
                    norm + part, tensor(source, f"{name}.{norm}.{part}").to(dtype), persistent=False
                )
        self.heads, self.epsilon = source.n_heads, source.epsilon

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        n, length, dim = x.shape

        def split(part: str) -> torch.Tensor:
            return self.linears[part](x).view(n, length, self.heads, -1).transpose(1, 2)

        # Written out: the backward pass of scaled_dot_product_attention on the CPU takes half the whole time.
        scores = (split("q") * (self.heads / dim) ** 0.5) @ split("k").transpose(-1, -2)
        attended = (scores if mask is None else scores + mask).softmax(-1) @ split("v")
        attended = attended.transpose(1, 2).reshape(n, length, dim)
        x = F.layer_norm(x + self.linears["ao"](attended), (dim,), self.alnw, self.alnb, self.epsilon)
        narrowed = self.linears["fo"](F.gelu(self.linears["fi"](x)))
        return F.layer_norm(x + narrowed, (dim,), self.olnw, self.olnb, self.epsilon)


class Reader(nn.Module):
    """Word vectors in; (n,) support logits and (n, length) evidence logits of the passage's tokens out."""

    def __init__(
        self,
        source: _e5_weights.Weights,
        *,
        layers: int,
        frozen: int,
        rank: int,
        hidden: int,
        dtype: torch.dtype,
    ) -> None:
        """The first `frozen` of the layers get no adapter: nothing is propagated back through them."""
        super().__init__()
        self.frozen = frozen
        self.dtype, self.epsilon = dtype, source.epsilon
        positions = (
            tensor(source, "emb.pos").reshape(-1, source.dim) + tensor(source, "emb.type")[: source.dim]
        )
        self.register_buffer("positions", positions, persistent=False)
        for part in "wb":
            self.register_buffer("ln" + part, tensor(source, f"emb.ln.{part}"), persistent=False)
        self.layers = nn.ModuleList(
            Layer(source, number, rank if number >= frozen else 0, dtype) for number in range(layers)
        )
        self.evidence = nn.Linear(source.dim, 1)
        self.hidden = nn.Linear(4 * source.dim, hidden)
        self.out = nn.Linear(hidden, 1)
        self.dropout = nn.Dropout(0.1)

    def forward(self, words: torch.Tensor, kinds: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        dim, length = words.shape[-1], words.shape[1]
        x = F.layer_norm(words + self.positions[:length], (dim,), self.lnw, self.lnb, self.epsilon).to(
            self.dtype
        )
        present = kinds >= 0
        mask = None
        if not bool(present.all()):
            mask = torch.zeros(present.shape, dtype=self.dtype).masked_fill(~present, -1e4)[:, None, None, :]
        with torch.no_grad():
            for layer in self.layers[: self.frozen]:
                x = layer(x, mask)
        for layer in self.layers[self.frozen :]:
            x = layer(x, mask)
        x = x.float()
        evidence = self.evidence(x).squeeze(-1).masked_fill(kinds != TEXT, -1e4)
        share = evidence.softmax(-1)
        passage = (share[..., None] * x).sum(1)
        asked = (kinds == QUESTION).float()
        question = (asked[..., None] * x).sum(1) / asked.sum(1, keepdim=True).clamp(min=1)
        joined = torch.cat([x[:, 0], question, passage, question * passage], dim=-1)
        support = self.out(F.gelu(self.hidden(self.dropout(joined)))).squeeze(-1)
        return support, evidence


def tensor(source: _e5_weights.Weights, name: str) -> torch.Tensor:
    return torch.from_numpy(np.array(source.tensor(name)))
