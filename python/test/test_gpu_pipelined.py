"""Loops whose loads run ahead, in the emulator: copies, waits and slots are where they must be."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from corpus_runs import Run
from test_gpu_emulated import check
from triton_shared import emulate
from triton_shared.emulate import EmulationError


@triton.jit
def _matmul(
    a, b, o, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TURNED: tl.constexpr
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        inside = ks < K - k
        left = tl.load(
            a + (rows % M)[:, None] * K + k + ks[None, :], mask=inside[None, :], other=0.0
        )
        if TURNED:
            at = b + (columns % N)[None, :] * K + k + ks[:, None]
        else:
            at = b + (k + ks)[:, None] * N + (columns % N)[None, :]
        right = tl.load(at, mask=inside[:, None], other=0.0)
        total = tl.dot(left, right, total)
    inside = (rows < M)[:, None] & (columns < N)[None, :]
    tl.store(o + rows[:, None] * N + columns[None, :], total, mask=inside)


def matmul(
    kind: str, m: int, n: int, k: int, block: tuple[int, int, int], turned: bool = False
) -> tuple[dict, Run]:
    """A case and its launch."""
    signature = {"a": kind, "b": kind, "o": "*fp32", "M": "i32", "N": "i32", "K": "i32"}
    names = ("BM", "BN", "BK")
    case = {
        "fn": _matmul,
        "sig": signature,
        "const": {**dict(zip(names, block, strict=True)), "TURNED": turned},
        "opts": {},
    }
    grid = (triton.cdiv(m, block[0]), triton.cdiv(n, block[1]))
    sizes = {"a": max(m * k, 1), "b": max(n * k, 1), "o": m * n}
    return case, Run({"M": m, "N": n, "K": k}, sizes=sizes, grid=grid)


def lowered(folder: Path, warps: int = 4, stages: int = 3) -> str:
    """What became of the kernel that `check` left there."""
    return emulate.lower((folder / "kernel.mlir").read_text(), warps, folder, stages)


# 0 to 5 turns: fewer than stages, as many, more.
@pytest.mark.every(2)
@pytest.mark.parametrize("k", [0, 32, 64, 96, 160])
@pytest.mark.parametrize("stages", [2, 3, 4])
def test_every_number_of_turns(k: int, stages: int, tmp_path: Path):
    case, run = matmul("*fp16", 32, 32, k, (32, 32, 32))
    check(case, run, tmp_path, warps=4, stages=stages)
    assert "cp.async" in lowered(tmp_path, stages=stages)


def test_one_stage_loads_nothing_ahead(tmp_path: Path):
    case, run = matmul("*fp16", 32, 32, 64, (32, 32, 32))
    check(case, run, tmp_path, warps=4, stages=1)
    assert "cp.async" not in lowered(tmp_path, stages=1)


@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize("turned", [False, True])
def test_bounds_and_wrapped_rows(turned: bool, warps: int, tmp_path: Path):
    # 48 of 64 rows, 80 of 128 columns, a last turn of 16 instead of 32.
    case, run = matmul("*fp16", 48, 80, 80, (32, 64, 32), turned)
    check(case, run, tmp_path, warps=warps)
    assert "cp.async" in lowered(tmp_path, warps)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", ["*bf16", "*fp32", "*fp8e4nv"])
def test_element_types(kind: str, turned: bool, tmp_path: Path):
    case, run = matmul(kind, 32, 64, 96, (32, 64, 32), turned)
    check(case, run, tmp_path, warps=4)
    assert "cp.async" in lowered(tmp_path)


def test_rows_that_begin_anywhere_are_not_copied(tmp_path: Path):
    case, run = matmul("*fp16", 32, 33, 65, (32, 32, 32))
    check(case, run, tmp_path, warps=4)
    assert "cp.async" not in lowered(tmp_path)


@triton.jit
def _attention(q, k, v, o, n, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    queries = tl.load(q + rows[:, None] * D + dims[None, :])
    top = tl.full((BM,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((BM,), dtype=tl.float32)
    total = tl.zeros((BM, D), dtype=tl.float32)
    for start in range(0, n, BN):
        columns = start + tl.arange(0, BN)
        keys = tl.load(k + columns[None, :] * D + dims[:, None])
        scores = tl.dot(queries, keys) * 0.1
        new_top = tl.maximum(top, tl.max(scores, axis=1))
        powers = tl.exp2(scores - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        values = tl.load(v + columns[:, None] * D + dims[None, :])
        total = tl.dot(powers.to(values.dtype), values, total * shrink[:, None])
        weight = weight * shrink + tl.sum(powers, axis=1)
        top = new_top
    tl.store(o + rows[:, None] * D + dims[None, :], total / weight[:, None])


# The queries of 32 rows per warp are read again in each turn, those of 16 are kept.
@pytest.mark.parametrize("warps", [2, 4])
def test_attention(warps: int, tmp_path: Path):
    case = {
        "fn": _attention,
        "sig": {**dict.fromkeys("qkv", "*fp16"), "o": "*fp32", "n": "i32"},
        "const": {"D": 128, "BM": 64, "BN": 32},
        "opts": {},
    }
    sizes = {"q": 64 * 128, "k": 96 * 128, "v": 96 * 128, "o": 64 * 128}
    check(case, Run({"n": 96}, sizes=sizes), tmp_path, warps=warps)
    assert "cp.async" in lowered(tmp_path, warps)


@triton.jit
def _powers(x, o, n, B: tl.constexpr):
    i, j = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    factor = tl.load(o + i * B + j)
    for k in range(n):
        last = tl.load(x + k * B * B + i * B + j)
        product = tl.dot(last, factor)
        tl.store(x + (k + 1) * B * B + i * B + j, product.to(last.dtype))


def test_a_loop_that_reads_what_it_wrote(tmp_path: Path):
    case = {
        "fn": _powers,
        "sig": {"x": "*fp16", "o": "*fp16", "n": "i32"},
        "const": {"B": 32},
        "opts": {},
    }
    check(case, Run({"n": 3}), tmp_path, warps=4)
    assert "cp.async" not in lowered(tmp_path)


# The emulator itself: what it must find.

_LLVM = """
module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    llvm.mlir.global external @cta_shared() {{addr_space = 3 : i32, alignment = 1024 : i64}} : !llvm.array<0 x i8>
    llvm.func @f(%x: !llvm.ptr<1>) attributes {{cta.num_warps = 1 : i32, cta.shared = 512 : i64, nvvm.kernel}} {{
      %yes = llvm.mlir.constant(true) : i1
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %one = llvm.mlir.constant(1 : i32) : i32
      %next = llvm.xor %tid, %one : i32
      %shared = llvm.mlir.addressof @cta_shared : !llvm.ptr<3>
      %mine = llvm.getelementptr %shared[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %other = llvm.getelementptr %shared[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %place = llvm.ptrtoint %mine : !llvm.ptr<3> to i32
      %from = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      {body}
      llvm.return
    }}
  }}
}}
"""  # noqa: E501

_COPY = (
    'llvm.inline_asm has_side_effects "@$0 cp.async.ca.shared.global [$1], [$2], 4;", "b,r,l" '
    "%yes, %place, %from : (i1, i32, !llvm.ptr<1>) -> ()\n"
)
_COMMIT, _WAIT = "nvvm.cp.async.commit.group\n", "nvvm.cp.async.wait.group 0\n"
_BARRIER = "nvvm.barrier0\n"
_READ = "%v = llvm.load %other : !llvm.ptr<3> -> i32\nllvm.store %v, %from : i32, !llvm.ptr<1>\n"


def launch(body: str, folder: Path) -> torch.Tensor:
    """The 32 numbers after a block of 32 threads has run."""
    x = torch.arange(32, dtype=torch.int32)
    kernel = emulate.build_kernel(_LLVM.format(body=body), folder)
    emulate.launch(kernel, [x], (1,))
    return x


def test_the_emulator_copies(tmp_path: Path):
    got = launch(_COPY + _COMMIT + _WAIT + _BARRIER + _READ, tmp_path)
    assert got.tolist() == [i ^ 1 for i in range(32)]


def test_addresses_of_shared_memory_count_from_its_begin(tmp_path: Path):
    lines = """
      %far = llvm.getelementptr %shared[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %constant = llvm.ptrtoint %far : !llvm.ptr<3> to i32
      %v = llvm.add %place, %constant : i32
      llvm.store %v, %from : i32, !llvm.ptr<1>
    """
    assert launch(lines, tmp_path).tolist() == [128 + 4 * i for i in range(32)]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (_COPY + _COMMIT + _BARRIER + _READ, "still copies"),
        (_COPY + _COMMIT + _WAIT + _READ, "still copies|since the last barrier|nobody has written"),
        (_COPY + _COMMIT, "copies are under way"),
        (_COPY + _COMMIT + _COPY + _COMMIT + _WAIT, "still copies"),
        (
            _COPY + _COMMIT + _WAIT + _BARRIER + _READ + _COPY + _COMMIT + _WAIT,
            "since the last barrier",
        ),
    ],
)
def test_the_emulator_finds_misplaced_copies(body: str, message: str, tmp_path: Path):
    with pytest.raises(EmulationError, match=message):
        launch(body, tmp_path)
