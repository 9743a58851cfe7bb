"""Inline assembly on integers and predicates: PTX that only computes means the same here."""

from __future__ import annotations

import numpy as np
import pytest
from inline_assembly import assembled
from values import assert_same, numbers, pairs, width, wrap

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
