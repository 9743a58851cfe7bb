"""Reductions on a GPU that take one of two elements, run by the emulator: ties and NaNs."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from corpus_runs import Run
from test_gpu_emulated import check


def _few_values(generator: torch.Generator, count: int) -> torch.Tensor:
    """Most are there many times."""
    return torch.randint(-3, 4, (count,), generator=generator).float()


def _some_nans(generator: torch.Generator, count: int) -> torch.Tensor:
    values = _few_values(generator, count)
    values[torch.rand(count, generator=generator) < 0.02] = float("nan")
    return values


@triton.jit
def _places(x, o, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    v = tl.load(x + rows[:, None] * COLUMNS + columns[None, :])
    tl.store(o + rows, tl.argmax(v, 1))
    tl.store(o + ROWS + rows, tl.argmin(v, 1))
    tl.store(o + 2 * ROWS + columns, tl.argmax(v, 0))
    last = tl.argmax(tl.reshape(v, (ROWS * COLUMNS,)), 0, tie_break_left=False)
    tl.store(o + 2 * ROWS + COLUMNS, last)


@pytest.mark.every(2)
@pytest.mark.parametrize("kind", ["*fp32", "*bf16", "*i64"])
@pytest.mark.parametrize("warps", [1, 4, 16])
@pytest.mark.parametrize(("rows", "columns"), [(1, 512), (4, 128), (64, 8)])
def test_ties_are_decided_by_the_place(
    rows: int, columns: int, warps: int, kind: str, tmp_path: Path
):
    const = {"ROWS": rows, "COLUMNS": columns}
    case = {"fn": _places, "sig": {"x": kind, "o": "*i32"}, "const": const, "opts": {}}
    check(case, Run(fills={"x": _few_values}), tmp_path, warps=warps)


@triton.jit
def _nan_is_largest(value, place, other, other_place):
    # As PyTorch orders numbers, and writes it.
    takes = value > other
    equal = value == other
    is_nan, other_is_nan = value != value, other != other
    takes |= is_nan and not other_is_nan
    equal |= is_nan and other_is_nan
    takes |= equal & (place < other_place)
    return tl.where(takes, value, other), tl.where(takes, place, other_place)


@triton.jit
def _first_nan(value, place, other, other_place):
    takes = (value > other) | ((value == other) & (place < other_place)) | (value != value)
    return tl.where(takes, value, other), tl.where(takes, place, other_place)


@triton.jit
def _nans_before_all(value, place, other, other_place):
    is_nan, other_is_nan = value != value, other != other
    larger = (value > other) | (((value == other) | is_nan) & (place < other_place))
    takes = (is_nan & ~other_is_nan) | ((is_nan == other_is_nan) & larger)
    return tl.where(takes, value, other), tl.where(takes, place, other_place)


@triton.jit
def _nans(x, o, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    _, largest = tl.reduce((v, at), 0, _nan_is_largest)
    _, first = tl.reduce((v, at), 0, _first_nan)
    tl.store(o, largest)
    tl.store(o + 1, first)
    _, before = tl.reduce((v, at), 0, _nans_before_all)
    tl.store(o + 2, before)


@pytest.mark.parametrize("warps", [1, 4, 16])
def test_nans_have_the_place_that_the_region_gives_them(warps: int, tmp_path: Path):
    case = {"fn": _nans, "sig": {"x": "*fp32", "o": "*i32"}, "const": {"N": 512}, "opts": {}}
    check(case, Run(fills={"x": _some_nans}), tmp_path, warps=warps)
