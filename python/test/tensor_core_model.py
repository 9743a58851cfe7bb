"""How a tensor core adds up, with fractions: slow, plain, and without a line of the runtime's.

One block after the other: all products and the sum so far are cut off at one bit, added, and
cut off or rounded once.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

LEAST = {"f32": -126, "f16": -14, "bf16": -126, "e4m3": -6, "e5m2": -14}
"""The least exponent of a normal number."""
LEAST_LARGEST = -133
"""Numbers are cut off as if there were one with this exponent among them."""


@dataclass(frozen=True)
class Core:
    """A line of the compiler's table, and what a kernel says besides."""

    left: str
    right: str
    sum: str
    block: int
    fraction: int
    result: int
    part: int = 0


def multiply(core: Core, left: Sequence[float], right: Sequence[float], start: float) -> float:
    """start + left @ right; finite numbers alone."""
    total = Fraction(start)
    own = Fraction(0) if core.part else total
    for k in range(0, len(left), core.block):
        end = k + core.block
        own = _add_block(core, left[k:end], right[k:end], own)
        if core.part and (end % core.part == 0 or end >= len(left)):
            total = Fraction(float(np.float32(float(total)) + np.float32(float(own))))
            own = Fraction(0)
    return float(total if core.part else own)


def _add_block(
    core: Core, left: Sequence[float], right: Sequence[float], total: Fraction
) -> Fraction:
    terms = [(total, _exponent(float(total), core.sum))] if total else []
    for x, y in zip(left, right, strict=True):
        x, y = _operand(x, core.left), _operand(y, core.right)
        if x and y:
            exponent = _exponent(x, core.left) + _exponent(y, core.right)
            terms.append((Fraction(x) * Fraction(y), exponent))
    if not terms:
        return Fraction(0)
    largest = max(LEAST_LARGEST, *(exponent for _, exponent in terms))
    step = Fraction(2) ** (largest - core.fraction)
    added = sum((_cut(term, step) for term, _ in terms), Fraction(0))
    if core.sum == "f16":
        return Fraction(float(np.float16(float(added))))
    exponent = _exponent(float(added), "f32")
    return _cut(added, Fraction(2) ** (exponent - core.result))


def _operand(number: float, kind: str) -> float:
    """As the instruction reads it."""
    if not kind.startswith("tf32"):
        return number
    (bits,) = struct.unpack("<I", struct.pack("<f", number))
    bits = (bits + (0x1000 if kind == "tf32-nearest" else 0)) & 0xFFFFE000
    (read,) = struct.unpack("<f", struct.pack("<I", bits))
    return float(read)


def _exponent(number: float, kind: str) -> int:
    return max(math.frexp(number)[1] - 1, LEAST.get(kind, -126))


def _cut(number: Fraction, step: Fraction) -> Fraction:
    return math.trunc(number / step) * step
