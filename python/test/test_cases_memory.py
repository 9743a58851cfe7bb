"""Addresses: strides, wraps, gathers and booleans, against torch."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl
from guarded import Memory

#
# Strides
#


@triton.jit
def copy_strided(x_ptr, out_ptr, start, stride, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + start + at * stride))


@pytest.mark.parametrize(("start", "stride"), [(0, 1), (0, 3), (5, 0), (21, -1), (21, -3), (2, 2)])
def test_strides_of_any_sign(memory: Memory, start: int, stride: int):
    x, out = memory.holding(torch.randn(22)), memory.empty(8)
    copy_strided[(1,)](x, out, start, stride, BLOCK=8)
    assert torch.equal(out, x[start + stride * torch.arange(8)])


@triton.jit
def reverse(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + (n - 1 - at), mask=at < n)
    tl.store(out_ptr + at, x, mask=at < n)
    tl.store(out_ptr + n + (n - 1 - at), x, mask=(n - 1 - at) >= 0)


@pytest.mark.parametrize("n", [1, 5, 8])
def test_reversed_rows(memory: Memory, n: int):
    x, out = memory.holding(torch.randn(n)), memory.empty(2 * n)
    reverse[(1,)](x, out, n, BLOCK=8)
    assert torch.equal(out, torch.cat([x.flip(0), x]))


@triton.jit
def before_the_pointer(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    last = tl.load(x_ptr - 1)
    tl.store(out_ptr - BLOCK + at, tl.load(x_ptr + at - BLOCK) + last)
    tl.store(out_ptr - BLOCK - 1, last)
    tl.store(out_ptr - at, tl.load(x_ptr - at, mask=at > 3), mask=at > BLOCK - 3)


def test_constant_offsets_before_the_pointer(memory: Memory):
    x, out = memory.holding(torch.randn(9)), memory.empty(10)
    before_the_pointer[(1,)](x[8:], out[9:], BLOCK=8)
    want = torch.cat([x[7:8], x[:8] + x[7], torch.tensor([-1.0])])
    want[2:4] = x[1:3]
    assert torch.equal(out, want)


@triton.jit
def transpose_tile(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    columns = tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :])
    tl.store(out_ptr + columns[:, None] * M + rows[None, :], tl.trans(x))
    # The same elements, transposed by their addresses.
    y = tl.load(x_ptr + columns[:, None] + rows[None, :] * N)
    tl.store(out_ptr + M * N + rows[None, :] + columns[:, None] * M, y)
    z = tl.load((x_ptr + rows[:, None] * N + columns[None, :]).trans())
    tl.store(out_ptr + 2 * M * N + columns[:, None] * M + rows[None, :], z)


def test_transposed_loads_and_stores(memory: Memory):
    x, out = memory.holding(torch.randn(4, 8)), memory.empty(3, 8, 4)
    transpose_tile[(1,)](x, out, M=4, N=8)
    for part in out:
        assert torch.equal(part, x.t())


@triton.jit
def copy_rank_five(x_ptr, out_ptr, s0, s1, s2, s3, s4, n):
    a = tl.arange(0, 2)[:, None, None, None, None]
    b = tl.arange(0, 4)[None, :, None, None, None]
    c = tl.arange(0, 1)[None, None, :, None, None]
    d = tl.arange(0, 2)[None, None, None, :, None]
    e = tl.arange(0, 8)[None, None, None, None, :]
    inside = (b < 3) & (e < n)
    x = tl.load(x_ptr + a * s0 + b * s1 + c * s2 + d * s3 + e * s4, mask=inside, other=8.0)
    tl.store(out_ptr + (((a * 4 + b) + c) * 2 + d) * 8 + e, x)


def test_five_dimensions(memory: Memory):
    x = memory.holding(torch.randn(5, 1, 3, 2, 2)).permute(4, 2, 1, 3, 0)
    out = memory.empty(2, 4, 1, 2, 8)
    copy_rank_five[(1,)](x, out, *x.stride(), 5)
    want = torch.full((2, 4, 1, 2, 8), 8.0)
    want[:, :3, :, :, :5] = x
    assert torch.equal(out, want)


@triton.jit
def copy_scalars(x_ptr, out_ptr, n):
    for i in range(n):
        tl.store(out_ptr + i, tl.load(x_ptr + i))


@pytest.mark.parametrize(
    "dtype", [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.float16,
              torch.bfloat16, torch.float32, torch.float64, torch.bool]
)  # fmt: skip
def test_scalars_of_every_type(memory: Memory, dtype: torch.dtype):
    values = (torch.randn(5) * 9).to(dtype)
    x, out = memory.holding(values), memory.empty(5, dtype=dtype)
    copy_scalars[(1,)](x, out, 5)
    assert torch.equal(out, x)


@triton.jit
def rank_zero(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    total = tl.sum(x, 0)
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1 + tl.arange(0, 1), total)
    tl.store(out_ptr + 2 + tl.arange(0, 2), tl.load(x_ptr) + tl.zeros((2,), tl.float32))


def test_numbers_become_blocks(memory: Memory):
    x, out = memory.holding(torch.arange(4.0)), memory.empty(4)
    rank_zero[(1,)](x, out, BLOCK=4)
    assert out.tolist() == [6, 6, 0, 0]


#
# Wraps
#


@triton.jit
def copy_wrapped(x_ptr, out_ptr, n, start, BLOCK: tl.constexpr):
    at = (start + tl.arange(0, BLOCK)) % n
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x_ptr + at))


@pytest.mark.parametrize("n", [1, 2, 3, 7, 16, 17, 100])
@pytest.mark.parametrize("start", [0, 5, 99])
def test_wraps_as_often_as_it_takes(memory: Memory, n: int, start: int):
    x, out = memory.holding(torch.randn(n)), memory.empty(16)
    copy_wrapped[(1,)](x, out, n, start, BLOCK=16)
    assert torch.equal(out, x[(start + torch.arange(16)) % n])


@pytest.mark.parametrize(("n", "start"), [(-5, 0), (-5, 3), (5, -7), (-5, -7), (-16, 2)])
def test_a_remainder_has_the_sign_of_the_dividend(memory: Memory, n: int, start: int):
    x, out = memory.holding(torch.randn(32)), memory.empty(16)
    copy_wrapped[(1,)](x[8:], out, n, start, BLOCK=16)
    assert torch.equal(out, x[8 + torch.fmod(start + torch.arange(16), n)])


@triton.jit
def copy_wrapped_from_program(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at % n))


@pytest.mark.parametrize("n", [-5, -16, 5])
def test_a_wrap_by_a_negative_size(memory: Memory, n: int):
    x, out = memory.holding(torch.randn(abs(n))), memory.empty(32)
    copy_wrapped_from_program[(4,)](x, out, n, BLOCK=8)
    assert torch.equal(out, x[torch.arange(32) % abs(n)])


@triton.jit
def copy_wrapped_tile(
    x_ptr, out_ptr, M, N, stride_m, stride_n, first_row, first_column, rows_end,
    BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    rows = (first_row + tl.arange(0, BM)) % M
    columns = (first_column + tl.arange(0, BN)) % N
    inside = tl.arange(0, BM)[:, None] < rows_end
    x_ptrs = x_ptr + rows[:, None] * stride_m + columns[None, :] * stride_n
    x = tl.load(x_ptrs, mask=inside, other=1.5)
    out_ptrs = out_ptr + tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    tl.store(out_ptrs, x)
    tl.store(x_ptrs, x * 2, mask=inside)


@pytest.mark.parametrize(("m", "n"), [(3, 5), (8, 16), (1, 1), (20, 3)])
@pytest.mark.parametrize("transposed", [False, True])
def test_wraps_in_two_dimensions(memory: Memory, m: int, n: int, transposed: bool):
    x = memory.holding(torch.randn(n, m)).t() if transposed else memory.holding(torch.randn(m, n))
    out, before = memory.empty(8, 16), x.clone()
    copy_wrapped_tile[(1,)](x, out, m, n, *x.stride(), 2, 7, 6, BM=8, BN=16)
    rows, columns = (2 + torch.arange(8)) % m, (7 + torch.arange(16)) % n
    want = before[rows][:, columns]
    want[6:] = 1.5
    assert torch.equal(out, want)
    before[rows[:6, None], columns] *= 2
    assert torch.equal(x, before)


@triton.jit
def wrapped_and_moved(x_ptr, out_ptr, n, stride, steps, BLOCK: tl.constexpr):
    ptrs = x_ptr + ((tl.arange(0, BLOCK) + 3) % n) * stride
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(steps):
        total += tl.load(ptrs)
        ptrs += 1
    tl.store(out_ptr + tl.arange(0, BLOCK), total)


@pytest.mark.parametrize("n", [3, 8, 11])
def test_a_wrapped_block_moves_through_a_loop(memory: Memory, n: int):
    x, out = memory.holding(torch.randn(n, 5)), memory.empty(8)
    wrapped_and_moved[(1,)](x, out, n, 5, 5, BLOCK=8)
    torch.testing.assert_close(out, x[(torch.arange(8) + 3) % n].sum(1))


#
# Index arithmetic
#


@triton.jit
def permute(x_ptr, out_ptr, A, B, C, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = at // (B * C)
    b = at // C % B
    c = at % C
    x = tl.load(x_ptr + c * A * B + b * A + a, mask=at < A * B * C)
    tl.store(out_ptr + at, x, mask=at < A * B * C)


@pytest.mark.parametrize("shape", [(2, 3, 5), (4, 8, 16), (1, 7, 1), (16, 4, 4)])
@pytest.mark.parametrize("block", [8, 64])
def test_a_permutation_of_a_flat_index(memory: Memory, shape: tuple[int, int, int], block: int):
    x, out = memory.holding(torch.randn(shape[::-1])), memory.empty(*shape)
    permute[(triton.cdiv(x.numel(), block),)](x, out, *shape, BLOCK=block)
    assert torch.equal(out, x.permute(2, 1, 0))


@triton.jit
def permute_known(x_ptr, out_ptr, n, A: tl.constexpr, B: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at % A * B + at // A, mask=at < n)
    tl.store(out_ptr + at, x, mask=at < n)


@pytest.mark.parametrize(("a", "b"), [(4, 8), (3, 5), (16, 3), (1, 9), (8, 8)])
def test_a_permutation_by_known_sizes(memory: Memory, a: int, b: int):
    x, out = memory.holding(torch.randn(a, b)), memory.empty(b, a)
    permute_known[(triton.cdiv(a * b, 16),)](x, out, a * b, A=a, B=b, BLOCK=16)
    assert torch.equal(out, x.t())


@triton.jit
def repeat_rows(x_ptr, out_ptr, n, times, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at // times % n)
    y = tl.load(x_ptr + (at & 3))
    z = tl.load(x_ptr + (at >> 2) % n)
    tl.store(out_ptr + 3 * at, x)
    tl.store(out_ptr + 3 * at + 1, y)
    tl.store(out_ptr + 3 * at + 2, z)


def test_repeated_elements(memory: Memory):
    x, out = memory.holding(torch.randn(5)), memory.empty(32, 3)
    repeat_rows[(2,)](x, out, 5, 3, BLOCK=16)
    at = torch.arange(32)
    assert torch.equal(out, torch.stack([x[at // 3 % 5], x[at & 3], x[(at >> 2) % 5]], 1))


@triton.jit
def negative_quotients(x_ptr, out_ptr, start, divisor, BLOCK: tl.constexpr):
    at = start + tl.arange(0, BLOCK)
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x_ptr + at // divisor))
    tl.store(out_ptr + BLOCK + tl.arange(0, BLOCK), tl.load(x_ptr + at % divisor))
    tl.store(out_ptr + 2 * BLOCK + tl.arange(0, BLOCK), tl.load(x_ptr + at // 4 * 4))
    tl.store(out_ptr + 3 * BLOCK + tl.arange(0, BLOCK), tl.load(x_ptr + at % 4))


@pytest.mark.parametrize("start", [-16, -7, -1, 0, 3])
@pytest.mark.parametrize("divisor", [1, 3, 8])
def test_quotients_round_towards_zero(memory: Memory, start: int, divisor: int):
    x, out = memory.holding(torch.randn(64)), memory.empty(4, 16)
    negative_quotients[(1,)](x[32:], out, start, divisor, BLOCK=16)
    at = start + torch.arange(16)
    quotient = lambda by: torch.div(at, by, rounding_mode="trunc")  # noqa: E731
    for got, index in zip(
        out, (quotient(divisor), at.fmod(divisor), quotient(4) * 4, at.fmod(4)), strict=True
    ):
        assert torch.equal(got, x[32 + index])


@triton.jit
def narrow_indices(x_ptr, at_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.load(at_ptr + tl.arange(0, BLOCK))
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x_ptr + at))
    wide = (tl.arange(0, BLOCK) * 40).to(tl.int8)
    tl.store(out_ptr + BLOCK + tl.arange(0, BLOCK), tl.load(x_ptr + wide))
    wide = (tl.arange(0, BLOCK) * 40).to(tl.uint8).to(tl.int32)
    tl.store(out_ptr + 2 * BLOCK + tl.arange(0, BLOCK), tl.load(x_ptr + wide))


def test_narrow_indices_keep_their_sign(memory: Memory):
    x, out = memory.holding(torch.randn(512)), memory.empty(3, 8)
    at = memory.holding(torch.tensor([0, -1, 127, -128, 5, -5, 64, -64], dtype=torch.int8))
    narrow_indices[(1,)](x[256:], at, out, BLOCK=8)
    wide = torch.arange(8) * 40
    for got, index in zip(out, (at.long(), wide.to(torch.int8), wide.to(torch.uint8)), strict=True):
        assert torch.equal(got, x[256 + index.long()])


@triton.jit
def hashed(x_ptr, out_ptr, seed, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    mixed = (at + seed).to(tl.uint32) * 2654435761
    mixed = (mixed ^ (mixed >> 15)) % 32
    tl.store(out_ptr + at, tl.load(x_ptr + mixed))


def test_an_index_that_wraps_around_on_purpose(memory: Memory):
    x, out = memory.holding(torch.randn(32)), memory.empty(16)
    hashed[(1,)](x, out, 12345, BLOCK=16)
    mixed = (torch.arange(16) + 12345) * 2654435761 % 2**32
    assert torch.equal(out, x[(mixed ^ (mixed >> 15)) % 32])


@triton.jit
def far_away(address, out_ptr, row, stride, BLOCK: tl.constexpr):
    x_ptr = address.to(tl.pointer_type(tl.float32))
    columns = tl.arange(0, BLOCK)
    tl.store(out_ptr + columns, tl.load(x_ptr + row.to(tl.int64) * stride + columns))
    rows = row + tl.zeros((BLOCK,), tl.int64)
    tl.store(out_ptr + BLOCK + columns, tl.load(x_ptr + rows * stride + columns))


@pytest.mark.not_replayed("it has addresses of its own")
@pytest.mark.parametrize(("row", "stride"), [(3, 2_000_000_000), (70000, 70000), (-3, 2**31 - 1)])
def test_products_beyond_2_31_elements(memory: Memory, row: int, stride: int):
    x, out = memory.holding(torch.randn(8)), memory.empty(2, 8)
    far_away[(1,)](x.data_ptr() - 4 * row * stride, out, row, stride, BLOCK=8)
    assert torch.equal(out, x.expand(2, 8))


@triton.jit
def sum_of_far_steps(x_ptr, out_ptr, steps, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    # Each step fits into 32 bits, their sum does not.
    ptrs = x_ptr + columns + 2000000000
    ptrs += 2000000000
    back = tl.cast(-4000000000, tl.int64)
    tl.store(out_ptr + columns, tl.load(ptrs + back))
    for _ in range(steps):
        ptrs += 2000000000
    for _ in range(steps):
        back -= 2000000000
    tl.store(out_ptr + BLOCK + columns, tl.load(ptrs + back))
    unsigned = columns.to(tl.uint32) + 4294967000
    x = tl.load(x_ptr + tl.cast(-4294967000, tl.int64) + unsigned.to(tl.int64))
    tl.store(out_ptr + 2 * BLOCK + columns, x)


def test_sums_beyond_2_31_elements(memory: Memory):
    x, out = memory.holding(torch.randn(8)), memory.empty(3, 8)
    sum_of_far_steps[(1,)](x, out, 3, BLOCK=8)
    assert torch.equal(out, x.expand(3, 8))


#
# Gathers
#


@triton.jit
def embedding(table_ptr, index_ptr, out_ptr, n, dim, stride, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.arange(0, BN)
    index = tl.load(index_ptr + rows, mask=rows < n, other=0)
    inside = (rows < n)[:, None] & (columns < dim)[None, :]
    x = tl.load(table_ptr + index[:, None] * stride + columns[None, :], mask=inside, other=0.0)
    tl.store(out_ptr + rows[:, None] * dim + columns[None, :], x, mask=inside)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize(("n", "dim"), [(1, 3), (6, 8), (9, 5)])
def test_embedding(memory: Memory, dtype: torch.dtype, n: int, dim: int):
    table = memory.holding(torch.randn(12, dim))
    index = memory.holding(torch.randint(0, 12, (n,)).to(dtype))
    out = memory.empty(n, dim)
    embedding[(triton.cdiv(n, 4),)](table, index, out, n, dim, dim, BM=4, BN=8)
    assert torch.equal(out, table[index.long()])


@triton.jit
def paged(x_ptr, pages_ptr, lengths_ptr, out_ptr, stride, PAGE: tl.constexpr):
    row = tl.program_id(0)
    length = tl.load(lengths_ptr + row)
    total = tl.zeros((PAGE,), tl.float32)
    for start in range(0, length, PAGE):
        page = tl.load(pages_ptr + row * stride + start // PAGE)
        at = tl.arange(0, PAGE)
        total += tl.load(x_ptr + page * PAGE + at, mask=start + at < length, other=0.0)
    tl.store(out_ptr + row, tl.sum(total, 0))


def test_pages_of_a_table(memory: Memory):
    x = memory.holding(torch.randn(6, 8))
    pages = memory.holding(torch.tensor([[4, 0, 2], [5, 5, 1], [3, 0, 0]]))
    lengths = memory.holding(torch.tensor([17, 24, 0], dtype=torch.int32))
    out = memory.empty(3)
    paged[(3,)](x, pages, lengths, out, 3, PAGE=8)
    want = [x[pages[i]].flatten()[: int(lengths[i])].sum() for i in range(3)]
    torch.testing.assert_close(out, torch.stack(want))


@triton.jit
def scatter(out_ptr, index_ptr, x_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    index = tl.load(index_ptr + at, mask=at < n, other=0)
    tl.store(out_ptr + index, tl.load(x_ptr + at, mask=at < n), mask=at < n)


@pytest.mark.not_replayed("a GPU may store any of them last")
def test_of_two_elements_at_one_address_the_last_stays(memory: Memory):
    index = memory.holding(torch.tensor([2, 0, 2, 2, 1, 0]))
    x, out = memory.holding(torch.randn(6)), memory.empty(4)
    scatter[(1,)](out, index, x, 6, BLOCK=8)
    assert torch.equal(out, torch.stack([x[5], x[4], x[3], torch.tensor(-1.0)]))


@triton.jit
def store_overlapping(out_ptr, stride_m, stride_n, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    columns = tl.arange(0, N)[None, :]
    tl.store(out_ptr + rows * stride_m + columns * stride_n, rows * N + columns)


@pytest.mark.not_replayed("a GPU may store any of them last")
@pytest.mark.parametrize("strides", [(0, 1), (1, 0), (0, 0), (1, 1), (-1, 1), (2, 3)])
def test_overlapping_stores_keep_the_last(memory: Memory, strides: tuple[int, int]):
    out = memory.empty(32, dtype=torch.int32)
    store_overlapping[(1,)](out[8:], *strides, M=4, N=4)
    want = torch.full((32,), -1, dtype=torch.int32)
    for i in range(16):
        want[8 + i // 4 * strides[0] + i % 4 * strides[1]] = i
    assert torch.equal(out, want)


#
# Booleans
#


@triton.jit
def invert(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=False)
    tl.store(out_ptr + at, ~x, mask=at < n)
    tl.store(out_ptr + n, tl.load(x_ptr))


def test_booleans_are_bytes(memory: Memory):
    x, out = memory.holding(torch.rand(13) > 0.5), memory.empty(14, dtype=torch.bool)
    invert[(1,)](x, out, 13, BLOCK=16)
    assert torch.equal(out, torch.cat([~x, x[:1]]))
    assert out.view(torch.uint8).max() <= 1


@triton.jit
def booleans_as_bytes(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    flags = tl.load((x_ptr + at).to(tl.pointer_type(tl.int1)))
    tl.store(out_ptr + at, tl.where(flags, 10, 20))
    raw = tl.load((out_ptr + at).to(tl.pointer_type(tl.int8), bitcast=True))
    tl.store(out_ptr + BLOCK + at, raw.to(tl.int32))


def test_any_byte_but_zero_is_true(memory: Memory):
    x = memory.holding(torch.tensor([0, 1, 2, 255], dtype=torch.uint8))
    out = memory.empty(8, dtype=torch.int32)
    booleans_as_bytes[(1,)](x, out, BLOCK=4)
    assert out.tolist() == [20, 10, 10, 10, 20, 10, 10, 10]
