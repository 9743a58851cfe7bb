"""Conditions as signed numbers, and these as floats, on a GPU: -1 where they hold."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from triton_shared import emulate, library
from triton_shared.emulate import ptx
from triton_shared.frontend import Target, parse_options

TEXT = """
tt.func public @signs(%p: !tt.ptr<i32>, %q: !tt.ptr<FLOAT>) {
  %at = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %sources = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %from = tt.addptr %sources, %at : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %x = tt.load %from : tensor<64x!tt.ptr<i32>>
  %odd = arith.trunci %x : tensor<64xi32> to tensor<64xi1>
  %y = arith.CONVERT %odd : tensor<64xi1> to tensor<64xFLOAT>
  %results = tt.splat %q : !tt.ptr<FLOAT> -> tensor<64x!tt.ptr<FLOAT>>
  %to = tt.addptr %results, %at : tensor<64x!tt.ptr<FLOAT>>, tensor<64xi32>
  tt.store %to, %y : tensor<64x!tt.ptr<FLOAT>>
  tt.return
}
"""
FLOATS = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
}  # fmt: skip


@pytest.mark.parametrize("arch", ["80", "90a"])
@pytest.mark.parametrize(("conversion", "one"), [("sitofp", -1), ("uitofp", 1)])
@pytest.mark.parametrize("kind", FLOATS)
def test_a_condition_that_holds_is_minus_one_if_it_is_signed(
    kind: str, conversion: str, one: int, arch: str, tmp_path: Path
):
    text = TEXT.replace("FLOAT", kind).replace("CONVERT", conversion)
    words = parse_options(Target.parse(f"cuda:{arch}"), {"num_warps": 1}).words()
    made = library.compile_text(text, f"{words} to-phase=ptx")
    assert made.succeeded, made.diagnostics
    kernel = ptx.compile_ptx(made.artefact("ptx").decode(), 0, tmp_path)
    x = torch.randint(0, 100, (64,), generator=torch.Generator().manual_seed(2), dtype=torch.int32)
    out = torch.full((64,), float("nan"), dtype=FLOATS[kind])
    emulate.launch(kernel, [x, out], (1,))
    assert torch.equal(out, (one * (x & 1)).to(FLOATS[kind]))
