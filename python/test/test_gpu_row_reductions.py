"""Reductions of rows by lanes that share the rows out: their PTX, run by the emulator."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from gpu_kernels import compile_kernel, emulated, word_of
from triton_shared import emulate

DTYPES = (
    torch.float32, torch.float16, torch.bfloat16, torch.float64,
    torch.int8, torch.int16, torch.int32, torch.int64,
)  # fmt: skip
SHAPES = ((64, 64, 4), (16, 128, 1), (32, 32, 2), (8, 512, 4), (4, 32, 1))
"""Rows, columns and warps: of one warp and of several to a row, few and many rows to a lane."""


@triton.jit
def _reduce(x, bias, sums, most, at, rest, columns, M, ROWS: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, ROWS), tl.arange(0, N)
    v = tl.load(x + r[:, None] * N + c[None, :])
    # Stored, with what is loaded for it: every lane has a part.
    tl.store(sums + r, tl.sum(v, 1) + tl.load(bias + r, mask=r < M, other=1), mask=r < M)
    # Everyone wants it back.
    largest = tl.max(v, 1)
    tl.store(most + r, largest)
    tl.store(rest + r[:, None] * N + c[None, :], v - largest[:, None])
    tl.store(at + r, tl.argmax(v, 1))
    tl.store(columns + c, tl.min(v, 0))


@triton.jit
def _add_up(x, total, turns, M, ROWS: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, ROWS), tl.arange(0, N)
    row = tl.zeros((ROWS,), total.dtype.element_ty)
    for turn in range(turns):
        row += tl.sum(tl.load(x + (turn * ROWS + r[:, None]) * N + c[None, :]), 1).to(row.dtype)
    tl.atomic_add(total + r, row, mask=r < M)


def small_numbers(*shape: int, dtype: torch.dtype) -> torch.Tensor:
    """Sums of all types are exact."""
    return torch.randint(-2, 3, shape, generator=torch.Generator().manual_seed(1)).to(dtype)


@pytest.mark.every(2)
@pytest.mark.parametrize(("rows", "n", "warps"), SHAPES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_each_row_has_what_it_is_reduced_to(
    dtype: torch.dtype, rows: int, n: int, warps: int, tmp_path: Path
):
    element = f"*{word_of(dtype)}"
    wide = torch.int32 if not dtype.is_floating_point and dtype.itemsize < 4 else dtype
    types = {**dict.fromkeys(("x", "bias"), element), "sums": f"*{word_of(wide)}", "most": element,
             "at": "*i32", "rest": element, "columns": element, "M": "i32"}  # fmt: skip
    compile_kernel(_reduce, types, {"ROWS": rows, "N": n}, warps, 80)
    compiled = compile_kernel(_reduce, types, {"ROWS": rows, "N": n}, warps)
    kernel = emulated(compiled, tmp_path)
    x, bias, m = small_numbers(rows, n, dtype=dtype), small_numbers(rows, dtype=dtype), rows - 1
    sums, most = torch.full((rows,), 77, dtype=wide), torch.zeros(rows, dtype=dtype)
    at, rest = torch.zeros(rows, dtype=torch.int32), torch.zeros_like(x)
    columns = torch.zeros(n, dtype=dtype)
    emulate.launch(kernel, (x, bias, sums, most, at, rest, columns, m), (1,))
    largest = x.amax(1)
    first = (x == largest[:, None]).int().argmax(1)
    want = x.sum(1, dtype=wide) + bias.to(wide)
    assert sums[:m].equal(want[:m])
    assert sums[m:].eq(77).all()
    assert most.equal(largest)
    assert at.equal(first.int())
    assert rest.equal(x - largest[:, None])
    assert columns.equal(x.amin(0))


@pytest.mark.every(2)
@pytest.mark.parametrize(("rows", "n", "warps"), SHAPES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.float16], ids=str)
def test_sums_of_turns_are_added_to_memory_in_parts(
    dtype: torch.dtype, rows: int, n: int, warps: int, tmp_path: Path
):
    types = {**dict.fromkeys(("x", "total"), f"*{word_of(dtype)}"), "turns": "i32", "M": "i32"}
    compiled = compile_kernel(_add_up, types, {"ROWS": rows, "N": n}, warps)
    kernel = emulated(compiled, tmp_path)
    for turns in (0, 1, 3):
        x = small_numbers(max(turns, 1), rows, n, dtype=dtype)
        total = small_numbers(rows, dtype=dtype)
        want = total + (x.sum((0, 2)).to(dtype) if turns else 0)
        want[rows - 1] = total[rows - 1]
        emulate.launch(kernel, (x, total, turns, rows - 1), (1,))
        assert total.equal(want)


def test_lanes_store_many_rows_at_once():
    """A store for each row, by one lane, was three times slower than Triton's code."""
    types = {**dict.fromkeys(("x", "total"), "*fp32"), "turns": "i32", "M": "i32"}
    text = compile_kernel(_add_up, types, {"ROWS": 64, "N": 64}, 4).asm["ptx"]
    assert text.count("red.relaxed") == 1
    # Of 32 rows to a lane: 16, 8, 4, 2 and 1.
    assert text.count("shfl.sync.bfly") == 31


@triton.jit
def _reduce_rows_and_all(x, most, all_most, total, ROWS: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, ROWS), tl.arange(0, N)
    v = tl.load(x + r[:, None] * N + c[None, :])
    rows = tl.max(v, 1)
    tl.store(most + r, rows)
    tl.store(all_most, tl.max(rows, 0))
    tl.store(total, tl.sum(tl.sum(v, 1), 0))


@pytest.mark.every(2)
@pytest.mark.parametrize(("rows", "n", "warps"), SHAPES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_parts_of_rows_are_reduced_further(
    dtype: torch.dtype, rows: int, n: int, warps: int, tmp_path: Path
):
    wide = torch.int32 if not dtype.is_floating_point and dtype.itemsize < 4 else dtype
    types = {**dict.fromkeys(("x", "most", "all_most"), f"*{word_of(dtype)}"),
             "total": f"*{word_of(wide)}"}  # fmt: skip
    compiled = compile_kernel(_reduce_rows_and_all, types, {"ROWS": rows, "N": n}, warps)
    kernel = emulated(compiled, tmp_path)
    x = small_numbers(rows, n, dtype=dtype)
    most, all_most, total = x.new_zeros(rows), x.new_zeros(1), torch.zeros(1, dtype=wide)
    emulate.launch(kernel, (x, most, all_most, total), (1,))
    assert most.equal(x.amax(1))
    assert all_most.equal(x.amax().view(1))
    assert total.equal(x.sum(dtype=wide).view(1))


def test_rows_that_are_reduced_further_are_stored_at_once():
    types = dict.fromkeys(("x", "most", "all_most", "total"), "*fp32")
    text = compile_kernel(_reduce_rows_and_all, types, {"ROWS": 64, "N": 64}, 4).asm["ptx"]
    # The rows, and two numbers.
    assert text.count("st.global") == 3
