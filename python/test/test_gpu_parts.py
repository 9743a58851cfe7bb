"""Blocks that are split, joined and put one after the other on a GPU: in the emulator."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from test_gpu_boxes import flat, matrix
from test_gpu_specialized import COPIES, described
from triton_shared import emulate
from triton_shared.frontend import ast_to_ttir

ORDERS = (0, 1, 2, 3)
TYPES = {
    "*i8": torch.int8, "*i16": torch.int16, "*i32": torch.int32, "*i64": torch.int64,
    "*fp16": torch.float16, "*bf16": torch.bfloat16, "*fp32": torch.float32,
    "*fp64": torch.float64, "*fp8e4nv": torch.float8_e4m3fn, "*fp8e5": torch.float8_e5m2,
    "*i1": torch.bool,
}  # fmt: skip


def compile_plain(
    kernel: Any, types: dict[str, str], constants: dict[str, Any], folder: Path, warps: int = 4
) -> emulate.EmulatedKernel:
    kinds = {**types, **dict.fromkeys(constants, "constexpr")}
    pointers = [name for name, kind in types.items() if kind.startswith("*")]
    ttir = ast_to_ttir(kernel, kinds, constants, pointers, target="cuda:90a", num_warps=warps)
    return emulate.compile_kernel(ttir, warps, folder)


@triton.jit
def _split_and_join(x, out, R: tl.constexpr, C: tl.constexpr):
    """By each dimension: neighbours, halves of rows, halves of the rows."""
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    block = tl.load(x + at)
    even, odd = tl.split(tl.reshape(block, (R, C // 2, 2)))
    left, right = tl.split(tl.permute(tl.reshape(block, (R, 2, C // 2)), (0, 2, 1)))
    upper, lower = tl.split(tl.permute(tl.reshape(block, (2, R // 2, C)), (1, 2, 0)))
    part: tl.constexpr = R * C // 2
    half = tl.arange(0, part)
    tl.store(out + half, tl.reshape(odd, (part,)))
    tl.store(out + part + half, tl.reshape(right, (part,)))
    tl.store(out + 2 * part + half, tl.reshape(lower, (part,)))
    tl.store(out + 3 * part + at, tl.reshape(tl.join(odd, even), (R, C)))
    swapped = tl.permute(tl.join(right, left), (0, 2, 1))
    tl.store(out + 5 * part + at, tl.reshape(swapped, (R, C)))
    both = tl.cat(tl.reshape(lower, (part,)), tl.reshape(upper, (part,)), can_reorder=True)
    tl.store(out + 7 * part + tl.arange(0, 2 * part), both)


@triton.jit
def _of_all_types(
    a, b, c, d, e, f, g, h, i, j, k, oa, ob, oc, od, oe, of, og, oh, oi, oj, ok,
    R: tl.constexpr, C: tl.constexpr,
):  # fmt: skip
    _split_and_join(a, oa, R, C)
    _split_and_join(b, ob, R, C)
    _split_and_join(c, oc, R, C)
    _split_and_join(d, od, R, C)
    _split_and_join(e, oe, R, C)
    _split_and_join(f, of, R, C)
    _split_and_join(g, og, R, C)
    _split_and_join(h, oh, R, C)
    _split_and_join(i, oi, R, C)
    _split_and_join(j, oj, R, C)
    _split_and_join(k, ok, R, C)


def bits(values: torch.Tensor) -> torch.Tensor:
    """What can be moved in every type."""
    return values.view({1: torch.uint8, 2: torch.int16}.get(values.element_size(), values.dtype))


def wanted(x: torch.Tensor) -> torch.Tensor:
    rows = x.shape[0]
    pairs, halves = x.view(rows, -1, 2), x.view(rows, 2, -1)
    upper, lower = x.chunk(2)
    parts = [pairs[..., 1], halves[:, 1], lower, pairs.flip(2), halves.flip(1), lower, upper]
    return torch.cat([part.reshape(-1) for part in parts])


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (128, 64),
        (2, 2),
        pytest.param(8, 4, marks=pytest.mark.nightly),
        pytest.param(2, 128, marks=pytest.mark.nightly),
    ],
)
def test_parts_of_every_type(rows: int, columns: int, tmp_path: Path):
    """Of large blocks nothing whole is exchanged between threads: a part of bytes, to be stored."""
    names = [chr(ord("a") + number) for number in range(len(TYPES))]
    types = dict(zip(names, TYPES, strict=True))
    types |= {f"o{name}": kind for name, kind in types.items()}
    kernel = compile_plain(_of_all_types, types, {"R": rows, "C": columns}, tmp_path)
    assert kernel.shared <= 8192
    sources, results = [], []
    for dtype in TYPES.values():
        generator = torch.Generator().manual_seed(rows)
        source = torch.randint(0, 120, (rows, columns), generator=generator)
        sources.append((source % 2 if dtype == torch.bool else source).to(dtype))
        results.append(torch.zeros(9 * rows * columns // 2).to(dtype))
    for order in ORDERS:
        emulate.launch(kernel, [*sources, *results], (1,), order)
        for source, result in zip(sources, results, strict=True):
            assert torch.equal(bits(result), wanted(bits(source))), source.dtype
            bits(result).zero_()


@triton.jit
def _in_a_loop(x, out, n, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M * N)
    block = tl.load(x + at)
    for turn in range(n):
        a, b = tl.split(block.reshape(M * N // 2, 2))
        if turn % 2:
            a, b = b + 1, a
        block = tl.join(b, a).reshape([M * N]) + block
        block = tl.trans(block.reshape(M, N)).reshape([M * N])
    tl.store(out + at, block)


def test_parts_in_a_loop(tmp_path: Path):
    types = {"x": "*i32", "out": "*i32", "n": "i32"}
    kernel = compile_plain(_in_a_loop, types, {"M": 16, "N": 32}, tmp_path)
    x = torch.arange(512, dtype=torch.int32) * 7 % 64
    for n in (0, 1, 4):
        want = x
        for turn in range(n):
            a, b = want.view(256, 2).unbind(1)
            if turn % 2:
                a, b = b + 1, a
            want = want + torch.stack((b, a), 1).flatten()
            want = want.view(16, 32).T.flatten()
        out = torch.zeros_like(x)
        emulate.launch(kernel, (x, out, n), (1,), n)
        assert torch.equal(out, want)


@triton.jit
def _of_a_product(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr):
    k = tl.arange(0, K)
    x = tl.load(a + tl.arange(0, M)[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + tl.arange(0, N)[None, :])
    sums = tl.dot(x, y)
    if ROWS:
        parts = tl.permute(tl.reshape(sums, (2, M // 2, N)), (1, 2, 0))
        first, second = tl.split(parts)
        at = tl.arange(0, M // 2)[:, None] * N + tl.arange(0, N)[None, :]
    else:
        first, second = tl.split(tl.permute(tl.reshape(sums, (M, 2, N // 2)), (0, 2, 1)))
        at = tl.arange(0, M)[:, None] * (N // 2) + tl.arange(0, N // 2)[None, :]
    tl.store(out + at, first * 2)
    tl.store(out + M * N // 2 + at, second + first)


@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize(("m", "n", "warps"), [(128, 64, 4), (64, 128, 8), (16, 32, 1)])
def test_parts_of_a_product(m: int, n: int, warps: int, rows: bool, tmp_path: Path):
    """Also where several warps hold the parts: they are exchanged then."""
    types = {"a": "*fp16", "b": "*fp16", "out": "*fp32"}
    constants = {"M": m, "N": n, "K": 32, "ROWS": rows}
    kernel = compile_plain(_of_a_product, types, constants, tmp_path, warps)
    a, b = matrix(m, 32, torch.float16).contiguous(), matrix(32, n, torch.float16).contiguous()
    first, second = (a.double() @ b.double()).float().chunk(2, 0 if rows else 1)
    want = torch.stack((first * 2, second + first))
    for order in ORDERS:
        out = torch.zeros_like(want)
        emulate.launch(kernel, (a, b, out), (1,), order)
        assert torch.equal(out, want)


@triton.jit
def _persistent(
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    IN_HALVES: tl.constexpr, IS_ASKED: tl.constexpr,
):  # fmt: skip
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    first = tl.program_id(0)
    for tile in tl.range(first, tiles, tl.num_programs(0), flatten=True, warp_specialize=IS_ASKED):
        m, n = tile % tl.cdiv(M, BM) * BM, tile // tl.cdiv(M, BM) * BN
        sums = tl.zeros((BM, BN), tl.float32)
        for k in range(tl.cdiv(K, BK)):
            sums = tl.dot(a.load([m, k * BK]), b.load([n, k * BK]).T, sums)
        if IN_HALVES:
            halves = tl.permute(tl.reshape(sums, (BM, 2, BN // 2)), (0, 2, 1))
            left, right = tl.split(halves)
            c.store([m, n], left.to(c.dtype))
            c.store([m, n + BN // 2], right.to(c.dtype))
        else:
            c.store([m, n], sums.to(c.dtype))


ELEMENTS = {"fp16": torch.float16, "fp8e4nv": torch.float8_e4m3fn}


def persistent_text(
    blocks: tuple[int, int, int], in_halves: bool, element: str, warps: int, is_asked: bool = False
) -> str:
    bm, bn, bk = blocks
    types = {"a": described(bm, bk, element), "b": described(bn, bk, element)}
    types |= {"c": described(bm, bn // (1 + in_halves), element)} | dict.fromkeys("MNK", "i32")
    constants = {"BM": bm, "BN": bn, "BK": bk, "IN_HALVES": in_halves, "IS_ASKED": is_asked}
    kinds = {**types, **dict.fromkeys(constants, "constexpr")}
    return ast_to_ttir(_persistent, kinds, constants, [], target="cuda:90a", num_warps=warps)


def check_persistent(kernel: emulate.EmulatedKernel, element: str, sizes: tuple[int, ...]) -> None:
    dtype = ELEMENTS[element]
    m, n, k = sizes
    a, b = (matrix(rows, k, torch.float16).clamp(-2, 2) for rows in (m, n))
    want = (a.double() @ b.T.double()).to(dtype)
    given = matrix(m, k, dtype), matrix(n, k, dtype), matrix(m, n, dtype)
    given[0].copy_(a)
    given[1].copy_(b)
    emulate.launch(kernel, [*flat(given), m, n, k], (1,), seed=3)
    assert torch.equal(given[2].view(torch.uint8), want.view(torch.uint8))


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize(("is_asked", "where"), [(False, "never"), (True, "auto")])
def test_halves_of_a_tile_are_stored_through_one_descriptor(
    element: str, is_asked: bool, where: str, tmp_path: Path
):
    """Both by the copy engine, and nothing goes through shared memory but what it copies."""
    text = persistent_text((64, 128, 64), True, element, 4, is_asked)
    kernel = emulate.compile_kernel(text, 4, tmp_path, specialize_warps=where)
    assert (COPIES in kernel.llvm) == is_asked
    assert kernel.llvm.count("cp.async.bulk.tensor.2d.global.shared::cta") == 2
    slots, stores = 3 * (64 + 128) * 64, 64 * 128
    bytes_of_all = (slots + stores * is_asked) * ELEMENTS[element].itemsize
    assert bytes_of_all <= kernel.shared < bytes_of_all + 2048
    check_persistent(kernel, element, (100, 144, 160))


def shared_bytes(text: str, stages: int, folder: Path) -> int:
    llvm = emulate.lower(text, 8, folder, num_stages=stages)
    assert COPIES in llvm
    match = re.search(r"cta\.shared = (\d+)", llvm)
    assert match
    return int(match[1])


@pytest.mark.parametrize("in_halves", [False, True])
def test_a_result_leaves_room_for_a_fourth_slot(in_halves: bool, tmp_path: Path):
    """It is staged in parts then, of which one is copied while threads write the next."""
    text = persistent_text((128, 256, 64), in_halves, "fp16", 8)
    slot, tile, parts = (128 + 256) * 64 * 2, 128 * 256 * 2, 2 * 128 * 128
    assert 0 <= shared_bytes(text, 3, tmp_path) - (3 * slot + tile) < 2048
    assert 0 <= shared_bytes(text, 4, tmp_path) - (4 * slot + parts) < 2048


@pytest.mark.parametrize("in_halves", [False, True])
def test_results_that_are_stored_in_parts(in_halves: bool, tmp_path: Path):
    text = persistent_text((64, 256, 64), in_halves, "fp16", 4)
    kernel = emulate.compile_kernel(text, 4, tmp_path, num_stages=5)
    assert kernel.llvm.count("cp.async.bulk.wait_group.read 1;") == 2
    assert kernel.shared < 5 * (64 + 256) * 64 * 2 + 2 * 64 * 128 + 2048
    check_persistent(kernel, "fp16", (70, 264, 144))
