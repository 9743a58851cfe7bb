"""Conditions as signed numbers, and these as floats, on a GPU: -1 where they hold."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from gpu_kernels import compile_kernel, emulated, word_of
from triton_shared import emulate


@triton.jit
def _signs(x, out, least, N: tl.constexpr):
    at = tl.arange(0, N)
    either = (tl.load(x + at) <= least) | (at >= least)
    tl.store(out + at, (-either.to(tl.int32)).to(out.dtype.element_ty))


@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_a_condition_that_holds_is_minus_one(dtype: torch.dtype, arch: int, tmp_path: Path):
    n, least = 64, 50
    types = {"x": "*i32", "out": f"*{word_of(dtype)}", "least": "i32"}
    kernel = emulated(compile_kernel(_signs, types, {"N": n}, 1, arch), tmp_path)
    x = torch.randint(0, 100, (n,), generator=torch.Generator().manual_seed(2), dtype=torch.int32)
    out = torch.full((n,), float("nan"), dtype=dtype)
    emulate.launch(kernel, [x, out, least], (1,))
    either = (x <= least) | (torch.arange(n) >= least)
    assert torch.equal(out, -either.to(dtype))
