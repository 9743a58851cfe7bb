"""Scalars of each type, tuples and descriptors arrive in a kernel as they were given."""

from __future__ import annotations

import math
import os
import subprocess
import sys
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
from triton_shared import TritonSharedError


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


class Stranger:
    """A class that no kernel knows."""

    def __repr__(self) -> str:
        return "a stranger"


STRANGERS = [
    (np.ones(4), "a 'numpy.ndarray' is no argument of a kernel; pass a tensor, as torch.from"),
    (np.int64(3), "a 'numpy.int64' is no argument of a kernel; pass a Python number, as its .it"),
    ([1, 2], "a 'list' is no argument of a kernel; pass a tuple"),
    ("abc", "a 'str' is no argument of a kernel; annotate the parameter with tl.constexpr"),
    (1 + 2j, "a 'complex' is no argument of a kernel; pass its real and its imaginary part"),
    (2**70, "1180591620717411303424 does not fit in 64 bits"),
    (-(2**64), "-18446744073709551616 does not fit in 64 bits"),
    ({}, "a 'dict' is no argument of a kernel; a kernel takes tensors, numbers"),
    (Stranger(), "a 'test_arguments.Stranger' is no argument of a kernel"),
    (torch.float32, "a 'torch.dtype' is no argument of a kernel"),
    (torch.ones(4, dtype=torch.complex64), "a kernel cannot take elements of type 'complex64'"),
    ((1, [2]), "a 'tuple' is no argument of a kernel"),
]


@pytest.mark.parametrize(("value", "reason"), STRANGERS, ids=[repr(v) for v, _ in STRANGERS])
def test_what_no_kernel_takes_is_named_with_its_kernel(value: Any, reason: str):
    out = torch.zeros(1)
    for is_first in (True, False):
        scale.device_caches.clear()
        if not is_first:
            scale[(1,)](torch.ones(4), out, 1, 2.0, BLOCK=4)
        with pytest.raises((TypeError, OverflowError)) as caught:
            scale[(1,)](torch.ones(4), out, value, 2.0, BLOCK=4)
        assert str(caught.value).startswith(f"argument 'n' of kernel 'scale': {reason}")
        with pytest.raises((TypeError, OverflowError), match="argument 'x_ptr' of kernel 'scale'"):
            scale[(1,)](value, out, n=1, factor=2.0, BLOCK=4)


def test_what_no_kernel_takes_is_named_under_an_autotuner():
    configs = [triton.Config({"BLOCK": block}) for block in (4, 8)]
    tuned = triton.autotune(configs, key=[])(scale)
    for _ in range(2):
        with pytest.raises(TypeError, match="argument 'factor' of kernel 'scale': a 'str' is no"):
            tuned[(1,)](torch.ones(4), torch.zeros(4), 4, "2")


def test_a_type_error_of_another_cause_stays_as_it_is():
    with pytest.raises(TypeError, match=r"missing (a|1) required"):
        scale[(1,)](torch.ones(4), torch.zeros(4), 4, BLOCK=4)


def test_the_first_launch_of_a_process_names_its_argument():
    code = (
        "import numpy, torch, kernels\n"
        "try: kernels.scale[(1,)](numpy.ones(4), torch.zeros(4), 4, 2.0, BLOCK=4)\n"
        "except TypeError as error: print(error)\n"
    )
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "TRITON_SHARED_ACTIVE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.startswith("argument 'x_ptr' of kernel 'scale': a 'numpy.ndarray'"), done


def test_a_kernel_in_gluon_is_refused_in_words():
    from triton.experimental import gluon
    from triton.experimental.gluon import language as gl

    @gluon.jit
    def copy(x, out, B: gl.constexpr):
        layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
        i = gl.arange(0, B, layout=layout)
        gl.store(out + i, gl.load(x + i))

    with pytest.raises(TritonSharedError, match="a kernel in Gluon says which thread of a GPU"):
        copy[(1,)](torch.ones(128), torch.zeros(128), 128)
