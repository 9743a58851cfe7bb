"""Scans on a GPU, run by the emulator: elements meet in order, wherever threads hold them."""

from __future__ import annotations

from pathlib import Path

import pytest
import triton
import triton.language as tl
from corpus_runs import Run
from test_gpu_emulated import check


@triton.jit
def _then(a, b, c, d):
    # x -> a x + b, then x -> c x + d: the order matters.
    return a * c, b * c + d


@triton.jit
def _scans(x, o, ROWS: tl.constexpr, COLUMNS: tl.constexpr, REVERSE: tl.constexpr):
    size: tl.constexpr = ROWS * COLUMNS
    flat = tl.arange(0, size)
    place = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    v = tl.load(x + flat)
    w = tl.load(x + place)
    a, b = tl.associative_scan((v, v + 1), 0, _then, reverse=REVERSE)
    c, d = tl.associative_scan((w, w + 1), 0, _then, reverse=REVERSE)
    e, f = tl.associative_scan((w, w + 1), 1, _then, reverse=REVERSE)
    tl.store(o + flat, a ^ (b * 3))
    tl.store(o + size + place, c ^ (d * 3))
    tl.store(o + 2 * size + place, e ^ (f * 3))


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("rows", "columns"), [(32, 16), (2, 256)])
def test_scans_keep_the_order_of_elements(
    rows: int, columns: int, reverse: bool, warps: int, tmp_path: Path
):
    const = {"ROWS": rows, "COLUMNS": columns, "REVERSE": reverse}
    case = {"fn": _scans, "sig": {"x": "*i32", "o": "*i32"}, "const": const, "opts": {}}
    check(case, Run(), tmp_path, warps=warps)


@triton.jit
def _scans_itself(x, o, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    v = tl.load(x + at)
    a, b = tl.associative_scan((v, v), 0, _then)
    tl.store(o + at, a ^ (b * 3))


def test_both_operands_may_be_the_same_block(tmp_path: Path):
    signature = {"x": "*i32", "o": "*i32"}
    case = {"fn": _scans_itself, "sig": signature, "const": {"SIZE": 256}, "opts": {}}
    check(case, Run(), tmp_path, warps=4)
