"""Accesses that leave their tensor."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from seeded.seed import Seed

B = 32


@triton.jit
def load_without_mask(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i)  # BUG 1
    tl.store(y + i, v, mask=i < n)


@triton.jit
def store_without_mask(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, v)  # BUG 2


@triton.jit
def copy(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, v, mask=i < n)


def _copy(kernel: object, n: int = 100) -> None:
    x, y = torch.ones(n), torch.zeros(n)
    kernel[(triton.cdiv(n, B),)](x, y, n, B=B)


@triton.jit
def step_over_view(x, y, stride, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i * stride)  # BUG 3
    tl.store(y + i, v)


def _view(stride: int) -> None:
    x = torch.arange(16.0)[0:8]
    step_over_view[(1,)](x, torch.zeros(8), stride, B=8)


@triton.jit
def read_block(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i))  # BUG 4


def _arena(size: int) -> None:
    x, y = torch.zeros(256).split(128)
    read_block[(1,)](x[:64], y, B=size)


@triton.jit
def look_up(table, index, y, B: tl.constexpr):
    i = tl.arange(0, B)
    k = tl.load(index + i)
    v = tl.load(table + k)  # BUG 5
    tl.store(y + i, v)


def _look_up(last: int) -> None:
    index = torch.arange(16)
    index[11] = last
    look_up[(1,)](torch.zeros(16), index, torch.zeros(16), B=16)


@triton.jit
def block_pointer(x, y, n, B: tl.constexpr):
    start = tl.program_id(0) * B
    p = tl.make_block_ptr(x, (n,), (1,), (start,), (B,), (0,))
    v = tl.load(p)  # BUG 6
    i = start + tl.arange(0, B)
    tl.store(y + i, v, mask=i < n)


@triton.jit
def block_pointer_checked(x, y, n, B: tl.constexpr):
    start = tl.program_id(0) * B
    p = tl.make_block_ptr(x, (n,), (1,), (start,), (B,), (0,))
    v = tl.load(p, boundary_check=(0,), padding_option="zero")
    i = start + tl.arange(0, B)
    tl.store(y + i, v, mask=i < n)


@triton.jit
def one_too_many(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i <= n)  # BUG 7
    tl.store(y + i, v, mask=i < n)


@triton.jit
def left_neighbour(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i - 1, mask=i < n)  # BUG 8
    tl.store(y + i, v, mask=i < n)


@triton.jit
def left_neighbour_masked(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i - 1, mask=(i < n) & (i > 0), other=0.0)
    tl.store(y + i, v, mask=i < n)


OUT = "out-of-bounds"

SEEDS = [
    Seed(1, OUT, "load", lambda: _copy(load_without_mask), lambda: _copy(copy), "x"),
    Seed(2, OUT, "store", lambda: _copy(store_without_mask), lambda: _copy(copy), "y"),
    Seed(3, OUT, "view", lambda: _view(2), lambda: _view(1), "x"),
    Seed(4, OUT, "neighbour", lambda: _arena(128), lambda: _arena(64), "x"),
    Seed(5, OUT, "gather", lambda: _look_up(99), lambda: _look_up(15), "table"),
    Seed(
        6,
        OUT,
        "block pointer",
        lambda: _copy(block_pointer),
        lambda: _copy(block_pointer_checked),
        "x",
    ),
    Seed(7, OUT, "off by one", lambda: _copy(one_too_many), lambda: _copy(copy), "x"),
    Seed(
        8,
        OUT,
        "negative offset",
        lambda: _copy(left_neighbour),
        lambda: _copy(left_neighbour_masked),
        "x",
    ),
]
