"""Products that add to a constant, for a GPU: where integer instructions read the result, ptxas
12.8 takes it for the constant that its register held before."""

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
def taken_away(a, b, out, factor, BEGIN: tl.constexpr, N: tl.constexpr):
    """Takes a product from what is there, times a factor; `b` lies turned. A float that is added
    to another product gets its sign turned over by an integer instruction."""
    rows, columns, depth = tl.arange(0, 64), tl.arange(0, N), tl.arange(0, 64)
    left = tl.load(a + rows[:, None] * 64 + depth[None, :])
    right = tl.load(b + columns[None, :] * 64 + depth[:, None])
    begin = tl.full((64, N), BEGIN, out.dtype.element_ty)
    total = tl.dot(left, right, begin, input_precision="tf32", out_dtype=out.dtype.element_ty)
    at = out + rows[:, None] * N + columns[None, :]
    tl.store(at, (tl.load(at) * factor - total).to(out.dtype.element_ty))


def lower(name: str, begin: int, columns: int) -> str:
    element, result = TYPES[name]
    factor = "i32" if result == "i32" else "fp32"
    kinds: dict[str, Any] = {"a": f"*{element}", "b": f"*{element}", "out": f"*{result}"}
    kinds["factor"] = factor
    constants = {"BEGIN": begin, "N": columns}
    kinds |= dict.fromkeys(constants, "constexpr")
    return ast_to_ttir(
        taken_away, kinds, constants, ["a", "b", "out"], target="cuda:90a", num_warps=4
    )


@pytest.mark.every(2)
@pytest.mark.parametrize("columns", [32, 512])
@pytest.mark.parametrize("begin", [0, 1])
@pytest.mark.parametrize("name", TYPES)
def test_products_are_in_the_machine_code(name: str, begin: int, columns: int):
    assert not to_cubin(lower(name, begin, columns), "90a", 4).left_out


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
    out = torch.randint(-99, 99, (64, 32), generator=generator).to(TORCH[result])
    expected = 3 * out.double() - a.double() @ b.double().T - begin
    emulate.launch(kernel, [a, b, out, 3 if name == "i8" else 3.0], (1,))
    assert torch.equal(out.double(), expected)
