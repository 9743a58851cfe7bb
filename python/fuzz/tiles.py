"""Block pointers and descriptors of a random program: accesses that carry shape and strides.

Where a dimension is checked, a tile may lie anywhere; elsewhere it lies within the tensor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import numerics
from .addresses import SPAN
from .numerics import FLOATS, TYPES, Array, from_memory, to_memory
from .program import State, Value
from .small_floats import SMALL

if TYPE_CHECKING:
    from .generator import Generator


@dataclass(frozen=True)
class Tensor:
    """What tiles are cut out of: a part of a buffer."""

    base: Value
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    writes: bool

    def places(
        self, start: Array, tile: tuple[int, ...], offsets: Any, checked: tuple[int, ...]
    ) -> tuple[Array, Array]:
        """The element numbers of a tile, and which of them are inside."""
        at = np.full(tile, int(start), np.int64)
        inside = np.ones(tile, bool)
        for axis, size in enumerate(self.sizes):
            index = np.indices(tile)[axis] + int(offsets[axis])
            at += index * self.strides[axis]
            if axis in checked:
                inside &= (index >= 0) & (index < size)
        return at, inside


class Tiles:
    """Writes them into the program of a generator."""

    def __init__(self, g: Generator) -> None:
        self.g = g

    def statement(self) -> None:
        self.g.rng.choice((self.block_pointer, self.descriptor))()

    def _tensor(self, tile: tuple[int, ...], element: str, writes: bool) -> Tensor:
        """A tensor around as large as the tile, row-major, column-major or with gaps."""
        g = self.g
        sizes = tuple(max(1, g.rng.choice((n, n + 3, 2 * n, n - 1))) for n in tile)
        order = list(range(len(tile)))
        if g.rng.random() < 0.3:
            g.rng.shuffle(order)
        strides, stride = [0] * len(tile), 1
        for axis in reversed(order):
            strides[axis] = stride
            stride *= sizes[axis] + g.rng.choice((0, 0, 2))
        base = g.target(element) if writes else g.source(element)
        if writes:
            base = g.addresses._moved(base, g.start)
        return Tensor(base, sizes, tuple(strides), writes)

    def _tile(self) -> tuple[int, ...]:
        while True:
            tile = self.g.shape()
            if 1 <= len(tile) <= 3 or (tile and self.g.rng.random() < 0.3):
                return tile

    def _offset(self, tensor: Tensor, tile: tuple[int, ...], axis: int, checked: bool) -> Value:
        size, width = tensor.sizes[axis], tile[axis]
        low, high = (-width, size + 2) if checked else (0, size - width)
        return self.g.addresses.number(low, high).value

    def _wide(self, number: int, element: str) -> Value:
        return self.g.addresses.constant(number, (), element)

    def _chosen(self, writes: bool) -> tuple[Tensor, tuple[int, ...], Value | None]:
        """A tensor that fits into its buffer, a tile, and what to store."""
        g = self.g
        while True:
            value = g.pick(lambda v: bool(v.shape)) if writes else None
            tile = value.shape if value else self._tile()
            element = value.element if value else g.element()
            writes = value is not None
            tensor = self._tensor(tile, element, writes)
            extent = sum((n + 2) * s for n, s in zip(tensor.sizes, tensor.strides, strict=True))
            if extent < SPAN:
                return tensor, tile, value

    #
    # Block pointers
    #

    def _make_pointer(
        self, tensor: Tensor, tile: tuple[int, ...], checked: tuple[int, ...]
    ) -> Value:
        g = self.g
        sizes = [self._wide(n, "i64") for n in tensor.sizes]
        strides = [self._wide(n, "i64") for n in tensor.strides]
        offsets = [self._offset(tensor, tile, a, a in checked) for a in range(len(tile))]
        element = tensor.base.element
        kind = f"tensor<{'x'.join(map(str, (*tile, element)))}>"
        order = ", ".join(map(str, reversed(range(len(tile)))))
        pointer = Value(g.program.name(), "i64", spelled=f"!tt.ptr<{kind}>")
        lists = (", ".join(v.name for v in part) for part in (sizes, strides, offsets))
        parts = "], [".join(lists)
        g.program.block.lines.append(
            f"{pointer.name} = tt.make_tensor_ptr {tensor.base.name}, [{parts}] "
            f"{{order = array<i32: {order}>}} : <{kind}>"
        )

        def compute(state: State, base: Array, *offsets: Array) -> Array:
            return np.array([int(base), *map(int, offsets)], np.int64)

        g.program.step("tt.make_tensor_ptr", (pointer,), (tensor.base, *offsets), compute)
        return pointer

    def _advance(self, pointer: Value, by: list[int]) -> Value:
        g = self.g
        steps = [g.addresses.constant(number) for number in by]
        moved = Value(g.program.name(), "i64", spelled=pointer.spelled)
        g.program.block.lines.append(
            f"{moved.name} = tt.advance {pointer.name}, [{', '.join(v.name for v in steps)}] : "
            f"{pointer.type}"
        )
        g.program.step(
            "tt.advance",
            (moved,),
            (pointer,),
            lambda state, p: np.asarray(p + np.array([0, *by], np.int64)),
        )
        return moved

    def _checks(self, tile: tuple[int, ...], tensor: Tensor) -> tuple[int, ...]:
        """All dimensions that are too small for the tile, and some others."""
        return tuple(
            axis
            for axis, (width, size) in enumerate(zip(tile, tensor.sizes, strict=True))
            if size < width or self.g.rng.random() < 0.6
        )

    def _load(
        self, tensor: Tensor, tile: tuple[int, ...], pointer: Value, checked: tuple[int, ...]
    ) -> Value:
        element = tensor.base.element
        padding = self.g.rng.choice((0, 1, 2)) if element in FLOATS and checked else 0
        attributes = []
        if checked:
            attributes.append(f"boundaryCheck = array<i32: {', '.join(map(str, checked))}>")
        if padding:
            attributes.append(f"padding = {padding} : i32")
        braces = f" {{{', '.join(attributes)}}}" if attributes else ""
        outside = np.nan if padding == 2 else 0
        buffer = tensor.base.buffer
        result = Value(self.g.program.name(), element, tile)
        self.g.program.block.lines.append(
            f"{result.name} = tt.load {pointer.name}{braces} : {pointer.type}"
        )

        def compute(state: State, pointer: Array) -> Array:
            at, inside = tensor.places(pointer[0], tile, pointer[1:], checked)
            loaded = from_memory(state.memory[buffer][np.where(inside, at, 0)], element)
            return np.where(inside, loaded, np.asarray(outside).astype(TYPES[element]))

        self.g.program.step("tt.load", (result,), (pointer,), compute)
        self.g.program.block.pool.append(result)
        return result

    def block_pointer(self) -> None:
        """A tile through a block pointer, advanced or not."""
        g = self.g
        tensor, tile, value = self._chosen(g.rng.random() < 0.4)
        checked = self._checks(tile, tensor)
        pointer = self._make_pointer(tensor, tile, checked)
        if g.rng.random() < 0.4:
            # Forth and back again, where the tile must stay inside.
            by = [g.rng.randint(-3, 5) for _ in tile]
            pointer = self._advance(pointer, by)
            back = [0 if axis in checked else -n for axis, n in enumerate(by)]
            pointer = self._advance(pointer, back)
        if value is None:
            self._load(tensor, tile, pointer, checked)
            return
        attributes = f" {{boundaryCheck = array<i32: {', '.join(map(str, checked))}>}}"
        g.program.block.lines.append(
            f"tt.store {pointer.name}, {value.name}{attributes if checked else ''} : {pointer.type}"
        )
        self._write(tensor, tile, checked, (pointer, value))

    def _write(
        self,
        tensor: Tensor,
        tile: tuple[int, ...],
        checked: tuple[int, ...],
        operands: tuple[Value, ...],
        kind: str = "",
    ) -> None:
        """What a store of the last operand means; the first one is [base, offset, ...]."""
        element, buffer = tensor.base.element, tensor.base.buffer

        def compute(state: State, pointer: Array, *rest: Array) -> tuple[()]:
            at, inside = tensor.places(pointer[0], tile, [*pointer[1:], *rest[:-1]], checked)
            stored, memory = to_memory(rest[-1], element)[inside], state.memory[buffer]
            if not kind:
                state.write(buffer, at[inside], stored)
                return ()
            for place, new in zip(at[inside], stored, strict=True):
                memory[place] = numerics.ATOMIC[kind](memory[place], new)
            return ()

        self.g.program.step("tt.store", (), operands, compute)

    def walk(self) -> None:
        """A loop that moves a block pointer through a tensor and adds up what it reads."""
        g, program = self.g, self.g.program
        tensor, tile, _ = self._chosen(False)
        element = tensor.base.element
        if element in SMALL:
            return
        checked = tuple(range(len(tile)))
        by = [g.rng.choice((0, 0, 1, width)) for width in tile]
        pointer = self._make_pointer(tensor, tile, checked)
        total = g.some(element, tile)
        bounds = tuple(g.addresses.number(n, n).value for n in (0, g.rng.randint(1, 4), 1))
        variable = Value(program.name(), "i32")
        carried = g.control.arguments([pointer, total])
        with program.region(variable, carried[1]) as block:
            loaded = self._load(tensor, tile, carried[0], checked)
            if element[0] == "i":
                sum_ = g._same("arith.xori", np.bitwise_xor, carried[1], loaded)
            else:
                sum_ = g._rounding("arith.addf", np.add, carried[1], loaded)
            results = [self._advance(carried[0], by), sum_]
        g.control.finish_loop(variable, bounds, [pointer, total], carried, results, block)

    #
    # Descriptors
    #

    def descriptor(self) -> None:
        """A tile through a descriptor: loaded, stored or updated; every dimension is checked."""
        g, program = self.g, self.g.program
        writes = g.rng.random() < 0.5
        tensor, tile, value = self._chosen(writes)
        element = tensor.base.element
        if element == "i1":
            return
        checked = tuple(range(len(tile)))
        sizes = [self._wide(n, "i32") for n in tensor.sizes]
        strides = [self._wide(n, "i64") for n in tensor.strides]
        word = f"s{element}" if element[0] == "i" else element
        kind = f"tensor<{'x'.join(map(str, (*tile, word)))}>"
        descriptor = Value(program.name(), "i64", spelled=f"!tt.tensordesc<{kind}>")
        padding = g.rng.choice((0, 2)) if element in FLOATS and value is None else 0
        braces = f" {{padding = {padding} : i32}}" if padding else ""
        program.block.lines.append(
            f"{descriptor.name} = tt.make_tensor_descriptor {tensor.base.name}, "
            f"[{', '.join(v.name for v in sizes)}], [{', '.join(v.name for v in strides)}]"
            f"{braces} : <{element}>, <{kind}>"
        )
        program.step(
            "tt.make_tensor_descriptor",
            (descriptor,),
            (tensor.base,),
            lambda state, base: np.array([int(base)], np.int64),
        )
        offsets = [self._offset(tensor, tile, axis, True) for axis in range(len(tile))]
        at = f"{descriptor.name}[{', '.join(v.name for v in offsets)}]"
        if value is None:
            self._load_through(tensor, tile, padding, at, (descriptor, *offsets))
            return
        op, rule = "store", ""
        if element in ("i32", "i64") and g.rng.random() < 0.5:
            rule = g.rng.choice(("add", "and", "or", "xor", "max", "min"))
            op = f"reduce {rule},"
        program.block.lines.append(
            f"tt.descriptor_{op} {at}, {value.name} : {descriptor.type}, {value.type}"
        )
        self._write(tensor, tile, checked, (descriptor, *offsets, value), rule)

    def _load_through(
        self,
        tensor: Tensor,
        tile: tuple[int, ...],
        padding: int,
        at: str,
        operands: tuple[Value, ...],
    ) -> None:
        program, element, buffer = self.g.program, tensor.base.element, tensor.base.buffer
        result = Value(program.name(), element, tile)
        program.block.lines.append(
            f"{result.name} = tt.descriptor_load {at} : {operands[0].type} -> {result.type}"
        )
        outside = np.nan if padding == 2 else 0
        checked = tuple(range(len(tile)))

        def compute(state: State, descriptor: Array, *offsets: Array) -> Array:
            places, inside = tensor.places(descriptor[0], tile, offsets, checked)
            loaded = from_memory(state.memory[buffer][np.where(inside, places, 0)], element)
            return np.where(inside, loaded, np.asarray(outside).astype(TYPES[element]))

        program.step("tt.descriptor_load", (result,), operands, compute)
        program.block.pool.append(result)
