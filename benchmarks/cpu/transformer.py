"""One layer of a causal transformer, which torch.compile makes kernels of.

Products of matrices are torch's own calls on every side; norms, softmax, masks and activations are
inductor's kernels, once in C++ and once in Triton.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import nn


class Block(nn.Module):
    """Attention written out, then two linear layers."""

    def __init__(self, width: int, heads: int, tokens: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.register_buffer("future", torch.ones(tokens, tokens, dtype=torch.bool).triu(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """`x` is batch x tokens x width; so is the result."""
        batch, tokens, width = x.shape
        qkv = self.qkv(self.before(x)).view(batch, tokens, 3, self.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / math.sqrt(width // self.heads)
        weights = scores.masked_fill(self.future, -math.inf).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(batch, tokens, width))
        return x + self.narrow(nn.functional.gelu(self.wide(self.after(x))))


class Transformer:
    """The block with its input, run by torch and by what inductor makes for Triton."""

    def __init__(self, width: int = 512, heads: int = 8, tokens: int = 512) -> None:
        self.module = Block(width, heads, tokens).requires_grad_(False)
        self.x = torch.randn(1, tokens, width)
        self._ours: list[torch.Tensor] = []
        self._theirs: list[torch.Tensor] = []

    def run_eager(self) -> None:
        """Eager torch."""
        self._theirs[:] = [self.module(self.x)]

    def results(self) -> tuple[torch.Tensor, torch.Tensor]:
        """What ours and torch's have written."""
        return self._ours[0], self._theirs[0]

    def prepare(self, mode: str) -> Callable[[], object] | None:
        """Compiles; inductor's kernels take the mode that everything has."""
        if mode != "fast":
            return None
        compiled = torch.compile(self.module, dynamic=False, options={"cpu_backend": "triton"})

        def run() -> None:
            self._ours[:] = [compiled(self.x)]

        run()
        return run
