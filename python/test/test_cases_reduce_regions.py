"""Reductions whose region is the kernel's own: branches, loops, comparisons, several values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from values import bits, given, room

NAN = float("nan")
INFINITY = float("inf")

Combine = Callable[[Any, Any], Any]


def fold(x: np.ndarray, axis: int, combine: Combine) -> np.ndarray:
    """From left to right."""
    slices = np.moveaxis(x, axis, 0)
    result = slices[0]
    for piece in slices[1:]:
        result = combine(result, piece)
    return result


#
# One value
#


@triton.jit
def larger_by_branches(a, b):
    if a > b:
        result = a
    else:
        result = b
    return result


@triton.jit
def larger_by_returns(a, b):
    if a >= b:
        return a
    return b


@triton.jit
def larger_at_least_zero(a, b):
    return tl.where(a >= b, tl.where(a > 0, a, 0), tl.where(b > 0, b, 0))


@triton.jit
def common_divisor(a, b):
    while b != 0:
        rest = a % b
        a = b
        b = rest
    return a


@triton.jit
def bits_of_either(a, b):
    return a | b


@triton.jit
def reduce_by(x_ptr, out_ptr, REGION: tl.constexpr, AXIS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :])
    if REGION == "branches":
        result = tl.reduce(x, AXIS, larger_by_branches)
    elif REGION == "returns":
        result = tl.reduce(x, AXIS, larger_by_returns)
    elif REGION == "selects":
        result = tl.reduce(x, AXIS, larger_at_least_zero)
    elif REGION == "loop":
        result = tl.reduce(x, AXIS, common_divisor)
    else:
        result = tl.reduce(x, AXIS, bits_of_either)
    tl.store(out_ptr + tl.arange(0, result.numel), result)


REGIONS: dict[str, Combine] = {
    "branches": np.maximum,
    "returns": np.maximum,
    "selects": lambda a, b: np.maximum(np.maximum(a, b), 0),
    "loop": np.gcd,
    "one operation": np.bitwise_or,
}


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("region", REGIONS)
def test_regions_of_any_kind(region: str, axis: int):
    x = torch.randint(1 if region == "loop" else -50, 60, (4, 8), dtype=torch.int32)
    out = torch.zeros(x.shape[1 - axis], dtype=torch.int32)
    reduce_by[(1,)](x, out, REGION=region, AXIS=axis)
    assert out.tolist() == fold(x.numpy(), axis, REGIONS[region]).tolist()


@triton.jit
def by_greater(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def by_greater_or_equal(a, b):
    return tl.where(a >= b, a, b)


@triton.jit
def by_less(a, b):
    return tl.where(a < b, a, b)


@triton.jit
def by_less_or_equal(a, b):
    return tl.where(a <= b, a, b)


@triton.jit
def by_equal(a, b):
    return tl.where(a == b, a, b)


@triton.jit
def by_unequal(a, b):
    return tl.where(a != b, a, b)


@triton.jit
def reduce_by_comparisons(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.reduce(x, 0, by_greater))
    tl.store(out_ptr + 1, tl.reduce(x, 0, by_greater_or_equal))
    tl.store(out_ptr + 2, tl.reduce(x, 0, by_less))
    tl.store(out_ptr + 3, tl.reduce(x, 0, by_less_or_equal))
    tl.store(out_ptr + 4, tl.reduce(x, 0, by_equal))
    tl.store(out_ptr + 5, tl.reduce(x, 0, by_unequal))


@pytest.mark.parametrize(
    "values",
    [
        [3, 1, 2, 3],
        [-5, 7, -5, 7],
        [-1, -1, -1, -1],
        [1.0, NAN, 3.0, 2.0],
        [NAN, NAN, 5.0, NAN],
        [0.0, -0.0, -INFINITY, -0.0],
    ],
)
def test_regions_that_select_by_a_comparison(values: list[float]):
    """Each of them is what it says, not a maximum that treats NaN and zeros otherwise."""
    compare = [np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal]
    is_float = isinstance(values[0], float)
    for dtype in ["float32", "float64"] if is_float else ["int32", "uint32", "int8", "uint64"]:
        x = np.array(values).astype(np.int64 if not is_float else dtype).astype(dtype)
        argument, read = room(6, dtype)
        reduce_by_comparisons[(1,)](given(x, dtype), argument, N=4)
        want = [fold(x, 0, lambda a, b, c=c: np.where(c(a, b), a, b)) for c in compare]
        assert bits(read()).tolist() == bits(np.array(want, dtype)).tolist()


#
# Several values
#


@triton.jit
def merge_moments(mean_a, squares_a, count_a, mean_b, squares_b, count_b):
    count = count_a + count_b
    difference = mean_b - mean_a
    mean = mean_a + difference * (count_b / count)
    squares = squares_a + squares_b + difference * difference * count_a * count_b / count
    return mean, squares, count


@triton.jit
def moments(x_ptr, out_ptr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    mean, squares, count = tl.reduce((x, tl.zeros_like(x), tl.full(x.shape, 1.0, x.dtype)), AXIS,
                                     merge_moments)  # fmt: skip
    REST: tl.constexpr = mean.numel
    tl.store(out_ptr + tl.arange(0, REST), mean)
    tl.store(out_ptr + REST + tl.arange(0, REST), squares / count)


@pytest.mark.parametrize("axis", [0, 1])
def test_reduction_with_several_results(axis: int):
    x = torch.randn(4, 16)
    out = torch.empty(2, x.shape[1 - axis])
    moments[(1,)](x, out, AXIS=axis, M=4, N=16)
    torch.testing.assert_close(out, torch.stack([x.mean(axis), x.var(axis, correction=0)]))


@triton.jit
def join_exponentials(peak_a, total_a, peak_b, total_b):
    peak = tl.maximum(peak_a, peak_b)
    return peak, total_a * tl.exp(peak_a - peak) + total_b * tl.exp(peak_b - peak)


@triton.jit
def log_of_sums(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    x = tl.load(x_ptr + rows[:, None] * N + tl.arange(0, N)[None, :])
    peak, total = tl.reduce((x, tl.full(x.shape, 1.0, x.dtype)), 1, join_exponentials)
    tl.store(out_ptr + rows, peak + tl.log(total))


def test_logarithm_of_a_sum_of_exponentials():
    x, out = torch.randn(4, 64) * 50, torch.zeros(4)
    log_of_sums[(1,)](x, out, M=4, N=64)
    torch.testing.assert_close(out, x.logsumexp(1))


@triton.jit
def best_of_mixed(value_a, place_a, valid_a, value_b, place_b, valid_b):
    take_b = valid_b & ((not valid_a) | (value_b > value_a))
    return (
        tl.where(take_b, value_b, value_a),
        tl.where(take_b, place_b, place_a),
        valid_a | valid_b,
    )


@triton.jit
def best_valid(x_ptr, valid_ptr, out_ptr, place_ptr, any_ptr, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    at = rows[:, None] * N + columns[None, :]
    places = tl.broadcast_to(columns[None, :].to(tl.int64), (M, N))
    value, place, valid = tl.reduce(
        (tl.load(x_ptr + at), places, tl.load(valid_ptr + at)), 1, best_of_mixed
    )
    tl.store(out_ptr + rows, value)
    tl.store(place_ptr + rows, place)
    tl.store(any_ptr + rows, valid)


def test_reduction_of_values_of_different_types():
    x, valid = torch.randn(8, 16), torch.rand(8, 16) > 0.7
    valid[3] = False
    valid[5] = True
    out, place = torch.zeros(8), torch.zeros(8, dtype=torch.int64)
    some = torch.zeros(8, dtype=torch.bool)
    best_valid[(1,)](x, valid, out, place, some, M=8, N=16)
    assert torch.equal(some, valid.any(1))
    masked = x.masked_fill(~valid, -INFINITY)
    rows = valid.any(1)
    assert torch.equal(out[rows], masked.max(1).values[rows])
    assert torch.equal(place[rows], masked.argmax(1)[rows])
