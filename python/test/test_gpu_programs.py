"""Programs that share a block, run by the emulator: each does what it does alone."""

from __future__ import annotations

from pathlib import Path

import pytest
import triton
import triton.language as tl
from corpus_runs import Run, real, small, zeros
from test_gpu_emulated import check
from triton_shared import emulate


def check_packed(
    fn: object, signature: dict[str, str], const: dict[str, int], run: Run, folder: Path
) -> None:
    case = {"fn": fn, "sig": signature, "const": const, "opts": {}}
    check(case, run, folder, warps=4, keeps_warps=False)
    llvm = emulate.lower((folder / "kernel.mlir").read_text(), 4, folder, keeps_warps=False)
    assert "cta.programs = 4 : i32" in llvm
    assert "barrier" not in llvm


@triton.jit
def _rows(x, o, columns, N: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, N)
    v = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    p = tl.exp(v - tl.max(v, axis=0))
    tl.store(o + row * columns + at, p / tl.sum(p, axis=0), mask=at < columns)


@pytest.mark.parametrize("programs", [1, 4, 5, 7])
@pytest.mark.parametrize(("columns", "block"), [(60, 64), (256, 256)])
def test_rows(programs: int, columns: int, block: int, tmp_path: Path):
    run = Run({"columns": columns}, {"x": real(-4, 4)}, grid=(programs,))
    signature = {"x": "*fp32", "o": "*fp32", "columns": "i32"}
    check_packed(_rows, signature, {"N": block}, run, tmp_path)


@triton.jit
def _numbers(o, N: tl.constexpr):
    x, y = tl.program_id(0), tl.program_id(1)
    z = tl.num_programs(0) + 100 * tl.num_programs(1)
    place = (y * tl.num_programs(0) + x) * N + tl.arange(0, N)
    tl.store(o + place, x + 1000 * y + 10000 * z)


@pytest.mark.parametrize("grid", [(1, 1), (3, 2), (8, 3), (6, 1)])
def test_programs_know_their_number_and_the_size_of_the_grid(grid: tuple[int, int], tmp_path: Path):
    check_packed(_numbers, {"o": "*i32"}, {"N": 32}, Run(grid=grid), tmp_path)


@triton.jit
def _some(x, sums, o, N: tl.constexpr):
    row = tl.program_id(0)
    if tl.load(x + row) < 0:
        return
    v = tl.load(x + row * N + tl.arange(0, N))
    tl.atomic_add(sums, tl.sum(v, axis=0), sem="relaxed")
    tl.store(o + row * N + tl.arange(0, N), tl.cumsum(v, axis=0))


def test_programs_may_end_early_and_add_to_one_place(tmp_path: Path):
    run = Run({}, {"x": small(-2, 4), "sums": zeros}, grid=(11,))
    check_packed(_some, {"x": "*i32", "sums": "*i32", "o": "*i32"}, {"N": 64}, run, tmp_path)
