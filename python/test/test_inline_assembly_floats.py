"""Inline assembly on floats, and conversions: PTX that only computes means the same here."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from inline_assembly import assembled
from values import assert_same, numbers, numpy_dtype, pairs

# ---------------------------------------------------------------------------------------------
# Floats
# ---------------------------------------------------------------------------------------------

FLOAT_BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
KINDS = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}


@pytest.mark.parametrize("operation", FLOAT_BINARY)
@pytest.mark.parametrize("name", KINDS)
def test_float_arithmetic(operation: str, name: str):
    x, y = pairs(name, name)
    wide = np.float64 if name == "float64" else np.float32
    with np.errstate(all="ignore"):
        expected = FLOAT_BINARY[operation](x.astype(wide), y.astype(wide)).astype(x.dtype)
    actual = assembled(f"{operation}.{KINDS[name]} $0, $1, $2;", x, y, result=name)
    assert_same(actual, expected, x, y, what=operation)
    actual = assembled(f"{operation}.rn.{KINDS[name]} $0, $1, $2;", x, y, result=name)
    assert_same(actual, expected, x, y, what=operation)


@pytest.mark.parametrize(("mode", "direction"), [("rm", -np.inf), ("rp", np.inf)])
def test_directed_float_arithmetic(mode: str, direction: float):
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 256)).astype(np.float32)
    exact = x.astype(np.float64) * y.astype(np.float64)
    nearest = exact.astype(np.float32)
    wrong = nearest > exact if direction < 0 else nearest < exact
    expected = np.where(wrong, np.nextafter(nearest, np.float32(direction)), nearest)
    assert_same(assembled(f"mul.{mode}.f32 $0, $1, $2;", x, y, result="float32"), expected, x, y)


def test_extremes_of_floats():
    x, y = pairs("float32", "float32")
    for text, function, keeps in (
        ("max", np.fmax, False),
        ("min", np.fmin, False),
        ("max.NaN", np.maximum, True),
        ("min.NaN", np.minimum, True),
    ):
        actual = assembled(f"{text}.f32 $0, $1, $2;", x, y, result="float32")
        with np.errstate(invalid="ignore"):
            expected = function(x, y)
        assert keeps == bool(np.isnan(actual[np.isnan(x) & ~np.isnan(y)]).all())
        np.testing.assert_array_equal(actual, expected)


def test_subnormal_numbers_are_flushed_where_asked():
    x = np.array([1e-40, -1e-40, 2.0**-126, 1.0, 2.0**-100, -0.0, np.inf, np.nan], dtype=np.float32)
    y = np.array([1.0, 1.0, 1.0, 1e-40, 2.0**-40, 1.0, 1.0, 1.0], dtype=np.float32)
    actual = assembled("mul.ftz.f32 $0, $1, $2;", x, y, result="float32")
    expected = np.array([0.0, -0.0, 2.0**-126, 0.0, 0.0, -0.0, np.inf, np.nan], dtype=np.float32)
    assert_same(actual, expected, x, y)


def test_results_between_zero_and_one_where_asked():
    x = np.array([-1.0, 0.25, 0.75, 3.0, np.inf, -np.inf, np.nan, 0.0], dtype=np.float32)
    y = np.full(8, 0.5, dtype=np.float32)
    actual = assembled("add.sat.f32 $0, $1, $2;", x, y, result="float32")
    assert_same(actual, np.array([0, 0.75, 1, 1, 1, 0, 0, 0.5], dtype=np.float32), x)


FUNCTIONS = {
    "ex2.approx.f32": np.exp2,
    "ex2.approx.ftz.f32": np.exp2,
    "lg2.approx.f32": np.log2,
    "lg2.approx.ftz.f32": np.log2,
    "rcp.approx.f32": lambda x: 1 / x,
    "rcp.approx.ftz.f32": lambda x: 1 / x,
    "rcp.rn.f32": lambda x: 1 / x,
    "sqrt.approx.f32": np.sqrt,
    "sqrt.approx.ftz.f32": np.sqrt,
    "sqrt.rn.f32": np.sqrt,
    "rsqrt.approx.f32": lambda x: 1 / np.sqrt(x),
    "rsqrt.approx.ftz.f32": lambda x: 1 / np.sqrt(x),
    "sin.approx.f32": np.sin,
    "sin.approx.ftz.f32": np.sin,
    "cos.approx.f32": np.cos,
    "cos.approx.ftz.f32": np.cos,
    "tanh.approx.f32": np.tanh,
    "neg.f32": np.negative,
    "abs.f32": np.abs,
}


@pytest.mark.parametrize("instruction", FUNCTIONS)
def test_functions(instruction: str):
    x = np.random.default_rng(8).uniform(0.1, 20, 64).astype(np.float32)
    actual = assembled(f"{instruction} $0, $1;", x, result="float32")
    expected = FUNCTIONS[instruction](x.astype(np.float64))
    np.testing.assert_allclose(actual, expected, rtol=3e-7)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_functions_of_two_halves(name: str):
    x = np.random.default_rng(8).uniform(-3, 3, 64).astype(numpy_dtype(name))
    kind = KINDS[name] + "x2"
    for instruction, function in (("tanh.approx", np.tanh), ("ex2.approx", np.exp2)):
        modifier = ".ftz" if name == "bfloat16" and instruction.startswith("ex2") else ""
        text = f"{instruction}{modifier}.{kind} $0, $1;"
        actual = assembled(text, x, result=name, pack=2, constraints="=r,r")
        assert_same(actual, function(x.astype(np.float32)).astype(x.dtype), x, what=text)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_fused_multiply_add_of_two_halves(name: str):
    x, y, z = np.random.default_rng(8).normal(size=(3, 64)).astype(numpy_dtype(name))
    text = f"fma.rn.{KINDS[name]}x2 $0, $1, $2, $3;"
    actual = assembled(text, x, y, z, result=name, pack=2, constraints="=r,r,r,r")
    exact = x.astype(np.float64) * y.astype(np.float64) + z.astype(np.float64)
    assert_same(actual, exact.astype(x.dtype), x, y, z)


def test_literals_of_floats():
    x = np.array([1.0, 2.0, 3.0, 4.0], dtype=np.float32)
    for literal, value in (("0f40490FDB", np.pi), ("1.5", 1.5), ("0d3FE0000000000000", 0.5)):
        actual = assembled(f"mul.f32 $0, $1, {literal};", x, result="float32")
        assert_same(actual, x * np.float32(value), x, what=literal)


# ---------------------------------------------------------------------------------------------
# Conversions
# ---------------------------------------------------------------------------------------------


def _clamped(function, name: str):
    info = np.iinfo(name)

    def convert(x: np.ndarray) -> np.ndarray:
        whole = np.nan_to_num(function(x.astype(np.float64)), nan=0.0, posinf=1e30, neginf=-1e30)
        return np.array([int(min(max(v, info.min), info.max)) for v in whole], dtype=name)

    return convert


CONVERSIONS = {
    "cvt.rni.s32.f32": ("float32", _clamped(np.rint, "int32")),
    "cvt.rzi.s32.f32": ("float32", _clamped(np.trunc, "int32")),
    "cvt.rmi.s32.f32": ("float32", _clamped(np.floor, "int32")),
    "cvt.rpi.s32.f32": ("float32", _clamped(np.ceil, "int32")),
    "cvt.rzi.u32.f32": ("float32", _clamped(np.trunc, "uint32")),
    "cvt.rni.s8.f32": ("float32", lambda x: _clamped(np.rint, "int8")(x).astype(np.int32)),
    "cvt.rzi.u8.f32": ("float32", lambda x: _clamped(np.trunc, "uint8")(x).astype(np.int32)),
    "cvt.rni.s32.f16": ("float16", _clamped(np.rint, "int32")),
    "cvt.rn.f32.s32": ("int32", lambda x: x.astype(np.float32)),
    "cvt.rn.f32.u32": ("uint32", lambda x: x.astype(np.float32)),
    "cvt.rn.f32.u8": ("int32", lambda x: (x & 0xFF).astype(np.float32)),
    "cvt.rn.f64.s32": ("int32", lambda x: x.astype(np.float64)),
    "cvt.rn.f16.s32": ("int32", lambda x: x.astype(np.float32).astype(np.float16)),
    "cvt.f32.f16": ("float16", lambda x: x.astype(np.float32)),
    "cvt.f32.bf16": ("bfloat16", lambda x: x.astype(np.float32)),
    "cvt.rn.f16.f32": ("float32", lambda x: x.astype(np.float16)),
    "cvt.rn.bf16.f32": ("float32", lambda x: x.astype(ml_dtypes.bfloat16)),
    "cvt.rn.f32.f64": ("float64", lambda x: x.astype(np.float32)),
    "cvt.f64.f32": ("float32", lambda x: x.astype(np.float64)),
    "cvt.rni.f32.f32": ("float32", np.rint),
    "cvt.rmi.f32.f32": ("float32", np.floor),
}


@pytest.mark.parametrize("instruction", CONVERSIONS)
def test_conversions(instruction: str):
    name, function = CONVERSIONS[instruction]
    x = numbers(name)
    if not name.endswith(("32", "64")) or name.startswith("float"):
        more = np.array(
            [0.5, 1.5, 2.5, -0.5, -1.5, 127.5, 128.0, 255.5, 300.0, -200.0, 70000.0, 3e9]
        )
        with np.errstate(over="ignore"):
            x = np.concatenate([x, more.astype(x.dtype), x[:4]])
    with np.errstate(all="ignore"):
        expected = function(x)
    actual = assembled(f"{instruction} $0, $1;", x, result=expected.dtype.name)
    assert_same(actual, expected, x, what=instruction)


def test_narrowing_towards_zero():
    x = np.random.default_rng(3).normal(size=64).astype(np.float32)
    actual = assembled("cvt.rz.bf16.f32 $0, $1;", x, result="bfloat16")
    expected = (x.view(np.uint32) >> 16).astype(np.uint16).view(ml_dtypes.bfloat16)
    assert_same(actual, expected, x)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_two_floats_in_one_register(name: str):
    """The first operand is the upper half."""
    x, y = np.random.default_rng(3).normal(size=(2, 64)).astype(np.float32)
    text = f"cvt.rn.{KINDS[name]}x2.f32 $0, $1, $2;"
    actual = assembled(text, x, y, result="int32", constraints="=r,f,f")
    halves = actual.view(numpy_dtype(name)).reshape(-1, 2)
    assert_same(halves[:, 1].copy(), x.astype(numpy_dtype(name)), x)
    assert_same(halves[:, 0].copy(), y.astype(numpy_dtype(name)), y)


@pytest.mark.parametrize(
    ("word", "dtype"), [("e4m3x2", ml_dtypes.float8_e4m3fn), ("e5m2x2", ml_dtypes.float8_e5m2)]
)
def test_two_floats_in_two_bytes(word: str, dtype: type):
    x, y = np.random.default_rng(3).normal(size=(2, 64)).astype(np.float32) * 100
    actual = assembled(
        f"cvt.rn.satfinite.{word}.f32 $0, $1, $2;", x, y, result="int16", constraints="=h,f,f"
    )
    pairs_of_bytes = actual.view(dtype).reshape(-1, 2)
    most = float(ml_dtypes.finfo(dtype).max)
    assert_same(pairs_of_bytes[:, 1].copy(), np.clip(x, -most, most).astype(dtype), x)
    assert_same(pairs_of_bytes[:, 0].copy(), np.clip(y, -most, most).astype(dtype), y)
    back = assembled(f"cvt.rn.f16x2.{word} $0, $1;", actual, result="int32", constraints="=r,h")
    np.testing.assert_array_equal(back.view(np.float16), actual.view(dtype).astype(np.float16))


# Every number of e2m1, every middle between two, and what is beside the middles.
FOURTHS = np.arange(-28, 29, dtype=np.float32) / 4
AROUND = np.concatenate(
    [FOURTHS, np.nextafter(FOURTHS, np.float32(9)), np.nextafter(FOURTHS, np.float32(-9))]
)
ENDS = np.array([-0.0, 1e30, -1e30, 1e-40, -1e-40], np.float32)
FLOATS4 = np.resize(np.concatenate([AROUND, ENDS]), 256)


def halves_of_bytes(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    """The numbers as e2m1, which has no number beyond 6, two in a byte."""
    high, low = (
        np.clip(x, -6, 6).astype(ml_dtypes.float4_e2m1fn).view(np.uint8) & 15
        for x in (upper, lower)
    )
    return (high.astype(np.int32) << 4) | low


@pytest.mark.parametrize(
    "leave",
    ["cvt.u32.u8 $0, t;", ".reg .b32 w; mov.b32 w, {t, t, t, t}; and.b32 $0, w, 255;"],
    ids=["converted", "put_together"],
)
def test_two_floats_in_the_halves_of_a_byte(leave: str):
    x, y = FLOATS4, FLOATS4[::-1].copy()
    actual = assembled(
        f"{{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, $1, $2; {leave} }}",
        x, y, result="int32", constraints="=r,f,f",
    )  # fmt: skip
    assert_same(actual, halves_of_bytes(x, y), x, y)


def test_what_is_no_number_becomes_the_largest_of_four_bits():
    x = np.array([np.nan, -np.nan, np.inf, -np.inf], np.float32)
    actual = assembled(
        "{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, $1, $2; cvt.u32.u8 $0, t; }",
        x, np.zeros_like(x), result="int32", constraints="=r,f,f",
    )  # fmt: skip
    assert actual.tolist() == [0x70, 0x70, 0x70, 0xF0]


def test_floats_from_the_halves_of_a_byte():
    x = np.arange(256, dtype=np.int32)
    actual = assembled(
        "{ .reg .b8 t; cvt.u8.u32 t, $1; cvt.rn.f16x2.e2m1x2 $0, t; }",
        x, result="int32", constraints="=r,r",
    )  # fmt: skip
    halves = actual.view(np.float16).reshape(-1, 2)
    numbers4 = [
        (part.astype(np.uint8)).view(ml_dtypes.float4_e2m1fn).astype(np.float16)
        for part in (x & 15, x >> 4)
    ]
    assert_same(halves[:, 0].copy(), numbers4[0], x)
    assert_same(halves[:, 1].copy(), numbers4[1], x)


def test_f32_with_ten_bits_of_mantissa():
    x = np.array([1.0, 1 + 2**-10, 1 + 2**-11, 1 + 3 * 2**-11, -1 - 2**-11, 1e-3], dtype=np.float32)
    x = np.concatenate([x, np.array([np.inf, np.nan], dtype=np.float32)])
    actual = assembled("cvt.rna.tf32.f32 $0, $1;", x, result="float32", constraints="=f,f")
    patterns = ((x.view(np.uint32) + 0x1000) & 0xFFFFE000).view(np.float32)
    assert_same(actual, np.where(np.isnan(x), x, patterns), x)
