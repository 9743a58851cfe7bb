"""Loops that load by indices which they load, in the emulator: those of the next turns are loaded
ahead, and none that there is no turn for."""

from __future__ import annotations

import ctypes
import mmap
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from triton_shared import emulate
from triton_shared.emulate import EmulatedKernel
from triton_shared.frontend import ast_to_ttir

DEPTH = 32
KINDS = {"x": "*fp16", "table": "*i32", "y": "*fp16", "out": "*fp32", "length": "i32"}


@triton.jit
def by_rows(x, table, y, out, length, BK: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """x[table].T @ y"""
    depth, rows, columns = tl.arange(0, BK), tl.arange(0, M), tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, length, BK):
        row = tl.load(table + start + depth)
        left = tl.load(x + row[:, None] * M + rows[None, :])
        right = tl.load(y + (start + depth)[:, None] * N + columns[None, :])
        total = tl.dot(tl.trans(left), right, total)
    tl.store(out + rows[:, None] * N + columns[None, :], total)


@triton.jit
def added(total, x, row, y, block, BK: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """`total` and x[rows].T @ y[block], of BK rows that begin with `row`."""
    depth, rows, columns = tl.arange(0, BK), tl.arange(0, M), tl.arange(0, N)
    left = tl.load(x + (row + depth)[None, :] * M + rows[:, None])
    right = tl.load(y + (block * BK + depth)[:, None] * N + columns[None, :])
    return tl.dot(left, right, total)


@triton.jit
def by_blocks(x, table, y, out, length, BK: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """The same with one entry for BK rows."""
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for block in range(0, length // BK):
        total = added(total, x, tl.load(table + block) * BK, y, block, BK, M, N)
    tl.store(out + rows[:, None] * N + columns[None, :], total)


@triton.jit
def by_entries_of_entries(
    x, table, y, out, length, BK: tl.constexpr, M: tl.constexpr, N: tl.constexpr
):
    """The same with an entry that says which entry says it."""
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for block in range(0, length // BK):
        entry = tl.load(table + block)
        total = added(total, x, tl.load(table + entry) * BK, y, block, BK, M, N)
    tl.store(out + rows[:, None] * N + columns[None, :], total)


@triton.jit
def by_what_it_writes(x, table, y, out, length, BK: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """The same as `by_blocks`, where each turn writes the entry of the next one."""
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for block in range(0, length // BK):
        entry = tl.load(table + block)
        total = added(total, x, entry * BK, y, block, BK, M, N)
        tl.debug_barrier()
        tl.store(table + block + 1, (entry * 3 + 1) % (length // BK), mask=block + 1 < length // BK)
        tl.debug_barrier()
    tl.store(out + rows[:, None] * N + columns[None, :], total)


def before_a_wall(values: torch.Tensor) -> torch.Tensor:
    """The same numbers, behind which nothing can be read."""
    memory = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    wall = ctypes.addressof(ctypes.c_char.from_buffer(memory)) + mmap.PAGESIZE
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(wall), mmap.PAGESIZE, 0) == 0
    skip = mmap.PAGESIZE - values.nbytes
    moved = torch.frombuffer(memory, dtype=values.dtype, count=values.numel(), offset=skip)
    return moved.copy_(values)


def expected_rows(kernel: str, table: torch.Tensor, turns: int) -> torch.Tensor:
    if kernel == "by_rows":
        return table.long()
    blocks = table.long()
    if kernel == "by_entries_of_entries":
        blocks = blocks[blocks]
    if kernel == "by_what_it_writes":
        for turn in range(1, turns):
            blocks[turn] = (blocks[turn - 1] * 3 + 1) % turns
    return (blocks[:, None] * DEPTH + torch.arange(DEPTH)).flatten()


KERNELS = {
    kernel.__name__: kernel
    for kernel in (by_rows, by_blocks, by_entries_of_entries, by_what_it_writes)
}


def compiled(name: str, warps: int, stages: int, folder: Path) -> EmulatedKernel:
    sizes = {"BK": DEPTH, "M": 64, "N": 32}
    kinds = KINDS | dict.fromkeys(sizes, "constexpr")
    known = ["x", "y", "out", "length"]
    ttir = ast_to_ttir(KERNELS[name], kinds, sizes, known, target="cuda:90a", num_warps=warps)
    return emulate.compile_kernel(ttir, warps, folder, num_stages=stages)


def check_turns(name: str, kernel: EmulatedKernel, turns: int) -> None:
    """Runs a kernel in three orders of its threads."""
    generator = torch.Generator().manual_seed(0)
    length = turns * DEPTH
    x = torch.randn(max(length, 1), 64, generator=generator).half()
    y = torch.randn(max(length, 1), 32, generator=generator).half()
    order = torch.randperm(length if name == "by_rows" else turns, generator=generator)
    table = before_a_wall(order.to(torch.int32)) if turns else torch.zeros(1, dtype=torch.int32)
    rows = expected_rows(name, table[: len(order)].clone(), turns)
    for turn in (0, 1, 2):
        out = torch.full((64, 32), float("nan"))
        emulate.launch(kernel, [x, table, y, out, length], (1,), turn)
        expected = x[rows].double().T @ y[:length].double()
        torch.testing.assert_close(out.double(), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.every(3)
@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("name", KERNELS)
def test_every_number_of_turns(name: str, stages: int, warps: int, tmp_path: Path):
    kernel = compiled(name, warps, stages, tmp_path)
    for turns in (0, 1, 2, 5):
        check_turns(name, kernel, turns)


@pytest.mark.parametrize("name", ["by_rows", "by_blocks", "by_entries_of_entries"])
def test_what_indices_say_is_copied_ahead(name: str, tmp_path: Path):
    kernel = compiled(name, 4, 3, tmp_path)
    turn = kernel.llvm[kernel.llvm.index("wgmma.mma_async") :]
    assert "cp.async" in turn or "cp.async.bulk" in turn
    loaded = turn[: turn.index("llvm.return")].count("ld.global.v4")
    assert not loaded
