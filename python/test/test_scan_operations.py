"""Scans by one operation, in every type, on a CPU and on a GPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from gpu_kernels import compile_kernel, emulated, word_of
from triton_shared import emulate

N = 64
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
INTEGERS = (
    torch.int8, torch.int16, torch.int32, torch.int64,
    torch.uint8, torch.uint16, torch.uint32, torch.uint64,
)  # fmt: skip
ARITHMETIC = ("add", "mul", "maximum", "minimum", "larger", "smaller")
WITH_NAN = ("maximum_of_all", "minimum_of_all")
BITS = ("and", "or", "xor")


@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def _mul(a, b):
    return a * b


@triton.jit
def _maximum(a, b):
    return tl.maximum(a, b)


@triton.jit
def _minimum(a, b):
    return tl.minimum(a, b)


@triton.jit
def _larger(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def _smaller(a, b):
    return tl.where(a < b, a, b)


@triton.jit
def _maximum_of_all(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def _minimum_of_all(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def _and(a, b):
    return a & b


@triton.jit
def _or(a, b):
    return a | b


@triton.jit
def _xor(a, b):
    return a ^ b


def _scan_by(combine: triton.JITFunction) -> triton.JITFunction:
    @triton.jit
    def scan(x_ptr, out_ptr, REVERSE: tl.constexpr, SIZE: tl.constexpr):
        at = tl.arange(0, SIZE)
        x = tl.load(x_ptr + at)
        tl.store(out_ptr + at, tl.associative_scan(x, 0, combine, reverse=REVERSE))

    return scan


SCANS = {
    "add": _scan_by(_add), "mul": _scan_by(_mul),
    "maximum": _scan_by(_maximum), "minimum": _scan_by(_minimum),
    "larger": _scan_by(_larger), "smaller": _scan_by(_smaller),
    "maximum_of_all": _scan_by(_maximum_of_all), "minimum_of_all": _scan_by(_minimum_of_all),
    "and": _scan_by(_and), "or": _scan_by(_or), "xor": _scan_by(_xor),
}  # fmt: skip
NUMPY = {
    "add": np.add, "mul": np.multiply, "maximum": np.fmax, "minimum": np.fmin,
    "larger": np.maximum, "smaller": np.minimum,
    "maximum_of_all": np.maximum, "minimum_of_all": np.minimum,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}  # fmt: skip


def _input(operation: str, dtype: torch.dtype) -> torch.Tensor:
    """Numbers whose sums and products each type has, and NaN where that matters."""
    generator = torch.Generator().manual_seed(len(operation))
    if not dtype.is_floating_point:
        return torch.randint(0, 120, (N,), generator=generator).to(dtype)
    if operation == "mul":
        return torch.tensor([0.5, 2.0, 1.0, -1.0] * (N // 4)).to(dtype)
    x = torch.randint(-3, 4, (N,), generator=generator).to(dtype)
    if operation in WITH_NAN:
        x[N // 2] = float("nan")
    return x


def _expected(operation: str, x: torch.Tensor, reverse: bool) -> torch.Tensor:
    exact = x.double().numpy() if x.dtype.is_floating_point else x.numpy()
    exact = exact[::-1] if reverse else exact
    running = NUMPY[operation].accumulate(exact, dtype=exact.dtype)
    return torch.from_numpy(running[::-1].copy() if reverse else running).to(x.dtype)


def _cases() -> list[tuple[str, torch.dtype]]:
    cases = [(name, dtype) for dtype in (*FLOATS, *INTEGERS) for name in ARITHMETIC]
    cases += [(name, dtype) for dtype in FLOATS for name in WITH_NAN]
    cases += [(name, dtype) for dtype in INTEGERS for name in BITS]
    # Triton takes extrema of bf16 in f32, and refuses that in a region.
    refused = {*WITH_NAN, "maximum", "minimum"}
    return [one for one in cases if one[1] != torch.bfloat16 or one[0] not in refused]


@pytest.mark.every(2)
@pytest.mark.parametrize("reverse", [False, pytest.param(True, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(("operation", "dtype"), _cases())
def test_every_operation_scans_every_type(operation: str, dtype: torch.dtype, reverse: bool):
    x = _input(operation, dtype)
    expected = _expected(operation, x, reverse)
    for mode in ("reference", "fast"):
        out = torch.zeros_like(x)
        SCANS[operation][(1,)](x, out, reverse, N, mode=mode)
        assert torch.equal(out.isnan(), expected.isnan())
        assert torch.equal(out[~out.isnan()], expected[~out.isnan()])


@pytest.mark.every(3)
@pytest.mark.parametrize(("operation", "dtype"), _cases())
def test_every_operation_scans_every_type_on_a_gpu(
    operation: str, dtype: torch.dtype, tmp_path: Path
):
    x = _input(operation, dtype)
    expected = _expected(operation, x, reverse=False)
    pointer = f"*{word_of(dtype)}"
    types = {"x_ptr": pointer, "out_ptr": pointer}
    compiled = compile_kernel(SCANS[operation], types, {"REVERSE": False, "SIZE": N}, 4)
    out = torch.zeros_like(x)
    emulate.launch(emulated(compiled, tmp_path), (x, out), (1,))
    assert torch.equal(out.isnan(), expected.isnan())
    assert torch.equal(out[~out.isnan()], expected[~out.isnan()])
