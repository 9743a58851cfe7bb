"""Packs of neighbours and histograms on a GPU, run by the emulator."""

from __future__ import annotations

from pathlib import Path

import pytest
import triton
import triton.language as tl
from corpus_runs import Run, small, zeros
from test_gpu_emulated import check


@triton.jit
def _order(x0, x1, y0, y1):
    if x0 > x1:
        return x1, x0, y1, y0
    return x0, x1, y0, y1


@triton.jit
def _pairs(x, y, o, SHAPE: tl.constexpr, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    v, w = tl.load(x + at).reshape(SHAPE), tl.load(y + at).reshape(SHAPE)
    v, w = tl.map_elementwise(_order, v, w, pack=2)
    tl.store(o + at, v.reshape(SIZE) * 100 + w.reshape(SIZE))


@pytest.mark.parametrize("shape", [(2,), (512,), (16, 8)])
def test_pairs_of_neighbours(shape: tuple[int, ...], tmp_path: Path):
    size = 1
    for dimension in shape:
        size *= dimension
    signature = {"x": "*i32", "y": "*i16", "o": "*i32"}
    case = {"fn": _pairs, "sig": signature, "const": {"SHAPE": shape, "SIZE": size}, "opts": {}}
    check(case, Run(fills={"y": small(-9, 9)}), tmp_path, warps=4)


@triton.jit
def _halves_of_bytes(x, low, high, N: tl.constexpr):
    at = tl.arange(0, N)
    a, b = tl.inline_asm_elementwise(
        """{
            .reg .b32 t;
            and.b32 $0, $2, 0x0F0F0F0F;
            shr.u32 t, $2, 4;
            and.b32 $1, t, 0x0F0F0F0F;
        }""",
        "=r,=r,r",
        [tl.load(x + at)],
        dtype=(tl.int8, tl.int8),
        is_pure=True,
        pack=4,
    )
    tl.store(low + at, a)
    tl.store(high + at, b)


@pytest.mark.parametrize("size", [4, 512])
def test_packed_assembly_has_several_results(size: int, tmp_path: Path):
    signature = dict.fromkeys(("x", "low", "high"), "*i8")
    case = {"fn": _halves_of_bytes, "sig": signature, "const": {"N": size}, "opts": {}}
    check(case, Run(fills={"x": small(-128, 127)}), tmp_path, warps=4)


@triton.jit
def _counts(x, o, n, N: tl.constexpr, BINS: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    counts = tl.histogram(v, BINS) + 1000 * tl.histogram(v, BINS, mask=at < n)
    tl.store(o + tl.arange(0, BINS), counts)


@pytest.mark.parametrize(("size", "bins"), [(64, 1), (1, 1), (256, 1), (256, 8)])
def test_histograms(size: int, bins: int, tmp_path: Path):
    signature = {"x": "*i32", "o": "*i32", "n": "i32"}
    case = {"fn": _counts, "sig": signature, "const": {"N": size, "BINS": bins}, "opts": {}}
    run = Run({"n": size - size // 3}, {"x": small(-1, bins), "o": zeros})
    check(case, run, tmp_path, warps=4)
