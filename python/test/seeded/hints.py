"""Hints that are false, and integers that wrap around."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from seeded.seed import Seed, sparse

B = 32


@triton.jit
def far_row(x, y, row, stride, B: tl.constexpr):
    i = tl.arange(0, B)
    start = row * stride  # BUG 9
    tl.store(y + i, tl.load(x + start + i))  # BUG 9


@triton.jit
def far_row_in_64_bits(x, y, row, stride, B: tl.constexpr):
    i = tl.arange(0, B)
    start = row.to(tl.int64) * stride
    tl.store(y + i, tl.load(x + start + i, mask=start + i < B, other=0.0))


def _far_row(kernel: object) -> None:
    kernel[(1,)](torch.ones(B), torch.zeros(B), 40000, 70000, B=B)


@triton.jit
def far_element(x, y, row, column, ld, B: tl.constexpr):
    i = row + tl.arange(0, B) * 0
    place = i * ld + column  # BUG 10
    tl.store(y + tl.arange(0, B), tl.load(x + place))  # BUG 10


def _far_element(column: int) -> None:
    # 2^31 - 8 and then some.
    far_element[(1,)](sparse(1 << 31), torch.zeros(B), 268435455, column, 8, B=B)


@triton.jit
def aligned_block(x, y, start, B: tl.constexpr):
    i = tl.multiple_of(start + tl.arange(0, B), 16)  # BUG 24
    tl.store(y + i - start, tl.load(x + i))


def _aligned(start: int) -> None:
    aligned_block[(1,)](torch.ones(64), torch.zeros(B), start, B=B)


@triton.jit
def copy(x, y, B: tl.constexpr):  # BUG 25
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i))


def _reused(start: int) -> None:
    """The kernel that was compiled for an aligned pointer, launched with another one."""
    x, y = torch.ones(64), torch.zeros(B)
    compiled = copy[(1,)](x, y, B=B)
    compiled[(1, 1, 1)](x[start:], y, B)


@triton.jit
def long_enough(x, y, n, B: tl.constexpr):
    tl.assume(n >= B)  # BUG 26
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)


def _long_enough(n: int) -> None:
    long_enough[(1,)](torch.ones(n), torch.zeros(n), n, B=B)


HINT, WRAP = "false-hint", "wrapped-address"

SEEDS = [
    Seed(9, WRAP, "product", lambda: _far_row(far_row), lambda: _far_row(far_row_in_64_bits), "x"),
    Seed(10, WRAP, "sum", lambda: _far_element(9), lambda: _far_element(7), "x"),
    Seed(24, HINT, "multiple of", lambda: _aligned(3), lambda: _aligned(16), ""),
    Seed(25, HINT, "divisible argument", lambda: _reused(1), lambda: _reused(4), "x"),
    Seed(26, HINT, "assume", lambda: _long_enough(10), lambda: _long_enough(B), ""),
]
