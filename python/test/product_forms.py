"""Matrix products in the forms that people write, for tests: odd sizes, exact results, any place to
run them.

Elements are small whole numbers and results f32 or i32, so that sums are exact in any order.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import triton
import triton.language as tl
from test_cases_block_pointers import multiply as by_block_pointers
from test_cases_dot import multiply_packed, pack
from triton.tools.tensor_descriptor import TensorDescriptor

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.gpu import kernels, product_forms, product_kernels, tensors

TILE = {"BM": 64, "BN": 32, "BK": 32}
SKINNY = {"BM": 16, "BN": 64, "BK": 32}


@dataclass(frozen=True)
class Trial:
    """One launch, what it writes, and what is right."""

    launch: Callable[[], Any]
    out: torch.Tensor
    want: torch.Tensor
    tolerance: float = 0.0
    """Of the error's norm, relative to the norm of what is expected."""

    def is_right(self) -> bool:
        """Whether the output is what it should be."""
        error = (self.out.double() - self.want).norm()
        return bool(error <= self.tolerance * self.want.norm())


def whole(*shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    """Small whole numbers."""
    rng = torch.Generator().manual_seed(sum(shape))
    return torch.randint(-3, 4, shape, generator=rng).to(dtype)


def pitched(rows: int, columns: int) -> torch.Tensor:
    """The same, in rows that begin at multiples of 16 bytes, as descriptors want it."""
    step = 16 // torch.float16.itemsize
    return whole(rows, triton.cdiv(columns, step) * step)[:, :columns]


def zeros(rows: int, columns: int) -> torch.Tensor:
    return torch.zeros(rows, columns)


def _count(m: int, n: int, tile: dict[str, int] = TILE) -> int:
    return triton.cdiv(m, tile["BM"]) * triton.cdiv(n, tile["BN"])


def _exact(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.double() @ b.double()


def by_pointers(m: int, n: int, k: int, tile: dict[str, int] = TILE, turned: bool = False) -> Trial:
    a, out = whole(m, k), zeros(m, n)
    b = whole(n, k).T if turned else whole(k, n)
    strides = (*a.stride(), *b.stride())
    return Trial(
        lambda: kernels.matmul[(_count(m, n, tile),)](a, b, out, m, n, k, *strides, **tile),
        out,
        _exact(a, b),
    )


def by_blocks(m: int, n: int, k: int) -> Trial:
    a, b, out = whole(m, k), whole(k, n), zeros(m, n)
    strides = (*a.stride(), *b.stride(), *out.stride())
    grid = (triton.cdiv(m, TILE["BM"]), triton.cdiv(n, TILE["BN"]))
    return Trial(
        lambda: by_block_pointers[grid](a, b, out, m, n, k, *strides, **TILE), out, _exact(a, b)
    )


def by_descriptors(m: int, n: int, k: int, persistent: bool = False) -> Trial:
    a, b = pitched(m, k), pitched(n, k)
    out = torch.zeros(m, triton.cdiv(n, 4) * 4)[:, :n]
    bm, bn, bk = TILE["BM"], TILE["BN"], TILE["BK"]
    blocks = [(a, [bm, bk]), (b, [bn, bk]), (out, [bm, bn])]
    given = [TensorDescriptor(x, list(x.shape), list(x.stride()), block) for x, block in blocks]
    kernel = product_kernels.persistent if persistent else product_kernels.described
    grid = (2,) if persistent else (_count(m, n),)
    return Trial(lambda: kernel[grid](*given, m, n, k, **TILE), out, _exact(a, b.T))


@triton.jit
def _with_own_descriptors(
    a, b, c, M, N, K, a_row, b_row, c_row,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    a = tl.make_tensor_descriptor(a, [M, K], [a_row, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b, [N, K], [b_row, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c, [M, N], [c_row, 1], [BM, BN])
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(a.load([row, k]), b.load([column, k]).T, total)
    c.store([row, column], total)


def by_own_descriptors(m: int, n: int, k: int) -> Trial:
    a, b = pitched(m, k), pitched(n, k)
    out = torch.zeros(m, triton.cdiv(n, 4) * 4)[:, :n]
    grid = (triton.cdiv(m, TILE["BM"]), triton.cdiv(n, TILE["BN"]))
    rows = (a.stride(0), b.stride(0), out.stride(0))
    return Trial(
        lambda: _with_own_descriptors[grid](a, b, out, m, n, k, *rows, **TILE),
        out,
        _exact(a, b.T),
    )


def in_parts(m: int, n: int, k: int, tile: dict[str, int] = TILE) -> Trial:
    a, b, out = whole(m, k), whole(k, n), zeros(m, n)
    strides, grid = (*a.stride(), *b.stride()), (_count(m, n, tile), 3)
    return Trial(
        lambda: product_kernels.split[grid](a, b, out, m, n, k, *strides, PARTS=3, **tile),
        out,
        _exact(a, b),
    )


def by_shares(m: int, n: int, k: int) -> Trial:
    a, b, out = whole(m, k), whole(k, n), zeros(m, n)
    strides = (*a.stride(), *b.stride())
    return Trial(
        lambda: product_kernels.streamed[(5,)](a, b, out, m, n, k, *strides, **TILE),
        out,
        _exact(a, b),
    )


def batched(m: int, n: int, k: int) -> Trial:
    a, b, out = whole(3, m, k), whole(3, k, n), torch.zeros(3, m, n)
    return Trial(
        lambda: product_kernels.batched[(_count(m, n), 3)](a, b, out, m, n, k, **TILE),
        out,
        _exact(a, b),
    )


def gated(m: int, n: int, k: int) -> Trial:
    """Two products of one matrix, one of which opens the other."""
    a, gate, b, out = whole(m, k) / 64, whole(k, n), whole(k, n), zeros(m, n)
    opened = a.double() @ gate.double()
    return Trial(
        lambda: product_kernels.gated[(_count(m, n),)](a, gate, b, out, m, n, k, **TILE),
        out,
        torch.nn.functional.silu(opened) * _exact(a, b),
        tolerance=1e-5,
    )


def grouped(m: int, n: int, k: int, is_whole: bool = False) -> Trial:
    """Two products, of which the second is twice as high. Results lie behind the operands, which a
    kernel that has their addresses alone may read nowhere else."""
    heights = (m, 2 * m)
    lefts, rights = whole(3 * m, k).split(heights), whole(2 * k, n).split(k)
    bounds = 2 * (3 * m * k + 2 * k * n)
    memory = torch.zeros(triton.cdiv(bounds, 16) * 4 + 3 * m * n)
    operands = memory.view(torch.float16)[: bounds // 2]
    operands.copy_(torch.cat([x.flatten() for x in (*lefts, *rights)]))
    out = memory[triton.cdiv(bounds, 16) * 4 :].view(3 * m, n)
    start, right_at = memory.data_ptr(), memory.data_ptr() + 6 * m * k
    places = [[start + 2 * m * k * i, right_at + 2 * k * n * i] for i in range(2)]
    table = [[*pair, out.data_ptr() + 4 * m * n * i] for i, pair in enumerate(places)]
    addresses = torch.tensor(table, dtype=torch.int64)
    sizes = torch.tensor([[height, n, k] for height in heights], dtype=torch.int32)
    constants = {"COUNT": 2, "IS_WHOLE": is_whole, **TILE}
    want = torch.cat([_exact(a, b) for a, b in zip(lefts, rights, strict=True)])
    return Trial(
        lambda: product_kernels.grouped[(2,)](addresses, sizes, out, **constants), out, want
    )


def with_small_weights(m: int, n: int, k: int, tile: dict[str, int] = TILE) -> Trial:
    a, b, out = whole(m, k), whole(k, n, dtype=torch.int8), zeros(m, n)
    scale = whole(n) / 4
    grid = (_count(m, n, tile),)
    return Trial(
        lambda: product_kernels.with_small_weights[grid](a, b, scale, out, m, n, k, **tile),
        out,
        _exact(a, b) * scale.double(),
    )


@triton.jit
def _finished(
    a, b, bias, residual, c, M, N, K, scale,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACTIVATION: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        inside = k + ks < K
        # The left operand is computed: what is negative counts twice.
        left = tl.load(
            a + (rows % M)[:, None] * K + k + ks[None, :], mask=inside[None, :], other=0.0
        )
        left = tl.where(left < 0, left + left, left)
        right = tl.load(
            b + (k + ks)[:, None] * N + (columns % N)[None, :], mask=inside[:, None], other=0.0
        )
        total = tl.dot(left, right, total)
    inside = (rows < M)[:, None] & (columns < N)[None, :]
    place = rows[:, None] * N + columns[None, :]
    total += tl.load(bias + columns, mask=columns < N, other=0.0)[None, :]
    if ACTIVATION == "leaky":
        total = tl.where(total >= 0, total, 0.25 * total)
    total += tl.load(residual + place, mask=inside, other=0.0)
    if c.dtype.element_ty == tl.int8:
        total = tl.minimum(tl.maximum(tl.floor(total * scale + 0.5), -128.0), 127.0)
    tl.store(c + place, total.to(c.dtype.element_ty), mask=inside)


def finished(m: int, n: int, k: int, dtype: torch.dtype = torch.int8) -> Trial:
    a, b, bias, residual = whole(m, k), whole(k, n), whole(n), whole(m, n)
    out = torch.zeros(m, n, dtype=dtype)
    want = _exact(torch.where(a < 0, 2 * a, a), b) + bias.double()
    want = torch.where(want >= 0, want, 0.25 * want) + residual.double()
    if dtype == torch.int8:
        want = torch.floor(want * 0.125 + 0.5).clamp(-128, 127)
    grid = (triton.cdiv(m, TILE["BM"]), triton.cdiv(n, TILE["BN"]))
    given = (a, b, bias, residual, out, m, n, k, 0.125)
    return Trial(
        lambda: _finished[grid](*given, ACTIVATION="leaky", **TILE),
        out,
        want.float().to(dtype).double(),
    )


def with_weights_of_four_bits(m: int, n: int, k: int) -> Trial:
    """Weights of i4 with zeros and scales for groups of 32: one tile of rows and columns."""
    groups = k // 32
    rng = torch.Generator().manual_seed(k)
    codes, middles = (torch.randint(0, 16, (rows, n), generator=rng) for rows in (k, groups))
    scale = torch.tensor([0.5, 1.0, 2.0])[torch.randint(0, 3, (groups, n), generator=rng)].half()
    x, out, packed = whole(m, k), zeros(m, n), pack(codes.T).T.contiguous()
    given = (x, packed, scale, pack(middles), out, k)
    group = torch.arange(k) // 32
    weights = (codes - middles[group]) * scale[group]
    return Trial(
        lambda: multiply_packed[(1,)](*given, M=m, N=n, K=32, GROUP=32),
        out,
        _exact(x, weights),
    )


def block_scaled(size: int, left: str, right: str) -> Trial:
    """Formats of the same size on both sides, in whole blocks."""
    problem = product_forms.block_scaled(size, left, right)
    before, tensors.DEVICE = tensors.DEVICE, "cpu"
    memory = problem.make(torch.Generator().manual_seed(0))
    tensors.DEVICE = before
    tile = {"BM": 64, "BN": 64, "BK": 64}
    want = problem.expected(memory)
    return Trial(lambda: problem.launch(memory, tile), memory[-1], want, problem.tolerance)
