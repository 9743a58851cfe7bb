"""Loops: what they carry, their ranges, and how they are unrolled."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl
from guarded import Memory


@triton.jit
def matmul(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn,
    WRAPPED: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0)
    columns_of_tiles = tl.cdiv(N, BN)
    group = pid // (2 * columns_of_tiles)
    height = min(tl.cdiv(M, BM) - group * 2, 2)
    tile_m = group * 2 + (pid % (2 * columns_of_tiles)) % height
    tile_n = (pid % (2 * columns_of_tiles)) // height
    rows = tile_m * BM + tl.arange(0, BM)
    columns = tile_n * BN + tl.arange(0, BN)
    read_rows = rows % M if WRAPPED else rows
    read_columns = columns % N if WRAPPED else columns
    ks = tl.arange(0, BK)
    a_ptrs = a_ptr + read_rows[:, None] * stride_am + ks[None, :] * stride_ak
    b_ptrs = b_ptr + ks[:, None] * stride_bk + read_columns[None, :] * stride_bn
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a_mask = ks[None, :] < K - k * BK
        b_mask = ks[:, None] < K - k * BK
        if not WRAPPED:
            a_mask = a_mask & (rows[:, None] < M)
            b_mask = b_mask & (columns[None, :] < N)
        a = tl.load(a_ptrs, mask=a_mask, other=0.0)
        b = tl.load(b_ptrs, mask=b_mask, other=0.0)
        total += tl.dot(a, b, input_precision="ieee")
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total, mask=inside)


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize(("m", "n", "k"), [(16, 16, 16), (37, 21, 19), (3, 5, 7), (50, 4, 0)])
@pytest.mark.parametrize("transposed", [False, True])
def test_matmul(memory: Memory, wrapped: bool, m: int, n: int, k: int, transposed: bool):
    a = memory.holding(torch.randn(k, m)).t() if transposed else memory.holding(torch.randn(m, k))
    b, c = memory.holding(torch.randn(k, n)), memory.empty(m, n)
    grid = (triton.cdiv(m, 16) * triton.cdiv(n, 16),)
    matmul[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), WRAPPED=wrapped, BM=16, BN=16, BK=16)
    torch.testing.assert_close(c, a @ b)


@triton.jit
def sum_rows(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    ptrs = x_ptr + at
    total = tl.zeros((BLOCK,), tl.float32)
    row = 0
    while row < n:
        total += tl.load(ptrs)
        ptrs += stride
        row += 1
    tl.store(out_ptr + at, total)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_while_carries_pointers(memory: Memory, n: int):
    x, out = memory.holding(torch.randn(n, 8)), memory.empty(8)
    sum_rows[(1,)](x, out, n, 8, BLOCK=8)
    torch.testing.assert_close(out, x.sum(0))


@triton.jit
def walk_list(next_ptr, value_ptr, out_ptr):
    at = tl.load(next_ptr)
    total = 0
    count = 0
    while (at >= 0) & (count < 100):
        total += tl.load(value_ptr + at)
        at = tl.load(next_ptr + at + 1)
        count += 1
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, count)


def test_while_ends_by_what_it_loads(memory: Memory):
    following = memory.holding(torch.tensor([2, -1, 3, 0, 1], dtype=torch.int32))
    values = memory.holding(torch.tensor([1, 10, 100, 1000], dtype=torch.int32))
    out = memory.empty(2, dtype=torch.int32)
    walk_list[(1,)](following, values, out)
    assert out.tolist() == [101, 2]


@triton.jit
def pointers_in_steps(x_ptr, out_ptr, n, STEP: tl.constexpr, BLOCK: tl.constexpr):
    ptrs = x_ptr + tl.arange(0, BLOCK)
    outs = out_ptr + tl.arange(0, BLOCK)
    step = 1
    for _ in range(n):
        tl.store(outs, tl.load(ptrs))
        ptrs += step * STEP
        outs += BLOCK
        step += 1


def test_pointers_move_by_growing_steps(memory: Memory):
    x, out = memory.holding(torch.randn(32)), memory.empty(4, 8)
    pointers_in_steps[(1,)](x, out, 4, STEP=3, BLOCK=8)
    starts = torch.tensor([0, 3, 9, 18])
    assert torch.equal(out, x[starts[:, None] + torch.arange(8)])


@triton.jit
def backwards(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    ptrs = x_ptr + (n - 1) * BLOCK + at
    outs = out_ptr + at
    for _ in range(n):
        tl.store(outs, tl.load(ptrs))
        ptrs -= BLOCK
        outs += BLOCK
    for i in range(n - 1, -1, -1):
        tl.store(out_ptr + n * BLOCK + i * BLOCK + at, i)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_loops_go_backwards(memory: Memory, n: int):
    x, out = memory.holding(torch.randn(n, 4)), memory.empty(2 * n, 4)
    backwards[(1,)](x, out, n, BLOCK=4)
    assert torch.equal(out[:n], x.flip(0))
    assert torch.equal(out[n:], torch.arange(float(n))[:, None].expand(n, 4))


@triton.jit
def count_iterations(out_ptr, start, end, step):
    count = 0
    last = -100
    for i in range(start, end, step):
        count += 1
        last = i
    tl.store(out_ptr, count)
    tl.store(out_ptr + 1, last)


@pytest.mark.parametrize(
    ("start", "end", "step"),
    [
        (0, 10, 3),
        (0, 9, 3),
        (5, 5, 1),
        (7, 3, 2),
        (-4, 4, 2),
        (-9, -2, 4),
        (0, 1, 1000),
        (0, 16, 16),
    ],
)
def test_ranges_known_at_run_time(memory: Memory, start: int, end: int, step: int):
    out = memory.empty(2, dtype=torch.int32)
    count_iterations[(1,)](out, start, end, step)
    want = range(start, end, step)
    assert out.tolist() == [len(want), want[-1] if want else -100]


@triton.jit
def count_down(out_ptr, start, end):
    count = 0
    last = -100
    for i in range(start, end, -3):
        count += 1
        last = i
    tl.store(out_ptr, count)
    tl.store(out_ptr + 1, last)


@pytest.mark.parametrize(("start", "end"), [(10, 0), (9, 0), (5, 5), (0, 4), (-1, -8), (2, -2)])
def test_ranges_with_negative_steps(memory: Memory, start: int, end: int):
    out = memory.empty(2, dtype=torch.int32)
    count_down[(1,)](out, start, end)
    want = range(start, end, -3)
    assert out.tolist() == [len(want), want[-1] if want else -100]


@triton.jit
def two_levels(x_ptr, out_ptr, n, m, stride, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    ptrs = x_ptr + at
    outs = out_ptr + at
    index = at
    for _ in range(n):
        row = ptrs
        total = tl.zeros((BLOCK,), tl.float32)
        for _ in range(m):
            total += tl.load(row) + tl.load(x_ptr + index)
            row += BLOCK
            index += BLOCK
        tl.store(outs, total)
        ptrs += stride
        outs += BLOCK
        index += stride - m * BLOCK


@pytest.mark.parametrize(("n", "m"), [(3, 2), (1, 4), (2, 0), (0, 2)])
def test_indices_carried_through_two_loops(memory: Memory, n: int, m: int):
    x, out = memory.holding(torch.randn(n, m, 4)), memory.empty(n, 4)
    two_levels[(1,)](x, out, n, m, 4 * m, BLOCK=4)
    torch.testing.assert_close(out, 2 * x.sum(1))


@triton.jit
def through_an_inner_loop(x_ptr, out_ptr, n, step, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    ptrs = x_ptr + at
    others = x_ptr + 2 * at
    for i in range(n):
        ptrs = ptrs + step
        for _ in range(i):
            others += 1
            ptrs, others = others, ptrs
        tl.store(out_ptr + i * BLOCK + at, tl.load(ptrs))


def test_pointers_move_in_the_outer_and_change_places_in_the_inner_loop(memory: Memory):
    x, out = memory.holding(torch.randn(32)), memory.empty(4, 4)
    through_an_inner_loop[(1,)](x, out, 4, 3, BLOCK=4)
    at = torch.arange(4)
    first, second = at, 2 * at
    for i in range(4):
        first = first + 3
        for _ in range(i):
            first, second = second + 1, first
        assert torch.equal(out[i], x[first])


@triton.jit
def rotate_three(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = x_ptr + at
    b = x_ptr + BLOCK + at
    c = x_ptr + 2 * BLOCK + at
    for i in range(n):
        tl.store(out_ptr + i * BLOCK + at, tl.load(a))
        a, b, c = b, c, a


def test_pointers_change_places(memory: Memory):
    x, out = memory.holding(torch.randn(3, 4)), memory.empty(5, 4)
    rotate_three[(1,)](x, out, 5, BLOCK=4)
    assert torch.equal(out, x[torch.arange(5) % 3])


@triton.jit
def ping_pong(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    source = x_ptr + at
    target = y_ptr + at
    for _ in range(n):
        tl.store(target, tl.load(source) * 2)
        source, target = target, source


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_two_buffers_change_places(memory: Memory, n: int):
    x, y = memory.holding(torch.full((4,), 1.0)), memory.empty(4)
    ping_pong[(1,)](x, y, n, BLOCK=4)
    newest = y if n % 2 else x
    assert newest.tolist() == [2.0**n] * 4


@triton.jit
def shuffle_index(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    index = at
    for i in range(n):
        tl.store(out_ptr + i * BLOCK + at, tl.load(x_ptr + index))
        index = (index * 3 + 1) % BLOCK


def test_an_index_changes_by_more_than_a_scalar(memory: Memory):
    x, out = memory.holding(torch.randn(8)), memory.empty(4, 8)
    shuffle_index[(1,)](x, out, 4, BLOCK=8)
    index = torch.arange(8)
    for row in out:
        assert torch.equal(row, x[index])
        index = (index * 3 + 1) % 8


@triton.jit
def mask_by_iteration(x_ptr, out_ptr, n, steps, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    left = n
    ptrs = x_ptr + at
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(steps):
        total += tl.load(ptrs, mask=at < left, other=0.0)
        left -= BLOCK
        ptrs += BLOCK
    tl.store(out_ptr + at, total)


@pytest.mark.parametrize("n", [0, 3, 8, 13, 40])
def test_a_bound_carried_below_zero(memory: Memory, n: int):
    x, out = memory.holding(torch.randn(n)), memory.empty(8)
    mask_by_iteration[(1,)](x, out, n, 4, BLOCK=8)
    padded = torch.cat([x, torch.zeros(40)])[:32].view(4, 8)
    torch.testing.assert_close(out, padded.sum(0))


@triton.jit
def negative_carry(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    index = at
    for i in range(3):
        x = tl.load(x_ptr + index, mask=(index >= 0) & (index < n), other=7.0)
        tl.store(out_ptr + i * BLOCK + at, x)
        index -= 3


def test_a_carried_index_becomes_negative(memory: Memory):
    x, out = memory.holding(torch.randn(6)), memory.empty(3, 8)
    negative_carry[(1,)](x, out, 6, BLOCK=8)
    for i, row in enumerate(out):
        index = torch.arange(8) - 3 * i
        inside = (index >= 0) & (index < 6)
        assert torch.equal(row, torch.where(inside, x[index.clamp(0, 5)], 7.0))


@triton.jit
def unrolled(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in tl.range(0, n, 2, loop_unroll_factor=3):
        total += tl.load(x_ptr + i * BLOCK + at)
    for i in tl.static_range(4):
        total += tl.load(x_ptr + i * BLOCK + at)
    for i in tl.range(0, n, num_stages=3):
        total += tl.load(x_ptr + i * BLOCK + at)
    tl.store(out_ptr + at, total)


@pytest.mark.parametrize("n", [0, 4, 5, 7, -3])
def test_unrolled_loops(memory: Memory, n: int):
    x, out = memory.holding(torch.randn(8, 4)), memory.empty(4)
    unrolled[(1,)](x, out, n, BLOCK=4)
    n = max(n, 0)
    torch.testing.assert_close(out, x[:n:2].sum(0) + x[:4].sum(0) + x[:n].sum(0))
