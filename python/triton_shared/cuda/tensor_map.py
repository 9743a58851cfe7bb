"""Recipes of tensor maps: what a launch makes the copy engine's 128 bytes of.

The compiler lists them in a kernel's metadata, among the hidden parameters; the launchers of this
package and those made ahead of time encode them from a launch's arguments, the emulator makes its
own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

KIND = "tensor_map"
"""A hidden parameter that is passed by value."""
MISSING = "tensor_maps.missing"
"""A hidden i32: bit i is set if the i-th tensor map is missing. Without it, all must be there."""

MOST_OF_LAUNCH = 1 << 30
"""The largest size that an argument may say, of a map that may be missing. Boxes may begin beyond
it, and have coordinates of 32 bits."""


@dataclass(frozen=True)
class Number:
    """A constant, or the value of an argument."""

    argument: int | None
    """Its place among the C values that the kernel's author has written."""
    constant: int = 0

    def of(self, arguments: Sequence[Any]) -> int:
        """The number at a launch."""
        return self.constant if self.argument is None else int(arguments[self.argument])


@dataclass(frozen=True)
class Recipe:
    """Dimensions are in the order of the tensor: the last one is that of neighbours."""

    element: str
    base: int
    """The place of the pointer among the arguments."""
    sizes: tuple[Number, ...]
    strides: tuple[Number, ...]
    """In elements."""
    box: tuple[int, ...]
    swizzle: int
    """0, 32, 64 or 128 bytes."""
    is_nan_outside: Number
    """Whether NaN is read outside of the tensor; else zeros."""


@dataclass(frozen=True)
class Argument:
    """What a launcher knows of a C value that it passes."""

    name: str
    size: int
    """In bytes."""
    is_unsigned: bool = False

    @staticmethod
    def of_kind(name: str, kind: str, is_unsigned: bool) -> Argument:
        """By the compiler's word for its type; no map is made of others than these."""
        sizes = {"ptr": 8, "i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8}
        return Argument(name, sizes.get(kind, 0), is_unsigned)


def read(hidden: Mapping[str, Any]) -> Recipe:
    """The recipe of a hidden parameter of kind `tensor_map`."""
    facts = hidden["map"]
    return Recipe(
        str(facts["element"]),
        int(facts["base"]),
        _numbers(facts["sizes"]),
        _numbers(facts["strides"]),
        tuple(int(size) for size in facts["box"]),
        int(facts["swizzle"]),
        _number(facts["is_nan_outside"]),
    )


def _numbers(listed: Iterable[Mapping[str, int]]) -> tuple[Number, ...]:
    return tuple(map(_number, listed))


def _number(one: Mapping[str, int]) -> Number:
    return Number(one.get("argument"), one.get("constant", 0))


def as_plan(
    place: int, recipe: Recipe, arguments: Sequence[Argument], *, may_be_missing: bool
) -> tuple[Any, ...]:
    """The tuple that the native launcher reads, for the parameter at `place`.

    `may_be_missing`: a launch without it goes another way. So does one for larger sizes then.
    """

    def plan(number: Number) -> tuple[int, int, int, bool, str]:
        if number.argument is None:
            return (-1, number.constant, 0, False, "")
        known = arguments[number.argument]
        return (number.argument, 0, known.size, known.is_unsigned, known.name)

    sizes, strides = ([plan(number) for number in part] for part in (recipe.sizes, recipe.strides))
    base = plan(Number(recipe.base))
    box = list(recipe.box)
    head = (place, recipe.element, base, sizes, strides)
    return (*head, box, recipe.swizzle, plan(recipe.is_nan_outside), may_be_missing)
