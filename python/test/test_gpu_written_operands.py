"""Operands that threads write to shared memory in each turn, for products that go on meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from gpu_kernels import compile_kernel, emulated, word_of
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


@pytest.mark.every(2)
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


@triton.jit
def _turned_sums(x, out, turns, N: tl.constexpr, WHAT: tl.constexpr):
    at = tl.arange(0, N)
    left = tl.load(x + at[:, None] * N + at[None, :])
    right = tl.load(x + at[:, None] * N + at[None, :])
    total = tl.zeros((N, N), tl.float32)
    for _ in range(turns):
        total = tl.dot(left, right, total, input_precision="ieee")
        left += 1
    if WHAT == "tile":
        tl.store(out + at[:, None] * N + at[None, :], total)
    elif WHAT == "turned":
        tl.store(out + at[:, None] * N + at[None, :], tl.trans(total))
    else:
        tl.store(out + at, tl.flip(tl.max(total, 1), 0))


@pytest.mark.every(2)
@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize("warps", [2, 4])
@pytest.mark.parametrize("what", ["tile", "turned", "flipped"])
def test_what_follows_a_loop_waits_for_the_reads_of_its_last_product(
    what: str, warps: int, arch: int, tmp_path: Path
):
    n, turns = 64, 3
    types = {"x": "*fp32", "out": "*fp32", "turns": "i32"}
    compiled = compile_kernel(_turned_sums, types, {"N": n, "WHAT": what}, warps, arch)
    kernel = emulated(compiled, tmp_path)
    generator = torch.Generator().manual_seed(0)
    x = torch.randint(-3, 4, (n, n), generator=generator).float()
    total = (turns * x + turns * (turns - 1) / 2) @ x
    expected = {"tile": total, "turned": total.T, "flipped": total.max(1).values.flip(0)}[what]
    for seed in range(3):
        out = torch.zeros(expected.shape)
        emulate.launch(kernel, [x, out, turns], (1,), seed)
        assert torch.equal(out, expected)
