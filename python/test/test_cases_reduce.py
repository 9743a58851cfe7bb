"""Reductions along every axis, of every type, with every kind of region."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton_shared import DeviceAssertError

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
NAN = float("nan")
INFINITY = float("inf")

Combine = Callable[[Any, Any], Any]


def sample(dtype: str, *shape: int) -> torch.Tensor:
    """Small numbers with ties; sums and products of them are exact."""
    generator = torch.Generator().manual_seed(math.prod(shape))
    low = 0 if dtype[0] in "ub" else -3
    return torch.randint(low, 4, shape, generator=generator).to(getattr(torch, dtype))


def as_numpy(x: torch.Tensor) -> np.ndarray:
    return (x.float() if x.dtype == torch.bfloat16 else x).numpy()


def fold(x: np.ndarray, axis: int, combine: Combine) -> np.ndarray:
    """From left to right."""
    slices = np.moveaxis(x, axis, 0)
    result = slices[0]
    for piece in slices[1:]:
        result = combine(result, piece)
    return result


def assert_equal(got: torch.Tensor, want: Any) -> None:
    want = torch.from_numpy(np.array(want)).to(got.dtype).reshape(got.shape)
    torch.testing.assert_close(got, want, rtol=0, atol=0, equal_nan=True)


#
# Reductions
#


@triton.jit
def reduce_rows(
    x_ptr, out_ptr, place_ptr,
    INTEGER: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
):  # fmt: skip
    rows = tl.arange(0, M)
    x = tl.load(x_ptr + rows[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out_ptr + rows, tl.sum(x, 1).to(x.dtype))
    tl.store(out_ptr + M + rows, tl.max(x, 1))
    tl.store(out_ptr + 2 * M + rows, tl.min(x, 1))
    tl.store(out_ptr + 3 * M + rows, tl.reduce(x, 1, product))
    if INTEGER:
        tl.store(out_ptr + 4 * M + rows, tl.xor_sum(x, 1))
        tl.store(out_ptr + 5 * M + rows, tl.reduce_or(x, 1))
        tl.store(out_ptr + 6 * M + rows, tl.reduce(x, 1, both))
    tl.store(place_ptr + rows, tl.argmax(x, 1))
    tl.store(place_ptr + M + rows, tl.argmin(x, 1))
    tl.store(place_ptr + 2 * M + rows, tl.argmax(x, 1, tie_break_left=False))
    tl.store(place_ptr + 3 * M + rows, tl.argmin(x, 1, tie_break_left=False))


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def both(a, b):
    return a & b


@pytest.mark.parametrize("n", [1, 8])
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_reductions_of_rows(dtype: str, n: int):
    is_integer = dtype in INTEGERS
    x = sample(dtype, 4, n)
    out, places = torch.zeros(7, 4, dtype=x.dtype), torch.zeros(4, 4, dtype=torch.int32)
    reduce_rows[(1,)](x, out, places, INTEGER=is_integer, M=4, N=n)
    array = as_numpy(x)
    combines: list[Combine] = [np.add, np.maximum, np.minimum, np.multiply]
    if is_integer:
        combines += [np.bitwise_xor, np.bitwise_or, np.bitwise_and]
    for row, combine in zip(out, combines, strict=False):
        assert_equal(row, fold(array, 1, combine))
    flipped = array[:, ::-1]
    assert_equal(places[:2], [array.argmax(1), array.argmin(1)])
    assert_equal(places[2:], [n - 1 - flipped.argmax(1), n - 1 - flipped.argmin(1)])


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint32"])
def test_extremes_of_integers(dtype: str):
    limits = np.iinfo(dtype)
    for value in (limits.min, limits.max):
        x = torch.from_numpy(np.full((4, 8), value, dtype))
        out, places = torch.zeros(7, 4, dtype=x.dtype), torch.full((4, 4), -1, dtype=torch.int32)
        reduce_rows[(1,)](x, out, places, INTEGER=True, M=4, N=8)
        assert_equal(out[1], x[:, 0].numpy())
        assert_equal(out[2], x[:, 0].numpy())
        assert_equal(out[5:], np.full((2, 4), value, dtype))
        assert places.tolist() == [[0] * 4] * 2 + [[7] * 4] * 2


@triton.jit
def reduce_to_truth(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.reduce_or(x, 0))
    tl.store(out_ptr + 1, tl.reduce(x, 0, both))
    tl.store(out_ptr + 2, tl.xor_sum(x.to(tl.int8), 0) != 0)
    tl.store(out_ptr + 3, tl.max(x.to(tl.int8), 0) != 0)


@pytest.mark.parametrize("values", [[0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 1, 1], [0, 0, 1, 0]])
def test_any_all_and_parity(values: list[int]):
    out = torch.zeros(4, dtype=torch.bool)
    reduce_to_truth[(1,)](torch.tensor(values).bool(), out, N=4)
    assert out.tolist() == [any(values), all(values), sum(values) % 2 == 1, any(values)]


@triton.jit
def reduce_axis(x_ptr, out_ptr, AXIS: tl.constexpr, SHAPE: tl.constexpr, SIZE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, SIZE)).reshape(SHAPE)
    total = tl.sum(x, AXIS)
    last = tl.reduce(x, AXIS, take_right)
    kept = tl.max(x, AXIS, keep_dims=True)
    tl.static_assert(len(kept.shape) == len(x.shape))
    if len(SHAPE) == 1:
        tl.store(out_ptr, total)
        tl.store(out_ptr + 1, last)
        tl.store(out_ptr + 2 + tl.arange(0, 1), kept)
    else:
        REST: tl.constexpr = total.numel
        at = tl.arange(0, REST)
        tl.store(out_ptr + at, total.reshape(REST))
        tl.store(out_ptr + REST + at, last.reshape(REST))
        tl.store(out_ptr + 2 * REST + at, kept.reshape(REST))


@triton.jit
def take_right(a, b):
    return b


SHAPES = [(8,), (1,), (1, 8), (8, 1), (1, 1), (2, 4, 8), (2, 1, 4), (1, 4, 1), (2, 2, 4, 2)]


@pytest.mark.parametrize(
    ("shape", "axis"),
    [(shape, axis) for shape in SHAPES for axis in range(len(shape))] + [((4, 8), -1)],
)
def test_every_axis(shape: tuple[int, ...], axis: int):
    x = sample("float32", *shape)
    rest = x.numel() // shape[axis]
    out = torch.full((3, rest), NAN)
    reduce_axis[(1,)](x, out, AXIS=axis, SHAPE=shape, SIZE=x.numel())
    want = [x.sum(axis), x.select(axis, -1), x.amax(axis)]
    assert torch.equal(out, torch.stack([part.reshape(-1) for part in want]))


@triton.jit
def reduce_all(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out_ptr, tl.sum(x))
    tl.store(out_ptr + 1, tl.max(x))
    tl.store(out_ptr + 2 + tl.zeros((1, 1), tl.int32), tl.min(x, keep_dims=True))


def test_all_axes_at_once():
    x, out = sample("float32", 4, 8), torch.empty(3)
    reduce_all[(1,)](x, out, M=4, N=8)
    assert out.tolist() == [x.sum(), x.max(), x.min()]


@triton.jit
def extremes(x_ptr, out_ptr, place_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.max(x, 0))
    tl.store(out_ptr + 1, tl.min(x, 0))
    tl.store(out_ptr + 2, tl.reduce(x, 0, larger_or_nan))
    value, place = tl.max(x, 0, return_indices=True)
    tl.store(out_ptr + 3, value)
    tl.store(place_ptr, place)
    tl.store(place_ptr + 1, tl.argmin(x, 0))


@triton.jit
def larger_or_nan(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_extremes_of_floats(dtype: torch.dtype):
    for values, want, places in [
        ([-INFINITY] * 4, [-INFINITY] * 4, [0, 0]),
        ([INFINITY] * 4, [INFINITY] * 4, [0, 0]),
        ([2.0] * 4, [2.0] * 4, [0, 0]),
        ([-INFINITY, 1.0, INFINITY, 1.0], [INFINITY, -INFINITY, INFINITY, INFINITY], [2, 0]),
    ]:
        out, place = torch.zeros(4, dtype=dtype), torch.full((2,), -1, dtype=torch.int32)
        extremes[(1,)](torch.tensor(values, dtype=dtype), out, place, N=4)
        assert out.tolist() == want
        assert place.tolist() == places


def last_place(values: list[float], sign: int) -> int:
    """What the region of `tl.argmax` (`tl.argmin` if `sign` is -1) makes from left to right."""
    place = 0
    for i in range(1, len(values)):
        a, b = sign * values[place], sign * values[i]
        place = place if a > b or a == b else i
    return place


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_numbers_win_over_nan(dtype: torch.dtype):
    for values, want in [
        ([NAN, 1.0, -2.0, NAN], [1.0, -2.0, NAN]),
        ([1.0, NAN, 3.0, 3.0], [3.0, 1.0, NAN]),
        ([-INFINITY, NAN, -INFINITY, NAN], [-INFINITY, -INFINITY, NAN]),
        ([NAN] * 4, [NAN] * 3),
    ]:
        out, place = torch.zeros(4, dtype=dtype), torch.full((2,), -1, dtype=torch.int32)
        extremes[(1,)](torch.tensor(values, dtype=dtype), out, place, N=4)
        assert_equal(out[:3], want)
        # Nothing is larger than NaN, nor is NaN: whoever stands on the right stays.
        assert place.tolist() == [last_place(values, 1), last_place(values, -1)]


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("first", [0.0, -0.0])
def test_the_positive_zero_is_the_larger_one(dtype: torch.dtype, first: float):
    x = torch.tensor([first, -first] * 64, dtype=dtype)
    out, place = torch.ones(4, dtype=dtype), torch.full((2,), -1, dtype=torch.int32)
    extremes[(1,)](x, out, place, N=128)
    assert torch.signbit(out[:2]).tolist() == [False, True]


@triton.jit
def larger_as_torch_has_it(a, b):
    mask = a > b
    mask |= a != a
    return tl.where(mask, a, b)


@triton.jit
def smaller_as_torch_has_it(a, b):
    mask = a < b
    mask |= a != a
    return tl.where(mask, a, b)


@triton.jit
def extremes_or_nan(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    x = tl.load(x_ptr + rows[:, None] * COLUMNS + columns[None, :])
    tl.store(out_ptr + rows, tl.reduce(x, 1, larger_as_torch_has_it))
    tl.store(out_ptr + ROWS + rows, tl.reduce(x, 1, smaller_as_torch_has_it))
    tl.store(out_ptr + 2 * ROWS + columns, tl.reduce(x, 0, larger_as_torch_has_it))
    tl.store(out_ptr + 2 * ROWS + COLUMNS + columns, tl.reduce(x, 0, smaller_as_torch_has_it))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("columns", [1, 2, 32, 128])
def test_extremes_are_nan_if_anything_is(dtype: str, columns: int):
    x = sample(dtype, 8, columns)
    x[1, columns // 2], x[2, 0], x[3, -1] = NAN, INFINITY, -INFINITY
    x[4], x[5, 0], x[5, -1], x[6] = NAN, -INFINITY, NAN, -INFINITY
    out = torch.zeros(2 * (8 + columns), dtype=x.dtype)
    extremes_or_nan[(1,)](x, out, ROWS=8, COLUMNS=columns)
    want = [x.amax(1), x.amin(1), x.amax(0), x.amin(0)]
    torch.testing.assert_close(out, torch.cat(want), rtol=0, atol=0, equal_nan=True)


@triton.jit
def sum_of_row(x_ptr, out_ptr, N: tl.constexpr):
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, N)), 0))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_sums_of_small_floats_do_not_stall(dtype: torch.dtype):
    out = torch.zeros(1, dtype=dtype)
    sum_of_row[(1,)](torch.ones(8192, dtype=dtype), out, N=8192)
    assert out.item() == 8192


@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def sums_of_block(
    x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DTYPE: tl.constexpr
):  # fmt: skip
    """Of rows, by a region, of columns, of all, and running ones."""
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    x = tl.load(x_ptr + rows[:, None] * COLUMNS + columns[None, :]).to(DTYPE)
    tl.store(out_ptr + rows, tl.sum(x, 1))
    tl.store(out_ptr + ROWS + rows, tl.reduce(x, 1, plus))
    tl.store(out_ptr + 2 * ROWS + columns, tl.sum(x, 0))
    tl.store(out_ptr + 2 * ROWS + COLUMNS, tl.sum(x))
    at = 2 * ROWS + COLUMNS + 1 + rows[:, None] * COLUMNS + columns[None, :]
    tl.store(out_ptr + at, tl.cumsum(x, 1))


@pytest.mark.every(2)
@pytest.mark.parametrize("mode", ["reference", "fast"])
@pytest.mark.parametrize("dtype", [tl.float16, tl.bfloat16, tl.float32, tl.float64])
@pytest.mark.parametrize("shape", [(1, 1), (1, 8), (4, 1), (4, 32), (2, 256)])
def test_sums_begin_with_their_first_element(dtype: Any, shape: tuple[int, int], mode: str):
    """Of nothing but -0.0 they are -0.0: no 0.0 is added. With one 0.0 they are 0.0."""
    x = torch.full(shape, -0.0)
    out = torch.ones(2 * shape[0] + shape[1] + 1 + x.numel(), dtype=torch.float64)
    sums_of_block[(1,)](x, out, *shape, dtype, mode=mode)
    assert not out.any()
    assert out.signbit().all()
    x[-1, -1] = 0.0
    sums_of_block[(1,)](x, out, *shape, dtype, mode=mode)
    positive = (~out.signbit()).tolist()
    ends = [row == shape[0] - 1 for row in range(shape[0])] * 2
    ends += [column == shape[1] - 1 for column in range(shape[1])] + [True]
    assert positive == [*ends, *[False] * (x.numel() - 1), True]


#
# Types of results
#


@triton.jit
def sums_of_rows(x_ptr, out_ptr, DTYPE: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    x = tl.load(x_ptr + rows[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out_ptr + rows, tl.sum(x, 1, dtype=DTYPE))


@pytest.mark.parametrize(
    ("dtype", "asked", "made"),
    [
        ("int8", None, "int32"),
        ("uint8", None, "uint32"),
        ("int16", None, "int32"),
        ("bool", None, "int32"),
        ("int64", None, "int64"),
        ("int8", tl.int8, "int8"),
        ("uint8", tl.uint16, "uint16"),
        ("int32", tl.int64, "int64"),
        ("int32", tl.float32, "float32"),
        ("float16", tl.float32, "float32"),
        ("float32", tl.float16, "float16"),
    ],
)
def test_sums_have_the_type_asked_for(dtype: str, asked: Any, made: str):
    x = sample(dtype, 4, 128)
    out = torch.zeros(4, dtype=getattr(torch, made))
    sums_of_rows[(1,)](x, out, DTYPE=asked, M=4, N=128)
    assert_equal(out, as_numpy(x).sum(1, dtype=made))


def test_sum_of_truth_values_as_truth_value_is_parity():
    x, out = sample("bool", 4, 128), torch.zeros(4, dtype=torch.bool)
    sums_of_rows[(1,)](x, out, DTYPE=tl.int1, M=4, N=128)
    assert out.tolist() == [bool(n % 2) for n in x.sum(1).tolist()]


@triton.jit
def extremes_with_places(
    x_ptr, out_ptr, place_ptr,
    AXIS: tl.constexpr, LEFT: tl.constexpr, SHAPE: tl.constexpr, SIZE: tl.constexpr,
):  # fmt: skip
    x = tl.load(x_ptr + tl.arange(0, SIZE)).reshape(SHAPE)
    most, last = tl.max(x, AXIS, return_indices=True, return_indices_tie_break_left=LEFT)
    least, first = tl.min(
        x, AXIS, return_indices=True, return_indices_tie_break_left=LEFT, keep_dims=True
    )
    tl.static_assert(len(first.shape) == len(SHAPE))
    REST: tl.constexpr = least.numel
    at = tl.arange(0, REST)
    tl.store(out_ptr + at, most.reshape(REST))
    tl.store(out_ptr + REST + at, least.reshape(REST))
    tl.store(place_ptr + at, last.reshape(REST))
    tl.store(place_ptr + REST + at, first.reshape(REST))


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize(
    ("shape", "axis"), [((4, 8), 0), ((4, 8), 1), ((2, 8, 4), 1), ((8, 2, 2), 0), ((2, 2, 8), 2)]
)
@pytest.mark.parametrize("dtype", ["float32", "int8", "uint64", "bfloat16"])
def test_extremes_know_their_places(dtype: str, shape: tuple[int, ...], axis: int, left: bool):
    x = sample(dtype, *shape)
    rest = x.numel() // shape[axis]
    out, places = torch.zeros(2, rest, dtype=x.dtype), torch.zeros(2, rest, dtype=torch.int32)
    extremes_with_places[(1,)](x, out, places, AXIS=axis, LEFT=left, SHAPE=shape, SIZE=x.numel())
    array = as_numpy(x)
    assert_equal(out, [array.max(axis).reshape(-1), array.min(axis).reshape(-1)])
    if left:
        want = [array.argmax(axis), array.argmin(axis)]
    else:  # the last of equals
        flipped, last = np.flip(array, axis), shape[axis] - 1
        want = [last - flipped.argmax(axis), last - flipped.argmin(axis)]
    assert_equal(places, [place.reshape(-1) for place in want])


#
# Where reductions stand
#


@triton.jit
def add_numbers(a, b):
    return a + b


@triton.jit
def total_of_rows(x_ptr, out_ptr, n, N: tl.constexpr):
    columns = tl.arange(0, N)
    total = tl.zeros((1,), tl.float32)
    peak = tl.full((), float("-inf"), tl.float32)
    for row in range(n):
        x = tl.load(x_ptr + row * N + columns)
        total += tl.reduce(x, 0, add_numbers, keep_dims=True)
        peak = tl.maximum(peak, tl.max(x, 0))
    tl.store(out_ptr + tl.arange(0, 1), total)
    tl.store(out_ptr + 1, peak)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_reductions_within_a_loop(n: int):
    x, out = sample("float32", 5, 16), torch.zeros(2)
    total_of_rows[(1,)](x, out, n, N=16)
    assert out.tolist() == [x[:n].sum(), x[:n].max() if n else -INFINITY]


@triton.jit
def checked_sums(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.sum(x, 0))
    tl.store(out_ptr + 1 + tl.arange(0, N), tl.cumsum(x, 0))


@pytest.mark.parametrize("options", [{"debug": True}, {"num_warps": 1}, {"num_warps": 16}])
def test_sums_with_options(options: dict[str, Any]):
    x, out = sample("int32", 16), torch.zeros(17, dtype=torch.int32)
    checked_sums[(1,)](x, out, N=16, **options)
    assert torch.equal(out, torch.cat([x.sum().reshape(1), x.cumsum(0)]).int())


def test_overflow_within_a_sum_is_an_assertion():
    x, out = torch.full((16,), 2**30, dtype=torch.int32), torch.zeros(17, dtype=torch.int32)
    with pytest.raises(DeviceAssertError, match="overflow"):
        checked_sums[(1,)](x, out, N=16, debug=True)


@triton.jit
def sum_of_products(x_ptr, y_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(x_ptr + m[:, None] * K + k[None, :])
    y = tl.load(y_ptr + k[:, None] * N + n[None, :])
    tl.store(out_ptr + m[:, None] * N + n[None, :], tl.sum(x[:, :, None] * y[None, :, :], 1))


def test_product_as_sum_of_broadcasts():
    x, y, out = sample("float32", 8, 16), sample("float32", 16, 4), torch.zeros(8, 4)
    sum_of_products[(1,)](x, y, out, M=8, N=4, K=16)
    assert torch.equal(out, x @ y)


#
# All of it, nightly
#


@triton.jit
def reduce_once(
    x_ptr, out_ptr, OP: tl.constexpr, AXIS: tl.constexpr, KEEP: tl.constexpr,
    SHAPE: tl.constexpr, SIZE: tl.constexpr, REST: tl.constexpr,
):  # fmt: skip
    x = tl.load(x_ptr + tl.arange(0, SIZE)).reshape(SHAPE)
    if OP == "sum":
        result = tl.sum(x, AXIS, keep_dims=KEEP)
    elif OP == "max":
        result = tl.max(x, AXIS, keep_dims=KEEP)
    elif OP == "min":
        result = tl.min(x, AXIS, keep_dims=KEEP)
    elif OP == "xor_sum":
        result = tl.xor_sum(x, AXIS, keep_dims=KEEP)
    elif OP == "argmax":
        result = tl.argmax(x, AXIS, keep_dims=KEEP)
    else:
        result = tl.argmin(x, AXIS, keep_dims=KEEP)
    if KEEP:
        tl.static_assert(len(result.shape) == len(SHAPE))
    tl.store(out_ptr + tl.arange(0, REST), result.reshape(REST) if KEEP or REST > 1 else result)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        (shape, axis)
        for shape in [(64,), (4, 128), (128, 4), (2, 32, 16), (32, 16, 2), (2, 4, 2, 8), (1, 512)]
        for axis in [*range(len(shape)), -1, None]
    ],
)
@pytest.mark.parametrize(
    ("dtype", "keep"), [(d, False) for d in INTEGERS + FLOATS] + [("float32", True), ("int8", True)]
)
@pytest.mark.parametrize("op", ["sum", "max", "min", "xor_sum", "argmax", "argmin"])
def test_every_reduction(op: str, dtype: str, shape: tuple[int, ...], axis: int | None, keep: bool):
    if op == "xor_sum" and dtype in FLOATS:
        pytest.skip("exclusive or is one of integers")
    if axis is None and op.startswith("arg"):
        pytest.skip("Triton asks for an axis")
    x = sample(dtype, *shape)
    array = as_numpy(x)
    numpy_op = {"sum": np.sum, "xor_sum": np.bitwise_xor.reduce}.get(op) or getattr(np, op)
    want = numpy_op(array.reshape(-1), 0) if axis is None else numpy_op(array, axis)
    rest = np.size(want)
    out = torch.zeros(rest, dtype=torch.int32 if op.startswith("arg") else x.dtype)
    reduce_once[(1,)](x, out, OP=op, AXIS=axis, KEEP=keep, SHAPE=shape, SIZE=x.numel(), REST=rest)
    assert_equal(out, np.asarray(want).astype(as_numpy(out).dtype))
