"""Control flow but loops: branches, calls and grids, and what goes through them."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl
from guarded import Memory

#
# Branches
#


@triton.jit
def return_early(x_ptr, out_ptr, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    x = tl.load(x_ptr + pid)
    if x < 0:
        if x < -1:
            tl.store(out_ptr + pid, -2.0)
            return
        tl.store(out_ptr + pid, -1.0)
    else:
        if pid == 1:
            return
        tl.store(out_ptr + pid, x)
    tl.store(out_ptr + n + pid, x)


def test_returns_inside_branches(memory: Memory):
    x = memory.holding(torch.tensor([-0.5, 2.0, -3.0, 4.0]))
    out = memory.empty(8)
    return_early[(6,)](x, out, 4)
    assert out.tolist() == [-1, -1, -2, 4, -0.5, -1, -1, 4]


@triton.jit
def store_by_branch(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    if pid % 3 == 0:
        tl.store(out_ptr + pid * BLOCK + at, x)
    elif pid % 3 == 1:
        tl.store(out_ptr + pid * BLOCK + at, -x, mask=at < n)
    else:
        for i in range(n):
            tl.store(out_ptr + pid * BLOCK + i, 9.0)


def test_divergent_stores(memory: Memory):
    x, out = memory.holding(torch.randn(4)), memory.empty(5, 4)
    store_by_branch[(5,)](x, out, 2, BLOCK=4)
    want = torch.full((5, 4), -1.0)
    want[0], want[3] = x, x
    want[1, :2], want[4, :2], want[2, :2] = -x[:2], -x[:2], 9.0
    assert torch.equal(out, want)


@triton.jit
def carry_through_branch(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    offset = at * 2
    if pid > 0:
        pointers = x_ptr + at
        offset += 3
        bound = n
    else:
        pointers = y_ptr + at * 2
        bound = n - 1
        offset -= 0
    x = tl.load(pointers, mask=at < bound, other=0.0)
    tl.store(out_ptr + pid * 3 * BLOCK + offset, x)


def test_what_branches_yield(memory: Memory):
    x, y = memory.holding(torch.randn(8)), memory.holding(torch.randn(16))
    out = memory.empty(2, 24)
    carry_through_branch[(2,)](x, y, out, 6, BLOCK=8)
    at = torch.arange(8)
    want = torch.full((2, 24), -1.0)
    want[0, at * 2] = torch.where(at < 5, y[at * 2], 0.0)
    want[1, at * 2 + 3] = torch.where(at < 6, x, 0.0)
    assert torch.equal(out, want)


@triton.jit
def branch_in_loop(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    ptrs = x_ptr + at
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(n):
        if i % 2 == 0:
            total += tl.load(ptrs)
            ptrs += BLOCK
        else:
            total -= tl.load(ptrs)
            ptrs += 2 * BLOCK
    tl.store(out_ptr + at, total)
    tl.store(out_ptr + BLOCK + at, tl.load(ptrs))


def test_pointers_advance_by_branches(memory: Memory):
    x, out = memory.holding(torch.randn(8, 4)), memory.empty(2, 4)
    branch_in_loop[(1,)](x, out, 4, BLOCK=4)
    torch.testing.assert_close(out, torch.stack([x[0] - x[1] + x[3] - x[4], x[6]]))


@triton.jit
def loop_until_found(x_ptr, out_ptr, n, key):
    found = -1
    for i in range(n):
        if tl.load(x_ptr + i) == key and found < 0:
            found = i
    i = 0
    while i < n and tl.load(x_ptr + i) != key:
        i += 1
    tl.store(out_ptr, found)
    tl.store(out_ptr + 1, i)


@pytest.mark.parametrize(("key", "want"), [(7, [2, 2]), (5, [0, 0]), (1, [-1, 5])])
def test_search(memory: Memory, key: int, want: list[int]):
    x, out = memory.holding(torch.tensor([5, 6, 7, 8, 7])), memory.empty(2, dtype=torch.int32)
    # The condition of `while` is evaluated whole: one element more is there.
    loop_until_found[(1,)](x, out, 5, key)
    assert out.tolist() == want


#
# Functions
#


@triton.jit
def split_index(index, size):
    return index // size, index % size


@triton.jit(noinline=True)
def load_pair(x_ptr, row, stride, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    first = tl.load(x_ptr + row * stride + at)
    return first, x_ptr + (row + 1) * stride


@triton.jit(noinline=True)
def clip(x, low):
    if x < low:
        return low
    return x


@triton.jit(noinline=True)
def store_twice(out_ptr, x_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.store(out_ptr + tl.arange(0, BLOCK), x)
    tl.store(out_ptr + BLOCK + tl.arange(0, BLOCK), clip(0.25, 0.5) + x)


@triton.jit
def call_functions(x_ptr, out_ptr, columns, stride, BLOCK: tl.constexpr):
    row, column = split_index(tl.program_id(0), columns)
    first, rest = load_pair(x_ptr + column * BLOCK, row, stride, BLOCK)
    total = first + tl.load(rest + tl.arange(0, BLOCK))
    store_twice(out_ptr + tl.program_id(0) * 3 * BLOCK, rest, BLOCK)
    tl.store(out_ptr + (tl.program_id(0) * 3 + 2) * BLOCK + tl.arange(0, BLOCK), total)


def test_functions_return_tuples_and_pointers(memory: Memory):
    x, out = memory.holding(torch.randn(3, 8)), memory.empty(4, 3, 4)
    call_functions[(4,)](x, out, 2, 8, BLOCK=4)
    for pid in range(4):
        row, column = divmod(pid, 2)
        first, rest = x[row : row + 2, 4 * column : 4 * column + 4]
        assert torch.equal(out[pid], torch.stack([rest, rest + 0.5, first + rest]))


@triton.jit
def rows_of_tokens(offsets_ptr, out_ptr, n):
    token = tl.program_id(0)
    row = 0
    for i in range(n - 1):
        row = tl.where(tl.load(offsets_ptr + i + 1) <= token, i + 1, row)
    tl.store(out_ptr + token, row)


def test_varlen_rows(memory: Memory):
    offsets = memory.holding(torch.tensor([0, 3, 3, 7, 8]))
    out = memory.empty(8, dtype=torch.int32)
    rows_of_tokens[(8,)](offsets, out, 4)
    assert out.tolist() == [0, 0, 0, 2, 2, 2, 2, 3]


#
# Grids
#


@triton.jit
def note_program(out_ptr, nx, ny):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    sizes = tl.num_programs(0) * 10000 + tl.num_programs(1) * 100 + tl.num_programs(2)
    tl.store(out_ptr + 2 * ((z * ny + y) * nx + x), sizes)
    tl.store(out_ptr + 2 * ((z * ny + y) * nx + x) + 1, x * 10000 + y * 100 + z)


@pytest.mark.parametrize("grid", [(1,), (3, 2), (2, 3, 4), (1, 1, 5)])
def test_grids_of_three_dimensions(memory: Memory, grid: tuple[int, ...]):
    x, y, z = (*grid, 1, 1)[:3]
    out = memory.empty(z, y, x, 2, dtype=torch.int32)
    note_program[grid](out, x, y)
    places = torch.cartesian_prod(torch.arange(z), torch.arange(y), torch.arange(x))
    want = places[:, 2] * 10000 + places[:, 1] * 100 + places[:, 0]
    assert (out[..., 0] == x * 10000 + y * 100 + z).all()
    assert torch.equal(out[..., 1].flatten(), want.int())


@pytest.mark.parametrize("grid", [(0,), (0, 5), (3, 0, 2), (2, 2, 0)])
def test_an_empty_grid_runs_nothing(memory: Memory, grid: tuple[int, ...]):
    out = memory.empty(8, dtype=torch.int32)
    note_program[grid](out, 1, 1)
    assert (out == -1).all()


@triton.jit
def store_program(out_ptr, AXIS: tl.constexpr):
    tl.store(out_ptr + tl.program_id(AXIS), tl.program_id(AXIS))


@pytest.mark.not_replayed("a GPU has at most 65,535 programs in y and in z")
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_grid_above_2_16(memory: Memory, axis: int):
    n = 2**16 + 3
    out = memory.empty(n, dtype=torch.int32)
    grid = [1, 1, 1]
    grid[axis] = n
    store_program[tuple(grid)](out, AXIS=axis)
    assert torch.equal(out, torch.arange(n, dtype=torch.int32))


@triton.jit
def do_nothing():
    pass


@triton.jit
def compute_nothing(BLOCK: tl.constexpr):
    x = tl.arange(0, BLOCK)
    x += tl.program_id(0)


def test_kernels_without_arguments():
    do_nothing[(3,)]()
    compute_nothing[(3,)](BLOCK=8)


@triton.jit
def persistent(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for tile in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        offsets = tile * BLOCK + at
        x = tl.load(x_ptr + offsets, mask=offsets < n)
        tl.store(out_ptr + offsets, x + tile, mask=offsets < n)


@pytest.mark.parametrize("programs", [1, 3, 20])
def test_persistent_programs(memory: Memory, programs: int):
    x, out = memory.holding(torch.randn(45)), memory.empty(45)
    persistent[(programs,)](x, out, 45, BLOCK=8)
    assert torch.equal(out, x + torch.arange(45) // 8)
