"""Control flow of a random program: loops, branches and calls round other statements."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from . import numerics
from .addresses import SPAN, Index
from .numerics import FLOATS, Array
from .program import Block, State, Value
from .small_floats import SMALL

if TYPE_CHECKING:
    from .generator import Generator


class ControlFlow:
    """Writes it into the program of a generator."""

    def __init__(self, g: Generator) -> None:
        self.g = g

    def _body(self, carried: list[Value]) -> list[Value]:
        """A few statements, then for every carried value one of its type."""
        self.g.depth += 1
        for _ in range(self.g.rng.randint(1, 3)):
            self.g.statement()
        self.g.depth -= 1
        results = []
        for value in carried:
            kind = (value.element, value.shape)
            known = self.g.pick(lambda v, kind=kind: (v.element, v.shape) == kind)  # type: ignore[misc]
            changed = self.changed(value) if self.g.rng.random() < 0.6 else None
            results.append(changed or known or value)
        return results

    def changed(self, value: Value) -> Value:
        other = self.g._partner(value)
        if value.element in SMALL:
            return other
        if value.element in FLOATS:
            return self.g._rounding("arith.addf", np.add, value, other)
        op = (
            "arith.xori"
            if value.element == "i1"
            else self.g.rng.choice(("arith.addi", "arith.xori"))
        )
        table = numerics.BOOLEAN_BINARY if value.element == "i1" else numerics.INTEGER_BINARY
        return self.g._same(op, table[op], value, other)

    def arguments(self, values: list[Value]) -> list[Value]:
        return [replace(v, name=self.g.program.name()) for v in values]

    def loop(self) -> None:
        """`scf.for` with one or two carried values."""
        trips, step = self.g.rng.randint(0, 4), self.g.rng.choice((1, 1, 2, 3))
        first = self.g.addresses.number(0, 5)
        bound = first.low + trips * step - self.g.rng.randint(0, step - 1) if trips else first.low
        last = self.g.addresses.number(bound, bound)
        by = self.g.addresses.number(step, step)
        inits = [self.g.anything() for _ in range(self.g.rng.randint(1, 2))]
        variable = Value(self.g.program.name(), "i32")
        carried = self.arguments(inits)
        with self.g.program.region(variable, *carried) as block:
            highest = max(first.low + (trips - 1) * step, first.low)
            self.g.addresses.variables.append(Index(variable, first.low, highest))
            results = self._body(carried)
            self.g.addresses.variables.pop()
        self.finish_loop(
            variable, (first.value, last.value, by.value), inits, carried, results, block
        )

    def finish_loop(
        self,
        variable: Value,
        bounds: tuple[Value, Value, Value],
        inits: list[Value],
        carried: list[Value],
        results: list[Value],
        block: Block,
    ) -> None:
        """Writes the `scf.for` round a body that has been generated."""
        program = self.g.program
        outs = self.arguments(inits)
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
        outs = [replace(v, name=f"{name}#{n}") for n, v in enumerate(outs)]

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
        program.block.pool += [out for out in outs if not out.spelled]

    def walk(self) -> None:
        """A loop that carries a block of pointers and reads or writes through it."""
        rng, program = self.g.rng, self.g.program
        element, shape = self.g.number_element(), self.g.shape()
        writes = rng.random() < 0.4
        base = self.g.target(element) if writes else self.g.source(element)
        start = self.g.start if writes else None
        trips, by = rng.randint(1, 4), rng.choice((1, 4, 16, 100))
        pointer, indices = self.g.addresses.pointers(base, shape, SPAN, start)
        if any(index.high - index.low > 300 for index in indices):
            return
        total = self.g.some(element, shape)
        low, high, step = (self.g.addresses.number(n, n).value for n in (0, trips, 1))
        variable = Value(program.name(), "i32")
        carried = self.arguments([pointer, total])
        with program.region(variable, carried[1]) as block:
            moving, sum_ = carried
            mask = self.g.addresses.mask(indices, shape)
            if writes:
                program.store(moving, sum_, mask)
                sum_ = self.changed(sum_)
            else:
                loaded = program.load(moving, mask, None)
                op = "arith.xori" if element[0] == "i" else "arith.subf"
                sum_ = (
                    self.g._same(op, np.bitwise_xor, sum_, loaded)
                    if element[0] == "i"
                    else self.g._rounding(op, np.subtract, sum_, loaded)
                )
            results = [self.g.addresses.advanced(moving, by), sum_]
        self.finish_loop(variable, (low, high, step), [pointer, total], carried, results, block)

    def conditional(self) -> None:
        """`scf.if` with results."""
        program = self.g.program
        condition = self.g.some("i1", ())
        like = [self.g.anything() for _ in range(self.g.rng.randint(1, 2))]
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
        program = self.g.program
        count, limit = self.g.constant("i32", (), 0), self.g.addresses.number(0, 3).value
        inits = [count, self.g.anything()]
        before, after = self.arguments(inits), self.arguments(inits)
        with program.region(*before) as test:
            text = f"arith.cmpi slt, {before[0].name}, {limit.name} : i32"
            goes_on = program.emit(text, (before[0], limit), np.less, "i1")
            passed = self._body([before[1]])
        with program.region(*after) as body:
            more = self.g.addresses.binary("addi", after[0], self.g.addresses.constant(1))
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

    def call(self) -> None:
        """A function of its own, which sees only its arguments, called once or twice."""
        g, program = self.g, self.g.program
        inputs = [g.anything() for _ in range(g.rng.randint(1, 3))]
        parameters = self.arguments(inputs)
        with program.isolated(*parameters) as block:
            # Deep enough not to load: there is no buffer here.
            g.depth += 10
            for _ in range(g.rng.randint(1, 3)):
                g.rng.choice((g.arithmetic, g.casts.cast, g.compare, g.select, g.shapes.reshaped))()
            g.depth -= 10
            results = [g.rng.choice(block.pool) for _ in range(g.rng.randint(1, 2))]
        name = f"@helper{len(program.functions)}"
        kinds = ", ".join(v.type for v in results)
        signature = ", ".join(f"{p.name}: {p.type}" for p in parameters)
        program.functions.append(
            [
                f"tt.func private {name}({signature}) -> ({kinds}) "
                f"attributes {{noinline = {g.rng.choice(('true', 'false'))}}} {{",
                *(f"  {line}" for line in block.lines),
                f"  tt.return {', '.join(v.name for v in results)} : {kinds}",
                "}",
            ]
        )

        def compute(state: State, *values: Array) -> tuple[Array, ...]:
            for parameter, value in zip(parameters, values, strict=True):
                state.env[parameter.name] = value
            state.run(block.steps)
            return tuple(state.env[v.name] for v in results)

        for _ in range(g.rng.choice((1, 1, 2))):
            arguments = [g._partner(v) if g.rng.random() < 0.3 else v for v in inputs]
            called = program.name()
            outs = [replace(v, name=f"{called}#{n}") for n, v in enumerate(results)]
            program.block.lines.append(
                f"{called}:{len(outs)} = tt.call {name}({', '.join(v.name for v in arguments)}) : "
                f"({', '.join(v.type for v in arguments)}) -> ({kinds})"
            )
            program.step("tt.call", outs, arguments, compute)
            program.block.pool += outs
