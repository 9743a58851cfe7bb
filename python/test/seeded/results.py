"""Results that are not those of a function of torch: digits lost on the way, and terms left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl
import triton_shared
from seeded.seed import Seed


@triton.jit
def product_in_f16(a, b, c, K, S: tl.constexpr, WIDE: tl.constexpr):
    i, j = tl.arange(0, S)[:, None], tl.arange(0, S)[None, :]
    total = tl.zeros((S, S), dtype=tl.float16)
    for k in range(0, K, S):
        left = tl.load(a + i * K + k + j)
        right = tl.load(b + (k + i) * S + j)
        total = tl.dot(left, right, total, out_dtype=tl.float16)  # BUG 29
    tl.store(c + i * S + j, total)


@triton.jit
def product_in_f32(a, b, c, K, S: tl.constexpr, PRECISION: tl.constexpr):
    i, j = tl.arange(0, S)[:, None], tl.arange(0, S)[None, :]
    total = tl.zeros((S, S), dtype=tl.float32)
    for k in range(0, K, S):
        left = tl.load(a + i * K + k + j)
        right = tl.load(b + (k + i) * S + j)
        total = tl.dot(left, right, total, input_precision=PRECISION)  # BUG 129
    tl.store(c + i * S + j, total.to(c.dtype.element_ty))


@triton.jit
def product_without_tail(a, b, c, K, S: tl.constexpr, EXTRA: tl.constexpr):
    i, j = tl.arange(0, S)[:, None], tl.arange(0, S)[None, :]
    total = tl.zeros((S, S), dtype=tl.float32)
    for k in range(0, (K + EXTRA) // S):  # BUG 30
        at = k * S + tl.arange(0, S)
        left = tl.load(a + i * K + at[None, :], mask=at[None, :] < K, other=0.0)
        right = tl.load(b + at[:, None] * S + j, mask=at[:, None] < K, other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(c + i * S + j, total)


S = 16


def _product(kernel: Any, last: Any) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    def run(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = torch.empty(S, S, dtype=a.dtype)
        kernel[(1,)](a, b, c, a.shape[1], S, last)
        return c

    return run


def _verify(kernel: Any, last: Any, K: int, dtype: torch.dtype) -> None:
    g = torch.Generator().manual_seed(1)
    a, b = (torch.rand(*shape, generator=g) for shape in ((S, K), (K, S)))
    if dtype == torch.float16:
        a, b = 0.25 + a / 8, 0.25 + b / 8
    given = (a.to(dtype), b.to(dtype))
    triton_shared.verify(_product(kernel, last), torch.matmul, given, cases=0)


F16, F32 = torch.float16, torch.float32
SEEDS = [
    Seed(
        29,
        "down-cast",
        "f16 sums",
        lambda: _verify(product_in_f16, 0, 4096, F16),
        lambda: _verify(product_in_f32, "ieee", 4096, F16),
        "c",
    ),
    Seed(
        129,
        "down-cast",
        "tf32 products",
        lambda: _verify(product_in_f32, "tf32", 64, F32),
        lambda: _verify(product_in_f32, "ieee", 64, F32),
        "c",
    ),
    Seed(
        30,
        "wrong result",
        "tail of K",
        lambda: _verify(product_without_tail, 0, 72, F32),
        lambda: _verify(product_without_tail, S - 1, 72, F32),
        "c",
    ),
]
"""What `verify` answers; 129 is the other half of 29."""
