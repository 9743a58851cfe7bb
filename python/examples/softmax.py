"""Fused softmax: a row per program, read once, written once."""

from __future__ import annotations

from collections.abc import Iterator

import torch
import triton
import triton.language as tl

from .case import DTYPES, Case, Expected, random, rounded, roundoff


@triton.jit
def softmax_kernel(out_ptr, in_ptr, in_stride, out_stride, n_cols, BLOCK: tl.constexpr):
    """Softmax of the row `program_id(0)`; columns past the end count as minus infinity."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_cols
    x = tl.load(in_ptr + row * in_stride + columns, mask=inside, other=-float("inf"))
    x = x.to(tl.float32)
    powers = tl.exp(x - tl.max(x, axis=0))
    y = powers / tl.sum(powers, axis=0)
    y = y.to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + row * out_stride + columns, y, mask=inside)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Softmax over the last dimension of a matrix."""
    rows, columns = x.shape
    out = torch.empty((rows, columns), dtype=x.dtype)
    block = triton.next_power_of_2(columns)
    softmax_kernel[(rows,)](out, x, x.stride(0), out.stride(0), columns, BLOCK=block)
    return out


def cases() -> Iterator[Case]:
    """One element, ragged rows, and a row stride that is not the width."""
    for name in ("f32", "f16", "bf16"):
        for rows, columns in ((1, 1), (7, 33), (64, 781), (128, 1024)):
            yield _case(name, rows, columns)


def _case(name: str, rows: int, columns: int) -> Case:
    dtype = DTYPES[name]
    x = random(rows, columns + 3, dtype=dtype)[:, :columns]

    def expected() -> tuple[Expected]:
        value = torch.softmax(x.double(), dim=1)
        # The sum makes `columns` roundings at most; a rounded exponent shifts a
        # power by its size; exp and the division add a few.
        exponent = (x.double() - x.double().amax(dim=1, keepdim=True)).abs()
        steps = columns + exponent + exponent.amax(dim=1, keepdim=True) + 8
        return ((value, steps * roundoff(torch.float32) * value + rounded(value, dtype)),)

    return Case("softmax", name, f"{rows}x{columns}", lambda: (softmax(x),), expected)
