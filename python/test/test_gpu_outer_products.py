"""Products without tensor cores on the GPU leg: their PTX, run by the emulator."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from gpu_kernels import compile_kernel, emulated, word_of
from triton_shared import emulate

SIZES = (
    (16, 16, 16), (64, 64, 64), (32, 128, 16), (128, 64, 32), (16, 16, 256), (128, 128, 16)
)  # fmt: skip
"""M, N and K: one turn and several; of the last, a thread has 128 elements."""


@triton.jit
def _product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a + m[:, None] * K + k[None, :])
    right = tl.load(b + k[:, None] * N + n[None, :])
    product = tl.dot(left, right, input_precision="ieee", out_dtype=c.dtype.element_ty)
    tl.store(c + m[:, None] * N + n[None, :], product)


@triton.jit
def _batch(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    z, m, n, k = tl.arange(0, 2), tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    z = z[:, None, None]
    left = tl.load(a + z * M * K + m[None, :, None] * K + k[None, None, :])
    right = tl.load(b + z * K * N + k[None, :, None] * N + n[None, None, :])
    product = tl.dot(left, right, input_precision="ieee", out_dtype=c.dtype.element_ty)
    tl.store(c + z * M * N + m[None, :, None] * N + n[None, None, :], product)


@triton.jit
def _turned(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a + k[None, :] * M + m[:, None])
    right = tl.load(b + n[None, :] * K + k[:, None])
    product = tl.dot(left, right, input_precision="ieee", out_dtype=c.dtype.element_ty)
    tl.store(c + m[:, None] * N + n[None, :], product)


@triton.jit
def _loop(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK)
    sums = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BLOCK):
        left = tl.load(a + m[:, None] * K + (start + k)[None, :])
        right = tl.load(b + (start + k)[:, None] * N + n[None, :])
        sums = tl.dot(left, right, sums, input_precision="ieee")
    tl.store(c + m[:, None] * N + n[None, :], sums)


@triton.jit
def _turned_loop(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK)
    sums = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BLOCK):
        left = tl.load(a + (start + k)[:, None] * M + m[None, :])
        right = tl.load(b + n[:, None] * K + (start + k)[None, :])
        sums = tl.dot(tl.trans(left), tl.trans(right), sums, input_precision="ieee")
    tl.store(c + m[:, None] * N + n[None, :], sums)


@triton.jit
def _taken_twice(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK)
    sums = tl.zeros((M, N), tl.float32)
    rows = tl.zeros((M,), tl.float32)
    for start in range(0, K, BLOCK):
        left = tl.load(a + m[:, None] * K + (start + k)[None, :])
        right = tl.load(b + (start + k)[:, None] * N + n[None, :])
        sums = tl.dot(left, right, sums, input_precision="ieee")
        rows += tl.sum(left, 1)
    tl.store(c + m[:, None] * N + n[None, :], sums + rows[:, None])


@triton.jit
def _lasting(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK)
    left = tl.load(a + m[:, None] * BLOCK + k[None, :])
    sums = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BLOCK):
        right = tl.load(b + (start + k)[:, None] * N + n[None, :])
        scores = tl.dot(left, right, input_precision="ieee")
        sums += tl.dot(tl.trans(left), scores, input_precision="ieee")
    tl.store(c + m[:, None] * N + n[None, :], sums)


@triton.jit
def _batch_loop(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr):
    z, m, n, k = tl.arange(0, 2), tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK)
    z = z[:, None, None]
    sums = tl.zeros((2, M, N), tl.float32)
    for start in range(0, K, BLOCK):
        left = tl.load(a + z * M * K + m[None, :, None] * K + (start + k)[None, None, :])
        right = tl.load(b + z * K * N + (start + k)[None, :, None] * N + n[None, None, :])
        sums = tl.dot(left, right, sums, input_precision="ieee")
    tl.store(c + z * M * N + m[None, :, None] * N + n[None, None, :], sums)


def multiply(
    kernel: triton.JITFunction, dtype: torch.dtype, warps: int, size: tuple[int, ...], folder: Path
) -> tuple[torch.Tensor, torch.Tensor, str]:
    """What the kernel gives for small whole numbers, what torch gives, and the PTX."""
    m, n, k = size
    batch = (2,) if kernel is _batch else ()
    types = dict.fromkeys("abc", f"*{word_of(dtype)}")
    compiled = compile_kernel(kernel, types, dict(zip("MNK", size, strict=True)), warps)
    text = compiled.asm["ptx"]
    loaded = emulated(compiled, folder)
    generator = torch.Generator().manual_seed(1)
    a = torch.randint(-4, 5, (*batch, m, k), generator=generator).to(dtype)
    b = torch.randint(-4, 5, (*batch, k, n), generator=generator).to(dtype)
    c = torch.zeros((*batch, m, n), dtype=dtype)
    stored = [x.mT.contiguous() if kernel is _turned else x for x in (a, b)]
    emulate.launch(loaded, (*stored, c), (1,))
    return c, a @ b, text


@pytest.mark.every(2)
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_sums_go_along_k_in_several_steps(
    dtype: torch.dtype, size: tuple[int, ...], tmp_path: Path
):
    got, want, _ = multiply(_product, dtype, 4, size, tmp_path)
    assert got.equal(want)


@pytest.mark.parametrize("warps", [1, 4])
def test_each_product_of_a_batch_has_its_rows(warps: int, tmp_path: Path):
    got, want, _ = multiply(_batch, torch.float32, warps, (16, 32, 16), tmp_path)
    assert got.equal(want)


def test_neighbours_of_a_row_are_read_at_once(tmp_path: Path):
    """One element of each row at a time took twice as long as Triton's code."""
    _, _, text = multiply(_product, torch.float32, 4, (64, 64, 64), tmp_path)
    assert "ld.shared.b32" not in text
    # Of 64 steps, 32 in a turn, so that it can read for the next ones while it multiplies.
    assert text.count("fma.rn.f32") == 32 * 64 * 64 // 128


@pytest.mark.every(2)
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_operands_lie_in_memory_the_other_way_round(
    dtype: torch.dtype, size: tuple[int, ...], tmp_path: Path
):
    got, want, _ = multiply(_turned, dtype, 4, size, tmp_path)
    assert got.equal(want)


@pytest.mark.every(3)
@pytest.mark.parametrize("stages", [1, 2, 4])
@pytest.mark.parametrize(
    "size", [(16, 16, 16), (64, 32, 32), (32, 128, 16), (128, 128, 16)], ids=str
)
@pytest.mark.parametrize("kernel", [_loop, _turned_loop, _taken_twice], ids=lambda k: k.__name__)
def test_operands_are_read_where_they_were_copied(
    kernel: triton.JITFunction, size: tuple[int, ...], stages: int, tmp_path: Path
):
    """They were read into registers and written to shared memory once more, which took longer than
    the products of small blocks."""
    m, n, block = size
    types = {"a": "*fp32", "b": "*fp32", "c": "*fp32", "K": "i32"}
    constants = {"M": m, "N": n, "BLOCK": block}
    compiled = compile_kernel(kernel, types, constants, 4, stages=stages, divisible=True)
    product = next(line for line in compiled.asm["cta"].splitlines() if "cta.dot" in line)
    assert product.count("!cta.buffer") == (2 if stages > 1 else 0)
    loaded = emulated(compiled, tmp_path)
    for turns in (0, 1, 2, 5):
        depth = turns * block
        generator = torch.Generator().manual_seed(turns)
        a = torch.randint(-4, 5, (m, depth), generator=generator).float()
        b = torch.randint(-4, 5, (depth, n), generator=generator).float()
        c = torch.zeros((m, n))
        stored = [x.mT.contiguous() if kernel is _turned_loop else x for x in (a, b)]
        emulate.launch(loaded, (*stored, c, depth), (1,))
        extra = a.sum(1, keepdim=True) if kernel is _taken_twice else 0
        assert c.equal(a @ b + extra)


@pytest.mark.every(2)
@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("size", [(16, 16), (32, 64), (64, 32)], ids=str)
def test_what_a_loop_does_not_change_is_written_once(
    size: tuple[int, int], stages: int, tmp_path: Path
):
    """Each turn wrote it to shared memory anew, and two products of one tile twice."""
    m, n = size
    types = {"a": "*fp32", "b": "*fp32", "c": "*fp32", "K": "i32"}
    constants = {"M": m, "N": n, "BLOCK": m}
    compiled = compile_kernel(_lasting, types, constants, 4, stages=stages, divisible=True)
    text = compiled.asm["cta"]
    assert text.count("cta.write") == 1
    assert text.index("cta.write") < text.index("scf.for")
    loaded = emulated(compiled, tmp_path)
    for turns in (0, 1, 2, 5):
        generator = torch.Generator().manual_seed(turns)
        a = torch.randint(-4, 5, (m, m), generator=generator).float()
        b = torch.randint(-4, 5, (turns, m, n), generator=generator).float()
        c = torch.zeros((m, n))
        emulate.launch(loaded, (a, b, c, turns * m), (1,))
        assert c.equal((a.mT @ (a @ b)).sum(0))


@pytest.mark.every(2)
@pytest.mark.parametrize("warps", [1, 2, 8, 16])
@pytest.mark.parametrize("kernel", [_loop, _batch_loop], ids=lambda k: k.__name__)
@pytest.mark.parametrize("size", [(16, 16), (32, 64)], ids=str)
def test_any_number_of_warps_shares_a_product(
    size: tuple[int, int], kernel: triton.JITFunction, warps: int, tmp_path: Path
):
    """Also more threads than the result has elements."""
    m, n = size
    types = {"a": "*fp32", "b": "*fp32", "c": "*fp32", "K": "i32"}
    constants = {"M": m, "N": n, "BLOCK": 16}
    compiled = compile_kernel(kernel, types, constants, warps, divisible=True)
    generator = torch.Generator().manual_seed(warps)
    batch = (2,) if kernel is _batch_loop else ()
    a = torch.randint(-4, 5, (*batch, m, 48), generator=generator).float()
    b = torch.randint(-4, 5, (*batch, 48, n), generator=generator).float()
    c = torch.zeros((*batch, m, n))
    emulate.launch(emulated(compiled, tmp_path), (a, b, c, 48), (1,))
    assert c.equal(a @ b)
