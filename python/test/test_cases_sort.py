"""What puts elements in order or picks them by number: sort, topk, flip, gather, histogram."""

from __future__ import annotations

import itertools

import ml_dtypes  # noqa: F401 - NumPy learns of bfloat16
import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from values import FLOATS, INTEGERS, NUMBERS, given, numbers, numpy_dtype, room

TRITON = tuple(int(part) for part in triton.__version__.split(".")[:2])
SHAPES = [(1,), (2,), (16,), (4, 1), (1, 32), (4, 16), (32, 4), (2, 4, 8), (2, 2, 2, 2)]


def sample(dtype: str, *shape: int) -> np.ndarray:
    """Numbers of all sizes without NaN, some of them twice, and both infinities."""
    rng = np.random.default_rng(sum(shape))
    pool = numbers(dtype)
    pool = pool[pool == pool]
    return rng.choice(pool, shape)


def assert_equal(got: np.ndarray, want: np.ndarray) -> None:
    assert got.dtype == want.dtype
    assert got.reshape(want.shape).tolist() == want.tolist()


#
# Sort and topk
#


@triton.jit
def order(x_ptr, out_ptr, DOWN: tl.constexpr, SHAPE: tl.constexpr, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    x = tl.load(x_ptr + at).reshape(SHAPE)
    tl.store(out_ptr + at, tl.sort(x, descending=DOWN).reshape(SIZE))


def check_sort(dtype: str, shape: tuple[int, ...], down: bool) -> None:
    x = sample(dtype, *shape)
    argument, read = room(x.size, dtype)
    order[(1,)](given(x.reshape(-1), dtype), argument, DOWN=down, SHAPE=shape, SIZE=x.size)
    want = np.sort(x, -1)
    assert_equal(read(), np.flip(want, -1) if down else want)


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_sort_of_every_shape(shape: tuple[int, ...], down: bool):
    check_sort("int32", shape, down)


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_sort_of_every_type(dtype: str, down: bool):
    check_sort(dtype, (2, 8), down)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("dtype", "shape", "down"),
    list(itertools.product(NUMBERS, [(64,), (512, 1), (64, 8), (4, 64)], [False, True])),
)
def test_every_sort(dtype: str, shape: tuple[int, ...], down: bool):
    check_sort(dtype, shape, down)


@pytest.mark.nightly
@pytest.mark.parametrize("shape", [(16, 256), (8, 512), (128, 128)])
@pytest.mark.parametrize("dtype", ["int32", "float16", "float32", "bfloat16"])
def test_sort_of_a_large_block(dtype: str, shape: tuple[int, int]):
    check_sort(dtype, shape, down=False)


@triton.jit
def largest(x_ptr, out_ptr, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    x = tl.load(x_ptr + rows * N + tl.arange(0, N)[None, :])
    tl.store(out_ptr + rows * K + tl.arange(0, K)[None, :], tl.topk(x, K))


@pytest.mark.every(2)
@pytest.mark.parametrize("k", [2, 4, 16])
@pytest.mark.parametrize("dtype", ["int32", "int8", "uint64", *FLOATS])
def test_largest_of_each_row(dtype: str, k: int):
    x = sample(dtype, 4, 16)
    argument, read = room(4 * k, dtype)
    largest[(1,)](given(x.reshape(-1), dtype), argument, K=k, M=4, N=16)
    assert_equal(read(), np.flip(np.sort(x, 1), 1)[:, :k])


@triton.jit
def sorted_places(x_ptr, out_ptr, place_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    pairs = (tl.load(x_ptr + at).to(tl.int64) << 32) | at
    ordered = tl.sort(pairs)
    tl.store(out_ptr + at, (ordered >> 32).to(tl.int32))
    tl.store(place_ptr + at, (ordered & 0xFFFFFFFF).to(tl.int32))


def test_sort_of_pairs_is_stable():
    x = torch.randint(-9, 9, (64,), dtype=torch.int32)
    out, place = torch.zeros(2, 64, dtype=torch.int32)
    sorted_places[(1,)](x, out, place, N=64)
    want = x.sort(stable=True)
    assert torch.equal(out, want.values)
    assert torch.equal(place.long(), want.indices)


@triton.jit
def sort_by_gathers(x_ptr, out_ptr, N: tl.constexpr, STEPS: tl.constexpr):
    place = tl.arange(0, N)
    x = tl.load(x_ptr + place)
    for step in tl.static_range(1, STEPS + 1):
        for part in tl.static_range(step):
            distance = 1 << (step - 1 - part)
            other = tl.gather(x, place ^ distance, 0)
            goes_up = (place & (1 << step)) == 0
            is_first = (place & distance) == 0
            x = tl.where(goes_up == is_first, tl.minimum(x, other), tl.maximum(x, other))
    tl.store(out_ptr + place, x)


def test_sort_network_of_gathers():
    x, out = torch.randn(32), torch.zeros(32)
    sort_by_gathers[(1,)](x, out, N=32, STEPS=5)
    assert torch.equal(out, x.sort().values)


#
# Flip
#


@triton.jit
def mirror(x_ptr, out_ptr, DIM: tl.constexpr, SHAPE: tl.constexpr, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    x = tl.load(x_ptr + at).reshape(SHAPE)
    tl.store(out_ptr + at, tl.flip(x, DIM).reshape(SIZE))


def check_flip(dtype: str, shape: tuple[int, ...], dim: int) -> None:
    x = numbers(dtype)[np.arange(np.prod(shape)) % 16].reshape(shape)
    argument, read = room(x.size, dtype)
    mirror[(1,)](given(x.reshape(-1), dtype), argument, DIM=dim, SHAPE=shape, SIZE=x.size)
    np.testing.assert_array_equal(
        read().reshape(shape).astype(np.float64), np.flip(x, dim).astype(np.float64)
    )


@pytest.mark.parametrize(
    ("shape", "dim"),
    # Triton itself cannot flip a block of one element.
    [(shape, dim) for shape in SHAPES[1:] for dim in [*range(len(shape)), -1]],
)
def test_flip_of_every_dimension(shape: tuple[int, ...], dim: int):
    check_flip("int32", shape, dim)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_flip_of_every_type(dtype: str):
    check_flip(dtype, (4, 16), 1)


#
# Gather
#


@triton.jit
def pick(
    x_ptr, index_ptr, out_ptr,
    AXIS: tl.constexpr, SHAPE: tl.constexpr, SIZE: tl.constexpr,
    PLACES: tl.constexpr, COUNT: tl.constexpr,
):  # fmt: skip
    x = tl.load(x_ptr + tl.arange(0, SIZE)).reshape(SHAPE)
    at = tl.arange(0, COUNT)
    index = tl.load(index_ptr + at).reshape(PLACES)
    tl.store(out_ptr + at, tl.gather(x, index, AXIS).reshape(COUNT))


def check_gather(
    dtype: str, index_dtype: str, shape: tuple[int, ...], axis: int, count: int
) -> None:
    x = numbers(dtype)[np.arange(np.prod(shape)) % 16].reshape(shape)
    places = list(shape)
    places[axis] = count
    index = np.random.default_rng(count).integers(0, shape[axis], places)
    argument, read = room(index.size, dtype)
    pick[(1,)](
        given(x.reshape(-1), dtype), given(index.astype(index_dtype).reshape(-1), index_dtype),
        argument, AXIS=axis, SHAPE=shape, SIZE=x.size, PLACES=tuple(places), COUNT=index.size,
    )  # fmt: skip
    want = np.take_along_axis(x, index, axis)
    np.testing.assert_array_equal(
        read().reshape(want.shape).astype(np.float64), want.astype(np.float64)
    )


@pytest.mark.parametrize("count", [1, 4, 32])
@pytest.mark.parametrize(
    ("shape", "axis"), [((16,), 0), ((4, 8), 0), ((4, 8), 1), ((4, 8), -1), ((2, 4, 2), 1)]
)
def test_gather_along_every_axis(shape: tuple[int, ...], axis: int, count: int):
    check_gather("float32", "int32", shape, axis, count)


@pytest.mark.parametrize("dtype", [*NUMBERS, "bool"])
def test_gather_of_every_type(dtype: str):
    check_gather(dtype, "int32", (4, 16), 1, 8)


@pytest.mark.parametrize("index_dtype", INTEGERS)
def test_gather_by_every_type(index_dtype: str):
    check_gather("float32", index_dtype, (128, 2), 0, 4)


@pytest.mark.parametrize("index_dtype", ["int32", "int64", "uint8"])
def test_indices_outside_of_the_block_read_its_last_element(index_dtype: str):
    x, out = torch.randn(16), torch.zeros(8)
    far = 255 if index_dtype == "uint8" else -1
    index = torch.tensor([0, 15, 16, far, 100, 3, far, 1]).to(getattr(torch, index_dtype))
    pick[(1,)](x, index, out, AXIS=0, SHAPE=(16,), SIZE=16, PLACES=(8,), COUNT=8)
    assert torch.equal(out, x[[0, 15, 15, 15, 15, 3, 15, 1]])


@triton.jit
def look_up(x_ptr, index_ptr, out_ptr, n, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    index = tl.load(index_ptr + at)
    for _ in range(n):
        x = tl.gather(x, index, 0)
    tl.store(out_ptr + at, x)


def test_gather_of_what_was_gathered():
    x, index, out = torch.randn(16), torch.randperm(16), torch.zeros(16)
    look_up[(1,)](x, index, out, 3, N=16)
    assert torch.equal(out, x[index][index][index])


#
# Histogram
#


@triton.jit
def count(
    x_ptr, out_ptr, n,
    MASKED: tl.constexpr, N: tl.constexpr, BINS: tl.constexpr,
):  # fmt: skip
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    if MASKED:
        counts = tl.histogram(x, BINS, mask=at < n)
    else:
        counts = tl.histogram(x, BINS)
    tl.store(out_ptr + tl.arange(0, BINS), counts)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("n", "bins"), [(256, 2), (64, 16), (8, 128), (8, 2), (64, 1), (1, 1)])
def test_histogram_of_every_size(n: int, bins: int, masked: bool):
    # One more than there are bins, which is counted nowhere.
    x, out = torch.randint(0, bins + 1, (n,), dtype=torch.int32), torch.zeros(bins).int()
    live = n * 5 // 8 if masked else n
    count[(1,)](x, out, live, MASKED=masked, N=n, BINS=bins)
    assert torch.equal(out.long(), torch.bincount(x[:live], minlength=bins)[:bins])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_histogram_of_every_type(dtype: str):
    """What names no bin, as numbers below zero do, is counted nowhere."""
    if "32" not in dtype and TRITON >= (3, 9):
        pytest.skip("Triton 3.9 asks for 32 bits")
    low = 0 if dtype[0] == "u" else -4
    x = np.random.default_rng(1).integers(low, 12, 64).astype(numpy_dtype(dtype))
    out = torch.zeros(8, dtype=torch.int32)
    count[(1,)](given(x, dtype), out, 64, MASKED=False, N=64, BINS=8)
    inside = x[(x >= 0) & (x < 8)].astype(np.int64)
    assert out.tolist() == np.bincount(inside, minlength=8).tolist()


@triton.jit
def count_in_bins(x_ptr, out_ptr, n, N: tl.constexpr, BINS: tl.constexpr):
    counts = tl.zeros((BINS,), tl.int32)
    for start in range(0, n, N):
        at = start + tl.arange(0, N)
        counts += tl.histogram(tl.load(x_ptr + at, mask=at < n, other=0), BINS, mask=at < n)
    total = tl.cumsum(counts[None, :] + tl.full((2, BINS), 1, tl.int32), 1)
    tl.store(out_ptr + tl.arange(0, 2)[:, None] * BINS + tl.arange(0, BINS)[None, :], total)


def test_histogram_is_a_block_like_any_other():
    x, out = torch.randint(0, 8, (50,), dtype=torch.int32), torch.zeros(2, 8, dtype=torch.int32)
    count_in_bins[(1,)](x, out, 50, N=16, BINS=8)
    want = (torch.bincount(x, minlength=8) + 1).cumsum(0)
    assert torch.equal(out.long(), want.expand(2, 8))
