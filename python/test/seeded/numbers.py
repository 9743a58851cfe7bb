"""Undefined lanes, numbers that are none, and sums whose order is open."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from seeded.seed import Seed

B = 32


@triton.jit
def sum_of_loaded(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)  # BUG 11
    tl.store(y, tl.sum(v))  # BUG 11


@triton.jit
def sum_with_zeros(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y, tl.sum(v))


@triton.jit
def add_up(x, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(y, tl.sum(tl.load(x + i)))  # BUG 23


@triton.jit
def add_up_in_order(x, y, n, B: tl.constexpr):
    total = tl.zeros((B,), tl.float32)
    for start in range(0, n, B):
        total += tl.load(x + start + tl.arange(0, B))
    tl.store(y, tl.sum(total))


@triton.jit
def masked_softmax(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.load(x + i, mask=i < n, other=-float("inf"))
    e = tl.exp(row - tl.max(row, 0))  # BUG 27
    tl.store(y + i, e / tl.sum(e, 0))  # BUG 27


@triton.jit
def squares(x, y, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(y, tl.sum(v * v))  # BUG 28


@triton.jit
def squares_in_f32(x, y, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B)).to(tl.float32)
    tl.store(y, tl.sum(v * v))


@triton.jit
def divide(x, y, z, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(z + i, tl.load(x + i) / tl.load(y + i))


def _softmax(n: int) -> None:
    masked_softmax[(1,)](torch.ones(B), torch.zeros(B), n, B=B)


def _squares(kernel: object, dtype: torch.dtype) -> None:
    x = torch.full((B,), 200.0, dtype=torch.float16)
    kernel[(1,)](x, torch.zeros(1, dtype=dtype), B=B)


SEEDS = [
    Seed(
        11,
        "undefined-lanes",
        "sum",
        lambda: sum_of_loaded[(1,)](torch.ones(20), torch.zeros(1), 20, B=B),
        lambda: sum_with_zeros[(1,)](torch.ones(20), torch.zeros(1), 20, B=B),
        "x",
    ),
    Seed(
        23,
        "order-dependent",
        "float sums",
        lambda: add_up[(4,)](torch.rand(4 * B), torch.zeros(1), B=B),
        lambda: add_up_in_order[(1,)](torch.rand(4 * B), torch.zeros(1), 4 * B, B=B),
        "y",
    ),
    Seed(27, "not-finite", "masked row", lambda: _softmax(0), lambda: _softmax(20), "y"),
    Seed(
        28,
        "not-finite",
        "squares of f16",
        lambda: _squares(squares, torch.float16),
        lambda: _squares(squares_in_f32, torch.float32),
        "y",
    ),
]
