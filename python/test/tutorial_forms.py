"""Products as Triton's tutorials 03, 08, 09 and 10 write them, in the words of this project.

Elements are small whole numbers, so that sums are exact in any order.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from product_forms import Trial, whole
from triton.tools.tensor_descriptor import TensorDescriptor

PROGRAMS = 3
"""Of kernels that go from tile to tile."""


@triton.jit
def _place(number, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    """Row and column of a tile; so many tiles go down before the next column."""
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = number // (GROUP * tiles_n)
    height = min(tiles_m - group * GROUP, GROUP)
    return group * GROUP + number % height, number % (GROUP * tiles_n) // height


@triton.jit
def _leaky(x):
    return tl.where(x >= 0, x, 0.25 * x)


@triton.jit
def with_assumptions(
    a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row, c_column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACTIVATION: tl.constexpr,
):  # fmt: skip
    """Tutorial 03: what the front end is told of strides and places, then an activation."""
    tile_m, tile_n = _place(tl.program_id(0), M, N, BM, BN, 8)
    tl.assume(tile_m >= 0)
    tl.assume(tile_n >= 0)
    tl.assume(a_row > 0)
    tl.assume(a_column > 0)
    tl.assume(b_column > 0)
    tl.assume(b_row > 0)
    tl.assume(c_row > 0)
    tl.assume(c_column > 0)
    rows = (tile_m * BM + tl.arange(0, BM)) % M
    columns = (tile_n * BN + tl.arange(0, BN)) % N
    ks = tl.arange(0, BK)
    a_at = a + (rows[:, None] * a_row + ks[None, :] * a_column)
    b_at = b + (ks[:, None] * b_row + columns[None, :] * b_column)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        left = tl.load(a_at, mask=ks[None, :] < K - k * BK, other=0.0)
        right = tl.load(b_at, mask=ks[:, None] < K - k * BK, other=0.0)
        total = tl.dot(left, right, total)
        a_at += BK * a_column
        b_at += BK * b_row
    if ACTIVATION == "leaky":
        total = _leaky(total)
    rows = tile_m * BM + tl.arange(0, BM)
    columns = tile_n * BN + tl.arange(0, BN)
    c_at = c + c_row * rows[:, None] + c_column * columns[None, :]
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_at, total.to(c.dtype.element_ty), mask=inside)


@triton.jit
def persistent_by_pointers(
    a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row, c_column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    """Tutorial 09: rows beyond the end are the first; what is stored has a number of its own."""
    first = tl.program_id(0)
    stored = first - PROGRAMS
    in_block = tl.arange(0, BK)
    for number in tl.range(first, tl.cdiv(M, BM) * tl.cdiv(N, BN), PROGRAMS, flatten=True):
        tile_m, tile_n = _place(number, M, N, BM, BN, 8)
        rows, columns = tile_m * BM + tl.arange(0, BM), tile_n * BN + tl.arange(0, BN)
        rows, columns = tl.where(rows < M, rows, 0), tl.where(columns < N, columns, 0)
        rows = tl.max_contiguous(tl.multiple_of(rows, BM), BM)
        columns = tl.max_contiguous(tl.multiple_of(columns, BN), BN)
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(tl.cdiv(K, BK)):
            ks = k * BK + tl.arange(0, BK)
            a_at = a + (rows[:, None] * a_row + ks[None, :] * a_column)
            b_at = b + (ks[:, None] * b_row + columns[None, :] * b_column)
            left = tl.load(a_at, mask=in_block[None, :] < K - k * BK, other=0.0)
            right = tl.load(b_at, mask=in_block[:, None] < K - k * BK, other=0.0)
            total = tl.dot(left, right, total)
        stored += PROGRAMS
        tile_m, tile_n = _place(stored, M, N, BM, BN, 8)
        rows, columns = tile_m * BM + tl.arange(0, BM), tile_n * BN + tl.arange(0, BN)
        c_at = c + c_row * rows[:, None] + c_column * columns[None, :]
        inside = (rows[:, None] < M) & (columns[None, :] < N)
        tl.store(c_at, total.to(c.dtype.element_ty), mask=inside)


@triton.jit
def _store(c, total, row, column, BM: tl.constexpr, BN: tl.constexpr, IN_HALVES: tl.constexpr):
    if IN_HALVES:
        halves = tl.permute(tl.reshape(total, (BM, 2, BN // 2)), (0, 2, 1))
        left, right = tl.split(halves)
        c.store([row, column], left.to(c.dtype))
        c.store([row, column + BN // 2], right.to(c.dtype))
    else:
        c.store([row, column], total.to(c.dtype))


@triton.jit
def _persistent(
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    PROGRAMS: tl.constexpr, IN_HALVES: tl.constexpr, IS_ASKED: tl.constexpr,
):  # fmt: skip
    first = tl.program_id(0)
    stored = first - PROGRAMS
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    for number in tl.range(first, tiles, PROGRAMS, flatten=True, warp_specialize=IS_ASKED):
        tile_m, tile_n = _place(number, M, N, BM, BN, 8)
        row, column = tile_m * BM, tile_n * BN
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(tl.cdiv(K, BK)):
            left = a.load([row, k * BK])
            total = tl.dot(left, b.load([column, k * BK]).T, total)
        stored += PROGRAMS
        tile_m, tile_n = _place(stored, M, N, BM, BN, 8)
        _store(c, total, tile_m * BM, tile_n * BN, BM, BN, IN_HALVES)


@triton.jit
def persistent_by_descriptors(
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    PROGRAMS: tl.constexpr, IN_HALVES: tl.constexpr, IS_ASKED: tl.constexpr,
):  # fmt: skip
    """Tutorial 09: descriptors that the launch makes."""
    _persistent(a, b, c, M, N, K, BM, BN, BK, PROGRAMS, IN_HALVES, IS_ASKED)


@triton.jit
def persistent_by_own_descriptors(
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    PROGRAMS: tl.constexpr, IN_HALVES: tl.constexpr, IS_ASKED: tl.constexpr,
):  # fmt: skip
    """Tutorial 09: descriptors that the kernel makes."""
    a = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN // 2 if IN_HALVES else BN])
    _persistent(a, b, c, M, N, K, BM, BN, BK, PROGRAMS, IN_HALVES, IS_ASKED)


@triton.jit
def _listed(places, rows, number, ELEMENT: tl.constexpr):
    """Where a matrix of a list begins, and how far its rows are apart."""
    return tl.load(places).to(tl.pointer_type(ELEMENT)), tl.load(rows + number)


@triton.jit
def group_by_descriptors(
    a_list, b_list, c_list, sizes, rows, results, count,
    PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Tutorial 08: descriptors of matrices whose addresses and sizes lie in memory. Where the
    `results` are, it is not told otherwise; they tell it what they are made of."""
    ELEMENT: tl.constexpr = results.dtype.element_ty
    number = tl.program_id(0)
    before = 0
    for i in range(count):
        M, N, K = tl.load(sizes + i * 3), tl.load(sizes + i * 3 + 1), tl.load(sizes + i * 3 + 2)
        tiles_n = tl.cdiv(N, BN)
        tiles = tl.cdiv(M, BM) * tiles_n
        if number >= before and number < before + tiles:
            a_ptr, a_row = _listed(a_list + i, rows + i * 3, 0, ELEMENT)
            b_ptr, b_row = _listed(b_list + i, rows + i * 3, 1, ELEMENT)
            c_ptr, c_row = _listed(c_list + i, rows + i * 3, 2, ELEMENT)
            a = tl.make_tensor_descriptor(a_ptr, [M, K], [a_row, 1], [BM, BK])
            b = tl.make_tensor_descriptor(b_ptr, [N, K], [b_row, 1], [BN, BK])
            c = tl.make_tensor_descriptor(c_ptr, [M, N], [c_row, 1], [BM, BN])
            while number >= before and number < before + tiles:
                row, column = (number - before) // tiles_n * BM, (number - before) % tiles_n * BN
                total = tl.zeros((BM, BN), dtype=tl.float32)
                for k in range(0, tl.cdiv(K, BK)):
                    left = a.load([row, k * BK])
                    total += tl.dot(left, b.load([column, k * BK]).T)
                c.store([row, column], total.to(ELEMENT))
                number += PROGRAMS
        before = before + tiles


@triton.jit
def group_by_pointers(
    a_list, b_list, c_list, sizes, rows, results, count,
    PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Tutorial 08: whole tiles of matrices whose addresses, sizes and rows lie in memory, so that
    nothing is known of where rows of the results begin."""
    ELEMENT: tl.constexpr = results.dtype.element_ty
    number = tl.program_id(0)
    before = 0
    down, right, deep = tl.arange(0, BM)[:, None], tl.arange(0, BN)[None, :], tl.arange(0, BK)
    for i in range(count):
        M, N, K = tl.load(sizes + i * 3), tl.load(sizes + i * 3 + 1), tl.load(sizes + i * 3 + 2)
        tiles_n = tl.cdiv(N, BN)
        tiles = tl.cdiv(M, BM) * tiles_n
        while number >= before and number < before + tiles:
            a_ptr, a_row = _listed(a_list + i, rows + i * 3, 0, ELEMENT)
            b_ptr, b_row = _listed(b_list + i, rows + i * 3, 1, ELEMENT)
            c_ptr, c_row = _listed(c_list + i, rows + i * 3, 2, ELEMENT)
            row, column = (number - before) // tiles_n * BM, (number - before) % tiles_n * BN
            left = a_ptr + (row + down) * a_row + deep[None, :]
            above = b_ptr + deep[:, None] * b_row + column + right
            total = tl.zeros((BM, BN), dtype=tl.float32)
            for _ in range(0, tl.cdiv(K, BK)):
                tl.multiple_of(left, [16, 16])
                tl.multiple_of(above, [16, 16])
                total += tl.dot(tl.load(left), tl.load(above))
                left += BK
                above += BK * b_row
            tl.store(c_ptr + (row + down) * c_row + column + right, total.to(ELEMENT))
            number += PROGRAMS
        before = before + tiles


@triton.jit
def block_scaled(
    a, a_scale, b, b_scale, c, K, A: tl.constexpr, B: tl.constexpr, GROUP: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """Tutorial 10: scales lie in blocks of 32 x 4 x 4, and come by descriptors of five
    dimensions."""
    high: tl.constexpr = BM // 128
    wide: tl.constexpr = BN // 128
    deep: tl.constexpr = BK // GROUP // 4
    tile_m, tile_n = tl.program_id(0), tl.program_id(1)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, tl.cdiv(K, BK), num_stages=STAGES):
        left = a.load([tile_m * BM, k * BK // (2 if A == "e2m1" else 1)])
        right = b.load([tile_n * BN, k * BK // (2 if B == "e2m1" else 1)])
        left_scale = a_scale.load([0, tile_m * high, k * deep, 0, 0])
        right_scale = b_scale.load([0, tile_n * wide, k * deep, 0, 0])
        left_scale = left_scale.reshape(high, deep, 32, 4, 4).trans(0, 3, 2, 1, 4)
        right_scale = right_scale.reshape(wide, deep, 32, 4, 4).trans(0, 3, 2, 1, 4)
        left_scale = left_scale.reshape(BM, BK // GROUP)
        right_scale = right_scale.reshape(BN, BK // GROUP)
        total = tl.dot_scaled(left, left_scale, A, right.T, right_scale, B, total)
    c.store([tile_m * BM, tile_n * BN], total.to(c.dtype))


#
# Launches
#

TILE = {"BM": 64, "BN": 64, "BK": 32}


def _count(m: int, n: int) -> int:
    return triton.cdiv(m, TILE["BM"]) * triton.cdiv(n, TILE["BN"])


def _product(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    return (a.double() @ b.double()).to(out.dtype).double()


def tutorial_03(m: int, n: int, k: int) -> Trial:
    a, b, out = whole(m, k), whole(k, n), torch.zeros(m, n, dtype=torch.float16)
    given = (a, b, out, m, n, k, *a.stride(), *b.stride(), *out.stride())
    want = _product(a, b, out)
    return Trial(
        lambda: with_assumptions[(_count(m, n),)](*given, ACTIVATION="leaky", **TILE),
        out,
        torch.where(want >= 0, want, 0.25 * want),
    )


def tutorial_09_by_pointers(m: int, n: int, k: int, is_turned: bool = False) -> Trial:
    a, out = whole(m, k), torch.zeros(m, n, dtype=torch.float16)
    b = whole(n, k).T if is_turned else whole(k, n)
    given = (a, b, out, m, n, k, *a.stride(), *b.stride(), *out.stride())
    return Trial(
        lambda: persistent_by_pointers[(PROGRAMS,)](*given, PROGRAMS=PROGRAMS, **TILE),
        out,
        _product(a, b, out),
    )


def _described(x: torch.Tensor, block: list[int]) -> TensorDescriptor:
    return TensorDescriptor(x, list(x.shape), list(x.stride()), block)


def tutorial_09(
    m: int, n: int, k: int, in_halves: bool, is_asked: bool, own: bool, element: torch.dtype
) -> Trial:
    """Sizes that a launch says are multiples of 16, as the kernel's own descriptors want it."""
    n, k = triton.cdiv(n, 16) * 16, triton.cdiv(k, 16) * 16
    a, b = whole(m, k).clamp(-2, 2).to(element), whole(n, k).clamp(-2, 2).to(element)
    out = torch.zeros(m, n).to(element)
    bm, bn, bk = TILE["BM"], TILE["BN"], TILE["BK"]
    blocks = [(a, [bm, bk]), (b, [bn, bk]), (out, [bm, bn // (1 + in_halves)])]
    given: list[Any] = [x if own else _described(x, block) for x, block in blocks]
    kernel = persistent_by_own_descriptors if own else persistent_by_descriptors
    constants = {"PROGRAMS": PROGRAMS, "IN_HALVES": in_halves, "IS_ASKED": is_asked, **TILE}
    want = (a.double() @ b.double().T).to(element).double()
    return Trial(lambda: kernel[(PROGRAMS,)](*given, m, n, k, **constants), out, want)


def _grouped(kernel: Any, m: int, n: int, k: int, is_turned: bool) -> Trial:
    """Two products, of which the second is twice as high, in one tensor. `is_turned`: of rows along
    K on the right, too."""
    heights = (m, 2 * m)
    sizes = [3 * m * k, 2 * n * k, 3 * m * n]
    memory = torch.zeros(sum(sizes), dtype=torch.float16)
    a, b, out = memory.split(sizes)
    a, b, out = a.view(3 * m, k), b.view(2, *((n, k) if is_turned else (k, n))), out.view(3 * m, n)
    a.copy_(whole(*a.shape))
    b.copy_(whole(*b.shape))
    lefts, rights, results = a.split(heights), list(b), out.split(heights)
    addresses = [torch.tensor([x.data_ptr() for x in xs]) for xs in (lefts, rights, results)]
    shapes = torch.tensor([[height, n, k] for height in heights], dtype=torch.int32)
    rows = torch.tensor([[k, b.shape[2], n]] * 2, dtype=torch.int32)
    given = (*addresses, shapes, rows, out, 2)
    constants = {"PROGRAMS": PROGRAMS, **TILE}
    rights = [y.T if is_turned else y for y in rights]
    want = torch.cat([x.double() @ y.double() for x, y in zip(lefts, rights, strict=True)])
    return Trial(lambda: kernel[(PROGRAMS,)](*given, **constants), out, want.half().double())


def tutorial_08(m: int, n: int, k: int) -> Trial:
    n, k = triton.cdiv(n, 8) * 8, triton.cdiv(k, 8) * 8
    return _grouped(group_by_descriptors, m, n, k, is_turned=True)


def tutorial_08_by_pointers(m: int, n: int, k: int) -> Trial:
    """Of so many whole tiles as sizes need."""
    m, n, k = (
        triton.cdiv(size, TILE[name]) * TILE[name]
        for name, size in (("BM", m), ("BN", n), ("BK", k))
    )
    return _grouped(group_by_pointers, m, n, k, is_turned=False)


FLOATS_OF_4_BITS = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def _operand(kind: str, rows: int, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """What a kernel is given, and what it means."""
    rng = torch.Generator().manual_seed(rows + len(kind))
    codes = torch.randint(0, 16, (rows, k), generator=rng)
    values = FLOATS_OF_4_BITS[codes % 8] * torch.where(codes >= 8, -1.0, 1.0)
    if kind == "e2m1":
        return (codes[:, ::2] | codes[:, 1::2] << 4).to(torch.uint8), values
    return values.to(torch.float8_e4m3fn), values


def tutorial_10(left: str, right: str, group: int = 32) -> Trial:
    """One block of 128 rows and columns, and two along K."""
    m, n, k = 128, 128, 256
    rng = torch.Generator().manual_seed(group)
    given: list[Any] = []
    operands = []
    for kind, rows in ((left, m), (right, n)):
        x, values = _operand(kind, rows, k)
        shape = (1, rows // 128, k // group // 4, 32, 16)
        if group == 32:
            codes = torch.randint(126, 129, shape, generator=rng, dtype=torch.uint8)
            scales, meant = codes, torch.exp2(codes.double() - 127)
        else:
            scales = (2.0 ** torch.randint(-1, 2, shape, generator=rng)).to(torch.float8_e4m3fn)
            meant = scales.double()
        packed = meant.view(rows // 128, k // group // 4, 32, 4, 4)
        flat = packed.permute(0, 3, 2, 1, 4).reshape(rows, k // group)
        operands.append(values.double() * flat.repeat_interleave(group, 1))
        depth = 128 // (2 if kind == "e2m1" else 1)
        block = [1, rows // 128, 128 // group // 4, 2, 256]
        seen = scales.view(1, rows // 128, k // group // 4, 2, 256)
        given += [_described(x, [128, depth]), _described(seen, block)]
    out = torch.zeros(m, n)
    constants = {"A": left, "B": right, "GROUP": group, "BM": 128, "BN": 128, "BK": 128}
    want = operands[0] @ operands[1].T
    return Trial(
        lambda: block_scaled[(1, 1)](
            *given, _described(out, [128, 128]), k, STAGES=2, num_warps=8, **constants
        ),
        out,
        want,
    )
