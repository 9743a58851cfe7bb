"""Tensor descriptors: every type and rank, from the host and made by the kernel."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from guarded import Memory
from triton.tools.tensor_descriptor import TensorDescriptor

DTYPES = [
    torch.uint8, torch.int8, torch.int16, torch.uint16, torch.int32, torch.uint32, torch.int64,
    torch.uint64, torch.float16, torch.bfloat16, torch.float32, torch.float64,
    torch.float8_e4m3fn, torch.float8_e5m2,
]  # fmt: skip
SLICE = [torch.int8, torch.uint16, torch.bfloat16, torch.float32, torch.float8_e5m2]


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


every_dtype = pytest.mark.parametrize(
    "dtype",
    [
        pytest.param(d, id=name_of(d), marks=[] if d in SLICE else [pytest.mark.nightly])
        for d in DTYPES
    ],
)


def numbers(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    rng = torch.Generator().manual_seed(torch.Size(shape).numel())
    return torch.randint(1, 100, shape, generator=rng).to(dtype)


def same(got: torch.Tensor, want: torch.Tensor) -> bool:
    as_bytes = lambda x: x.contiguous().flatten().view(torch.uint8)  # noqa: E731
    return got.dtype == want.dtype and torch.equal(as_bytes(got), as_bytes(want))


@triton.jit
def copy_tiles(x_ptr, out_ptr, x_desc, out_desc, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    if x_desc is None:
        source = tl.make_tensor_descriptor(x_ptr, [M, N], [stride, 1], [BM, BN])
        target = tl.make_tensor_descriptor(out_ptr, [M, N], [stride, 1], [BM, BN])
    else:
        source = x_desc
        target = out_desc
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    target.store([row, column], source.load([row, column]))


@every_dtype
@pytest.mark.parametrize("made_by", ["host", "kernel"])
def test_tiles_of_every_type(memory: Memory, dtype: torch.dtype, made_by: str):
    """The tensor ends inside of the last tiles; its rows have more elements than it."""
    m, n, stride = 11, 45, 48
    x = memory.holding(numbers(dtype, m, stride))
    out = memory.holding(torch.zeros(m * stride).to(dtype).view(m, stride))
    descriptors: list[Any] = [None, None]
    if made_by == "host":
        descriptors = [TensorDescriptor(t, [m, n], [stride, 1], [4, 16]) for t in (x, out)]
    copy_tiles[(3, 3)](x, out, *descriptors, m, n, stride, BM=4, BN=16)
    assert same(out[:, :n], x[:, :n])
    assert not out[:, n:].float().any()


@triton.jit
def copy_block(x_ptr, out_ptr, shape, strides, out_strides, OFFSETS, BLOCK):
    source = tl.make_tensor_descriptor(x_ptr, shape, strides, BLOCK)
    target = tl.make_tensor_descriptor(out_ptr, BLOCK, out_strides, BLOCK)
    RANK: tl.constexpr = len(BLOCK)
    target.store((0,) * RANK, source.load(OFFSETS))


@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("place", ["start", "inside", "before"])
def test_blocks_of_every_rank(memory: Memory, rank: int, place: str):
    """What lies outside of the tensor reads as zero, on every side."""
    shape, block = (2, 3, 3, 7, 20)[-rank:], (2, 2, 4, 8, 16)[-rank:]
    offsets = tuple({"start": 0, "inside": 1, "before": -1}[place] for _ in shape)
    whole = memory.holding(numbers(torch.float32, *shape[:-1], 24))
    x, out = whole[..., : shape[-1]], memory.empty(*block)
    fixed = [tuple(tl.constexpr(v) for v in values) for values in (offsets, block)]
    copy_block[(1,)](x, out, shape, x.stride(), out.stride(), *fixed)
    want = torch.zeros(block)
    grids = torch.meshgrid(*(torch.arange(b) + o for b, o in zip(block, offsets, strict=True)))
    inside = torch.ones(block, dtype=torch.bool)
    for index, size in zip(grids, shape, strict=True):
        inside &= (index >= 0) & (index < size)
    want[inside] = x[tuple(index[inside] for index in grids)]
    assert torch.equal(out, want)


@triton.jit
def drop_unit_dimensions(source, out_ptr, M: tl.constexpr, N: tl.constexpr, RANK: tl.constexpr):
    x = source.load((0,) * RANK).reshape(M, N)
    tl.store(out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], x)


@pytest.mark.parametrize("rank", [3, 4, 5])
def test_unit_dimensions_are_dropped(memory: Memory, rank: int):
    x = memory.holding(numbers(torch.float16, 7, 16))
    out = memory.holding(torch.ones(8, 16).half())
    shape, strides = [1] * (rank - 2) + [7, 16], [112] * (rank - 2) + [16, 1]
    source = TensorDescriptor(x, shape, strides, [1] * (rank - 2) + [8, 16])
    drop_unit_dimensions[(1,)](source, out, M=8, N=16, RANK=rank)
    assert torch.equal(out[:7], x)
    assert not out[7].any()


@triton.jit
def reduce_into(
    target, x_ptr, out_ptr, M, N, KIND: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    if target is None:
        target = tl.make_tensor_descriptor(out_ptr, [M, N - 3], [N, 1], [BM, BN])
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    at = (row + tl.arange(0, BM)[:, None]) * N + column + tl.arange(0, BN)[None, :]
    x = tl.load(x_ptr + at)
    if KIND == "add":
        target.atomic_add([row, column], x)
    elif KIND == "min":
        target.atomic_min([row, column], x)
    elif KIND == "max":
        target.atomic_max([row, column], x)
    elif KIND == "and":
        target.atomic_and([row, column], x)
    elif KIND == "or":
        target.atomic_or([row, column], x)
    else:
        target.atomic_xor([row, column], x)


REDUCED = {
    "add": [torch.int32, torch.uint32, torch.uint64, torch.float16, torch.bfloat16, torch.float32],
    **{
        kind: [torch.int32, torch.uint32, torch.int64, torch.uint64, torch.float16, torch.bfloat16]
        for kind in ("min", "max")
    },
    **{
        kind: [torch.int32, torch.uint32, torch.int64, torch.uint64]
        for kind in ("and", "or", "xor")
    },
}


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        pytest.param(
            kind,
            dtype,
            id=f"{kind}-{name_of(dtype)}",
            marks=[] if dtype in (torch.int32, torch.bfloat16) else [pytest.mark.nightly],
        )
        for kind, dtypes in REDUCED.items()
        for dtype in dtypes
    ],
)
@pytest.mark.parametrize("made_by", ["host", "kernel"])
def test_reductions_into_a_tensor(memory: Memory, kind: str, dtype: torch.dtype, made_by: str):
    m, n = 8, 32
    x, before = numbers(dtype, m, n), numbers(dtype, n, m).T.contiguous()
    if not dtype.is_floating_point:
        x.view(torch.int8).flatten()[torch.iinfo(dtype).bits // 8 - 1] = -1  # the sign counts
    else:
        x[0] *= -1
    out = memory.holding(before)
    target = TensorDescriptor(out, [m, n - 3], [n, 1], [4, 16]) if made_by == "host" else None
    reduce_into[(2, 2)](target, memory.holding(x), out, m, n, KIND=kind, BM=4, BN=16)
    functions: dict[str, Any] = {
        "add": lambda a, b: a + b,
        "min": min,
        "max": max,
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
    }
    bits = 64 if dtype.is_floating_point else torch.iinfo(dtype).bits
    for i in range(m):
        for j in range(n):
            a, b = before[i, j].item(), x[i, j].item()
            want = functions[kind](a, b) if j < n - 3 else a
            got = out[i, j].item()
            assert got == want or (got - want) % 2**bits == 0, (i, j)


@triton.jit
def through_functions(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    move_tile(make_one(x_ptr, M, N, BM, BN), make_one(out_ptr, M, N, BM, BN), BM, BN)


@triton.jit(noinline=True)
def make_one(pointer, M, N, BM: tl.constexpr, BN: tl.constexpr):
    return tl.make_tensor_descriptor(pointer, [M, N], [N, 1], [BM, BN])


@triton.jit(noinline=True)
def move_tile(source, target, BM: tl.constexpr, BN: tl.constexpr):
    place = [tl.program_id(0) * BM, tl.program_id(1) * BN]
    tl.store_tensor_descriptor(target, place, -tl.load_tensor_descriptor(source, place))


def test_descriptors_go_through_functions(memory: Memory):
    x, out = memory.holding(torch.randn(8, 64)), memory.empty(8, 64)
    through_functions[(2, 4)](x, out, 8, 64, BM=4, BN=16)
    assert torch.equal(out, -x)


@triton.jit
def change_in_loops(x_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    row = BM * tl.program_id(0)
    tile = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, BN])
    for i in range(0, N, BN):
        if i % (3 * BN) == 0:
            tile = tl.make_tensor_descriptor(x_ptr + N, [M - 1, N], [N, 1], [BM, BN])
        else:
            tile = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, BN])
        tile.store([row, i], tile.load([row, i]) + 10)
    n = 0
    while n < N:
        tile.store([row, n], tile.load([row, n]) + 5)
        n += BN


def test_descriptors_change_in_loops(memory: Memory):
    x = torch.randn(4, 64)
    out = memory.holding(x)
    change_in_loops[(1,)](out, 4, 64, BM=4, BN=16)
    want = x.clone()
    for i in range(4):
        last = want[1:] if i % 3 == 0 else want
        last[:, 16 * i : 16 * i + 16] += 10
    want[1:] += 5  # the last one made starts at row 1
    assert torch.equal(out, want)


@triton.jit
def use_members(source, out_ptr, pair):
    tl.store(out_ptr, source.shape[0])
    tl.store(out_ptr + 1, source.shape[1])
    tl.store(out_ptr + 2, source.strides[0])
    tl.store(out_ptr + 3, source.block_shape[0] * 1000 + source.block_shape[1])
    first, second = pair
    tl.store(out_ptr + 4, tl.sum(first.load([0]) + second.load([2])))
    x = source.load([0, 0]).to(source.dtype)
    tl.store(out_ptr + 5, tl.sum(tl.sum(x, axis=1), axis=0))


def test_members_and_tuples_of_descriptors(memory: Memory):
    x, y = memory.holding(torch.ones(5, 16)), memory.holding(torch.arange(16.0))
    out = memory.empty(6)
    one = TensorDescriptor(y, [16], [1], [8])
    use_members[(1,)](TensorDescriptor(x, [5, 12], [16, 1], [4, 16]), out, (one, one))
    sums = y[:8].sum() + y[2:10].sum()
    assert out.tolist() == [5, 12, 16, 4016, sums.item(), 48]


@triton.jit
def pick_rows(source, rows_ptr, out_ptr, target, column, M: tl.constexpr, N: tl.constexpr):
    rows = tl.load(rows_ptr + tl.arange(0, M))
    x = source.gather(rows, column)
    tl.store(out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], x)
    target.scatter(x, rows, column)


@pytest.mark.parametrize(
    "dtype", [torch.int8, torch.float16, torch.bfloat16, torch.int32, torch.float32], ids=name_of
)
def test_rows_of_every_type(memory: Memory, dtype: torch.dtype):
    x = memory.holding(numbers(dtype, 12, 64))
    out, back = memory.holding(x[:8, :32] * 0), memory.holding(x * 0)
    rows = torch.tensor([11, 0, 3, 7, 5, 2, 9, 1], dtype=torch.int32)
    make = lambda t: TensorDescriptor(t, [12, 64], [64, 1], [1, 32])  # noqa: E731
    pick_rows[(1,)](make(x), memory.holding(rows), out, make(back), 16, M=8, N=32)
    assert torch.equal(out, x[rows.long(), 16:48])
    want = torch.zeros_like(x)
    want[rows.long(), 16:48] = out
    assert torch.equal(back, want)


@triton.jit
def load_both_ways(source, rows, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, source.load([0]))
    tl.store(
        out_ptr + N + tl.arange(0, 8)[:, None] * N + at[None, :], rows.gather(tl.arange(0, 8), 0)
    )


@pytest.mark.skipif(
    "round_f32_to_tf32" not in inspect.signature(TensorDescriptor).parameters,
    reason="descriptors of this Triton do not round",
)
@pytest.mark.parametrize("rounds", [False, True])
def test_loads_round_to_tf32(memory: Memory, rounds: bool):
    """To ten bits of mantissa, ties to even; infinities and NaNs stay."""
    special = [float("inf"), float("-inf"), float("nan"), 0.0, -0.0, 1 + 2**-11, 1 + 3 * 2**-11]
    x = memory.holding(torch.cat((torch.tensor(special), torch.randn(9), torch.randn(112))))
    out = memory.empty(9, 16)
    flag = {"round_f32_to_tf32": rounds}
    load_both_ways[(1,)](
        TensorDescriptor(x, [128], [1], [16], **flag),
        TensorDescriptor(x, [8, 16], [16, 1], [1, 16], **flag),
        out,
        N=16,
    )
    bits = x.view(torch.int32)
    rounded = ((bits + 0xFFF + (bits >> 13 & 1)) & ~0x1FFF).view(torch.float32)
    want = torch.where(x.isfinite(), rounded, x) if rounds else x
    assert same(out[0], want[:16])
    assert same(out[1:], want.view(8, 16))
