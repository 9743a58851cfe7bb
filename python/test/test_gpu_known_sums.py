"""Products that add to a constant, whose results integer instructions read, for a GPU: ptxas 12.8
takes such a result for the constant that its register held before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from test_gpu_cubins import to_cubin
from triton_shared import emulate
from triton_shared.frontend import ast_to_ttir

TYPES = {
    "f16": ("fp16", "fp32"), "f16 in f16": ("fp16", "fp16"), "bf16": ("bf16", "fp32"),
    "tf32": ("fp32", "fp32"), "fp8": ("fp8e5", "fp32"), "i8": ("i8", "i32"),
}  # fmt: skip
TORCH = {
    "fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32,
    "fp8e5": torch.float8_e5m2, "i8": torch.int8, "i32": torch.int32,
}  # fmt: skip


@triton.jit
def turned_over(a, b, out, BEGIN: tl.constexpr, N: tl.constexpr):
    """The sum with its sign, or all bits, turned over; `b` lies turned."""
    rows, columns, depth = tl.arange(0, 64), tl.arange(0, N), tl.arange(0, 64)
    left = tl.load(a + rows[:, None] * 64 + depth[None, :])
    right = tl.load(b + columns[None, :] * 64 + depth[:, None])
    begin = tl.full((64, N), BEGIN, out.dtype.element_ty)
    total = tl.dot(left, right, begin, input_precision="tf32", out_dtype=out.dtype.element_ty)
    total = ~total if out.dtype.element_ty == tl.int32 else -total
    tl.store(out + rows[:, None] * N + columns[None, :], total)


def lower(name: str, begin: int, columns: int) -> str:
    element, result = TYPES[name]
    kinds: dict[str, Any] = {"a": f"*{element}", "b": f"*{element}", "out": f"*{result}"}
    constants = {"BEGIN": begin, "N": columns}
    kinds |= dict.fromkeys(constants, "constexpr")
    return ast_to_ttir(
        turned_over, kinds, constants, ["a", "b", "out"], target="cuda:90a", num_warps=4
    )


@pytest.mark.parametrize("columns", [32, 512])
@pytest.mark.parametrize("begin", [0, 1])
@pytest.mark.parametrize("name", TYPES)
def test_products_are_in_the_machine_code(name: str, begin: int, columns: int, tmp_path: Path):
    source = tmp_path / "kernel.mlir"
    source.write_text(lower(name, begin, columns))
    assert not to_cubin(source, "90a", 4, tmp_path).left_out


@pytest.mark.parametrize("begin", [0, 1])
@pytest.mark.parametrize("name", TYPES)
def test_sums_begin_with_the_constant(name: str, begin: int, tmp_path: Path):
    element, result = TYPES[name]
    kernel = emulate.compile_kernel(lower(name, begin, 32), 4, tmp_path)
    generator = torch.Generator().manual_seed(0)
    a, b = (
        torch.randint(-3, 4, (rows, 64), generator=generator).to(TORCH[element])
        for rows in (64, 32)
    )
    out = torch.zeros(64, 32, dtype=TORCH[result])
    emulate.launch(kernel, [a, b, out], (1,))
    expected = a.double() @ b.double().T + begin
    expected = -1 - expected if name == "i8" else -expected
    assert torch.equal(out.double(), expected)
