"""Softmaxes over blocks whose maximum is raised only when it has to be: in the emulator."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton_shared import emulate, library
from triton_shared.frontend import ast_to_ttir

INF = float("inf")
ROWS, COLUMNS, DIMS, BLOCK = 64, 160, 16, 32
POINTERS = ("scores", "v", "out", "logs")


@triton.jit
def _plain(
    scores, v, out, logs, R: tl.constexpr, N: tl.constexpr, D: tl.constexpr, B: tl.constexpr
):
    rows, dims = tl.arange(0, R), tl.arange(0, D)
    top = tl.full((R,), -float("inf"), tl.float32)
    weight = tl.zeros((R,), tl.float32)
    total = tl.zeros((R, D), tl.float32)
    for start in range(0, N, B):
        columns = start + tl.arange(0, B)
        s = tl.load(scores + rows[:, None] * N + columns[None, :])
        new_top = tl.maximum(top, tl.max(s, axis=1))
        powers = tl.exp2(s - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        values = tl.load(v + columns[:, None] * D + dims[None, :])
        total = tl.dot(powers.to(tl.float16), values, total * shrink[:, None])
        weight = weight * shrink + tl.sum(powers, axis=1)
        top = new_top
    tl.store(out + rows[:, None] * D + dims[None, :], total / weight[:, None])
    tl.store(logs + rows, top + tl.log2(weight))


@triton.jit
def _natural(
    scores, v, out, logs, R: tl.constexpr, N: tl.constexpr, D: tl.constexpr, B: tl.constexpr
):
    """Of e, sums multiplied after the product, rows without a score set aside, and two loops."""
    rows, dims = tl.arange(0, R), tl.arange(0, D)
    top = tl.full((R,), -float("inf"), tl.float32)
    weight = tl.zeros((R,), tl.float32)
    total = tl.zeros((R, D), tl.float32)
    for part in tl.static_range(2):
        for start in range(part * (N // 2), (part + 1) * (N // 2), B // 2):
            columns = start + tl.arange(0, B // 2)
            s = tl.load(scores + rows[:, None] * N + columns[None, :]) * 0.6931471805599453
            if part == 1:
                s = tl.where(columns[None, :] < N, s, -float("inf"))
            new_top = tl.maximum(tl.max(s, axis=1), top)
            safe = tl.where(new_top == -float("inf"), 0.0, new_top)
            shrink = tl.exp(top - safe)
            powers = tl.exp(s - safe[:, None])
            values = tl.load(v + columns[:, None] * D + dims[None, :])
            total = total * shrink[:, None] + tl.dot(powers.to(tl.float16), values)
            weight = tl.sum(powers, axis=1) + shrink * weight
            top = new_top
    tl.store(out + rows[:, None] * D + dims[None, :], total / weight[:, None])
    tl.store(logs + rows, (top + tl.log(weight)) * 1.4426950408889634)


@triton.jit
def _scaled_late(
    scores, v, out, logs, R: tl.constexpr, N: tl.constexpr, D: tl.constexpr, B: tl.constexpr
):
    """The maximum of scores that are scaled in the exponent, and carried as a column."""
    rows, dims = tl.arange(0, R), tl.arange(0, D)
    scale = tl.load(logs)
    top = tl.full((R, 1), -float("inf"), tl.float32)
    weight = tl.zeros((R, 1), tl.float32)
    total = tl.zeros((R, D), tl.float32)
    for start in range(0, N, B):
        columns = start + tl.arange(0, B)
        s = tl.load(scores + rows[:, None] * N + columns[None, :])
        new_top = tl.maximum(top, tl.max(s, axis=1, keep_dims=True))
        powers = tl.exp2((s - new_top) * scale)
        shrink = tl.exp2((top - new_top) * scale)
        values = tl.load(v + columns[:, None] * D + dims[None, :])
        total = tl.dot(powers.to(tl.float16), values, total * shrink)
        weight = weight * shrink + tl.sum(powers, axis=1, keep_dims=True)
        top = new_top
    tl.store(out + rows[:, None] * D + dims[None, :], total / weight)
    tl.store(logs + rows[:, None], top * scale + tl.log2(weight))


@triton.jit
def _biased(
    scores, v, out, logs, zeros, R: tl.constexpr, N: tl.constexpr, D: tl.constexpr, B: tl.constexpr
):
    """Scores of tensor cores, with a bias: a row lies in one warp."""
    rows, dims = tl.arange(0, R), tl.arange(0, D)
    queries = tl.load(zeros + rows[:, None] * D + dims[None, :])
    top = tl.full((R,), -float("inf"), tl.float32)
    weight = tl.zeros((R,), tl.float32)
    total = tl.zeros((R, D), tl.float32)
    for start in range(0, N, B):
        columns = start + tl.arange(0, B)
        keys = tl.load(zeros + columns[None, :] * D + dims[:, None])
        s = tl.dot(queries, keys) + tl.load(scores + rows[:, None] * N + columns[None, :])
        new_top = tl.maximum(top, tl.max(s, axis=1))
        powers = tl.exp2(s - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        values = tl.load(v + columns[:, None] * D + dims[None, :])
        total = tl.dot(powers.to(tl.float16), values, total * shrink[:, None])
        weight = weight * shrink + tl.sum(powers, axis=1)
        top = new_top
    tl.store(out + rows[:, None] * D + dims[None, :], total / weight[:, None])
    tl.store(logs + rows, top + tl.log2(weight))


@triton.jit
def _biased_and_set_aside(
    scores, v, out, logs, zeros, R: tl.constexpr, N: tl.constexpr, D: tl.constexpr, B: tl.constexpr
):
    """The same of e, where rows without a score have none of its NaNs."""
    rows, dims = tl.arange(0, R), tl.arange(0, D)
    queries = tl.load(zeros + rows[:, None] * D + dims[None, :])
    top = tl.full((R,), -float("inf"), tl.float32)
    weight = tl.zeros((R,), tl.float32)
    total = tl.zeros((R, D), tl.float32)
    for start in range(0, N, B):
        columns = start + tl.arange(0, B)
        keys = tl.load(zeros + columns[None, :] * D + dims[:, None])
        bias = tl.load(scores + rows[:, None] * N + columns[None, :])
        s = tl.dot(queries, keys) + bias * 0.6931471805599453
        new_top = tl.maximum(tl.max(s, axis=1), top)
        safe = tl.where(new_top == -float("inf"), 0.0, new_top)
        shrink = tl.exp(top - safe)
        powers = tl.exp(s - safe[:, None])
        values = tl.load(v + columns[:, None] * D + dims[None, :])
        total = total * shrink[:, None] + tl.dot(powers.to(tl.float16), values)
        weight = tl.sum(powers, axis=1) + shrink * weight
        top = new_top
    tl.store(out + rows[:, None] * D + dims[None, :], total / weight[:, None])
    tl.store(logs + rows, (top + tl.log(weight)) * 1.4426950408889634)


ALL = (_plain, _natural, _scaled_late, _biased, _biased_and_set_aside)
OF_TENSOR_CORES = (_biased, _biased_and_set_aside)


@triton.jit
def _stores_its_maximum(
    scores, v, out, logs, R: tl.constexpr, N: tl.constexpr, D: tl.constexpr, B: tl.constexpr
):
    rows = tl.arange(0, R)
    top = tl.full((R,), -float("inf"), tl.float32)
    weight = tl.zeros((R,), tl.float32)
    for start in range(0, N, B):
        s = tl.load(scores + rows[:, None] * N + (start + tl.arange(0, B))[None, :])
        new_top = tl.maximum(top, tl.max(s, axis=1))
        weight = weight * tl.exp2(top - new_top) + tl.sum(tl.exp2(s - new_top[:, None]), axis=1)
        top = new_top
    tl.store(logs + rows, top)
    tl.store(out + rows, weight)


@triton.jit
def _sums_in_half(
    scores, v, out, logs, R: tl.constexpr, N: tl.constexpr, D: tl.constexpr, B: tl.constexpr
):
    rows = tl.arange(0, R)
    top = tl.full((R,), -float("inf"), tl.float32)
    weight = tl.zeros((R,), tl.float16)
    for start in range(0, N, B):
        s = tl.load(scores + rows[:, None] * N + (start + tl.arange(0, B))[None, :])
        new_top = tl.maximum(top, tl.max(s, axis=1))
        shrink = tl.exp2(top - new_top).to(tl.float16)
        weight = weight * shrink + tl.sum(tl.exp2(s - new_top[:, None]).to(tl.float16), axis=1)
        top = new_top
    tl.store(out + rows, top + tl.log2(weight.to(tl.float32)))


def ttir_of(kernel: Any) -> str:
    types = {"scores": "*fp32", "v": "*fp16", "out": "*fp32", "logs": "*fp32", "zeros": "*fp16"}
    types = {name: kind for name, kind in types.items() if name in kernel.arg_names}
    constants = {"R": ROWS, "N": COLUMNS, "D": DIMS, "B": BLOCK}
    kinds = {**types, **dict.fromkeys(constants, "constexpr")}
    text: str = ast_to_ttir(kernel, kinds, constants, [], target="cuda:90a", num_warps=4)
    return text


def lowered(kernel: Any, folder: Path, mode: str = "deferred") -> str:
    source = folder / "kernel.mlir"
    source.write_text(ttir_of(kernel))
    options = ("--target=cuda:90a", "--num-warps=4", f"--online-softmax={mode}", "--to-phase=cta")
    done = subprocess.run([library.tool(), *options, source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def scores_of(kind: str) -> torch.Tensor:
    """In powers of two."""
    scores = torch.randn(ROWS, COLUMNS, generator=torch.Generator().manual_seed(1)) * 4
    if kind == "growing":
        scores += torch.linspace(-200, 200, COLUMNS)
    elif kind == "growing slowly":
        scores += torch.linspace(0, 30, COLUMNS)
    elif kind == "shrinking":
        scores -= torch.linspace(-200, 200, COLUMNS)
    elif kind == "few":
        scores[::3, 5:] = -INF
        scores[1::3, :-5] = -INF
    return scores


def check_scores(kernel: Any, compiled: emulate.EmulatedKernel, kind: str) -> None:
    """Runs a kernel and compares it with maxima in f64."""
    scores = scores_of(kind)
    values = torch.randn(COLUMNS, DIMS, generator=torch.Generator().manual_seed(2)).half()
    powers = torch.exp2(scores.double() - scores.double().amax(1, keepdim=True))
    want = powers @ values.double() / powers.sum(1, keepdim=True)
    want_logs = scores.double().amax(1) + torch.log2(powers.sum(1))
    # f16 rounds each power once, to 11 bits.
    bound = 2.0**-11 * (powers @ values.double().abs()) / powers.sum(1, keepdim=True) + 1e-5
    nowhere = torch.zeros(ROWS, dtype=torch.bool)
    if kind == "few" and kernel not in (_natural, _biased_and_set_aside):
        # A block without a score leaves no number, as with exact maxima.
        nowhere = (scores[:, :BLOCK] == -INF).all(1)
    out, logs = torch.full((ROWS, DIMS), 7.0), torch.ones(ROWS)
    given = [scores, values, out, logs]
    given += [torch.zeros(COLUMNS, DIMS).half()] * (kernel in OF_TENSOR_CORES)
    emulate.launch(compiled, given, (1,), 0)
    assert torch.equal(logs.isnan(), nowhere)
    torch.testing.assert_close(logs.double()[~nowhere], want_logs[~nowhere], rtol=1e-6, atol=1e-5)
    assert torch.equal(out.isnan().all(1), nowhere)
    assert ((out.double() - want).abs() <= bound)[~nowhere].all()


@pytest.mark.every(2)
@pytest.mark.parametrize("mode", ["exact", "deferred", "speculative"])
@pytest.mark.parametrize("kernel", ALL)
def test_results_are_those_of_exact_maxima(kernel: Any, mode: str, tmp_path: Path):
    compiled = emulate.compile_kernel(ttir_of(kernel), 4, tmp_path, online_softmax=mode)
    assert ("vote" in compiled.llvm) == (mode != "exact")
    for kind in ("alike", "growing", "growing slowly", "shrinking", "few"):
        check_scores(kernel, compiled, kind)


@pytest.mark.parametrize("kernel", ALL)
def test_loops_are_found_however_they_are_spelled(kernel: Any, tmp_path: Path):
    loops = 2 if kernel is _natural else 1
    assert lowered(kernel, tmp_path).count("cta.rescale") == loops
    # Where rows lie across warps, these would have to agree.
    again = lowered(kernel, tmp_path, "speculative").count("cta.warp_any")
    assert again == (kernel in OF_TENSOR_CORES)


@pytest.mark.parametrize("kernel", [_stores_its_maximum, _sums_in_half])
def test_what_depends_on_the_maximum_itself_keeps_it(kernel: Any, tmp_path: Path):
    for mode in ("deferred", "speculative"):
        text = lowered(kernel, tmp_path, mode)
        assert "cta.rescale" not in text
        assert "cta.warp_any" not in text
        assert "-8.0" not in text
