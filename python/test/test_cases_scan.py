"""Scans along every axis, in both directions, with every kind of region."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import ml_dtypes  # noqa: F401 - NumPy learns of bfloat16
import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from values import FLOATS, INTEGERS, given, numpy_dtype, room

Combine = Callable[[Any, Any], Any]

SHAPES = [(8,), (1,), (1, 8), (8, 1), (1, 1), (2, 4, 8), (2, 1, 4), (1, 4, 1), (2, 2, 4, 2)]


def sample(dtype: str, *shape: int) -> np.ndarray:
    """Small numbers with ties; sums and products of few of them are exact."""
    rng = np.random.default_rng(sum(shape))
    low = 0 if dtype[0] == "u" else -2
    return rng.integers(low, 3, shape).astype(numpy_dtype(dtype))


def running(x: np.ndarray, axis: int, combine: Combine, reverse: bool = False) -> np.ndarray:
    """What `combine` makes of each element and all before it, or after it."""
    slices = list(np.moveaxis(np.flip(x, axis) if reverse else x, axis, 0))
    with np.errstate(over="ignore"):
        for i in range(1, len(slices)):
            slices[i] = combine(slices[i - 1], slices[i])
    result = np.moveaxis(np.stack(slices), 0, axis)
    return np.flip(result, axis) if reverse else result


def assert_equal(got: np.ndarray, want: np.ndarray) -> None:
    np.testing.assert_array_equal(
        got.reshape(want.shape).astype(np.float64), want.astype(got.dtype).astype(np.float64)
    )


#
# Sums, products and what is not commutative
#


@triton.jit
def take_left(a, b):
    return a


@triton.jit
def take_right(a, b):
    return b


@triton.jit
def scan_axis(
    x_ptr, out_ptr,
    AXIS: tl.constexpr, REVERSE: tl.constexpr, SHAPE: tl.constexpr, SIZE: tl.constexpr,
):  # fmt: skip
    at = tl.arange(0, SIZE)
    x = tl.load(x_ptr + at).reshape(SHAPE)
    tl.store(out_ptr + at, tl.cumsum(x, AXIS, reverse=REVERSE).to(x.dtype).reshape(SIZE))
    product = tl.cumprod(x, AXIS, reverse=REVERSE).to(x.dtype)
    tl.store(out_ptr + SIZE + at, product.reshape(SIZE))
    left = tl.associative_scan(x, AXIS, take_left, reverse=REVERSE)
    tl.store(out_ptr + 2 * SIZE + at, left.reshape(SIZE))
    right = tl.associative_scan(x, AXIS, take_right, reverse=REVERSE)
    tl.store(out_ptr + 3 * SIZE + at, right.reshape(SIZE))


def check_scan(dtype: str, shape: tuple[int, ...], axis: int, reverse: bool) -> None:
    x = sample(dtype, *shape)
    argument, read = room(4 * x.size, dtype)
    scan_axis[(1,)](
        given(x.reshape(-1), dtype), argument,
        AXIS=axis, REVERSE=reverse, SHAPE=shape, SIZE=x.size,
    )  # fmt: skip
    combines: list[Combine] = [np.add, np.multiply, lambda a, b: a, lambda a, b: b]
    for got, combine in zip(read().reshape(4, -1), combines, strict=True):
        assert_equal(got, running(x, axis, combine, reverse))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("shape", "axis"), [(shape, axis) for shape in SHAPES for axis in range(len(shape))]
)
def test_every_axis(shape: tuple[int, ...], axis: int, reverse: bool):
    check_scan("int32", shape, axis, reverse)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_every_type(dtype: str, reverse: bool):
    check_scan(dtype, (2, 8), 1, reverse)


@pytest.mark.parametrize("size", [16, 32, 64, 128])
def test_rows_of_bytes_from_the_back(size: int):
    """Vectors are written from the back; a row of few of them is read at once."""
    check_scan("int8", (size,), 0, reverse=True)


@pytest.mark.nightly
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        (shape, axis)
        for shape in [(8, 32), (32, 16), (2, 128), (128, 2), (2, 4, 32), (64,)]
        for axis in [*range(len(shape))]
    ],
)
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_every_scan(dtype: str, shape: tuple[int, ...], axis: int, reverse: bool):
    check_scan(dtype, shape, axis, reverse)


@triton.jit
def typed_sums(x_ptr, out_ptr, DTYPE: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.cumsum(tl.load(x_ptr + at), 0, dtype=DTYPE))


@pytest.mark.parametrize(
    ("dtype", "asked", "made"),
    [
        ("int8", None, "int32"),
        ("uint8", None, "uint32"),
        ("int16", tl.int16, "int16"),
        ("int32", tl.int64, "int64"),
        ("uint32", tl.float32, "float32"),
        ("float16", tl.float32, "float32"),
        ("float32", tl.float64, "float64"),
    ],
)
def test_sums_have_the_type_asked_for(dtype: str, asked: Any, made: str):
    x = sample(dtype, 64) + numpy_dtype(dtype).type(1)
    argument, read = room(64, made)
    typed_sums[(1,)](given(x, dtype), argument, DTYPE=asked, N=64)
    assert_equal(read(), np.cumsum(x, dtype=made))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_running_sums_of_small_floats_do_not_stall(dtype: str):
    x = np.full(4096, 1, dtype=numpy_dtype(dtype))
    argument, read = room(4096, dtype)
    typed_sums[(1,)](given(x, dtype), argument, DTYPE=None, N=4096)
    assert_equal(read(), np.arange(1, 4097).astype(x.dtype))


@triton.jit
def broadcast_of_sums(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    sums = tl.cumsum(tl.load(x_ptr + tl.arange(0, M)))
    copies = sums.reshape([1, M]).broadcast_to([N, M])
    tl.store(out_ptr + tl.arange(0, M * N), copies.reshape([M * N]))


@pytest.mark.parametrize(("m", "n"), [(1, 16), (4, 4), (16, 1)])
def test_result_is_a_block_like_any_other(m: int, n: int):
    x, out = torch.randint(-9, 9, (m,), dtype=torch.int32), torch.zeros(n, m, dtype=torch.int32)
    broadcast_of_sums[(1,)](x, out, M=m, N=n)
    assert torch.equal(out, x.cumsum(0).int().expand(n, m))


#
# Several values
#


@triton.jit
def compose(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def recurrence(a_ptr, b_ptr, out_ptr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
    pair = (tl.load(a_ptr + at), tl.load(b_ptr + at))
    _, state = tl.associative_scan(pair, AXIS, compose, reverse=REVERSE)
    tl.store(out_ptr + at, state)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
def test_linear_recurrence(axis: int, reverse: bool):
    a, b, out = torch.rand(4, 8), torch.randn(4, 8), torch.empty(4, 8)
    recurrence[(1,)](a, b, out, AXIS=axis, REVERSE=reverse)
    places = list(range(a.shape[axis]))
    state = torch.zeros_like(a.select(axis, 0))
    for place in places[::-1] if reverse else places:
        state = state * a.select(axis, place) + b.select(axis, place)
        torch.testing.assert_close(out.select(axis, place), state)


@triton.jit
def keep_larger(value_a, place_a, value_b, place_b):
    left = value_a > value_b
    return tl.where(left, value_a, value_b), tl.where(left, place_a, place_b)


@triton.jit
def peaks(
    x_ptr, out_ptr, place_ptr,
    AXIS: tl.constexpr, REVERSE: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
):  # fmt: skip
    rows, columns = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    places = tl.broadcast_to((rows if AXIS == 0 else columns).to(tl.int64), (M, N))
    x = tl.load(x_ptr + rows * N + columns)
    value, place = tl.associative_scan((x, places), AXIS, keep_larger, reverse=REVERSE)
    tl.store(out_ptr + rows * N + columns, value)
    tl.store(place_ptr + rows * N + columns, place)


@pytest.mark.parametrize(("axis", "reverse"), list(itertools.product([0, 1], [False, True])))
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.float16])
def test_running_peak_and_its_place(dtype: torch.dtype, axis: int, reverse: bool):
    x = torch.randint(-9, 9, (8, 16)).to(dtype)
    out, place = torch.zeros_like(x), torch.zeros(8, 16, dtype=torch.int64)
    peaks[(1,)](x, out, place, AXIS=axis, REVERSE=reverse, M=8, N=16)
    seen = x.flip(axis) if reverse else x
    value, at = torch.cummax(seen.float(), axis)  # the last of equals
    if reverse:
        value, at = value.flip(axis), x.shape[axis] - 1 - at.flip(axis)
    assert torch.equal(out, value.to(dtype))
    assert torch.equal(place, at)


@triton.jit
def shift(count_a, before_a, last_a, count_b, before_b, last_b):
    return count_a + count_b, tl.where(count_b == 1, last_a, 0) + before_b, last_b


@triton.jit
def delay(x_ptr, out_ptr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
    x = tl.load(x_ptr + at)
    parts = (1 + 0 * x, 0 * x, x)
    _, before, _ = tl.associative_scan(parts, AXIS, shift, reverse=REVERSE)
    tl.store(out_ptr + at, before)


@pytest.mark.parametrize(("axis", "reverse"), list(itertools.product([0, 1], [False, True])))
def test_delay_by_one(axis: int, reverse: bool):
    x, out = torch.randint(1, 99, (4, 8), dtype=torch.int32), torch.zeros(4, 8, dtype=torch.int32)
    delay[(1,)](x, out, AXIS=axis, REVERSE=reverse)
    want = x.roll(-1 if reverse else 1, axis)
    want.select(axis, x.shape[axis] - 1 if reverse else 0).zero_()
    assert torch.equal(out, want)


@triton.jit
def restart(value_a, starts_a, value_b, starts_b):
    if starts_b:
        value = value_b
    else:
        value = value_a + value_b
    return value, starts_a | starts_b


@triton.jit
def sums_of_segments(x_ptr, starts_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    pair = (tl.load(x_ptr + at), tl.load(starts_ptr + at))
    total, _ = tl.associative_scan(pair, 0, restart)
    tl.store(out_ptr + at, total)


def test_branches_in_the_region():
    x, starts, out = torch.randint(-9, 9, (32,)), torch.rand(32) > 0.7, torch.zeros(32).long()
    sums_of_segments[(1,)](x, starts, out, N=32)
    total = 0
    for i in range(32):
        total = int(x[i]) if starts[i] else total + int(x[i])
        assert out[i] == total


@triton.jit
def either(a, b):
    return a | b


@triton.jit
def any_so_far(x_ptr, out_ptr, REVERSE: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    live = tl.load(x_ptr + at)
    tl.static_assert(live.dtype == tl.int1)
    tl.store(out_ptr + at, tl.associative_scan(live, 0, either, reverse=REVERSE))


@pytest.mark.parametrize("reverse", [False, True])
def test_truth_values(reverse: bool):
    x, out = torch.arange(16) % 7 == 5, torch.zeros(16, dtype=torch.bool)
    any_so_far[(1,)](x, out, REVERSE=reverse, N=16)
    assert_equal(out.numpy(), running(x.numpy(), 0, np.logical_or, reverse))


#
# Where scans stand
#


@triton.jit
def sums_of_long_rows(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    carried = tl.zeros((), tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + at, mask=at < n, other=0)
        sums = tl.cumsum(x, 0) + carried
        carried += tl.sum(x, 0)
        tl.store(out_ptr + row * n + at, sums, mask=at < n)


def test_scan_block_by_block():
    x, out = torch.randint(-9, 9, (3, 50)).float(), torch.zeros(3, 50)
    sums_of_long_rows[(3,)](x, out, 50, BLOCK=16)
    assert torch.equal(out, x.cumsum(1))


@triton.jit
def compact(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    keep = x > 0
    place = tl.cumsum(keep.to(tl.int32), 0) - 1
    tl.store(out_ptr + place, x, mask=keep)


def test_scan_as_an_index():
    x, out = torch.randint(-9, 9, (32,)), torch.zeros(32).long()
    compact[(1,)](x, out, N=32)
    kept = x[x > 0]
    assert torch.equal(out[: len(kept)], kept)
    assert not out[len(kept) :].any()


@triton.jit
def roll(a1, b1_last, b1_cur, a2, b2_last, b2_cur):
    """Of what came before, the last element alone: the first part counts the elements."""
    return a1 + a2, tl.where(a2 == 1, b1_cur, 0) + b2_last, b2_cur


@triton.jit
def roll_rows(
    x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr
):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    _, z, _ = tl.associative_scan((1 + 0 * x, 0 * x, x), AXIS, roll, reverse=REVERSE)
    tl.store(out_ptr + at, z)


ROLLED = [(8, 32), (16, 32), (32, 16), (2, 1024), (1024, 2), (32, 32), (1, 1024)]


@pytest.mark.every(2)
@pytest.mark.parametrize("shape", ROLLED)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_each_element_may_become_its_neighbour(
    shape: tuple[int, int], axis: int, reverse: bool, dtype: torch.dtype
):
    """Counts beyond 256 are no bf16, but none of them is taken for one.

    How the results are stored decides what a thread of a GPU holds.
    """
    x = torch.randn(shape).to(torch.bfloat16)
    want = x.roll(-1 if reverse else 1, axis)
    want.select(axis, -1 if reverse else 0).zero_()
    for warps in (4, 16):
        out = torch.ones_like(x, dtype=dtype)
        roll_rows[(1,)](x, out, *shape, AXIS=axis, REVERSE=reverse, num_warps=warps)
        assert torch.equal(out, want.to(dtype))


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def add_and_double(a, b):
    """As before a sum, but not one: the halves cancel the factor."""
    return (a * 0.5 + b * 0.5) * 2


@triton.jit
def scan_sums(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.cumsum(x, 0).to(x.dtype))
    tl.store(out_ptr + N + at, tl.associative_scan(x, 0, add))
    tl.store(out_ptr + 2 * N + at, tl.associative_scan(x, 0, add_and_double))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_scan_that_adds_is_a_running_sum_whoever_writes_it(dtype: torch.dtype):
    """In f32, each sum rounded. Every other region computes in its own type: a large number plus
    one is itself there."""
    x = torch.ones(64, dtype=dtype)
    x[0] = 1 / torch.finfo(dtype).eps * 2
    out = torch.zeros(3, 64, dtype=dtype)
    scan_sums[(1,)](x, out, 64, mode="reference")
    assert torch.equal(out[0], x.float().cumsum(0).to(dtype))
    assert torch.equal(out[1], out[0])
    assert (out[2] == x[0]).all()
