"""8-bit floats, held as their codes: what they are worth, and how a wider float becomes one.

docs/semantics.md has the rules for what lies beyond their range.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

SMALL = ("f8E5M2", "f8E4M3FN")


def _table(element: str) -> Array:
    exponent_bits, mantissa_bits = (5, 2) if element == "f8E5M2" else (4, 3)
    bias = 2 ** (exponent_bits - 1) - 1
    codes = np.arange(256)
    sign = np.where(codes >= 128, -1.0, 1.0)
    exponent = codes >> mantissa_bits & (2**exponent_bits - 1)
    mantissa = (codes & (2**mantissa_bits - 1)) / 2**mantissa_bits
    normal = (1 + mantissa) * 2.0 ** (exponent - bias)
    values = sign * np.where(exponent == 0, mantissa * 2.0 ** (1 - bias), normal)
    if element == "f8E5M2":
        special = np.where(mantissa == 0, sign * np.inf, np.nan)
        values = np.where(exponent == 31, special, values)
    else:
        values = np.where(codes & 0x7F == 0x7F, np.nan, values)
    return values.astype(np.float32)


_VALUES = {element: _table(element) for element in SMALL}


def decoded(codes: Array, element: str) -> Array:
    """What they are worth, in f32."""
    return np.asarray(_VALUES[element][codes])


def encoded(values: Array, element: str, toward_zero: bool = False) -> Array:
    """The nearest codes, ties to even, or the next ones towards zero."""
    numbers = np.asarray(values, np.float64)
    positive = _VALUES[element][:128].astype(np.float64)
    finite = positive[np.isfinite(positive)]
    magnitude = np.minimum(np.abs(np.where(np.isnan(numbers), 0, numbers)), finite[-1])
    below = np.searchsorted(finite, magnitude, side="right") - 1
    above = np.minimum(below + 1, len(finite) - 1)
    to_below, to_above = magnitude - finite[below], finite[above] - magnitude
    up = (to_above < to_below) | ((to_above == to_below) & (below % 2 == 1))
    codes = np.where(up & (not toward_zero), above, below)
    if toward_zero and element == "f8E5M2":
        codes = np.where(np.isinf(numbers), 0x7C, codes)
    codes = np.where(np.isnan(numbers), 0x7F, codes)
    return np.asarray(codes | np.where(np.signbit(numbers), 0x80, 0)).astype(np.uint8)
