"""Blocks change their shape: reshape, trans, permute, join, split, cat, broadcast and indexing."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from guarded import Memory

NEW = tuple(map(int, triton.__version__.split(".")[:2])) >= (3, 8)

DTYPES = [
    torch.bool, torch.int8, torch.uint8, torch.int16, torch.uint16, torch.int32, torch.uint32,
    torch.int64, torch.uint64, torch.float16, torch.bfloat16, torch.float32, torch.float64,
    torch.float8_e4m3fn, torch.float8_e5m2,
]  # fmt: skip
SLICE = [torch.bool, torch.int8, torch.bfloat16, torch.int64, torch.float8_e5m2]


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


every_dtype = pytest.mark.parametrize(
    "dtype",
    [
        pytest.param(d, id=name_of(d), marks=[] if d in SLICE else [pytest.mark.nightly])
        for d in DTYPES
    ],
)


def values(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    """Different numbers as far as the type can tell them apart, none of them NaN."""
    size = torch.Size(shape).numel()
    rng = torch.Generator().manual_seed(size)
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=rng).bool()
    return torch.randint(0, 120, shape, generator=rng).to(dtype)


def other(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    """The same numbers in another order."""
    x = values(dtype, *shape).flatten()
    return x[torch.arange(x.numel() - 1, -1, -1)].view(shape)


def bits(x: torch.Tensor) -> torch.Tensor:
    return x.flatten().contiguous().view(torch.uint8)


def check(got: torch.Tensor, want: torch.Tensor) -> None:
    assert got.dtype == want.dtype
    assert torch.equal(bits(got), bits(want))


def blank(memory: Memory, like: torch.Tensor) -> torch.Tensor:
    return memory.holding(torch.zeros(like.numel(), dtype=like.dtype))


#
# Whole blocks
#


@triton.jit
def permute_block(x_ptr, out_ptr, SHAPE: tl.constexpr, ORDER: tl.constexpr, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    x = tl.load(x_ptr + at).reshape(SHAPE)
    RANK: tl.constexpr = len(ORDER)
    if RANK == 2:
        y = tl.permute(x, (ORDER[0], ORDER[1]))
    elif RANK == 3:
        y = tl.trans(x, (ORDER[0], ORDER[1], ORDER[2]))
    elif RANK == 4:
        y = x.permute(ORDER[0], ORDER[1], ORDER[2], ORDER[3])
    else:
        y = x.trans(ORDER[0], ORDER[1], ORDER[2], ORDER[3], ORDER[4])
    tl.store(out_ptr + at, y.reshape([SIZE]))


SHAPES = [(8, 4), (2, 4, 8), (4, 1, 2, 8), (2, 1, 4, 2, 4)]
ORDERS = [(shape, order) for shape in SHAPES for order in itertools.permutations(range(len(shape)))]
FEW = [
    ((8, 4), (1, 0)),
    ((2, 4, 8), (2, 0, 1)),
    ((2, 4, 8), (1, 0, 2)),
    ((4, 1, 2, 8), (3, 1, 0, 2)),
    ((4, 1, 2, 8), (0, 1, 3, 2)),
    ((2, 1, 4, 2, 4), (4, 2, 0, 3, 1)),
    ((2, 1, 4, 2, 4), (0, 1, 2, 3, 4)),
]


@pytest.mark.parametrize(
    ("shape", "order"),
    [pytest.param(*o, marks=[] if o in FEW else [pytest.mark.nightly]) for o in ORDERS],
)
def test_every_permutation(memory: Memory, shape: tuple[int, ...], order: tuple[int, ...]):
    x = values(torch.int32, *shape)
    out = blank(memory, x)
    permute_block[(1,)](memory.holding(x), out, SHAPE=shape, ORDER=order, SIZE=x.numel())
    check(out, x.permute(order))


@every_dtype
def test_permutations_of_every_type(memory: Memory, dtype: torch.dtype):
    x = values(dtype, 2, 4, 8)
    out = blank(memory, x)
    permute_block[(1,)](memory.holding(x), out, SHAPE=(2, 4, 8), ORDER=(2, 0, 1), SIZE=64)
    check(out, x.permute(2, 0, 1))


@triton.jit
def transpose_by_name(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :], x.T + tl.trans(x))


def test_the_transpose_has_three_names(memory: Memory):
    x = values(torch.int32, 4, 16)
    out = blank(memory, x)
    transpose_by_name[(1,)](memory.holding(x), out, M=4, N=16)
    check(out, 2 * x.T)


@triton.jit
def reshape_block(
    x_ptr, out_ptr, SIZE: tl.constexpr, FIRST: tl.constexpr, SECOND: tl.constexpr, WAY: tl.constexpr
):
    at = tl.arange(0, SIZE)
    x = tl.load(x_ptr + at).reshape(FIRST)
    if WAY == "reshape":
        y = tl.reshape(x, SECOND)
    elif WAY == "view":
        y = x.view(SECOND)
    else:
        y = tl.reshape(x, SECOND, can_reorder=True)
    if WAY == "ravel":
        y = tl.ravel(y)
    tl.store(out_ptr + at, y.reshape([SIZE]) + 0)


RESHAPES = [
    ((32,), (4, 8)),
    ((4, 8), (8, 4)),
    ((2, 16), (2, 2, 2, 2, 2)),
    ((1, 32), (32, 1)),
    ((1, 1, 32), (4, 1, 8)),
    ((2, 2, 2, 2, 2), (4, 8)),
    ((1, 1, 1, 1, 1), (1,)),
]


@pytest.mark.parametrize(("first", "second"), RESHAPES)
@pytest.mark.parametrize("way", ["reshape", "view", "can_reorder"])
def test_reshape(memory: Memory, first: tuple[int, ...], second: tuple[int, ...], way: str):
    size = torch.Size(first).numel()
    x = values(torch.int16, size)
    out = blank(memory, x)
    reshape_block[(1,)](memory.holding(x), out, SIZE=size, FIRST=first, SECOND=second, WAY=way)
    check(out, x)


@triton.jit
def reshape_indexed(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    """What was reshaped is read at an index, so that its order shows."""
    x = tl.load(x_ptr + tl.arange(0, M * N)).reshape(M, N)
    tl.store(out_ptr + tl.arange(0, M), tl.sum(x.to(tl.float64), axis=1))


@every_dtype
def test_reshape_is_row_major(memory: Memory, dtype: torch.dtype):
    if dtype in (torch.float8_e4m3fn, torch.float8_e5m2, torch.bool):
        pytest.skip("the front end adds no numbers of this type")
    x = values(dtype, 64)
    sums = x.double().view(8, 8).sum(1)
    out = memory.holding(torch.zeros(8, dtype=torch.float64))
    reshape_indexed[(1,)](memory.holding(x), out, M=8, N=8)
    assert out.tolist() == sums.tolist()


@triton.jit
def join_blocks(x_ptr, y_ptr, out_ptr, SHAPE: tl.constexpr, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    x, y = tl.load(x_ptr + at).reshape(SHAPE), tl.load(y_ptr + at).reshape(SHAPE)
    tl.store(out_ptr + tl.arange(0, 2 * SIZE), tl.join(x, y).reshape([2 * SIZE]))


JOINED = [(1,), (16,), (1, 1), (4, 8), (8, 2), (2, 4, 2), (2, 1, 2, 4)]


@pytest.mark.parametrize("shape", JOINED, ids=str)
def test_join(memory: Memory, shape: tuple[int, ...]):
    x, y = values(torch.int32, *shape), values(torch.int32, *shape) + 200
    out = blank(memory, torch.stack((x, y)))
    size = x.numel()
    join_blocks[(1,)](memory.holding(x), memory.holding(y), out, SHAPE=shape, SIZE=size)
    check(out, torch.stack((x, y), -1))


@every_dtype
def test_join_of_every_type(memory: Memory, dtype: torch.dtype):
    x, y = values(dtype, 4, 4), other(dtype, 4, 4)
    out = memory.holding(torch.zeros(32, dtype=dtype))
    join_blocks[(1,)](memory.holding(x), memory.holding(y), out, SHAPE=(4, 4), SIZE=16)
    check(out, torch.stack((x, y), -1))


@triton.jit
def join_scalars(x_ptr, out_ptr):
    both = tl.join(tl.load(x_ptr), tl.load(x_ptr + 1))
    tl.store(out_ptr + tl.arange(0, 2), both)
    first, second = both.split()
    tl.store(out_ptr + 2, second)
    tl.store(out_ptr + 3, first)


def test_scalars_are_joined_and_split(memory: Memory):
    out = memory.empty(4)
    join_scalars[(1,)](memory.holding(torch.tensor([5.0, 7.0])), out)
    assert out.tolist() == [5, 7, 7, 5]


@triton.jit
def split_block(x_ptr, a_ptr, b_ptr, SHAPE: tl.constexpr, SIZE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 2 * SIZE)).reshape(SHAPE)
    a, b = tl.split(x)
    at = tl.arange(0, SIZE)
    tl.store(a_ptr + at, a.reshape([SIZE]) if len(SHAPE) > 1 else a)
    tl.store(b_ptr + at, b.reshape([SIZE]) if len(SHAPE) > 1 else b)


@pytest.mark.parametrize("shape", [(2,), (16, 2), (4, 8, 2), (2, 2, 2), (1, 4, 2, 2)], ids=str)
def test_split(memory: Memory, shape: tuple[int, ...]):
    x = values(torch.int32, *shape)
    a, b = blank(memory, x[..., 0]), blank(memory, x[..., 0])
    split_block[(1,)](memory.holding(x), a, b, SHAPE=shape, SIZE=a.numel())
    check(a, x[..., 0])
    check(b, x[..., 1])


@every_dtype
def test_split_of_every_type(memory: Memory, dtype: torch.dtype):
    x = values(dtype, 8, 2)
    a, b = blank(memory, x[..., 0]), blank(memory, x[..., 0])
    split_block[(1,)](memory.holding(x), a, b, SHAPE=(8, 2), SIZE=8)
    check(a, x[..., 0])
    check(b, x[..., 1])


@triton.jit
def interleave_blocks(x_ptr, y_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    both = tl.interleave(tl.load(x_ptr + at), tl.load(y_ptr + at))
    tl.store(out_ptr + tl.arange(0, M)[:, None] * 2 * N + tl.arange(0, 2 * N)[None, :], both)


@every_dtype
def test_interleave(memory: Memory, dtype: torch.dtype):
    x, y = values(dtype, 4, 8), other(dtype, 4, 8)
    out = memory.holding(torch.zeros(64, dtype=dtype))
    interleave_blocks[(1,)](memory.holding(x), memory.holding(y), out, M=4, N=8)
    check(out, torch.stack((x, y), -1))


@triton.jit
def cat_blocks(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    both = tl.cat(tl.load(x_ptr + at), tl.load(y_ptr + at), can_reorder=True)
    tl.store(out_ptr + tl.arange(0, 2 * N), both)


@every_dtype
def test_cat(memory: Memory, dtype: torch.dtype):
    x, y = values(dtype, 16), other(dtype, 16)
    out = memory.holding(torch.zeros(32, dtype=dtype))
    cat_blocks[(1,)](memory.holding(x), memory.holding(y), out, N=16)
    check(out, torch.cat((x, y)))


@triton.jit
def cat_along(x_ptr, y_ptr, out_ptr, SHAPE: tl.constexpr, SIZE: tl.constexpr, DIM: tl.constexpr):
    at = tl.arange(0, SIZE)
    x, y = tl.load(x_ptr + at).reshape(SHAPE), tl.load(y_ptr + at).reshape(SHAPE)
    tl.store(out_ptr + tl.arange(0, 2 * SIZE), tl.cat(x, y, dim=DIM).reshape([2 * SIZE]))


@pytest.mark.skipif(not NEW, reason="this Triton's tl.cat takes one dimension only")
@pytest.mark.parametrize("dim", [0, 1, 2, -1])
def test_cat_along_any_dimension(memory: Memory, dim: int):
    x, y = values(torch.int32, 2, 4, 8), values(torch.int32, 2, 4, 8) + 300
    out = memory.holding(torch.zeros(128, dtype=torch.int32))
    cat_along[(1,)](memory.holding(x), memory.holding(y), out, SHAPE=(2, 4, 8), SIZE=64, DIM=dim)
    check(out, torch.cat((x, y), dim))


#
# Dimensions come and go
#


@triton.jit
def index_every_way(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    y = x[None, :, None] + x[:, None][None, :, :]
    z = x[None, None, :] + tl.expand_dims(x, (0, 2)) + tl.expand_dims(x, [-1, -2]).trans(1, 0, 2)
    w = x[:][None][:, :, None][:, :]
    total = tl.broadcast_to(y, (1, N, N)) + z + w
    at = tl.arange(0, N)
    tl.store(out_ptr + at[:, None] * N + at[None, :], total.reshape(N, N))


def test_every_way_to_index(memory: Memory):
    n = 4
    x = torch.tensor([1, 20, 300, 4000], dtype=torch.int32)
    out = memory.empty(n, n, dtype=torch.int32)
    index_every_way[(1,)](memory.holding(x), out, N=n)
    rows, columns = x[:, None], x[None, :]
    check(out, rows + rows + columns + rows + rows + rows + 0 * columns)


@triton.jit
def broadcast_blocks(
    x_ptr, y_ptr, out_ptr, SHAPE_X: tl.constexpr, SHAPE_Y: tl.constexpr, SHAPE: tl.constexpr,
    SIZE_X: tl.constexpr, SIZE_Y: tl.constexpr, SIZE: tl.constexpr,
):  # fmt: skip
    x = tl.load(x_ptr + tl.arange(0, SIZE_X)).reshape(SHAPE_X)
    y = tl.load(y_ptr + tl.arange(0, SIZE_Y)).reshape(SHAPE_Y)
    a, b = tl.broadcast(x, y)
    total = a * 1000 + b
    again = tl.broadcast_to(x, SHAPE) * 1000 + y.broadcast_to(SHAPE)
    at = tl.arange(0, SIZE)
    tl.store(out_ptr + at, total.reshape([SIZE]))
    tl.store(out_ptr + SIZE + at, again.reshape([SIZE]))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((8,), (1,)),
        ((4, 8), (1, 8)),
        ((4, 1), (1, 8)),
        ((2, 1, 4), (1, 8, 1)),
        ((1, 1, 1, 1), (2, 2, 2, 2)),
        ((1, 2, 1, 2, 1), (2, 1, 2, 1, 2)),
    ],
)
def test_broadcast(memory: Memory, left: tuple[int, ...], right: tuple[int, ...]):
    x, y = values(torch.int32, *left), values(torch.int32, *right)
    shape = tuple(torch.broadcast_shapes(left, right))
    size = torch.Size(shape).numel()
    out = memory.empty(2, size, dtype=torch.int32)
    broadcast_blocks[(1,)](
        memory.holding(x), memory.holding(y), out, left, right, shape, x.numel(), y.numel(), size
    )
    want = (x * 1000 + y).flatten()
    check(out, torch.stack((want, want)))


@triton.jit
def make_scalars(x_ptr, out_ptr):
    one = tl.load(x_ptr + tl.arange(0, 1))
    tl.store(out_ptr, one.item() if hasattr(one, "item") else tl.sum(one))
    square = tl.load(x_ptr + 1 + tl.arange(0, 1)[:, None] + tl.arange(0, 1)[None, :])
    tl.store(out_ptr + 1, tl.max(tl.ravel(square), axis=0))
    tl.store(out_ptr + 2 + tl.arange(0, 1), one + 1)
    tl.store(out_ptr + 3 + tl.zeros([1, 1], tl.int32), square + 1)


def test_blocks_of_one_element(memory: Memory):
    out = memory.empty(4)
    make_scalars[(1,)](memory.holding(torch.tensor([3.0, 8.0])), out)
    assert out.tolist() == [3, 8, 4, 9]


@triton.jit
def fill_blocks(out_ptr, value, N: tl.constexpr, DTYPE: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.full([N], value, DTYPE))
    tl.store(out_ptr + N + at, tl.zeros([N], DTYPE))
    tl.store(out_ptr + 2 * N + at, tl.zeros_like(tl.full([N], 3, DTYPE)))
    tl.store(out_ptr + 3 * N + at, tl.full([1, N, 1], value, DTYPE).reshape([N]))


@every_dtype
def test_full_and_zeros(memory: Memory, dtype: torch.dtype):
    if dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        pytest.skip("the front end makes no constants of this type")
    out = memory.holding(torch.ones(32, dtype=torch.uint8).to(dtype))
    fill_blocks[(1,)](out, 1, N=8, DTYPE=getattr(tl, TRITON_NAMES.get(dtype, name_of(dtype))))
    want = torch.tensor([1, 0, 0, 1]).repeat_interleave(8).to(dtype)
    check(out, want)


TRITON_NAMES = {torch.bool: "int1"}


@triton.jit
def ranges(out_ptr, START: tl.constexpr, END: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, END - START), tl.arange(START, END))


@pytest.mark.parametrize(
    ("start", "end"), [(0, 1), (0, 128), (3, 7), (128, 256), (2**30, 2**30 + 8)]
)
def test_ranges(memory: Memory, start: int, end: int):
    out = memory.empty(end - start, dtype=torch.int64)
    ranges[(1,)](out, START=start, END=end)
    assert out.tolist() == list(range(start, end))


#
# Combinations
#


@triton.jit
def rotate_pairs(x_ptr, cos_ptr, sin_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    """Rotary embedding: neighbours are the parts of complex numbers."""
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    half = tl.arange(0, N // 2)[None, :]
    real, imaginary = tl.split(tl.load(x_ptr + at).reshape(M, N // 2, 2))
    cos, sin = tl.load(cos_ptr + half), tl.load(sin_ptr + half)
    out = tl.join(real * cos - imaginary * sin, real * sin + imaginary * cos)
    tl.store(out_ptr + at, out.reshape(M, N))


def test_rotary_embedding(memory: Memory):
    m, n = 8, 16
    x, angle = torch.randn(m, n), torch.randn(n // 2)
    out = memory.empty(m, n)
    cos, sin = angle.cos(), angle.sin()
    rotate_pairs[(1,)](memory.holding(x), memory.holding(cos), memory.holding(sin), out, M=m, N=n)
    a, b = x[:, ::2], x[:, 1::2]
    want = torch.stack((a * cos - b * sin, a * sin + b * cos), -1).view(m, n)
    torch.testing.assert_close(out, want)


@triton.jit
def unpack_nibbles(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    both = tl.join((x & 15).to(tl.int8), (x >> 4).to(tl.int8)).reshape(M, 2 * N)
    signed = tl.where(both > 7, both - 16, both)
    tl.store(out_ptr + tl.arange(0, M)[:, None] * 2 * N + tl.arange(0, 2 * N)[None, :], signed)


def test_packed_numbers_are_unpacked(memory: Memory):
    x = torch.randint(0, 256, (8, 16), dtype=torch.uint8)
    out = memory.empty(8, 32, dtype=torch.int8)
    unpack_nibbles[(1,)](memory.holding(x), out, M=8, N=16)
    both = torch.stack((x & 15, x >> 4), -1).view(8, 32).to(torch.int8)
    check(out, torch.where(both > 7, both - 16, both))


@triton.jit
def blocked_layout(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, B: tl.constexpr):
    """Tiles of B x B one after the other, and back through five dimensions."""
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    tiles = x.reshape(M // B, B, N // B, B).permute(0, 2, 1, 3)
    tl.store(out_ptr + tl.arange(0, M * N), tiles.reshape([M * N]))
    back = tiles.reshape(1, M // B, N // B, B, B).permute(1, 3, 2, 4, 0).reshape(M, N)
    tl.store(out_ptr + M * N + at, back)


def test_tiles_and_back(memory: Memory):
    x = values(torch.int32, 8, 16)
    out = memory.empty(2, 128, dtype=torch.int32)
    blocked_layout[(1,)](memory.holding(x), out, M=8, N=16, B=4)
    tiles = x.view(2, 4, 4, 4).permute(0, 2, 1, 3).flatten()
    check(out, torch.stack((tiles, x.flatten())))


@triton.jit
def change_in_a_loop(x_ptr, out_ptr, n, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M * N)
    x = tl.load(x_ptr + at)
    for _ in range(n):
        a, b = tl.split(x.reshape(M * N // 2, 2))
        x = tl.join(b, a).reshape([M * N]) + x
        x = tl.trans(x.reshape(M, N)).reshape([M * N])
    tl.store(out_ptr + at, x)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_blocks_change_in_a_loop(memory: Memory, n: int):
    x = values(torch.int32, 32)
    out = blank(memory, x)
    change_in_a_loop[(1,)](memory.holding(x), out, n, M=4, N=8)
    want: Any = x
    for _ in range(n):
        want = want + want.view(16, 2).flip(1).flatten()
        want = want.view(4, 8).T.flatten()
    check(out, want)
