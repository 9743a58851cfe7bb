"""Products that follow one another without a loop, in the emulator: what they take is written at
once, where there is room, and each tile once for both ways in which it is read."""

from __future__ import annotations

import itertools
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


@triton.jit
def in_place_of_others(x, y, a, b, c, out, N: tl.constexpr, S: tl.constexpr, L: tl.constexpr):
    """x @ y, then a @ b and c @ y; c has room where x was, a and b have not."""
    n, s, wide = tl.arange(0, N), tl.arange(0, S), tl.arange(0, L)
    at = out + n[:, None] * N + n[None, :]
    kept = tl.load(y + wide[:, None] * N + n[None, :])
    rows = n[:, None] * L + wide[None, :]
    tl.store(at, tl.dot(tl.load(x + rows), kept))
    tl.debug_barrier()
    left = tl.load(a + n[:, None] * S + s[None, :])
    right = tl.load(b + s[:, None] * N + n[None, :])
    last = tl.load(c + rows)
    tl.store(at + N * N, tl.dot(left, right))
    tl.store(at + 2 * N * N, tl.dot(last, kept))


def test_threads_meet_behind_the_fence(tmp_path: Path):
    """Also where one of the tiles that are written at once waits until others have read."""
    kinds = dict.fromkeys(("x", "y", "a", "b", "c"), "*fp16") | {"out": "*fp32"}
    sizes = {"N": SIZE, "S": 16, "L": 128}
    ttir = ast_to_ttir(
        in_place_of_others,
        kinds | dict.fromkeys(sizes, "constexpr"),
        sizes,
        list(kinds),
        target="cuda:90a",
        num_warps=4,
    )
    text = stages.run(ttir, "cta", target="cuda:90a", num_warps=4).decode()
    steps = re.findall(r"cta\.write .* fenced |gpu\.barrier|cta\.dot ", text)
    kinds_of = ["fence" if "write" in step else step.strip() for step in steps]
    assert kinds_of.count("cta.dot") == 3
    for before, after in itertools.pairwise(kinds_of):
        assert (before, after) != ("fence", "cta.dot")
    kernel = emulate.compile_kernel(ttir, 4, tmp_path)
    generator = torch.Generator().manual_seed(0)
    shapes = ((SIZE, 128), (128, SIZE), (SIZE, 16), (16, SIZE), (SIZE, 128))
    x, y, a, b, c = (torch.randint(-1, 2, one, generator=generator).half() for one in shapes)
    want = [one.double() @ other.double() for one, other in ((x, y), (a, b), (c, y))]
    for seed in (0, 1, 2):
        out = torch.full((3, SIZE, SIZE), float("nan"))
        emulate.launch(kernel, [x, y, a, b, c, out], (1,), seed)
        assert torch.equal(out.double(), torch.stack(want))
