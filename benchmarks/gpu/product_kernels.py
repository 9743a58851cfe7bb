"""Kernels of matrix products in the forms that people write: one source for both compilers."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def _tile(number, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """Row and column of a tile; tiles go down eight before the next column."""
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = number // (8 * tiles_n)
    height = min(tiles_m - group * 8, 8)
    return group * 8 + (number % (8 * tiles_n)) % height, (number % (8 * tiles_n)) // height


@triton.jit
def described(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a @ b^T, all by descriptors."""
    tile_m, tile_n = _tile(tl.program_id(0), M, N, BM, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        left = a.load([tile_m * BM, k * BK])
        right = b.load([tile_n * BN, k * BK])
        total = tl.dot(left, right.T, total)
    c.store([tile_m * BM, tile_n * BN], total.to(c.dtype))


@triton.jit
def persistent(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a @ b^T, all by descriptors; a program computes tile after tile."""
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    for number in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=True):
        tile_m, tile_n = _tile(number, M, N, BM, BN)
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, tl.cdiv(K, BK)):
            left = a.load([tile_m * BM, k * BK])
            right = b.load([tile_n * BN, k * BK])
            total = tl.dot(left, right.T, total)
        c.store([tile_m * BM, tile_n * BN], total.to(c.dtype))


@triton.jit
def split(
    a, b, c, M, N, K, a_row, a_column, b_row, b_column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PARTS: tl.constexpr,
):  # fmt: skip
    """c += a @ b, of which each program sums a part of K."""
    tile_m, tile_n = _tile(tl.program_id(0), M, N, BM, BN)
    rows = tile_m * BM + tl.arange(0, BM)
    columns = tile_n * BN + tl.arange(0, BN)
    ks = tl.program_id(1) * BK + tl.arange(0, BK)
    a_at = a + (rows % M)[:, None] * a_row + ks[None, :] * a_column
    b_at = b + ks[:, None] * b_row + (columns % N)[None, :] * b_column
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK * PARTS)):
        left = tl.load(a_at, mask=ks[None, :] < K - k * BK * PARTS, other=0.0)
        right = tl.load(b_at, mask=ks[:, None] < K - k * BK * PARTS, other=0.0)
        total = tl.dot(left, right, total)
        a_at += BK * PARTS * a_column
        b_at += BK * PARTS * b_row
    inside = (rows < M)[:, None] & (columns < N)[None, :]
    tl.atomic_add(c + rows[:, None] * N + columns[None, :], total, mask=inside, sem="relaxed")


@triton.jit
def streamed(
    a, b, c, M, N, K, a_row, a_column, b_row, b_column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """c += a @ b; programs share all turns of all tiles evenly, wherever tiles begin."""
    turns = tl.cdiv(K, BK)
    all_turns = tl.cdiv(M, BM) * tl.cdiv(N, BN) * turns
    share = tl.cdiv(all_turns, tl.num_programs(0))
    turn = tl.program_id(0) * share
    last = min(turn + share, all_turns)
    while turn < last:
        tile_m, tile_n = _tile(turn // turns, M, N, BM, BN)
        tl.assume(tile_m >= 0)
        tl.assume(tile_n >= 0)
        first = turn % turns
        count = min(last - turn, turns - first)
        rows = tile_m * BM + tl.arange(0, BM)
        columns = tile_n * BN + tl.arange(0, BN)
        ks = first * BK + tl.arange(0, BK)
        a_at = a + (rows % M)[:, None] * a_row + ks[None, :] * a_column
        b_at = b + ks[:, None] * b_row + (columns % N)[None, :] * b_column
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, count):
            left = tl.load(a_at, mask=ks[None, :] < K - k * BK, other=0.0)
            right = tl.load(b_at, mask=ks[:, None] < K - k * BK, other=0.0)
            total = tl.dot(left, right, total)
            a_at += BK * a_column
            b_at += BK * b_row
        inside = (rows < M)[:, None] & (columns < N)[None, :]
        tl.atomic_add(c + rows[:, None] * N + columns[None, :], total, mask=inside, sem="relaxed")
        turn += count


@triton.jit
def batched(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c[i] = a[i] @ b[i], all row-major."""
    tile_m, tile_n = _tile(tl.program_id(0), M, N, BM, BN)
    batch = tl.program_id(1).to(tl.int64)
    rows = tile_m * BM + tl.arange(0, BM)
    columns = tile_n * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    a_at = a + batch * M * K + (rows % M)[:, None] * K + ks[None, :]
    b_at = b + batch * K * N + ks[:, None] * N + (columns % N)[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        left = tl.load(a_at, mask=ks[None, :] < K - k * BK, other=0.0)
        right = tl.load(b_at, mask=ks[:, None] < K - k * BK, other=0.0)
        total = tl.dot(left, right, total)
        a_at += BK
        b_at += BK * N
    inside = (rows < M)[:, None] & (columns < N)[None, :]
    c_at = c + batch * M * N + rows[:, None] * N + columns[None, :]
    tl.store(c_at, total.to(c.dtype.element_ty), mask=inside)


@triton.jit
def gated(
    a, gate, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):  # fmt: skip
    """silu(a @ gate) * (a @ b), all row-major: two products of one matrix."""
    tile_m, tile_n = _tile(tl.program_id(0), M, N, BM, BN)
    rows = tile_m * BM + tl.arange(0, BM)
    columns = tile_n * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    a_at = a + (rows % M)[:, None] * K + ks[None, :]
    place = ks[:, None] * N + (columns % N)[None, :]
    gate_at, b_at = gate + place, b + place
    opened = tl.zeros((BM, BN), dtype=tl.float32)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        left = tl.load(a_at, mask=ks[None, :] < K - k * BK, other=0.0)
        inside = ks[:, None] < K - k * BK
        opened = tl.dot(left, tl.load(gate_at, mask=inside, other=0.0), opened)
        total = tl.dot(left, tl.load(b_at, mask=inside, other=0.0), total)
        a_at += BK
        gate_at += BK * N
        b_at += BK * N
    total *= opened * tl.sigmoid(opened)
    c_at = c + rows[:, None] * N + columns[None, :]
    inside = (rows < M)[:, None] & (columns < N)[None, :]
    tl.store(c_at, total.to(c.dtype.element_ty), mask=inside)


@triton.jit
def grouped(
    addresses, sizes, c, COUNT: tl.constexpr, IS_WHOLE: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Products of several sizes, whose matrices (a, b, c, row-major) lie at `addresses`, results in
    `c`. Programs take tiles in turn, product after product. Whole tiles, of rows that are
    aligned, have no masks."""
    number = tl.program_id(0)
    before = 0
    for i in range(COUNT):
        M, N, K = tl.load(sizes + 3 * i), tl.load(sizes + 3 * i + 1), tl.load(sizes + 3 * i + 2)
        tiles_n = tl.cdiv(N, BN)
        tiles = tl.cdiv(M, BM) * tiles_n
        while number >= before and number < before + tiles:
            a = tl.load(addresses + 3 * i).to(tl.pointer_type(tl.float16))
            b = tl.load(addresses + 3 * i + 1).to(tl.pointer_type(tl.float16))
            out = tl.load(addresses + 3 * i + 2).to(tl.pointer_type(c.dtype.element_ty))
            rows = (number - before) // tiles_n * BM + tl.arange(0, BM)
            columns = (number - before) % tiles_n * BN + tl.arange(0, BN)
            ks = tl.arange(0, BK)
            a_at = a + rows[:, None] * K + ks[None, :]
            b_at = b + ks[:, None] * N + columns[None, :]
            out_at = out + rows[:, None] * N + columns[None, :]
            row_inside, column_inside = (rows < M)[:, None], (columns < N)[None, :]
            total = tl.zeros((BM, BN), dtype=tl.float32)
            for k in range(0, tl.cdiv(K, BK)):
                if IS_WHOLE:
                    # What is read from memory says nothing about its alignment.
                    left = tl.load(tl.multiple_of(a_at, [16, 16]))
                    right = tl.load(tl.multiple_of(b_at, [16, 16]))
                else:
                    inside = ks < K - k * BK
                    left = tl.load(a_at, mask=row_inside & inside[None, :], other=0.0)
                    right = tl.load(b_at, mask=inside[:, None] & column_inside, other=0.0)
                total = tl.dot(left, right, total)
                a_at += BK
                b_at += BK * N
            if IS_WHOLE:
                tl.store(out_at, total.to(c.dtype.element_ty))
            else:
                tl.store(out_at, total.to(c.dtype.element_ty), mask=row_inside & column_inside)
            number += tl.num_programs(0)
        before += tiles


@triton.jit
def with_small_weights(
    a, b, scale, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """c = a @ (b * scale): `b` of i8, row-major, one scale for each of its columns."""
    tile_m, tile_n = _tile(tl.program_id(0), M, N, BM, BN)
    rows = tile_m * BM + tl.arange(0, BM)
    columns = tile_n * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    a_at = a + (rows % M)[:, None] * K + ks[None, :]
    b_at = b + ks[:, None] * N + (columns % N)[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        left = tl.load(a_at, mask=ks[None, :] < K - k * BK, other=0.0)
        right = tl.load(b_at, mask=ks[:, None] < K - k * BK, other=0)
        total = tl.dot(left, right.to(left.dtype), total)
        a_at += BK
        b_at += BK * N
    scales = tl.load(scale + columns, mask=columns < N, other=0.0).to(tl.float32)
    inside = (rows < M)[:, None] & (columns < N)[None, :]
    c_at = c + rows[:, None] * N + columns[None, :]
    tl.store(c_at, (total * scales[None, :]).to(c.dtype.element_ty), mask=inside)


@triton.jit
def block_scaled(
    a, b, scale_a, scale_b, c, M, N, K, A: tl.constexpr, B: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """c = a @ b^T of formats A and B; 32 neighbours along K have one scale, a power of two. Whole
    blocks only, as the bytes of two numbers each."""
    A_BYTES: tl.constexpr = BK // 2 if A == "e2m1" else BK
    B_BYTES: tl.constexpr = BK // 2 if B == "e2m1" else BK
    tile_m, tile_n = _tile(tl.program_id(0), M, N, BM, BN)
    rows = tile_m * BM + tl.arange(0, BM)
    columns = tile_n * BN + tl.arange(0, BN)
    groups = tl.arange(0, BK // 32)
    a_at = a + rows[:, None] * (K // BK * A_BYTES) + tl.arange(0, A_BYTES)[None, :]
    b_at = b + columns[None, :] * (K // BK * B_BYTES) + tl.arange(0, B_BYTES)[:, None]
    scale_a_at = scale_a + rows[:, None] * (K // 32) + groups[None, :]
    scale_b_at = scale_b + columns[:, None] * (K // 32) + groups[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K // BK):
        left_scale, right_scale = tl.load(scale_a_at), tl.load(scale_b_at)
        left, right = tl.load(a_at), tl.load(b_at)
        total = tl.dot_scaled(left, left_scale, A, right, right_scale, B, total)
        a_at += A_BYTES
        b_at += B_BYTES
        scale_a_at += BK // 32
        scale_b_at += BK // 32
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(c.dtype.element_ty))
