"""Chooses the operations of a random program. Every value it makes has one right answer.

What docs/semantics.md leaves open is avoided where it arises: shift amounts are cut to the width,
floats are clamped before they become integers, NaNs are replaced before their bits are looked at,
and zero is added to a maximum of two zeros.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from . import numerics
from .addresses import SPAN, Addresses
from .casts import Casts
from .collectives import Collectives
from .control import ControlFlow
from .numerics import FLOATS, INTEGERS, TYPES, Array
from .pointer_casts import PointerCasts
from .products import Products
from .program import REGION, Buffer, Program, Value, random_contents, type_of
from .regions import Regions
from .shapes import LARGEST, SIZES, Shapes
from .small_floats import SMALL, encoded
from .tiles import Tiles


class Generator:
    """One program, from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.contents = np.random.default_rng(seed)
        grid = self.rng.choice(((1, 1), (1, 1), (3, 1), (2, 2)))
        self.program = Program(grid)
        self.addresses = Addresses(self.program, self.rng)
        self.collectives = Collectives(self.program, self.rng, self.addresses)
        self.casts = Casts(self)
        self.shapes = Shapes(self)
        self.control = ControlFlow(self)
        self.pointer_casts = PointerCasts(self)
        self.products = Products(self)
        self.regions = Regions(self)
        self.tiles = Tiles(self)
        self.depth = 0
        """How many loops and branches are round the next statement."""
        self.elements = self.rng.sample(INTEGERS[1:], 2) + self.rng.sample(FLOATS, 2) + ["i1"]
        if self.rng.random() < 0.3:
            self.elements.append(self.rng.choice(SMALL))

    def generate(self) -> Program:
        self.start = self._start_of_region()
        self.program.block.pool.clear()
        for _ in range(self.rng.randint(1, 3)):
            self.load(self.shape(), self.element())
        for _ in range(self.length()):
            self.statement()
        for value in self._last(4):
            self.store(value)
        return self.program

    def length(self) -> int:
        """How many statements the program has: now and then very many."""
        return self.rng.randint(60, 200) if self.rng.random() < 0.03 else self.rng.randint(5, 20)

    def _last(self, count: int) -> list[Value]:
        data = [v for v in self.program.block.pool if not v.buffer]
        return data[-count:] + self.rng.sample(data, min(2, len(data)))

    def element(self) -> str:
        return self.rng.choice(self.elements)

    def number_element(self) -> str:
        """One that arithmetic is made for."""
        return self.rng.choice([e for e in self.elements if e not in SMALL])

    def shape(self) -> tuple[int, ...]:
        rank = self.rng.choice((0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5))
        while True:
            shape = tuple(self.rng.choice(SIZES) for _ in range(rank))
            if np.prod(shape, dtype=int) <= LARGEST:
                return shape

    def _start_of_region(self) -> Value:
        """The part of the result buffers that belongs to this program of the grid."""
        x = self._program_number("get_program_id x", lambda state: state.ids[0])
        y = self._program_number("get_program_id y", lambda state: state.ids[1])
        width = self._program_number("get_num_programs x", lambda state: self.program.grid[0])
        linear = self.addresses.binary("addi", self.addresses.binary("muli", y, width), x)
        return self.addresses.binary("muli", linear, self.addresses.constant(REGION))

    def _program_number(self, op: str, number: Callable[..., int]) -> Value:
        value = Value(self.program.name(), "i32")
        text = f"{value.name} = tt.{op} : i32"
        self.program.block.lines.append(text)
        self.program.step(text, (value,), (), lambda state: np.asarray(number(state), np.int32))
        self.program.block.pool.append(value)
        return value

    #
    # Values
    #

    def pick(self, wanted: Callable[[Value], bool]) -> Value | None:
        """A value of the program, rather a late one."""
        known = [v for v in self.program.block.pool if not v.buffer and wanted(v)]
        return known[-1 - int(self.rng.random() ** 2 * len(known))] if known else None

    def some(self, element: str, shape: tuple[int, ...]) -> Value:
        """A value of this type: an old one, a constant, a scalar in all places, or a load."""
        known = self.pick(lambda v: v.element == element and v.shape == shape)
        if known and self.rng.random() < 0.8:
            return known
        scalar = self.pick(lambda v: v.element == element and not v.shape)
        if scalar and shape and self.rng.random() < 0.4:
            return self.addresses.splat(scalar, shape)
        if self.rng.random() < 0.3 and self.depth < 2:
            return self.load(shape, element)
        return self.constant(element, shape)

    def constant(self, element: str, shape: tuple[int, ...], number: float | None = None) -> Value:
        if number is None:
            number = self.rng.choice((0, 1, 2, 3, -1, 7) + (() if element in SMALL else (100,)))
        if element == "i1":
            word, number = ("true", 1) if number else ("false", 0)
        else:
            word = f"{float(number)!r}" if element in (*FLOATS, *SMALL) else str(int(number))
        filled: Array = np.full(shape, number).astype(TYPES[element])
        if element in SMALL:
            filled = encoded(np.full(shape, number, np.float32), element)
        text = f"dense<{word}> : {type_of(element, shape)}" if shape else f"{word} : {element}"
        if element == "i1" and not shape:
            text = word
        value = self.program.emit(f"arith.constant {text}", (), lambda: filled, element, shape)
        self.program.block.pool.remove(value)
        return value

    #
    # Statements
    #

    def statement(self) -> None:
        choices: list[tuple[int, Callable[[], object]]] = [
            (18, self.arithmetic),
            (9, self.casts.cast),
            (4, self.compare),
            (4, self.select),
            (6, self.shapes.reshaped),
            (3, lambda: self.load(self.shape(), self.element())),
            (2, lambda: self.store(self.anything())),
            (4, self.collective),
            (2, self.chain),
            (1, self.products.dot),
            (1, self.products.dot_scaled),
            (2, self.regions.statement),
            (1, self.atomic),
            (1, self.accumulate),
            (2, self.tiles.statement),
            (2, self.pointer_casts.statement),
            (1, self.huge),
        ]
        if self.depth < 2:
            flow = self.control
            choices += [(2, flow.loop), (1, flow.conditional), (1, flow.walk), (1, flow.until)]
            choices += [(1, flow.call), (1, self.tiles.walk)]
        weights, actions = zip(*choices, strict=True)
        self.rng.choices(actions, weights)[0]()

    def anything(self) -> Value:
        return self.pick(lambda v: True) or self.load(self.shape(), self.element())

    def any_of(self, elements: tuple[str, ...]) -> Value:
        found = self.pick(lambda v: v.element in elements)
        return found or self.some(self.rng.choice(elements), self.shape())

    def collective(self) -> None:
        value = self.pick(lambda v: bool(v.shape) and v.element not in ("i1", *SMALL))
        if value:
            self.collectives.statement(value, self.some)

    def huge(self) -> None:
        """Arithmetic on a block of very many elements, which ends as one of few again."""
        if self.rng.random() < 0.6:
            return
        # Of integers: the order of so many floats would matter.
        value = self.pick(lambda v: v.element in INTEGERS[1:] and len(v.shape) == 1)
        if not value:
            return
        pool = self.program.block.pool
        before = len(pool)
        count = self.rng.choice((1 << 12, 1 << 14)) // value.size
        wide = self.addresses.broadcast(self.addresses.expand(value, 1), (value.size, count))
        other = self.constant(value.element, wide.shape)
        result = self._same("arith.xori", np.bitwise_xor, wide, other)
        while result.size > LARGEST:
            result = self.collectives.reduce(result)
        pool[before:] = [result]

    def chain(self) -> None:
        """Float operations one after the other, each on the result of the one before."""
        value = self.any_of(FLOATS)
        for _ in range(self.rng.randint(2, 5)):
            value = self._float_arithmetic(value)

    def arithmetic(self) -> Value:
        value = self.anything()
        if value.element in SMALL:
            value = self.casts.widened(value)
        if value.element in FLOATS:
            return self._float_arithmetic(value)
        if value.element == "i1":
            op = self.rng.choice(sorted(numerics.BOOLEAN_BINARY))
            return self._same(op, numerics.BOOLEAN_BINARY[op], value, self._partner(value))
        match self.rng.randrange(8):
            case 0:
                op = self.rng.choice(sorted(numerics.SHIFTS))
                limit = self.constant(value.element, value.shape, numerics.width(value.element) - 1)
                amount = self._same("arith.andi", np.bitwise_and, self._partner(value), limit)
                return self._same(op, numerics.SHIFTS[op], value, amount)
            case 1 if value.element in ("i32", "i64"):
                return self._same("tt.mulhiui", numerics.mulhiui, value, self._partner(value))
            case 2:
                return self._same("math.absi", np.abs, value)
            case _:
                op = self.rng.choice(sorted(numerics.INTEGER_BINARY))
                return self._same(op, numerics.INTEGER_BINARY[op], value, self._partner(value))

    def _partner(self, value: Value) -> Value:
        return self.some(value.element, value.shape)

    def _float_arithmetic(self, value: Value) -> Value:
        match self.rng.randrange(8):
            case 0:
                op = self.rng.choice(sorted(numerics.FLOAT_EXTREMA))
                both = self._rounding(op, numerics.FLOAT_EXTREMA[op], value, self._partner(value))
                self.program.block.pool.remove(both)
                zero = self.constant(value.element, value.shape, 0)
                return self._rounding("arith.addf", np.add, both, zero)
            case 1 | 4:
                op = self.rng.choice(sorted(numerics.FLOAT_UNARY))
                return self._rounding(op, numerics.FLOAT_UNARY[op], value)
            case 2:
                return self._rounding(
                    "math.fma",
                    numerics.fused(value.element),
                    value,
                    self._partner(value),
                    self._partner(value),
                )
            case 3:
                return self._clamp(value)
            case _:
                op = self.rng.choice(sorted(numerics.FLOAT_BINARY))
                return self._rounding(op, numerics.FLOAT_BINARY[op], value, self._partner(value))

    def _clamp(self, value: Value) -> Value:
        low = self.constant(value.element, value.shape, -3)
        high = self.constant(value.element, value.shape, 5)
        rule = self.rng.choice(("none", "all"))
        text = (
            f"tt.clampf {value.name}, {low.name}, {high.name}, propagateNan = {rule} : {value.type}"
        )

        def compute(x: Array, low: Array, high: Array) -> Array:
            cut = np.minimum(np.where(np.isnan(x), low, np.maximum(x, low)), high)
            return np.where(np.isnan(x), x, cut) if rule == "all" else cut

        return self.program.emit(text, (value, low, high), compute, value.element, value.shape)

    def _same(self, op: str, compute: Callable[..., Array], *operands: Value) -> Value:
        """An operation whose operands and result have one type."""
        first = operands[0]
        text = f"{op} {', '.join(v.name for v in operands)} : {first.type}"
        return self.program.emit(text, operands, compute, first.element, first.shape)

    def _rounding(self, op: str, compute: Callable[..., Array], *operands: Value) -> Value:
        element = operands[0].element

        def then_round(*arrays: Array) -> Array:
            wide = (np.asarray(numerics.widened(a, element)) for a in arrays)
            return numerics.rounded(np.asarray(compute(*wide)), element)

        return self._same(op, then_round, *operands)

    def compare(self) -> Value:
        value = self.anything()
        if value.element in SMALL:
            value = self.casts.widened(value)
        other = self._partner(value)
        if value.element in FLOATS:
            kind, predicates, compute = "f", numerics.FLOAT_PREDICATES, numerics.compare_floats
        else:
            kind, predicates, compute = "i", numerics.INTEGER_PREDICATES, numerics.compare_integers
        predicate = self.rng.choice(predicates)
        text = f"arith.cmp{kind} {predicate}, {value.name}, {other.name} : {value.type}"
        return self.program.emit(
            text,
            (value, other),
            lambda a, b: compute(predicate, np.asarray(a), np.asarray(b)),
            "i1",
            value.shape,
        )

    def select(self) -> Value:
        value = self.anything()
        other = self._partner(value)
        shape = value.shape if self.rng.random() < 0.8 else ()
        condition = self.some("i1", shape)
        kinds = f"{condition.type}, {value.type}" if shape else value.type
        text = f"arith.select {condition.name}, {value.name}, {other.name} : {kinds}"
        return self.program.emit(
            text, (condition, value, other), np.where, value.element, value.shape
        )

    #
    # Memory
    #

    def source(self, element: str) -> Value:
        """A buffer to read: one that is never written, or this program's part of a result."""
        return self.program.argument(
            self.program.buffers.get(f"in_{element}")
            or Buffer(
                f"in_{element}", element, random_contents(self.contents, element, 2048), False
            )
        )

    def target(self, element: str) -> Value:
        programs = self.program.grid[0] * self.program.grid[1]
        name = f"out_{element}"
        return self.program.argument(
            self.program.buffers.get(name)
            or Buffer(
                name, element, random_contents(self.contents, element, programs * REGION), True
            )
        )

    def load(self, shape: tuple[int, ...], element: str) -> Value:
        again = f"out_{element}" in self.program.buffers and self.rng.random() < 0.3
        base = self.target(element) if again else self.source(element)
        start = self.start if again else None
        pointer, indices = self.addresses.pointers(base, shape, SPAN, start)
        mask = self.addresses.mask(indices, shape)
        other = None
        if mask and self.rng.random() < 0.6:
            other = self.pick(lambda v: v.element == element and v.shape == shape)
            other = other or self.constant(element, shape)
        return self.program.load(pointer, mask, other)

    def store(self, value: Value) -> None:
        base = self.target(value.element)
        pointer, indices = self.addresses.pointers(base, value.shape, SPAN, self.start)
        self.program.store(pointer, value, self.addresses.mask(indices, value.shape))

    def accumulate(self) -> None:
        """Atomic updates by all programs, of one buffer and one kind: any order gives the same."""
        element, kind = self.rng.choice(("i32", "i64")), self.rng.choice(numerics.COMMUTATIVE)
        name = f"sum_{kind}_{element}"
        buffer = self.program.buffers.get(name) or Buffer(
            name, element, random_contents(self.contents, element, REGION), True
        )
        value = self.some(element, self.shape())
        base = self.program.argument(buffer)
        pointer, indices = self.addresses.pointers(base, value.shape, SPAN)
        mask = self.addresses.mask(indices, value.shape)
        combine = numerics.ATOMIC[kind]
        old = self.program.atomic(kind, combine, pointer, value, mask, is_read=False)
        self.program.block.pool.remove(old)

    def atomic(self) -> None:
        """An update in place, of elements that may be the same one."""
        element = self.rng.choice(("i32", "i64", "f32", "f64"))
        value = self.some(element, self.shape())
        pointer, indices = self.addresses.pointers(
            self.target(element), value.shape, SPAN, self.start
        )
        if element in ("i32", "i64") and self.rng.random() < 0.3:
            self.program.compare_and_swap(pointer, self._partner(value), value)
            return
        mask = self.addresses.mask(indices, value.shape)
        if element in FLOATS:
            self.program.atomic("fadd", np.add, pointer, value, mask)
        else:
            kind = self.rng.choice(sorted(numerics.ATOMIC))
            self.program.atomic(kind, numerics.ATOMIC[kind], pointer, value, mask)
