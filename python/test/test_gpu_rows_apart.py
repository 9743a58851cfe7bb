"""Loops whose products take numbers that lie apart in memory, in the emulator: threads copy those
of the next turns, each of them one."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from triton_shared import emulate
from triton_shared.emulate import EmulatedKernel
from triton_shared.frontend import ast_to_ttir

M, N, BK, APART = 64, 32, 32, 5
ELEMENTS = {"fp32": torch.float32, "i32": torch.int32, "fp64": torch.float64}


@triton.jit
def gated(
    x,
    gates,
    y,
    out,
    length,
    M: tl.constexpr,
    N: tl.constexpr,
    BK: tl.constexpr,
    APART: tl.constexpr,
):
    """x.T @ (gates * y); the gates of a row lie APART elements from those of the next."""
    rows, columns, depth = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, length, BK):
        step = start + depth
        is_there = step < length
        left = tl.load(x + step[None, :] * M + rows[:, None], mask=is_there[None, :], other=0.0)
        right = tl.load(y + step[:, None] * N + columns[None, :], mask=is_there[:, None], other=0.0)
        gate = tl.load(gates + step * APART, mask=is_there, other=0)
        scaled = (right * gate[:, None].to(tl.float32)).to(tl.float16)
        total = tl.dot(left, scaled, total)
    tl.store(out + rows[:, None] * N + columns[None, :], total)


def compile_gated(element: str, warps: int, stages: int, folder: Path) -> EmulatedKernel:
    kinds = {"x": "*fp16", "gates": f"*{element}", "y": "*fp16", "out": "*fp32", "length": "i32"}
    constants = {"M": M, "N": N, "BK": BK, "APART": APART}
    ttir = ast_to_ttir(
        gated,
        {**kinds, **dict.fromkeys(constants, "constexpr")},
        constants,
        ["x", "y", "out"],
        target="cuda:90a",
        num_warps=warps,
    )
    return emulate.compile_kernel(ttir, warps, folder, num_stages=stages)


class Launch:
    """Operands of small whole numbers, and what is right."""

    def __init__(self, element: str, length: int):
        generator = torch.Generator().manual_seed(length)

        def whole(*shape: int) -> torch.Tensor:
            return torch.randint(-3, 4, shape, generator=generator)

        self.x, self.y = whole(length, M).half(), whole(length, N).half()
        self.gates = whole(length, APART).to(ELEMENTS[element])
        scaled = self.y.double() * self.gates[:, :1].double()
        self.want = self.x.double().T @ scaled

    def run(self, kernel: EmulatedKernel, seed: int = 0) -> torch.Tensor:
        out = torch.full((M, N), float("nan"))
        arguments = [self.x, self.gates, self.y, out, len(self.x)]
        emulate.launch(kernel, arguments, (1,), seed)
        return out.double()


@pytest.mark.every(2)
@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize("stages", [1, 2, 3])
def test_every_number_of_turns(stages: int, warps: int, tmp_path: Path):
    kernel = compile_gated("fp32", warps, stages, tmp_path)
    for length in (0, 7, BK, 3 * BK, 4 * BK + 9):
        for seed in (0, 1):
            launch = Launch("fp32", length)
            assert torch.equal(launch.run(kernel, seed), launch.want)


@pytest.mark.parametrize("element", ELEMENTS)
def test_other_elements(element: str, tmp_path: Path):
    kernel = compile_gated(element, 4, 3, tmp_path)
    launch = Launch(element, 4 * BK + 9)
    assert torch.equal(launch.run(kernel), launch.want)


def test_they_are_copied_ahead(tmp_path: Path):
    """Nothing is loaded in a turn; a number of four bytes is copied."""
    kernel = compile_gated("fp32", 4, 3, tmp_path)
    assert "cp.async.ca.shared.global" in kernel.llvm
    assert " 4, $3" in kernel.llvm
    assert "ld.global" not in kernel.llvm
