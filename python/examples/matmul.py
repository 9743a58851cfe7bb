"""Matrix multiplication: pointers carried through the K loop, plain and in groups.

The plain kernel masks every edge. The grouped one visits its tiles in an order that reuses rows of
`a`, and wraps rows and columns past the end back to the start: they are read, never stored.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
import triton
import triton.language as tl

from .case import DTYPES, Case, Expected, random, rounded, roundoff


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    ACC: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """c = a @ b, one tile of c per program, sums in `ACC`."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    a_ptrs = a_ptr + rows[:, None] * stride_am + ks[None, :] * stride_ak
    b_ptrs = b_ptr + ks[:, None] * stride_bk + columns[None, :] * stride_bn
    total = tl.zeros((BM, BN), dtype=ACC)
    for k in range(0, K, BK):
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (ks[None, :] < K - k), other=0.0)
        b = tl.load(b_ptrs, mask=(ks[:, None] < K - k) & (columns[None, :] < N), other=0.0)
        total = tl.dot(a, b, total, out_dtype=ACC)
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    c_ptrs = c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptrs, total.to(c_ptr.dtype.element_ty), mask=inside)


@triton.jit
def grouped_matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    ACC: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    GROUP: tl.constexpr,
):  # fmt: skip
    """c = a @ b; programs go down `GROUP` tiles before they go to the next column."""
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    group = pid // (GROUP * tiles_n)
    first = group * GROUP
    height = min(tiles_m - first, GROUP)
    tile_m = first + (pid % (GROUP * tiles_n)) % height
    tile_n = (pid % (GROUP * tiles_n)) // height

    rows = (tile_m * BM + tl.arange(0, BM)) % M
    columns = (tile_n * BN + tl.arange(0, BN)) % N
    ks = tl.arange(0, BK)
    a_ptrs = a_ptr + (rows[:, None] * stride_am + ks[None, :] * stride_ak)
    b_ptrs = b_ptr + (ks[:, None] * stride_bk + columns[None, :] * stride_bn)
    total = tl.zeros((BM, BN), dtype=ACC)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=ks[None, :] < K - k * BK, other=0.0)
        b = tl.load(b_ptrs, mask=ks[:, None] < K - k * BK, other=0.0)
        total = tl.dot(a, b, total, out_dtype=ACC)
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    c_rows = tile_m * BM + tl.arange(0, BM)
    c_columns = tile_n * BN + tl.arange(0, BN)
    c_ptrs = c_ptr + stride_cm * c_rows[:, None] + stride_cn * c_columns[None, :]
    inside = (c_rows[:, None] < M) & (c_columns[None, :] < N)
    tl.store(c_ptrs, total.to(c_ptr.dtype.element_ty), mask=inside)


# The type that a product of two such matrices is summed and written in.
_SUMS = {
    torch.float64: (tl.float64, torch.float64),
    torch.float32: (tl.float32, torch.float32),
    torch.float16: (tl.float32, torch.float16),
    torch.bfloat16: (tl.float32, torch.bfloat16),
    torch.float8_e4m3fn: (tl.float32, torch.float32),
    torch.float8_e5m2: (tl.float32, torch.float32),
    torch.int8: (tl.int32, torch.int32),
}


def matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    grouped: bool = False,
    tile: tuple[int, int, int] = (32, 32, 32),
) -> torch.Tensor:
    """a @ b; small types are summed in a larger one."""
    (m, k), n = a.shape, b.shape[1]
    acc, out = _SUMS[a.dtype]
    c = torch.empty((m, n), dtype=out)
    bm, bn, bk = tile
    strides = (*a.stride(), *b.stride(), *c.stride())
    tiles = (triton.cdiv(m, bm), triton.cdiv(n, bn))
    common = {"ACC": acc, "BM": bm, "BN": bn, "BK": bk}
    if grouped:
        grouped_matmul_kernel[(tiles[0] * tiles[1],)](a, b, c, m, n, k, *strides, **common, GROUP=4)
    else:
        matmul_kernel[tiles](a, b, c, m, n, k, *strides, **common)
    return c


def cases() -> Iterator[Case]:
    """All types; one row, ragged edges, matrices smaller than a tile, a transposed operand."""
    for grouped in (False, True):
        for name in ("f32", "f16", "bf16", "f64", "e4m3", "e5m2", "i8"):
            for m, n, k in ((1, 17, 5), (64, 64, 64), (129, 70, 77)):
                yield _case(grouped, name, m, n, k)
    yield _case(False, "f32", 33, 65, 40, transposed=True)
    yield _case(True, "f16", 200, 100, 33, transposed=True)


def _case(grouped: bool, name: str, m: int, n: int, k: int, transposed: bool = False) -> Case:
    dtype = DTYPES[name]
    a = random(m, k, dtype=dtype)
    b = random(n, k, dtype=dtype, seed=1).t() if transposed else random(k, n, dtype=dtype, seed=1)

    def expected() -> tuple[Expected]:
        value = a.double() @ b.double()
        sizes = a.double().abs() @ b.double().abs()
        acc, out = _SUMS[dtype]
        if not out.is_floating_point:
            return ((value, torch.zeros_like(value)),)
        # Twice: f64 is also what the expected value was computed in.
        u = 2 * roundoff(torch.float64 if acc == tl.float64 else torch.float32)
        return ((value, (k + 1) * u * sizes + rounded(value, out)),)

    kernel = "matmul grouped" if grouped else "matmul"
    shape = f"{m}x{n}x{k}{'t' if transposed else ''}"
    return Case(kernel, name, shape, lambda: (matmul(a, b, grouped),), expected)
