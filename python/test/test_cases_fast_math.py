"""Functions in fast mode against exact ones: errors in units in the last place, special values.

Functions of f32 are measured against those of f64, functions of f64 against those of 80 bits or
more; erf of f64, which numpy does not have, against mpmath.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cpu_facts
import mpmath
import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.language import core

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)


@core.extern
def call(name, arguments, _semantic=None):
    """The function of libdevice, of the format of its arguments."""
    types = tuple(a.dtype for a in arguments)
    symbol = "__nv_" + name.value + ("f" if types[0].name == "fp32" else "")
    known = {types: (symbol, core.dtype(types[0].name))}
    return core.extern_elementwise("", "", list(arguments), known, True, _semantic=_semantic)


@triton.jit
def apply(inputs, out_ptr, NAME: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(inputs[0] + at)
    if len(inputs) == 1:
        y = call(NAME, (x,))
    else:
        y = call(NAME, (x, tl.load(inputs[1] + at)))
    tl.store(out_ptr + at, y)


@triton.jit
def apply_to_scalars(inputs, out_ptr, NAME: tl.constexpr, N: tl.constexpr):
    for i in range(N):
        x = tl.load(inputs[0] + i)
        if len(inputs) == 1:
            y = call(NAME, (x,))
        else:
            y = call(NAME, (x, tl.load(inputs[1] + i)))
        tl.store(out_ptr + i, y)


# ---------------------------------------------------------------------------------------------
# The functions
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Function:
    """Bounds are in units in the last place; a format without one is left to the C library."""

    name: str
    exact: Callable
    f32: float
    f64: float | None = None
    # Where the function does something.
    ranges: tuple[tuple[float, float], ...] = ((-10, 10),)

    @property
    def arity(self) -> int:
        return 2 if self.name in ("pow", "atan2") else 1

    def bound(self, dtype: np.dtype) -> float | None:
        return self.f32 if dtype == F32 else self.f64


def exact_erf(x: np.ndarray) -> np.ndarray:
    if x.dtype == F64:
        return torch.erf(torch.from_numpy(x)).numpy()
    with mpmath.workprec(80):
        # Two numbers of f64 hold what one of 80 bits does.
        exact = [mpmath.erf(value) for value in x.astype(F64).tolist()]
        high = np.array([float(value) for value in exact])
        low = [float(e - h) if np.isfinite(h) else 0.0 for e, h in zip(exact, high, strict=True)]
    return high.astype(np.longdouble) + np.array(low)


def exact_erfc(x: np.ndarray) -> np.ndarray:
    return torch.erfc(torch.from_numpy(x)).numpy()


EXP_RANGES = ((-110, 90), (-750, 715), (-1, 1))
LOG_RANGES = ((0, 10), (0.5, 2), (0.99, 1.01))
TURNS = ((-10, 10), (-1000, 1000), (-1e6, 1e6))
UNIT = ((-1, 1), (-0.51, 0.51), (0.999, 1.001))

FUNCTIONS = [
    Function("exp", np.exp, 1.0, 1.0, EXP_RANGES),
    Function("exp2", np.exp2, 1.0, 1.0, ((-151, 129), (-1080, 1026), (-1, 1))),
    Function("expm1", np.expm1, 1.0, 1.0, EXP_RANGES),
    Function("log", np.log, 1.0, 1.0, LOG_RANGES),
    Function("log2", np.log2, 1.5, 1.5, LOG_RANGES),
    Function("log1p", np.log1p, 1.5, 1.5, ((-1, 1), (-0.01, 0.01), (0, 100))),
    Function("tanh", np.tanh, 1.5, 1.5),
    Function("erf", exact_erf, 1.5, 1.5, ((-6.5, 6.5), (-1, 1))),
    Function("erfc", exact_erfc, 0.51, None, ((-5, 11),)),
    Function("log10", np.log10, 0.51, None, LOG_RANGES),
    Function("pow", np.power, 0.55),
    Function("cbrt", np.cbrt, 0.51),
    Function("sin", np.sin, 0.51, None, TURNS),
    Function("cos", np.cos, 0.51, None, TURNS),
    Function("tan", np.tan, 0.51, None, TURNS),
    Function("asin", np.arcsin, 0.51, None, UNIT),
    Function("acos", np.arccos, 0.51, None, UNIT),
    Function("atan", np.arctan, 0.51),
    Function("atan2", np.arctan2, 0.51),
    Function("sinh", np.sinh, 0.51, None, ((-90, 90), (-2, 2))),
    Function("cosh", np.cosh, 0.51, None, ((-90, 90), (-2, 2))),
    Function("asinh", np.arcsinh, 0.51),
    Function("acosh", np.arccosh, 0.51, None, ((1, 10), (1, 1.01))),
    Function("atanh", np.arctanh, 0.51, None, UNIT),
]
CASES = [
    pytest.param(function, dtype, id=f"{function.name}-{dtype.name}")
    for function, dtype in itertools.product(FUNCTIONS, (F32, F64))
    if function.bound(dtype) is not None
]

with_polynomials = pytest.mark.skipif(
    not cpu_facts.multiplies_and_adds(), reason="functions are the C library's on such a CPU"
)

# ---------------------------------------------------------------------------------------------
# Numbers
# ---------------------------------------------------------------------------------------------

SPECIAL_TEXT = """
0 -0 inf -inf nan 1 -1 0.5 -0.5 2 -2 3 -3 10 100 1000 0.1 3e38 -3e38 1e-45 -1e-45 3e-45
1.1754942e-38 -1.1754942e-38 1.17549435e-38 3.4028235e38 -3.4028235e38 88.72283 88.72284
-87.33655 -103.97208 -103.97209 127.99999 128 -126 -149 -150 0.625 0.925 4 0.99999994 1.0000001
-0.99999994 -1.0000001 8388607.5 8388608 16777215 16777216 16777217 -8388607 -16777215 1e10 1e20
-1e30 1.8446744e19 1.5707964 3.1415927 6.2831855 89.41598 -89.41598 10.05 -24 0.70710677 0.7071068
1.4142135 1.4142137
"""
SPECIAL_F64_TEXT = """
5e-324 -5e-324 2.2250738585072009e-308 -2.2250738585072009e-308 2.2250738585072014e-308
1.7976931348623157e308 -1.7976931348623157e308 709.782712893384 709.7827128933841
-745.1332191019412 -745.1332191019411 -708.3964185322641 1024 1023.9999999999999 -1074 -1075
-1022 0.9999999999999999 1.0000000000000002 -0.9999999999999999 1e-300 1e300 5.92 6.1 19 20 -36 -45
"""


def special(dtype: np.dtype) -> np.ndarray:
    words = SPECIAL_TEXT.split() + (SPECIAL_F64_TEXT.split() if dtype == F64 else [])
    return np.array(words, np.float64).astype(dtype)


def every_exponent(dtype: np.dtype, count: int) -> np.ndarray:
    """Bit patterns in equal steps, so that all exponents occur with both signs."""
    width = dtype.itemsize * 8
    step = 2**width // count | 1
    patterns = np.arange(count, dtype=np.uint64) * np.uint64(step)
    return patterns.astype(f"u{dtype.itemsize}").view(dtype)


def numbers(function: Function, dtype: np.dtype, count: int) -> list[np.ndarray]:
    """Special values, all exponents, and where the function does something, per argument."""
    random = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        if function.arity == 1:
            each = count // 2 // len(function.ranges)
            parts = [random.uniform(*ends, each).astype(dtype) for ends in function.ranges]
            x = np.concatenate([special(dtype), every_exponent(dtype, count // 2), *parts])
            return [np.resize(x, count)]
        pairs = np.array(list(itertools.product(special(dtype), repeat=2)), dtype)
        integers = random.integers(-40, 40, (count // 8, 2)).astype(dtype)
        # Results of any size, and near 1.
        wide = np.exp2(random.uniform(-20, 20, (count // 4, 2))).astype(dtype)
        narrow = np.stack(
            [random.uniform(0.9, 1.1, count // 4), random.uniform(-900, 900, count // 4)], axis=1
        )
        any_pair = every_exponent(dtype, count // 2)
        random.shuffle(any_pair)
        parts = [pairs, integers, wide, narrow.astype(dtype), any_pair.reshape(-1, 2)]
        both = np.resize(np.concatenate(parts), (count, 2))
        return [np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])]


# ---------------------------------------------------------------------------------------------
# The tests
# ---------------------------------------------------------------------------------------------


def run(name: str, inputs: list[np.ndarray], mode: str, **options: str) -> np.ndarray:
    size, block = len(inputs[0]), 1024
    count = -(-size // block) * block
    tensors = tuple(torch.from_numpy(np.resize(x, count)) for x in inputs)
    out = torch.empty_like(tensors[0])
    apply[(count // block,)](tensors, out, name, block, mode=mode, **options)
    return out.numpy()[:size]


def errors(function: Function, inputs: list[np.ndarray], result: np.ndarray) -> np.ndarray:
    """In units in the last place, 0 where the exact result is no finite number."""
    wider = np.dtype(np.float64 if result.dtype == F32 else np.longdouble)
    with np.errstate(all="ignore"):
        expected = function.exact(*(x.astype(wider) for x in inputs))
        rounded = expected.astype(result.dtype)
        finite = np.isfinite(rounded)
        unit = np.spacing(np.abs(np.where(finite, rounded, 1)))
        off = np.abs(result.astype(wider) - expected) / unit
    np.testing.assert_array_equal(np.isnan(result), np.isnan(rounded))
    infinite = np.isinf(rounded)
    np.testing.assert_array_equal(np.isinf(result), infinite)
    np.testing.assert_array_equal(result[infinite], rounded[infinite])
    return np.where(finite, off, 0)


def check_errors(function: Function, inputs: list[np.ndarray]) -> float:
    off = errors(function, inputs, run(function.name, inputs, "fast"))
    worst = int(np.argmax(off))
    at = ", ".join(repr(x[worst]) for x in inputs)
    bound = function.bound(inputs[0].dtype)
    assert off[worst] <= bound, f"{function.name}({at}): {off[worst]:.3f} ulp"
    return float(off[worst])


@with_polynomials
@pytest.mark.parametrize(("function", "dtype"), CASES)
def test_error_in_units_in_the_last_place(function: Function, dtype: np.dtype):
    # Without numpy, the exact function takes its time.
    slow = function.name == "erf" and dtype == F64
    check_errors(function, numbers(function, dtype, 1 << (13 if slow else 17)))


@pytest.mark.parametrize(("function", "dtype"), CASES)
def test_special_values_are_those_of_the_c_library(function: Function, dtype: np.dtype):
    inputs = [special(dtype)]
    if function.arity == 2:
        pairs = np.array(list(itertools.product(special(dtype), repeat=2)), dtype)
        inputs = [pairs[:, 0].copy(), pairs[:, 1].copy()]
    fast, reference = run(function.name, inputs, "fast"), run(function.name, inputs, "reference")
    np.testing.assert_array_equal(np.isnan(fast), np.isnan(reference))
    # Zeros, infinities and the signs of all results.
    extreme = (reference == 0) | np.isinf(reference)
    np.testing.assert_array_equal(fast == 0, reference == 0)
    np.testing.assert_array_equal(fast[extreme], reference[extreme])
    signed = ~np.isnan(reference)
    np.testing.assert_array_equal(np.signbit(fast[signed]), np.signbit(reference[signed]))


@pytest.mark.parametrize(("function", "dtype"), CASES)
def test_a_scalar_and_an_element_of_a_block_agree(function: Function, dtype: np.dtype):
    inputs = [x[:256].copy() for x in numbers(function, dtype, 1 << 10)]
    out = torch.empty(256, dtype=torch.float32 if dtype == F32 else torch.float64)
    tensors = tuple(torch.from_numpy(x) for x in inputs)
    apply_to_scalars[(1,)](tensors, out, function.name, 256, mode="fast")
    np.testing.assert_array_equal(out.numpy(), run(function.name, inputs, "fast"))


@pytest.mark.parametrize("large", [1e9, 1e30, -1e38, np.inf, np.nan])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_an_angle_has_the_same_functions_beside_large_numbers(name: str, large: float):
    """Lanes take the branch of large numbers together."""
    x = np.random.default_rng(1).uniform(-1000, 1000, 1 << 14).astype(np.float32)
    alone = run(name, [x], "fast")
    mixed = x.copy()
    mixed[::5] = large
    kept = np.arange(len(x)) % 5 != 0
    np.testing.assert_array_equal(run(name, [mixed], "fast")[kept], alone[kept])


@with_polynomials
@pytest.mark.skipif(not cpu_facts.has("avx2", "fma"), reason="not a CPU with AVX2")
@pytest.mark.parametrize(("function", "dtype"), CASES)
def test_an_older_cpu_has_the_same_results(function: Function, dtype: np.dtype):
    """Without AVX-512, powers of two are multiplied otherwise."""
    inputs = numbers(function, dtype, 1 << 14)
    older = run(function.name, inputs, "fast", cpu="x86-64-v3")
    np.testing.assert_array_equal(older, run(function.name, inputs, "fast"))


def test_whole_powers_are_exact():
    bases = np.arange(-12, 13, dtype=np.float32)
    x, y = (part.ravel().astype(np.float32) for part in np.meshgrid(bases, np.arange(7)))
    np.testing.assert_array_equal(run("pow", [x, y], "fast"), x.astype(np.float64) ** y)
    tens = np.float32(10) ** np.arange(11, dtype=np.float32)
    np.testing.assert_array_equal(run("log10", [tens], "fast"), np.arange(11))
    cubes = bases**3
    np.testing.assert_array_equal(run("cbrt", [cubes], "fast"), bases)


def test_documented_bounds_are_those_tested():
    text = (Path(__file__).parents[2] / "docs" / "semantics.md").read_text()
    rows = re.findall(r"^\| ((?:`\w+`,? ?)+) \| ([\d.]+) \| ([\d.]+|C library) \|", text, re.M)
    documented = {
        name: (float(f32), None if f64 == "C library" else float(f64))
        for names, f32, f64 in rows
        for name in re.findall(r"\w+", names)
    }
    assert documented == {function.name: (function.f32, function.f64) for function in FUNCTIONS}


def nearest_to_quarter_turns(exponent: int, count: int) -> np.ndarray:
    """The floats of this exponent that are nearest to multiples of pi / 2."""
    mantissas = np.arange(2**23, 2**24, dtype=np.uint64)
    with mpmath.workprec(exponent + 200):
        quarters = mpmath.mpf(2) ** (exponent - 23) * 2 / mpmath.pi
        fraction = int((quarters - mpmath.floor(quarters)) * 2**64)
    # Modulo 2^64 is modulo a quarter turn.
    distance = np.abs((mantissas * np.uint64(fraction)).view(np.int64))
    nearest = mantissas[np.argpartition(distance, count)[:count]]
    return np.ldexp(nearest.astype(np.float32), exponent - 23)


@pytest.mark.nightly
def test_nearest_floats_to_multiples_of_a_quarter_turn():
    x = np.concatenate([nearest_to_quarter_turns(exponent, 16) for exponent in range(128)])
    trigonometric = [function for function in FUNCTIONS if function.name in ("sin", "cos", "tan")]
    for function in trigonometric:
        check_errors(function, [x])


@with_polynomials
@pytest.mark.nightly
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_one_of_97_floats(function: Function):
    for start in range(0, 2**32, 2**29):
        patterns = np.arange(start, start + 2**29, 97, dtype=np.uint64).astype(np.uint32)
        inputs = [patterns.view(np.float32)]
        if function.arity == 2:
            other = np.random.default_rng(start).permutation(patterns)
            inputs.append(other.view(np.float32))
        check_errors(function, inputs)


@with_polynomials
@pytest.mark.nightly
@pytest.mark.parametrize(("function", "dtype"), CASES)
def test_error_of_many_numbers(function: Function, dtype: np.dtype):
    slow = function.name == "erf" and dtype == F64
    check_errors(function, numbers(function, dtype, 1 << (16 if slow else 22)))
