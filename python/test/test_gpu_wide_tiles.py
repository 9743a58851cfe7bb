"""Tiles of which a thread holds more than it has registers: their PTX, run by the emulator."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from gpu_kernels import compile_kernel, word_of
from triton_shared import emulate
from triton_shared.emulate import ptx

DTYPES = [
    torch.float32, torch.bfloat16, torch.int8, torch.int64,
    *(pytest.param(dtype, marks=pytest.mark.nightly)
      for dtype in (torch.float64, torch.float16, torch.int16, torch.int32)),
]  # fmt: skip
ROWS, COLUMNS = 32, 256
"""Of one warp: 256 elements a thread, and as many counts."""


@triton.jit
def _wide(x, y, o, sums, turns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r, c = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    at = r * COLUMNS + c
    row = tl.load(y + c)
    a = tl.load(x + at, mask=(r + 2 * c) % 5 > 0, other=row)
    product = a * row + a
    for _ in range(turns):
        product = tl.where(product > row, product - a, product + row)
    if turns > 3:
        product = product * 2
    tl.store(o + at, product, mask=(r + c) % 3 > 0)
    tl.store(sums + tl.arange(0, COLUMNS), tl.sum((product > 0).to(tl.int32), 0))


def compile_wide(dtype: torch.dtype) -> Any:
    types = {**dict.fromkeys(("x", "y", "o"), f"*{word_of(dtype)}"), "sums": "*i32", "turns": "i32"}
    return compile_kernel(_wide, types, {"ROWS": ROWS, "COLUMNS": COLUMNS}, warps=1)


def expected(a: torch.Tensor, row: torch.Tensor, turns: int) -> torch.Tensor:
    product = a * row + a
    for _ in range(turns):
        product = torch.where(product > row, product - a, product + row)
    return product * 2 if turns > 3 else product


@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_thread_computes_with_more_than_its_registers(dtype: torch.dtype, tmp_path: Path):
    compiled = compile_wide(dtype)
    # Wider ones take LLVM time and memory that grow with the cube of the elements.
    lanes = re.findall(r"<(\d+) x \w+>", str(compiled.asm["llir"]))
    assert max(map(int, lanes), default=1) <= 16
    kernel = ptx.compile_ptx(compiled.asm["ptx"], 4096, tmp_path)
    # Small integers: sums and products of all types are exact.
    a = torch.randint(-3, 4, (ROWS, COLUMNS)).to(dtype)
    row = torch.randint(-3, 4, (COLUMNS,)).to(dtype)
    r, c = torch.arange(ROWS)[:, None], torch.arange(COLUMNS)[None, :]
    is_loaded, is_stored = (r + 2 * c) % 5 > 0, (r + c) % 3 > 0
    for turns in (0, 2, 4):
        out, sums = torch.full_like(a, 77), torch.zeros(COLUMNS, dtype=torch.int32)
        emulate.launch(kernel, (a, row, out, sums, turns), (1,))
        want = expected(torch.where(is_loaded, a, row), row, turns)
        assert out.equal(torch.where(is_stored, want, 77))
        assert sums.equal((want > 0).sum(0).int())
