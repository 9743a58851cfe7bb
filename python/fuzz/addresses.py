"""Random blocks of pointers: affine, wrapped, reversed, broadcast or gathered, always in bounds.

Each index is generated together with the interval it lies in, so that a program touches nothing
but its buffers, whatever the mask says.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from .numerics import Array, compare_integers
from .program import Program, Value

SPAN = 1000
"""How far apart two elements of a block may lie."""


@dataclass(frozen=True)
class Index:
    """Integers between two bounds, both included."""

    value: Value
    low: int
    high: int


class Addresses:
    """Writes index arithmetic into a program."""

    def __init__(self, program: Program, rng: random.Random) -> None:
        self.program = program
        self.rng = rng
        self.variables: list[Index] = []
        """Scalars that an index may contain: induction variables of the loops round it."""

    #
    # Pieces
    #

    def constant(self, number: int, shape: tuple[int, ...] = (), element: str = "i32") -> Value:
        if shape:
            filled = np.full(shape, number, f"i{int(element[1:]) // 8}")
            text = f"arith.constant dense<{number}> : tensor<{'x'.join(map(str, shape))}x{element}>"
        else:
            filled = np.asarray(number, f"i{int(element[1:]) // 8}")
            text = f"arith.constant {number} : {element}"
        value = self.program.emit(text, (), lambda: filled, element, shape)
        self.program.block.pool.remove(value)
        return value

    def scalar(self, low: int, high: int) -> Index:
        """A number that is known only when the kernel runs."""
        name = f"n{len(self.program.scalars)}"
        number = self.rng.randint(low, high)
        self.program.scalars[name] = number
        return Index(Value(f"%{name}", "i32"), number, number)

    def number(self, low: int, high: int) -> Index:
        if self.rng.random() < 0.35:
            return self.scalar(low, high)
        number = self.rng.randint(low, high)
        return Index(self.constant(number), number, number)

    def binary(self, op: str, a: Value, b: Value) -> Value:
        compute = {"addi": np.add, "subi": np.subtract, "muli": np.multiply, "remsi": np.fmod}
        compute["divsi"] = np.floor_divide  # Of numbers that are not negative.
        text = f"arith.{op} {a.name}, {b.name} : {a.type}"
        return self.program.emit(text, (a, b), compute[op], a.element, a.shape)

    def splat(self, value: Value, shape: tuple[int, ...]) -> Value:
        if not shape:
            return value
        result = Value("", value.element, shape, value.buffer).type
        text = f"tt.splat {value.name} : {value.type} -> {result}"
        return self.program.emit(
            text, (value,), lambda x: np.full(shape, x), value.element, shape, value.buffer
        )

    def expand(self, value: Value, axis: int) -> Value:
        shape = (*value.shape[:axis], 1, *value.shape[axis:])
        result = Value("", value.element, shape, value.buffer).type
        text = f"tt.expand_dims {value.name} {{axis = {axis} : i32}} : {value.type} -> {result}"
        return self.program.emit(
            text, (value,), lambda x: np.expand_dims(x, axis), value.element, shape, value.buffer
        )

    def broadcast(self, value: Value, shape: tuple[int, ...]) -> Value:
        if value.shape == shape:
            return value
        result = Value("", value.element, shape, value.buffer).type
        text = f"tt.broadcast {value.name} : {value.type} -> {result}"
        return self.program.emit(
            text, (value,), lambda x: np.broadcast_to(x, shape), value.element, shape, value.buffer
        )

    def to_i64(self, value: Value) -> Value:
        result = Value("", "i64", value.shape).type
        text = f"arith.extsi {value.name} : {value.type} to {result}"
        return self.program.emit(text, (value,), lambda x: x.astype(np.int64), "i64", value.shape)

    def in_dimension(self, value: Value, axis: int, rank: int) -> Value:
        """A vector as a block of size one in all other dimensions."""
        for other in range(rank):
            if other != axis:
                value = self.expand(value, other)
        return value

    #
    # Indices of one dimension
    #

    def range(self, size: int) -> Index:
        start = self.rng.choice((0, 0, 0, 3))
        end = start + size
        text = f"tt.make_range {{end = {end} : i32, start = {start} : i32}} : tensor<{size}xi32>"
        numbers = np.arange(start, end, dtype=np.int32)
        return Index(self.program.emit(text, (), lambda: numbers, "i32", (size,)), start, end - 1)

    def index(self, size: int) -> Index:
        """A random function of a range, or numbers read from memory."""
        at = self.range(size)
        for _ in range(self.rng.choice((0, 1, 1, 2))):
            at = self._changed(at, size)
        if self.variables and self.rng.random() < 0.5:
            more = self._times(self.rng.choice(self.variables), self.rng.choice((1, 2, size)))
            value = self.binary("addi", at.value, self.splat(more.value, (size,)))
            at = Index(value, at.low + more.low, at.high + more.high)
        return at

    def _changed(self, at: Index, size: int) -> Index:
        match self.rng.randrange(6):
            case 0:
                by = self.number(-5, 9)
                value = self.binary("addi", at.value, self.splat(by.value, (size,)))
                return Index(value, at.low + by.low, at.high + by.high)
            case 1:
                of = self.number(-5, 30)
                value = self.binary("subi", self.splat(of.value, (size,)), at.value)
                return Index(value, of.low - at.high, of.high - at.low)
            case 2:
                by = self.number(-3, 4)
                value = self.binary("muli", at.value, self.splat(by.value, (size,)))
                ends = (at.low * by.low, at.high * by.low)
                return Index(value, min(ends), max(ends))
            case 3 if at.low >= 0:
                by = self.number(1, 2 * size)
                value = self.binary("remsi", at.value, self.splat(by.value, (size,)))
                return Index(value, 0, min(at.high, by.low - 1))
            case 4 if at.low >= 0:
                by = self.number(1, 4)
                value = self.binary("divsi", at.value, self.splat(by.value, (size,)))
                return Index(value, at.low // by.low, at.high // by.low)
            case _:
                return self._gathered(size) or at

    def _gathered(self, size: int) -> Index | None:
        # Computed numbers will not do: arithmetic that forms an address is trusted (see
        # docs/semantics.md) not to wrap and not to divide by zero.
        known = [v for v in self._known("i32", (size,)) if v.name in self.program.loaded]
        if not known:
            return None
        numbers, bits = self.rng.choice(known), self.constant(31, (size,))
        text = f"arith.andi {numbers.name}, {bits.name} : {numbers.type}"
        value = self.program.emit(text, (numbers, bits), np.bitwise_and, "i32", (size,))
        return Index(value, 0, 31)

    def _known(self, element: str, shape: tuple[int, ...]) -> list[Value]:
        pool = self.program.block.pool
        return [v for v in pool if (v.element, v.shape, v.buffer) == (element, shape, "")]

    def _times(self, at: Index, factor: int) -> Index:
        if factor == 1:
            return at
        value = self.binary("muli", at.value, self.splat(self.constant(factor), at.value.shape))
        ends = (at.low * factor, at.high * factor)
        return Index(value, min(ends), max(ends))

    #
    # Blocks
    #

    def pointers(
        self, base: Value, shape: tuple[int, ...], room: int, start: Value | None = None
    ) -> tuple[Value, list[Index]]:
        """A block of pointers within `room` elements behind `start`, and its indices."""
        with self.aside():
            return self._pointers(base, shape, room, start)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Few of the values made within are offered as data: there would be little else."""
        pool = self.program.block.pool
        before = len(pool)
        yield
        pool[before:] = [v for v in pool[before:] if not v.buffer and self.rng.random() < 0.06]

    def _pointers(
        self, base: Value, shape: tuple[int, ...], room: int, start: Value | None
    ) -> tuple[Value, list[Index]]:
        while True:
            indices = [self.index(size) for size in shape]
            strides = [self.rng.choice((1, 1, 2, 5, 0, -1, 16)) for _ in shape]
            if shape and self.rng.random() < 0.5:
                # Row-major, as most blocks are.
                strides = [int(np.prod(shape[axis + 1 :], dtype=int)) for axis in range(len(shape))]
            wide = self.rng.random() < 0.2
            terms = [self._times(i, s) for i, s in zip(indices, strides, strict=True)]
            low, high = sum(t.low for t in terms), sum(t.high for t in terms)
            if high - low < min(SPAN, room - 64):
                break
        first = self.constant(-low + self.rng.choice((0, 0, 1, 40)))
        if start:
            first = self.binary("addi", first, start)
        pointer = self._moved(base, first)
        values = [
            self.in_dimension(self.to_i64(t.value) if wide else t.value, axis, len(shape))
            for axis, t in enumerate(terms)
        ]
        if wide and shape and self.rng.random() < 0.4:
            # Far away and back: the sum of both does not fit into 32 bits.
            far = self.rng.choice((2**33, -(2**31), 2**45))
            pointer = self._moved(pointer, self.constant(-far, (), "i64"))
            back = self.constant(far, values[0].shape, "i64")
            values[0] = self.binary("addi", values[0], back)
        return self._sum(pointer, values, shape), indices

    def _sum(self, pointer: Value, values: list[Value], shape: tuple[int, ...]) -> Value:
        if not shape:
            return pointer
        if self.rng.random() < 0.5:
            offset = self.broadcast(values[0], shape)
            for value in values[1:]:
                offset = self.binary("addi", offset, self.broadcast(value, shape))
            return self._moved(self.splat(pointer, shape), offset)
        pointer = self._moved(self.splat(pointer, values[0].shape), values[0])
        for value in values[1:]:
            both = tuple(map(max, pointer.shape, value.shape))
            pointer = self._moved(self.broadcast(pointer, both), self.broadcast(value, both))
        return pointer

    def _moved(self, pointer: Value, offset: Value) -> Value:
        text = f"tt.addptr {pointer.name}, {offset.name} : {pointer.type}, {offset.type}"
        return self.program.emit(
            text,
            (pointer, offset),
            lambda p, o: p + o.astype(np.int64),
            pointer.element,
            pointer.shape,
            pointer.buffer,
        )

    def advanced(self, pointer: Value, by: int) -> Value:
        return self._moved(pointer, self.constant(by, pointer.shape))

    def mask(self, indices: list[Index], shape: tuple[int, ...]) -> Value | None:
        """Bounds on some of the indices, sometimes with a mask of the program's own."""
        with self.aside():
            return self._mask(indices, shape)

    def _mask(self, indices: list[Index], shape: tuple[int, ...]) -> Value | None:
        parts = []
        for axis, index in enumerate(indices):
            if self.rng.random() < 0.6:
                predicate = self.rng.choice(("slt", "slt", "slt", "sle", "sge", "sgt", "ult", "ne"))
                bound = self.number(index.low - 1, index.high + 2)
                part = self._compare(predicate, index.value, bound)
                part = self.in_dimension(part, axis, len(shape))
                parts.append(self.broadcast(part, shape))
        known = self._known("i1", shape)
        if known and self.rng.random() < 0.3:
            parts.append(self.rng.choice(known))
        if not parts:
            return None
        mask = parts[0]
        for part in parts[1:]:
            op = self.rng.choice((np.bitwise_and, np.bitwise_and, np.bitwise_and, np.bitwise_or))
            word = "andi" if op is np.bitwise_and else "ori"
            text = f"arith.{word} {mask.name}, {part.name} : {mask.type}"
            mask = self.program.emit(text, (mask, part), op, "i1", shape)
        return mask

    def _compare(self, predicate: str, value: Value, bound: Index) -> Value:
        limit = self.splat(bound.value, value.shape)

        def compute(a: Array, b: Array) -> Array:
            return compare_integers(predicate, np.asarray(a), np.asarray(b))

        text = f"arith.cmpi {predicate}, {value.name}, {limit.name} : {value.type}"
        return self.program.emit(text, (value, limit), compute, "i1", value.shape)
