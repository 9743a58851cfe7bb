"""Fast code for other CPUs than this machine: those it can stand for run, others are refused."""

from __future__ import annotations

import platform
import re
from pathlib import Path

import cpu_facts
import pytest
import torch
import triton
import triton.language as tl
from triton_shared import CompilationError, DamagedObjectError, aot, library

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="names x86-64 CPUs")
OLDER = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v3,-fma"]
"""SSE2, SSE4, AVX2, and AVX2 without fused operations: every CPU with AVX2 runs them."""


def runs_here(cpu: str) -> bool:
    """Whether this machine has what x86-64-v3 has."""
    return cpu_facts.has("avx2") or "v3" not in cpu


@triton.jit
def softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    live = at < columns
    row = tl.program_id(0) * columns
    x = tl.load(x_ptr + row + at, mask=live, other=-float("inf"))
    power = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row + at, power / tl.sum(power, axis=0), mask=live)


@triton.jit
def product(a_ptr, b_ptr, c_ptr, K, N: tl.constexpr):
    i, k = tl.arange(0, N), tl.arange(0, N)
    total = tl.zeros((N, N), dtype=c_ptr.dtype.element_ty)
    for start in range(0, K, N):
        a = tl.load(a_ptr + i[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * N + i[None, :])
        total = tl.dot(a, b, total, out_dtype=c_ptr.dtype.element_ty)
    tl.store(c_ptr + i[:, None] * N + i[None, :], total)


@pytest.mark.parametrize("cpu", OLDER)
def test_rows_on_an_older_cpu(cpu: str):
    if not runs_here(cpu):
        pytest.skip("this machine has no AVX2")
    x = torch.randn(3, 300)
    out = torch.empty_like(x)
    compiled = softmax[(3,)](x, out, 300, BLOCK=512, mode="fast", cpu=cpu)
    assert f'"target-cpu"="{cpu.split(",")[0]}"' in compiled.asm["llir"]
    torch.testing.assert_close(out, x.softmax(1), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int8])
@pytest.mark.parametrize("cpu", OLDER)
def test_products_on_an_older_cpu(cpu: str, dtype: torch.dtype):
    if not runs_here(cpu):
        pytest.skip("this machine has no AVX2")
    a, b = (torch.randint(-8, 9, shape).to(dtype) for shape in ((32, 96), (96, 32)))
    c = torch.empty(32, 32, dtype=torch.int32 if dtype == torch.int8 else torch.float32)
    product[(1,)](a, b, c, 96, 32, mode="fast", cpu=cpu)
    assert torch.equal(c, (a.double() @ b.double()).to(c.dtype))


@triton.jit
def sum_rows(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(rows):
        total += tl.load(x_ptr + row * columns + at)
    tl.store(out_ptr + at, total)


@pytest.mark.parametrize(("cpu", "block"), [("x86-64-v2", 32), ("x86-64-v3", 64)])
def test_a_running_block_stays_in_registers(cpu: str, block: int):
    if not runs_here(cpu):
        pytest.skip("this machine has no AVX2")
    x = torch.randn(50, block)
    out = torch.empty(block)
    compiled = sum_rows[(1,)](x, out, 50, block, block, mode="fast", cpu=cpu)
    torch.testing.assert_close(out, x.sum(0), rtol=1e-5, atol=1e-5)
    stores = re.findall(r"\tv?mov\w+\s+%[xy]mm\d+, .*(\(.*)", compiled.asm["s"])
    on_the_stack = stores.count("(%rsp)")
    assert len(stores) - on_the_stack == 8, "the result, of eight vectors, is written once"
    assert on_the_stack == compiled.asm["s"].count("callq") == 0


def test_reference_mode_computes_the_same_for_every_cpu():
    x = torch.randn(2, 64)
    results = []
    for cpu in ("host", "x86-64"):
        out = torch.empty_like(x)
        softmax[(2,)](x, out, 64, BLOCK=64, mode="reference", cpu=cpu)
        results.append(out)
    assert torch.equal(*results)


def test_a_shipped_kernel_is_for_the_cpu_that_was_named(tmp_path: Path):
    kernel = aot.compile_kernel(
        Path(__file__), "softmax", "*fp32, *fp32, i32, 64", "4, 1, 1", options={"cpu": "x86-64-v2"}
    )
    (llir,) = aot.write(kernel, tmp_path / "softmax", ["llir"])
    assert '"target-cpu"="x86-64-v2"' in llir.read_text()


def test_a_cpu_that_nobody_knows():
    x = torch.ones(1, 16)
    with pytest.raises(CompilationError, match="unknown target 'pdp11'; use host"):
        softmax[(1,)](x, x, 16, BLOCK=16, cpu="pdp11")


def test_code_for_a_cpu_that_this_one_cannot_stand_for_is_not_run():
    x = torch.ones(1, 16)
    with pytest.raises(DamagedObjectError, match="not made by this library for this machine"):
        softmax[(1,)](x, x, 16, BLOCK=16, cpu="host,+amx-avx512")


def test_no_object_is_made_for_another_kind_of_cpu():
    text = (
        "func.func @f(%x: memref<*xf32>, %a: i32, %b: i32, %c: i32, %d: i32, %e: i32, %f: i32)"
        " attributes {tts.kernel} { return }"
    )
    refused = library.compile_text(text, "mode=fast target=cpu:neoverse-n1")
    assert not refused.succeeded
    assert "no object file can be made here for the CPU 'neoverse-n1'" in refused.diagnostics
