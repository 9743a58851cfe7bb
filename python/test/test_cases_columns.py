"""Blocks that keep the columns of a matrix in their first dimension, which memory has in one piece:
fast code computes them transposed.
"""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl

MODES = ["reference", "fast"]
DTYPES = [
    torch.float32, torch.float64, torch.float16, torch.bfloat16,
    torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64,
]  # fmt: skip


@triton.jit
def of_columns(
    x_ptr, sum_ptr, low_ptr, place_ptr, rows, columns,
    X: tl.constexpr, R: tl.constexpr, DTYPE: tl.constexpr,
):  # fmt: skip
    """As inductor writes reductions over the rows of a matrix."""
    x = tl.program_id(0) * X + tl.arange(0, X)[:, None]
    in_columns = x < columns
    total = tl.full([X, R], 0, DTYPE)
    low = tl.full([X, R], 100, DTYPE)
    for start in range(0, rows, R):
        r = start + tl.arange(0, R)[None, :]
        mask = (r < rows) & in_columns
        value = tl.load(x_ptr + x + r * columns, mask, other=0).to(DTYPE)
        total = tl.where(mask, total + value, total)
        low = tl.where(mask, tl.minimum(low, value), low)
    tl.store(sum_ptr + x, tl.sum(total, 1)[:, None], in_columns)
    tl.store(low_ptr + x, tl.min(low, 1)[:, None], in_columns)
    first = tl.arange(0, R)[None, :]
    top = tl.load(x_ptr + x + first * columns, (first < rows) & in_columns, other=-100)
    tl.store(place_ptr + x, tl.argmax(top.to(DTYPE), 1)[:, None], in_columns)


@pytest.mark.every(3)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("block", [(2, 4), (4, 1), (4, 16), (64, 4), (128, 32)])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_reductions_of_columns(dtype: torch.dtype, block: tuple[int, int], mode: str):
    columns, rows = block
    wide = tl.int64 if not dtype.is_floating_point else tl.float32
    x = torch.randint(0 if dtype == torch.uint8 else -9, 9, (37, 75)).to(dtype)
    kind = torch.int64 if wide == tl.int64 else torch.float32
    total, low = torch.zeros(75, dtype=kind), torch.zeros(75, dtype=kind)
    place = torch.zeros(75, dtype=torch.int32)
    grid = (triton.cdiv(75, columns),)
    of_columns[grid](x, total, low, place, 37, 75, X=columns, R=rows, DTYPE=wide, mode=mode)
    assert total.equal(x.to(kind).sum(0))
    assert low.equal(x.to(kind).amin(0))
    assert place.equal(x[:rows].to(kind).argmax(0).int())


@triton.jit
def scale_columns(x_ptr, w_ptr, out_ptr, rows, columns, X: tl.constexpr, R: tl.constexpr):
    x = tl.program_id(0) * X + tl.arange(0, X)[:, None]
    r = tl.program_id(1) * R + tl.arange(0, R)[None, :]
    mask = (x < columns) & (r < rows)
    value = tl.load(x_ptr + x + r * columns, mask)
    weight = tl.load(w_ptr + r, r < rows)
    value = tl.where((x + r) % 2 == 0, value * weight, value)
    tl.store(out_ptr + x + r * columns, value, mask)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("block", [(4, 8), (32, 4), (16, 16)])
def test_columns_are_stored_as_they_are_loaded(block: tuple[int, int], in_place: bool, mode: str):
    x, weight = torch.randn(37, 75), torch.randn(37)
    even = (torch.arange(75) + torch.arange(37)[:, None]) % 2 == 0
    want = torch.where(even, x * weight[:, None], x)
    out = x if in_place else torch.zeros(37, 75)
    grid = (triton.cdiv(75, block[0]), triton.cdiv(37, block[1]))
    scale_columns[grid](x, weight, out, 37, 75, X=block[0], R=block[1], mode=mode)
    assert out.equal(want)


@triton.jit
def move_columns(x_ptr, out_ptr, X: tl.constexpr, R: tl.constexpr):
    at = tl.arange(0, X)[:, None] + tl.arange(0, R)[None, :] * X
    tl.store(out_ptr + at, tl.load(x_ptr + at) * 2)


@pytest.mark.parametrize("by", [-17, -1, 1, 17])
def test_columns_that_are_stored_over_others(by: int):
    """All is read before anything is written, wherever both meet."""
    whole = torch.arange(16 * 8 + 64).float()
    want = whole.clone()
    want[32 + by :][: 16 * 8] = 2 * whole[32:][: 16 * 8]
    move_columns[(1,)](whole[32:], whole[32 + by :], X=16, R=8)
    assert whole.equal(want)
