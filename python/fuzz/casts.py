"""Casts of a random program: between widths, kinds and formats, and bits taken as they are.

Floats are clamped before they become integers, and NaNs replaced before their bits are looked at:
what such a cast gives is open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from . import numerics
from .numerics import FLOATS, INTEGERS, TYPES, Array
from .program import Value, type_of
from .small_floats import SMALL, decoded, encoded

if TYPE_CHECKING:
    from .generator import Generator


class Casts:
    """Writes them into the program of a generator."""

    def __init__(self, g: Generator) -> None:
        self.g = g

    def cast(self) -> Value:
        value = self.g.anything()
        if value.element in SMALL:
            return self.widened(value)
        if value.element in INTEGERS:
            return self._cast_integer(value)
        if self.g.rng.random() < 0.12 and value.element != "f64":
            return self._narrowed(value)
        match self.g.rng.randrange(3):
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
        return self.g.program.emit(text, (value,), compute, target, value.shape)

    def _cast_integer(self, value: Value) -> Value:
        target = self.g.rng.choice((*INTEGERS, *FLOATS))
        source = value.element
        signed = self.g.rng.random() < 0.5
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

    def widened(self, value: Value) -> Value:
        """An 8-bit float in a wider format, which holds all its values."""
        target = self.g.rng.choice(("f16", "bf16", "f32"))
        return self._fp_to_fp(
            value, "", target, lambda x: decoded(x, value.element).astype(TYPES[target])
        )

    def _narrowed(self, value: Value) -> Value:
        target, rounding = self.g.rng.choice(SMALL), self.g.rng.choice(("rtne", "rtz"))
        return self._fp_to_fp(
            value, rounding, target, lambda x: encoded(x, target, rounding == "rtz")
        )

    def _fp_to_fp(
        self, value: Value, rounding: str, target: str, compute: Callable[[Array], Array]
    ) -> Value:
        suffix = f", rounding = {rounding}" if rounding else ""
        text = f"tt.fp_to_fp {value.name}{suffix} : {value.type} -> "
        text += type_of(target, value.shape)
        return self.g.program.emit(text, (value,), compute, target, value.shape)

    def _cast_float(self, value: Value) -> Value:
        source = value.element
        wider = [t for t in FLOATS if numerics.width(t) > numerics.width(source)]
        narrower = [t for t in FLOATS if numerics.width(t) < numerics.width(source)]
        target = self.g.rng.choice(wider + narrower)
        rounding = self.g.rng.choice(("", "", "rtne", "rtz")) if target in narrower else ""
        convert = numerics.toward_zero if rounding == "rtz" else numerics.convert_float
        if rounding or self.g.rng.random() < 0.2:
            rounding = (rounding or "rtne") if target in narrower else ""
            return self._fp_to_fp(value, rounding, target, lambda x: convert(x, source, target))
        op = "arith.extf" if target in wider else "arith.truncf"
        return self._convert(op, value, target, lambda x: convert(x, source, target))

    def _to_integer(self, value: Value) -> Value:
        target = self.g.rng.choice(("i8", "i16", "i32", "i64"))
        signed = self.g.rng.random() < 0.5
        low = self.g.constant(value.element, value.shape, -100 if signed else 0)
        high = self.g.constant(value.element, value.shape, 120)
        maximum, minimum = (numerics.FLOAT_EXTREMA[f"arith.{n}numf"] for n in ("max", "min"))
        value = self.g._same("arith.maxnumf", maximum, value, low)
        value = self.g._same("arith.minnumf", minimum, value, high)
        # Of two zeros, either may have won.
        del self.g.program.block.pool[-2:]
        op = "arith.fptosi" if signed else "arith.fptoui"
        return self._convert(op, value, target, lambda x: np.trunc(x).astype(TYPES[target]))

    def _float_bits(self, value: Value) -> Value:
        """The bits of a float, of zero for a NaN; or the float that an integer's bits are."""
        zero = self.g.constant(value.element, value.shape, 0)
        nan = self.g.program.emit(
            f"arith.cmpf uno, {value.name}, {value.name} : {value.type}",
            (value,),
            np.isnan,
            "i1",
            value.shape,
        )
        kinds = f"{nan.type}, {value.type}" if value.shape else value.type
        number = self.g.program.emit(
            f"arith.select {nan.name}, {zero.name}, {value.name} : {kinds}",
            (nan, zero, value),
            np.where,
            value.element,
            value.shape,
        )
        source, target = value.element, f"i{numerics.width(value.element)}"
        return self.g.program.emit(
            f"tt.bitcast {number.name} : {value.type} -> {type_of(target, value.shape)}",
            (number,),
            lambda x: numerics.to_memory(np.asarray(x), source).view(TYPES[target]),
            target,
            value.shape,
        )
