"""Pointers of a random program that change what they point to, on their way to an access.

A pointer is moved in elements of one size, cast to others, goes through integers, selects and
loops, and ends as one to elements that its address is a multiple of. Its number here is a byte
within its buffer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .numerics import INTEGERS, TYPES, Array, width
from .program import REGION, Buffer, State, Value, random_contents

if TYPE_CHECKING:
    from .generator import Generator

POINTEES = INTEGERS[1:]
START = 1024
"""The byte at which a pointer sets out: half of the smallest buffer is on either side."""


def size_of(element: str) -> int:
    return width(element) // 8


@dataclass(frozen=True)
class Pointer:
    """A pointer under way, scalar or a vector of them."""

    value: Value
    low: int
    high: int
    """Where the first of them may be; all such places differ by multiples of eight bytes."""
    apart: int = 0
    """Bytes between two of them."""

    @property
    def span(self) -> tuple[int, int]:
        reach = self.apart * (self.value.size - 1)
        return self.low + min(reach, 0), self.high + max(reach, 0) + 8


class PointerCasts:
    """Writes them into the program of a generator."""

    def __init__(self, g: Generator) -> None:
        self.g = g

    def statement(self) -> None:
        pool = self.g.program.block.pool
        before = len(pool)
        writes = self.g.rng.random() < 0.4
        buffer = self._buffer(self.g.rng.choice(POINTEES), writes)
        pointer = self._begin(buffer, writes)
        for _ in range(self.g.rng.randint(2, 7)):
            pointer = self._step(pointer)
        pointer = self._aligned(pointer, buffer.skew * size_of(buffer.element))
        del pool[before:]
        low, high = pointer.span
        if low >= 0 and high <= REGION:
            self._access(pointer, writes)

    def _buffer(self, element: str, writes: bool) -> Buffer:
        name = f"cast_{'out' if writes else 'in'}_{element}"
        known = self.g.program.buffers.get(name)
        if known:
            return known
        programs = self.g.program.grid[0] * self.g.program.grid[1] if writes else 1
        contents = random_contents(self.g.contents, element, programs * REGION)
        return Buffer(name, element, contents, writes, skew=self.g.rng.randrange(8))

    def _begin(self, buffer: Buffer, writes: bool) -> Pointer:
        base = self.g.program.argument(buffer)
        size = size_of(buffer.element)
        if writes:
            base = self._moved(base, self.g.start)
        first = self.g.addresses.constant(START // size)
        return Pointer(self._moved(base, first), START, START)

    #
    # Steps
    #

    def _step(self, pointer: Pointer) -> Pointer:
        match self.g.rng.randrange(7):
            case 0 | 1:
                return self._cast(pointer, self.g.rng.choice(POINTEES))
            case 2:
                return self._advance(pointer, self.g.addresses.number(-7, 9))
            case 3:
                return self._spread(pointer)
            case 4:
                return self._through_integer(pointer)
            case 5:
                return self._chosen(pointer)
            case _:
                return self._carried(pointer)

    def _emit(self, text: str, operands: Any, compute: Any, like: Value) -> Value:
        return self.g.program.emit(text, operands, compute, like.element, like.shape, like.buffer)

    def _moved(self, pointer: Value, offset: Value) -> Value:
        size = size_of(pointer.element)
        text = f"tt.addptr {pointer.name}, {offset.name} : {pointer.type}, {offset.type}"
        return self._emit(
            text, (pointer, offset), lambda p, o: p + o.astype(np.int64) * size, pointer
        )

    def _advance(self, pointer: Pointer, by: Any) -> Pointer:
        offset = self.g.addresses.splat(by.value, pointer.value.shape)
        distance = by.low * size_of(pointer.value.element)
        return replace(
            pointer,
            value=self._moved(pointer.value, offset),
            low=pointer.low + distance,
            high=pointer.high + distance,
        )

    def _cast(self, pointer: Pointer, element: str) -> Pointer:
        value = pointer.value
        target = replace(value, element=element)
        text = f"tt.bitcast {value.name} : {value.type} -> {target.type}"
        return replace(pointer, value=self._emit(text, (value,), np.copy, target))

    def _spread(self, pointer: Pointer) -> Pointer:
        """A scalar becomes a vector, in steps of elements of its own size."""
        if pointer.value.shape:
            return pointer
        rng, addresses = self.g.rng, self.g.addresses
        count, step = rng.choice((2, 8, 16, 32)), rng.choice((1, 1, 2, 4, -1, 0))
        text = f"tt.make_range {{end = {count} : i32, start = 0 : i32}} : tensor<{count}xi32>"
        lanes = self.g.program.emit(
            text, (), lambda: np.arange(count, dtype=np.int32), "i32", (count,)
        )
        steps = addresses.binary("muli", lanes, addresses.constant(step, (count,)))
        block = self._moved(addresses.splat(pointer.value, (count,)), steps)
        return replace(pointer, value=block, apart=step * size_of(block.element))

    def _through_integer(self, pointer: Pointer) -> Pointer:
        value, by = pointer.value, self.g.rng.choice((0, 1, 2, 3, 4, -1, -8, 16))
        integer = Value("", "i64", value.shape)
        text = f"tt.ptr_to_int {value.name} : {value.type} -> {integer.type}"
        address = self._emit(text, (value,), np.copy, integer)
        bytes_ = self.g.addresses.constant(by, value.shape, "i64")
        address = self.g.addresses.binary("addi", address, bytes_)
        target = replace(value, element=self.g.rng.choice(POINTEES))
        text = f"tt.int_to_ptr {address.name} : {address.type} -> {target.type}"
        back = self._emit(text, (address,), np.copy, target)
        return replace(pointer, value=back, low=pointer.low + by, high=pointer.high + by)

    def _chosen(self, pointer: Pointer) -> Pointer:
        """One of two pointers, a multiple of eight bytes apart, one by one or as a whole."""
        value = pointer.value
        eight = 8 // size_of(value.element) * self.g.rng.choice((-2, 1, 3))
        distance = eight * size_of(value.element)
        other = self._moved(value, self.g.addresses.constant(eight, value.shape))
        condition = self.g.some("i1", value.shape if self.g.rng.random() < 0.6 else ())
        kinds = f"{condition.type}, {value.type}" if condition.shape else value.type
        text = f"arith.select {condition.name}, {value.name}, {other.name} : {kinds}"
        return Pointer(
            self._emit(text, (condition, value, other), np.where, value),
            pointer.low + min(distance, 0),
            pointer.high + max(distance, 0),
            pointer.apart,
        )

    def _carried(self, pointer: Pointer) -> Pointer:
        """A loop that does nothing but move it, by elements of two sizes."""
        rng, program = self.g.rng, self.g.program
        trips, by, element = rng.randint(0, 3), rng.choice((-1, 1, 2)), rng.choice(POINTEES)
        bounds = [self.g.addresses.number(n, n).value for n in (0, trips, 1)]
        variable = Value(program.name(), "i32")
        carried = self.g.control.arguments([pointer.value])
        with program.region(variable, carried[0]) as block:
            moving = replace(pointer, value=carried[0])
            constant = self.g.addresses.constant(by)
            moving = self._cast(moving, element)
            number = self.g.addresses.splat(constant, moving.value.shape)
            moving = replace(moving, value=self._moved(moving.value, number))
            moving = self._cast(moving, pointer.value.element)
        self.g.control.finish_loop(
            variable, (bounds[0], bounds[1], bounds[2]), [pointer.value], carried,
            [moving.value], block,
        )  # fmt: skip
        distance = trips * by * size_of(element)
        return replace(
            pointer,
            value=program.block.pool[-1],
            low=pointer.low + distance,
            high=pointer.high + distance,
        )

    #
    # Accesses
    #

    def _aligned(self, pointer: Pointer, skew: int) -> Pointer:
        """A pointer to elements whose size divides its addresses, after a few bytes perhaps."""
        fitting = [e for e in POINTEES if pointer.apart % size_of(e) == 0]
        element = self.g.rng.choice(fitting)
        by = -(pointer.low + skew) % size_of(element)
        if by:
            pointer = self._cast(pointer, "i8")
            pointer = self._advance(pointer, self.g.addresses.number(by, by))
        return self._cast(pointer, element)

    def _access(self, pointer: Pointer, writes: bool) -> None:
        value, program = pointer.value, self.g.program
        kind = np.dtype(TYPES[value.element])
        if not writes:
            result = Value(program.name(), value.element, value.shape)

            def load(state: State, at: Array) -> Array:
                memory = state.memory[value.buffer].view(np.uint8)
                return _elements(memory, at, kind.itemsize).view(kind)[..., 0]

            program.block.lines.append(f"{result.name} = tt.load {value.name} : {value.type}")
            program.step("tt.load", (result,), (value,), load)
            program.block.pool.append(result)
            program.loaded.add(result.name)
            return
        stored = self.g.some(value.element, value.shape)

        def store(state: State, at: Array, values: Array) -> tuple[()]:
            places = at[..., None] + np.arange(kind.itemsize)
            numbers = np.ascontiguousarray(values)[..., None].view(np.uint8)
            state.write(value.buffer, places, numbers)
            return ()

        program.block.lines.append(f"tt.store {value.name}, {stored.name} : {value.type}")
        program.step("tt.store", (), (value, stored), store)


def _elements(memory: Array, at: Array, size: int) -> Array:
    """The bytes of the elements at `at`, in a last dimension."""
    return np.ascontiguousarray(memory[np.asarray(at)[..., None] + np.arange(size)])
