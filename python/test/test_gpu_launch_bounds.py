"""How far the boxes of a launch begin: what the compiler says of it, and what a launch does."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from fake_cuda import Array, FakeCuda
from test_cuda_launch import Launch
from triton_shared import library
from triton_shared.cuda import launcher
from triton_shared.frontend import ast_to_ttir

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.gpu.attention_kernels import attention

END = 1 << 30

# What the compiler says.


@triton.jit
def first_block(x, y, FORM: tl.constexpr):
    p, q = tl.program_id(0), tl.program_id(1)
    if FORM == "sum of products":
        return p * x + q * y + 3
    elif FORM == "quotient":
        return p // x + q // 4
    elif FORM == "quotient of programs":
        return x // (p + 1)
    elif FORM == "remainder":
        return p % x * y
    elif FORM == "remainder of programs":
        return (p * y) % (q + 1)
    elif FORM == "minimum":
        return tl.minimum(p, x) + tl.minimum(q, 2)
    elif FORM == "maximum":
        return tl.maximum(p, x)
    elif FORM == "choice":
        return tl.where(p > 1, x, q)
    elif FORM == "wide":
        return p.to(tl.int64) * x
    elif FORM == "narrow":
        return (p.to(tl.int64) * x).to(tl.int32)
    elif FORM == "grid":
        return tl.num_programs(0) * y + p
    elif FORM == "not before the first":
        return tl.maximum(p - x, 0)
    elif FORM == "backwards":
        return tl.num_programs(0) - 1 - p
    else:
        return x - p


FORMS: dict[str, Callable[[int, int, int, int, int], int]] = {
    "sum of products": lambda p, q, x, y, g: p * x + q * y + 3,
    "quotient": lambda p, q, x, y, g: p // x + q // 4,
    "quotient of programs": lambda p, q, x, y, g: x // (p + 1),
    "remainder": lambda p, q, x, y, g: p % x * y,
    "remainder of programs": lambda p, q, x, y, g: p * y % (q + 1),
    "minimum": lambda p, q, x, y, g: min(p, x) + min(q, 2),
    "maximum": lambda p, q, x, y, g: max(p, x),
    "choice": lambda p, q, x, y, g: x if p > 1 else q,
    "wide": lambda p, q, x, y, g: p * x,
    "narrow": lambda p, q, x, y, g: p * x,
    "grid": lambda p, q, x, y, g: g * y + p,
    "not before the first": lambda p, q, x, y, g: max(p - x, 0),
}
"""By the numbers of the program, two arguments, and the size of the grid along x."""


@triton.jit
def blocks(a, b, c, x, y, turns, FORM: tl.constexpr, B: tl.constexpr):
    """Products of blocks of rows that begin where a form says."""
    rows, ks = tl.arange(0, B), tl.arange(0, B)
    start = first_block(x, y, FORM)
    total = tl.zeros((B, B), dtype=tl.float32)
    for turn in range(0, turns):
        left = tl.load(a + ((start + turn) * B + rows)[:, None] * B + ks[None, :])
        right = tl.load(b + (turn * B + rows)[:, None] * B + ks[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * B + ks[None, :], total)


B = 64


def facts_of(form: str) -> dict[str, Any]:
    kinds = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "x": "i32", "y": "i32", "turns": "i32"}
    constants = {"FORM": form, "B": B}
    kinds |= dict.fromkeys(constants, "constexpr")
    ttir = ast_to_ttir(blocks, kinds, constants, ["a", "b", "c"], target="cuda:90a", num_warps=4)
    words = "target=cuda:90a num-warps=4 pointer-maps=assumed to-phase=gpu"
    done = library.compile_text(ttir, words, printed_by_triton=True)
    assert done.succeeded, done.diagnostics
    facts: dict[str, Any] = json.loads(done.metadata)
    return facts


def compute(steps: list[tuple[str, int]], arguments: list[int], grid: tuple[int, int, int]) -> int:
    stack: list[int] = []
    known = {"constant": lambda number: number, "argument": arguments.__getitem__}
    known["grid"] = grid.__getitem__
    binary = {"add": int.__add__, "multiply": int.__mul__, "divide": int.__floordiv__}
    for word, number in steps:
        if word in known:
            stack.append(known[word](number))
        else:
            right = stack.pop()
            stack.append(binary[word](stack.pop(), right))
    (result,) = stack
    return result


@pytest.mark.parametrize("form", FORMS)
def test_no_program_comes_further_than_its_bounds(form: str):
    facts = facts_of(form)
    assert facts["assumes_maps"]
    bounds = facts["launch_bounds"]
    for x, y, turns in itertools.product((1, 2, 5), (1, 7), (1, 3)):
        for grid in ((1, 1, 1), (4, 3, 1), (9, 8, 1)):
            programs = itertools.product(range(grid[0]), range(grid[1]))
            starts = [FORMS[form](p, q, x, y, grid[0]) for p, q in programs]
            most = (max(starts) + turns - 1) * B
            arguments = [0, 0, 0, x, y, turns]
            found = max(compute(steps, arguments, grid) for steps in bounds)
            assert most <= found <= 2 * most + (x + y + grid[0] * y + turns + 8) * B


@pytest.mark.parametrize("form", ["backwards", "difference"])
def test_what_may_begin_before_a_tensor_is_asked_by_the_program(form: str):
    facts = facts_of(form)
    assert not facts["assumes_maps"]
    assert facts["launch_bounds"] == []
    assert "tensor_maps.missing" in [one["kind"] for one in facts["hidden"]]


# What a launch does.


def push(*numbers: int) -> list[tuple[str, int]]:
    return [("constant", number) for number in numbers]


ARGUMENT = [("argument", 0)]
HELD = [
    ("argument", ARGUMENT, "i32", END - 1, END),
    ("wide", ARGUMENT, "i64", END - 1, 1 << 62),
    ("unsigned", ARGUMENT, "u32", END - 1, (1 << 32) - 1),
    ("negative", ARGUMENT, "i32", 0, -1),
    ("add", [*ARGUMENT, *push(5), ("add", 0)], "i32", END - 6, END - 5),
    ("multiply", [*ARGUMENT, *push(8), ("multiply", 0)], "i32", END // 8 - 1, END // 8),
    ("divide", [*ARGUMENT, *push(2), ("divide", 0)], "i64", 2 * END - 1, 2 * END),
    ("by zero", [*push(7), *ARGUMENT, ("divide", 0)], "i32", 1, 0),
    ("below zero", [*ARGUMENT, *push(-3), ("add", 0)], "i32", 3, 2),
    ("overflow", [*ARGUMENT, *ARGUMENT, ("multiply", 0)], "i64", 3, 1 << 32),
    ("grid", [("grid", 1), *ARGUMENT, ("multiply", 0)], "i32", END // 2 - 1, END // 2),
]


@pytest.mark.parametrize(
    ("steps", "kind", "within", "beyond"), [one[1:] for one in HELD], ids=[one[0] for one in HELD]
)
def test_a_launch_beyond_its_bounds_is_refused_without_another_form(
    steps: Any, kind: str, within: int, beyond: int, cuda: FakeCuda
):
    compiled = "i" + kind[1:]
    run = Launch({"x": kind}, [compiled], launch_bounds=[push(1), steps])
    run(within, grid=(1, 2, 1))
    assert len(cuda.launches()) == 1
    with pytest.raises(ValueError, match="kernel 'kernel' copies by TMA, where blocks begin below"):
        run(beyond, grid=(1, 2, 1))
    assert not cuda.launches()


def test_an_empty_grid_comes_nowhere(cuda: FakeCuda):
    Launch({"x": "i32"}, ["i32"], launch_bounds=[ARGUMENT])(END, grid=(0, 1, 1))


def attend(heads: int, length: int) -> Any:
    tensors = [Array(dtype=torch.float16)] * 4
    sizes = {"D": 64, "BM": 64, "BN": 64, "num_warps": 4}
    return attention[(length // 64, heads)](*tensors, length, 0.1, **sizes)


def test_an_attention_by_pointers_has_one_form(cuda: FakeCuda):
    kernel = attend(8, 1024)
    assert kernel.metadata.assumes_maps
    assert kernel.metadata.launch_bounds
    assert "tensor_maps.missing" not in [one["kind"] for one in kernel.metadata.hidden]
    assert len(cuda.launches()) == 1


def test_a_launch_beyond_its_bounds_takes_the_guarded_form(
    cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch
):
    """So programs whose boxes begin below 2^30 still load boxes."""
    made: list[SimpleNamespace] = []
    original = launcher.make_launcher

    def make(source: Any, metadata: Any) -> Any:
        made.append(metadata)
        return original(source, metadata)

    monkeypatch.setattr(launcher, "make_launcher", make)
    for _ in range(2):
        attend(1 << 15, 1 << 16)
    assert len(cuda.launches()) == 2
    kinds = [[one["kind"] for one in metadata.hidden] for metadata in made]
    assert ["tensor_maps.missing" in one for one in kinds].count(True) == 1


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ([*ARGUMENT, *push(2), ("remainder", 0)], "unknown step 'remainder' of a bound"),
        ([("grid", 3)], "unknown step 'grid' of a bound"),
        ([*push(2), ("add", 0)], "a step of a bound has no operands"),
        (push(1, 2), "a bound is one number"),
    ],
)
def test_a_bound_that_no_launcher_can_compute_is_refused(steps: Any, problem: str, cuda: FakeCuda):
    with pytest.raises(ValueError, match=problem):
        Launch({"x": "i32"}, ["i32"], launch_bounds=[steps])
