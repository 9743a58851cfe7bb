"""libdevice's functions by the names that users write: all of them, with every type they have.

They are called by the dozen, since what they compute is tested, and recorded for GPUs,
symbol by symbol in test_cases_libdevice.py and test_cases_libdevice_functions.py.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

import numpy as np
import pytest
import triton
import triton.language as tl
from test_cases_libdevice import SYMBOLS
from triton.language import core
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as table
from values import given, numpy_dtype, room

MOST = 12
"""Functions of one kernel: code for a GPU has each of them inlined."""
SIZE = 64
"""Operands of each function."""


@dataclass(frozen=True)
class Group:
    """Functions that take and give the same types."""

    arguments: tuple[str, ...]
    result: str
    symbols: tuple[str, ...]

    def __str__(self) -> str:
        return f"{'-'.join(self.arguments)}-to-{self.result}-{self.symbols[0]}"

    @property
    def names(self) -> tuple[str, ...]:
        """What users call them."""
        return tuple(SYMBOLS[symbol][0] for symbol in self.symbols)


def _groups() -> list[Group]:
    found: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for symbol, (_, arguments, result) in SYMBOLS.items():
        found.setdefault((arguments, result), []).append(symbol)
    return [
        Group(arguments, result, tuple(symbols[i : i + MOST]))
        for (arguments, result), symbols in found.items()
        for i in range(0, len(symbols), MOST)
    ]


GROUPS = _groups()


@triton.jit
def call_all(inputs, out_ptr, NAMES: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    for i in tl.static_range(len(NAMES)):
        x = tl.load(inputs[0] + at)
        if len(inputs) == 1:
            y = getattr(libdevice, NAMES[i])(x)
        elif len(inputs) == 2:
            y = getattr(libdevice, NAMES[i])(x, tl.load(inputs[1] + at))
        elif len(inputs) == 3:
            y = getattr(libdevice, NAMES[i])(
                x,
                tl.load(inputs[1] + at),
                tl.load(inputs[2] + at),
            )
        else:
            y = getattr(libdevice, NAMES[i])(
                x,
                tl.load(inputs[1] + at),
                tl.load(inputs[2] + at),
                tl.load(inputs[3] + at),
            )
        tl.store(out_ptr + i * N + at, y)


def operands(name: str, seed: int) -> np.ndarray:
    """Numbers that are far from every function's poles and limits."""
    rng = np.random.default_rng(seed)
    dtype = numpy_dtype(name)
    if dtype.kind == "f":
        return rng.uniform(0.125, 0.875, SIZE).astype(dtype)
    return rng.integers(1, 6, SIZE).astype(dtype)


def test_every_name_of_libdevice_is_called():
    public = {n for n in dir(table) if hasattr(getattr(table, n), core.TRITON_BUILTIN)}
    called = set(itertools.chain.from_iterable(group.names for group in GROUPS))
    assert called == public
    assert len(public) > 190


@pytest.mark.every(2)
@pytest.mark.parametrize("group", GROUPS, ids=str)
def test_names_are_their_symbols(group: Group):
    inputs = [operands(name, seed) for seed, name in enumerate(group.arguments)]
    arguments = tuple(given(x, name) for x, name in zip(inputs, group.arguments, strict=True))
    out, read = room(len(group.names) * SIZE, group.result)
    kernel = call_all[(1,)](arguments, out, NAMES=group.names, N=SIZE)
    called = re.findall(r'symbol = "__nv_(\w+)"', kernel.asm["ttir"])
    assert sorted(called) == sorted(group.symbols)
    for symbol, row in zip(group.symbols, read().reshape(-1, SIZE), strict=True):
        # Only from 1 on has a number an inverse of cosh.
        assert np.isnan(row).all() == symbol.startswith("acosh")
