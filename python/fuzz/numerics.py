"""What elementwise operations mean, in NumPy: wrapping integers, floats rounded each time.

A value of type bf16 is held as f32 whose lower half is zero; all others have NumPy types of their
own. Where Triton leaves an answer open, docs/semantics.md is followed.
"""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Row = TypeVar("Row", Array, tuple[Array, ...])
"""What a reduction combines: rows of a block, or of several blocks at once."""

INTEGERS = ("i1", "i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
TYPES = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": np.float32,
    "f32": np.float32,
    "f64": np.float64,
    # As codes; small_floats.py knows their values.
    "f8E5M2": np.uint8,
    "f8E4M3FN": np.uint8,
}
STORED = {**TYPES, "i1": np.uint8, "bf16": np.uint16}
"""How an element lies in memory."""


def width(element: str) -> int:
    return int(element.removeprefix("b").lstrip("if"))


def to_memory(values: Array, element: str) -> Array:
    if element == "bf16":
        return (np.asarray(values, order="C").view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(STORED[element])


def from_memory(stored: Array, element: str) -> Array:
    if element == "bf16":
        return np.asarray(stored.astype(np.uint32) << 16).view(np.float32)
    return stored != 0 if element == "i1" else stored


#
# Floats
#


def to_bf16(values: Array) -> Array:
    """f32 to the nearest bf16, ties to even."""
    values = np.asarray(values, np.float32, order="C")
    bits = values.view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(values), np.float32(np.nan), rounded.view(np.float32))


def f64_to_bf16(values: Array) -> Array:
    """Rounded once: the f32 in between is rounded to odd, which keeps what ties need."""
    values = np.asarray(values, np.float64)
    with np.errstate(over="ignore"):
        nearest = np.asarray(values.astype(np.float32), order="C")
    bits = nearest.view(np.uint32)
    exact = np.isnan(values) | np.isinf(values) | (nearest == values)
    beyond = np.abs(nearest.astype(np.float64)) > np.abs(values)
    odd = (bits - beyond.astype(np.uint32)) | np.uint32(1)
    return to_bf16(np.where(exact, bits, odd).astype(np.uint32).view(np.float32))


def rounded(values: Array, element: str) -> Array:
    """What an operation has computed in f32 or f64, as its own type."""
    return to_bf16(values) if element == "bf16" else values.astype(TYPES[element])


def widened(values: Array, element: str) -> Array:
    """f16 as f32; bf16 is held so already."""
    return values.astype(np.float32) if element == "f16" else values


def convert_float(values: Array, source: str, target: str) -> Array:
    if target == "bf16":
        return f64_to_bf16(values) if source == "f64" else to_bf16(values)
    return values.astype(TYPES[target])


def toward_zero(values: Array, source: str, target: str) -> Array:
    """The nearest value, one step back where the magnitude has grown."""
    near = convert_float(values, source, target)
    grew = np.abs(near.astype(np.float64)) > np.abs(values.astype(np.float64))
    stored = to_memory(near, target)
    bits = stored.view(np.dtype(f"u{stored.dtype.itemsize}"))
    back = (bits - grew.astype(bits.dtype)).view(stored.dtype)
    return from_memory(back, target)


def from_integer(values: Array, source: str, target: str, signed: bool) -> Array:
    values = extended(values, source, "i64", signed)
    wide = values if signed or source != "i64" else values.view(np.uint64)
    if target in ("f32", "f64"):
        return wide.astype(TYPES[target])
    # The lowest bits of a large number matter to rounding only by not being zero.
    low = wide & wide.dtype.type(0xFFFF)
    large = (wide >= 1 << 48) | (wide <= -(1 << 48)) if signed else wide >= 1 << 48
    sticky = np.where(large, (wide - low) | (low != 0).astype(wide.dtype) << 16, wide)
    return convert_float(sticky.astype(np.float64), "f64", target)


_LIBM = ctypes.CDLL(ctypes.util.find_library("m"))


_towards: float | None = None


@contextlib.contextmanager
def functions_off_towards(limit: float) -> Iterator[None]:
    """Functions of the C library give their neighbours in the direction of `limit`."""
    global _towards
    _towards = limit
    try:
        yield
    finally:
        _towards = None


_lanes: int | None = None
_rounds = True


@contextlib.contextmanager
def combined_in_lanes(count: int, rounds: bool) -> Iterator[None]:
    """Reductions and scans combine as vectors of so many numbers do, and may round only once."""
    global _lanes, _rounds
    _lanes, _rounds = count, rounds
    try:
        yield
    finally:
        _lanes, _rounds = None, True


def rounded_between(values: Array, element: str) -> Array:
    """What a float operation within a reduction or scan hands on, in the type that computes."""
    return widened(rounded(values, element), element) if _rounds else values


def reduced(rows: Sequence[Row], combine: Callable[[Row, Row], Row]) -> Row:
    """All rows combined, from the first to the last; or each lane, then their results in pairs."""
    if _lanes is None:
        return functools.reduce(combine, rows)
    left = [functools.reduce(combine, rows[i::_lanes]) for i in range(min(_lanes, len(rows)))]
    while len(left) > 1:
        pairs = [combine(*left[i : i + 2]) for i in range(0, len(left) - 1, 2)]
        left = [*pairs, *left[2 * len(pairs) :]]
    return left[0]


def running(rows: Sequence[Row], combine: Callable[[Row, Row], Row]) -> list[Row]:
    """Every row combined with all before it; or with those of its vector, then all before that."""
    if _lanes is None:
        return list(itertools.accumulate(rows, combine))
    done: list[Row] = []
    for first in range(0, len(rows), _lanes):
        vector, apart = list(rows[first : first + _lanes]), 1
        while apart < len(vector):
            vector = [*vector[:apart], *map(combine, vector, vector[apart:])]
            apart *= 2
        done += [combine(done[-1], row) for row in vector] if done else vector
    return done


def libm(name: str) -> Callable[..., Array]:
    """A function of the C library on f32 and f64, element by element."""

    def call(*operands: Array) -> Array:
        single = operands[0].dtype == np.float32
        function = getattr(_LIBM, name + "f" if single else name)
        kind = ctypes.c_float if single else ctypes.c_double
        function.restype, function.argtypes = kind, [kind] * len(operands)
        flat = zip(*(operand.ravel().tolist() for operand in operands), strict=True)
        results = [function(*elements) for elements in flat]
        values = np.array(results, operands[0].dtype).reshape(operands[0].shape)
        if _towards is None or name == "fma":
            return values
        return np.asarray(np.nextafter(values, values.dtype.type(_towards)))

    return call


def _to_odd(near: Array, rest: Array) -> Array:
    """Of `near` and its neighbour in the direction of `rest`, what was rounded off, the odd one:
    rounding that to fewer bits is as rounding the exact number."""
    bits = near.view(f"u{near.dtype.itemsize}")
    moves = (rest != 0) & (bits % 2 == 0) & np.isfinite(near)
    towards = np.copysign(near.dtype.type(np.inf), rest).astype(near.dtype)
    return np.where(moves, np.nextafter(near, towards), near)


def fused(element: str) -> Callable[[Array, Array, Array], Array]:
    """`a * b + c`, rounded once. For small floats, which are held as f32, not rounded yet: f64 has
    their product, and the sum but for a rest."""
    if element not in ("bf16", "f16"):
        return libm("fma")

    def call(a: Array, b: Array, c: Array) -> Array:
        with np.errstate(all="ignore"):
            product, third = a.astype(np.float64) * b, c.astype(np.float64)
            total = product + third
            taken = total - product
            total = _to_odd(total, (product - (total - taken)) + (third - taken))
            single = total.astype(np.float32)
            return _to_odd(single, total - single)

    return call


def of_numbers(pick: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """`maxnumf` and `minnumf`: a number is preferred to a NaN."""
    return lambda a, b: np.where(np.isnan(a), b, np.where(np.isnan(b), a, pick(a, b)))


FLOAT_BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.remf": np.fmod,
}

FLOAT_EXTREMA: dict[str, Callable[[Array, Array], Array]] = {
    "arith.maxnumf": of_numbers(np.maximum),
    "arith.minnumf": of_numbers(np.minimum),
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
}
"""Which zero wins is open for the first two: a program adds zero to the result."""

FLOAT_UNARY: dict[str, Callable[..., Array]] = {
    "arith.negf": np.negative,
    "math.absf": np.abs,
    "math.floor": np.floor,
    "math.ceil": np.ceil,
    "math.sqrt": np.sqrt,
    **{f"math.{name}": libm(name) for name in ("exp", "exp2", "log", "log2", "sin", "cos", "erf")},
}


def compare_floats(predicate: str, a: Array, b: Array) -> Array:
    unordered = np.isnan(a) | np.isnan(b)
    if predicate in ("ord", "uno"):
        return np.asarray(unordered if predicate == "uno" else ~unordered)
    ordered: Array = {
        "eq": (a == b),
        "ne": (a < b) | (a > b),
        "lt": a < b,
        "le": a <= b,
        "gt": a > b,
        "ge": a >= b,
    }[predicate[1:]]
    return np.asarray(ordered if predicate[0] == "o" else ordered | unordered)


FLOAT_PREDICATES = (
    "ord",
    "uno",
    *(a + b for a in "ou" for b in ("eq", "ne", "lt", "le", "gt", "ge")),
)


#
# Integers
#


def unsigned(values: Array) -> Array:
    return values if values.dtype == np.bool_ else values.view(f"u{values.dtype.itemsize}")


def extended(values: Array, source: str, target: str, signed: bool) -> Array:
    if source == "i1":
        return (-values.astype(np.int8) if signed else values).astype(TYPES[target])
    return (values if signed else unsigned(values)).astype(TYPES[target])


def truncated(values: Array, target: str) -> Array:
    return (values & 1).astype(np.bool_) if target == "i1" else values.astype(TYPES[target])


def _divsi(a: Array, b: Array) -> Array:
    safe = np.where((b == 0) | (b == -1), 1, b).astype(a.dtype)
    floor = a // safe
    quotient = floor + ((floor * safe != a) & ((a < 0) != (safe < 0)))
    return np.where(b == 0, -1, np.where(b == -1, -a, quotient)).astype(a.dtype)


def _remsi(a: Array, b: Array) -> Array:
    return np.where(b == 0, a, a - _divsi(a, b) * b).astype(a.dtype)


def _divui(a: Array, b: Array) -> Array:
    u, v = unsigned(a), unsigned(b)
    quotient = u // np.where(v == 0, 1, v).astype(u.dtype)
    return np.where(v == 0, -1, quotient.view(a.dtype)).astype(a.dtype)


def _remui(a: Array, b: Array) -> Array:
    return np.where(b == 0, a, a - _divui(a, b) * b).astype(a.dtype)


def _unsigned_pick(pick: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda a, b: pick(unsigned(a), unsigned(b)).view(a.dtype)


INTEGER_BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.maxui": _unsigned_pick(np.maximum),
    "arith.minui": _unsigned_pick(np.minimum),
    "arith.divsi": _divsi,
    "arith.remsi": _remsi,
    "arith.divui": _divui,
    "arith.remui": _remui,
}

ATOMIC: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "max": np.maximum,
    "min": np.minimum,
    "umax": _unsigned_pick(np.maximum),
    "umin": _unsigned_pick(np.minimum),
    "exch": lambda old, new: new,
}
"""Of the old value in memory and the operand."""

COMMUTATIVE = ("add", "and", "or", "xor", "max", "min", "umax", "umin")
"""Several of one kind give the same in any order."""

BOOLEAN_BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.addi": np.bitwise_xor,
    "arith.muli": np.bitwise_and,
}

SHIFTS: dict[str, Callable[[Array, Array], Array]] = {
    "arith.shli": np.left_shift,
    "arith.shrsi": np.right_shift,
    "arith.shrui": lambda a, b: np.right_shift(unsigned(a), unsigned(b)).view(a.dtype),
}
"""The amount must be less than the width."""


def mulhiui(a: Array, b: Array) -> Array:
    bits = 8 * a.dtype.itemsize
    products = unsigned(a).astype(object) * unsigned(b).astype(object)
    upper = np.asarray(np.asarray(products, object) >> bits, object)
    return upper.astype(unsigned(a).dtype).view(a.dtype)


def compare_integers(predicate: str, a: Array, b: Array) -> Array:
    if predicate[0] == "u":
        a, b = unsigned(a), unsigned(b)
    elif a.dtype == np.bool_ and predicate[0] == "s":
        a, b = -a.astype(np.int8), -b.astype(np.int8)
    compare: dict[str, Callable[[Array, Array], Array]] = {
        "eq": np.equal,
        "ne": np.not_equal,
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
    }
    return compare[predicate[-2:]](a, b)


INTEGER_PREDICATES = ("eq", "ne", *(a + b for a in "su" for b in ("lt", "le", "gt", "ge")))
