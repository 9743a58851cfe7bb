"""Matrix products of a random program: of small whole numbers, exact in any order and precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import numerics
from .numerics import FLOATS, Array
from .program import Value, type_of
from .small_floats import SMALL, decoded, encoded

if TYPE_CHECKING:
    from .generator import Generator

_E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)
_FORMATS = {"e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "bf16": "bf16", "fp16": "f16", "e2m1": "i8"}
_BLOCK = 32
"""Elements along k that share a scale."""


class Products:
    """Writes them into the program of a generator."""

    def __init__(self, g: Generator) -> None:
        self.g = g

    def dot(self) -> Value:
        """`tt.dot`, also of blocks of matrices."""
        rng = self.g.rng
        m, n, k = (rng.choice((1, 2, 4, 8, 16)) for _ in range(3))
        batch = rng.choice(((), (), (), (2,)))
        element, result = rng.choice(
            (
                *(("i8", "i32"), ("f16", "f32"), ("bf16", "f32"), ("f32", "f32"), ("f64", "f64")),
                *((small, "f32") for small in SMALL),
            )
        )
        with self.g.addresses.aside():
            a = self._small((*batch, m, k), element)
            b = self._small((*batch, k, n), element)
            c = self._small((*batch, m, n), result)
        text = f"tt.dot {a.name}, {b.name}, {c.name} : {a.type} * {b.type} -> {c.type}"
        kind = numerics.TYPES[result]

        def compute(a: Array, b: Array, c: Array) -> Array:
            if element in SMALL:
                a, b = decoded(a, element), decoded(b, element)
            return np.matmul(a.astype(kind), b.astype(kind)) + c

        return self.g.program.emit(text, (a, b, c), compute, result, c.shape)

    def dot_scaled(self) -> Value:
        """`tt.dot_scaled` of every pair of formats, with scales that keep the sums exact."""
        rng = self.g.rng
        m, n, k = rng.choice((1, 4, 8)), rng.choice((2, 8, 16)), rng.choice((32, 64))
        left, right = rng.choice(sorted(_FORMATS)), rng.choice(sorted(_FORMATS))
        with self.g.addresses.aside():
            a = self._operand(left, (m, k), axis=1)
            b = self._operand(right, (k, n), axis=0)
            c = self._small((m, n), "f32")
            scales = [self._scales((size, k // _BLOCK)) for size in (m, n)]
        # In Triton, the operand of a format that needs one always has a scale.
        of_a = scales[0] if rng.random() < 0.8 or left not in ("bf16", "fp16") else None
        of_b = scales[1] if rng.random() < 0.8 or right not in ("bf16", "fp16") else None
        if of_a is None and of_b is None:
            of_a = scales[0]
        words = [f"{a.name} scale {of_a.name}" if of_a else a.name]
        words += [f"{b.name} scale {of_b.name}" if of_b else b.name, c.name]
        text = (
            f"tt.dot_scaled {', '.join(words)} lhs = {left} rhs = {right} {{fastMath = false}} : "
            f"{a.type}{f', {of_a.type}' if of_a else ''} * "
            f"{b.type}{f', {of_b.type}' if of_b else ''} -> {c.type}"
        )

        def compute(a: Array, b: Array, c: Array, *scales: Array) -> Array:
            rest = list(scales)
            x, y = _worth(a, left, axis=1), _worth(b, right, axis=0)
            if of_a:
                x = x * np.repeat(_power(rest.pop(0)), _BLOCK, axis=1)
            if of_b:
                y = y * np.repeat(_power(rest.pop(0)), _BLOCK, axis=1).T
            return np.matmul(x, y) + c

        operands = [v for v in (a, b, c, of_a, of_b) if v]
        return self.g.program.emit(text, operands, compute, "f32", (m, n))

    def _operand(self, form: str, shape: tuple[int, int], axis: int) -> Value:
        """A matrix in one of the formats; two e2m1 along k share a byte."""
        if form == "e2m1":
            shape = (shape[0], shape[1] // 2) if axis == 1 else (shape[0] // 2, shape[1])
        return self._small(shape, _FORMATS[form])

    def _scales(self, shape: tuple[int, int]) -> Value:
        """Powers of two from 1/2 to 2."""
        program, addresses = self.g.program, self.g.addresses
        numbers = self._small(shape, "i32")
        three = addresses.constant(1, shape)
        text = f"arith.andi {numbers.name}, {three.name} : {numbers.type}"
        numbers = program.emit(text, (numbers, three), np.bitwise_and, "i32", shape)
        numbers = addresses.binary("addi", numbers, addresses.constant(126, shape))
        text = f"arith.trunci {numbers.name} : {numbers.type} to {type_of('i8', shape)}"
        return program.emit(text, (numbers,), lambda x: x.astype(np.int8), "i8", shape)

    def _small(self, shape: tuple[int, ...], element: str) -> Value:
        """Numbers from -8 to 7 that depend on the place."""
        program, addresses = self.g.program, self.g.addresses
        size = int(np.prod(shape, dtype=int))
        factor = self.g.rng.choice((1, 3, 5, 7))
        numbers = addresses.range(size).value
        numbers = addresses.binary("muli", numbers, addresses.constant(factor, (size,)))
        bits = addresses.constant(15, (size,))
        text = f"arith.andi {numbers.name}, {bits.name} : {numbers.type}"
        numbers = program.emit(text, (numbers, bits), np.bitwise_and, "i32", (size,))
        numbers = addresses.binary("subi", numbers, addresses.constant(8, (size,)))
        wide = "f32" if element in SMALL else element
        if wide != "i32":
            op = "arith.sitofp" if wide in FLOATS else "arith.trunci"
            text = f"{op} {numbers.name} : {numbers.type} to tensor<{size}x{wide}>"
            kind = numerics.TYPES[wide]
            numbers = program.emit(text, (numbers,), lambda x: x.astype(kind), wide, (size,))
        if element in SMALL:
            text = f"tt.fp_to_fp {numbers.name}, rounding = rtne : {numbers.type} -> "
            text += type_of(element, (size,))
            numbers = program.emit(
                text, (numbers,), lambda x: encoded(x, element), element, (size,)
            )
        text = f"tt.reshape {numbers.name} : {numbers.type} -> {type_of(element, shape)}"
        return program.emit(text, (numbers,), lambda x: np.reshape(x, shape), element, shape)


def _power(scale: Array) -> Array:
    return np.exp2(scale.view(np.uint8).astype(np.float32) - 127)


def _worth(stored: Array, form: str, axis: int) -> Array:
    """The elements of an operand in f32; the low half of a byte comes first."""
    if form == "e2m1":
        codes = stored.view(np.uint8)
        pairs = np.stack((_E2M1[codes & 15], _E2M1[codes >> 4]), axis + 1)
        shape = list(stored.shape)
        shape[axis] *= 2
        return pairs.reshape(shape)
    if _FORMATS[form] in SMALL:
        return decoded(stored, _FORMATS[form])
    return stored.astype(np.float32)
