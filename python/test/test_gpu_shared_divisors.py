"""Rows divided by one number on a GPU: the reciprocal of the number is computed once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from gpu_kernels import compile_kernel, emulated
from triton_shared import emulate

TYPES = {"x": "*fp32", "by": "*fp32", "out": "*fp32"}


@triton.jit
def _divide(x, by, out, N: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, N)
    tl.store(out + row * N + at, tl.load(x + row * N + at) / tl.load(by + row))


def _numbers() -> torch.Tensor:
    """Ends and middles of all that f32 has."""
    ends = np.float32([0, 1, 3, np.inf, np.nan, 1e-45, 1e-40, 1.1754942e-38, 1.1754944e-38])
    large = np.float32([8.507059e37, 8.5070597e37, 1.7e38, 3.4028235e38, 1e-30, 7e20, 0.1])
    values = np.concatenate([ends, large])
    return torch.from_numpy(np.concatenate([values, -values]))


@pytest.mark.parametrize("arch", [80, 90])
def test_quotients_by_one_number_are_right_over_all_of_f32(arch: int, tmp_path: Path):
    by, count = _numbers(), 512
    generator = torch.Generator().manual_seed(3)
    random = torch.randn(count - len(by), generator=generator)
    scales = torch.randint(-140, 128, random.shape, generator=generator)
    x = torch.cat([by, torch.ldexp(random, scales)]).repeat(len(by), 1)
    compiled = compile_kernel(_divide, TYPES, {"N": count}, 4, arch)
    assert "div.full" not in compiled.asm["ptx"]
    assert compiled.asm["ptx"].count("rcp") == 1
    out = torch.empty_like(x)
    emulate.launch(emulated(compiled, tmp_path), (x, by, out), (len(by),))

    exact = x.double() / by.double()[:, None]
    expected = exact.float()
    assert torch.equal(out.isnan(), expected.isnan())
    # Two units in the last place, which at the large end may be the step to infinity.
    unit = torch.maximum(exact.abs() * 2.0**-23, torch.tensor(2.0**-149, dtype=torch.float64))
    near = (out.double() - exact).abs() <= 2 * unit
    is_large = exact.abs() * (1 + 2.0**-22) >= torch.finfo(torch.float32).max
    same = out == expected
    assert (near | same | is_large | out.isnan()).all()
