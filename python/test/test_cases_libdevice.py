"""libdevice: each of its 313 functions, on blocks and on scalars, against an exact reference."""

from __future__ import annotations

import ast
import inspect
import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.language import core
from triton.language.extra.cuda import libdevice as table
from values import assert_same, bits, given, numpy_dtype, room, wrap

# ---------------------------------------------------------------------------------------------
# The functions, from the wheel's own table
# ---------------------------------------------------------------------------------------------

_TYPES = {"fp32": "float32", "fp64": "float64"}


def _symbols() -> dict[str, tuple[str, tuple[str, ...], str]]:
    """Symbol without `__nv_` to the name users call, the types of arguments, and of the result."""
    found = {}
    for function in ast.parse(inspect.getsource(table)).body:
        for node in ast.walk(function):
            if not isinstance(node, ast.Dict):
                continue
            for key, value in zip(node.keys, node.values, strict=True):
                arguments = tuple(_TYPES.get(e.args[0].value, e.args[0].value) for e in key.elts)
                result = value.elts[1].args[0].value
                symbol = value.elts[0].value.removeprefix("__nv_")
                found[symbol] = (function.name, arguments, _TYPES.get(result, result))
    return found


SYMBOLS = _symbols()


@core.extern
def call(symbol, result, arguments, _semantic=None):
    """The function `__nv_<symbol>`, as the wheel's wrappers call it."""
    known = {tuple(a.dtype for a in arguments): ("__nv_" + symbol.value, core.dtype(result.value))}
    return core.extern_elementwise("", "", list(arguments), known, True, _semantic=_semantic)


@triton.jit
def apply(inputs, out_ptr, SYMBOL: tl.constexpr, RESULT: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(inputs[0] + at)
    if len(inputs) == 1:
        y = call(SYMBOL, RESULT, (x,))
    elif len(inputs) == 2:
        y = call(SYMBOL, RESULT, (x, tl.load(inputs[1] + at)))
    elif len(inputs) == 3:
        y = call(SYMBOL, RESULT, (x, tl.load(inputs[1] + at), tl.load(inputs[2] + at)))
    else:
        y = call(
            SYMBOL,
            RESULT,
            (
                x,
                tl.load(inputs[1] + at),
                tl.load(inputs[2] + at),
                tl.load(inputs[3] + at),
            ),
        )
    tl.store(out_ptr + at, y)


@triton.jit
def apply_to_scalars(inputs, out_ptr, SYMBOL: tl.constexpr, RESULT: tl.constexpr):
    at = tl.program_id(0)
    x = tl.load(inputs[0] + at)
    if len(inputs) == 1:
        y = call(SYMBOL, RESULT, (x,))
    elif len(inputs) == 2:
        y = call(SYMBOL, RESULT, (x, tl.load(inputs[1] + at)))
    elif len(inputs) == 3:
        y = call(SYMBOL, RESULT, (x, tl.load(inputs[1] + at), tl.load(inputs[2] + at)))
    else:
        y = call(
            SYMBOL,
            RESULT,
            (
                x,
                tl.load(inputs[1] + at),
                tl.load(inputs[2] + at),
                tl.load(inputs[3] + at),
            ),
        )
    tl.store(out_ptr + at, y)


def computed(symbol: str, *inputs: np.ndarray) -> np.ndarray:
    """What a block and scalars give, which is the same."""
    _, types, result = SYMBOLS[symbol]
    assert tuple(x.dtype.name for x in inputs) == types
    size = triton.next_power_of_2(inputs[0].size)
    padded = [np.concatenate([x, np.repeat(x[:1], size - x.size)]) for x in inputs]
    arguments = tuple(given(x, name) for x, name in zip(padded, types, strict=True))
    words = {"float32": "fp32", "float64": "fp64"}
    out, read = room(size, result)
    apply[(1,)](arguments, out, SYMBOL=symbol, RESULT=words.get(result, result), N=size)
    scalars, read_scalars = room(size, result)
    apply_to_scalars[(size,)](arguments, scalars, SYMBOL=symbol, RESULT=words.get(result, result))
    np.testing.assert_array_equal(bits(read_scalars()), bits(read()))
    return read()[: inputs[0].size]


# ---------------------------------------------------------------------------------------------
# Functions with one direction of rounding: exact fractions
# ---------------------------------------------------------------------------------------------


class Format:
    """The numbers of f32 or f64, as fractions."""

    def __init__(self, name: str) -> None:
        self.dtype = numpy_dtype(name)
        info = np.finfo(name)
        self.precision, self.least = info.nmant + 1, int(info.minexp) - info.nmant
        self.largest = Fraction(float(info.max))

    def rounded(self, exact: Fraction, mode: str) -> float:
        """A nonzero number in this format; `mode` is rn, rd, ru or rz."""
        size = abs(exact)
        exponent = math.floor(math.log2(size.numerator) - math.log2(size.denominator)) - 2
        while Fraction(2) ** (exponent + 1) <= size:
            exponent += 1
        unit = Fraction(2) ** max(exponent - self.precision + 1, self.least)
        whole, rest = divmod(size / unit, 1)
        away = {"rd": exact < 0, "ru": exact > 0, "rz": False}.get(mode)
        if away is None:
            away = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)
        result = (whole + (1 if away and rest else 0)) * unit
        if result > self.largest:
            result = math.inf if away or mode == "rn" else float(self.largest)
        return float(result) if exact > 0 else -float(result)


def _root(x: Fraction) -> Fraction:
    """The square root, with a last digit that is 1 if there are more behind it."""
    shift = 4 * 1200
    scaled = x.numerator * x.denominator << shift
    root = math.isqrt(scaled)
    return Fraction(2 * root + (root * root != scaled), 2 * x.denominator << (shift // 2))


EXACT: dict[str, Callable[..., Fraction]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "rcp": lambda x: 1 / x,
    "sqrt": _root,
    "fma": lambda x, y, z: x * y + z,
}


def _zero(operation: str, mode: str, values: tuple[float, ...]) -> float:
    """The zero that an exact result of zero is."""
    if operation in ("mul", "div", "rcp"):
        return math.copysign(0.0, math.prod(math.copysign(1, v) for v in values))
    if operation == "sqrt":
        return values[0]
    left, right = values if len(values) == 2 else (values[0] * values[1], values[2])
    if len(values) == 3:
        left = math.copysign(1, values[0]) * math.copysign(1, values[1])
    signs = {math.copysign(1, left), math.copysign(1, right) * (-1 if operation == "sub" else 1)}
    return -0.0 if signs == {-1.0} or (mode == "rd" and len(signs) == 2) else 0.0


def _ieee(operation: str, values: tuple[np.floating, ...]) -> float:
    """With an infinity, a NaN or a division by zero no rounding takes place."""
    with np.errstate(all="ignore"):
        x = [np.float64(v) for v in values]
        if operation == "rcp":
            return 1 / x[0]
        if operation == "sqrt":
            return np.sqrt(x[0])
        if operation == "fma":
            product = (
                x[0] * x[1] if not (np.isfinite(x[0]) and np.isfinite(x[1])) else np.float64(0)
            )
            return product + x[2]
        return {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[operation](
            *x
        )


def reference(operation: str, mode: str, name: str, *inputs: np.ndarray) -> np.ndarray:
    target = Format(name)
    results = []
    for values in zip(*inputs, strict=True):
        special = not all(np.isfinite(v) for v in values)
        special |= operation == "rcp" and values[0] == 0
        special |= operation == "div" and values[1] == 0
        special |= operation == "sqrt" and values[0] < 0
        if special:
            results.append(_ieee(operation, values))
            continue
        exact = EXACT[operation](*[Fraction(float(v)) for v in values])
        if exact:
            results.append(target.rounded(exact, mode))
        else:
            results.append(_zero(operation, mode, tuple(float(v) for v in values)))
    return np.array(results).astype(target.dtype)


def hard_numbers(name: str, count: int, seed: int) -> np.ndarray:
    """Numbers of all sizes, with many or few bits, and the ends of the range."""
    info, rng = np.finfo(name), np.random.default_rng(seed)
    ends = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1.5, 3.0, info.max, -info.max]
    ends += [info.tiny, -info.tiny, info.smallest_subnormal, 1 + info.eps, 1 - info.epsneg]
    ends += [info.tiny * (1 - info.eps), 2.0, 0.5, 10.0]
    wide = np.ldexp(rng.uniform(1, 2, count), rng.integers(info.minexp - 20, info.maxexp, count))
    near = rng.normal(size=count)
    few = np.ldexp(rng.integers(1, 8, count).astype(np.float64), rng.integers(-30, 30, count))
    signs = rng.choice([-1.0, 1.0], 3 * count)
    return np.concatenate([ends, np.concatenate([wide, near, few]) * signs]).astype(name)


DIRECTED = [
    (prefix, operation, mode)
    for prefix in ("f", "d")
    for operation in EXACT
    for mode in ("rn", "rd", "ru", "rz")
]


def _symbol(prefix: str, operation: str, mode: str) -> str:
    stem = {"f": "fmaf", "d": "fma"}[prefix] if operation == "fma" else prefix + operation
    return f"{stem}_{mode}"


@pytest.mark.every(2)
@pytest.mark.parametrize(("prefix", "operation", "mode"), DIRECTED)
def test_directed_rounding(prefix: str, operation: str, mode: str):
    symbol, name = _symbol(prefix, operation, mode), {"f": "float32", "d": "float64"}[prefix]
    check_directed(symbol, operation, mode, name, 20)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("prefix", "operation", "mode"), DIRECTED)
def test_directed_rounding_of_many(prefix: str, operation: str, mode: str, seed: int):
    symbol, name = _symbol(prefix, operation, mode), {"f": "float32", "d": "float64"}[prefix]
    check_directed(symbol, operation, mode, name, 300, seed + 10)


def check_directed(symbol: str, operation: str, mode: str, name: str, count: int, seed: int = 1):
    arity = len(SYMBOLS[symbol][1])
    if arity == 1:
        inputs = [hard_numbers(name, 10 * count, seed)]
    else:
        some = [hard_numbers(name, count, seed + i) for i in range(arity)]
        ends = [np.array(v) for v in zip(*itertools.product(*[s[:20] for s in some]), strict=True)]
        if arity == 3:
            chosen = np.random.default_rng(seed).permutation(ends[0].size)[:500]
            ends = [e[chosen] for e in ends]
        rng = np.random.default_rng(seed)
        shuffled = [
            np.concatenate([e, rng.permutation(s)]) for e, s in zip(ends, some, strict=True)
        ]
        inputs = shuffled
        with np.errstate(all="ignore"):
            # Sums that nearly cancel, and exact ones.
            x, y = (s[-count:] for s in shuffled[:2])
            last = {"add": -x, "sub": x, "fma": -(x * y)}.get(operation, y)
            close = np.nextafter(last, np.array(np.inf, dtype=name))
        extra = {2: [x, close], 3: [x, y, close]}[arity]
        exact = {2: [x, last], 3: [x, y, last]}[arity]
        inputs = [np.concatenate(v) for v in zip(inputs, extra, exact, strict=True)]
    expected = reference(operation, mode, name, *inputs)
    assert_same(computed(symbol, *inputs), expected, *inputs, what=symbol)


# ---------------------------------------------------------------------------------------------
# Conversions
# ---------------------------------------------------------------------------------------------

_INTEGERS = {"int": "int32", "uint": "uint32", "ll": "int64", "ull": "uint64"}
_FLOATS = {"float": "float32", "double": "float64"}
CONVERSIONS = [s for s in SYMBOLS if "2" in s and s.rpartition("_")[2] in ("rn", "rd", "ru", "rz")]


def corners(name: str) -> np.ndarray:
    """Integers on both sides of every power of two."""
    info = np.iinfo(name)
    values = {sign * 2**p + d for p in range(64) for d in (-1, 0, 1) for sign in (-1, 1)}
    values |= {
        2**p + 2**q + d
        for p in range(20, 64, 3)
        for q in (p - 24, p - 25, p - 53)
        if q >= 0
        for d in (-1, 0, 1)
    }
    return np.array(sorted(v for v in values if info.min <= v <= info.max), dtype=name)


@pytest.mark.parametrize("symbol", [s for s in CONVERSIONS if s.split("2")[0] in _INTEGERS])
def test_integers_to_floats(symbol: str):
    types, mode = symbol.rsplit("_", 1)
    source, target = types.split("2")
    name = _FLOATS[target]
    x = corners(_INTEGERS[source])
    to = Format(name)
    expected = [to.rounded(Fraction(int(v)), mode) if v else 0.0 for v in x]
    assert_same(computed(symbol, x), np.array(expected, dtype=name), x, what=symbol)


@pytest.mark.parametrize("symbol", [s for s in CONVERSIONS if s.startswith("double2float")])
def test_f64_to_f32(symbol: str):
    mode = symbol.rsplit("_", 1)[1]
    x = np.concatenate([hard_numbers("float64", 50, 2), hard_numbers("float32", 50, 3)])
    x = np.concatenate([x, np.nextafter(x, np.inf), np.nextafter(x, -np.inf)])
    to = Format("float32")
    expected = [
        to.rounded(Fraction(float(v)), mode) if np.isfinite(v) and v else float(v) for v in x
    ]
    assert_same(computed(symbol, x), np.array(expected).astype(np.float32), x, what=symbol)


ROUNDINGS = {"rn": round, "rd": math.floor, "ru": math.ceil, "rz": math.trunc}


@pytest.mark.parametrize(
    "symbol", [s for s in CONVERSIONS if s.split("2")[1].rsplit("_", 1)[0] in _INTEGERS]
)
def test_floats_to_integers(symbol: str):
    """The nearest integer that exists; NaN is 0, with 64 bits on a side the sign bit alone."""
    types, mode = symbol.rsplit("_", 1)
    source, target = types.split("2")
    name, result = _FLOATS[source], _INTEGERS[target]
    info = np.iinfo(result)
    x = np.concatenate([corners("int64").astype(name), hard_numbers(name, 30, 4)])
    x = np.concatenate([x, [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.499999, -0.75]]).astype(name)
    expected = []
    for v in x:
        if np.isnan(v):
            wide = name == "float64" or info.bits == 64
            expected.append(wrap(2 ** (info.bits - 1), result) if wide else 0)
        elif np.isinf(v):
            expected.append(info.max if v > 0 else info.min)
        else:
            expected.append(min(max(ROUNDINGS[mode](Fraction(float(v))), info.min), info.max))
    actual = computed(symbol, x).view(result)  # Triton calls unsigned results signed.
    assert_same(actual, np.array(expected, dtype=result), x, what=symbol)


# ---------------------------------------------------------------------------------------------
# Integers and bits
# ---------------------------------------------------------------------------------------------


def _unsigned(x: int, width: int) -> int:
    return x & ((1 << width) - 1)


def _reversed(x: int, width: int) -> int:
    return int(f"{_unsigned(x, width):0{width}b}"[::-1], 2)


def _low24(x: int, signed: bool) -> int:
    x &= 0xFFFFFF
    return x - (1 << 24) if signed and x >> 23 else x


def _bytes(low: int, high: int, selector: int) -> int:
    both = (_unsigned(low, 32) | _unsigned(high, 32) << 32).to_bytes(8, "little")
    return int.from_bytes(bytes(both[selector >> (4 * i) & 7] for i in range(4)), "little")


INTEGER_FUNCTIONS: dict[str, Callable[..., int]] = {
    "abs": abs,
    "llabs": abs,
    "brev": lambda x: _reversed(x, 32),
    "brevll": lambda x: _reversed(x, 64),
    "byte_perm": _bytes,
    "clz": lambda x: 32 - _unsigned(x, 32).bit_length(),
    "clzll": lambda x: 64 - _unsigned(x, 64).bit_length(),
    "ffs": lambda x: (x & -x).bit_length(),
    "ffsll": lambda x: (x & -x).bit_length(),
    "popc": lambda x: _unsigned(x, 32).bit_count(),
    "popcll": lambda x: _unsigned(x, 64).bit_count(),
    "hadd": lambda x, y: (x + y) >> 1,
    "uhadd": lambda x, y: (x + y) >> 1,
    "rhadd": lambda x, y: (x + y + 1) >> 1,
    "urhadd": lambda x, y: (x + y + 1) >> 1,
    "mul24": lambda x, y: _low24(x, True) * _low24(y, True),
    "umul24": lambda x, y: _low24(x, False) * _low24(y, False),
    "mulhi": lambda x, y: (x * y) >> 32,
    "umulhi": lambda x, y: (x * y) >> 32,
    "mul64hi": lambda x, y: (x * y) >> 64,
    "umul64hi": lambda x, y: (x * y) >> 64,
    "sad": lambda x, y, z: abs(x - y) + z,
    "usad": lambda x, y, z: abs(x - y) + z,
}


@pytest.mark.parametrize("symbol", INTEGER_FUNCTIONS)
def test_integer_functions(symbol: str):
    _, types, result = SYMBOLS[symbol]
    columns = [corners(name) for name in types]
    rng = np.random.default_rng(7)
    inputs = [rng.permutation(np.resize(c, 500)) for c in columns]
    rule = INTEGER_FUNCTIONS[symbol]
    expected = [
        wrap(rule(*[int(v) for v in values]), result) for values in zip(*inputs, strict=True)
    ]
    actual = computed(symbol, *inputs)
    assert_same(actual, np.array(expected, dtype=result), *inputs, what=symbol)


BIT_FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "int_as_float": lambda x: x.view(np.float32),
    "uint_as_float": lambda x: x.view(np.float32),
    "longlong_as_double": lambda x: x.view(np.float64),
    "float_as_int": lambda x: x.view(np.int32),
    "float_as_uint": lambda x: x.view(np.int32),
    "double_as_longlong": lambda x: x.view(np.int64),
    "double2hiint": lambda x: (x.view(np.int64) >> 32).astype(np.int32),
    "double2loint": lambda x: x.view(np.int64).astype(np.int32),
}


@pytest.mark.parametrize("symbol", BIT_FUNCTIONS)
def test_patterns_of_bits(symbol: str):
    name = SYMBOLS[symbol][1][0]
    x = hard_numbers(name, 40, 3) if name.startswith("float") else corners(name)
    x = x[~np.isnan(x)]
    assert_same(computed(symbol, x), BIT_FUNCTIONS[symbol](x), x, what=symbol)


def test_f64_from_two_halves():
    x = hard_numbers("float64", 40, 3)
    x = x[~np.isnan(x)]
    halves = x.view(np.int64)
    high, low = (halves >> 32).astype(np.int32), halves.astype(np.int32)
    assert_same(computed("hiloint2double", high, low), x, high, low)


QUESTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "isnan": np.isnan,
    "isinf": np.isinf,
    "finite": np.isfinite,
    "isfinite": np.isfinite,
    "signbit": np.signbit,
}


@pytest.mark.parametrize("symbol", [s for s in SYMBOLS if s[:-1] in QUESTIONS])
def test_questions(symbol: str):
    x = hard_numbers(SYMBOLS[symbol][1][0], 20, 3)
    expected = QUESTIONS[symbol[:-1]](x).astype(np.int32)
    np.testing.assert_array_equal(computed(symbol, x) != 0, expected != 0)


def test_reciprocal_of_the_upper_half():
    x = hard_numbers("float64", 100, 5)
    normal = np.isfinite(x) & (np.abs(x) > 1e-300) & (np.abs(x) < 1e300)
    actual = computed("rcp64h", x)
    cut = (x.view(np.int64) >> 32 << 32).view(np.float64)
    np.testing.assert_allclose(actual[normal], 1 / cut[normal], rtol=2.0**-21)
    assert not (actual[normal].view(np.int64) & 0xFFFFFFFF).any()
    assert math.isinf(computed("rcp64h", np.array([0.0]))[0])
    assert np.isnan(computed("rcp64h", np.array([np.nan]))[0])
