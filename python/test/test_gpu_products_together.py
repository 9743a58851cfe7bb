"""Products that follow one another without a loop, in the emulator: what they take is written at
once, where there is room, and each tile once for both ways in which it is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from triton_shared import emulate, stages
from triton_shared.emulate import EmulatedKernel
from triton_shared.frontend import ast_to_ttir

SIZE = 64


@triton.jit
def chained(x, y, z, scores, out, back, N: tl.constexpr):
    """scores = x @ y.T; out = scores @ y + x @ z; back = scores.T @ x + y @ z.T"""
    rows = tl.arange(0, N)
    at = rows[:, None] * N + rows[None, :]
    left, right, other = tl.load(x + at), tl.load(y + at), tl.load(z + at)
    score = tl.dot(left, tl.trans(right))
    tl.store(scores + at, score)
    narrow = score.to(left.dtype)
    tl.store(out + at, tl.dot(narrow, right, tl.dot(left, other)))
    tl.store(back + at, tl.dot(tl.trans(narrow), left, tl.dot(right, tl.trans(other))))


def to_ttir(element: str) -> str:
    kinds = dict.fromkeys(("x", "y", "z"), f"*{element}")
    kinds |= dict.fromkeys(("scores", "out", "back"), "*fp32")
    return ast_to_ttir(
        chained,
        kinds | {"N": "constexpr"},
        {"N": SIZE},
        list(kinds),
        target="cuda:90a",
        num_warps=4,
    )


def compile_chained(element: str, warps: int, folder: Path) -> EmulatedKernel:
    return emulate.compile_kernel(to_ttir(element), warps, folder)


@pytest.mark.parametrize("element", ["fp16", "bf16"])
@pytest.mark.parametrize("warps", [4, 8])
def test_products_one_behind_the_other(warps: int, element: str, tmp_path: Path):
    kernel = compile_chained(element, warps, tmp_path)
    dtype = {"fp16": torch.float16, "bf16": torch.bfloat16}[element]
    generator = torch.Generator().manual_seed(warps)
    x, y, z = (torch.randint(-1, 2, (SIZE, SIZE), generator=generator).to(dtype) for _ in range(3))
    a, b, c = x.double(), y.double(), z.double()
    score = a @ b.T
    want = [score, score @ b + a @ c, score.T @ a + b @ c.T]
    for seed in (0, 1, 2):
        found = [torch.full((SIZE, SIZE), float("nan")) for _ in range(3)]
        emulate.launch(kernel, [x, y, z, *found], (1,), seed)
        for one, right in zip(found, want, strict=True):
            assert torch.equal(one.double(), right)


def test_what_is_there_is_written_at_once():
    """Three tiles before the first product, each once; later what that has computed."""
    text = stages.run(to_ttir("fp16"), "cta", target="cuda:90a", num_warps=4).decode()
    steps = re.findall(r"cta\.(write|dot) ", text)
    assert steps[:4] == ["write"] * 3 + ["dot"]
    assert steps.count("dot") == 5
    assert steps.count("write") == 4
