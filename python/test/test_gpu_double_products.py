"""Products of f64 on the tensor cores of two GPUs: their PTX, run by the emulator."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from gpu_kernels import compile_kernel, emulated
from triton_shared import emulate

SIZES = ((16, 16, 16), (64, 64, 64), (32, 128, 32), (128, 32, 16), (64, 16, 128))
"""M, N and K."""
INSTRUCTIONS = {80: "m8n8k4", 90: "m16n8k16"}
"""Of two GPUs: on the newer one, matrices of 8 rows run at half of its speed."""

TYPES = {
    **dict.fromkeys("abc", "*fp64"),
    **dict.fromkeys(("turns", "am", "ak", "bk", "bn"), "i32"),
}


@triton.jit
def _multiply(a, b, c, turns, am, ak, bk, bn, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left, right = a + m[:, None] * am + k[None, :] * ak, b + k[:, None] * bk + n[None, :] * bn
    sums = tl.load(c + m[:, None] * N + n[None, :])
    for _ in range(turns):
        sums = tl.dot(tl.load(left), tl.load(right), sums, out_dtype=tl.float64)
        left += K * ak
        right += K * bk
    tl.store(c + m[:, None] * N + n[None, :], sums)


@pytest.mark.every(3)
@pytest.mark.parametrize("turned", ["", "a", "b", "ab"])
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("arch", INSTRUCTIONS)
def test_products_of_doubles(arch: int, size: tuple[int, ...], turned: str, tmp_path: Path):
    m, n, k = size
    compiled = compile_kernel(_multiply, TYPES, dict(zip("MNK", size, strict=True)), 4, arch)
    text = compiled.asm["ptx"]
    assert f"mma.sync.aligned.{INSTRUCTIONS[arch]}.row.col.f64" in text
    loaded = emulated(compiled, tmp_path)
    turns, generator = 3, torch.Generator().manual_seed(1)
    # Of so few bits that sums are exact in any order, and of more than f32 has.
    a, b, c = (
        torch.randint(-(1 << 20), 1 << 20, shape, generator=generator).double()
        for shape in ((m, turns * k), (turns * k, n), (m, n))
    )
    want = c + a @ b
    a = a.T.contiguous().T if "a" in turned else a
    b = b.T.contiguous().T if "b" in turned else b
    emulate.launch(loaded, (a, b, c, turns, *a.stride(), *b.stride()), (1,))
    assert c.equal(want)


def test_few_steps_along_k_have_an_instruction_of_their_own():
    text = compile_kernel(_multiply, TYPES, {"M": 16, "N": 16, "K": 8}, 1).asm["ptx"]
    assert "mma.sync.aligned.m16n8k8.row.col.f64" in text


@pytest.mark.parametrize("arch", INSTRUCTIONS)
def test_sums_of_doubles_are_rounded_once_for_each_product(arch: int, tmp_path: Path):
    """As an H200 does it with either instruction, and as docs/semantics.md says."""
    m, n, k = 16, 16, 32
    compiled = compile_kernel(_multiply, TYPES, {"M": m, "N": n, "K": k}, 4, arch)
    loaded = emulated(compiled, tmp_path)
    generator = torch.Generator().manual_seed(1)
    a, b, c = (
        torch.randn(shape, generator=generator, dtype=torch.float64)
        for shape in ((m, k), (k, n), (m, n))
    )
    want = c.clone()
    for step in range(k):
        for row in range(m):
            for column in range(n):
                exact = Fraction(float(a[row, step])) * Fraction(float(b[step, column]))
                want[row, column] = float(exact + Fraction(float(want[row, column])))
    emulate.launch(loaded, (a, b, c, 1, *a.stride(), *b.stride()), (1,))
    assert c.equal(want)
