"""Memory that nobody has written."""

from __future__ import annotations

from collections.abc import Callable

import torch
import triton
import triton.language as tl
from seeded.seed import Seed

B = 32


@triton.jit
def add_to(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    old = tl.load(y + i, mask=i < n)  # BUG 12
    tl.store(y + i, old + tl.load(x + i, mask=i < n), mask=i < n)


def _add_to(make: Callable[[int], torch.Tensor]) -> None:
    add_to[(4,)](torch.ones(100), make(100), 100, B=B)


@triton.jit
def produce(y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, i, mask=i < n)


@triton.jit
def consume(y, z, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(y + i, mask=i < n, other=0)  # BUG 13
    tl.store(z + i, v, mask=i < n)


def _hand_over(programs: int) -> None:
    y = torch.empty(100, dtype=torch.int32)
    produce[(programs,)](y, 100, B=B)
    consume[(4,)](y, torch.empty_like(y), 100, B=B)


@triton.jit
def split_k(x, y, K, B: tl.constexpr):
    k = tl.program_id(0) * B + tl.arange(0, B)
    part = tl.sum(tl.load(x + k, mask=k < K, other=0.0))
    tl.atomic_add(y, part)  # BUG 22


def _split_k(make: Callable[[int], torch.Tensor]) -> None:
    split_k[(4,)](torch.ones(100), make(1), 100, B=B)


NEVER = "never-written"

SEEDS = [
    Seed(12, NEVER, "own output", lambda: _add_to(torch.empty), lambda: _add_to(torch.zeros), "y"),
    Seed(13, NEVER, "tail", lambda: _hand_over(3), lambda: _hand_over(4), "y"),
    Seed(22, NEVER, "split k", lambda: _split_k(torch.empty), lambda: _split_k(torch.zeros), "y"),
]
