"""Functions of one element: signs, roots, exponentials, rounding, and integers' upper halves."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special
import torch
import triton
import triton.language as tl
from kernels import apply
from triton.language.extra import libdevice
from values import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    assert_same,
    given,
    is_integer,
    numbers,
    numpy_dtype,
    pairs,
    room,
    width,
    wrap,
)

# ---------------------------------------------------------------------------------------------
# Signs and bits: exact
# ---------------------------------------------------------------------------------------------


@triton.jit
def negate(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, -tl.load(x_ptr + at))


@triton.jit
def invert(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, ~tl.load(x_ptr + at))


@triton.jit
def absolute(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.abs(tl.load(x_ptr + at)))


@triton.jit
def absolute_scalar(x_ptr, out_ptr):
    at = tl.program_id(0)
    tl.store(out_ptr + at, tl.abs(tl.load(x_ptr + at)))


@triton.jit
def logical_not(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, not tl.load(x_ptr + at))


def sixteen(kernel, name: str, result: str = "", **options) -> tuple[np.ndarray, np.ndarray]:
    """The sixteen numbers of type `name`, and what the kernel makes of them."""
    x = numbers(name)
    out, read = room(x.size, result or name)
    kernel[(1,)](given(x, name), out, N=x.size, **options)
    return x, read()


def of_integers(rule, x: np.ndarray, name: str) -> np.ndarray:
    return np.array([wrap(rule(int(v)), name) for v in x], dtype=numpy_dtype(name))


@pytest.mark.parametrize("name", NUMBERS)
def test_negation(name: str):
    """Triton 3.6 and 3.7 subtract from zero: there, `-x` of 0.0 is 0.0."""
    x, actual = sixteen(negate, name)
    subtracts = triton.__version__.startswith(("3.6", "3.7"))
    negated = (0 - x).astype(x.dtype) if subtracts else np.negative(x)
    expected = of_integers(lambda v: -v, x, name) if is_integer(name) else negated
    assert_same(actual, expected, x, what="-x")


@pytest.mark.parametrize("name", INTEGERS)
def test_inversion(name: str):
    x, actual = sixteen(invert, name)
    assert_same(actual, ~x, x, what="~x")


@pytest.mark.parametrize("name", NUMBERS)
def test_absolute_value(name: str):
    x, actual = sixteen(absolute, name)
    expected = of_integers(abs, x, name) if is_integer(name) else np.abs(x)
    assert_same(actual, expected, x, what="|x|")
    out, read = room(x.size, name)
    absolute_scalar[(x.size,)](given(x, name), out)
    assert_same(read(), expected, x, what="|scalar x|")


@pytest.mark.parametrize(
    "name", ["float8e4nv", "float8e5", "float8e4b15", "float8e4b8", "float8e5b16"]
)
def test_absolute_value_of_8_bit_floats(name: str):
    x = np.arange(256, dtype=np.uint8)
    out, read = room(256, "uint8")
    absolute[(1,)](
        triton.reinterpret(given(x, "uint8"), getattr(tl, name)),
        triton.reinterpret(out, getattr(tl, name)),
        N=256,
    )
    # In two of these formats the sign bit alone is NaN, which stays what it is.
    expected = np.where(x == 0x80, x, x & 0x7F) if name.endswith(("b8", "b16")) else x & 0x7F
    if name == "float8e4b15":  # This one has neither NaN nor infinity.
        np.testing.assert_array_equal(read(), expected)
    else:
        dtype = numpy_dtype(name)
        assert_same(read().view(dtype), expected.view(dtype), x, what="|x|")


# ---------------------------------------------------------------------------------------------
# Integers
# ---------------------------------------------------------------------------------------------


@triton.jit
def upper_half(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.umulhi(tl.load(x_ptr + at), tl.load(y_ptr + at)))


@pytest.mark.parametrize("name", ["int32", "uint32", "int64", "uint64"])
def test_upper_half_of_an_unsigned_product(name: str):
    x, y = pairs(name, name)
    out, read = room(x.size, name)
    upper_half[(1,)](given(x, name), given(y, name), out, N=x.size)
    mask = 2 ** width(name) - 1
    halves = [
        wrap(((int(a) & mask) * (int(b) & mask)) >> width(name), name)
        for a, b in zip(x, y, strict=True)
    ]
    assert_same(read(), np.array(halves, dtype=x.dtype), x, y, what="umulhi")


@triton.jit
def divide_up(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.cdiv(tl.load(x_ptr + at), tl.load(y_ptr + at)))


@pytest.mark.parametrize("name", ["int32", "int64", "uint32"])
def test_division_rounded_up(name: str):
    x = np.arange(0, 64, dtype=numpy_dtype(name))
    y = np.tile(np.array([1, 3, 7, 16], dtype=numpy_dtype(name)), 16)
    out, read = room(64, name)
    divide_up[(1,)](given(x, name), given(y, name), out, N=64)
    assert_same(read(), (x + y - 1) // y, x, y, what="cdiv")


# ---------------------------------------------------------------------------------------------
# Floats: rounding is exact, functions are the C library's
# ---------------------------------------------------------------------------------------------


REFERENCES = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": scipy.special.erf,
    "floor": np.floor,
    "ceil": np.ceil,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}

EXACT = ("sqrt", "floor", "ceil")


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("function", REFERENCES)
def test_functions(function: str, name: str):
    x, actual = sixteen(apply, name, NAME=function)
    with np.errstate(all="ignore"):
        if function in EXACT:
            assert_same(actual, REFERENCES[function](x), x, what=function)
            return
        expected = REFERENCES[function](
            x.astype(np.longdouble if function != "erf" else np.float64)
        )
        expected = expected.astype(x.dtype)
    # The largest numbers are turns that f64 cannot reduce either.
    known = np.abs(x.astype(np.float64)) < 1e30 if function in ("sin", "cos") else slice(None)
    tolerance = 3 * np.finfo(x.dtype).eps
    np.testing.assert_allclose(actual[known], expected[known], rtol=tolerance, atol=0)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@pytest.mark.parametrize("function", [f for f in REFERENCES if f != "sigmoid"])
def test_functions_refuse_16_bits(function: str, name: str):
    with pytest.raises(triton.CompilationError) as caught:
        sixteen(apply, name, NAME=function)
    assert "Expected dtype" in str(caught.value.__cause__)


@triton.jit
def precise(x_ptr, y_ptr, outs, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(outs[0] + at, tl.div_rn(x, y))
    tl.store(outs[1] + at, tl.sqrt_rn(x))
    tl.store(outs[2] + at, tl.fdiv(x, y))
    tl.store(outs[3] + at, tl.fdiv(x, y, ieee_rounding=True))


def test_precise_division_and_root():
    x, y = pairs("float32", "float32")
    made = [room(x.size, "float32") for _ in range(4)]
    precise[(1,)](given(x, "float32"), given(y, "float32"), tuple(m[0] for m in made), N=x.size)
    with np.errstate(all="ignore"):
        for (_, read), expected in zip(made, (x / y, np.sqrt(x), x / y, x / y), strict=True):
            assert_same(read(), expected, x, y)


@triton.jit
def fused(x_ptr, y_ptr, z_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y, z = tl.load(x_ptr + at), tl.load(y_ptr + at), tl.load(z_ptr + at)
    tl.store(out_ptr + at, tl.fma(x, y, z))


@pytest.mark.parametrize("name", FLOATS)
def test_fused_multiply_add_rounds_once(name: str):
    rng = np.random.default_rng(3)
    x, y = (rng.normal(size=256).astype(numpy_dtype(name)) for _ in range(2))
    # The product's rounding error is what is left.
    z = (-(x.astype(np.float64) * y.astype(np.float64))).astype(numpy_dtype(name))
    out, read = room(256, name)
    fused[(1,)](given(x, name), given(y, name), given(z, name), out, N=256)
    wide = np.longdouble if name == "float64" else np.float64
    exact = x.astype(wide) * y.astype(wide) + z.astype(wide)
    if name == "float64":  # Two pieces hold the product exactly; their difference is exact too.
        from fractions import Fraction

        exact = [
            Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
            for a, b, c in zip(x, y, z, strict=True)
        ]
        exact = np.array([float(v) for v in exact])
    assert_same(read(), exact.astype(numpy_dtype(name)), x, y, z, what="fma")


# ---------------------------------------------------------------------------------------------
# Clamping
# ---------------------------------------------------------------------------------------------


@triton.jit
def clamp(x_ptr, out_ptr, low_ptr, high_ptr, NAN: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, low, high = tl.load(x_ptr + at), tl.load(low_ptr + at), tl.load(high_ptr + at)
    tl.store(out_ptr + at, tl.clamp(x, low, high, propagate_nan=NAN))


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("propagates", [False, True])
def test_clamping(propagates: bool, name: str):
    x = numbers(name)
    low = np.full(x.size, -2.0).astype(x.dtype)
    high = np.full(x.size, 1.25).astype(x.dtype)
    out, read = room(x.size, name)
    mode = tl.PropagateNan.ALL if propagates else tl.PropagateNan.NONE
    clamp[(1,)](given(x, name), out, given(low, name), given(high, name), NAN=mode, N=x.size)
    with np.errstate(invalid="ignore"):
        expected = np.clip(x, low, high).astype(x.dtype)
    if not propagates:
        expected = np.where(np.isnan(x), low, expected).astype(x.dtype)
    assert_same(read(), expected, x, what="clamp")


@triton.jit
def exact_bits(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(out_ptr + at, tl.math.sqrt_rn(x).to(tl.int32, bitcast=True))
    tl.store(out_ptr + N + at, tl.math.div_rn(x, y).to(tl.int32, bitcast=True))
    tl.store(out_ptr + 2 * N + at, tl.fma(x, y, 1.0).to(tl.int32, bitcast=True))
    root = libdevice.sqrt_rn(x) + 0.0
    tl.store(out_ptr + 3 * N + at, root.to(tl.int32, bitcast=True))
    quotient = libdevice.div_rn(x, y) + 0.0
    tl.store(out_ptr + 4 * N + at, quotient.to(tl.int32, bitcast=True))


def test_exact_functions_are_rounded_once():
    """Bit by bit, as numbers that a GPU must agree on."""
    n = 4096
    rng = torch.Generator().manual_seed(3)
    x = torch.randint(1, 0x7F800000, (n,), dtype=torch.int32, generator=rng).view(torch.float32)
    y = torch.randn(n, generator=rng)
    x[:8] = torch.tensor([0.0, 1.0, 4.0, 2.0, 3.0, float("inf"), 1e-45, 3.4e38])
    out = torch.zeros(5, n, dtype=torch.int32)
    exact_bits[(1,)](x, y, out, N=n)
    root = x.double().sqrt().float().view(torch.int32)
    quotient = (x.double() / y.double()).float().view(torch.int32)
    assert torch.equal(out[0], root)
    assert torch.equal(out[3], root)
    # Both divisions round once: f64 first may round subnormal quotients twice.
    ratio = quotient.view(torch.float32).abs()
    is_normal = (ratio > 2.0**-126) & ratio.isfinite()
    assert torch.equal(out[1][is_normal], quotient[is_normal])
    assert torch.equal(out[4], out[1])
