"""Reductions on a GPU across many warps, run by the emulator, of blocks that bounds cut."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from corpus_runs import Run, zeros
from test_cases_reduce import extremes_or_nan
from test_gpu_emulated import check


@triton.jit
def _sums(x, o, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    v = tl.load(x + rows[:, None] * COLUMNS + columns[None, :])
    tl.store(o + rows, tl.sum(v, 1))
    tl.store(o + ROWS + columns, tl.max(v, 0))


@pytest.mark.parametrize("warps", [8, 16])
@pytest.mark.parametrize(("rows", "columns"), [(1, 2048), (8, 256), (256, 8)])
def test_parts_of_many_warps_meet_in_one(rows: int, columns: int, warps: int, tmp_path: Path):
    const = {"ROWS": rows, "COLUMNS": columns}
    case = {"fn": _sums, "sig": {"x": "*i32", "o": "*i32"}, "const": const, "opts": {}}
    check(case, Run(), tmp_path, warps=warps)


@triton.jit
def _signs(x, o, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """What is left of -0.0 by sums of rows, of columns, and of all."""
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    v = tl.load(x + rows[:, None] * COLUMNS + columns[None, :]) * -1.0
    tl.store(o + rows, tl.sum(v, 1).to(tl.int32, bitcast=True))
    tl.store(o + ROWS + columns, tl.sum(v, 0).to(tl.int32, bitcast=True))
    tl.store(o + ROWS + COLUMNS, tl.sum(v).to(tl.int32, bitcast=True))


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (4, 2), (1, 256), (64, 16)])
def test_a_sum_of_negative_zeros_is_one(rows: int, columns: int, warps: int, tmp_path: Path):
    """As on the CPU; also where several threads hold one element."""
    const = {"ROWS": rows, "COLUMNS": columns}
    case = {"fn": _signs, "sig": {"x": "*fp32", "o": "*i32"}, "const": const, "opts": {}}
    check(case, Run(fills={"x": zeros}), tmp_path, warps=warps)


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("kind", ["fp16", "bf16", "fp32", "fp64"])
def test_extremes_are_nan_if_anything_is(kind: str, warps: int, tmp_path: Path):
    def some_nans(rng: torch.Generator, n: int) -> torch.Tensor:
        values = torch.randn(n, generator=rng, dtype=torch.float64)
        values[[3, 200, 300]] = torch.tensor([float("nan"), float("inf"), -float("inf")]).double()
        return values

    case = {
        "fn": extremes_or_nan,
        "sig": {"x_ptr": f"*{kind}", "out_ptr": f"*{kind}"},
        "const": {"ROWS": 8, "COLUMNS": 128},
        "opts": {},
    }
    check(case, Run(fills={"x_ptr": some_nans}), tmp_path, warps=warps)


@triton.jit
def _online(x, o, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = 0
    # The bound is computed anew in each turn; in the last one, it is below zero.
    for start in range(0, SIZE + 2 * BLOCK, BLOCK):
        total += tl.sum(tl.load(x + start + at, mask=start + at < SIZE, other=1))
    tl.store(o, total)


@pytest.mark.parametrize("warps", [1, 8])
@pytest.mark.parametrize("size", [5, 1024, 3000])
def test_blocks_end_where_a_computed_bound_is(size: int, warps: int, tmp_path: Path):
    const = {"SIZE": size, "BLOCK": 1024}
    case = {"fn": _online, "sig": {"x": "*i32", "o": "*i32"}, "const": const, "opts": {}}
    check(case, Run(), tmp_path, warps=warps)


@triton.jit
def _beyond(o, n, start, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    sums = tl.where(start + at < n, at, 0) + tl.where(n <= start + at, 7, 0)
    sums += tl.where((start + at).to(tl.int64) >= n - 16, 1000, 0)
    tl.store(o + at, sums)


# Where sixteen divides what is compared, neighbours share a comparison.
@pytest.mark.every(2)
@pytest.mark.parametrize("start", [0, 16, 5, -32])
@pytest.mark.parametrize("n", [0, 1, 48, 100, 496, 512, 1024, -16])
def test_neighbours_of_a_bound_are_told_apart(n: int, start: int, tmp_path: Path):
    case = {
        "fn": _beyond, "sig": {"o": "*i32", "n": "i32", "start": "i32"},
        "const": {"BLOCK": 512}, "opts": {},
    }  # fmt: skip
    check(case, Run(scalars={"n": n, "start": start}), tmp_path, warps=1)
