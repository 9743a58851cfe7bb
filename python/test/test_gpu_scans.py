"""Scans on a GPU, run by the emulator: elements meet in order, wherever threads hold them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from corpus_runs import Run
from gpu_kernels import compile_kernel, emulated
from test_gpu_emulated import check
from triton_shared import emulate


@triton.jit
def _then(a, b, c, d):
    # x -> a x + b, then x -> c x + d: the order matters.
    return a * c, b * c + d


@triton.jit
def _scans(x, o, ROWS: tl.constexpr, COLUMNS: tl.constexpr, REVERSE: tl.constexpr):
    size: tl.constexpr = ROWS * COLUMNS
    flat = tl.arange(0, size)
    place = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    v = tl.load(x + flat)
    w = tl.load(x + place)
    a, b = tl.associative_scan((v, v + 1), 0, _then, reverse=REVERSE)
    c, d = tl.associative_scan((w, w + 1), 0, _then, reverse=REVERSE)
    e, f = tl.associative_scan((w, w + 1), 1, _then, reverse=REVERSE)
    tl.store(o + flat, a ^ (b * 3))
    tl.store(o + size + place, c ^ (d * 3))
    tl.store(o + 2 * size + place, e ^ (f * 3))


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("rows", "columns"), [(32, 16), (2, 256)])
def test_scans_keep_the_order_of_elements(
    rows: int, columns: int, reverse: bool, warps: int, tmp_path: Path
):
    const = {"ROWS": rows, "COLUMNS": columns, "REVERSE": reverse}
    case = {"fn": _scans, "sig": {"x": "*i32", "o": "*i32"}, "const": const, "opts": {}}
    check(case, Run(), tmp_path, warps=warps)


@triton.jit
def _scans_itself(x, o, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    v = tl.load(x + at)
    a, b = tl.associative_scan((v, v), 0, _then)
    tl.store(o + at, a ^ (b * 3))


def test_both_operands_may_be_the_same_block(tmp_path: Path):
    signature = {"x": "*i32", "o": "*i32"}
    case = {"fn": _scans_itself, "sig": signature, "const": {"SIZE": 256}, "opts": {}}
    check(case, Run(), tmp_path, warps=4)


@triton.jit
def _sums_columns(x, o, ROWS: tl.constexpr, COLUMNS: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(o + at, tl.cumsum(tl.load(x + at), axis=0, reverse=REVERSE))


@pytest.mark.every(2)
@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("rows", "columns"), [(64, 128), (128, 16), (256, 4)])
def test_warps_scan_rows_of_their_own(
    rows: int, columns: int, reverse: bool, warps: int, arch: int, tmp_path: Path
):
    constants = {"ROWS": rows, "COLUMNS": columns, "REVERSE": reverse}
    types = {"x": "*i32", "o": "*i32"}
    compiled = compile_kernel(_sums_columns, types, constants, warps, arch, divisible=True)
    # Of each warp, one total of a column is all that others must know.
    assert compiled.metadata.shared <= 4 * columns * warps
    x = torch.arange(rows * columns, dtype=torch.int32).reshape(rows, columns) % 97
    out = torch.zeros_like(x)
    emulate.launch(emulated(compiled, tmp_path), (x, out), (1,))
    expected = x.flip(0).cumsum(0).flip(0) if reverse else x.cumsum(0)
    assert torch.equal(out, expected.int())


@pytest.mark.parametrize("arch", [80, 90])
def test_columns_of_a_large_tile_leave_room_in_shared_memory(arch: int):
    constants = {"ROWS": 256, "COLUMNS": 256, "REVERSE": False}
    compiled = compile_kernel(_sums_columns, {"x": "*fp32", "o": "*fp32"}, constants, 4, arch)
    assert compiled.metadata.shared <= 4 * 256 * 4
