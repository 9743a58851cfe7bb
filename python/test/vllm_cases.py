"""What the tests of vLLM's kernels share: the list of cases, and tensors to run them on.

A case returns two functions without arguments: what vLLM's own wrapper makes of some tensors, and
what it should be, written with PyTorch's operations alone. Both may be called again and again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import vllm_modules

Run = Callable[[], Any]
Make = Callable[[], tuple[Run, Run]]


@dataclass(frozen=True)
class Case:
    """One wrapper of vLLM and the kernels that it launches."""

    make: Make
    module: str
    """Where the wrapper is, below `vllm`."""
    kernels: tuple[str, ...]
    tolerance: float
    """How far a number may be off, in units of the largest of its tensor; 0 for equal bits."""

    @property
    def name(self) -> str:
        return self.make.__name__


CASES: list[Case] = []


def case(module: str, *kernels: str, tolerance: float = 1e-5) -> Callable[[Make], Make]:
    """Adds a case to the list."""

    def add(make: Make) -> Make:
        CASES.append(Case(make, module, kernels, tolerance))
        return make

    return add


def vllm(module: str) -> Any:
    """A module below `vllm`."""
    return vllm_modules.load(f"vllm.{module}")


def normal(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape).to(dtype)


def whole(*numbers: int, dtype: torch.dtype = torch.int32) -> torch.Tensor:
    return torch.tensor(numbers, dtype=dtype)


def starts(lengths: torch.Tensor) -> torch.Tensor:
    """Where each of some sequences begins that lie one behind the other, and the end."""
    return torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).to(torch.int32)


def paged(page: int, *caches: list[torch.Tensor], spare: int = 3) -> tuple[torch.Tensor, ...]:
    """Sequences in pages of caches, in random order, and the table of each sequence's pages."""
    counts = [-(-len(row) // page) for row in caches[0]]
    order = torch.randperm(sum(counts) + spare).split([*counts, spare])
    table = torch.zeros((len(counts), max(counts)), dtype=torch.int32)
    for row, blocks in zip(table, order, strict=False):
        row[: len(blocks)] = blocks
    made = []
    for rows in caches:
        # Pages of nobody hold NaN, and the rest of a sequence's last page zeros.
        shape = (sum(counts) + spare, page, *rows[0].shape[1:])
        cache = torch.full(shape, float("nan")).to(rows[0].dtype)
        for row, blocks in zip(rows, order, strict=False):
            whole_pages = torch.zeros((len(blocks) * page, *row.shape[1:]), dtype=row.dtype)
            whole_pages[: len(row)] = row
            cache[blocks] = whole_pages.view(len(blocks), *shape[1:])
        made.append(cache)
    return (*made, table)


def attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    scale: float,
    *,
    causal: bool = True,
    window: int = 0,
    softcap: float = 0.0,
    sinks: torch.Tensor | None = None,
) -> torch.Tensor:
    """Attention of one sequence, [tokens, heads, size]; the last tokens are those of `q`."""
    groups = q.shape[1] // k.shape[1]
    k, v = (x.float().repeat_interleave(groups, 1) for x in (k, v))
    scores = torch.einsum("qhd,khd->hqk", q.float(), k) * scale
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    at = torch.arange(len(k))
    rows = at[len(k) - len(q) :, None]
    hidden = (at > rows) if causal else torch.zeros(len(q), len(k), dtype=torch.bool)
    if window:
        hidden = hidden | (at <= rows - window)
    scores = scores.masked_fill(hidden, float("-inf"))
    if sinks is not None:
        more = sinks.float()[:, None, None].expand(-1, len(q), 1)
        scores = torch.cat((scores, more), -1)
    weights = scores.softmax(-1)[..., : len(k)]
    return torch.einsum("hqk,khd->qhd", weights, v).to(q.dtype)
