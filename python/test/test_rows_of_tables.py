"""Rows that one index chooses, and rows that end within a block, on both legs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
import triton_shared
from gpu_kernels import compile_kernel, emulated
from triton_shared import emulate

COLUMNS = 301
"""Of a row: no multiple of anything, in blocks of 512."""


@triton.jit
def _rows(table, indices, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(indices + row // BLOCK)
    tl.device_assert((index >= 0) & (index < 7), "no such row")
    at = tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(table + index * columns + at, inside)
    tl.store(out + tl.program_id(0) * columns + at, values * 2, inside)


def run(target: str, warps: int, place: Path, *arguments: Any) -> None:
    """Five programs of the kernel, on the CPU or in the emulator of a GPU's code."""
    if target == "cpu":
        with triton_shared.device("cpu"):
            _rows[(5,)](*arguments, BLOCK=512, num_warps=warps)
        return
    types = {"table": "*fp32", "indices": "*i64", "out": "*fp32", "columns": "i32"}
    compiled = compile_kernel(_rows, types, {"BLOCK": 512}, warps)
    emulate.launch(emulated(compiled, place), arguments, (5,))


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("target", ["cpu", "emulated"])
def test_a_row_that_one_index_chooses_is_that_row(target: str, warps: int, tmp_path: Path):
    table = torch.randn(7, COLUMNS)
    indices = torch.tensor([6, 0, 3, 3, 5])
    out = torch.full((6, COLUMNS), -1.0)
    run(target, warps, tmp_path, table, indices, out, COLUMNS)
    assert torch.equal(out[:5], table[indices] * 2)
    assert (out[5] == -1).all()  # No store goes beyond its row.
