"""PTX's conversions of floats of few bits: texts, numbers for them, and what comes out."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

DTYPES: dict[str, Any] = {
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e2m3": ml_dtypes.float6_e2m3fn,
    "e3m2": ml_dtypes.float6_e3m2fn,
    "e2m1": ml_dtypes.float4_e2m1fn,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
}
NARROW = ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")
HALVES = ("f16", "bf16")
WIDTHS = {"e4m3": 8, "e5m2": 8, "e2m3": 6, "e3m2": 6, "e2m1": 4, "f16": 16, "bf16": 16}
PLACES = WIDTHS | {"e2m3": 8, "e3m2": 8}
COUNT = 1024


@dataclass(frozen=True)
class Form:
    """One instruction on the bits of registers, which are i32 outside of it."""

    text: str
    inputs: tuple[np.ndarray, ...]
    expected: np.ndarray
    """A column for each place of the result, the lowest first."""
    place: int
    """Bits of a place."""
    nan: Callable[[np.ndarray], np.ndarray]
    """Which patterns are no numbers."""

    def check(self, result: np.ndarray) -> None:
        """All NaNs are one; what lies above the places is 0."""
        lanes = self.expected.shape[1]
        wide = result.astype(np.int64) & 0xFFFFFFFF
        found = np.stack([wide >> self.place * i for i in range(lanes)], axis=1)
        if self.place * lanes < 32:
            assert not (wide >> self.place * lanes).any()
        found &= (1 << self.place) - 1
        wrong = (found != self.expected) & ~(self.nan(found) & self.nan(self.expected))
        if wrong.any():
            at = int(np.argwhere(wrong)[0, 0])
            given = [hex(int(x[at]) & 0xFFFFFFFF) for x in self.inputs]
            raise AssertionError(
                f"{self.text} of {given} is {found[at]}, not {self.expected[at]}; "
                f"{int(wrong.any(axis=1).sum())} differ"
            )


# ---------------------------------------------------------------------------------------------
# Formats
# ---------------------------------------------------------------------------------------------


def values(name: str, codes: np.ndarray) -> np.ndarray:
    """The numbers that patterns stand for, in f64."""
    word = np.uint16 if WIDTHS[name] == 16 else np.uint8
    with np.errstate(invalid="ignore"):
        return codes.astype(word).view(DTYPES[name]).astype(np.float64)


def is_nan(name: str) -> Callable[[np.ndarray], np.ndarray]:
    return lambda codes: np.isnan(values(name, codes))


def sizes(name: str) -> np.ndarray:
    """All finite numbers of a format that are not negative, ascending."""
    found = values(name, np.arange(1 << WIDTHS[name] - 1))
    return found[np.isfinite(found)]


def floats(name: str, seed: int) -> np.ndarray:
    """f32 at the numbers of a format, between them and beside those, the ends; then others."""
    some = sizes(name)
    some = some[:: max(1, len(some) // 24)]
    largest = sizes(name)[-1]
    between = [some[:-1] + np.diff(some) * part for part in (0.25, 0.5)]
    with np.errstate(over="ignore"):
        near = np.concatenate([some, *between, [largest, 1.01 * largest, 2 * largest]])
        near = near.astype(np.float32)
    beside = [np.nextafter(near, np.float32(to)) for to in (np.inf, 0)]
    ends = np.float32([0, 1e-45, 1e-40, 2.0**-126, 1e-20, 1e30, 3.4e38, np.inf, np.nan])
    positive = np.concatenate([near, *beside, ends])
    generator = np.random.default_rng(seed)
    rest = generator.normal(size=COUNT - 2 * positive.size) * some[len(some) // 2]
    found = np.concatenate([positive, -positive, rest.astype(np.float32)])
    return generator.permutation(found)


# ---------------------------------------------------------------------------------------------
# What comes out
# ---------------------------------------------------------------------------------------------


def rectified(x: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(x) | (x > 0), x, np.zeros_like(x))


def signed(name: str, codes: np.ndarray, x: np.ndarray) -> np.ndarray:
    """With the sign of `x` in its place; and NaN, or the largest number where there is none."""
    top = 1 << WIDTHS[name] - 1
    nan = 0x7E00 if name == "f16" else 0x7FC0 if name == "bf16" else top - 1
    return np.where(np.isnan(x), nan, codes | np.where(np.signbit(x), top, 0))


def nearest(name: str, x: np.ndarray, saturates: bool = True) -> np.ndarray:
    most = sizes(name)[-1] if saturates else np.inf
    size = np.minimum(np.nan_to_num(np.abs(x), nan=0, posinf=np.inf), np.float32(most))
    word = np.uint16 if WIDTHS[name] == 16 else np.uint8
    with np.errstate(over="ignore"):
        return signed(name, size.astype(DTYPES[name]).view(word).astype(np.int64), x)


def towards_zero(name: str, x: np.ndarray, saturates: bool) -> np.ndarray:
    code = by_random(name, x, np.zeros(x.size, np.int64), 16)
    return np.where(np.isinf(x) & (not saturates), nearest(name, x, False), code)


def by_random(
    name: str, x: np.ndarray, random: np.ndarray, count: int, saturates: bool = True
) -> np.ndarray:
    """Away from zero where the part of a step and `count` random bits carry."""
    grid = sizes(name)
    if not saturates:
        grid = np.append(grid, 2 * grid[-1] - grid[-2])
    size = np.minimum(np.nan_to_num(np.abs(x.astype(np.float64)), nan=0), grid[-1])
    at = np.searchsorted(grid, size, "right") - 1
    step = grid[np.minimum(at + 1, grid.size - 1)] - grid[at]
    part = np.floor((size - grid[at]) / np.where(step, step, 1) * 2.0**count).astype(np.int64)
    return signed(name, at + (part + random >> count), x)


def exponents(x: np.ndarray, mode: str, saturates: bool) -> np.ndarray:
    part, power = np.frexp(np.abs(np.nan_to_num(x, nan=0, posinf=np.inf)).astype(np.float64))
    code = power + 126 + ((part != 0.5) if mode == "rp" else 0)
    code = np.where(part == 0, 0, np.clip(code, 0, 254 if saturates else 255))
    code = np.where(np.isinf(x), 254 if saturates else 255, code)
    return np.where(np.isnan(x), 255, code)


# ---------------------------------------------------------------------------------------------
# Forms
# ---------------------------------------------------------------------------------------------


def patterns(x: np.ndarray) -> np.ndarray:
    return x.view(np.int32)


def halves(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Pairs of 16 bits as registers."""
    both = np.stack([low, high], axis=1)
    return np.ascontiguousarray(both).view(np.int32).reshape(-1)


def pair(name: str, source: str) -> tuple[tuple[np.ndarray, ...], list[np.ndarray]]:
    """Registers of two numbers, and these as f32, the lower one first."""
    upper, lower = floats(name, 1), floats(name, 2)
    if source == "f32":
        return (patterns(upper), patterns(lower)), [lower, upper]
    dtype = DTYPES[source.removesuffix("x2")]
    with np.errstate(over="ignore"):
        narrow = [x.astype(dtype) for x in (lower, upper)]
    return (halves(*narrow),), [x.astype(np.float32) for x in narrow]


def put(instruction: str, operands: str, width: int) -> str:
    """The instruction, its result in a register of its width that goes to `$0`."""
    return (
        f"{{ .reg .b{width} t; {instruction} t, {operands}; cvt.u32.u{width} $0, t; }}"
        if width < 32
        else f"{instruction} $0, {operands};"
    )


def to_nearest(relu: str) -> Iterator[Form]:
    for name, source in itertools.product(NARROW, ("f32", "f16x2", "bf16x2")):
        inputs, numbers = pair(name, source)
        if relu:
            numbers = [rectified(x) for x in numbers]
        text = put(
            f"cvt.rn.satfinite{relu}.{name}x2.{source}",
            "$1, $2" if source == "f32" else "$1", 2 * PLACES[name],
        )  # fmt: skip
        expected = np.stack([nearest(name, x) for x in numbers], axis=1)
        yield Form(text, inputs, expected, PLACES[name], is_nan(name))


def from_narrow(relu: str) -> Iterator[Form]:
    for name in NARROW:
        width, mask = 2 * PLACES[name], (1 << WIDTHS[name]) - 1
        low = np.arange(COUNT) & mask
        high = (np.arange(COUNT) * 7 + 3) & mask
        register = (low | high << PLACES[name]).astype(np.int32)
        numbers = [values(name, codes).astype(np.float16) for codes in (low, high)]
        if relu:
            numbers = [rectified(x) for x in numbers]
        expected = np.stack([x.view(np.uint16) for x in numbers], axis=1).astype(np.int64)
        text = f"cvt.rn{relu}.f16x2.{name}x2 $0, t;"
        text = f"{{ .reg .b{width} t; cvt.u{width}.u32 t, $1; {text} }}"
        yield Form(text, (register,), expected, 16, is_nan("f16"))


def random_bits() -> np.ndarray:
    generator = np.random.default_rng(5)
    return generator.integers(-(1 << 31), 1 << 31, COUNT, dtype=np.int64).astype(np.int32)


def four_by_random(relu: str) -> Iterator[Form]:
    for name in NARROW:
        count = 8 if name == "e2m1" else 16
        starts = (0, 16, 8, 24) if name == "e2m1" else (0, 0, 16, 16)
        numbers = [floats(name, seed) for seed in range(4)]
        random = random_bits()
        columns = []
        for x, start in zip(numbers, starts, strict=True):
            bits = random.astype(np.int64) >> start & (1 << count) - 1
            columns.append(by_random(name, rectified(x) if relu else x, bits, count))
        inputs = (*(patterns(x) for x in reversed(numbers)), random)
        instruction = f"cvt.rs{relu}.satfinite.{name}x4.f32"
        text = put(instruction, "{$1, $2, $3, $4}, $5", 4 * PLACES[name])
        yield Form(text, inputs, np.stack(columns, axis=1), PLACES[name], is_nan(name))


def two_by_random(relu: str) -> Iterator[Form]:
    for name, satfinite in itertools.product(HALVES, ("", ".satfinite")):
        count = 13 if name == "f16" else 16
        inputs, numbers = pair(name, "f32")
        random = random_bits()
        columns = []
        for x, start in zip(numbers, (0, 16), strict=True):
            bits = random.astype(np.int64) >> start & (1 << count) - 1
            x = rectified(x) if relu else x
            columns.append(by_random(name, x, bits, count, bool(satfinite)))
        text = f"cvt.rs{relu}{satfinite}.{name}x2.f32 $0, $1, $2, $3;"
        yield Form(text, (*inputs, random), np.stack(columns, axis=1), 16, is_nan(name))


def two_halves(mode: str) -> Iterator[Form]:
    function = nearest if mode == "rn" else towards_zero
    for name, relu, satfinite in itertools.product(HALVES, ("", ".relu"), ("", ".satfinite")):
        inputs, numbers = pair(name, "f32")
        columns = [function(name, rectified(x) if relu else x, bool(satfinite)) for x in numbers]
        text = f"cvt.{mode}{relu}{satfinite}.{name}x2.f32 $0, $1, $2;"
        yield Form(text, inputs, np.stack(columns, axis=1), 16, is_nan(name))


def one_half() -> Iterator[Form]:
    for name in HALVES:
        x = floats(name, 1)
        expected = np.stack([nearest(name, rectified(x))], axis=1)
        text = put(f"cvt.rn.relu.satfinite.{name}.f32", "$1", 16)
        yield Form(text, (patterns(x),), expected, 16, is_nan(name))


def of_exponents() -> Iterator[Form]:
    for mode, satfinite, source in itertools.product(
        ("rz", "rp"), ("", ".satfinite"), ("f32", "bf16x2")
    ):
        inputs, numbers = pair("bf16", source)
        columns = [exponents(x, mode, bool(satfinite)) for x in numbers]
        text = put(
            f"cvt.{mode}{satfinite}.ue8m0x2.{source}", "$1, $2" if source == "f32" else "$1", 16
        )
        yield Form(text, inputs, np.stack(columns, axis=1), 8, lambda codes: codes == 255)
    low, high = np.arange(COUNT) & 255, np.arange(COUNT) * 7 + 3 & 255
    numbers = [
        x.astype(np.uint8).view(ml_dtypes.float8_e8m0fnu).astype(ml_dtypes.bfloat16)
        for x in (low, high)
    ]
    expected = np.stack([x.view(np.uint16) for x in numbers], axis=1).astype(np.int64)
    text = "{ .reg .b16 t; cvt.u16.u32 t, $1; cvt.rn.bf16x2.ue8m0x2 $0, t; }"
    yield Form(text, ((low | high << 8).astype(np.int32),), expected, 16, is_nan("bf16"))


def _named(*forms: Iterator[Form]) -> dict[str, Form]:
    found = list(itertools.chain(*forms))
    return {next(w for w in form.text.split() if w.startswith("cvt.r")): form for form in found}


PLAIN = _named(
    to_nearest(""), from_narrow(""), four_by_random(""), two_by_random(""), two_halves("rn"),
    two_halves("rz"), one_half(), of_exponents(),
)  # fmt: skip
RECTIFIED = _named(
    to_nearest(".relu"), from_narrow(".relu"), four_by_random(".relu"), two_by_random(".relu")
)
FORMS = PLAIN | RECTIFIED
