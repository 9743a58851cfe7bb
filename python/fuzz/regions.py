"""Operations of a random program whose region is more than one operation on one operand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from . import numerics
from .numerics import FLOATS, Array
from .program import State, Value
from .small_floats import SMALL

if TYPE_CHECKING:
    from .generator import Generator


class Regions:
    """Writes them into the program of a generator."""

    def __init__(self, g: Generator) -> None:
        self.g = g

    def statement(self) -> None:
        value = self.g.pick(lambda v: bool(v.shape) and v.element not in ("i1", *SMALL))
        if not value:
            return
        if self.g.rng.random() < 0.4:
            self.map_elementwise(value)
        else:
            self.recurrence(value)

    def map_elementwise(self, value: Value) -> None:
        """A scalar function of one to three blocks, sometimes with a branch."""
        g, program = self.g, self.g.program
        inputs = [value]
        for _ in range(g.rng.randint(0, 2)):
            inputs.append(g.some(g.number_element(), value.shape))
        arguments = [Value(program.name(), v.element) for v in inputs]
        with program.isolated(*arguments) as block:
            g.depth += 10
            for _ in range(g.rng.randint(1, 3)):
                g.rng.choice((g.arithmetic, g.casts.cast, g.compare, g.select))()
            g.depth -= 10
            results = [g.rng.choice(block.pool) for _ in range(g.rng.randint(1, 2))]
            condition = g.pick(lambda v: v.element == "i1")
        lines, ends, steps = list(block.lines), list(results), block.steps
        if condition and g.rng.random() < 0.7:
            # The other way round, the first result is the argument of its type.
            other = next((a for a in arguments if a.element == ends[0].element), ends[0])
            joined = Value(program.name(), ends[0].element)
            lines += [
                f"cf.cond_br {condition.name}, ^bb1({ends[0].name} : {joined.type}), "
                f"^bb1({other.name} : {joined.type})",
                f"^bb1({joined.name}: {joined.type}):",
            ]
        else:
            condition, other, joined = None, ends[0], ends[0]
        results = [joined, *ends[1:]]
        name = program.name()
        outs = [Value(f"{name}#{n}", v.element, value.shape) for n, v in enumerate(results)]
        kinds = ", ".join(v.type for v in results)
        program.block.lines += [
            f'{name}:{len(outs)} = "tt.map_elementwise"({", ".join(v.name for v in inputs)}) '
            "<{pack = 1 : i32}> ({",
            f"^bb0({', '.join(f'{a.name}: {a.type}' for a in arguments)}):",
            *(f"  {line}" for line in lines),
            f"  tt.map_elementwise.return {', '.join(v.name for v in results)} : {kinds}",
            f"}}) : ({', '.join(v.type for v in inputs)}) -> ({', '.join(o.type for o in outs)})",
        ]

        def compute(state: State, *blocks: Array) -> tuple[Array, ...]:
            made = [np.empty(value.shape, numerics.TYPES[v.element]) for v in results]
            for index in np.ndindex(*value.shape):
                for argument, array in zip(arguments, blocks, strict=True):
                    state.env[argument.name] = np.asarray(array[index])
                state.run(steps)
                goes_on = condition is None or state.env[condition.name]
                state.env[joined.name] = state.env[ends[0].name if goes_on else other.name]
                for array, result in zip(made, results, strict=True):
                    array[index] = state.env[result.name]
            return tuple(made)

        program.step("tt.map_elementwise", outs, inputs, compute)
        program.block.pool += outs

    def recurrence(self, value: Value) -> None:
        """`x = a * x + b` along an axis, as a scan or a reduction of pairs."""
        g, program = self.g, self.g.program
        element = value.element
        pair = (value, g._partner(value))
        axis = g.rng.randrange(len(value.shape))
        op, reverse = g.rng.choice(("scan", "reduce")), g.rng.random() < 0.4
        times, plus = (
            ("arith.mulf", "arith.addf") if element in FLOATS else ("arith.muli", "arith.addi")
        )
        a, b, c, d, e, f, h = (program.name() for _ in range(7))
        region = (
            f"({{^bb0({a}: {element}, {b}: {element}, {c}: {element}, {d}: {element}):\n"
            f"  {e} = {times} {a}, {c} : {element}\n"
            f"  {f} = {times} {c}, {b} : {element}\n"
            f"  {h} = {plus} {f}, {d} : {element}\n"
            f"  tt.{op}.return {e}, {h} : {element}, {element}\n}})"
        )
        shape = value.shape
        if op == "reduce":
            shape, reverse = (*shape[:axis], *shape[axis + 1 :]), False
        backwards = f", reverse = {str(reverse).lower()}" if op == "scan" else ""
        name = program.name()
        outs = [replace(value, name=f"{name}#{n}", shape=shape) for n in range(2)]
        program.block.lines += (
            f'{name}:2 = "tt.{op}"({pair[0].name}, {pair[1].name}) '
            f"<{{axis = {axis} : i32{backwards}}}> {region} : "
            f"({value.type}, {value.type}) -> ({outs[0].type}, {outs[1].type})"
        ).split("\n")

        def rounded(x: Array) -> Array:
            return numerics.rounded_between(x, element) if is_float else x

        is_float = element in FLOATS

        def combine(left: tuple[Array, ...], right: tuple[Array, ...]) -> tuple[Array, ...]:
            (first, second), (factor, term) = left, right
            return rounded(first * factor), rounded(rounded(factor * second) + term)

        def compute(state: State, x: Array, y: Array) -> tuple[Array, ...]:
            columns = [np.moveaxis(z, axis, 0)[:: -1 if reverse else 1] for z in (x, y)]
            if is_float:
                columns = [numerics.widened(z, element) for z in columns]
            rows = list(zip(*columns, strict=True))
            if op == "reduce":
                made = list(numerics.reduced(rows, combine))
            else:
                done = [np.stack(row) for row in zip(*numerics.running(rows, combine), strict=True)]
                made = [np.moveaxis(z[:: -1 if reverse else 1], 0, axis) for z in done]
            return tuple(numerics.rounded(z, element) if is_float else z for z in made)

        program.step(f"tt.{op}", outs, pair, compute)
        program.block.pool += outs
