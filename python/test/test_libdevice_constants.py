"""Functions of libdevice of numbers that the compiler knows, which it computes itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
import triton
import triton.language as tl
from test_cases_libdevice import SYMBOLS, call, computed
from values import room

CONSTANTS = tl.constexpr((0.0, 1.0, -1.0, 0.5, 2.0, math.inf, -math.inf, math.nan))
UNARY = [
    s for s, (_, types, result) in SYMBOLS.items() if (types, result) == (("float32",), "float32")
]
BINARY = ["atan2f", "copysignf", "fdimf", "fmodf", "hypotf", "powf", "remainderf"]


@triton.jit
def _of_constants(out_ptr, SYMBOL: tl.constexpr):
    for i in tl.static_range(len(CONSTANTS)):
        x = tl.full([1], CONSTANTS[i], tl.float32)
        tl.store(out_ptr + i + tl.arange(0, 1), call(SYMBOL, "fp32", (x,)))


@triton.jit
def _of_pairs(out_ptr, SYMBOL: tl.constexpr):
    for i in tl.static_range(len(CONSTANTS)):
        for j in tl.static_range(len(CONSTANTS)):
            x = tl.full([1], CONSTANTS[i], tl.float32)
            y = tl.full([1], CONSTANTS[j], tl.float32)
            at = i * len(CONSTANTS) + j + tl.arange(0, 1)
            tl.store(out_ptr + at, call(SYMBOL, "fp32", (x, y)))


def _values() -> np.ndarray:
    return np.array(CONSTANTS.value, dtype=np.float32)


def _agree(symbol: str, known: np.ndarray, at_run_time: np.ndarray) -> None:
    """But for the last bits: the compiler may round better than a polynomial."""
    np.testing.assert_allclose(
        known, at_run_time, rtol=4 * np.finfo(np.float32).eps, atol=1e-7, err_msg=symbol
    )


@pytest.mark.every(2)
@pytest.mark.parametrize("symbol", UNARY)
def test_a_function_of_a_constant_is_what_it_is_at_run_time(symbol: str):
    out, read = room(len(_values()), "float32")
    _of_constants[(1,)](out, symbol)
    _agree(symbol, read(), computed(symbol, _values()))


@pytest.mark.parametrize("symbol", BINARY)
def test_a_function_of_two_constants_is_what_it_is_at_run_time(symbol: str):
    x, count = _values(), len(_values())
    out, read = room(count**2, "float32")
    _of_pairs[(1,)](out, symbol)
    _agree(symbol, read(), computed(symbol, np.repeat(x, count), np.tile(x, count)))
