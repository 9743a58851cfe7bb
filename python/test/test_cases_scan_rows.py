"""Scans of the rows of blocks in fast mode, which goes from vector to vector of each row."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from test_cases_scan import take_left, take_right
from triton_shared import library
from values import given, numpy_dtype, room

SHAPES = [(4,), (16,), (64,), (256,), (8, 4), (2, 8), (1, 16), (4, 64), (2, 256), (2, 2, 32)]
KINDS = ["sum", "largest", "left", "right", "recurrence", "peak", "factor"]
EXACT = ["largest", "left", "right", "peak"]


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def larger(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def compose(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def keep_larger(value_a, place_a, value_b, place_b):
    keep = value_a > value_b
    return tl.where(keep, value_a, value_b), tl.where(keep, place_a, place_b)


@triton.jit
def scan_rows(
    x_ptr, y_ptr, out_ptr,
    KIND: tl.constexpr, REVERSE: tl.constexpr, SHAPE: tl.constexpr, SIZE: tl.constexpr,
):  # fmt: skip
    at = tl.arange(0, SIZE)
    x = tl.load(x_ptr + at).reshape(SHAPE)
    y = tl.load(y_ptr + at).reshape(SHAPE)
    AXIS: tl.constexpr = len(SHAPE) - 1
    if KIND == "sum":
        out = tl.associative_scan(x, AXIS, add, reverse=REVERSE)
    elif KIND == "largest":
        out = tl.associative_scan(x, AXIS, larger, reverse=REVERSE)
    elif KIND == "left":
        out = tl.associative_scan(x, AXIS, take_left, reverse=REVERSE)
    elif KIND == "right":
        out = tl.associative_scan(x, AXIS, take_right, reverse=REVERSE)
    elif KIND == "recurrence":
        _, out = tl.associative_scan((x, y), AXIS, compose, reverse=REVERSE)
    elif KIND == "factor":
        out, _ = tl.associative_scan((x, y), AXIS, compose, reverse=REVERSE)
    else:
        place = at.to(tl.int64).reshape(SHAPE)
        _, found = tl.associative_scan((x, place), AXIS, keep_larger, reverse=REVERSE)
        out = (found % 64).to(x.dtype)
    tl.store(out_ptr + at, out.reshape(SIZE))


def sample(dtype: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Floats have so few digits that products of neighbours do not grow."""
    rng = np.random.default_rng(seed + sum(shape))
    if dtype.startswith("int"):
        return rng.integers(-100, 100, shape).astype(dtype)
    return (rng.integers(-8, 8, shape) / 8).astype(numpy_dtype(dtype))


def run(
    dtype: str, kind: str, shape: tuple[int, ...], reverse: bool, mode: str, x: object, y: object
) -> np.ndarray:
    size = math.prod(shape)
    argument, read = room(size, dtype)
    scan_rows[(1,)](x, y, argument, KIND=kind, REVERSE=reverse, SHAPE=shape, SIZE=size, mode=mode)
    return np.asarray(read())


def expected(kind: str, x: np.ndarray, y: np.ndarray, reverse: bool) -> np.ndarray:
    """By the region, element by element; integers wrap around."""
    if reverse:
        return expected(kind, x[..., ::-1], y[..., ::-1], False)[..., ::-1]
    out = np.empty_like(x)
    a, b = x[..., 0].copy(), y[..., 0].copy()
    for k in range(x.shape[-1]):
        c, d = x[..., k], y[..., k]
        if k and kind in ("recurrence", "factor"):
            a, b = a * c, b * c + d
        elif k:
            a = {"sum": a + c, "largest": np.maximum(a, c), "left": a, "right": c}[kind]
        out[..., k] = b if kind == "recurrence" else a
    return out


def check(dtype: str, kind: str, shape: tuple[int, ...], reverse: bool) -> None:
    x, y = sample(dtype, shape, 1), sample(dtype, shape, 2)
    arguments = [given(values.reshape(-1), dtype) for values in (x, y)]
    fast = run(dtype, kind, shape, reverse, "fast", *arguments)
    reference = run(dtype, kind, shape, reverse, "reference", *arguments)
    if dtype.startswith("int") or kind in EXACT:
        np.testing.assert_array_equal(fast, reference)
    else:
        error = {"float16": 2e-2, "bfloat16": 1e-1, "float32": 1e-5, "float64": 1e-13}[dtype]
        np.testing.assert_allclose(
            fast.astype(np.float64), reference.astype(np.float64), rtol=error, atol=error
        )
    if dtype.startswith("int") and kind != "peak":
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(fast.reshape(shape), expected(kind, x, y, reverse))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape(shape: tuple[int, ...], reverse: bool):
    check("int32", "recurrence", shape, reverse)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_region(kind: str, reverse: bool):
    check("float32", kind, (2, 64), reverse)


@pytest.mark.parametrize("kind", ["sum", "recurrence", "peak"])
@pytest.mark.parametrize("dtype", ["int8", "int16", "int64", "float16", "bfloat16", "float64"])
def test_every_type(dtype: str, kind: str):
    check(dtype, kind, (2, 32), dtype.startswith("int"))


@pytest.mark.nightly
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "dtype", ["int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
)
def test_every_scan_of_rows(dtype: str, shape: tuple[int, ...], kind: str, reverse: bool):
    check(dtype, kind, shape, reverse)


@pytest.mark.parametrize("reverse", [False, True])
def test_code_for_long_rows_of_bytes_comes_to_an_end(reverse: bool):
    check("int8", "largest", (2, 256), reverse)


#
# What is not a number
#


@triton.jit
def with_nan(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def without_nan(a, b):
    return tl.minimum(a, b)


@triton.jit
def extremes(x_ptr, out_ptr, REVERSE: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.associative_scan(x, 1, with_nan, reverse=REVERSE))
    tl.store(out_ptr + M * N + at, tl.associative_scan(x, 1, without_nan, reverse=REVERSE))


@pytest.mark.parametrize("reverse", [False, True])
def test_zeros_infinities_and_nan_are_those_of_reference_mode(reverse: bool):
    kinds = torch.tensor([0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), float("nan")])
    x = kinds[torch.randint(0, 7, (16, 32), generator=torch.Generator().manual_seed(1))]
    x[:8] = kinds[torch.randint(0, 2, (8, 32), generator=torch.Generator().manual_seed(2))]
    fast, reference = torch.empty(2, 16, 32), torch.empty(2, 16, 32)
    extremes[(1,)](x, fast, REVERSE=reverse, M=16, N=32, mode="fast")
    extremes[(1,)](x, reference, REVERSE=reverse, M=16, N=32, mode="reference")
    torch.testing.assert_close(fast, reference, rtol=0, atol=0, equal_nan=True)
    assert torch.equal(torch.signbit(fast)[:, :8], torch.signbit(reference)[:, :8])


#
# Functions
#


@triton.jit
def add_logarithms(a, b):
    least, most = tl.minimum(a, b), tl.maximum(a, b)
    return most + tl.log(1 + tl.exp(least - most))


@triton.jit
def logarithms_of_sums(x_ptr, out_ptr, REVERSE: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.associative_scan(x, 1, add_logarithms, reverse=REVERSE))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_logarithms_of_sums(dtype: torch.dtype, reverse: bool):
    x = 10 * torch.randn(4, 64, dtype=dtype)
    out = torch.empty_like(x)
    logarithms_of_sums[(1,)](x, out, REVERSE=reverse, M=4, N=64, mode="fast")
    want = torch.logcumsumexp(x.flip(1), 1).flip(1) if reverse else torch.logcumsumexp(x, 1)
    torch.testing.assert_close(out, want)


@triton.jit
def larger_sine(a, b):
    return tl.where(tl.sin(a) > tl.sin(b), a, b)


@triton.jit
def largest_sines(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.associative_scan(tl.load(x_ptr + at), 0, larger_sine))


def test_functions_of_the_c_library():
    x = torch.randn(32, dtype=torch.float64)
    out = torch.empty_like(x)
    largest_sines[(1,)](x, out, N=32, mode="fast")
    torch.testing.assert_close(out.sin(), x.sin().cummax(0).values)


#
# Where rows lie
#


@triton.jit
def sums_of_halves(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    pairs = tl.load(x_ptr + 2 * at[:, :, None] + tl.arange(0, 2)[None, None, :])
    first, second = tl.split(pairs)
    tl.store(out_ptr + at, tl.cumsum(first, 1))
    tl.store(out_ptr + M * N + at, tl.cumsum(second, 1, reverse=True))


def test_rows_of_every_other_element():
    x, out = torch.randint(-99, 99, (4, 32, 2)), torch.zeros(2, 4, 32, dtype=torch.int64)
    sums_of_halves[(1,)](x, out, M=4, N=32, mode="fast")
    assert torch.equal(out[0], x[..., 0].cumsum(1))
    assert torch.equal(out[1], x[..., 1].flip(1).cumsum(1).flip(1))


@triton.jit
def sums_of_columns_as_rows(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + columns * M + rows)
    tl.store(out_ptr + rows * N + columns, tl.cumsum(x, 1) + tl.cumsum(tl.trans(tl.trans(x)), 1))


def test_rows_that_are_columns_in_memory():
    x, out = torch.randint(-99, 99, (32, 4)), torch.zeros(4, 32, dtype=torch.int64)
    sums_of_columns_as_rows[(1,)](x, out, M=4, N=32, mode="fast")
    assert torch.equal(out, 2 * x.T.cumsum(1))


@triton.jit
def sums_again_and_again(x_ptr, turns, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    for _ in range(turns):
        x = tl.cumsum(x, 1)
    tl.store(x_ptr + at, x)


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_block_that_a_loop_carries(turns: int):
    x = torch.randint(-9, 9, (4, 32))
    want = x.clone()
    for _ in range(turns):
        want = want.cumsum(1)
    sums_again_and_again[(1,)](x, turns, M=4, N=32, mode="fast")
    assert torch.equal(x, want)


@triton.jit
def sums_to_the_next_row(x_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(x_ptr + N // 2 + at, tl.cumsum(tl.load(x_ptr + at), 1))


def test_result_that_overlaps_what_is_scanned():
    x = torch.randint(-9, 9, (5, 32))
    want = x[:4].cumsum(1)
    sums_to_the_next_row[(1,)](x, M=4, N=32, mode="fast")
    assert torch.equal(x.reshape(-1)[16:144].reshape(4, 32), want)


@triton.jit
def sums_by_hand(x_ptr, out_ptr, N: tl.constexpr):
    total = tl.load(x_ptr)
    for i in range(1, N):
        total += tl.load(x_ptr + i)
        tl.store(out_ptr + i, total)


def test_loop_that_reads_what_it_has_stored_is_no_scan():
    x = torch.ones(18, dtype=torch.int32)
    sums_by_hand[(1,)](x, x[1:], N=16, mode="fast")
    assert x.tolist() == [1, 1, *(2**i for i in range(1, 16)), 1]


#
# Threads
#


@triton.jit
def running_sums(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    at = (tl.program_id(0) * M + tl.arange(0, M))[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.cumsum(tl.load(x_ptr + at), 1))


def test_result_does_not_depend_on_threads():
    x = torch.randn(256, 64)
    results = []
    for threads in (1, 2, 7):
        out = torch.empty_like(x)
        with library.launches(threads=threads):
            running_sums[(64,)](x, out, M=4, N=64, mode="fast")
        results.append(out)
    assert all(torch.equal(out, results[0]) for out in results)
    torch.testing.assert_close(results[0], x.cumsum(1))


@triton.jit
def scan_a_block_with_itself(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    _, out = tl.associative_scan((x, x), 0, compose)
    tl.store(out_ptr + at, out)


@pytest.mark.parametrize("mode", ["fast", "reference"])
def test_both_operands_may_be_the_same_block(mode: str):
    x = np.random.default_rng(1).integers(-100, 100, 64, dtype=np.int32)
    out = torch.empty(64, dtype=torch.int32)
    scan_a_block_with_itself[(1,)](torch.from_numpy(x), out, 64, mode=mode)
    wanted = [int(x[0])]
    for value in x[1:].tolist():
        wanted.append(value * wanted[-1] + value)
    wrapped = [(number + 2**31) % 2**32 - 2**31 for number in wanted]
    np.testing.assert_array_equal(out.numpy(), wrapped)
