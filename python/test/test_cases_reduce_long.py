"""Reductions of tuples along rows that are longer than a vector."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl

MODES = ["reference", "fast"]
DTYPES = [
    torch.float32, torch.float64, torch.float16, torch.bfloat16,
    torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint32,
]  # fmt: skip
NAN, INFINITY = float("nan"), float("inf")


@triton.jit
def places(x_ptr, out_ptr, ROWS: tl.constexpr, N: tl.constexpr, LEFT: tl.constexpr):
    r, c = tl.arange(0, ROWS), tl.arange(0, N)
    x = tl.load(x_ptr + r[:, None] * N + c[None, :])
    tl.store(out_ptr + r, tl.argmax(x, 1, tie_break_left=LEFT))
    tl.store(out_ptr + ROWS + r, tl.argmin(x, 1, tie_break_left=LEFT))
    tl.store(out_ptr + 2 * ROWS + c, tl.argmax(x, 0, tie_break_left=LEFT))
    tl.store(out_ptr + 2 * ROWS + N + c, tl.argmin(x, 0, tie_break_left=LEFT))


@pytest.mark.every(4)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("n", [16, 32, 64, 128, 1024])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_places_of_extremes(dtype: torch.dtype, n: int, left: bool, mode: str):
    """With ties everywhere, and an extremum at each end of a row."""
    generator = torch.Generator().manual_seed(n)
    x = torch.randint(1, 9, (8, n), generator=generator)
    x[0, 0], x[1, -1], x[2, n // 2], x[3] = 11, 11, 11, 5
    x[4, 0], x[5, -1], x[6, n - 2] = 0, 0, 0
    out = torch.zeros(2 * (8 + n), dtype=torch.int32)
    places[(1,)](x.to(dtype), out, ROWS=8, N=n, LEFT=left, mode=mode)
    want = []
    for axis in (1, 0):
        for values in (x, -x):
            turned = values if left else values.flip(axis)
            place = turned.argmax(axis)  # The first of several.
            want.append(place if left else values.shape[axis] - 1 - place)
    assert out.equal(torch.cat(want).int())


@triton.jit
def larger_or_nan(a, i, b, j):
    """As inductor finds the place of a maximum."""
    mask = a > b
    equal = a == b
    a_isnan = a != a
    b_isnan = b != b
    mask |= a_isnan & (not b_isnan)
    equal |= a_isnan & b_isnan
    mask |= equal & (i < j)
    return tl.where(mask, a, b), tl.where(mask, i, j)


@triton.jit
def places_or_nan(x_ptr, out_ptr, most_ptr, ROWS: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, ROWS), tl.arange(0, N)
    x = tl.load(x_ptr + r[:, None] * N + c[None, :])
    i = tl.broadcast_to(c[None, :], [ROWS, N]).to(tl.int64)
    most, place = tl.reduce((x, i), 1, larger_or_nan)
    tl.store(out_ptr + r, place)
    tl.store(most_ptr + r, most)


@pytest.mark.every(2)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", [16, 64, 512])
@pytest.mark.parametrize("dtype", DTYPES[:4], ids=str)
def test_the_first_nan_is_the_largest(dtype: torch.dtype, n: int, mode: str):
    generator = torch.Generator().manual_seed(n)
    x = torch.randint(-9, 9, (8, n), generator=generator).to(dtype)
    x[0, 0], x[1, -1], x[2, [n // 3, n // 2]] = NAN, NAN, NAN
    x[3], x[4], x[4, n // 2 :] = NAN, -INFINITY, INFINITY
    x[5], x[6, 3], x[6, 5] = -INFINITY, INFINITY, NAN
    place, most = torch.zeros(8, dtype=torch.int64), torch.zeros(8, dtype=dtype)
    places_or_nan[(1,)](x, place, most, ROWS=8, N=n, mode=mode)
    assert place.equal(x.argmax(1))
    torch.testing.assert_close(most, x.amax(1), rtol=0, atol=0, equal_nan=True)


@triton.jit
def last_of_signs(a, i, b, j):
    """Not the same with its sides changed: where neither is larger, the right one is taken."""
    mask = a > b
    return tl.where(mask, a, b), tl.where(mask, i, j)


@triton.jit
def last_places(x_ptr, out_ptr, ROWS: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, ROWS), tl.arange(0, N)
    x = tl.load(x_ptr + r[:, None] * N + c[None, :])
    _, place = tl.reduce((x, tl.broadcast_to(c[None, :], [ROWS, N])), 1, last_of_signs)
    tl.store(out_ptr + r, place)


@pytest.mark.parametrize("mode", MODES)
def test_a_choice_that_depends_on_the_order_keeps_it(mode: str):
    x = torch.randint(0, 4, (8, 256), generator=torch.Generator().manual_seed(0)).float()
    out = torch.zeros(8, dtype=torch.int32)
    last_places[(1,)](x, out, ROWS=8, N=256, mode=mode)
    assert out.equal((255 - x.flip(1).argmax(1)).int())


@triton.jit
def merge_moments(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    """Welford's, of two parts."""
    n = n_a + n_b
    delta = mean_b - mean_a
    part = n_b / n
    return mean_a + delta * part, m2_a + m2_b + delta * delta * n_a * part, n


@triton.jit
def moments(x_ptr, out_ptr, ROWS: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    r, c = tl.arange(0, ROWS), tl.arange(0, N)
    x = tl.load(x_ptr + r[:, None] * N + c[None, :])
    mean, m2, n = tl.reduce((x, x * 0, x * 0 + 1), AXIS, merge_moments)
    at = c if AXIS == 0 else r
    size: tl.constexpr = N if AXIS == 0 else ROWS
    tl.store(out_ptr + at, mean)
    tl.store(out_ptr + size + at, m2 / n)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("axis", [0, 1])
def test_moments(axis: int, mode: str):
    x = torch.randn(32, 64, generator=torch.Generator().manual_seed(1)) * 3 + 100
    out = torch.zeros(2, x.shape[1 - axis])
    moments[(1,)](x, out, ROWS=32, N=64, AXIS=axis, mode=mode)
    torch.testing.assert_close(out[0], x.double().mean(axis).float())
    torch.testing.assert_close(out[1], x.double().var(axis, correction=0).float())
