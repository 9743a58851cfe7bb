"""Mistakes that users have reported, each made anew from what its thread says."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from seeded.seed import Seed, sparse

B = 32


@triton.jit
def pair_up(values, bins, out, length, step, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(values + i, mask=i < length, other=0)
    b = tl.load(bins + i * step, mask=i < length, other=-1)  # BUG 101
    tl.store(out + i, v + b, mask=i < length)


def _pair_up(length: int) -> None:
    """The mask is right for one of two tensors: triton#10336."""
    bins = torch.arange(5, dtype=torch.int32)[::2]
    values, out = torch.ones(4, dtype=torch.int32), torch.zeros(4, dtype=torch.int32)
    pair_up[(1,)](values, bins, out, length, 2, B=8)


@triton.jit
def copy_token(x, y, places, COLUMNS: tl.constexpr, B: tl.constexpr):
    token = tl.load(places + tl.program_id(0))
    start = tl.multiple_of(token * COLUMNS, COLUMNS)  # BUG 102
    i = tl.arange(0, B)
    tl.store(y + tl.program_id(0) * B + i, tl.load(x + start + i))  # BUG 102


def _copy_tokens(last: int) -> None:
    """Tokens times columns in 32 bits: megablocks#185."""
    places = torch.tensor([0, 1, last], dtype=torch.int32)
    x = torch.zeros(4 * 4096)
    copy_token[(3,)](x, torch.zeros(3 * B), places, COLUMNS=4096, B=B)


@triton.jit
def scale_batch(a, c, batch_stride, n, B: tl.constexpr):
    batch = tl.program_id(0)
    i = tl.arange(0, B)
    place = batch * batch_stride  # BUG 103
    v = tl.load(a + place + i, mask=i < n, other=0.0)  # BUG 103
    tl.store(c + batch * n + i, 2 * v, mask=i < n)


def _scale_batch(batches: int) -> None:
    """The batch's index times its stride in 32 bits: dion#102."""
    a = sparse(batches * 7864320)
    scale_batch[(batches,)](a, torch.zeros(batches * B), 7864320, B, B=B)


@triton.jit
def running_sum(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)  # BUG 104
    tl.store(y + i, v / tl.max(v), mask=i < n)  # BUG 104


@triton.jit
def running_sum_of_loaded(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, v / tl.max(v), mask=i < n)


def _running_sum(kernel: object) -> None:
    """Lanes without `other` in a reduction: FlagGems#3716."""
    kernel[(1,)](torch.ones(20), torch.zeros(20), 20, B=B)


@triton.jit
def chunk(k, y, T, H: tl.constexpr, K: tl.constexpr, i_b):
    base = k + i_b * T * H * K  # BUG 105
    p = tl.make_block_ptr(base, (T,), (1,), (0,), (K,), (0,))  # BUG 105
    tl.store(y + tl.arange(0, K), tl.load(p, boundary_check=(0,)))


def _chunk(batch: int) -> None:
    """The base of a block pointer in 32 bits: flash-linear-attention#1080."""
    chunk[(1,)](sparse(1 << 31), torch.zeros(32), 8192, H=32, K=32, i_b=batch)


SEEDS = [
    Seed(101, "out-of-bounds", "10336", lambda: _pair_up(4), lambda: _pair_up(3), "bins"),
    Seed(
        102,
        "wrapped-address",
        "megablocks 185",
        lambda: _copy_tokens(600000),
        lambda: _copy_tokens(3),
        "x",
    ),
    Seed(
        103, "wrapped-address", "dion 102", lambda: _scale_batch(320), lambda: _scale_batch(3), "a"
    ),
    Seed(
        104,
        "undefined-lanes",
        "flaggems 3716",
        lambda: _running_sum(running_sum),
        lambda: _running_sum(running_sum_of_loaded),
        "x",
    ),
    Seed(
        105,
        "wrapped-address",
        "fla 1080",
        lambda: _chunk(256),
        lambda: _chunk(3),
        "",
        follows="out-of-bounds",
    ),
]
