"""Masks: whatever they are built from, exactly the elements they let through are touched."""

from __future__ import annotations

import operator

import pytest
import torch
import triton
import triton.language as tl
from guarded import Memory

COMPARISONS = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}


@triton.jit
def compare(left, right, KIND: tl.constexpr):
    if KIND == "lt":
        result = left < right
    elif KIND == "le":
        result = left <= right
    elif KIND == "gt":
        result = left > right
    elif KIND == "ge":
        result = left >= right
    elif KIND == "eq":
        result = left == right
    else:
        result = left != right
    return result


@triton.jit
def copy_tail(x_ptr, out_ptr, n, OTHER: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if OTHER is None:
        x = tl.load(x_ptr + at, mask=at < n)
    else:
        x = tl.load(x_ptr + at, mask=at < n, other=OTHER)
    tl.store(out_ptr + at, x, mask=at < n)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 24])
@pytest.mark.parametrize("block", [1, 8, 32])
@pytest.mark.parametrize("other", [None, 2.5])
def test_tail_of_any_length(memory: Memory, n: int, block: int, other: float | None):
    x, out = memory.holding(torch.randn(n)), memory.empty(n)
    copy_tail[(triton.cdiv(n, block) + 2,)](x, out, n, OTHER=other, BLOCK=block)
    assert torch.equal(out, x)


@triton.jit
def copy_where(
    x_ptr, out_ptr, bound, start, KIND: tl.constexpr, SWAPPED: tl.constexpr, NOT: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    at = start + tl.arange(0, BLOCK)
    mask = compare(bound, at, KIND) if SWAPPED else compare(at, bound, KIND)
    if NOT:
        mask = ~mask
    inside = (at >= 0) & (at < BLOCK)
    x = tl.load(x_ptr + at, mask=mask & inside, other=5.0)
    tl.store(out_ptr + tl.arange(0, BLOCK), x)


@pytest.mark.parametrize("kind", COMPARISONS)
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("negated", [False, True])
def test_every_comparison(memory: Memory, kind: str, swapped: bool, negated: bool):
    x = memory.holding(torch.randn(16))
    for bound in (-3, 0, 5, 15, 16, 40):
        for start in (-4, 0, 6):
            out = memory.empty(16)
            copy_where[(1,)](
                x, out, bound, start, KIND=kind, SWAPPED=swapped, NOT=negated, BLOCK=16
            )
            at = start + torch.arange(16)
            sides = (torch.tensor(bound), at) if swapped else (at, torch.tensor(bound))
            mask = COMPARISONS[kind](*sides) ^ negated
            mask &= (at >= 0) & (at < 16)
            want = torch.where(mask, x[at.clamp(0, 15)], 5.0)
            assert torch.equal(out, want), (bound, start)


@triton.jit
def copy_rectangle(
    x_ptr, out_ptr, M, N, stride_xm, stride_xn, stride_om, stride_on,
    BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    columns = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    inside = (rows < M) & (columns < N)
    x = tl.load(x_ptr + rows * stride_xm + columns * stride_xn, mask=inside, other=-2.0)
    tl.store(out_ptr + rows * stride_om + columns * stride_on, x, mask=inside)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 17), (8, 8), (9, 4), (16, 1)])
@pytest.mark.parametrize("transposed", ["", "x", "out"])
def test_rows_and_columns_end(memory: Memory, m: int, n: int, transposed: str):
    x = memory.holding(torch.randn(n, m)).t() if transposed == "x" else None
    x = memory.holding(torch.randn(m, n)) if x is None else x
    out = memory.empty(n, m).t() if transposed == "out" else memory.empty(m, n)
    grid = (triton.cdiv(m, 8) + 1, triton.cdiv(n, 8) + 1)
    copy_rectangle[grid](x, out, m, n, *x.stride(), *out.stride(), BM=8, BN=8)
    assert torch.equal(out, x)


@triton.jit
def load_rectangle(x_ptr, out_ptr, M, N, other, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.arange(0, BM)[:, None]
    columns = tl.arange(0, BN)[None, :]
    x = tl.load(x_ptr + rows * N + columns, mask=(rows < M) & (columns < N), other=other)
    tl.store(out_ptr + rows * BN + columns, x)


@pytest.mark.parametrize(("m", "n"), [(0, 5), (3, 0), (1, 8), (2, 3), (4, 8)])
def test_other_fills_the_outside_only(memory: Memory, m: int, n: int):
    x, out = memory.holding(torch.randn(m, n)), memory.empty(4, 8)
    load_rectangle[(1,)](x, out, m, n, 0.25, BM=4, BN=8)
    want = torch.full((4, 8), 0.25)
    want[:m, :n] = x
    assert torch.equal(out, want)


@triton.jit
def store_size_one_rows(out_ptr, M, N: tl.constexpr):
    rows = tl.arange(0, 1)[:, None] + tl.program_id(0)
    columns = tl.arange(0, N)[None, :]
    tl.store(out_ptr + rows * N + columns, rows * N + columns, mask=rows < M)


def test_a_mask_of_size_one_counts(memory: Memory):
    out = memory.empty(2, 8, dtype=torch.int32)
    store_size_one_rows[(4,)](out, 2, N=8)
    assert torch.equal(out, torch.arange(16, dtype=torch.int32).view(2, 8))


@triton.jit
def store_single(out_ptr, n, value):
    at = tl.program_id(0) + tl.arange(0, 1)
    tl.store(out_ptr + at, value + at, mask=at < n)


def test_a_block_of_one_element_is_masked(memory: Memory):
    out = memory.empty(3, dtype=torch.int32)
    store_single[(6,)](out, 3, 10)
    assert out.tolist() == [10, 11, 12]


@triton.jit
def window(x_ptr, out_ptr, low, high, start, n, BLOCK: tl.constexpr):
    at = start + tl.arange(0, BLOCK)
    mask = (at >= low) & (at < high) & (0 <= at) & (n > at)  # noqa: SIM300
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x_ptr + at, mask=mask, other=9.0))


@pytest.mark.parametrize("start", [-20, -5, 0, 3, 14, 30])
@pytest.mark.parametrize(("low", "high"), [(-9, 99), (2, 7), (7, 2), (0, 0), (-4, 3), (9, 40)])
def test_windows(memory: Memory, start: int, low: int, high: int):
    x, out = memory.holding(torch.randn(16)), memory.empty(16)
    window[(1,)](x, out, low, high, start, 16, BLOCK=16)
    at = start + torch.arange(16)
    mask = (at >= low) & (at < high) & (at >= 0) & (at < 16)
    assert torch.equal(out, torch.where(mask, x[at.clamp(0, 15)], 9.0))


@triton.jit
def convolve(x_ptr, w_ptr, out_ptr, H, W, K: tl.constexpr, PAD: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(K):
        for j in tl.static_range(K):
            y = row + i - PAD
            x = columns + j - PAD
            mask = (y >= 0) & (y < H) & (x >= 0) & (x < W)
            total += tl.load(w_ptr + i * K + j) * tl.load(x_ptr + y * W + x, mask=mask, other=0.0)
    tl.store(out_ptr + row * W + columns, total, mask=columns < W)


def test_padding_of_a_convolution(memory: Memory):
    x, w = memory.holding(torch.randn(5, 11)), memory.holding(torch.randn(3, 3))
    out = memory.empty(5, 11)
    convolve[(5,)](x, w, out, 5, 11, K=3, PAD=1, BLOCK=16)
    want = torch.nn.functional.conv2d(x[None, None], w[None, None], padding=1)[0, 0]
    torch.testing.assert_close(out, want)


@triton.jit
def combine_masks(
    x_ptr, flags_ptr, out_ptr, a, b, c, pick, KIND: tl.constexpr, BLOCK: tl.constexpr
):
    at = tl.arange(0, BLOCK)
    flags = tl.load(flags_ptr + at)
    if KIND == "or":
        mask = (at < a) | (at >= b)
    elif KIND == "not-or":
        mask = ~((at < a) | (at >= b))
    elif KIND == "not-and":
        mask = ~((at >= a) & (at < b))
    elif KIND == "xor":
        mask = (at < a) ^ (at < b)
    elif KIND == "where-bound":
        mask = tl.where(at < a, at >= c, at < b)
    elif KIND == "where-false":
        mask = tl.where(at < a, at >= c, False)
    elif KIND == "where-true":
        mask = tl.where(at < a, True, at >= b)
    elif KIND == "where-scalar":
        mask = at < tl.where(pick != 0, a, b)
    elif KIND == "scalar":
        mask = (at < b) & (pick > 0) & (a < b) & (at >= c)
    elif KIND == "not-scalar":
        mask = ~((at < a) | (pick > 0) | (at >= b))
    elif KIND == "loaded":
        mask = (at >= a) & flags & (at < b)
    elif KIND == "not-loaded":
        mask = ~flags & (at < b)
    elif KIND == "loaded-or":
        mask = flags | (at < a)
    elif KIND == "minimum":
        mask = at < tl.minimum(a, b)
    elif KIND == "maximum":
        mask = at >= tl.maximum(a, c)
    elif KIND == "multiple":
        mask = (at * 3 + 1 < b) & (7 - 2 * at < a)
    elif KIND == "remainder":
        mask = (at % 4 < 2) & (at // 2 > c)
    elif KIND == "product":
        mask = at * a < b
    elif KIND == "between":
        mask = (a <= at) & (at <= b) & (at != c)
    else:
        mask = (at == a) | (at == b)
    x = tl.load(x_ptr + at, mask=mask, other=3.0)
    tl.store(out_ptr + at, x, mask=(at < a) | mask)


MASKS = {
    "or": lambda at, f, a, b, c, p: (at < a) | (at >= b),
    "not-or": lambda at, f, a, b, c, p: ~((at < a) | (at >= b)),
    "not-and": lambda at, f, a, b, c, p: ~((at >= a) & (at < b)),
    "xor": lambda at, f, a, b, c, p: (at < a) ^ (at < b),
    "where-bound": lambda at, f, a, b, c, p: torch.where(at < a, at >= c, at < b),
    "where-false": lambda at, f, a, b, c, p: (at < a) & (at >= c),
    "where-true": lambda at, f, a, b, c, p: (at < a) | (at >= b),
    "where-scalar": lambda at, f, a, b, c, p: at < (a if p else b),
    "scalar": lambda at, f, a, b, c, p: (at < b) & (p > 0) & (a < b) & (at >= c),
    "not-scalar": lambda at, f, a, b, c, p: ~((at < a) | (p > 0) | (at >= b)),
    "loaded": lambda at, f, a, b, c, p: (at >= a) & f & (at < b),
    "not-loaded": lambda at, f, a, b, c, p: ~f & (at < b),
    "loaded-or": lambda at, f, a, b, c, p: f | (at < a),
    "minimum": lambda at, f, a, b, c, p: at < min(a, b),
    "maximum": lambda at, f, a, b, c, p: at >= max(a, c),
    "multiple": lambda at, f, a, b, c, p: (at * 3 + 1 < b) & (7 - 2 * at < a),
    "remainder": lambda at, f, a, b, c, p: (at % 4 < 2) & (at // 2 > c),
    "product": lambda at, f, a, b, c, p: at * a < b,
    "between": lambda at, f, a, b, c, p: (a <= at) & (at <= b) & (at != c),
    "either": lambda at, f, a, b, c, p: (at == a) | (at == b),
}


@pytest.mark.parametrize("kind", MASKS)
def test_masks_built_from_masks(memory: Memory, kind: str):
    x, flags = memory.holding(torch.randn(16)), memory.holding(torch.randn(16) > 0)
    at = torch.arange(16)
    for a, b, c, pick in [
        (3, 9, 5, 1),
        (9, 3, 0, 0),
        (-2, 20, 4, 0),
        (0, 16, -1, 1),
        (-3, -1, 2, 0),
    ]:
        out = memory.empty(16)
        combine_masks[(1,)](x, flags, out, a, b, c, pick, KIND=kind, BLOCK=16)
        mask = MASKS[kind](at, flags, a, b, c, pick)
        want = torch.where(mask, x, 3.0)
        assert torch.equal(out, torch.where((at < a) | mask, want, -1.0)), (a, b, c, pick)


@triton.jit
def masked_scalars(x_ptr, out_ptr, n, other):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid, mask=pid < n, other=other)
    tl.store(out_ptr + pid, x, mask=pid < n + 2)


def test_scalars_are_masked(memory: Memory):
    x, out = memory.holding(torch.randn(3)), memory.empty(5)
    masked_scalars[(9,)](x, out, 3, 4.5)
    assert torch.equal(out, torch.cat([x, torch.tensor([4.5, 4.5])]))


@triton.jit
def masked_scalar_from_memory(flags_ptr, x_ptr, out_ptr):
    pid = tl.program_id(0)
    flag = tl.load(flags_ptr + pid)
    x = tl.load(x_ptr + pid, mask=flag, other=-7)
    tl.store(out_ptr + pid, x, mask=flag | (pid == 0))


def test_a_scalar_mask_comes_from_memory(memory: Memory):
    flags = memory.holding(torch.tensor([False, True, False, True]))
    x, out = memory.holding(torch.arange(4)), memory.empty(4, dtype=torch.int64)
    masked_scalar_from_memory[(4,)](flags, x, out)
    assert out.tolist() == [-7, 1, -1, 3]


@triton.jit
def data_in_masks(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    of_block = tl.load(x_ptr + tl.arange(0, 1))
    tl.store(out_ptr + tl.arange(0, 1), 1, mask=of_block + of_block < n)
    scalar = tl.zeros((BLOCK,), tl.int32) + tl.load(x_ptr)
    tl.store(out_ptr + 1 + at, 1, mask=scalar * 3 < n)
    tl.store(out_ptr + 1 + BLOCK + at, 1, mask=(of_block + of_block < n) & (at > 0))


@pytest.mark.parametrize("mode", ["reference", "fast"])
@pytest.mark.parametrize("x", [7, -7, 2**30, 2**31 - 1, -(2**30) - 1, 1431655766])
def test_data_in_masks_wraps_around(memory: Memory, mode: str, x: int):
    """Bounds of masks are computed in 64 bits, which is right for indices only."""
    out = memory.holding(torch.zeros(9, dtype=torch.int32))
    data = memory.holding(torch.tensor([x], dtype=torch.int32))
    data_in_masks[(1,)](data, out, 20, BLOCK=4, mode=mode)
    twice, thrice = ((x * by + 2**31) % 2**32 - 2**31 < 20 for by in (2, 3))
    assert out.tolist() == [twice, *[thrice] * 4, 0, *[twice] * 3]


@triton.jit
def other_is_a_block(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    y = tl.load(y_ptr + at)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n, other=y))
    tl.store(out_ptr + BLOCK + at, tl.load(x_ptr + at * 0, mask=(at & 1) == 0, other=y))


@pytest.mark.parametrize("n", [0, 3, 8])
def test_other_is_a_block(memory: Memory, n: int):
    x, y = memory.holding(torch.randn(max(n, 1))), memory.holding(torch.randn(8))
    out = memory.empty(16)
    other_is_a_block[(1,)](x, y, out, n, BLOCK=8)
    assert torch.equal(out[:8], torch.cat([x[:n], y[n:]]))
    assert torch.equal(out[8:], torch.where(torch.arange(8) % 2 == 0, x[0], y))


@triton.jit
def unsigned_masks(x_ptr, out_ptr, start, end, BLOCK: tl.constexpr):
    at = start.to(tl.uint32) + tl.arange(0, BLOCK).to(tl.uint32)
    x = tl.load(x_ptr + tl.arange(0, BLOCK), mask=at < end.to(tl.uint32), other=0)
    tl.store(out_ptr + tl.arange(0, BLOCK), x)


@pytest.mark.parametrize(
    ("start", "end"),
    [(2**31 - 4, 2**31), (2**31 - 4, 2**31 + 2), (2**32 - 8, 2**32 - 3), (0, 2**32 - 1), (5, 2)],
)
def test_unsigned_comparisons_above_2_31(memory: Memory, start: int, end: int):
    x, out = memory.holding(torch.arange(1, 9)), memory.empty(8, dtype=torch.int64)
    unsigned_masks[(1,)](x, out, start, end, BLOCK=8)
    at = start + torch.arange(8)
    assert torch.equal(out, torch.where(at < end, x, 0))


@triton.jit
def shrinking_mask(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    mask = at < n
    total = tl.zeros((BLOCK,), tl.float32)
    for step in range(4):
        total += tl.load(x_ptr + at, mask=mask, other=0.0)
        mask = mask & (at >= step * 2)
    tl.store(out_ptr + at, total)


def test_a_mask_carried_by_a_loop(memory: Memory):
    x, out = memory.holding(torch.randn(11)), memory.empty(16)
    shrinking_mask[(1,)](x, out, 11, BLOCK=16)
    at = torch.arange(11)
    times = 1 + (at >= 0).int() + (at >= 2) + (at >= 4)
    torch.testing.assert_close(out, torch.cat([x * times, torch.zeros(5)]))


@triton.jit
def clamped(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK) - 3
    inside = tl.minimum(tl.maximum(at, 0), n - 1)
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x_ptr + inside))


@pytest.mark.parametrize("n", [1, 4, 13, 100])
def test_clamped_indices_repeat_the_edge(memory: Memory, n: int):
    x, out = memory.holding(torch.randn(n)), memory.empty(16)
    clamped[(1,)](x, out, n, BLOCK=16)
    assert torch.equal(out, x[(torch.arange(16) - 3).clamp(0, n - 1)])


@triton.jit
def masks_of_three_dimensions(x_ptr, out_ptr, a, b, c, A: tl.constexpr, B: tl.constexpr,
                              C: tl.constexpr):  # fmt: skip
    i = tl.arange(0, A)[:, None, None]
    j = tl.arange(0, B)[None, :, None]
    k = tl.arange(0, C)[None, None, :]
    mask = (i < a) & (j < b) & (k < c) & (i + j < a + 1)
    x = tl.load(x_ptr + (i * b + j) * c + k, mask=mask, other=0.5)
    tl.store(out_ptr + (i * B + j) * C + k, x)


def test_a_mask_over_two_dimensions_at_once(memory: Memory):
    x, out = memory.holding(torch.randn(3, 2, 5)), memory.empty(4, 2, 8)
    masks_of_three_dimensions[(1,)](x, out, 3, 2, 5, A=4, B=2, C=8)
    want = torch.full((4, 2, 8), 0.5)
    want[:3, :2, :5] = x
    total = torch.arange(4)[:, None, None] + torch.arange(2)[None, :, None]
    assert torch.equal(out, torch.where(total < 4, want, 0.5))


@triton.jit
def turn_halves(x_ptr, angle_ptr, out_ptr, ROW: tl.constexpr, N: tl.constexpr):
    """As inductor writes a rotary embedding: a concatenation is two loads, each behind a half."""
    at = tl.arange(0, N)
    column = at % ROW
    angle = tl.load(angle_ptr + at % (ROW // 2))
    right = column >= ROW // 2
    low = tl.load(x_ptr + at - ROW // 2, right, other=0.0)
    turned = low * tl.load(angle_ptr + at % (ROW // 2), right, other=0.0)
    turned = tl.where(right, 0.0 - turned, 0.0)
    left = column < ROW // 2
    high = tl.load(x_ptr + at + ROW // 2, left, other=0.0)
    other = tl.load(angle_ptr + at % (ROW // 2), left, other=0.0)
    turned += tl.where(left, high * other, 0.0)
    tl.store(out_ptr + at, turned + tl.load(x_ptr + at) * angle)


@pytest.mark.parametrize("mode", ["reference", "fast"])
def test_halves_of_a_block_behind_both_halves_of_a_mask(memory: Memory, mode: str):
    x, angle = torch.randn(8, 32), torch.randn(16)
    out = memory.empty(8, 32)
    turn_halves[(1,)](memory.holding(x), memory.holding(angle), out, ROW=32, N=256, mode=mode)
    a, b = x[:, :16], x[:, 16:]
    want = torch.cat([b * angle + a * angle, 0.0 - a * angle + b * angle], 1)
    torch.testing.assert_close(out, want)


@triton.jit
def divide_where_it_is_asked(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    mask = y != 0
    divisor = tl.where(mask, y, 1)
    tl.store(out_ptr + at, tl.where(mask, x // divisor + x % tl.where(mask, y, 1), -1))


@pytest.mark.parametrize("mode", ["reference", "fast"])
def test_a_choice_that_keeps_a_division_from_failing_stays(memory: Memory, mode: str):
    x, y = torch.arange(64, dtype=torch.int32), torch.arange(64, dtype=torch.int32) % 4
    out = memory.empty(64, dtype=torch.int32)
    divide_where_it_is_asked[(1,)](memory.holding(x), memory.holding(y), out, N=64, mode=mode)
    some = y.clamp(min=1)
    assert out.equal(torch.where(y != 0, x // some + x % some, -1).int())


@triton.jit
def load_again_behind_a_mask(x_ptr, out_ptr, n, N: tl.constexpr):
    at = tl.arange(0, N)
    before = tl.load(x_ptr + at)
    tl.store(x_ptr + at, before * 2)
    tl.debug_barrier()
    after = tl.load(x_ptr + at, at < n, other=-1.0)
    tl.store(out_ptr + at, before + after)


@pytest.mark.parametrize("mode", ["reference", "fast"])
def test_what_was_stored_between_two_loads_is_read(memory: Memory, mode: str):
    x = memory.holding(torch.arange(32.0))
    out = memory.empty(32)
    load_again_behind_a_mask[(1,)](x, out, 20, N=32, mode=mode)
    i = torch.arange(32.0)
    assert out.equal(torch.where(i < 20, 3 * i, i - 1))
