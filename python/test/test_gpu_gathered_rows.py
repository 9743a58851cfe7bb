"""Products of rows that an index picks, in the emulator: threads copy those of the next turns,
where the mask says so, and the indices are loaded before they do. Where a kernel says that picked
columns follow each other, they are copied together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton_shared import emulate
from triton_shared.emulate import EmulatedKernel
from triton_shared.frontend import ast_to_ttir

M, N, BK = 64, 32, 32
PAGE, SIZE = 16, 64


@triton.jit
def experts(
    x,
    order,
    w,
    out,
    rows,
    inner,
    M: tl.constexpr,
    N: tl.constexpr,
    BK: tl.constexpr,
):
    """Rows of x in an order, those past `rows` left out, times w."""
    row, columns, depth = tl.load(order + tl.arange(0, M)), tl.arange(0, N), tl.arange(0, BK)
    is_row = row < rows
    left_at = x + row[:, None] * inner + depth[None, :]
    right_at = w + columns[None, :] * inner + depth[:, None]
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, inner, BK):
        is_there = depth < inner - start
        left = tl.load(left_at, mask=is_row[:, None] & is_there[None, :], other=0.0)
        right = tl.load(right_at, mask=is_there[:, None], other=0.0)
        total = tl.dot(left, right, total)
        left_at += BK
        right_at += BK
    at = out + tl.arange(0, M)[:, None] * N + columns[None, :]
    tl.store(at, total, mask=is_row[:, None])


@triton.jit
def pages(
    q,
    keys,
    table,
    out,
    length,
    row_step,
    page_step,
    M: tl.constexpr,
    BLOCK: tl.constexpr,
    PAGE: tl.constexpr,
    SIZE: tl.constexpr,
):
    """Sum of scores times keys, which lie in pages of a table."""
    dims, block = tl.arange(0, SIZE), tl.arange(0, BLOCK)
    left = tl.load(q + tl.arange(0, M)[:, None] * SIZE + dims[None, :])
    total = tl.zeros((M, SIZE), tl.float32)
    for start in range(0, length, BLOCK):
        at = start + block
        page = tl.load(table + at // PAGE, mask=at < length, other=0)
        rows = page.to(tl.int64) * page_step + (at % PAGE) * row_step
        turned = tl.load(keys + rows[None, :] + dims[:, None], mask=at[None, :] < length, other=0.0)
        plain = tl.load(keys + rows[:, None] + dims[None, :], mask=at[:, None] < length, other=0.0)
        scores = tl.dot(left, turned).to(tl.float16)
        total = tl.dot(scores, plain, total)
    tl.store(out + tl.arange(0, M)[:, None] * SIZE + dims[None, :], total)


@triton.jit
def cut(
    x,
    y,
    out,
    rows,
    columns,
    inner,
    step,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """Products of blocks; what lies outside is taken from the begin, and not stored."""
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    row_at, column_at = tl.where(row < rows, row, 0), tl.where(column < columns, column, 0)
    row_at = tl.max_contiguous(tl.multiple_of(row_at, BM), BM)
    column_at = tl.max_contiguous(tl.multiple_of(column_at, BN), BN)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, inner, BK):
        depth = start + tl.arange(0, BK)
        left_at = x + row_at[:, None] * inner + depth[None, :]
        right_at = y + depth[:, None] * step + column_at[None, :]
        left = tl.load(left_at, mask=depth[None, :] < inner, other=0.0)
        right = tl.load(right_at, mask=depth[:, None] < inner, other=0.0)
        total = tl.dot(left, right, total)
    at = out + row_at[:, None] * step + column_at[None, :]
    tl.store(at, total, mask=(row[:, None] < rows) & (column[None, :] < columns))


def compiled(
    fn: Any, kinds: dict[str, str], constants: dict[str, int], aligned: list[str],
    warps: int, stages: int, folder: Path,
) -> EmulatedKernel:  # fmt: skip
    types = {**kinds, **dict.fromkeys(constants, "constexpr")}
    ttir = ast_to_ttir(fn, types, constants, aligned, target="cuda:90a", num_warps=warps)
    return emulate.compile_kernel(ttir, warps, folder, num_stages=stages)


def compile_experts(
    warps: int, stages: int, folder: Path, multiples: tuple[str, ...] = ("inner",)
) -> EmulatedKernel:
    kinds = {"x": "*fp16", "order": "*i32", "w": "*fp16", "out": "*fp32", "rows": "i32"}
    kinds |= {"inner": "i32"}
    constants = {"M": M, "N": N, "BK": BK}
    aligned = ["x", "order", "w", "out", *multiples]
    return compiled(experts, kinds, constants, aligned, warps, stages, folder)


def compile_pages(block: int, warps: int, stages: int, folder: Path) -> EmulatedKernel:
    kinds = {"q": "*fp16", "keys": "*fp16", "table": "*i32", "out": "*fp32", "length": "i32"}
    kinds |= {"row_step": "i64", "page_step": "i64"}
    constants = {"M": 16, "BLOCK": block, "PAGE": PAGE, "SIZE": SIZE}
    aligned = ["q", "keys", "table", "out", "row_step", "page_step"]
    return compiled(pages, kinds, constants, aligned, warps, stages, folder)


def compile_cut(warps: int, stages: int, folder: Path) -> EmulatedKernel:
    kinds = {"x": "*fp16", "y": "*fp16", "out": "*fp32", "rows": "i32", "columns": "i32"}
    kinds |= {"inner": "i32", "step": "i32"}
    constants = {"BM": 64, "BN": 64, "BK": 32}
    aligned = ["x", "y", "out", "inner", "step"]
    return compiled(cut, kinds, constants, aligned, warps, stages, folder)


def whole(*shape: int, seed: int) -> torch.Tensor:
    return torch.randint(-3, 4, shape, generator=torch.Generator().manual_seed(seed)).half()


def check_experts(kernel: EmulatedKernel, rows: int, inner: int, seed: int = 0) -> None:
    x, w = whole(rows + 1, inner, seed=rows), whole(N, inner, seed=inner)
    x[rows] = float("nan")  # Nobody may take part in a product with it.
    order = torch.randperm(M, generator=torch.Generator().manual_seed(inner)).to(torch.int32)
    order = torch.where(order < rows, order, rows)
    out = torch.full((M, N), 7.0)
    emulate.launch(kernel, [x, order, w, out, rows, inner], (1,), seed)
    want = torch.full((M, N), 7.0)
    picked = order < rows
    want[picked] = x[order[picked].long()].float() @ w.T.float()
    assert torch.equal(out, want)


def check_pages(kernel: EmulatedKernel, length: int, seed: int = 0) -> None:
    count = -(-length // PAGE) + 2
    q, keys = whole(16, SIZE, seed=length), whole(count * PAGE, SIZE, seed=length + 1)
    order = torch.randperm(count, generator=torch.Generator().manual_seed(length)).to(torch.int32)
    out = torch.full((16, SIZE), float("nan"))
    emulate.launch(kernel, [q, keys, order, out, length, SIZE, PAGE * SIZE], (1,), seed)
    rows = keys.view(count, PAGE, SIZE)[order.long()].reshape(-1, SIZE)[:length].float()
    want = (q.float() @ rows.T).half().float() @ rows
    assert torch.equal(out, want)


def check_cut(kernel: EmulatedKernel, rows: int, columns: int, inner: int, seed: int = 0) -> None:
    step = -(-columns // 16) * 16
    x, y = whole(rows, inner, seed=rows), whole(inner, step, seed=inner)
    out = torch.full((rows, step), 7.0)
    grid = (-(-rows // 64), -(-columns // 64))
    emulate.launch(kernel, [x, y, out, rows, columns, inner, step], grid, seed)
    want = torch.full((rows, step), 7.0)
    want[:, :columns] = (x.float() @ y.float())[:, :columns]
    assert torch.equal(out, want)


@pytest.mark.every(2)
@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize("stages", [1, 2, 4])
def test_rows_of_a_mask_and_every_number_of_turns(stages: int, warps: int, tmp_path: Path):
    kernel = compile_experts(warps, stages, tmp_path)
    for rows, inner in ((1, 16), (40, 32), (64, 96), (33, 144), (64, 0)):
        for seed in (0, 1):
            check_experts(kernel, rows, inner, seed)


def test_rows_that_begin_anywhere(tmp_path: Path):
    kernel = compile_experts(4, 3, tmp_path, multiples=())
    for inner in (1, 31, 97):
        check_experts(kernel, 40, inner)


@pytest.mark.every(3)
@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize(("block", "stages"), [(16, 3), (32, 1), (32, 2), (32, 4), (64, 2)])
def test_pages_and_every_number_of_turns(block: int, stages: int, warps: int, tmp_path: Path):
    kernel = compile_pages(block, warps, stages, tmp_path)
    for length in (0, 1, 16, 63, 130):
        for seed in (0, 1):
            check_pages(kernel, length, seed)


def test_both_are_copied_ahead(tmp_path: Path):
    """All of 16 bytes, and no element of a tile is loaded by itself."""
    rows = compile_experts(4, 3, tmp_path)
    (tmp_path / "pages").mkdir()
    keys = compile_pages(32, 4, 2, tmp_path / "pages")
    for kernel in (rows, keys):
        assert "cp.async.cg.shared.global" in kernel.llvm
        assert "ld.global.b16" not in kernel.llvm


@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize("stages", [1, 3])
def test_columns_that_follow_each_other_by_a_hint(stages: int, warps: int, tmp_path: Path):
    kernel = compile_cut(warps, stages, tmp_path)
    assert "ld.global.b16" not in kernel.llvm
    for rows, columns, inner in ((64, 64, 32), (65, 72, 48), (1, 76, 16), (130, 129, 96)):
        for seed in (0, 1):
            check_cut(kernel, rows, columns, inner, seed)
