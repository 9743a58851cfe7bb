"""Operands that threads write to shared memory in each turn, for products that go on meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from gpu_kernels import emulated, word_of
from triton.backends.compiler import GPUTarget
from triton_shared import emulate

ROW, DEPTH = 256, 72
E4M3, E5M2 = torch.float8_e4m3fn, torch.float8_e5m2


@triton.jit
def _products(
    a, b, out, K,
    ROW: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    DESCENDING: tl.constexpr, TWICE: tl.constexpr,
):  # fmt: skip
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    first = tl.zeros((BM, BN), tl.float32)
    second = tl.zeros((BM, BN), tl.float32)
    turns = tl.cdiv(K, BK)
    for turn in range(turns):
        k = (turns - 1 - turn if DESCENDING else turn) * BK + depth
        x = tl.load(a + rows[:, None] * ROW + k[None, :], mask=k[None, :] < K, other=0.0)
        y = tl.load(b + columns[None, :] * ROW + k[:, None], mask=k[:, None] < K, other=0.0)
        first = tl.dot(x, y, first)
        if TWICE:
            second = tl.dot(x, y, second)
    tl.store(out + rows[:, None] * BN + columns[None, :], first + second)


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    ("dtype", "blocks"),
    [
        (torch.float16, (64, 32, 16)), (torch.float16, (128, 64, 64)),
        (torch.bfloat16, (64, 64, 32)), (E4M3, (64, 32, 16)),
        (E4M3, (64, 32, 32)), (E5M2, (64, 64, 16)),
    ],
    ids=str,
)  # fmt: skip
def test_no_thread_overwrites_what_a_product_of_others_reads(
    dtype: torch.dtype, blocks: tuple[int, int, int], descending: bool, twice: bool, tmp_path: Path
):
    bm, bn, bk = blocks
    constants = {"ROW": ROW, "BM": bm, "BN": bn, "BK": bk}
    constants |= {"DESCENDING": descending, "TWICE": twice}
    pointer = f"*{word_of(dtype)}"
    types = {"a": pointer, "b": pointer, "out": "*fp32", "K": "i32"}
    source = triton.compiler.ASTSource(
        _products,
        types | dict.fromkeys(constants, "constexpr"),
        constexprs=constants,
        attrs={(place,): [["tt.divisibility", 16]] for place in range(3)},
    )
    compiled = triton.compile(source, target=GPUTarget("shared_cuda", 90, 32))
    kernel = emulated(compiled, tmp_path)
    generator = torch.Generator().manual_seed(0)
    a, b = (torch.randn(ROW, ROW, generator=generator).to(dtype) for _ in range(2))
    expected = a[:bm, :DEPTH].float() @ b[:bn, :DEPTH].float().T * (2 if twice else 1)
    for seed in range(3):
        out = torch.full((bm, bn), float("nan"))
        emulate.launch(kernel, [a, b, out, DEPTH], (1,), seed)
        torch.testing.assert_close(out, expected, rtol=1e-2, atol=1e-2)
