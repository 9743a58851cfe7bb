"""Products of small floats on a GPU: tensor cores take them exactly, and there is room for them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton_shared import emulate


def text_of(fn: Any, signature: dict[str, str], **constants: Any) -> str:
    """The kernel as TTIR, for pointers and sizes that are multiples of 16."""
    types = {**signature, **dict.fromkeys(constants, "constexpr")}
    hints = {(i,): [["tt.divisibility", 16]] for i in range(len(signature))}
    source = triton.compiler.ASTSource(fn, types, constexprs=constants, attrs=hints)
    return str(triton.compile(source, target=GPUTarget("cpu", "cpu", 32)).asm["ttir"])


@triton.jit
def _scaled(
    a,
    b,
    scale_a,
    scale_b,
    o,
    FORMAT: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    g = tl.arange(0, K // 32)
    left = tl.load(a + m[:, None] * K + k[None, :])
    right = tl.load(b + k[:, None] * N + n[None, :])
    scales = tl.load(scale_a + m[:, None] * (K // 32) + g[None, :])
    if scale_b is None:
        product = tl.dot_scaled(left, scales, "e4m3", right, None, FORMAT)
    else:
        others = tl.load(scale_b + n[:, None] * (K // 32) + g[None, :])
        product = tl.dot_scaled(left, scales, "e4m3", right, others, FORMAT)
    tl.store(o + m[:, None] * N + n[None, :], product)


FORMATS = {
    "e4m3": ("*u8", torch.float8_e4m3fn, "bf16"),
    "e5m2": ("*u8", torch.float8_e5m2, "bf16"),
    "bf16": ("*bf16", torch.bfloat16, "bf16"),
    "fp16": ("*fp16", torch.float16, "tf32"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_scaled_products_are_sums_of_exact_products(name: str, tmp_path: Path):
    kind, dtype, taken = FORMATS[name]
    m, n, k = 32, 16, 64
    signature = {"a": "*u8", "b": kind, "scale_a": "*u8"}
    constants: dict[str, Any] = {"FORMAT": name, "M": m, "N": n, "K": k}
    if kind == "*u8":
        signature["scale_b"] = "*u8"
    else:
        constants["scale_b"] = None
    signature["o"] = "*fp32"
    kernel = emulate.compile_kernel(text_of(_scaled, signature, **constants), 4, tmp_path)
    assert f"multiplicandAPtxType = #nvvm.mma_type<{taken}>" in kernel.llvm

    rng = torch.Generator().manual_seed(1)
    a = torch.randn(m, k, generator=rng).to(torch.float8_e4m3fn)
    b = torch.randn(k, n, generator=rng).to(dtype)
    # Far from one: an f16 would not hold the scaled numbers.
    scale_a = torch.randint(90, 165, (m, k // 32), dtype=torch.uint8, generator=rng)
    scale_b = torch.randint(90, 165, (n, k // 32), dtype=torch.uint8, generator=rng)
    left = a.double() * torch.exp2(scale_a.double() - 127).repeat_interleave(32, 1)
    right = b.double()
    passed: list[Any] = [a.view(torch.uint8), b.view(torch.uint8), scale_a, scale_b]
    if kind == "*u8":
        right = right * torch.exp2(scale_b.double() - 127).repeat_interleave(32, 1).T
    else:
        passed = [a.view(torch.uint8), b, scale_a]
    for order in (0, 1, 2):
        out = torch.zeros(m, n)
        emulate.launch(kernel, [*passed, out], (1,), order)
        error = (out.double() - left @ right).abs()
        assert (error <= (k + 4) * 2.0**-24 * (left.abs() @ right.abs())).all()


@triton.jit
def _matmul(a, b, c, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    product = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        left = tl.load(a + m[:, None] * sa + start + k[None, :])
        right = tl.load(b + (start + k)[:, None] * sb + n[None, :])
        product = tl.dot(left, right, product)
    tl.store(c + m[:, None] * sc + n[None, :], product.to(tl.float16))


@triton.jit
def _mixed(a, b, c, sa, sb, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [N, K // 2], [K // 2, 1], [BN, BK // 2])
    m, n, g = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK // 32)
    product = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x, y = left.load([0, k]), right.load([0, k // 2])
        s = tl.load(sa + m[:, None] * (K // 32) + k // 32 + g[None, :])
        t = tl.load(sb + n[:, None] * (K // 32) + k // 32 + g[None, :])
        product = tl.dot_scaled(x, s, "e4m3", y.T, t, "e2m1", product)
    tl.store(c + m[:, None] * N + n[None, :], product.to(tl.float16))


POINTERS = dict.fromkeys("ab", "*fp8e4nv") | {"c": "*fp16"}
MATMUL = POINTERS | dict.fromkeys(("K", "sa", "sb", "sc"), "i32")
MIXED = {"a": "*fp8e4nv", "b": "*u8", "c": "*fp16", "sa": "*u8", "sb": "*u8"}
MIXED |= dict.fromkeys("MNK", "i32")
LIMIT = 227 * 1024


@pytest.mark.parametrize(
    ("fn", "signature", "depth", "stages"),
    [(_matmul, MATMUL, 128, 3), (_matmul, MATMUL, 128, 5), (_mixed, MIXED, 256, 3)],
    ids=["fp8", "fp8 with many stages", "mxfp8 x mxfp4"],
)
def test_large_tiles_find_room(
    fn: Any, signature: dict[str, str], depth: int, stages: int, tmp_path: Path
):
    text = text_of(fn, signature, BM=128, BN=256, BK=depth)
    llvm = emulate.lower(text, 8, tmp_path, stages)
    shared = re.search(r"cta\.shared = (\d+)", llvm)
    assert shared
    assert int(shared[1]) <= LIMIT


def test_stages_stay_where_there_is_room(tmp_path: Path):
    text = text_of(_matmul, MATMUL, BM=64, BN=64, BK=64)
    llvm = emulate.lower(text, 4, tmp_path, 4)
    # Four slots of both operands, and the right one once more, turned.
    assert f"cta.shared = {4 * 2 * 64 * 64 + 64 * 64}" in llvm
