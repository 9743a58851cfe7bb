"""Inline assembly: PTX instructions that only compute mean the same on the CPU."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton_shared import CompilationError
from values import assert_same, given, numbers, numpy_dtype, pairs, room, width, wrap


@triton.jit
def assemble(
    inputs,
    out_ptr,
    TEXT: tl.constexpr,
    CONSTRAINTS: tl.constexpr,
    PACK: tl.constexpr,
    N: tl.constexpr,
):
    at = tl.arange(0, N)
    x = tl.load(inputs[0] + at)
    if len(inputs) == 1:
        args = (x,)
    elif len(inputs) == 2:
        args = (x, tl.load(inputs[1] + at))
    else:
        args = (x, tl.load(inputs[1] + at), tl.load(inputs[2] + at))
    y = tl.inline_asm_elementwise(TEXT, CONSTRAINTS, args, out_ptr.dtype.element_ty, True, PACK)
    tl.store(out_ptr + at, y)


LETTERS = {"int8": "r", "uint8": "r", "int16": "h", "uint16": "h", "float16": "h", "bfloat16": "h"}
LETTERS |= {"int32": "r", "uint32": "r", "float32": "f", "int64": "l", "uint64": "l"}
LETTERS |= {"float64": "d"}


def assembled(
    text: str, *inputs: np.ndarray, result: str, pack: int = 1, constraints: str = ""
) -> np.ndarray:
    """What `text` makes of the inputs; by default each element has a register of its own."""
    names = [x.dtype.name for x in inputs]
    letters = ["=" + LETTERS[result], *[LETTERS[name] for name in names]]
    out, read = room(inputs[0].size, result)
    assemble[(1,)](
        tuple(given(x, name) for x, name in zip(inputs, names, strict=True)),
        out,
        TEXT=text,
        CONSTRAINTS=constraints or ",".join(letters),
        PACK=pack,
        N=inputs[0].size,
    )
    return read()


# ---------------------------------------------------------------------------------------------
# Integers
# ---------------------------------------------------------------------------------------------


BINARY = {
    "add": lambda x, y, w: x + y,
    "sub": lambda x, y, w: x - y,
    "mul.lo": lambda x, y, w: x * y,
    "mul.hi": lambda x, y, w: (x * y) >> w,
    "min": lambda x, y, w: min(x, y),
    "max": lambda x, y, w: max(x, y),
}


@pytest.mark.parametrize("operation", BINARY)
@pytest.mark.parametrize("name", ["int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integer_arithmetic(operation: str, name: str):
    x, y = pairs(name, name)
    suffix = ("u" if name.startswith("u") else "s") + str(width(name))
    actual = assembled(f"{operation}.{suffix} $0, $1, $2;", x, y, result=name)
    rule = BINARY[operation]
    expected = [wrap(rule(int(a), int(b), width(name)), name) for a, b in zip(x, y, strict=True)]
    assert_same(actual, np.array(expected, dtype=x.dtype), x, y, what=operation)


@pytest.mark.parametrize("name", ["int32", "uint32", "int64"])
def test_integer_division(name: str):
    x, y = pairs(name, name)
    y[y == 0] = 5
    suffix = ("u" if name.startswith("u") else "s") + str(width(name))
    quotient = assembled(f"div.{suffix} $0, $1, $2;", x, y, result=name)
    rest = assembled(f"rem.{suffix} $0, $1, $2;", x, y, result=name)
    expected = [wrap(_exact_quotient(int(a), int(b)), name) for a, b in zip(x, y, strict=True)]
    assert_same(quotient, np.array(expected, dtype=x.dtype), x, y, what="div")
    left = [
        wrap(int(a) - _exact_quotient(int(a), int(b)) * int(b), name)
        for a, b in zip(x, y, strict=True)
    ]
    assert_same(rest, np.array(left, dtype=x.dtype), x, y, what="rem")


def _exact_quotient(x: int, y: int) -> int:
    return (-1 if (x < 0) != (y < 0) else 1) * (abs(x) // abs(y))


def _u32(x: int) -> int:
    return x & 0xFFFFFFFF


def _prmt(x: int, y: int, selector: int) -> int:
    both = (_u32(x) | _u32(y) << 32).to_bytes(8, "little")
    picked = []
    for i in range(4):
        digit = selector >> (4 * i)
        byte = both[digit & 7]
        picked.append((0xFF if byte & 0x80 else 0) if digit & 8 else byte)
    return int.from_bytes(bytes(picked), "little")


def _bfe(x: int, place: int, length: int, signed: bool) -> int:
    """PTX's own description: a field, its sign bit taken from inside of the number."""
    place, length = place & 0xFF, length & 0xFF
    top = min(place + length - 1, 31)
    sign = _u32(x) >> top & 1 if signed and length else 0
    return sum(
        (_u32(x) >> (place + i) & 1 if i < length and place + i <= 31 else sign) << i
        for i in range(32)
    )


def _bfi(x: int, y: int, place: int, length: int) -> int:
    result = _u32(y)
    for i in range(length & 0xFF):
        at = (place & 0xFF) + i
        if at < 32:
            result = result & ~(1 << at) | (_u32(x) >> i & 1) << at
    return result


WITH_THREE = {
    "shf.l.wrap.b32": lambda a, b, c: ((_u32(b) << 32 | _u32(a)) << (c & 31)) >> 32,
    "shf.r.wrap.b32": lambda a, b, c: (_u32(b) << 32 | _u32(a)) >> (c & 31),
    "shf.l.clamp.b32": lambda a, b, c: ((_u32(b) << 32 | _u32(a)) << min(_u32(c), 32)) >> 32,
    "shf.r.clamp.b32": lambda a, b, c: (_u32(b) << 32 | _u32(a)) >> min(_u32(c), 32),
    "mad.lo.s32": lambda a, b, c: a * b + c,
    "mad.hi.u32": lambda a, b, c: (_u32(a) * _u32(b) >> 32) + c,
    "prmt.b32": _prmt,
    "bfe.u32": lambda a, b, c: _bfe(a, b, c, False),
    "bfe.s32": lambda a, b, c: _bfe(a, b, c, True),
    "sad.s32": lambda a, b, c: abs(a - b) + c,
}


def three_columns() -> list[np.ndarray]:
    some = np.concatenate([numbers("int32", 4), np.arange(-2, 70, dtype=np.int32)])
    rng = np.random.default_rng(9)
    rest = [np.resize(rng.permutation(some), 512) for _ in range(2)]
    return [rng.integers(-(2**31), 2**31, 512, dtype=np.int64).astype(np.int32), *rest]


@pytest.mark.parametrize("instruction", WITH_THREE)
def test_instructions_of_three_integers(instruction: str):
    columns = three_columns()
    actual = assembled(f"{instruction} $0, $1, $2, $3;", *columns, result="int32")
    rule = WITH_THREE[instruction]
    expected = [wrap(rule(*map(int, v)), "int32") for v in zip(*columns, strict=True)]
    assert_same(actual, np.array(expected, dtype=np.int32), *columns, what=instruction)


@pytest.mark.parametrize("table", [0xEA, 0xF8, 0x96, 0xCA, 0x00, 0xFF, 0x1B])
def test_any_function_of_three_bits(table: int):
    columns = three_columns()
    actual = assembled(f"lop3.b32 $0, $1, $2, $3, {table:#x};", *columns, result="int32")
    a, b, c = columns
    expected = np.zeros_like(a)
    for entry in range(8):
        if table >> entry & 1:
            term = a if entry & 4 else ~a
            term = term & (b if entry & 2 else ~b)
            expected |= term & (c if entry & 1 else ~c)
    assert_same(actual, expected, *columns, what=f"lop3 {table:#x}")


def test_a_field_put_into_a_number():
    x, y, place = three_columns()
    for length in (0, 1, 5, 31, 32, 40, 256 + 3):
        actual = assembled(f"bfi.b32 $0, $1, $2, $3, {length};", x, y, place, result="int32")
        expected = [
            wrap(_bfi(int(a), int(b), int(p), length), "int32")
            for a, b, p in zip(x, y, place, strict=True)
        ]
        assert_same(actual, np.array(expected, dtype=np.int32), x, y, place, what=f"bfi {length}")


@pytest.mark.parametrize("name", ["int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_shifts_beyond_the_width(name: str):
    """Nothing is left, or the sign."""
    x = np.repeat(numbers(name), 16)
    y = np.tile(
        np.array([0, 1, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 255, 256, 2**31], np.uint32), 16
    )
    letter = "u" if name.startswith("u") else "s"
    bits = width(name)
    right = assembled(f"shr.{letter}{bits} $0, $1, $2;", x, y, result=name)
    left = assembled(f"shl.b{bits} $0, $1, $2;", x, y, result=name)
    expected = [wrap(int(a) >> int(b), name) for a, b in zip(x, y, strict=True)]
    assert_same(right, np.array(expected, dtype=x.dtype), x, y, what="shr")
    expected = [wrap(int(a) << min(int(b), 64), name) for a, b in zip(x, y, strict=True)]
    assert_same(left, np.array(expected, dtype=x.dtype), x, y, what="shl")


UNARY = {
    "neg.s32": lambda x: -x,
    "abs.s32": abs,
    "not.b32": lambda x: ~x,
    "cnot.b32": lambda x: int(x == 0),
    "brev.b32": lambda x: int(f"{_u32(x):032b}"[::-1], 2),
    "popc.b32": lambda x: _u32(x).bit_count(),
    "clz.b32": lambda x: 32 - _u32(x).bit_length(),
    "mov.b32": lambda x: x,
    "cvt.s32.s8": lambda x: wrap(x, "int8"),
    "cvt.u32.u8": lambda x: x & 0xFF,
    "cvt.s32.s16": lambda x: wrap(x, "int16"),
    "cvt.s8.s32": lambda x: wrap(x, "int8"),
    "cvt.u16.u32": lambda x: x & 0xFFFF,
    "cvt.sat.s8.s32": lambda x: max(-128, min(x, 127)),
    "cvt.sat.u8.s32": lambda x: max(0, min(x, 255)),
    "cvt.sat.s16.u32": lambda x: min(_u32(x), 32767),
    "cvt.sat.u32.s32": lambda x: max(x, 0),
    "cvt.sat.s32.u32": lambda x: min(_u32(x), 2**31 - 1),
}


@pytest.mark.parametrize("instruction", UNARY)
def test_instructions_of_one_integer(instruction: str):
    x, _, _ = three_columns()
    x[:16] = numbers("int32")
    actual = assembled(f"{instruction} $0, $1;", x, result="int32")
    expected = [wrap(UNARY[instruction](int(v)), "int32") for v in x]
    assert_same(actual, np.array(expected, dtype=np.int32), x, what=instruction)


def test_products_of_twice_the_width():
    x, y = pairs("int32", "int32")
    expected = x.astype(np.int64) * y.astype(np.int64)
    assert_same(assembled("mul.wide.s32 $0, $1, $2;", x, y, result="int64"), expected, x, y)
    z = np.arange(256, dtype=np.int64) << 30
    actual = assembled("mad.wide.s32 $0, $1, $2, $3;", x, y, z, result="int64")
    assert_same(actual, expected + z, x, y, z)


# ---------------------------------------------------------------------------------------------
# Predicates
# ---------------------------------------------------------------------------------------------

COMPARISONS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal}
COMPARISONS |= {"gt": np.greater, "ge": np.greater_equal}


@pytest.mark.parametrize("comparison", COMPARISONS)
@pytest.mark.parametrize("name", ["int32", "uint32", "float32", "float64"])
def test_choosing_by_a_predicate(comparison: str, name: str):
    x, y = pairs(name, name)
    kind = {"int32": "s32", "uint32": "u32", "float32": "f32", "float64": "f64"}[name]
    text = f"{{ .reg .pred p; setp.{comparison}.{kind} p, $1, $2; selp.{kind} $0, $1, $2, p; }}"
    with np.errstate(invalid="ignore"):
        expected = np.where(COMPARISONS[comparison](x, y), x, y)
    if comparison == "ne":  # Ordered: of NaN, neither equality nor its opposite holds.
        expected = np.where(np.isnan(x) | np.isnan(y), y, expected) if kind[0] == "f" else expected
    assert_same(assembled(text, x, y, result=name), expected, x, y, what=comparison)


def test_a_guard_keeps_the_old_value():
    x, y = pairs("int32", "int32")
    text = """
        {
            .reg .pred p, q;
            setp.lt.s32 p, $1, $2;
            not.pred q, p;
            mov.u32 $0, 7;
            @p mov.u32 $0, $1;   // where x < y
            @!q add.s32 $0, $0, 1;
        }
    """
    expected = np.where(x < y, x + np.int32(1), 7).astype(np.int32)
    assert_same(assembled(text, x, y, result="int32"), expected, x, y)


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
    "rcp.approx.f32": lambda x: 1 / x,
    "rcp.approx.ftz.f32": lambda x: 1 / x,
    "rcp.rn.f32": lambda x: 1 / x,
    "sqrt.approx.f32": np.sqrt,
    "sqrt.rn.f32": np.sqrt,
    "rsqrt.approx.f32": lambda x: 1 / np.sqrt(x),
    "sin.approx.f32": np.sin,
    "cos.approx.f32": np.cos,
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


def test_f32_with_ten_bits_of_mantissa():
    x = np.array([1.0, 1 + 2**-10, 1 + 2**-11, 1 + 3 * 2**-11, -1 - 2**-11, 1e-3], dtype=np.float32)
    x = np.concatenate([x, np.array([np.inf, np.nan], dtype=np.float32)])
    actual = assembled("cvt.rna.tf32.f32 $0, $1;", x, result="float32", constraints="=f,f")
    patterns = ((x.view(np.uint32) + 0x1000) & 0xFFFFE000).view(np.float32)
    assert_same(actual, np.where(np.isnan(x), x, patterns), x)


# ---------------------------------------------------------------------------------------------
# Packs
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["int8", "uint8"])
def test_four_bytes_in_one_register(name: str):
    x = np.arange(256, dtype=np.uint8).view(name)
    text = "and.b32 $0, $1, 0x1F1F1F1F; shl.b32 $0, $0, 3;"
    actual = assembled(text, x, result=name, pack=4)
    assert_same(actual, ((x.view(np.uint8) & 0x1F) << 3).view(name), x)


@triton.jit
def two_results(x_ptr, y_ptr, sum_ptr, difference_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    a, b = tl.inline_asm_elementwise(
        """
        add.s32 $0, $2, $3;  // the sum
        sub.s32 $1, $2, $3;  /* the
                                difference */
        """,
        "=r,=r,r,r",
        [x, y],
        (tl.int32, tl.int32),
        False,
        1,
    )
    tl.store(sum_ptr + at, a)
    tl.store(difference_ptr + at, b)


def test_several_results_of_two_dimensions():
    x, y = torch.randint(-1000, 1000, (2, 8, 16), dtype=torch.int32)
    a, b = torch.empty_like(x), torch.empty_like(x)
    two_results[(1,)](x, y, a, b, M=8, N=16)
    assert torch.equal(a, x + y)
    assert torch.equal(b, x - y)


@triton.jit
def bytes_and_floats(a_ptr, b_ptr, c_ptr, d_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    c, d = tl.inline_asm_elementwise(
        """
        {
            .reg .b8 part<4>;
            mov.b32 {part0, part1, part2, part3}, $8;
            cvt.u32.u8 $0, part0;
            cvt.u32.u8 $1, part1;
            cvt.u32.u8 $2, part2;
            cvt.u32.u8 $3, part3;
        }
        {
            .reg .f32 value;
            cvt.rn.f32.s32 value, $0;
            min.f32 $4, value, $9;
            cvt.rn.f32.s32 value, $1;
            min.f32 $5, value, $10;
            cvt.rn.f32.s32 value, $2;
            min.f32 $6, value, $11;
            cvt.rn.f32.s32 value, $3;
            min.f32 $7, value, $12;
        }
        """,
        "=r,=r,=r,=r,=r,=r,=r,=r,r,r,r,r,r",
        [tl.load(a_ptr + at), tl.load(b_ptr + at)],
        (tl.int32, tl.float32),
        True,
        4,
    )
    tl.store(c_ptr + at, c)
    tl.store(d_ptr + at, d)


def test_packs_of_different_widths():
    a = torch.randint(0, 256, (64,), dtype=torch.uint8)
    b = torch.rand(64) * 256
    c, d = torch.empty(64, dtype=torch.int32), torch.empty(64)
    bytes_and_floats[(1,)](a, b, c, d, N=64)
    assert torch.equal(c, a.int())
    assert torch.equal(d, torch.minimum(a.float(), b))


@triton.jit
def of_a_scalar(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, tl.inline_asm_elementwise("popc.b32 $0, $1;", "=r,r", [x], tl.int32, True, 1))


def test_a_scalar():
    x, out = torch.tensor([0x0F0F], dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    of_a_scalar[(1,)](x, out)
    assert out.item() == 8


@triton.jit
def broadcast_operands(x_ptr, out_ptr, SHIFT: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    text: tl.constexpr = "shf.l.wrap.b32 $0, $1, $2, $3;"
    y = tl.inline_asm_elementwise(text, "=r,r, r, n", [x, x, SHIFT], tl.int32, True, 1)
    tl.store(out_ptr + at, y)


def test_a_constant_operand():
    x = torch.randint(-(2**31), 2**31 - 1, (128,), dtype=torch.int32)
    out = torch.empty_like(x)
    broadcast_operands[(1,)](x, out, SHIFT=17, N=128)
    wide = x.long() & 0xFFFFFFFF
    assert torch.equal(out, (((wide << 17) | (wide >> 15)) & 0xFFFFFFFF).to(torch.int32))


@triton.jit
def e4b15_by_assembly(x_ptr, half_ptr, back_ptr, MIN: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    half = tl.extra.cuda.utils.convert_fp8e4b15_to_float16(x)
    tl.store(half_ptr + at, half)
    tl.store(back_ptr + at, tl.extra.cuda.utils.convert_float16_to_fp8e4b15(half, MIN))


@pytest.mark.parametrize("has_minimum", [False, True])
def test_the_assembly_of_tritons_own_conversions(has_minimum: bool):
    """Triton converts fp8e4b15 by permutations of bytes, ternary logic and packed comparisons."""
    patterns = np.arange(256, dtype=np.uint8)
    half, read_half = room(256, "float16")
    back, read_back = room(256, "uint8")
    e4b15_by_assembly[(1,)](
        triton.reinterpret(given(patterns, "uint8"), tl.float8e4b15),
        half,
        triton.reinterpret(back, tl.float8e4b15),
        MIN=has_minimum,
        N=256,
    )
    exponent, mantissa = (patterns >> 3) & 15, patterns & 7
    size = np.where(
        exponent == 0, mantissa / 8 * 2.0**-14, (1 + mantissa / 8) * 2.0 ** (exponent - 15.0)
    )
    expected = np.where(patterns & 0x80, -size, size).astype(np.float16)
    assert_same(read_half(), expected, patterns)
    np.testing.assert_array_equal(read_back(), np.minimum(patterns & 0x7F, 0x7E) | patterns & 0x80)


# ---------------------------------------------------------------------------------------------
# Memory
# ---------------------------------------------------------------------------------------------


@triton.jit
def shift_in_memory(x_ptr, y_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.inline_asm_elementwise(
        "ld.global.b8 $0, [$1]; shl.b32 $0, $0, 2; st.global.b8 [$2], $0;",
        "=r,l,l",
        [x_ptr + at, y_ptr + N - 1 - at],
        tl.int8,
        False,
        1,
    )


def test_loads_and_stores_through_pointers():
    """Its result is not used; the stores stay."""
    x = torch.randint(0, 64, (128,), dtype=torch.uint8)
    y = torch.zeros_like(x)
    shift_in_memory[(1,)](x, y, N=128)
    assert torch.equal(y, (x << 2).flip(0))


@triton.jit
def swap_neighbours(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * 2 * N + tl.arange(0, N)[None, :] * 2
    first, second = tl.inline_asm_elementwise(
        """{
            ld.global.f32 $0, [$2];
            ld.global.f32 $1, [$2+4];
            st.global.f32 [$2+4], $0;
            st.global.f32 [$2], $1;
        }""",
        "=f,=f,l",
        [x_ptr + at],
        (tl.float32, tl.float32),
        False,
        1,
    )
    tl.store(out_ptr + at, first)
    tl.store(out_ptr + at + 1, tl.load(x_ptr + at) - second)


def test_accesses_happen_in_the_order_of_the_kernel():
    x = torch.randn(4, 16)
    before, out = x.clone(), torch.full_like(x, 9.0)
    swap_neighbours[(1,)](x, out, M=4, N=8)
    pairs_of_x = before.view(-1, 2)
    assert torch.equal(x.view(-1, 2), pairs_of_x.flip(1))
    assert torch.equal(out.view(-1, 2)[:, 0], pairs_of_x[:, 0])
    assert torch.equal(out.view(-1, 2)[:, 1], torch.zeros(32))


@triton.jit
def load_signed(x_ptr, out_ptr):
    p = x_ptr + tl.program_id(0)
    y = tl.inline_asm_elementwise("ld.global.s8 $0, [$1];", "=r,l", [p], tl.int32, False, 1)
    tl.store(out_ptr + tl.program_id(0), y)


def test_a_scalar_address():
    x = torch.tensor([-1, 5, -128], dtype=torch.int8)
    out = torch.zeros(3, dtype=torch.int32)
    load_signed[(3,)](x, out)
    assert torch.equal(out, x.int())


# ---------------------------------------------------------------------------------------------
# What has no portable meaning says so
# ---------------------------------------------------------------------------------------------

REFUSED = {
    "mov.u32 $0, %laneid;": "is a register of the GPU",
    "ld.shared.b32 $0, [$1];": "is an instruction without a portable meaning",
    "ld.global.b32 $0, [$1];": "reads a register of another width",
    "ld.global.b32 $0, [name];": "is no address in a register",
    "shfl.sync.bfly.b32 $0, $1, 1, 0x1f, -1;": "is an instruction without a portable meaning",
    "add.s32 $0, $1;": "has another number of operands",
    "add.s64 $0, $1, $1;": "reads a register of another width",
    "add.s32 $0, $0, $1;": "reads a register that nothing has written",
    "add.s32 $0, $1, nobody;": "is no register that the text declares",
    "again: add.s32 $0, $1, $1;": "is a place to jump to",
    "{ .reg .b32 t; mov.b32 t, $1; }": "is a result that nothing writes",
    "{ add.s32 $0, $1, $1;": "opens a block without an end",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refusals_name_the_instruction(text: str):
    x = numbers("int32")
    with pytest.raises(CompilationError) as caught:
        assembled(text, x, result="int32")
    message = str(caught.value)
    assert "holds assembly that has a meaning on one kind of GPU only" in message
    assert REFUSED[text] in message
    assert "write it with operations of triton.language" in message
    assert "test_cases_inline_assembly.py" in message


@pytest.mark.parametrize(
    ("constraints", "reason"),
    [
        ("=r,x", "is a constraint that is not known"),
        ("=r,0", "ties an operand to a result"),
        ("=h,r", "does not fit the constraints"),
        ("=r,r,r", "has fewer registers than the constraints"),
    ],
)
def test_refused_constraints(constraints: str, reason: str):
    with pytest.raises(CompilationError, match=reason):
        assembled("mov.b32 $0, $1;", numbers("int32"), result="int32", constraints=constraints)
