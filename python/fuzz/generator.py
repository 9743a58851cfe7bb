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
from .addresses import SPAN, Addresses, Index
from .collectives import Collectives
from .numerics import FLOATS, INTEGERS, TYPES, Array
from .program import REGION, Block, Buffer, Program, State, Value, random_contents, type_of

SIZES = (1, 2, 4, 8, 16, 32)
LARGEST = 128


class Generator:
    """One program, from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.contents = np.random.default_rng(seed)
        grid = self.rng.choice(((1, 1), (1, 1), (3, 1), (2, 2)))
        self.program = Program(grid)
        self.addresses = Addresses(self.program, self.rng)
        self.collectives = Collectives(self.program, self.rng, self.addresses)
        self.depth = 0
        self.elements = self.rng.sample(INTEGERS[1:], 2) + self.rng.sample(FLOATS, 2) + ["i1"]

    def generate(self) -> Program:
        self.start = self._start_of_region()
        self.program.block.pool.clear()
        for _ in range(self.rng.randint(1, 3)):
            self.load(self.shape(), self.element())
        for _ in range(self.rng.randint(5, 20)):
            self.statement()
        for value in self._last(4):
            self.store(value)
        return self.program

    def _last(self, count: int) -> list[Value]:
        data = [v for v in self.program.block.pool if not v.buffer]
        return data[-count:] + self.rng.sample(data, min(2, len(data)))

    def element(self) -> str:
        return self.rng.choice(self.elements)

    def shape(self) -> tuple[int, ...]:
        rank = self.rng.choice((0, 1, 1, 1, 2, 2, 2, 3, 4))
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
            number = self.rng.choice((0, 1, 2, 3, -1, 7, 100))
        if element == "i1":
            word, number = ("true", 1) if number else ("false", 0)
        else:
            word = f"{float(number)!r}" if element in FLOATS else str(int(number))
        filled: Array = np.full(shape, number).astype(TYPES[element])
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
            (9, self.cast),
            (4, self.compare),
            (4, self.select),
            (6, self.reshaped),
            (3, lambda: self.load(self.shape(), self.element())),
            (2, lambda: self.store(self.anything())),
            (4, self.collective),
            (2, self.chain),
            (1, self.atomic),
        ]
        if self.depth < 2:
            choices += [(2, self.loop), (1, self.conditional), (1, self.walk), (1, self.until)]
        weights, actions = zip(*choices, strict=True)
        self.rng.choices(actions, weights)[0]()

    def anything(self) -> Value:
        return self.pick(lambda v: True) or self.load(self.shape(), self.element())

    def any_of(self, elements: tuple[str, ...]) -> Value:
        found = self.pick(lambda v: v.element in elements)
        return found or self.some(self.rng.choice(elements), self.shape())

    def collective(self) -> None:
        value = self.any_of(("i8", "i16", "i32", "i64", *FLOATS))
        self.collectives.statement(value, self.some)

    def chain(self) -> None:
        """Float operations one after the other, each on the result of the one before."""
        value = self.any_of(FLOATS)
        for _ in range(self.rng.randint(2, 5)):
            value = self._float_arithmetic(value)

    def arithmetic(self) -> Value:
        value = self.anything()
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
                zero = self.constant(value.element, value.shape, 0)
                return self._rounding("arith.addf", np.add, both, zero)
            case 1 | 4:
                op = self.rng.choice(sorted(numerics.FLOAT_UNARY))
                return self._rounding(op, numerics.FLOAT_UNARY[op], value)
            case 2:
                return self._rounding(
                    "math.fma",
                    numerics.libm("fma"),
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
    # Casts
    #

    def cast(self) -> Value:
        value = self.anything()
        if value.element in INTEGERS:
            return self._cast_integer(value)
        match self.rng.randrange(3):
            case 0:
                return self._to_integer(value)
            case 1 if value.element != "f64" and value.element != "f32":
                return self._float_bits(value)
            case _:
                return self._cast_float(value)

    def _convert(
        self, op: str, value: Value, target: str, compute: Callable[[Array], Array]
    ) -> Value:
        text = f"{op} {value.name} : {value.type} to {type_of(target, value.shape)}"
        return self.program.emit(text, (value,), compute, target, value.shape)

    def _cast_integer(self, value: Value) -> Value:
        target = self.rng.choice((*INTEGERS, *FLOATS))
        source = value.element
        signed = self.rng.random() < 0.5
        if target in FLOATS:
            op = "arith.sitofp" if signed else "arith.uitofp"
            return self._convert(
                op, value, target, lambda x: numerics.from_integer(x, source, target, signed)
            )
        if numerics.width(target) > numerics.width(source):
            op = "arith.extsi" if signed else "arith.extui"
            return self._convert(
                op, value, target, lambda x: numerics.extended(x, source, target, signed)
            )
        if numerics.width(target) < numerics.width(source):
            return self._convert(
                "arith.trunci", value, target, lambda x: numerics.truncated(x, target)
            )
        return value

    def _cast_float(self, value: Value) -> Value:
        source = value.element
        wider = [t for t in FLOATS if numerics.width(t) > numerics.width(source)]
        narrower = [t for t in FLOATS if numerics.width(t) < numerics.width(source)]
        target = self.rng.choice(wider + narrower)
        rounding = self.rng.choice(("", "", "rtne", "rtz")) if target in narrower else ""
        convert = numerics.toward_zero if rounding == "rtz" else numerics.convert_float
        if rounding or self.rng.random() < 0.2:
            suffix = f", rounding = {rounding or 'rtne'}" if target in narrower else ""
            text = f"tt.fp_to_fp {value.name}{suffix} : {value.type} -> "
            text += type_of(target, value.shape)
            return self.program.emit(
                text, (value,), lambda x: convert(x, source, target), target, value.shape
            )
        op = "arith.extf" if target in wider else "arith.truncf"
        return self._convert(op, value, target, lambda x: convert(x, source, target))

    def _to_integer(self, value: Value) -> Value:
        target = self.rng.choice(("i8", "i16", "i32", "i64"))
        signed = self.rng.random() < 0.5
        low = self.constant(value.element, value.shape, -100 if signed else 0)
        high = self.constant(value.element, value.shape, 120)
        maximum, minimum = (numerics.FLOAT_EXTREMA[f"arith.{n}numf"] for n in ("max", "min"))
        value = self._same("arith.maxnumf", maximum, value, low)
        value = self._same("arith.minnumf", minimum, value, high)
        op = "arith.fptosi" if signed else "arith.fptoui"
        return self._convert(op, value, target, lambda x: np.trunc(x).astype(TYPES[target]))

    def _float_bits(self, value: Value) -> Value:
        """The bits of a float, of zero for a NaN; or the float that an integer's bits are."""
        zero = self.constant(value.element, value.shape, 0)
        nan = self.program.emit(
            f"arith.cmpf uno, {value.name}, {value.name} : {value.type}",
            (value,),
            np.isnan,
            "i1",
            value.shape,
        )
        kinds = f"{nan.type}, {value.type}" if value.shape else value.type
        number = self.program.emit(
            f"arith.select {nan.name}, {zero.name}, {value.name} : {kinds}",
            (nan, zero, value),
            np.where,
            value.element,
            value.shape,
        )
        source, target = value.element, f"i{numerics.width(value.element)}"
        return self.program.emit(
            f"tt.bitcast {number.name} : {value.type} -> {type_of(target, value.shape)}",
            (number,),
            lambda x: numerics.to_memory(np.asarray(x), source).view(TYPES[target]),
            target,
            value.shape,
        )

    #
    # Shapes
    #

    def reshaped(self) -> Value:
        value = self.anything()
        choice = self.rng.randrange(6)
        if not value.shape:
            return self.addresses.splat(value, self.shape())
        if choice == 0 and len(value.shape) < 4:
            return self.addresses.expand(value, self.rng.randint(0, len(value.shape)))
        if choice == 1 and 1 in value.shape:
            room = LARGEST // value.size
            sizes = [s for s in SIZES if s <= room]
            axis = self.rng.choice([a for a, size in enumerate(value.shape) if size == 1])
            wide = (*value.shape[:axis], self.rng.choice(sizes), *value.shape[axis + 1 :])
            return self.addresses.broadcast(value, wide)
        if choice == 2:
            return self.collectives.join(value, self._partner(value))
        if choice == 3 and value.shape[-1] == 2 and len(value.shape) > 1:
            return self.collectives.split(value)
        if choice == 4:
            return self._transposed(value)
        return self._regrouped(value)

    def _transposed(self, value: Value) -> Value:
        order = list(range(len(value.shape)))
        self.rng.shuffle(order)
        shape = tuple(value.shape[axis] for axis in order)
        text = (
            f"tt.trans {value.name} {{order = array<i32: {', '.join(map(str, order))}>}} : "
            f"{value.type} -> {type_of(value.element, shape)}"
        )
        return self.program.emit(
            text, (value,), lambda x: np.transpose(x, order), value.element, shape
        )

    def _regrouped(self, value: Value) -> Value:
        rest, shape = value.size, list[int]()
        while rest > 1 and len(shape) < 3 and self.rng.random() < 0.7:
            size = self.rng.choice([s for s in (1, 2, 4, 8, 16, 32, 64, 128) if s <= rest])
            shape.append(size)
            rest //= size
        new = (*shape, rest)
        text = f"tt.reshape {value.name} : {value.type} -> {type_of(value.element, new)}"
        return self.program.emit(text, (value,), lambda x: np.reshape(x, new), value.element, new)

    #
    # Memory
    #

    def _source(self, element: str) -> Value:
        """A buffer to read: one that is never written, or this program's part of a result."""
        return self.program.argument(
            self.program.buffers.get(f"in_{element}")
            or Buffer(
                f"in_{element}", element, random_contents(self.contents, element, 2048), False
            )
        )

    def _target(self, element: str) -> Value:
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
        base = self._target(element) if again else self._source(element)
        start = self.start if again else None
        pointer, indices = self.addresses.pointers(base, shape, SPAN, start)
        mask = self.addresses.mask(indices, shape)
        other = None
        if mask and self.rng.random() < 0.6:
            other = self.pick(lambda v: v.element == element and v.shape == shape)
            other = other or self.constant(element, shape)
        return self.program.load(pointer, mask, other)

    def store(self, value: Value) -> None:
        base = self._target(value.element)
        pointer, indices = self.addresses.pointers(base, value.shape, SPAN, self.start)
        self.program.store(pointer, value, self.addresses.mask(indices, value.shape))

    def atomic(self) -> None:
        """An update in place, of elements that may be the same one."""
        element = self.rng.choice(("i32", "i64", "f32", "f64"))
        value = self.some(element, self.shape())
        pointer, indices = self.addresses.pointers(
            self._target(element), value.shape, SPAN, self.start
        )
        mask = self.addresses.mask(indices, value.shape)
        if element in FLOATS:
            self.program.atomic("fadd", np.add, pointer, value, mask)
        else:
            kind = self.rng.choice(sorted(numerics.ATOMIC))
            self.program.atomic(kind, numerics.ATOMIC[kind], pointer, value, mask)

    #
    # Control flow
    #

    def _body(self, carried: list[Value]) -> list[Value]:
        """A few statements, then for every carried value one of its type."""
        self.depth += 1
        for _ in range(self.rng.randint(1, 3)):
            self.statement()
        self.depth -= 1
        results = []
        for value in carried:
            kind = (value.element, value.shape)
            known = self.pick(lambda v, kind=kind: (v.element, v.shape) == kind)  # type: ignore[misc]
            changed = self._changed(value) if self.rng.random() < 0.6 else None
            results.append(changed or known or value)
        return results

    def _changed(self, value: Value) -> Value:
        other = self._partner(value)
        if value.element in FLOATS:
            return self._rounding("arith.addf", np.add, value, other)
        op = (
            "arith.xori" if value.element == "i1" else self.rng.choice(("arith.addi", "arith.xori"))
        )
        table = numerics.BOOLEAN_BINARY if value.element == "i1" else numerics.INTEGER_BINARY
        return self._same(op, table[op], value, other)

    def _arguments(self, values: list[Value]) -> list[Value]:
        return [Value(self.program.name(), v.element, v.shape, v.buffer) for v in values]

    def loop(self) -> None:
        """`scf.for` with one or two carried values."""
        trips, step = self.rng.randint(0, 4), self.rng.choice((1, 1, 2, 3))
        first = self.addresses.number(0, 5)
        bound = first.low + trips * step - self.rng.randint(0, step - 1) if trips else first.low
        last = self.addresses.number(bound, bound)
        by = self.addresses.number(step, step)
        inits = [self.anything() for _ in range(self.rng.randint(1, 2))]
        variable = Value(self.program.name(), "i32")
        carried = self._arguments(inits)
        with self.program.region(variable, *carried) as block:
            highest = max(first.low + (trips - 1) * step, first.low)
            self.addresses.variables.append(Index(variable, first.low, highest))
            results = self._body(carried)
            self.addresses.variables.pop()
        self._finish_loop(
            variable, (first.value, last.value, by.value), inits, carried, results, block
        )

    def _finish_loop(
        self,
        variable: Value,
        bounds: tuple[Value, Value, Value],
        inits: list[Value],
        carried: list[Value],
        results: list[Value],
        block: Block,
    ) -> None:
        """Writes the `scf.for` round a body that has been generated."""
        program = self.program
        outs = self._arguments(inits)
        name = f"{outs[0].name.replace('%', '%r')}"
        pairs = ", ".join(f"{c.name} = {i.name}" for c, i in zip(carried, inits, strict=True))
        kinds = ", ".join(v.type for v in inits)
        low, high, step = (b.name for b in bounds)
        program.block.lines += [
            f"{name}:{len(outs)} = scf.for {variable.name} = {low} to {high} step {step} "
            f"iter_args({pairs}) -> ({kinds}) : i32 {{",
            *(f"  {line}" for line in block.lines),
            f"  scf.yield {', '.join(r.name for r in results)} : {kinds}",
            "}",
        ]
        outs = [Value(f"{name}#{n}", v.element, v.shape, v.buffer) for n, v in enumerate(outs)]

        def compute(
            state: State, low: Array, high: Array, step: Array, *values: Array
        ) -> tuple[Array, ...]:
            for at in range(int(low), int(high), int(step)):
                state.env[variable.name] = np.asarray(at, np.int32)
                for value, array in zip(carried, values, strict=True):
                    state.env[value.name] = array
                state.run(block.steps)
                values = tuple(state.env[result.name] for result in results)
            return values

        program.step("scf.for", outs, (*bounds, *inits), compute)
        program.block.pool += outs

    def walk(self) -> None:
        """A loop that carries a block of pointers and reads or writes through it."""
        rng, program = self.rng, self.program
        element, shape = self.element(), self.shape()
        writes = rng.random() < 0.4
        base = self._target(element) if writes else self._source(element)
        start = self.start if writes else None
        trips, by = rng.randint(1, 4), rng.choice((1, 4, 16, 100))
        pointer, indices = self.addresses.pointers(base, shape, SPAN, start)
        if any(index.high - index.low > 300 for index in indices):
            return
        total = self.some(element, shape)
        low, high, step = (self.addresses.number(n, n).value for n in (0, trips, 1))
        variable = Value(program.name(), "i32")
        carried = self._arguments([pointer, total])
        with program.region(variable, carried[1]) as block:
            moving, sum_ = carried
            mask = self.addresses.mask(indices, shape)
            if writes:
                program.store(moving, sum_, mask)
                sum_ = self._changed(sum_)
            else:
                loaded = program.load(moving, mask, None)
                op = "arith.xori" if element[0] == "i" else "arith.subf"
                sum_ = (
                    self._same(op, np.bitwise_xor, sum_, loaded)
                    if element[0] == "i"
                    else self._rounding(op, np.subtract, sum_, loaded)
                )
            results = [self.addresses.advanced(moving, by), sum_]
        self._finish_loop(variable, (low, high, step), [pointer, total], carried, results, block)

    def conditional(self) -> None:
        """`scf.if` with results."""
        program = self.program
        condition = self.some("i1", ())
        like = [self.anything() for _ in range(self.rng.randint(1, 2))]
        with program.region() as yes:
            if_yes = self._body(like)
        with program.region() as no:
            if_no = self._body(like)
        name = program.name()
        outs = [Value(f"{name}#{n}", v.element, v.shape) for n, v in enumerate(like)]
        kinds = ", ".join(v.type for v in like)
        program.block.lines += [
            f"{name}:{len(like)} = scf.if {condition.name} -> ({kinds}) {{",
            *(f"  {line}" for line in yes.lines),
            f"  scf.yield {', '.join(v.name for v in if_yes)} : {kinds}",
            "} else {",
            *(f"  {line}" for line in no.lines),
            f"  scf.yield {', '.join(v.name for v in if_no)} : {kinds}",
            "}",
        ]

        def compute(state: State, condition: Array) -> tuple[Array, ...]:
            state.run(yes.steps if condition else no.steps)
            return tuple(state.env[v.name] for v in (if_yes if condition else if_no))

        program.step("scf.if", outs, (condition,), compute)
        program.block.pool += outs

    def until(self) -> None:
        """`scf.while` that counts to a number known when the kernel runs."""
        program = self.program
        count, limit = self.constant("i32", (), 0), self.addresses.number(0, 3).value
        inits = [count, self.anything()]
        before, after = self._arguments(inits), self._arguments(inits)
        with program.region(*before) as test:
            text = f"arith.cmpi slt, {before[0].name}, {limit.name} : i32"
            goes_on = program.emit(text, (before[0], limit), np.less, "i1")
            passed = self._body([before[1]])
        with program.region(*after) as body:
            more = self.addresses.binary("addi", after[0], self.addresses.constant(1))
            results = [more, *self._body([after[1]])]
        name = program.name()
        kinds = ", ".join(v.type for v in inits)
        pairs = ", ".join(f"{a.name} = {i.name}" for a, i in zip(before, inits, strict=True))
        program.block.lines += [
            f"{name}:2 = scf.while ({pairs}) : ({kinds}) -> ({kinds}) {{",
            *(f"  {line}" for line in test.lines),
            f"  scf.condition({goes_on.name}) {before[0].name}, {passed[0].name} : {kinds}",
            "} do {",
            f"^bb0({', '.join(f'{a.name}: {a.type}' for a in after)}):",
            *(f"  {line}" for line in body.lines),
            f"  scf.yield {', '.join(r.name for r in results)} : {kinds}",
            "}",
        ]
        outs = [Value(f"{name}#{n}", v.element, v.shape) for n, v in enumerate(inits)]

        def compute(state: State, *values: Array) -> tuple[Array, ...]:
            while True:
                for value, array in zip(before, values, strict=True):
                    state.env[value.name] = array
                state.run(test.steps)
                passed_on = [state.env[before[0].name], state.env[passed[0].name]]
                if not state.env[goes_on.name]:
                    return tuple(passed_on)
                for value, array in zip(after, passed_on, strict=True):
                    state.env[value.name] = array
                state.run(body.steps)
                values = tuple(state.env[result.name] for result in results)

        program.step("scf.while", outs, (inits[0], inits[1]), compute)
        program.block.pool += outs
