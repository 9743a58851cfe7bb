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
from triton_shared import emulate, stages


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


@triton.jit
def _decoded(a, scales, ones, o, FORMAT: tl.constexpr, PER_BYTE: tl.constexpr):
    """Rows are scaled by a scale each, and multiplied by the matrix of ones on the diagonal."""
    m = tl.program_id(0) * 64 + tl.arange(0, 64)
    n, k, bytes_ = tl.arange(0, 32), tl.arange(0, 32), tl.arange(0, 32 // PER_BYTE)
    left = tl.load(a + bytes_[None, :] + m[:, None] * (32 // PER_BYTE))
    right = tl.load(ones + k[:, None] * 32 + n[None, :])
    scale = tl.load(scales + m[:, None] + tl.arange(0, 1)[None, :])
    product = tl.dot_scaled(left, scale, FORMAT, right, None, "bf16")
    tl.store(o + m[:, None] * 32 + n[None, :], product)


MAGNITUDES = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])


def test_every_float_of_four_bits_is_exact_under_every_scale(tmp_path: Path):
    kinds = {"a": "*u8", "scales": "*u8", "ones": "*bf16", "o": "*fp32"}
    text = text_of(_decoded, kinds, FORMAT="e2m1", PER_BYTE=2)
    kernel = emulate.compile_kernel(text, 4, tmp_path)
    assert "nvvm.prmt" in kernel.llvm
    codes = torch.arange(32) % 16
    values = torch.where(codes < 8, MAGNITUDES[codes % 8], -MAGNITUDES[codes % 8])
    packed = (codes[0::2] | codes[1::2] << 4).to(torch.uint8).expand(256, 16).contiguous()
    scales = torch.arange(256, dtype=torch.uint8)
    out = torch.zeros(256, 32)
    emulate.launch(kernel, [packed, scales, torch.eye(32, dtype=torch.bfloat16), out], (4,))
    factor = torch.where(scales == 255, torch.nan, torch.exp2(scales.double() - 127))
    scaled = (values.double() * factor[:, None]).bfloat16()
    # What is too large makes NaN of the zeros beside it.
    expected = scaled.double() @ torch.eye(32, dtype=torch.float64)
    torch.testing.assert_close(out.double(), expected, rtol=0, atol=0, equal_nan=True)
    finite = expected.isfinite() & (expected != 0)
    assert finite.sum() > 6000


@pytest.mark.parametrize("target", ["cuda:80", "cuda:90a"])
def test_floats_of_four_bits_are_looked_up(target: str):
    kinds = {"a": "*u8", "scales": "*u8", "ones": "*bf16", "o": "*fp32"}
    text = text_of(_decoded, kinds, FORMAT="e2m1", PER_BYTE=2)
    ptx = stages.run(text, "ptx", target=target, num_warps=4).decode()
    assert ptx.count("prmt.b32") >= 8
    assert "bf16x2" in ptx
