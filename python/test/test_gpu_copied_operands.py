"""Operands that the copy engine copies once, for all products of a loop: in the emulator."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from test_gpu_boxes import flat, matrix
from triton_shared import emulate, library
from triton_shared.emulate import EmulatedKernel
from triton_shared.frontend import ast_to_ttir

B, D = 64, 32
ORDERS = (0, 1, 2, 3)
DTYPES = {
    "fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32,
    "fp8e5": torch.float8_e5m2,
}  # fmt: skip


@triton.jit
def store_squares(x, k, out, rows, B: tl.constexpr):
    """The sum of (x kᵀ)² over all k."""
    sums = tl.zeros((B,), tl.float32)
    for first in range(0, rows, B):
        scores = tl.dot(x, k.load([first, 0]).T, input_precision="tf32")
        sums += tl.sum(scores * scores, 1)
    tl.store(out + tl.arange(0, B), sums)


@triton.jit
def squares(q, k, out, rows, B: tl.constexpr, D: tl.constexpr):
    """Of a block of q for each program."""
    row = tl.program_id(0) * B
    x = q.load([row, 0])
    store_squares(x, k, out + row, rows, B)


@triton.jit
def both_ways(q, k, out, rows, B: tl.constexpr, D: tl.constexpr):
    """(q kᵀ) and its product with q turned, added up: q is read as it is and transposed."""
    x = q.load([tl.program_id(0) * B, 0])
    sums = tl.zeros((B, D), tl.float32)
    for first in range(0, rows, B):
        scores = tl.dot(k.load([first, 0]), x.T).to(x.dtype)
        sums = tl.dot(scores, x, sums)
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + at[:, None] * D + tl.arange(0, D)[None, :], sums)


@triton.jit
def of_two(q, k, out, rows, B: tl.constexpr, D: tl.constexpr):
    """Two blocks of q, which arrive together."""
    row = tl.program_id(0) * B
    x, y = q.load([row, 0]), q.load([row + B, 0])
    sums = tl.zeros((B,), tl.float32)
    for first in range(0, rows, B):
        z = k.load([first, 0]).T
        sums += tl.sum(tl.dot(x, z) * tl.dot(y, z), 1)
    tl.store(out + row + tl.arange(0, B), sums)


@triton.jit
def in_turns(q, k, out, rows, B: tl.constexpr, D: tl.constexpr):
    """One program walks over all blocks of q."""
    for row in range(0, rows, B):
        x = q.load([row, 0])
        store_squares(x, k, out + row, rows, B)


@triton.jit
def scaled(q, k, out, rows, B: tl.constexpr, D: tl.constexpr):
    """What is computed of a block lies in registers."""
    row = tl.program_id(0) * B
    x = q.load([row, 0])
    x = (x * 2).to(x.dtype)
    store_squares(x, k, out + row, rows, B)


@triton.jit
def written(q, k, out, rows, B: tl.constexpr, D: tl.constexpr):
    """The kernel writes to q before it reads that."""
    row = tl.program_id(0) * B
    q.store([row, 0], k.load([row, 0]))
    tl.debug_barrier()
    x = q.load([row, 0])
    store_squares(x, k, out + row, rows, B)


def to_ttir(kernel: Any, element: str = "fp16") -> str:
    kinds = dict.fromkeys("qk", f"tensordesc<{element}[{B}, {D}]>")
    types = {**kinds, "out": "*fp32", "rows": "i32", "B": "constexpr", "D": "constexpr"}
    return ast_to_ttir(kernel, types, {"B": B, "D": D}, [], target="cuda:90a", num_warps=4)


def build(kernel: Any, folder: Path, element: str = "fp16", **options: Any) -> EmulatedKernel:
    return emulate.compile_kernel(to_ttir(kernel, element), 4, folder, **options)


ONCE = re.compile(r"cta\.mbarriers arrivals (\d+) .*: <1>")
"""A barrier with one slot."""


def copies_once(kernel: Any, folder: Path) -> int:
    """How many copies are made by each program, or turn of the outermost loop."""
    source = folder / "kernel.ttir"
    source.write_text(to_ttir(kernel))
    options = ("--target=cuda:90a", "--num-warps=4", "--to-phase=cta")
    return sum(map(int, ONCE.findall(emulate.run_tool(library.tool(), *options, source))))


@pytest.mark.parametrize(
    ("kernel", "copies"),
    [(squares, 1), (both_ways, 1), (of_two, 2), (in_turns, 1), (scaled, 0), (written, 0)],
    ids=lambda one: getattr(one, "__name__", str(one)),
)
def test_which_operands_are_copied_once(kernel: Any, copies: int, tmp_path: Path):
    assert copies_once(kernel, tmp_path) == copies


def of_squares(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    return (q.double() @ k.double().T).square().sum(1).float()


def launch(
    kernel: EmulatedKernel, q: torch.Tensor, k: torch.Tensor, out: Any, order: int, blocks: int = 0
) -> None:
    """Of a program for each block of q, or so many."""
    grid = (blocks or triton.cdiv(q.shape[0], B),)
    emulate.launch(kernel, [*flat([q, k]), out, k.shape[0]], grid, order)


@pytest.mark.every(2)
@pytest.mark.parametrize("rows", [64, 128, 100, 17])
@pytest.mark.parametrize("specialize", ["auto", "always", "never"])
def test_blocks_end_where_their_tensor_does(rows: int, specialize: str, tmp_path: Path):
    kernel = build(squares, tmp_path, specialize_warps=specialize)
    q, k = matrix(rows, D, torch.float16), matrix(rows + 3, D, torch.float16)
    for order in ORDERS:
        out = torch.zeros(triton.cdiv(rows, B) * B)
        launch(kernel, q, k, out, order)
        assert out[:rows].equal(of_squares(q, k))
        assert not out[rows:].any()


@pytest.mark.parametrize("element", DTYPES)
def test_elements(element: str, tmp_path: Path):
    kernel = build(squares, tmp_path, element)
    q, k = (matrix(rows, D, DTYPES[element]) for rows in (80, 130))
    out = torch.zeros(128)
    launch(kernel, q, k, out, 1)
    assert out[:80].equal(of_squares(q, k))


@pytest.mark.parametrize("stages", [1, 2, 3])
def test_with_any_number_of_stages(stages: int, tmp_path: Path):
    kernel = build(squares, tmp_path, num_stages=stages)
    q, k = matrix(64, D, torch.float16), matrix(130, D, torch.float16)
    out = torch.zeros(64)
    launch(kernel, q, k, out, 2)
    assert out.equal(of_squares(q, k))


@pytest.mark.parametrize("order", ORDERS)
def test_a_block_that_is_read_both_ways(order: int, tmp_path: Path):
    kernel = build(both_ways, tmp_path)
    q, k = matrix(100, D, torch.float16), matrix(128, D, torch.float16)
    out = torch.zeros(128, D)
    launch(kernel, q, k, out, order)
    padded = torch.zeros(128, D, dtype=torch.double)
    padded[:100] = q
    for at in range(0, 128, B):
        x = padded[at : at + B]
        want = sum((k[first : first + B].double() @ x.T) @ x for first in range(0, 128, B))
        assert out[at : at + B].equal(want.float())


@pytest.mark.parametrize("order", ORDERS)
def test_two_blocks_arrive_together(order: int, tmp_path: Path):
    kernel = build(of_two, tmp_path)
    q, k = matrix(128, D, torch.float16), matrix(100, D, torch.float16)
    out = torch.zeros(128)
    launch(kernel, q, k, out, order)
    scores = q.double() @ k.double().T
    assert out[:B].equal((scores[:B] * scores[B:]).sum(1).float())
    assert not out[B:].any()


@pytest.mark.parametrize("specialize", ["auto", "always", "never"])
def test_a_block_for_each_turn(specialize: str, tmp_path: Path):
    kernel = build(in_turns, tmp_path, specialize_warps=specialize)
    q = k = matrix(180, D, torch.float16)
    for order in ORDERS:
        out = torch.zeros(192)
        launch(kernel, q, k, out, order, blocks=1)
        assert out[:180].equal(of_squares(q, k))


def test_what_the_kernel_has_written_is_read(tmp_path: Path):
    kernel = build(written, tmp_path)
    q, k = torch.zeros(128, D, dtype=torch.float16), matrix(128, D, torch.float16)
    out = torch.zeros(128)
    launch(kernel, q, k, out, 3)
    assert out.equal(of_squares(k, k))
