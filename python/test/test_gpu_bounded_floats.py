"""Functions of numbers that cannot be large, on a GPU: the way for large ones is left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from gpu_kernels import compile_kernel, emulated
from test_gpu_cubins import assert_fine, to_cubin
from triton_shared import emulate


@triton.jit
def _cosines(x, o, N: tl.constexpr, SCALE: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(o + at, tl.cos(tl.load(x + at).to(tl.float32) * SCALE))


def _takes_the_long_way(compiled: triton.compiler.CompiledKernel) -> bool:
    """Whether some angle may be reduced by the table of 2/pi, which is kept in local memory."""
    return ".local" in compiled.asm["ptx"]


LARGEST = 105615.0
"""From this angle on a cosine takes its long way."""


@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize(
    ("of_integers", "scale", "is_long"),
    [
        (True, 2.0**-31, False),
        (True, 6.2831853 * 2.0**-31, False),
        (True, 2.0**-16, False),
        (True, 2.0**-14, True),
        (True, 1.0, True),
        (False, 2.0**-31, True),
        (False, 0.0, True),
    ],
)
def test_only_angles_that_may_be_large_have_a_long_way(
    of_integers: bool, scale: float, is_long: bool, arch: int, tmp_path: Path
):
    types = {"x": "*i32" if of_integers else "*fp32", "o": "*fp32"}
    compiled = compile_kernel(_cosines, types, {"N": 256, "SCALE": scale}, 4, arch)
    assert _takes_the_long_way(compiled) == is_long
    ends = np.int32([0, 1, -1, 2**31 - 1, -(2**31), 2**30, 105615, -105616])
    rest = np.random.default_rng(5).integers(-(2**31), 2**31, 256 - len(ends))
    numbers = np.concatenate([ends, rest.astype(np.int32)])
    x = torch.from_numpy(numbers if of_integers else numbers.astype(np.float32))
    out = torch.zeros(256)
    emulate.launch(emulated(compiled, tmp_path), (x, out), (1,))
    exact = torch.cos((x.float() * scale).double())
    assert (out.double() - exact).abs().max() < 2e-7


@triton.jit
def _normal(o, seed, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(o + at, tl.randn(seed, at))


@pytest.mark.every(2)
@pytest.mark.parametrize("arch", [80, 90])
def test_random_numbers_stay_in_registers(arch: int):
    compiled = compile_kernel(_normal, {"o": "*fp32", "seed": "i32"}, {"N": 8192}, 4, arch)
    assert not _takes_the_long_way(compiled)
    name = f"{arch}a" if arch == 90 else str(arch)
    assert_fine("randn", to_cubin(compiled.asm["ttir"], name, warps=4))
