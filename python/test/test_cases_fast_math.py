"""Functions of f32 in fast mode, against f64: errors in units in the last place, special values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from kernels import apply


@triton.jit
def apply_scalar(x_ptr, out_ptr, N: tl.constexpr):
    for i in range(N):
        tl.store(out_ptr + i, tl.exp(tl.load(x_ptr + i)))


def exact_erf(x: np.ndarray) -> np.ndarray:
    return torch.erf(torch.from_numpy(x)).numpy()


# Name, the function in f64, the bound in units in the last place.
FUNCTIONS: list[tuple[str, Callable[[np.ndarray], np.ndarray], float]] = [
    ("exp", np.exp, 1.0),
    ("exp2", np.exp2, 1.0),
    ("log", np.log, 1.0),
    ("log2", np.log2, 1.5),
    ("erf", exact_erf, 1.5),
    ("tanh", np.tanh, 1.5),
]

SPECIAL_TEXT = """
0 -0 inf -inf nan 1 -1 2 3e38 -3e38 1e-45 -1e-45 1.1754942e-38 88.72283 88.72284 -87.33655
-103.97208 -103.97209 127.99999 128 -126 -149 -150 0.625 0.925 4 10
"""
SPECIAL = np.array(SPECIAL_TEXT.split(), np.float32)


def numbers() -> np.ndarray:
    """Special values, every exponent with both signs, and where the functions do something."""
    bits = np.arange(0, 2**32, 65521, dtype=np.uint64).astype(np.uint32)
    around = [np.linspace(a, b, 20001) for a, b in ((-110, 90), (-151, 129), (0.5, 2), (-5, 5))]
    x = np.concatenate([SPECIAL, bits.view(np.float32), *around]).astype(np.float32)
    return np.resize(x, 1 << 18)


def run(name: str, x: np.ndarray, mode: str) -> np.ndarray:
    out = torch.empty(len(x))
    apply[(1,)](torch.from_numpy(x), out, name, len(x), mode=mode)
    return out.numpy()


@pytest.mark.parametrize(("name", "exact", "bound"), FUNCTIONS)
def test_error_in_units_in_the_last_place(name: str, exact: Callable, bound: float):
    x = numbers()
    with np.errstate(all="ignore"):
        expected = exact(x.astype(np.float64))
        rounded = expected.astype(np.float32)
        result = run(name, x, "fast")
        np.testing.assert_array_equal(np.isnan(result), np.isnan(rounded))
        np.testing.assert_array_equal(np.isinf(result), np.isinf(rounded))
        finite = np.isfinite(rounded)
        unit = np.maximum(np.spacing(np.abs(rounded[finite])), np.float32(2.0**-149))
        errors = np.abs(result[finite] - expected[finite]) / unit
    worst = int(np.argmax(errors))
    assert errors[worst] <= bound, f"{name}({x[finite][worst]!r}): {errors[worst]:.2f} ulp"


@pytest.mark.parametrize("name", [name for name, _, _ in FUNCTIONS])
def test_special_values_are_those_of_the_c_library(name: str):
    x = np.resize(np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1.0], np.float32), 16)
    fast, reference = run(name, x, "fast"), run(name, x, "reference")
    np.testing.assert_array_equal(np.isnan(fast), np.isnan(reference))
    same = ~np.isnan(fast) & (np.abs(x) != 1)
    np.testing.assert_array_equal(fast[same], reference[same])
    np.testing.assert_array_equal(np.signbit(fast[same]), np.signbit(reference[same]))


def test_a_scalar_and_an_element_of_a_block_agree():
    x = np.linspace(-105, 90, 64).astype(np.float32)
    out = torch.empty(64)
    apply_scalar[(1,)](torch.from_numpy(x), out, 64, mode="fast")
    np.testing.assert_array_equal(out.numpy(), run("exp", x, "fast"))
