"""What a program reads of what it has stored before, against torch."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from guarded import Memory


@triton.jit
def store_then_load(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    first = tl.load(x_ptr + at)
    tl.store(x_ptr + at + 1, first)
    second = tl.load(x_ptr + at)
    tl.store(x_ptr + at, second * 10)
    third = tl.load(x_ptr + BLOCK - at)
    tl.store(out_ptr + at, first + 100 * second + 10000 * third)


def test_stores_are_seen_by_later_loads(memory: Memory):
    x, out = memory.holding(torch.arange(1.0, 10.0)), memory.empty(8)
    store_then_load[(1,)](x, out, BLOCK=8)
    first = torch.arange(1.0, 9.0)
    after = torch.cat([first[:1], first])
    second = after[:8].clone()
    after[:8] *= 10
    assert torch.equal(out, first + 100 * second + 10000 * after.flip(0)[:8])


@triton.jit
def shift_in_place(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(x_ptr + at + 1, x, mask=at < n - 1)


def test_a_shift_in_place_reads_before_it_writes(memory: Memory):
    x = memory.holding(torch.arange(11.0))
    shift_in_place[(1,)](x, 11, BLOCK=16)
    assert x.tolist() == [0, *range(10)]


@triton.jit
def add_aliased(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    y = tl.load(y_ptr + at)
    tl.store(out_ptr + at, x + y)
    again = tl.load(x_ptr + at)
    tl.store(out_ptr + at, again + y)


def test_arguments_may_overlap(memory: Memory):
    x = memory.holding(torch.randn(12))
    before = x.clone()
    add_aliased[(1,)](x, x[2:], x[1:], BLOCK=8)
    once = before[:8] + before[2:10]
    again = torch.cat([before[:1], once[:7]])
    assert torch.equal(x, torch.cat([before[:1], again + before[2:10], before[9:]]))


@triton.jit
def fibonacci(x_ptr, n):
    for i in range(2, n):
        tl.store(x_ptr + i, tl.load(x_ptr + i - 1) + tl.load(x_ptr + i - 2))


def test_loads_see_the_stores_of_earlier_iterations(memory: Memory):
    x = memory.holding(torch.ones(10, dtype=torch.int64))
    fibonacci[(1,)](x, 10)
    assert x.tolist() == [1, 1, 2, 3, 5, 8, 13, 21, 34, 55]


@triton.jit
def smooth(x_ptr, steps, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for _ in range(steps):
        total = tl.load(x_ptr + at) + tl.load(x_ptr + at + 1) + tl.load(x_ptr + at + 2)
        tl.store(x_ptr + at + 1, total)


def test_blocks_see_the_stores_of_earlier_iterations(memory: Memory):
    x = memory.holding(torch.randint(0, 9, (10,)))
    want = x.clone()
    smooth[(1,)](x, 3, BLOCK=8)
    for _ in range(3):
        want[1:9] = want[:8] + want[1:9] + want[2:]
    assert torch.equal(x, want)


@triton.jit
def swap(x_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    y = tl.load(y_ptr + at)
    tl.store(x_ptr + at, y)
    tl.store(y_ptr + at, x)


def test_swap(memory: Memory):
    x, y = memory.holding(torch.randn(8)), memory.holding(torch.randn(8))
    x_before, y_before = x.clone(), y.clone()
    swap[(1,)](x, y, BLOCK=8)
    assert torch.equal(x, y_before)
    assert torch.equal(y, x_before)


@triton.jit
def histogram_by_stores(x_ptr, out_ptr, n):
    for i in range(n):
        bin = tl.load(x_ptr + i)
        count = tl.load(out_ptr + bin)
        tl.store(out_ptr + bin, count + 1)


def test_read_modify_write_through_a_loaded_index(memory: Memory):
    x = memory.holding(torch.randint(0, 4, (30,)))
    out = memory.holding(torch.zeros(4, dtype=torch.int32))
    histogram_by_stores[(1,)](x, out, 30)
    assert torch.equal(out, x.bincount(minlength=4).int())
