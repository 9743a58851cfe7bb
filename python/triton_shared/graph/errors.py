"""How far a right result may be from the exact one: errors carried through a graph.

A value is known as `Inexact`: what it is in f64, and per element by how much a kernel may be off.
Each rule gives the error that an operation on f32 makes of those of its operands. Nothing is tuned:

    u = 2^-24            one rounding to f32
    (n + 2) 2u sum|x|    a sum of n terms in any order; tensor cores cut off, hence twice
    8u |f(x)|            a function, or a division: within 4 ulp of f32
    2^-126               results that a GPU flushes to zero

Rounding to the type of a node comes on top (`rounded`). Rules take the operands, the result in f64,
and the attributes by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..diff.formats import rounding

U = 2.0**-24
FUNCTION = 8 * U
TINY = 2.0**-126


@dataclass(frozen=True)
class Inexact:
    """A tensor of f64, and by how much each element may be off."""

    value: Any
    error: Any


Rule = Callable[..., Any]
Operands = Sequence[Inexact]


def rounded(value: Any, error: Any, dtype: Any) -> Any:
    """The error once the value is rounded to a type; infinite where it may overflow."""
    kind = rounding(dtype)
    size = value.abs() + error
    error = error + kind.unit * size + kind.smallest / 2 + TINY
    return torch.where(size > torch.finfo(dtype).max * (1 - kind.unit), torch.inf, error)


def or_infinite(error: Any) -> Any:
    """The error; infinite where it is no number, and where it is infinite already."""
    return error.nan_to_num(torch.inf, posinf=torch.inf)


def unknown(operands: Operands, value: Any, /, **_: Any) -> Any:
    """Of operations that stand for a graph: nobody asks."""
    raise NotImplementedError("a compound operation has no rule of its own: expand it first")


def _f32(error: Any, value: Any, units: float = U) -> Any:
    return error + units * (value.abs() + error) + TINY


def same(operands: Operands, value: Any, /, **_: Any) -> Any:
    """Functions that bring no two numbers farther apart."""
    return _f32(operands[0].error, value)


def add(operands: Operands, value: Any, /, **_: Any) -> Any:
    """Sums and differences."""
    return _f32(operands[0].error + operands[1].error, value)


def largest(operands: Operands, value: Any, /, **_: Any) -> Any:
    """The larger or the smaller of two."""
    return torch.maximum(operands[0].error, operands[1].error) + 0 * value


def mul(operands: Operands, value: Any, /, **_: Any) -> Any:
    """Products of elements."""
    a, b = operands
    return _f32(_of_product(a, b, torch.mul), value)


def _of_product(a: Inexact, b: Inexact, times: Callable[..., Any]) -> Any:
    return times(a.value.abs(), b.error) + times(a.error, b.value.abs() + b.error)


def square(operands: Operands, value: Any, /, **_: Any) -> Any:
    """A number times itself."""
    return mul((operands[0], operands[0]), value)


def shift(operands: Operands, value: Any, /, **attributes: float) -> Any:
    """A sum with a constant, which is rounded to f32."""
    return _f32(operands[0].error + U * abs(attributes["value"]), value)


def scale(operands: Operands, value: Any, /, **attributes: float) -> Any:
    """A product with a constant, which is rounded to f32."""
    return _f32(operands[0].error * abs(attributes["value"]), value, 2 * U)


def div(operands: Operands, value: Any, /, **_: Any) -> Any:
    """A quotient; unbounded where the divisor may be zero."""
    a, b = operands
    least = (b.value.abs() - b.error).clamp_min(0)
    return _f32((a.error + value.abs() * b.error) / least, value, FUNCTION)


def exponential(operands: Operands, value: Any, /, **_: Any) -> Any:
    """exp(x) is 2^(x log2 e): rounding that product moves the result by 2u|x| of itself."""
    x = operands[0]
    return _f32(value * torch.expm1(x.error), value) + value * 2 * U * x.value.abs() + value * 8 * U


def logarithm(operands: Operands, value: Any, /, **_: Any) -> Any:
    """A logarithm, which is relative to 1 near 1."""
    x = operands[0]
    low = (x.value - x.error).clamp_min(0)
    return _f32(value - torch.log(low), value, FUNCTION) + FUNCTION


def monotone(function: Callable[[Any], Any]) -> Rule:
    """A growing function of what is not negative, steeper to the left."""

    def rule(operands: Operands, value: Any, /, **_: Any) -> Any:
        x = operands[0]
        low = function((x.value - x.error).clamp_min(0))
        return _f32(torch.where(x.error > 0, value - low, 0.0), value, FUNCTION)

    return rule


def falling(function: Callable[[Any], Any]) -> Rule:
    """A falling function of what is positive, steeper to the left."""

    def rule(operands: Operands, value: Any, /, **_: Any) -> Any:
        x = operands[0]
        high = function((x.value - x.error).clamp_min(0))
        return _f32(torch.where(x.error > 0, high - value, 0.0), value, 2 * FUNCTION)

    return rule


def slope(steepest: float) -> Rule:
    """A function that is nowhere steeper, and between -1 and 1."""

    def rule(operands: Operands, value: Any, /, **_: Any) -> Any:
        return _f32(steepest * operands[0].error, value, FUNCTION) + FUNCTION

    return rule


def gated(steepest: float) -> Rule:
    """x times a number from 0 to 1 that a function computes."""

    def rule(operands: Operands, value: Any, /, **_: Any) -> Any:
        x = operands[0]
        own = FUNCTION * torch.minimum(x.value.abs(), 2 * value.abs() + 1)
        return _f32(steepest * x.error, value, FUNCTION) + own

    return rule


def _power(x: Inexact, y: Inexact, value: Any) -> Any:
    """x^y = e^(y log x) for positive x; elsewhere only exact operands have a bound."""
    low = (x.value - x.error).clamp_min(0)
    logs = torch.log(x.value.abs())
    error = y.value.abs() * (logs - torch.log(low)) + y.error * logs.abs()
    error = torch.where((x.error == 0) & (y.error == 0), 0.0, error)
    moved = value.abs() * torch.expm1(or_infinite(error))
    wide = FUNCTION * (1 + (y.value * logs).abs().nan_to_num(1.0, posinf=1.0))
    return or_infinite(moved) + wide * value.abs() + TINY


def power(operands: Operands, value: Any, /, **_: Any) -> Any:
    """A power of two tensors."""
    return _power(operands[0], operands[1], value)


def power_scalar(operands: Operands, value: Any, /, **attributes: float) -> Any:
    """A power with a constant exponent."""
    exponent = torch.full_like(operands[0].value, attributes["exponent"])
    return _power(operands[0], Inexact(exponent, U * exponent.abs()), value)


def total(operands: Operands, value: Any, /, *, dim: int) -> Any:
    """A sum of n terms, in any order."""
    x = operands[0]
    n = x.value.shape[dim]
    error = x.error.sum(dim, keepdim=True)
    return error + (n + 2) * 2 * U * (x.value.abs() + x.error).sum(dim, keepdim=True) + TINY


def average(operands: Operands, value: Any, /, *, dim: int) -> Any:
    """A sum, divided by the number of terms."""
    return _f32(total(operands, value, dim=dim) / operands[0].value.shape[dim], value, FUNCTION)


def over_dimension(operands: Operands, value: Any, /, *, dim: int) -> Any:
    """The largest or smallest element of a dimension."""
    return operands[0].error.amax(dim, keepdim=True)


def product(operands: Operands, value: Any, /, **_: Any) -> Any:
    """A matrix product: sums of n products, in any order."""
    a, b = operands
    n = a.value.shape[-1]
    sizes = torch.matmul(a.value.abs() + a.error, b.value.abs() + b.error)
    return _of_product(a, b, torch.matmul) + (n + 2) * 2 * U * sizes + math.sqrt(n) * TINY


def view(move: Callable[..., Any]) -> Rule:
    """Errors go where the elements go."""

    def rule(operands: Operands, value: Any, /, **attributes: Any) -> Any:
        return move(operands[0].error, **attributes)

    return rule
