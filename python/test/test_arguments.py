"""Scalars of each type, tuples and descriptors arrive in a kernel as they were given."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import triton
from kernels import (
    copy_tile,
    read_outside,
    scale,
    store_bfloat,
    store_byte,
    store_double,
    store_half,
    store_scalar,
    store_u64,
    sum_tuple,
)
from triton.tools.tensor_descriptor import TensorDescriptor


@pytest.mark.parametrize("value", [0, 1, 7, -(2**31), 2**31 - 1, 2**31, -(2**63), 2**63 - 1])
def test_integers(value: int):
    out = torch.zeros(1, dtype=torch.int64)
    store_scalar[(1,)](out, value)
    assert out.item() == value


@pytest.mark.parametrize("value", [0, 1, 2**63, 2**64 - 1])
def test_unsigned_integers(value: int):
    out = torch.zeros(1, dtype=torch.uint64)
    store_u64[(1,)](out, value)
    assert out.item() == value


@pytest.mark.parametrize("value", [True, False])
def test_booleans(value: bool):
    out = torch.full((1,), 7, dtype=torch.int32)
    store_scalar[(1,)](out, value)
    assert out.item() == int(value)


# Ties, one bit above a tie that f32 cannot hold, subnormal numbers, overflow, and no number at all.
AWKWARD = [
    0.0,
    -0.0,
    1.0,
    1 + 2**-11,
    1 + 3 * 2**-11,
    1 + 2**-11 + 2**-40,
    1 + 2**-8,
    1 + 2**-8 + 2**-40,
    65519.99,
    65520.0,
    -1e300,
    3e-8,
    2**-25,
    2**-25 * 1.0000001,
    5.9e-8,
    1e-40,
    9.2e-41,
    3.3895e38,
    3.3999e38,
    float("inf"),
    float("-inf"),
    float("nan"),
]


def rounded(value: float, dtype: torch.dtype) -> torch.Tensor:
    """`value` rounded to nearest, ties to even, in exact arithmetic."""
    info = torch.finfo(dtype)
    if math.isfinite(value) and value:
        exponent = max(math.frexp(abs(value))[1], math.frexp(info.tiny)[1])
        unit = Fraction(2) ** (exponent - 1) * Fraction(info.eps)
        nearest = round(Fraction(value) / unit) * unit
        value = math.copysign(float(nearest), value)
        if abs(nearest) > Fraction(info.max):
            value = math.copysign(math.inf, value)
    return torch.tensor([value], dtype=torch.float64).to(dtype)


@pytest.mark.parametrize("value", AWKWARD)
@pytest.mark.parametrize(
    ("kernel", "dtype"), [(store_half, torch.float16), (store_bfloat, torch.bfloat16)]
)
def test_small_floats_are_rounded_once(kernel: Any, dtype: torch.dtype, value: float):
    out = torch.zeros(1, dtype=dtype)
    kernel[(1,)](out, value)
    want = rounded(value, dtype)
    assert torch.equal(out.view(torch.int16), want.view(torch.int16)) or (
        out.isnan() and want.isnan()
    )


@pytest.mark.parametrize("value", [0.1, 1e300, -5e-324])
def test_double(value: float):
    out = torch.zeros(1, dtype=torch.float64)
    store_double[(1,)](out, value)
    assert out.item() == value


def test_single_rounds_to_nearest():
    out = torch.zeros(1, dtype=torch.float64)
    store_scalar[(1,)](out, 0.1)
    assert out.item() == float(np.float32(0.1))


def test_a_number_that_does_not_fit_is_refused():
    out = torch.zeros(1, dtype=torch.int8)
    with pytest.raises(
        OverflowError, match="argument 'value' of kernel 'store_byte': 300 does not"
    ):
        store_byte[(1,)](out, 300)


def test_tuples_nest():
    out = torch.zeros(1)
    sum_tuple[(1,)](out, (1, 2.5), (-3, (4.0, 1)))
    assert out.item() == 4.5


def test_many_arguments(tmp_path: Path):
    """More than the launcher keeps on the stack."""
    names = [f"a{i}" for i in range(80)]
    path = tmp_path / "many.py"
    path.write_text(
        "import triton\nimport triton.language as tl\n\n@triton.jit\n"
        f"def add_many(out_ptr, {', '.join(names)}):\n"
        f"    tl.store(out_ptr, {' + '.join(names)})\n"
    )
    space: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    out = torch.zeros(1)
    space["add_many"][(1,)](out, *(float(i) for i in range(len(names))))
    assert out.item() == sum(range(len(names)))


def test_none_and_addresses_are_pointers():
    x, out = torch.arange(8.0), torch.zeros(8)
    kernel = scale[(1,)](x, out, 8, 2.0, BLOCK=8)
    out.zero_()
    kernel[(1, 1, 1)](x.data_ptr(), out.data_ptr(), 8, 3.0, 8)
    assert torch.equal(out, 3 * x)
    kernel[(1, 1, 1)](None, None, 0, 3.0, 8)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.int32])
def test_descriptors(dtype: torch.dtype):
    x = torch.arange(16 * 24).reshape(16, 24).to(dtype)[:, :21]
    out = torch.zeros(16, 24, dtype=dtype)[:, :21]
    make = TensorDescriptor.from_tensor
    for row in range(0, 16, 8):
        copy_tile[(1,)](make(x, [8, 32]), make(out, [8, 32]), row, M=8, N=32)
    assert torch.equal(out, x)


@pytest.mark.parametrize("padding", ["zero", "nan"])
def test_descriptors_pad(padding: str):
    x = torch.arange(3 * 8.0).reshape(3, 8)
    out = torch.ones(4, 8)
    read_outside[(1,)](TensorDescriptor.from_tensor(x, [4, 8], padding), out, M=4, N=8)
    assert torch.equal(out[0], x[2])
    assert (out[1:].isnan() if padding == "nan" else out[1:] == 0).all()


def test_empty_grid():
    x = torch.ones(4)
    scale[(0,)](x, x, 4, 2.0, BLOCK=4)
    assert torch.equal(x, torch.ones(4))


def test_reinterpreted_tensors():
    x = torch.tensor([1.0, -2.0]).view(torch.int32)
    out = torch.zeros(2)
    scale[(1,)](triton.reinterpret(x, triton.language.float32), out, 2, 2.0, BLOCK=2)
    assert out.tolist() == [2.0, -4.0]
