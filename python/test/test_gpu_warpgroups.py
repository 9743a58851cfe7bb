"""Products of warpgroups (`wgmma`) in the emulator: every place that operands can come from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import triton
import triton.language as tl
from corpus_runs import Run
from test_gpu_emulated import check
from test_gpu_pipelined import _attention, lowered, matmul
from triton_shared import emulate

WGMMA = "wgmma.mma_async"


# Rows and columns of a result shared by 1, 2 and 4 groups of warps, in either direction.
@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("block", "warps"),
    [
        ((64, 16, 16), 4), ((64, 32, 32), 4), ((128, 64, 64), 4), ((64, 256, 32), 4),
        ((128, 128, 64), 8), ((64, 128, 64), 8), ((256, 32, 128), 8), ((64, 64, 32), 16),
    ],
)  # fmt: skip
@pytest.mark.parametrize("turned", [False, True])
def test_tiles(block: tuple[int, int, int], warps: int, turned: bool, tmp_path: Path):
    case, run = matmul("*fp16", block[0], block[1], 3 * block[2], block, turned)
    check(case, run, tmp_path, warps=warps)
    assert WGMMA in lowered(tmp_path, warps)


@pytest.mark.every(3)
@pytest.mark.parametrize("k", [0, 32, 64, 96, 160])
@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_every_number_of_turns(k: int, stages: int, tmp_path: Path):
    case, run = matmul("*bf16", 64, 32, k, (64, 32, 32))
    check(case, run, tmp_path, warps=4, stages=stages)
    text = lowered(tmp_path, stages=stages)
    # A product goes on while the next turn begins where its operands are copied ahead.
    assert ("wgmma.wait_group.sync.aligned 1" in text) == (stages > 1)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", ["*fp16", "*bf16"])
def test_bounds_and_wrapped_rows(kind: str, turned: bool, tmp_path: Path):
    # 80 of 128 rows, 48 of 64 columns, a last turn of 16 instead of 32.
    case, run = matmul(kind, 80, 48, 80, (128, 64, 32), turned)
    check(case, run, tmp_path, warps=4)
    assert WGMMA in lowered(tmp_path)


# Rows that begin anywhere are not copied by threads: they pass through registers.
def test_rows_that_begin_anywhere(tmp_path: Path):
    case, run = matmul("*fp16", 64, 33, 65, (64, 32, 32))
    check(case, run, tmp_path, warps=4)
    assert WGMMA in lowered(tmp_path)
    assert not re.search(r"cp\.async\.(ca|cg|commit)", lowered(tmp_path))


@pytest.mark.parametrize("warps", [4, 8])
def test_the_left_operand_of_a_chain_stays_in_registers(warps: int, tmp_path: Path):
    case = {
        "fn": _attention,
        "sig": {**dict.fromkeys("qkv", "*fp16"), "o": "*fp32", "n": "i32"},
        "const": {"D": 64, "BM": 128, "BN": 32},
        "opts": {},
    }
    sizes = {"q": 128 * 64, "k": 96 * 64, "v": 96 * 64, "o": 128 * 64}
    check(case, Run({"n": 96}, sizes=sizes), tmp_path, warps=warps)
    assert WGMMA in lowered(tmp_path, warps)


# Of fewer rows than a wgmma has, the transposed product is computed.
@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("rows", "block", "warps"),
    [(16, (16, 64, 32), 4), (1, (16, 128, 64), 8), (17, (32, 64, 64), 4), (9, (32, 256, 32), 8)],
)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", ["*fp16", "*bf16"])
def test_few_rows(
    kind: str, rows: int, block: tuple[int, int, int], warps: int, turned: bool, tmp_path: Path
):
    # The last columns and turns are cut off.
    case, run = matmul(kind, rows, 2 * block[1] - 16, 3 * block[2] - 16, block, turned)
    check(case, run, tmp_path, warps=warps)
    text = lowered(tmp_path, warps)
    assert WGMMA in text
    assert "cp.async" in text
    assert "ldmatrix" not in text


@triton.jit
def _of_turned(a, b, o, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.trans(tl.load(a + k[:, None] * M + m[None, :]))
    right = tl.trans(tl.load(b + n[:, None] * K + k[None, :]))
    tl.store(o + m[:, None] * N + n[None, :], tl.dot(left, right))


def test_transposed_operands(tmp_path: Path):
    sizes = {"M": 64, "N": 32, "K": 64}
    case = {
        "fn": _of_turned,
        "sig": {"a": "*fp16", "b": "*fp16", "o": "*fp32"},
        "const": sizes,
        "opts": {},
    }
    check(case, Run({}, sizes={"a": 64 * 64, "b": 64 * 32, "o": 64 * 32}), tmp_path, warps=4)
    assert WGMMA in lowered(tmp_path)


@triton.jit
def _bytes(a, b, o, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, ks = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.int32)
    for k in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + k + ks[None, :])
        right = tl.load(b + n[None, :] * K + k + ks[:, None])
        total = tl.dot(left, right, total, out_dtype=tl.int32)
    tl.store(o + m[:, None] * BN + n[None, :], total)


@pytest.mark.parametrize(("rows", "columns"), [(64, 32), (16, 64)])
def test_integers(rows: int, columns: int, tmp_path: Path):
    case = {
        "fn": _bytes,
        "sig": {"a": "*i8", "b": "*i8", "o": "*i32", "K": "i32"},
        "const": {"BM": rows, "BN": columns, "BK": 64},
        "opts": {},
    }
    sizes = {"a": rows * 192, "b": columns * 192, "o": rows * columns}
    check(case, Run({"K": 192}, sizes=sizes), tmp_path, warps=4)
    assert WGMMA in lowered(tmp_path)


@triton.jit
def _rounded(a, b, o, K, RIGHT_K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m, n, ks = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, 32)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, 32):
        left = tl.load(a + m[:, None] * K + k + ks[None, :])
        at = n[None, :] * K + k + ks[:, None] if RIGHT_K else (k + ks)[:, None] * BN + n[None, :]
        total = tl.dot(left, tl.load(b + at), total, input_precision="tf32")
    tl.store(o + m[:, None] * BN + n[None, :], total)


# Elements that are not of 16 bits are read along K alone: others are turned on the way.
@pytest.mark.parametrize("along_k", [True, False])
def test_tf32(along_k: bool, tmp_path: Path):
    case = {
        "fn": _rounded,
        "sig": {"a": "*fp32", "b": "*fp32", "o": "*fp32", "K": "i32"},
        "const": {"RIGHT_K": along_k, "BM": 64, "BN": 32},
        "opts": {},
    }
    sizes = {"a": 64 * 96, "b": 32 * 96, "o": 64 * 32}
    check(case, Run({"K": 96}, sizes=sizes), tmp_path, warps=4)
    assert WGMMA in lowered(tmp_path)


@triton.jit
def _leaves_early(a, b, o, n, B: tl.constexpr):
    i, j = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    total = tl.zeros((B, B), tl.float32)
    k = 0
    while k < n:
        if k % 2 == 0:
            total = tl.dot(tl.load(a + k * B * B + i * B + j), tl.load(b + i * B + j), total)
        else:
            total = total * 0.5
        k += 1
    tl.store(o + i * B + j, total)


def test_sums_that_are_scaled_and_conditional(tmp_path: Path):
    case = {
        "fn": _leaves_early,
        "sig": {"a": "*fp16", "b": "*fp16", "o": "*fp32", "n": "i32"},
        "const": {"B": 64},
        "opts": {},
    }
    sizes = {"a": 5 * 64 * 64, "b": 64 * 64, "o": 64 * 64}
    check(case, Run({"n": 5}, sizes=sizes), tmp_path, warps=4)
    assert WGMMA in lowered(tmp_path)


@pytest.mark.parametrize("k", [0, 32, 96])
def test_sums_that_fill_all_registers_take_more_warps(k: int, tmp_path: Path):
    """128x256 of f32 are 256 registers of each thread of four warps, and 128 of eight."""
    case, run = matmul("*fp16", 128, 256, k, (128, 256, 32))
    check(case, run, tmp_path, warps=4, stages=2, keeps_warps=False)
    text = (tmp_path / "kernel.mlir").read_text()
    for keeps_warps, threads in ((False, 256), (True, 128)):
        made = emulate.lower(text, 4, tmp_path, 2, keeps_warps)
        assert WGMMA in made
        assert f"nvvm.reqntid = array<i32: {threads}, 1, 1>" in made
