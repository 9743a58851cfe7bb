"""Kernels that number all elements and divide by the length of a row, in the emulator: neighbours
of a row are loaded together, and what belongs to the row once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from triton_shared import emulate
from triton_shared.emulate import EmulatedKernel
from triton_shared.frontend import ast_to_ttir

BLOCK = 512


@triton.jit
def scaled(x, rows, columns, out, count, WIDTH: tl.constexpr, SHIFT: tl.constexpr,
           BLOCK: tl.constexpr):  # fmt: skip
    """Each element of a matrix times what belongs to its row and to its column; with a shift, of
    elements before the first, too, which are masked or not by it."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK) - SHIFT
    row, column = at // WIDTH, at % WIDTH
    inside = (at >= 0) & (at < count)
    factor = tl.load(rows + row, mask=inside, other=5.0)
    other = tl.load(columns + column, mask=inside, other=7.0)
    y = tl.load(x + row * WIDTH + column, mask=inside, other=0.0)
    tl.store(out + at, (y + factor) * other, mask=inside)


def compiled(width: int, shift: int, folder: Path, *multiples: str) -> EmulatedKernel:
    pointers = ["x", "rows", "columns", "out"]
    kinds = dict.fromkeys(pointers, "*fp32") | {"count": "i32"}
    constants = {"WIDTH": width, "SHIFT": shift, "BLOCK": BLOCK}
    aligned = [*pointers, *multiples]
    types = {**kinds, **dict.fromkeys(constants, "constexpr")}
    ttir = ast_to_ttir(scaled, types, constants, aligned, target="cuda:90a", num_warps=2)
    return emulate.compile_kernel(ttir, 2, folder)


def check(kernel: EmulatedKernel, width: int, shift: int, count: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(count)
    numbers = lambda n: torch.randint(-9, 10, (n,), generator=generator).float()  # noqa: E731
    height = -(-count // width)
    x, rows, columns = numbers(height * width), numbers(height), numbers(width)
    out = torch.full((count,), 0.5)
    emulate.launch(kernel, [x, rows, columns, out, count], (-(-(count + shift) // BLOCK),), seed)
    at = torch.arange(count)
    want = (x[:count] + rows[at // width]) * columns[at % width]
    assert torch.equal(out, want)


@triton.jit
def grouped(x, groups, scales, out, count, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """Each element times that of its column in the scales of its row's group; groups count from
    the end where they are negative."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, column = at // WIDTH, at % WIDTH
    group = tl.load(groups + row, mask=at < count, other=0)
    group = tl.where(group < 0, group + 4, group)
    scale = tl.load(scales + group * WIDTH + column, mask=at < count, other=0.0)
    tl.store(out + at, tl.load(x + at, mask=at < count, other=0.0) * scale, mask=at < count)


@pytest.mark.parametrize(("width", "loads"), [(96, 6), (6, 10), (1024, 12)])
def test_what_is_loaded_for_a_row_picks_rows(width: int, loads: int, tmp_path: Path):
    kinds = dict.fromkeys(("x", "groups", "scales", "out"), "*fp32") | {"count": "i32"}
    kinds["groups"] = "*i32"
    constants = {"WIDTH": width, "BLOCK": BLOCK}
    types = {**kinds, **dict.fromkeys(constants, "constexpr")}
    ttir = ast_to_ttir(grouped, types, constants, [*kinds], target="cuda:90a", num_warps=2)
    kernel = emulate.compile_kernel(ttir, 2, tmp_path)
    # Of 8 elements of a thread: x by fours, groups and scales by what a row has of each four; the
    # group of a block that is all of one row, element by element.
    assert kernel.llvm.count("ld.global") == loads
    generator = torch.Generator().manual_seed(width)
    count = 16 * width
    x, scales = torch.rand(count, generator=generator), torch.rand(4, width, generator=generator)
    groups = torch.randint(-4, 4, (16,), generator=generator, dtype=torch.int32)
    out = torch.zeros(count)
    emulate.launch(kernel, [x, groups, scales, out, count], (-(-count // BLOCK),))
    assert torch.equal(out, (x.view(16, width) * scales[groups.long() % 4]).flatten())


@pytest.mark.every(2)
@pytest.mark.parametrize("shift", [0, 3, 40])
@pytest.mark.parametrize("width", [96, 64, 6, 7, 1, 1000])
def test_rows_of_every_length(width: int, shift: int, tmp_path: Path):
    """Numbers that may be negative are divided one by one: towards zero."""
    kernel = compiled(width, shift, tmp_path)
    for count in (1, 511, 1200):
        check(kernel, width, shift, count, seed=count % 2)


def test_neighbours_are_loaded_together(tmp_path: Path):
    kernel = compiled(96, 0, tmp_path, "count")
    # 8 elements of a thread: two of four each of x and of columns, two of rows.
    loads = re.findall(r"ld\.global\S*", kernel.llvm)
    assert sorted(loads) == ["ld.global.b32"] * 2 + ["ld.global.v4.b32"] * 4
    for count in (16, 512, 1200):
        check(kernel, 96, 0, count, seed=1)
