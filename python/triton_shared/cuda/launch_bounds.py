"""How far a launch comes: what a kernel that takes its tensor maps for granted asks of it besides.

The compiler lists bounds in a kernel's metadata, each as the steps of a machine with a stack:
`["argument", place]`, `["grid", axis]` and `["constant", number]` push a number; `["add", 0]`,
`["multiply", 0]` and `["divide", 0]` take two and push one. A launch in which one of them is not
below 2^30, or in which one of their arguments is negative, takes the other form of the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .tensor_map import Argument


def as_plan(
    bounds: Iterable[Iterable[tuple[str, int]]], arguments: Sequence[Argument]
) -> list[list[tuple[Any, ...]]]:
    """What the native launcher reads: arguments with their size in bytes and whether unsigned."""

    def plan(word: str, number: int) -> tuple[Any, ...]:
        if word != "argument":
            return word, number
        known = arguments[number]
        return word, number, known.size, known.is_unsigned

    return [[plan(word, number) for word, number in steps] for steps in bounds]
