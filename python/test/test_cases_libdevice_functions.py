"""libdevice's mathematical functions against arbitrary precision, and at their special numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
import scipy.special
import triton
import triton.language as tl
from mpmath import mp
from test_cases_libdevice import (
    BIT_FUNCTIONS,
    CONVERSIONS,
    DIRECTED,
    INTEGER_FUNCTIONS,
    QUESTIONS,
    SYMBOLS,
    _symbol,
    computed,
)
from triton.language.extra import libdevice
from values import numpy_dtype

mp.prec = 240

# ---------------------------------------------------------------------------------------------
# Name without the `f` of the f32 function: the function, and where to look
# ---------------------------------------------------------------------------------------------

ALL = (-30.0, 30.0)
NEAR = (-4.0, 4.0)
POSITIVE = (1e-3, 60.0)
UNIT = (-1.0, 1.0)


def _real(function: Callable[..., object]) -> Callable[..., object]:
    return lambda *x: mp.re(function(*x))


def _root3(x):
    return mp.sign(x) * mp.cbrt(abs(x))


def _norm(*x):
    return mp.sqrt(sum(v * v for v in x))


def _round(x):
    return mp.sign(x) * mp.floor(abs(x) + mp.mpf(0.5))


UNARY: dict[str, tuple[Callable[..., object], tuple[float, float]]] = {
    "acos": (mp.acos, UNIT),
    "acosh": (mp.acosh, (1.0, 40.0)),
    "asin": (mp.asin, UNIT),
    "asinh": (mp.asinh, ALL),
    "atan": (mp.atan, ALL),
    "atanh": (mp.atanh, (-0.99, 0.99)),
    "cbrt": (_root3, ALL),
    "ceil": (mp.ceil, ALL),
    "cos": (mp.cos, ALL),
    "cosh": (mp.cosh, ALL),
    "cospi": (mp.cospi, ALL),
    "cyl_bessel_i0": (lambda x: mp.besseli(0, x), ALL),
    "cyl_bessel_i1": (lambda x: mp.besseli(1, x), ALL),
    "erf": (mp.erf, NEAR),
    "erfc": (mp.erfc, NEAR),
    "erfcinv": (lambda x: mp.erfinv(1 - x), (0.01, 1.99)),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), NEAR),
    "erfinv": (mp.erfinv, (-0.99, 0.99)),
    "exp": (mp.exp, ALL),
    "exp10": (lambda x: mp.mpf(10) ** x, ALL),
    "exp2": (lambda x: mp.mpf(2) ** x, ALL),
    "expm1": (mp.expm1, NEAR),
    "fabs": (abs, ALL),
    "floor": (mp.floor, ALL),
    "j0": (lambda x: mp.besselj(0, x), POSITIVE),
    "j1": (lambda x: mp.besselj(1, x), POSITIVE),
    "lgamma": (lambda x: mp.log(abs(mp.gamma(x))), (0.1, 60.0)),
    "log": (mp.log, POSITIVE),
    "log10": (mp.log10, POSITIVE),
    "log1p": (mp.log1p, (-0.9, 30.0)),
    "log2": (lambda x: mp.log(x, 2), POSITIVE),
    "logb": (lambda x: mp.floor(mp.log(abs(x), 2)), POSITIVE),
    "nearbyint": (mp.nint, ALL),
    "normcdf": (mp.ncdf, NEAR),
    "normcdfinv": (lambda x: mp.sqrt(2) * mp.erfinv(2 * x - 1), (0.01, 0.99)),
    "rcbrt": (lambda x: 1 / _root3(x), ALL),
    "rint": (mp.nint, ALL),
    "round": (_round, ALL),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), POSITIVE),
    "sin": (mp.sin, ALL),
    "sinh": (mp.sinh, ALL),
    "sinpi": (mp.sinpi, ALL),
    "sqrt": (mp.sqrt, POSITIVE),
    "tan": (mp.tan, ALL),
    "tanh": (mp.tanh, NEAR),
    "tgamma": (mp.gamma, (0.1, 30.0)),
    "trunc": (lambda x: mp.sign(x) * mp.floor(abs(x)), ALL),
    "y0": (lambda x: mp.bessely(0, x), POSITIVE),
    "y1": (lambda x: mp.bessely(1, x), POSITIVE),
    "saturate": (lambda x: min(max(x, 0), 1), NEAR),
    "fast_cos": (mp.cos, ALL),
    "fast_exp": (mp.exp, ALL),
    "fast_exp10": (lambda x: mp.mpf(10) ** x, ALL),
    "fast_log": (mp.log, POSITIVE),
    "fast_log10": (mp.log10, POSITIVE),
    "fast_log2": (lambda x: mp.log(x, 2), POSITIVE),
    "fast_sin": (mp.sin, ALL),
    "fast_tan": (mp.tan, ALL),
    "frsqrt_rn": (lambda x: 1 / mp.sqrt(x), POSITIVE),
}

SEVERAL: dict[str, tuple[Callable[..., object], tuple[tuple[float, float], ...]]] = {
    "atan2": (mp.atan2, (ALL, ALL)),
    "copysign": (lambda x, y: abs(x) * (-1 if y < 0 else 1), (ALL, ALL)),
    "fast_fdivide": (lambda x, y: x / y, (ALL, POSITIVE)),
    "fast_pow": (lambda x, y: x**y, (POSITIVE, NEAR)),
    "fdim": (lambda x, y: max(x - y, 0), (ALL, ALL)),
    "fma": (lambda x, y, z: x * y + z, (ALL, ALL, ALL)),
    "fmod": (lambda x, y: mp.sign(x) * mp.fmod(abs(x), abs(y)), (ALL, ALL)),
    "hypot": (_norm, (ALL, ALL)),
    "norm3d": (_norm, (ALL, ALL, ALL)),
    "norm4d": (_norm, (ALL, ALL, ALL, ALL)),
    "pow": (lambda x, y: x**y, (POSITIVE, NEAR)),
    "remainder": (lambda x, y: x - y * mp.nint(x / y), (ALL, ALL)),
    "rhypot": (lambda *x: 1 / _norm(*x), (ALL, ALL)),
    "rnorm3d": (lambda *x: 1 / _norm(*x), (ALL, ALL, ALL)),
    "rnorm4d": (lambda *x: 1 / _norm(*x), (ALL, ALL, ALL, ALL)),
}

WITH_INTEGERS: dict[str, Callable[..., object]] = {
    "jn": lambda n, x: mp.besselj(n, x),
    "yn": lambda n, x: mp.bessely(n, x),
    "ldexp": lambda x, n: x * mp.mpf(2) ** n,
    "scalbn": lambda x, n: x * mp.mpf(2) ** n,
    "powi": lambda x, n: x**n,
}

TO_INTEGERS: dict[str, Callable[[float], int]] = {
    "ilogb": lambda x: math.frexp(x)[1] - 1,
    "llrint": round,
    "llround": lambda x: int(math.copysign(math.floor(abs(x) + 0.5), x)),
}

NEXT = ("nextafter", "nextafterf")

EXACT = ("ceil", "fabs", "floor", "logb", "nearbyint", "rint", "round", "sqrt", "trunc")
EXACT += ("saturate", "copysign", "fdim", "fma", "fmod", "remainder", "ldexp", "scalbn")

LOOSE = {"cyl_bessel_i0": 8, "cyl_bessel_i1": 8, "erfcx": 8, "lgamma": 8, "tgamma": 8, "rcbrt": 3}
LOOSE |= {"normcdf": 16}
"""In units of the last place, where the usual two are not enough."""


def stem(symbol: str) -> str:
    """The name without the `f` that f32 functions end with."""
    known = (UNARY, SEVERAL, WITH_INTEGERS, TO_INTEGERS)
    if any(symbol in names for names in known):
        return symbol
    short = symbol.removesuffix("f")
    return short if any(short in names for names in known) else ""


def test_every_function_of_libdevice_is_tested():
    tested = {s for s in SYMBOLS if stem(s)} | set(NEXT) | set(CONVERSIONS)
    tested |= {_symbol(*case) for case in DIRECTED} | set(INTEGER_FUNCTIONS) | set(BIT_FUNCTIONS)
    tested |= {s for s in SYMBOLS if s[:-1] in QUESTIONS} | {"hiloint2double", "rcp64h"}
    assert set(SYMBOLS) - tested == set()


def points(ranges: tuple[tuple[float, float], ...], name: str) -> list[np.ndarray]:
    rng = np.random.default_rng(11)
    made = []
    for low, high in ranges:
        whole = [v for v in (0.5, 1.0, 1.5, 2.0, 2.5, -1.5, -2.5, 3.0) if low <= v <= high]
        some = np.concatenate([whole, rng.uniform(low, high, 40 - len(whole))])
        made.append(rng.permutation(some).astype(name))
    return made


def assert_close(symbol: str, actual: np.ndarray, exact: list, inputs: list[np.ndarray]):
    base = stem(symbol)
    units = 0 if base in EXACT else LOOSE.get(base, 2)
    dtype = actual.dtype
    eps = float(np.finfo(dtype).eps)
    for i, (value, wanted) in enumerate(zip(actual, exact, strict=True)):
        nearest = dtype.type(mpmath.nstr(wanted, 300))
        bound = units * eps * max(abs(float(nearest)), float(np.finfo(dtype).tiny))
        if base in ("j0", "j1", "jn", "y0", "y1", "yn"):  # Between zeros, errors are absolute.
            bound = 8 * eps
            bound *= max(1.0, abs(float(nearest)))
        ok = value == nearest if units == 0 else abs(float(value) - float(nearest)) <= bound
        operands = ", ".join(repr(x[i]) for x in inputs)
        assert ok, f"{symbol}({operands}) = {value!r}, not {nearest!r}"


FUNCTIONS = [s for s in SYMBOLS if stem(s) in UNARY or stem(s) in SEVERAL]


@pytest.mark.parametrize("symbol", FUNCTIONS)
def test_functions(symbol: str):
    base, name = stem(symbol), SYMBOLS[symbol][1][0]
    function, ranges = SEVERAL[base] if base in SEVERAL else (UNARY[base][0], (UNARY[base][1],))
    inputs = points(ranges, name)
    if base in ("tan", "fast_tan"):  # Near a pole the argument's own rounding counts.
        inputs = [x[np.abs(np.cos(x.astype(np.float64))) > 1e-3] for x in inputs]
    exact = [
        _real(function)(*[mp.mpf(float(v)) for v in values]) for values in zip(*inputs, strict=True)
    ]
    assert_close(symbol, computed(symbol, *inputs), exact, inputs)


@pytest.mark.parametrize("symbol", [s for s in SYMBOLS if stem(s) in WITH_INTEGERS])
def test_functions_with_an_integer(symbol: str):
    _, types, _ = SYMBOLS[symbol]
    rng = np.random.default_rng(3)
    inputs = [
        rng.integers(0 if stem(symbol) in ("jn", "yn") else -6, 7, 40).astype(np.int32)
        if name == "int32"
        else rng.uniform(0.5, 20, 40).astype(numpy_dtype(name))
        for name in types
    ]
    function = WITH_INTEGERS[stem(symbol)]
    exact = [
        function(*[int(v) if v.dtype.kind == "i" else mp.mpf(float(v)) for v in values])
        for values in zip(*inputs, strict=True)
    ]
    assert_close(symbol, computed(symbol, *inputs), exact, inputs)


@pytest.mark.parametrize("symbol", [s for s in SYMBOLS if stem(s) in TO_INTEGERS])
def test_functions_that_give_an_integer(symbol: str):
    (x,) = points((ALL,), SYMBOLS[symbol][1][0])
    expected = [TO_INTEGERS[stem(symbol)](float(v)) for v in x]
    np.testing.assert_array_equal(computed(symbol, x), expected)


@pytest.mark.parametrize("symbol", NEXT)
def test_the_next_number(symbol: str):
    name = SYMBOLS[symbol][1][0]
    x, y = points((ALL, ALL), name)
    np.testing.assert_array_equal(computed(symbol, x, y), np.nextafter(x, y))
    np.testing.assert_array_equal(computed(symbol, x, x), x)


# ---------------------------------------------------------------------------------------------
# Infinities, NaN and zeros
# ---------------------------------------------------------------------------------------------

SPECIAL: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    **{
        name: getattr(np, numpy_name)
        for name, numpy_name in {
            "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
            "atan": "arctan", "atanh": "arctanh", "cbrt": "cbrt", "ceil": "ceil", "cos": "cos",
            "cosh": "cosh", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "fabs": "abs",
            "floor": "floor", "log": "log", "log10": "log10", "log1p": "log1p", "log2": "log2",
            "rint": "rint", "nearbyint": "rint", "sin": "sin", "sinh": "sinh", "sqrt": "sqrt",
            "tan": "tan", "tanh": "tanh", "trunc": "trunc",
        }.items()
    },
    "erf": scipy.special.erf,
    "erfc": scipy.special.erfc,
    "erfcinv": lambda x: scipy.special.erfcinv(x) + 0.0,
    "erfcx": scipy.special.erfcx,
    "erfinv": lambda x: np.where(x == 0, x, scipy.special.erfinv(x)),
    "exp10": scipy.special.exp10,
    "lgamma": lambda x: np.where(np.isinf(x), np.inf, scipy.special.gammaln(x)),
    "normcdf": scipy.special.ndtr,
    "normcdfinv": scipy.special.ndtri,
    "j0": lambda x: np.where(np.isinf(x), 0, scipy.special.j0(x)),
    "j1": lambda x: np.where(np.isinf(x), np.copysign(0, x), scipy.special.j1(x)),
    "cyl_bessel_i0": lambda x: np.where(np.isinf(x), np.inf, scipy.special.i0(x)),
    "cyl_bessel_i1": lambda x: np.copysign(np.where(np.isinf(x), np.inf, scipy.special.i1(x)), x),
    "rcbrt": lambda x: 1 / np.cbrt(x),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "logb": lambda x: np.where(np.isinf(x), np.inf, np.floor(np.log2(np.abs(x)))),
    "round": lambda x: np.where(np.isfinite(x), np.copysign(np.floor(np.abs(x) + 0.5), x), x),
}  # fmt: skip


@pytest.mark.every(2)
@pytest.mark.parametrize("symbol", [s for s in SYMBOLS if stem(s) in SPECIAL])
def test_special_numbers(symbol: str):
    name = SYMBOLS[symbol][1][0]
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0, -2.0], dtype=name)
    with np.errstate(all="ignore"):
        expected = SPECIAL[stem(symbol)](x).astype(name)
    actual = computed(symbol, x)
    np.testing.assert_allclose(actual, expected, rtol=8 * np.finfo(name).eps, err_msg=symbol)
    zeros = expected == 0
    signs = np.signbit(actual[zeros]), np.signbit(expected[zeros])
    np.testing.assert_array_equal(*signs, err_msg=f"{symbol}({x[zeros]})")


POWERS = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize(
    ("symbol", "reference"),
    [
        *[("pow", np.power), ("powf", np.power), ("atan2", np.arctan2), ("atan2f", np.arctan2)],
        *[("fmod", np.fmod), ("fmodf", np.fmod), ("hypot", np.hypot), ("hypotf", np.hypot)],
        *[("copysign", np.copysign), ("copysignf", np.copysign), ("nextafterf", np.nextafter)],
    ],
)
def test_special_pairs(symbol: str, reference: Callable):
    name = SYMBOLS[symbol][1][0]
    x = np.repeat(np.array(POWERS, dtype=name), len(POWERS))
    y = np.tile(np.array(POWERS, dtype=name), len(POWERS))
    with np.errstate(all="ignore"):
        expected = reference(x, y).astype(name)
    np.testing.assert_allclose(computed(symbol, x, y), expected, rtol=4 * np.finfo(name).eps)


# ---------------------------------------------------------------------------------------------
# As users call them
# ---------------------------------------------------------------------------------------------


@triton.jit
def call_by_name(x_ptr, outs, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(outs[0] + at, libdevice.tanh(x))
    tl.store(outs[1] + at, libdevice.pow(x, 3))
    tl.store(outs[2] + at, libdevice.pow(x, 1.5))
    tl.store(outs[3] + at, libdevice.isnan(x))
    tl.store(outs[4] + at, libdevice.finitef(x))
    tl.store(outs[5] + at, libdevice.rsqrt(2.0) + x)
    tl.store(outs[6] + at, libdevice.add_rd(x, 1e-10))
    tl.store(outs[7] + at, libdevice.ffs(at))


def test_calls_by_the_names_of_the_module():
    import torch

    x = torch.tensor([0.25, 1.0, 2.0, float("nan"), 3.0, 0.5, 7.0, float("inf")])
    outs = [torch.zeros(8) for _ in range(8)]
    call_by_name[(1,)](x, tuple(outs), N=8)
    torch.testing.assert_close(outs[0], torch.tanh(x), equal_nan=True)
    torch.testing.assert_close(outs[1], x**3, equal_nan=True)
    torch.testing.assert_close(outs[2], x**1.5, equal_nan=True)
    assert outs[3].tolist() == [0, 0, 0, 1, 0, 0, 0, 0]
    assert outs[4].tolist() == [1, 1, 1, 0, 1, 1, 1, 0]
    torch.testing.assert_close(outs[5], x + 2**-0.5, equal_nan=True)
    torch.testing.assert_close(outs[6], x, rtol=0, atol=0, equal_nan=True)
    assert outs[7].tolist() == [0, 1, 2, 1, 3, 1, 2, 1]
