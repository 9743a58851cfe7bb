"""Conversions: every pair of types, and of floats the numbers on both sides of each rounding."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import triton
import triton.language as tl
from values import (
    FLOATS,
    NUMBERS,
    SIGNED,
    SMALL_FLOATS,
    assert_same,
    given,
    is_integer,
    numbers,
    numpy_dtype,
    room,
    width,
    wrap,
)


@triton.jit
def convert(x_ptr, out_ptr, n, MODE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x.to(out_ptr.dtype.element_ty, fp_downcast_rounding=MODE), mask=at < n)


@triton.jit
def convert_scalar(x_ptr, out_ptr):
    at = tl.program_id(0)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(out_ptr.dtype.element_ty))


@triton.jit
def reinterpret(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, x.to(out_ptr.dtype.element_ty, bitcast=True))


def converted(x: np.ndarray, source: str, target: str, mode: str | None = None) -> np.ndarray:
    out, read = room(x.size, target)
    block = min(1024, triton.next_power_of_2(x.size))
    convert[(triton.cdiv(x.size, block),)](given(x, source), out, x.size, MODE=mode, BLOCK=block)
    return read()


# ---------------------------------------------------------------------------------------------
# References, from the list of a format's numbers
# ---------------------------------------------------------------------------------------------


def magnitudes(name: str) -> np.ndarray:
    """The finite numbers from zero up, as f64; their places are their patterns of bits."""
    count = 2 ** (width(name) - 1)
    patterns = np.arange(count, dtype=f"u{width(name) // 8}")
    values = patterns.view(numpy_dtype(name)).astype(np.float64)
    return values[np.isfinite(values)]


def narrowed(x: np.ndarray, name: str, towards_zero: bool = False) -> np.ndarray:
    """`x` in format `name`, to nearest with ties to even or towards zero.

    Beyond the largest number lies infinity in formats of 16 bits, the largest number in those
    of 8, where only rounding towards zero keeps an infinity.
    """
    known = magnitudes(name)
    size = np.abs(x.astype(np.float64))
    below = np.clip(np.searchsorted(known, size, side="right") - 1, 0, known.size - 1)
    above = np.minimum(below + 1, known.size - 1)
    # Both are exact: neighbours and what lies between them need no more bits than f64 has.
    rises = (size - known[below] > known[above] - size) | (
        (size - known[below] == known[above] - size) & (below % 2 == 1)
    )
    pattern = below if towards_zero else np.where(rises, above, below)
    dtype = numpy_dtype(name)
    result = pattern.astype(f"u{dtype.itemsize}").view(dtype).copy()
    has_infinity = bool(np.isinf(np.array(np.inf).astype(dtype)))
    step = known[-1] - known[-2]
    if width(name) == 16 and not towards_zero:
        result[size >= known[-1] + step / 2] = np.inf
    if has_infinity and (width(name) == 16 or towards_zero):
        result[np.isinf(size)] = np.inf
    result = np.where(np.signbit(x), -result, result).astype(dtype)
    result[np.isnan(x)] = np.nan
    return result


def near_every_rounding(name: str, source: str) -> np.ndarray:
    """Each number of `name` and each point half way to the next, with their neighbours."""
    known = magnitudes(name)
    last = known[-1] + (known[-1] - known[-2]) * np.array([0.5, 1.0, 2.0])
    dtype = numpy_dtype(source)
    points = np.concatenate([known, (known[1:] + known[:-1]) / 2, last]).astype(dtype)
    if source in ("float32", "float64"):
        with np.errstate(over="ignore"):
            neighbours = [np.nextafter(points, dtype.type(end)) for end in (np.inf, -np.inf)]
        points = np.concatenate([points, *neighbours])
    points = np.concatenate([points, -points, np.array([np.inf, -np.inf, np.nan], dtype=dtype)])
    return points


def all_of(name: str) -> np.ndarray:
    count = 2 ** width(name)
    return np.arange(count, dtype=f"u{width(name) // 8}").view(numpy_dtype(name))


# ---------------------------------------------------------------------------------------------
# Between integers, and between integers and floats
# ---------------------------------------------------------------------------------------------


EVERY_TYPE = ("bool", *NUMBERS)
EVERY_PAIR = [p for p in itertools.product(EVERY_TYPE, EVERY_TYPE) if p[0] != p[1]]
SOME_PAIRS = [
    p
    for p in EVERY_PAIR
    if "bool" in p or p[0] in ("float32", "int32", "uint8") or p[1] in ("float32", "int64")
]


def spread(chosen: list, everything: list) -> list:
    """`chosen` by default, the rest at night."""
    return [
        pytest.param(*case) if case in chosen else pytest.param(*case, marks=pytest.mark.nightly)
        for case in everything
    ]


def reference(x: np.ndarray, target: str) -> np.ndarray:
    dtype = numpy_dtype(target)
    if target == "bool":
        return x != 0
    if x.dtype.kind == "b":
        return x.astype(np.uint8).astype(dtype)
    if is_integer(target):
        return np.array([wrap(int(v), target) for v in x], dtype=dtype)
    with np.errstate(over="ignore"):
        if x.dtype.kind in "iu":
            return x.astype(np.float32 if target != "float64" else np.float64).astype(dtype)
        return narrowed(x, target) if width(target) == 16 else x.astype(dtype)


def fitting(x: np.ndarray, target: str) -> np.ndarray:
    """The elements that integer type `target` can hold once their fraction is cut off."""
    wide = x.astype(np.float64)
    low = 0.0 if target not in SIGNED else -(2.0 ** (width(target) - 1))
    high = 2.0 ** (width(target) - (target in SIGNED))
    return x[(wide > low - 1) & (wide < high) & ((wide > -1) | (target in SIGNED))]


@pytest.mark.parametrize(("source", "target"), spread(SOME_PAIRS, EVERY_PAIR))
def test_conversion(source: str, target: str):
    x = numbers(source)
    if source in FLOATS and is_integer(target):
        x = fitting(x, target)
    expected = reference(x, target)
    assert_same(converted(x, source, target), expected, x, what=f"{source} to {target}")
    out, read = room(x.size, target)
    convert_scalar[(x.size,)](given(x, source), out)
    assert_same(read(), expected, x, what=f"scalar {source} to {target}")


@pytest.mark.parametrize(
    ("name", "target"),
    [
        *itertools.product(("int64", "uint64"), ("float16", "float32", "float64")),
        *itertools.product(("int32", "uint32"), ("float16", "float32")),
    ],
)
def test_wide_integers_round_to_even(name: str, target: str):
    bits = np.finfo(target).nmant + 1
    top = width(name) - (name in SIGNED)
    if target == "float16":
        top = 16
    places = range(bits - 1, top)
    points = [(1 << p) + delta for p in places for delta in range(-3, 4)]
    points += [(3 << (p - 1)) + (1 << max(p - bits, 0)) + d for p in places for d in (-1, 0, 1)]
    points = [p for p in points if p < 2**top]
    x = np.array([-p if name in SIGNED and i % 2 else p for i, p in enumerate(points)])
    x = x.astype(numpy_dtype(name))
    with np.errstate(over="ignore"):
        expected = np.array([float(int(v)) for v in x]) if target == "float64" else None
        if target == "float32":
            expected = np.array([nearest_f32(int(v)) for v in x], dtype=np.float32)
        elif target == "float16":
            expected = narrowed(np.array([float(int(v)) for v in x]), "float16")
    assert_same(converted(x, name, target), expected, x, what=f"{name} to {target}")


def nearest_f32(number: int) -> np.float32:
    """Rounded once: f64 would round first."""
    excess = max(abs(number).bit_length() - 24, 0)
    whole, rest = divmod(abs(number), 1 << excess)
    half = (1 << excess) / 2
    if rest > half or (rest == half and whole % 2 and excess):
        whole += 1
    return np.float32(float(whole << excess) * (-1 if number < 0 else 1))


# ---------------------------------------------------------------------------------------------
# Between floats
# ---------------------------------------------------------------------------------------------


SMALL = ("float16", "bfloat16", *SMALL_FLOATS)
WIDENINGS = [
    (source, target)
    for source in SMALL
    for target in ("float16", "bfloat16", "float32", "float64")
    if width(source) < width(target)
]


@pytest.mark.parametrize(("source", "target"), WIDENINGS)
def test_widening_is_exact(source: str, target: str):
    x = all_of(source)
    expected = x.astype(np.float64).astype(numpy_dtype(target))
    assert_same(converted(x, source, target), expected, x, what=f"{source} to {target}")


NARROWINGS = [
    (source, target, mode)
    for source in ("float64", "float32", "float16", "bfloat16")
    for target in SMALL
    for mode in ("rtne", "rtz")
    if width(source) > width(target)
]
SOME_NARROWINGS = [case for case in NARROWINGS if case[0] == "float32" or case[1] == "float8e5"]


@pytest.mark.parametrize(("source", "target", "mode"), spread(SOME_NARROWINGS, NARROWINGS))
def test_narrowing_rounds_once(source: str, target: str, mode: str):
    if width(source) == 16:
        x = all_of(source)
    else:
        x = near_every_rounding(target, source)
    expected = narrowed(x, target, towards_zero=mode == "rtz")
    actual = converted(x, source, target, mode)
    assert_same(actual, expected, x, what=f"{source} to {target}, {mode}")


def test_f64_to_f32_towards_zero():
    x = np.array([1.0, 1 + 2**-24, 1 + 2**-23 - 2**-40, -1 - 2**-24, 1e300, -1e300, 1e-300, 3e-45])
    x = np.concatenate([x, [np.inf, -np.inf, np.nan, 0.0, -0.0, 2.0**-149 * 1.99, 2.0**-126 * 1.7]])
    nearest = np.float32(x)
    expected = np.where(np.abs(nearest) > np.abs(x), np.nextafter(nearest, np.float32(0)), nearest)
    actual = converted(x, "float64", "float32", "rtz")
    assert_same(actual, expected.astype(np.float32), x, what="f64 to f32 towards zero")


SAME_WIDTH = [
    (source, target)
    for group in (("float16", "bfloat16"), SMALL_FLOATS)
    for source, target in itertools.permutations(group, 2)
]


@pytest.mark.parametrize(("source", "target"), SAME_WIDTH)
def test_between_formats_of_one_width(source: str, target: str):
    x = all_of(source)
    actual = converted(x, source, target)
    assert_same(actual, narrowed(x.astype(np.float64), target), x, what=f"{source} to {target}")


# ---------------------------------------------------------------------------------------------
# fp8e4b15: sign, four bits of exponent with bias 15, three of mantissa; no NaN, no infinity
# ---------------------------------------------------------------------------------------------


def e4b15(patterns: np.ndarray) -> np.ndarray:
    exponent, mantissa = (patterns >> 3) & 15, patterns & 7
    size = np.where(
        exponent == 0, mantissa / 8 * 2.0**-14, (1 + mantissa / 8) * 2.0 ** (exponent - 15.0)
    )
    return np.where(patterns & 0x80, -size, size)


@pytest.mark.parametrize("target", ["float16", "bfloat16", "float32"])
def test_e4b15_widens_exactly(target: str):
    patterns = np.arange(256, dtype=np.uint8)
    actual = converted(patterns, "float8e4b15", target)
    assert_same(actual, e4b15(patterns).astype(numpy_dtype(target)), patterns)


@pytest.mark.parametrize("source", ["float16", "float32"])
def test_e4b15_comes_back(source: str):
    patterns = np.arange(256, dtype=np.uint8)
    values = e4b15(patterns)
    # 1.75 is the largest number that is made; the one above it is only read.
    values = np.clip(values, -1.75, 1.75)
    out, read = room(256, "uint8")
    convert[(1,)](
        given(values.astype(numpy_dtype(source)), source),
        triton.reinterpret(out, tl.float8e4b15),
        256,
        MODE="rtne",
        BLOCK=256,
    )
    np.testing.assert_array_equal(e4b15(read()), values)


# ---------------------------------------------------------------------------------------------
# Bits
# ---------------------------------------------------------------------------------------------

BITCASTS = [
    pair
    for pair in itertools.permutations((*NUMBERS, *SMALL_FLOATS), 2)
    if width(pair[0]) == width(pair[1])
]


@pytest.mark.parametrize(("source", "target"), BITCASTS)
def test_reinterpretation_keeps_bits(source: str, target: str):
    patterns = np.random.default_rng(5).integers(0, 256, 64 * width(source) // 8, dtype=np.uint8)
    out, read = room(64, target)
    reinterpret[(1,)](given(patterns.view(numpy_dtype(source)), source), out, N=64)
    np.testing.assert_array_equal(read().view(np.uint8), patterns)


# ---------------------------------------------------------------------------------------------
# Arithmetic of 8-bit floats
# ---------------------------------------------------------------------------------------------


@triton.jit
def add_and_multiply(x_ptr, y_ptr, sum_ptr, product_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(sum_ptr + at, x + y)
    tl.store(product_ptr + at, x * y)


@triton.jit
def compare(x_ptr, y_ptr, less_ptr, equal_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(less_ptr + at, x < y)
    tl.store(equal_ptr + at, x == y)


@pytest.mark.parametrize("name", SMALL_FLOATS)
def test_comparisons_of_8_bit_floats(name: str):
    some = all_of(name)[::8]
    x, y = np.repeat(some, some.size), np.tile(some, some.size)
    less, read_less = room(x.size, "bool")
    equal, read_equal = room(x.size, "bool")
    compare[(1,)](given(x, name), given(y, name), less, equal, N=x.size)
    wide = x.astype(np.float32), y.astype(np.float32)
    assert_same(read_less(), wide[0] < wide[1], x, y, what="<")
    assert_same(read_equal(), wide[0] == wide[1], x, y, what="==")


@pytest.mark.parametrize("name", SMALL_FLOATS)
def test_arithmetic_of_8_bit_floats(name: str):
    some = all_of(name)[::8]
    x, y = np.repeat(some, some.size), np.tile(some, some.size)
    made = [room(x.size, name) for _ in range(2)]
    add_and_multiply[(1,)](given(x, name), given(y, name), made[0][0], made[1][0], N=x.size)
    wide = x.astype(np.float32), y.astype(np.float32)
    with np.errstate(invalid="ignore"):
        results = wide[0] + wide[1], wide[0] * wide[1]
    for (_, read), result in zip(made, results, strict=True):
        expected = narrowed(result, name)
        finite = np.isfinite(result) & (np.abs(result) <= magnitudes(name)[-1])
        assert_same(read()[finite], expected[finite], x[finite], y[finite])
