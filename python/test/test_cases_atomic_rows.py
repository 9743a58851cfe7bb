"""Atomic sums of neighbours, which fast code adds several at a time."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import triton
import triton.language as tl
from guarded import Memory

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64]
MODES = ["reference", "fast"]


@triton.jit
def add_rows(p_ptr, index_ptr, x_ptr, row, columns, BLOCK: tl.constexpr):
    """As the gradient of an embedding is made."""
    r, c = tl.program_id(0), tl.arange(0, BLOCK)
    mask = c < columns
    x = tl.load(x_ptr + r * columns + c, mask)
    tl.atomic_add(p_ptr + tl.load(index_ptr + r) * row + c, x, mask)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 15, 16, 61])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_rows_are_added_wherever_they_begin(
    memory: Memory, dtype: torch.dtype, columns: int, mode: str
):
    row = columns + 3  # So that rows begin at all places of 16 bytes.
    index = torch.arange(40) * 7 % 11
    x = (torch.arange(40 * columns).reshape(40, columns) % 5).to(dtype)
    p = memory.holding(torch.ones(11, row, dtype=dtype))
    add_rows[(40,)](p, memory.holding(index), memory.holding(x), row, columns, 64, mode=mode)
    want = torch.ones(11, row, dtype=dtype)
    want[:, :columns].index_add_(0, index, x)
    assert p.equal(want)


@triton.jit
def add_at_places(p_ptr, place_ptr, x_ptr, mask_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = tl.load(mask_ptr + i) != 0
    tl.atomic_add(p_ptr + tl.load(place_ptr + i), tl.load(x_ptr + i), mask)


PLACES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "one behind the other": lambda i: i,
    "backwards": lambda i: 63 - i,
    "pairs": lambda i: i // 2 * 8 % 64 + i % 2,
    "all the same": lambda i: i * 0 + 5,
    "each twice": lambda i: i // 2,
    "runs that meet": lambda i: (i % 8 + i // 8 * 4) % 64,
}


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("order", PLACES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_sums_come_in_the_order_of_the_block(
    memory: Memory, dtype: torch.dtype, order: str, masked: bool
):
    """Bit by bit as one after the other: with numbers whose sums are rounded."""
    places = PLACES[order](torch.arange(64))
    generator = torch.Generator().manual_seed(64)
    x = torch.randn(64, dtype=dtype, generator=generator)
    mask = (torch.arange(64) % 5 % 3) if masked else torch.ones(64, dtype=torch.int64)
    p = memory.holding(torch.ones(64, dtype=dtype))
    parts = (memory.holding(one) for one in (places, x, mask))
    add_at_places[(1,)](p, *parts, BLOCK=64)
    want = torch.ones(64, dtype=dtype)
    for place, value, is_added in zip(places, x, mask, strict=True):
        if is_added:
            want[place] += value
    assert p.equal(want)


@triton.jit
def add_shifted(p_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) % 7 + tl.arange(0, BLOCK)
    tl.atomic_add(p_ptr + i, (i + 1).to(p_ptr.dtype.element_ty), i < n)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_many_threads_add_rows_that_overlap(memory: Memory, dtype: torch.dtype):
    """Rows that begin at different places, so that pieces of 16 bytes meet single numbers."""
    p = memory.holding(torch.zeros(70, dtype=dtype))
    add_shifted[(7000,)](p, 70, BLOCK=64)
    covered = torch.stack([(torch.arange(70) >= s) & (torch.arange(70) < s + 64) for s in range(7)])
    assert p.equal((covered.sum(0) * 1000 * (1 + torch.arange(70))).to(dtype))


@triton.jit
def what_was_there(p_ptr, x_ptr, old_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(old_ptr + i, tl.atomic_add(p_ptr + i // 2, tl.load(x_ptr + i)))


def test_neighbours_whose_old_values_are_read(memory: Memory):
    x = torch.arange(16.0)
    p, old = memory.holding(torch.zeros(8)), memory.holding(torch.zeros(16))
    what_was_there[(1,)](p, memory.holding(x), old, BLOCK=16)
    assert old.tolist() == [x[i - 1].item() if i % 2 else 0.0 for i in range(16)]
