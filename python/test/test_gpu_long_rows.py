"""Rows of which a thread holds more elements than it has registers: code for a GPU takes them one
after the other, and does what it did."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from test_gpu_cubins import Facts
from triton.backends.compiler import GPUTarget
from triton_shared import emulate
from triton_shared.cuda import tools
from triton_shared.emulate import ptx

SIZE, WARPS, REGISTERS = 4096, 4, 48
"""32 elements of a thread; two rows of them are more than its registers."""


@triton.jit
def divergence(x, y, out, n, N: tl.constexpr):
    """Two sums and a maximum over the same elements, turn after turn; the last row is cut."""
    at = tl.arange(0, N)
    total, most, squares = 0.0, float("-inf"), 0.0
    for start in range(0, n, N):
        mask = start + at < n
        a = tl.load(x + start + at, mask=mask, other=0.0).to(tl.float32)
        b = tl.load(y + start + at, mask=mask, other=0.0).to(tl.float32)
        total += tl.sum(b * (tl.log(tl.maximum(b, 1e-10)) - a), 0)
        most = tl.maximum(most, tl.max(a, 0))
        squares += tl.sum(a * a, 0)
    tl.store(out, total)
    tl.store(out + 1, most)
    tl.store(out + 2, squares)


@triton.jit
def exchanged(x, y, out, n, N: tl.constexpr):
    """What is loaded behind a store is loaded behind it: out is added up after it was written."""
    at = tl.arange(0, N)
    a, b = tl.load(x + at), tl.load(y + at)
    tl.store(x + at, b)
    tl.store(y + at, a)
    tl.debug_barrier()
    tl.store(out, tl.sum(tl.load(x + at) * tl.exp2(tl.load(y + at)), 0))


def compile_row(fn: Any, element: str, registers: int | None = REGISTERS, size: int = SIZE) -> Any:
    kinds = {"x": f"*{element}", "y": f"*{element}", "out": "*fp32", "n": "i32", "N": "constexpr"}
    hints: Any = {(i,): [["tt.divisibility", 16]] for i in range(4)}
    source = triton.compiler.ASTSource(fn, kinds, constexprs={"N": size}, attrs=hints)
    options = {"num_warps": WARPS, "maxnreg": registers}
    return triton.compile(source, target=GPUTarget("shared_cuda", 90, 32), options=options)


def launch(compiled: Any, folder: Path, *arguments: Any) -> None:
    emulate.launch(ptx.compile_ptx(compiled.asm["ptx"], 4096, folder), arguments, (1,))


def make(element: str, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[element]
    return torch.randn(size).to(dtype), torch.rand(size).to(dtype)


@pytest.mark.parametrize("element", ["fp32", "bf16"])
@pytest.mark.parametrize("size", [SIZE, 2 * SIZE + 1008])
def test_sums_over_one_row_go_on_together(element: str, size: int, tmp_path: Path):
    x, y = make(element, size)
    out = torch.zeros(3)
    launch(compile_row(divergence, element), tmp_path, x, y, out, size)
    a, b = x.double(), y.double()
    total = (b * (b.clamp_min(1e-10).log() - a)).sum()
    torch.testing.assert_close(out.double(), torch.stack([total, a.max(), (a * a).sum()]))


def test_loads_stay_behind_stores(tmp_path: Path):
    x, y = make("fp32", SIZE)
    expected = (y.double() * x.double().exp2()).sum()
    before, out = (x.clone(), y.clone()), torch.zeros(1)
    launch(compile_row(exchanged, "fp32"), tmp_path, x, y, out, SIZE)
    assert torch.equal(x, before[1])
    assert torch.equal(y, before[0])
    torch.testing.assert_close(out[0].double(), expected)


def is_streamed(compiled: Any) -> bool:
    """Whether something is computed of a row before all of it is loaded."""
    lines = compiled.asm["ptx"].splitlines()
    loads = [i for i, line in enumerate(lines) if "ld.global.v4" in line]
    return any(re.match(r"\s+fma\.rn\.f32", line) for line in lines[loads[0] : loads[-1]])


@pytest.mark.parametrize("element", ["fp32", "bf16"])
def test_elements_are_loaded_when_they_are_needed(element: str, tmp_path: Path):
    """Else all of them are there at once, and some of them in memory."""
    compiled = compile_row(divergence, element)
    assert is_streamed(compiled)
    code = tmp_path / "kernel.ptx"
    code.write_text(compiled.asm["ptx"])
    command = [tools.find_ptxas(), "-v", "-arch=sm_90a", code, "-o", tmp_path / "kernel.cubin"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert Facts.read(done.stderr).stack == 0


def test_where_registers_suffice_all_loads_come_first():
    assert not is_streamed(compile_row(divergence, "fp32", registers=None, size=SIZE // 4))


def test_half_of_the_warps_have_room():
    """A row that only fits into all registers of a thread leaves none for other warps: it is taken
    one element after the other, and ptxas is told how many registers that may take."""
    compiled = compile_row(divergence, "fp32", registers=None)
    assert is_streamed(compiled)
    assert ".maxnreg 64" in compiled.asm["ptx"]
