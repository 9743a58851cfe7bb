"""Arithmetic element by element: every pair of types, the numbers that go wrong first."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import triton
import triton.language as tl
from values import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    SIGNED,
    assert_same,
    given,
    is_integer,
    numpy_dtype,
    pairs,
    room,
    width,
    wrap,
)

# ---------------------------------------------------------------------------------------------
# What the front end makes of two types, and what the operation means in that type
# ---------------------------------------------------------------------------------------------


def promoted(left: str, right: str, divides: bool = False) -> str:
    """The type in which Triton computes with two blocks of these types."""
    for name in ("float64", "float32"):
        if name in (left, right):
            return name
    if "float16" in (left, right):
        return "float32" if divides else "float16"
    if "bfloat16" in (left, right):
        return "bfloat16" if left == right and not divides else "float32"
    if (left in SIGNED) == (right in SIGNED):
        return max(left, right, key=width)
    signed, unsigned = (left, right) if left in SIGNED else (right, left)
    return unsigned if width(unsigned) >= width(signed) else signed


def converted(values: np.ndarray, name: str) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        if is_integer(name):
            return np.array([wrap(int(v), name) for v in values], dtype=numpy_dtype(name))
        if values.dtype.kind in "iu" and name in ("float16", "bfloat16"):
            # NumPy rounds wide integers to these by way of f64, which is exact enough only here.
            return values.astype(np.float64).astype(numpy_dtype(name))
        return values.astype(numpy_dtype(name))


def quotient(x: int, y: int, name: str) -> int:
    """Rounded towards zero; by zero, all bits are set."""
    if y == 0:
        return wrap(-1, name)
    sign = -1 if (x < 0) != (y < 0) else 1
    return wrap(sign * (abs(x) // abs(y)), name)


def remainder(x: int, y: int, name: str) -> int:
    """With the sign of `x`; by zero, `x`."""
    return x if y == 0 else wrap(int(math.copysign(1, x)) * (abs(x) % abs(y)), name)


INTEGER_RULES = {
    "add": lambda x, y, name: wrap(x + y, name),
    "sub": lambda x, y, name: wrap(x - y, name),
    "mul": lambda x, y, name: wrap(x * y, name),
    "floordiv": quotient,
    "mod": remainder,
    "and": lambda x, y, name: wrap(x & y, name),
    "or": lambda x, y, name: wrap(x | y, name),
    "xor": lambda x, y, name: wrap(x ^ y, name),
}

FLOAT_RULES = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "mod": np.fmod,
}

COMPARISONS = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}


def computed(rule: str, x: np.ndarray, y: np.ndarray, name: str) -> np.ndarray:
    """`rule` in type `name`. Formats of 16 bits compute in f32 and round once."""
    x, y = converted(x, name), converted(y, name)
    if is_integer(name):
        results = [INTEGER_RULES[rule](int(a), int(b), name) for a, b in zip(x, y, strict=True)]
        return np.array(results, dtype=numpy_dtype(name))
    with np.errstate(all="ignore"):
        wide = np.float64 if name == "float64" else np.float32
        return FLOAT_RULES[rule](x.astype(wide), y.astype(wide)).astype(numpy_dtype(name))


# ---------------------------------------------------------------------------------------------
# Operators on two blocks
# ---------------------------------------------------------------------------------------------


@triton.jit
def apply_arithmetic(x_ptr, y_ptr, outs, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(outs[0] + at, x + y)
    tl.store(outs[1] + at, x - y)
    tl.store(outs[2] + at, x * y)


@triton.jit
def apply_comparisons(x_ptr, y_ptr, outs, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(outs[0] + at, x < y)
    tl.store(outs[1] + at, x <= y)
    tl.store(outs[2] + at, x > y)
    tl.store(outs[3] + at, x >= y)
    tl.store(outs[4] + at, x == y)
    tl.store(outs[5] + at, x != y)


@triton.jit
def apply_bitwise(x_ptr, y_ptr, outs, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(outs[0] + at, x & y)
    tl.store(outs[1] + at, x | y)
    tl.store(outs[2] + at, x ^ y)


@triton.jit
def apply_integer_division(x_ptr, y_ptr, outs, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(outs[0] + at, x // y)
    tl.store(outs[1] + at, x % y)


@triton.jit
def apply_float_division(x_ptr, y_ptr, outs, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(outs[0] + at, x / y)
    tl.store(outs[1] + at, x % y)


@triton.jit
def apply_true_division(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.load(x_ptr + at) / tl.load(y_ptr + at))


def run(kernel, left: str, right: str, rules: list[str], result: str):
    """The inputs, and the result of each rule."""
    x, y = pairs(left, right)
    made = [room(x.size, result) for _ in rules]
    kernel[(1,)](given(x, left), given(y, right), tuple(m[0] for m in made), N=x.size)
    return x, y, {rule: read() for rule, (_, read) in zip(rules, made, strict=True)}


def check(kernel, left: str, right: str, rules: list[str], divides: bool = False):
    result = promoted(left, right, divides)
    x, y, actual = run(kernel, left, right, rules, result)
    for rule in rules:
        expected = computed(rule, x, y, result)
        assert_same(actual[rule], expected, x, y, what=f"{left} {rule} {right}")


EVERY_PAIR = list(itertools.product(NUMBERS, NUMBERS))
SOME_PAIRS = [
    *[(name, name) for name in NUMBERS],
    ("int8", "uint32"),
    ("uint8", "int16"),
    ("int64", "uint64"),
    ("uint64", "float32"),
    ("float16", "int32"),
    ("bfloat16", "float16"),
    ("int64", "bfloat16"),
]


def spread(chosen: list, everything: list) -> list:
    """`chosen` by default, the rest at night."""
    return [
        pytest.param(*case) if case in chosen else pytest.param(*case, marks=pytest.mark.nightly)
        for case in everything
    ]


def same_sign(left: str, right: str) -> bool:
    return (left in SIGNED) == (right in SIGNED)


INTEGER_PAIRS = [p for p in EVERY_PAIR if is_integer(p[0]) and is_integer(p[1])]


@pytest.mark.parametrize(("left", "right"), spread(SOME_PAIRS, EVERY_PAIR))
def test_arithmetic(left: str, right: str):
    check(apply_arithmetic, left, right, ["add", "sub", "mul"])


@pytest.mark.parametrize(("left", "right"), spread(SOME_PAIRS, INTEGER_PAIRS))
def test_bitwise(left: str, right: str):
    check(apply_bitwise, left, right, ["and", "or", "xor"])


@pytest.mark.parametrize(
    ("left", "right"), spread(SOME_PAIRS, [p for p in INTEGER_PAIRS if same_sign(*p)])
)
def test_integer_division_rounds_towards_zero(left: str, right: str):
    check(apply_integer_division, left, right, ["floordiv", "mod"])


@pytest.mark.parametrize(
    ("left", "right"), spread(SOME_PAIRS, [p for p in EVERY_PAIR if p not in INTEGER_PAIRS])
)
def test_float_division(left: str, right: str):
    check(apply_float_division, left, right, ["truediv", "mod"], divides=True)


@pytest.mark.parametrize(
    ("left", "right"), spread(SOME_PAIRS, [p for p in INTEGER_PAIRS if same_sign(*p)])
)
def test_true_division_of_integers_is_in_f32(left: str, right: str):
    x, y = pairs(left, right)
    out, read = room(x.size, "float32")
    apply_true_division[(1,)](given(x, left), given(y, right), out, N=x.size)
    with np.errstate(all="ignore"):
        expected = x.astype(np.float32) / y.astype(np.float32)
    assert_same(read(), expected, x, y, what=f"{left} / {right}")


@pytest.mark.parametrize(("left", "right"), spread(SOME_PAIRS, EVERY_PAIR))
def test_comparisons(left: str, right: str):
    x, y, actual = run(apply_comparisons, left, right, list(COMPARISONS), "bool")
    common = promoted(left, right)
    for rule, compare in COMPARISONS.items():
        with np.errstate(invalid="ignore"):
            expected = compare(converted(x, common), converted(y, common))
        assert_same(actual[rule], expected, x, y, what=f"{left} {rule} {right}")


# ---------------------------------------------------------------------------------------------
# One block and one scalar: the block's type wins unless the scalar is of a higher kind
# ---------------------------------------------------------------------------------------------


@triton.jit
def with_scalars(x_ptr, y_ptr, outs, C: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr)
    tl.store(outs[0] + at, x * C)
    tl.store(outs[1] + at, C - x)
    tl.store(outs[2] + at, x + y)
    tl.store(outs[3] + at, y - x)
    tl.store(outs[4], y + C)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_block_and_a_scalar(name: str):
    x, _ = pairs(name, name)
    y = x[5:6] if name not in FLOATS else np.array([2.75], dtype=numpy_dtype(name))
    made = [room(x.size, name) for _ in range(4)] + [room(1, name)]
    with_scalars[(1,)](given(x, name), given(y, name), tuple(m[0] for m in made), C=3, N=x.size)
    three, scalar = np.full(x.size, 3), np.full(x.size, y[0], dtype=y.dtype)
    actual = [read() for _, read in made]
    assert_same(actual[0], computed("mul", x, three, name), x, what="x * 3")
    assert_same(actual[1], computed("sub", three, x, name), x, what="3 - x")
    assert_same(actual[2], computed("add", x, scalar, name), x, what="x + y")
    assert_same(actual[3], computed("sub", scalar, x, name), x, what="y - x")
    assert_same(actual[4], computed("add", y, three[:1], name), y, what="y + 3")


@triton.jit
def with_float_scalar(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.load(x_ptr + at) * 0.5)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_float_constant_makes_integers_f32(name: str):
    x, _ = pairs(name, name)
    result = name if name in FLOATS else "float32"
    out, read = room(x.size, result)
    with_float_scalar[(1,)](given(x, name), out, N=x.size)
    expected = computed("mul", x, np.full(x.size, np.float32(0.5)), result)
    assert_same(read(), expected, x, what="x * 0.5")


# ---------------------------------------------------------------------------------------------
# Shifts
# ---------------------------------------------------------------------------------------------


@triton.jit
def apply_shifts(x_ptr, y_ptr, outs, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(outs[0] + at, x << y)
    tl.store(outs[1] + at, x >> y)


EVERY_SHIFT = list(itertools.product(INTEGERS, INTEGERS))
SOME_SHIFTS = [*[(name, name) for name in INTEGERS], ("int8", "uint32"), ("uint64", "int16")]


@pytest.mark.parametrize(("left", "right"), spread(SOME_SHIFTS, EVERY_SHIFT))
def test_shifts(left: str, right: str):
    """Right shifts keep the sign if the left operand's type has one."""
    result = promoted(left, right)
    count = width(result)
    x = np.repeat(pairs(left, left)[0][::16], count)
    y = np.tile(np.arange(count).astype(numpy_dtype(right)), 16)
    made = [room(x.size, result), room(x.size, result)]
    apply_shifts[(1,)](given(x, left), given(y, right), tuple(m[0] for m in made), N=x.size)
    wide = converted(x, f"int{width(result)}" if left in SIGNED else result)
    for (_, read), rule in zip(made, ("<<", ">>"), strict=True):
        expected = [
            wrap(int(a) << int(b) if rule == "<<" else int(a) >> int(b), result)
            for a, b in zip(wide, y, strict=True)
        ]
        expected = np.array(expected, dtype=numpy_dtype(result))
        assert_same(read(), expected, x, y, what=f"{left} {rule} {right}")


@pytest.mark.parametrize("name", INTEGERS)
def test_shifts_beyond_the_width_leave_nothing_but_the_sign(name: str):
    count = width(name)
    amounts = np.array([count - 1, count, count + 1, 2 * count - 1, 100, 127, 64, 33])
    x = np.repeat(pairs(name, name)[0][::16], amounts.size)
    y = np.tile(amounts.astype(numpy_dtype(name)), 16)
    made = [room(x.size, name), room(x.size, name)]
    apply_shifts[(1,)](given(x, name), given(y, name), tuple(m[0] for m in made), N=x.size)
    for (_, read), rule in zip(made, ("<<", ">>"), strict=True):
        expected = [
            wrap(int(a) << int(b) if rule == "<<" else int(a) >> int(b), name)
            for a, b in zip(x, y, strict=True)
        ]
        assert_same(read(), np.array(expected, dtype=x.dtype), x, y, what=f"{name} {rule}")


@triton.jit
def shift_by_a_constant(x_ptr, outs, AMOUNT: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(outs[0] + at, x << AMOUNT)
    tl.store(outs[1] + at, x >> AMOUNT)


@pytest.mark.parametrize("name", ["int8", "uint8", "int32", "uint32", "int64"])
@pytest.mark.parametrize("amount", [64, 65, 100])
def test_constant_shifts_beyond_the_width(amount: int, name: str):
    x = pairs(name, name)[0][::16]
    made = [room(x.size, name), room(x.size, name)]
    shift_by_a_constant[(1,)](given(x, name), tuple(m[0] for m in made), AMOUNT=amount, N=x.size)
    assert_same(made[0][1](), np.zeros_like(x), x, what="<<")
    assert_same(made[1][1](), np.where(x < 0, -1, 0).astype(x.dtype), x, what=">>")


# ---------------------------------------------------------------------------------------------
# Choosing: what looks like a minimum or a maximum is one only as far as IEEE 754 allows
# ---------------------------------------------------------------------------------------------


@triton.jit
def choose(x_ptr, y_ptr, outs, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(outs[0] + at, tl.where(x > y, x, y))
    tl.store(outs[1] + at, tl.where(x >= y, x, y))
    tl.store(outs[2] + at, tl.where(x < y, x, y))
    tl.store(outs[3] + at, tl.where(x <= y, x, y))
    tl.store(outs[4] + at, tl.where(x == y, x, y))
    tl.store(outs[5] + at, tl.where(x != y, x, y))


@pytest.mark.parametrize("name", NUMBERS)
def test_choosing_by_comparison(name: str):
    rules = ["gt", "ge", "lt", "le", "eq", "ne"]
    x, y, actual = run(choose, name, name, rules, name)
    for rule in rules:
        with np.errstate(invalid="ignore"):
            expected = np.where(COMPARISONS[rule](x, y), x, y)
        assert_same(actual[rule], expected, x, y, what=f"where x {rule} y")


@triton.jit
def extremes(x_ptr, y_ptr, outs, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(outs[0] + at, tl.maximum(x, y))
    tl.store(outs[1] + at, tl.minimum(x, y))
    tl.store(outs[2] + at, tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(outs[3] + at, tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL))


def extreme(x: np.ndarray, y: np.ndarray, larger: bool, propagates: bool) -> np.ndarray:
    """+0 is larger than -0; NaN gives way unless it propagates."""
    if x.dtype.kind in "iu":
        return np.maximum(x, y) if larger else np.minimum(x, y)
    results = []
    for a, b in zip(x, y, strict=True):
        if np.isnan(a) or np.isnan(b):
            results.append(
                np.nan if propagates or np.isnan(a) == np.isnan(b) else a if np.isnan(b) else b
            )
        elif a == b:
            negative = np.signbit(a) and np.signbit(b) if larger else np.signbit(a) or np.signbit(b)
            results.append(-abs(a) if negative else abs(a))
        else:
            results.append(max(a, b) if larger else min(a, b))
    return np.array(results).astype(x.dtype)


@pytest.mark.parametrize("name", NUMBERS)
def test_maximum_and_minimum(name: str):
    rules = ["max", "min", "max with NaN", "min with NaN"]
    x, y, actual = run(extremes, name, name, rules, name)
    for rule in rules:
        expected = extreme(x, y, larger="max" in rule, propagates="NaN" in rule)
        assert_same(actual[rule], expected, x, y, what=rule)


@triton.jit
def choose_by_block(c_ptr, x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    c = tl.load(c_ptr + at)
    tl.store(out_ptr + at, tl.where(c, tl.load(x_ptr + at), tl.load(y_ptr + at)))


@pytest.mark.parametrize("name", ["bool", *NUMBERS])
@pytest.mark.parametrize("condition", ["bool", "int8", "int32", "uint64"])
def test_choosing_by_a_block(condition: str, name: str):
    c, x = pairs(condition, name)
    y = x[::-1].copy()
    out, read = room(x.size, name)
    choose_by_block[(1,)](given(c, condition), given(x, name), given(y, name), out, N=x.size)
    assert_same(read(), np.where(c != 0, x, y), c, x, y, what="where")
