"""All bytes as floats of 16 bits, made by code for a GPU: in the emulator."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from triton_shared import emulate, stages
from triton_shared.frontend import ast_to_ttir

FROM = {"i8": torch.int8, "u8": torch.uint8}
TO = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}


@triton.jit
def widen(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at).to(out.dtype.element_ty))


@pytest.mark.every(2)
@pytest.mark.parametrize("block", [256, 64, 1])
@pytest.mark.parametrize("to", TO)
@pytest.mark.parametrize("source", FROM)
def test_every_value_is_exact(source: str, to: str, block: int, tmp_path: Path):
    kinds = {"x": f"*{source}", "out": f"*{to}"}
    aligned = ["x", "out"]
    ttir = ast_to_ttir(widen, kinds, {"BLOCK": block}, aligned, target="cuda:90a", num_warps=1)
    kernel = emulate.compile_kernel(ttir, 1, tmp_path)
    values = torch.arange(256).to(torch.uint8).view(FROM[source])
    out = torch.zeros(256, dtype=TO[to])
    emulate.launch(kernel, [values, out], (256 // block,))
    assert torch.equal(out, values.to(TO[to]))
    assert not out[0].signbit()


@pytest.mark.parametrize("target", ["cuda:80", "cuda:90a"])
@pytest.mark.parametrize("to", ["fp16", "bf16"])
def test_words_of_bytes_are_not_converted_one_by_one(to: str, target: str):
    options = {"target": target, "num_warps": 1}
    ttir = ast_to_ttir(
        widen, {"x": "*i8", "out": f"*{to}"}, {"BLOCK": 512}, ["x", "out"], **options
    )
    ptx = stages.run(ttir, "ptx", **options).decode()
    assert "prmt.b32" in ptx
    assert "cvt.rn" not in ptx
