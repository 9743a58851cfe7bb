"""Operations that move elements or combine several: reductions, scans, joins, lookups."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from . import numerics
from .addresses import Addresses
from .numerics import FLOATS, Array
from .program import Program, Value, type_of

Some = Callable[[str, tuple[int, ...]], Value]
Combine = Callable[[Array, Array], Array]


class Collectives:
    """Writes such operations into a program."""

    def __init__(self, program: Program, rng: random.Random, addresses: Addresses) -> None:
        self.program = program
        self.rng = rng
        self.addresses = addresses

    def statement(self, value: Value, some: Some) -> None:
        if value.element == "i32" and len(value.shape) == 1 and self.rng.random() < 0.2:
            self.histogram(value, some("i1", value.shape) if self.rng.random() < 0.5 else None)
        elif self.rng.random() < 0.2:
            self.lookup(value, some("i32", value.shape))
        elif self.rng.random() < 0.2:
            self.argument_of_extreme(value)
        elif self.rng.random() < 0.5:
            self.reduce(value)
        else:
            self.scan(value)

    #
    # Along one axis
    #

    def _combine(self, element: str) -> tuple[str, Combine]:
        if element in FLOATS:
            ops: dict[str, Combine] = {
                **numerics.FLOAT_EXTREMA,
                "arith.addf": np.add,
                "arith.mulf": np.multiply,
            }
        else:
            words = ("addi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui")
            ops = {f"arith.{word}": numerics.INTEGER_BINARY[f"arith.{word}"] for word in words}
        op = self.rng.choice(sorted(ops))
        return op, ops[op]

    def _region(self, op: str, element: str, end: str) -> str:
        a, b, c = (self.program.name() for _ in range(3))
        return (
            f"({{^bb0({a}: {element}, {b}: {element}): {c} = {op} {a}, {b} : {element} "
            f"tt.{end}.return {c} : {element} }})"
        )

    def reduce(self, value: Value) -> Value:
        axis = self.rng.randrange(len(value.shape))
        element = value.element
        op, combine = self._combine(element)
        shape = (*value.shape[:axis], *value.shape[axis + 1 :])

        def compute(x: Array) -> Array:
            x = np.moveaxis(x, axis, 0)
            x = numerics.widened(x, element) if element in FLOATS else x
            total = numerics.reduced(list(x), self._between(op, combine, element))
            return numerics.rounded(total, element) if element in FLOATS else total

        text = (
            f'"tt.reduce"({value.name}) <{{axis = {axis} : i32}}> '
            f"{self._region(op, element, 'reduce')} : ({value.type}) -> {type_of(element, shape)}"
        )
        result = self.program.emit(text, (value,), compute, element, shape)
        return self._without_sign_of_zero(op, result)

    def scan(self, value: Value) -> Value:
        axis = self.rng.randrange(len(value.shape))
        element, reverse = value.element, self.rng.random() < 0.4
        op, combine = self._combine(element)

        def compute(x: Array) -> Array:
            x = np.moveaxis(x, axis, 0)[:: -1 if reverse else 1]
            x = numerics.widened(x, element) if element in FLOATS else x
            rows = numerics.running(list(x), self._between(op, combine, element))
            result = np.moveaxis(np.stack(rows)[:: -1 if reverse else 1], 0, axis)
            return numerics.rounded(result, element) if element in FLOATS else result

        text = (
            f'"tt.scan"({value.name}) <{{axis = {axis} : i32, reverse = {str(reverse).lower()}}}> '
            f"{self._region(op, element, 'scan')} : ({value.type}) -> {value.type}"
        )
        result = self.program.emit(text, (value,), compute, element, value.shape)
        return self._without_sign_of_zero(op, result)

    def _between(self, op: str, combine: Combine, element: str) -> Combine:
        """What an operation hands on: of the type, but for sums of floats, which are rounded at
        the end."""
        if element not in FLOATS or op == "arith.addf":
            return combine
        return lambda a, b: numerics.rounded_between(combine(a, b), element)

    def _without_sign_of_zero(self, op: str, value: Value) -> Value:
        if op not in numerics.FLOAT_EXTREMA:
            return value
        self.program.block.pool.remove(value)
        element, kind = value.element, value.type
        word = f"dense<0.0> : {kind}" if value.shape else f"0.0 : {kind}"
        nothing: Array = np.zeros(value.shape, numerics.TYPES[element])
        zero = self.program.emit(
            f"arith.constant {word}", (), lambda: nothing, element, value.shape
        )
        return self.program.emit(
            f"arith.addf {value.name}, {zero.name} : {kind}",
            (value, zero),
            np.add,
            element,
            value.shape,
        )

    def argument_of_extreme(self, value: Value) -> Value:
        """As `tl.argmax` and `tl.argmin` write it, with both rules for ties."""
        axis = self.rng.randrange(len(value.shape))
        size, element = value.shape[axis], value.element
        number = self.addresses.range(size).value
        spread = self.addresses.in_dimension(number, axis, len(value.shape))
        numbers = self.addresses.broadcast(spread, value.shape)
        most, left = self.rng.random() < 0.5, self.rng.random() < 0.5
        kind = "f" if element in FLOATS else "i"
        order = "o" if kind == "f" else "s"
        better = f"arith.cmp{kind} {order}{'gt' if most else 'lt'}, %a, %c : {element}"
        tie = f"arith.cmp{kind} {'oeq' if kind == 'f' else 'eq'}, %a, %c : {element}"
        lines = [f"%better = {better}"]
        if left:
            lines += [
                f"%same = {tie}",
                "%first = arith.cmpi slt, %b, %d : i32",
                "%both = arith.andi %same, %first : i1",
                "%wins = arith.ori %better, %both : i1",
            ]
        wins = "%wins" if left else "%better"
        lines += [
            f"%x = arith.select {wins}, %a, %c : {element}",
            f"%i = arith.select {wins}, %b, %d : i32",
            f"tt.reduce.return %x, %i : {element}, i32",
        ]
        shape = (*value.shape[:axis], *value.shape[axis + 1 :])

        def compute(state: Any, x: Array, numbers: Array) -> tuple[Array, Array]:
            # What is chosen beside a NaN depends on the order in which two are compared.
            state.is_ordered |= kind == "f" and bool(np.isnan(x).any())
            rows, at = np.moveaxis(x, axis, 0), np.moveaxis(numbers, axis, 0)
            best, where = rows[0], at[0]
            for row, other in zip(rows[1:], at[1:], strict=True):
                wins = best > row if most else best < row
                if left:
                    wins = wins | ((best == row) & (where < other))
                best, where = np.where(wins, best, row), np.where(wins, where, other)
            return best, where

        name = self.program.name()
        outs = [Value(f"{name}#0", element, shape), Value(f"{name}#1", "i32", shape)]
        self.program.block.lines.append(
            f'{name}:2 = "tt.reduce"({value.name}, {numbers.name}) <{{axis = {axis} : i32}}> '
            f"({{^bb0(%a: {element}, %b: i32, %c: {element}, %d: i32): {' '.join(lines)} }}) : "
            f"({value.type}, {numbers.type}) -> ({outs[0].type}, {outs[1].type})"
        )
        self.program.step("tt.reduce", outs, (value, numbers), compute)
        self.program.block.pool += outs
        return outs[1]

    #
    # Lookups
    #

    def lookup(self, value: Value, wild: Value) -> Value:
        """`tt.gather` with indices cut to the size of the axis."""
        axis = self.rng.randrange(len(value.shape))
        last = self.addresses.constant(value.shape[axis] - 1, value.shape)
        indices = self.program.emit(
            f"arith.andi {wild.name}, {last.name} : {wild.type}",
            (wild, last),
            np.bitwise_and,
            "i32",
            value.shape,
        )
        text = (
            f"tt.gather {value.name}[{indices.name}] {{axis = {axis} : i32}} : "
            f"({value.type}, {indices.type}) -> {value.type}"
        )
        return self.program.emit(
            text,
            (value, indices),
            lambda x, i: np.take_along_axis(x, i.astype(np.int64), axis),
            value.element,
            value.shape,
        )

    def histogram(self, value: Value, mask: Value | None) -> Value:
        bins = self.rng.choice((2, 8, 16))

        def compute(x: Array, mask: Array | None = None) -> Array:
            counted = x if mask is None else x[mask]
            inside = counted[(counted >= 0) & (counted < bins)]
            return np.bincount(inside, minlength=bins).astype(np.int32)

        operands = (value, mask) if mask else (value,)
        names = ", ".join(v.name for v in operands)
        text = f"tt.histogram {names} : {value.type} -> tensor<{bins}xi32>"
        return self.program.emit(text, operands, compute, "i32", (bins,))

    #
    # Joining, products
    #

    def join(self, first: Value, second: Value) -> Value:
        if len(first.shape) == 1 and self.rng.random() < 0.3:
            shape: tuple[int, ...] = (2 * first.shape[0],)
            text = f"tt.cat {first.name}, {second.name} : {first.type} -> "
            return self.program.emit(
                text + type_of(first.element, shape),
                (first, second),
                lambda a, b: np.concatenate((a, b)),
                first.element,
                shape,
            )
        shape = (*first.shape, 2)
        text = f"tt.join {first.name}, {second.name} : {first.type} -> "
        return self.program.emit(
            text + type_of(first.element, shape),
            (first, second),
            lambda a, b: np.stack((a, b), -1),
            first.element,
            shape,
        )

    def split(self, value: Value) -> Value:
        left, right = (Value(self.program.name(), value.element, value.shape[:-1]) for _ in "lr")
        self.program.block.lines.append(
            f"{left.name}, {right.name} = tt.split {value.name} : {value.type} -> {left.type}"
        )
        self.program.step(
            "tt.split", (left, right), (value,), lambda state, x: (x[..., 0], x[..., 1])
        )
        self.program.block.pool += (left, right)
        return right
