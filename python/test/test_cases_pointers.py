"""Block pointers, descriptors, and pointers that are chosen, loaded or computed."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl
from block_pointers import needs_block_pointers
from guarded import Memory
from triton.tools.tensor_descriptor import TensorDescriptor

#
# Block pointers
#


@triton.jit
def copy_block(
    x_ptr, out_ptr, M, N, stride_m, stride_n, row, column,
    CHECK: tl.constexpr, PADDING: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    x_block = tl.make_block_ptr(
        x_ptr, (M, N), (stride_m, stride_n), (row, column), (BM, BN), (1, 0)
    )
    if CHECK is None:
        x = tl.load(x_block)
    else:
        x = tl.load(x_block, boundary_check=CHECK, padding_option=PADDING)
    out_block = tl.make_block_ptr(out_ptr, (BM, BN), (BN, 1), (0, 0), (BM, BN), (1, 0))
    tl.store(out_block, x)


@needs_block_pointers
@pytest.mark.parametrize("check", [(0,), (1,), (0, 1), None])
@pytest.mark.parametrize("padding", ["zero", "nan"])
@pytest.mark.parametrize(("row", "column"), [(0, 0), (3, 2), (-2, -5), (9, 0), (-9, 20)])
def test_block_pointer_loads(
    memory: Memory, check: tuple[int, ...] | None, padding: str, row: int, column: int
):
    # A tensor of 6 x 7 in the middle of memory that exists on all sides.
    x = memory.holding(torch.randn(40, 60))
    out = memory.empty(4, 8)
    start = x[15:, 20:]
    copy_block[(1,)](start, out, 6, 7, 60, 1, row, column, CHECK=check, PADDING=padding, BM=4, BN=8)
    rows, columns = row + torch.arange(4), column + torch.arange(8)
    want = x[15 + rows][:, 20 + columns]
    outside = torch.zeros(4, 8, dtype=torch.bool)
    if check and 0 in check:
        outside |= ((rows < 0) | (rows >= 6))[:, None]
    if check and 1 in check:
        outside |= ((columns < 0) | (columns >= 7))[None, :]
    want[outside] = 0.0 if padding == "zero" else float("nan")
    torch.testing.assert_close(out, want, rtol=0, atol=0, equal_nan=True)


@triton.jit
def store_block(
    out_ptr, M, N, stride_m, stride_n, row, column,
    CHECK: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, ORDER: tl.constexpr,
):  # fmt: skip
    out_block = tl.make_block_ptr(
        out_ptr, (M, N), (stride_m, stride_n), (row, column), (BM, BN), ORDER
    )
    x = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    tl.store(out_block, x.to(tl.float32), boundary_check=CHECK)


@needs_block_pointers
@pytest.mark.parametrize("check", [(0,), (1,), (1, 0), ()])
@pytest.mark.parametrize("order", [(1, 0), (0, 1)])
@pytest.mark.parametrize(("row", "column"), [(0, 0), (4, 3), (-3, -3), (7, 1)])
def test_block_pointer_stores(
    memory: Memory, check: tuple[int, ...], order: tuple[int, int], row: int, column: int
):
    out = memory.empty(40, 40)
    view = out if order == (1, 0) else out.t()
    store_block[(1,)](
        view[15:, 15:], 6, 7, *view.stride(), row, column, CHECK=check, BM=4, BN=8, ORDER=order
    )
    want = torch.full((40, 40), -1.0)
    for i in range(4):
        for j in range(8):
            inside = (0 not in check or 0 <= row + i < 6) and (
                1 not in check or 0 <= column + j < 7
            )
            if inside:
                want[15 + row + i, 15 + column + j] = 8 * i + j
    assert torch.equal(view, want)


@triton.jit
def sum_blocks(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    block = tl.make_block_ptr(x_ptr, (M, N), (N, 1), (tl.program_id(0) * BM, 0), (BM, BN), (1, 0))
    total = tl.zeros((BM,), tl.float32)
    for _ in range(0, N, BN):
        total += tl.sum(tl.load(block, boundary_check=(0, 1), padding_option="zero"), 1)
        block = tl.advance(block, (0, BN))
    block = tl.advance(block, (-1, -BN))
    back = tl.sum(tl.load(block, boundary_check=(0, 1), padding_option="zero"), 1)
    out_block = tl.make_block_ptr(
        out_ptr, (M, 2), (2, 1), (tl.program_id(0) * BM, 0), (BM, 2), (1, 0)
    )
    tl.store(out_block, tl.join(total, back), boundary_check=(0,))


@needs_block_pointers
@pytest.mark.parametrize(("m", "n"), [(4, 8), (5, 13), (1, 1), (9, 16)])
def test_block_pointers_advance_in_a_loop(memory: Memory, m: int, n: int):
    x, out = memory.holding(torch.randn(m, n)), memory.empty(m, 2)
    sum_blocks[(triton.cdiv(m, 4) + 1,)](x, out, m, n, BM=4, BN=8)
    before = torch.cat([torch.zeros(1, n), x[:-1]])[:, (n - 1) // 8 * 8 :].sum(1)
    torch.testing.assert_close(out, torch.stack([x.sum(1), before], 1))


@triton.jit
def choose_block(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x_block = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (BLOCK,), (0,))
    y_block = tl.make_block_ptr(y_ptr, (n - 2,), (2,), (1,), (BLOCK,), (0,))
    out_block = tl.make_block_ptr(out_ptr, (4, n), (n, 1), (0, 0), (1, BLOCK), (1, 0))
    for i in range(4):
        if i % 2 == 0:
            block = x_block
        else:
            block = y_block
        x = tl.load(block, boundary_check=(0,), padding_option="zero")
        tl.store(out_block, x[None, :], boundary_check=(0, 1))
        if i == 1:
            x_block, y_block = y_block, x_block
        out_block = tl.advance(out_block, (1, 0))


@needs_block_pointers
def test_block_pointers_go_through_branches(memory: Memory):
    x, y = memory.holding(torch.randn(5)), memory.holding(torch.randn(6))
    out = memory.empty(4, 5)
    choose_block[(1,)](x, y, out, 5, BLOCK=8)
    from_y = torch.tensor([y[2], y[4], 0, 0, 0])
    assert torch.equal(out, torch.stack([x, from_y, from_y, x]))


#
# Descriptors
#


@triton.jit
def copy_by_descriptor(source, target, row, column):
    x = source.load([row, column])
    target.store([row + 1, column + 2], x * 2)


@pytest.mark.parametrize("padding", ["zero", "nan"])
@pytest.mark.parametrize(("row", "column"), [(0, 0), (2, 1), (-1, -3), (5, 5), (30, 30)])
def test_descriptors_as_arguments(memory: Memory, padding: str, row: int, column: int):
    x, out = memory.holding(torch.randn(5, 12)), memory.empty(7, 8)
    source = TensorDescriptor(x, [5, 6], [12, 1], [4, 8], padding=padding)
    target = TensorDescriptor(out, [6, 7], [8, 1], [4, 8])
    copy_by_descriptor[(1,)](source, target, row, column)
    want = torch.full((7, 8), -1.0)
    for i in range(4):
        for j in range(8):
            if 0 <= row + 1 + i < 6 and 0 <= column + 2 + j < 7:
                inside = 0 <= row + i < 5 and 0 <= column + j < 6
                outside = 0.0 if padding == "zero" else float("nan")
                want[row + 1 + i, column + 2 + j] = (
                    2 * x[row + i, column + j] if inside else outside
                )
    torch.testing.assert_close(out, want, rtol=0, atol=0, equal_nan=True)


@triton.jit
def persistent_tiles(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, BN])
    target = tl.make_tensor_descriptor(out_ptr, [N, M], [M, 1], [BN, BM])
    columns = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * columns, tl.num_programs(0)):
        row = tile // columns * BM
        column = tile % columns * BN
        target.store([column, row], source.load([row, column]).trans())


@pytest.mark.parametrize(("m", "n"), [(4, 8), (12, 20), (8, 4)])
@pytest.mark.parametrize("programs", [1, 3])
def test_descriptors_made_by_the_kernel(memory: Memory, m: int, n: int, programs: int):
    x, out = memory.holding(torch.randn(m, n)), memory.empty(n, m)
    persistent_tiles[(programs,)](x, out, m, n, BM=4, BN=8)
    assert torch.equal(out, x.t())


@triton.jit
def three_dimensions(source, target, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = source.load([1, 2, 0])
    target.store([0, 0, 0], x.reshape([B, M, N]))


def test_descriptors_of_three_dimensions(memory: Memory):
    x, out = memory.holding(torch.randn(3, 5, 8)), memory.empty(2, 4, 4)
    source = TensorDescriptor(x, list(x.shape), list(x.stride()), [2, 4, 4])
    target = TensorDescriptor(out, list(out.shape), list(out.stride()), [2, 4, 4])
    three_dimensions[(1,)](source, target, B=2, M=4, N=4)
    want = torch.zeros(2, 4, 4)
    want[:, :3] = x[1:, 2:, :4]
    assert torch.equal(out, want)


@triton.jit
def gather_rows(source, rows_ptr, out_ptr, column, M: tl.constexpr, N: tl.constexpr):
    rows = tl.load(rows_ptr + tl.arange(0, M))
    x = source.gather(rows, column)
    tl.store(out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], x)


@pytest.mark.parametrize("column", [0, 4, 8])
def test_descriptor_gather(memory: Memory, column: int):
    x, out = memory.holding(torch.randn(6, 12)), memory.empty(8, 8)
    rows = memory.holding(torch.tensor([5, 0, 3, 3, -1, 6, 100, 1], dtype=torch.int32))
    source = TensorDescriptor(x, [6, 12], [12, 1], [1, 8])
    gather_rows[(1,)](source, rows, out, column, M=8, N=8)
    want = torch.zeros(8, 8)
    for i, row in enumerate(rows.tolist()):
        if 0 <= row < 6:
            piece = x[row, column : column + 8]
            want[i, : len(piece)] = piece
    assert torch.equal(out, want)


@triton.jit
def scatter_rows(target, rows_ptr, column, M: tl.constexpr, N: tl.constexpr):
    rows = tl.load(rows_ptr + tl.arange(0, M))
    x = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    target.scatter(x.to(tl.float32), rows, column)


@pytest.mark.parametrize("column", [0, 4, 8])
def test_descriptor_scatter(memory: Memory, column: int):
    out = memory.empty(6, 12)
    rows = memory.holding(torch.tensor([5, 0, 3, 2, -1, 6, 100, 1], dtype=torch.int32))
    scatter_rows[(1,)](TensorDescriptor(out, [6, 12], [12, 1], [1, 8]), rows, column, M=8, N=8)
    want = torch.full((6, 12), -1.0)
    for i, row in enumerate(rows.tolist()):
        for j in range(8):
            if 0 <= row < 6 and column + j < 12:
                want[row, column + j] = 8 * i + j
    assert torch.equal(out, want)


@triton.jit
def choose_descriptor(x, y, out_ptr, which, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    if which > 0:
        tile = x.load([1, 0])
    else:
        tile = y.load([0, 2])
    tl.store(out_ptr + at, tile)


@pytest.mark.parametrize("which", [0, 2])
def test_branches_load_by_different_descriptors(memory: Memory, which: int):
    x, y = memory.holding(torch.randn(4, 4)), memory.holding(torch.randn(3, 8))
    out = memory.empty(4, 4)
    descriptors = [TensorDescriptor(t, list(t.shape), list(t.stride()), [4, 4]) for t in (x, y)]
    choose_descriptor[(1,)](*descriptors, out, which, M=4, N=4)
    want = torch.zeros(4, 4)
    if which:
        want[:3] = x[1:]
    else:
        want[:3] = y[:, 2:6]
    assert torch.equal(out, want)


#
# Pointers that are values
#


@triton.jit
def concatenate(x_ptr, y_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ptrs = tl.where(at < n, x_ptr + at, y_ptr + (at - n))
    tl.store(out_ptr + at, tl.load(ptrs, mask=at < n + m), mask=at < n + m)


def test_where_chooses_between_two_buffers(memory: Memory):
    x, y = memory.holding(torch.randn(5)), memory.holding(torch.randn(9))
    out = memory.empty(14)
    concatenate[(2,)](x, y, out, 5, 9, BLOCK=8)
    assert torch.equal(out, torch.cat([x, y]))


@triton.jit
def choose_base(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    if pid % 2 == 0:
        base = x_ptr
        length = n
    else:
        base = y_ptr + 1
        length = n - 1
    by_value = base if pid < 2 else x_ptr
    tl.store(out_ptr + 2 * pid * BLOCK + at, tl.load(base + at, mask=at < length, other=0.0))
    tl.store(
        out_ptr + (2 * pid + 1) * BLOCK + at, tl.load(by_value + at, mask=at < n - 1, other=0.0)
    )


def test_branches_choose_the_base(memory: Memory):
    x, y = memory.holding(torch.randn(6)), memory.holding(torch.randn(6))
    out = memory.empty(4, 2, 8)
    choose_base[(4,)](x, y, out, 6, BLOCK=8)
    pad = lambda t: torch.cat([t, torch.zeros(8 - len(t))])  # noqa: E731
    from_x, from_y = pad(x), pad(y[1:])
    for pid, base in enumerate([(x, from_x), (y[1:], from_y)] * 2):
        assert torch.equal(out[pid, 0], base[1])
        assert torch.equal(out[pid, 1], pad((base[0] if pid < 2 else x)[:5]))


@triton.jit
def store_to_chosen(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    ptrs = tl.where(at % 2 == 0, x_ptr + at // 2, y_ptr + at // 2)
    tl.store(ptrs, at, mask=at < n)


def test_a_store_to_two_buffers(memory: Memory):
    x, y = memory.empty(8, dtype=torch.int32), memory.empty(8, dtype=torch.int32)
    store_to_chosen[(1,)](x, y, 9, BLOCK=16)
    assert x.tolist() == [0, 2, 4, 6, 8, -1, -1, -1]
    assert y.tolist() == [1, 3, 5, 7, -1, -1, -1, -1]


@triton.jit
def sum_table(table_ptr, lengths_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(count):
        x_ptr = tl.load(table_ptr + i).to(tl.pointer_type(tl.float32))
        total += tl.load(x_ptr + at, mask=at < tl.load(lengths_ptr + i), other=0.0)
    tl.store(out_ptr + at, total)


def test_a_table_of_pointers(memory: Memory):
    buffers = [memory.holding(torch.randn(n)) for n in (8, 3, 0, 5)]
    table = memory.holding(torch.tensor([b.data_ptr() for b in buffers]))
    lengths = memory.holding(torch.tensor([len(b) for b in buffers]))
    out = memory.empty(8)
    sum_table[(1,)](table, lengths, out, 4, BLOCK=8)
    want = sum(torch.cat([b, torch.zeros(8 - len(b))]) for b in buffers)
    torch.testing.assert_close(out, want)


@triton.jit
def load_pointers(table_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    pointers = tl.load(table_ptr + at).to(tl.pointer_type(tl.float32))
    tl.store(out_ptr + at, tl.load(pointers + 1))
    tl.store(pointers, 5.0)


def test_a_block_of_loaded_pointers(memory: Memory):
    buffers = [memory.holding(torch.randn(2)) for _ in range(4)]
    table = memory.holding(torch.tensor([b.data_ptr() for b in buffers]))
    out = memory.empty(4)
    load_pointers[(1,)](table, out, BLOCK=4)
    assert torch.equal(out, torch.stack([b[1] for b in buffers]))
    assert all(b[0] == 5 for b in buffers)


@triton.jit
def addresses(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    address = (x_ptr + at).to(tl.int64)
    tl.store(out_ptr + at, address)
    aligned = ((x_ptr + 1).to(tl.int64) & -64).to(tl.pointer_type(tl.float32))
    tl.store(out_ptr + BLOCK, aligned.to(tl.int64))


def test_pointers_as_integers(memory: Memory):
    x, out = memory.holding(torch.randn(4)), memory.empty(5, dtype=torch.int64)
    addresses[(1,)](x, out, BLOCK=4)
    start = x.data_ptr()
    assert out.tolist() == [*range(start, start + 16, 4), (start + 4) & -64]


@triton.jit
def other_widths(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    bytes_ptr = x_ptr.to(tl.pointer_type(tl.int8), bitcast=True)
    tl.store(out_ptr + at, tl.load(bytes_ptr + 3 + 4 * at).to(tl.int32))
    halves = (x_ptr + at).to(tl.pointer_type(tl.int16), bitcast=True)
    tl.store(out_ptr + BLOCK + at, tl.load(halves + 1).to(tl.int32))
    wide = (x_ptr + 2 * at).to(tl.pointer_type(tl.int64), bitcast=True)
    half = tl.arange(0, BLOCK) < BLOCK // 2
    tl.store(out_ptr + 2 * BLOCK + at, (tl.load(wide, mask=half, other=0) >> 32).to(tl.int32))


def test_pointers_to_other_widths(memory: Memory):
    x = memory.holding(torch.randint(-(2**31), 2**31, (4,), dtype=torch.int32))
    out = memory.empty(3, 4, dtype=torch.int32)
    other_widths[(1,)](x, out, BLOCK=4)
    assert torch.equal(out[0], x.view(torch.int8)[3::4].int())
    assert torch.equal(out[1], x.view(torch.int16)[1::2].int())
    assert torch.equal(out[2], torch.cat([x[1::2], torch.zeros(2, dtype=torch.int32)]))


@triton.jit
def linked_blocks(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    current = x_ptr
    following = y_ptr
    total = tl.zeros((BLOCK,), tl.float32)
    i = 0
    while i < n:
        total += tl.load(current + at)
        if i == 2:
            following = x_ptr + BLOCK
        current, following = following, current + BLOCK
        i += 1
    tl.store(out_ptr + at, total)
    tl.store(out_ptr + BLOCK + at, tl.load(current + at))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_bases_change_in_a_while_loop(memory: Memory, n: int):
    x, y = memory.holding(torch.randn(6, 4)), memory.holding(torch.randn(6, 4))
    out = memory.empty(2, 4)
    linked_blocks[(1,)](x, y, out, n, BLOCK=4)
    current, following = (x, 0), (y, 0)
    total = torch.zeros(4)
    for i in range(n):
        total += current[0][current[1]]
        if i == 2:
            following = (x, 1)
        current, following = following, (current[0], current[1] + 1)
    torch.testing.assert_close(out, torch.stack([total, current[0][current[1]]]))


@triton.jit
def offsets_within_functions(x_ptrs, stride):
    return x_ptrs + stride, x_ptrs - stride


@triton.jit
def reshape_pointers(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    flat = x_ptr + tl.arange(0, M * N)
    up, down = offsets_within_functions(flat + M * N, M * N)
    tile = tl.reshape(up, (M, N))
    tl.store(out_ptr + tl.arange(0, M)[:, None] + tl.arange(0, N)[None, :] * M, tl.load(tile))
    pair = tl.join(down, up)
    left, right = tl.split(pair)
    tl.store(out_ptr + M * N + tl.arange(0, M * N), tl.load(left) + tl.load(right))


def test_pointers_are_reshaped_joined_and_split(memory: Memory):
    x, out = memory.holding(torch.randn(3, 4, 8)), memory.empty(2, 32)
    reshape_pointers[(1,)](x, out, M=4, N=8)
    assert torch.equal(out[0].view(8, 4), x[2].t())
    assert torch.equal(out[1], (x[0] + x[2]).flatten())


@triton.jit
def pointer_tuple(pointers, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for i in tl.static_range(len(pointers)):
        tl.store(out_ptr + i * BLOCK + at, tl.load(pointers[i] + at))


def test_a_tuple_of_pointers(memory: Memory):
    buffers = tuple(memory.holding(torch.randn(4)) for _ in range(3))
    out = memory.empty(3, 4)
    pointer_tuple[(1,)](buffers, out, BLOCK=4)
    assert torch.equal(out, torch.stack(buffers))


@triton.jit
def optional_pointer(x_ptr, bias_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    if bias_ptr is not None:
        x += tl.load(bias_ptr + at)
    tl.store(out_ptr + at, x)


@pytest.mark.parametrize("has_bias", [False, True])
def test_a_pointer_that_is_none(memory: Memory, has_bias: bool):
    x, bias, out = memory.holding(torch.randn(4)), memory.holding(torch.randn(4)), memory.empty(4)
    optional_pointer[(1,)](x, bias if has_bias else None, out, BLOCK=4)
    assert torch.equal(out, x + bias if has_bias else x)
