"""Vector addition: one masked block per program, any length."""

from __future__ import annotations

from collections.abc import Iterator

import torch
import triton
import triton.language as tl

from .case import DTYPES, Case, Expected, random, rounded


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """out = x + y, `BLOCK` elements per program; the last block is cut off at `n`."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, x + y, mask=inside)


def add(x: torch.Tensor, y: torch.Tensor, block: int = 1024) -> torch.Tensor:
    """x + y."""
    out = torch.empty_like(x)
    n = x.numel()
    add_kernel[(triton.cdiv(n, block),)](x, y, out, n, BLOCK=block)
    return out


def cases() -> Iterator[Case]:
    """All types that add; one element, a tail, many blocks."""
    for name in ("f32", "f16", "bf16", "f64", "i8", "i32", "i64"):
        for n in (1, 1000, 98432):
            yield _case(name, n)


def _case(name: str, n: int) -> Case:
    dtype = DTYPES[name]
    x, y = random(n, dtype=dtype), random(n, dtype=dtype, seed=1)

    def expected() -> tuple[Expected]:
        value = x.double() + y.double()
        return ((value, rounded(value, dtype)),)

    return Case("vector add", name, str(n), lambda: (add(x, y),), expected)
