"""All floats of 8 bits, widened by code for a GPU: in the emulator."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from triton_shared import emulate
from triton_shared.frontend import ast_to_ttir

FROM = {"fp8e4nv": torch.float8_e4m3fn, "fp8e5": torch.float8_e5m2}
TO = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "fp64": torch.float64}


@triton.jit
def widen(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at).to(out.dtype.element_ty))


@pytest.mark.parametrize("block", [256, 1])
@pytest.mark.parametrize("to", TO)
@pytest.mark.parametrize("source", FROM)
def test_every_value_is_exact(source: str, to: str, block: int, tmp_path: Path):
    kinds = {"x": f"*{source}", "out": f"*{to}", "BLOCK": "constexpr"}
    ttir = ast_to_ttir(widen, kinds, {"BLOCK": block}, target="cuda:90a", num_warps=1)
    kernel = emulate.compile_kernel(ttir, 1, tmp_path)
    values = torch.arange(256).to(torch.uint8).view(FROM[source])
    out = torch.zeros(256, dtype=TO[to])
    emulate.launch(kernel, [values, out], (256 // block,))
    # NaN has one sign bit or the other.
    torch.testing.assert_close(out, values.to(TO[to]), rtol=0, atol=0, equal_nan=True)
    assert torch.equal(out.signbit()[~out.isnan()], values.float().signbit()[~out.isnan()])
