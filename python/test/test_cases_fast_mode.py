"""Fast mode of the CPU: what it may not get wrong where it differs from reference mode."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton_shared import library


@triton.jit
def shift(x_ptr, distance, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(x_ptr + at + distance, tl.load(x_ptr + at) + 1.0)


@pytest.mark.parametrize("distance", [-20, -16, -1, 0, 1, 7, 16, 300])
def test_a_block_is_read_before_an_overlapping_one_is_written(distance: int):
    x = torch.arange(1024, dtype=torch.float32)
    expected = x.clone()
    expected[64 + distance : 64 + distance + 256] = x[64 : 64 + 256] + 1
    shift[(1,)](x[64:], distance, 256, mode="fast")
    torch.testing.assert_close(x, expected, rtol=0, atol=0)


@triton.jit
def load_store_use(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(x_ptr + at, x * 2)
    tl.store(out_ptr + at, x + 1)


def test_a_block_keeps_its_values_when_memory_changes():
    x = torch.arange(64, dtype=torch.float32)
    before, out = x.clone(), torch.empty(64)
    load_store_use[(1,)](x, out, 64, mode="fast")
    torch.testing.assert_close(out, before + 1, rtol=0, atol=0)


@triton.jit
def exchange(x_ptr, y_ptr, turns, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    for _ in range(turns):
        x, y = y, x + y
    tl.store(x_ptr + at, x)
    tl.store(y_ptr + at, y)


@pytest.mark.parametrize("turns", [0, 1, 2, 7])
def test_blocks_change_places_in_a_loop(turns: int):
    x, y = torch.rand(32), torch.rand(32)
    a, b = x.clone(), y.clone()
    for _ in range(turns):
        a, b = b, a + b
    exchange[(1,)](x, y, turns, 32, mode="fast")
    torch.testing.assert_close((x, y), (a, b), rtol=0, atol=0)


@triton.jit
def running_blocks(x_ptr, out_ptr, turns, N: tl.constexpr):
    at = tl.arange(0, N)
    zeros = tl.zeros((N,), dtype=tl.float32)
    total, before, largest = zeros, zeros, zeros
    for turn in range(turns):
        before = total * 1.0  # Another name alone would not be carried.
        total += tl.load(x_ptr + turn * N + at)
        largest = tl.maximum(largest, total - before * 0.5)
    tl.store(out_ptr + at, total)
    tl.store(out_ptr + N + at, before)
    tl.store(out_ptr + 2 * N + at, largest)
    tl.store(out_ptr + 3 * N + at, zeros)


@pytest.mark.parametrize("size", [32, 1024])
@pytest.mark.parametrize("turns", [0, 1, 2, 5])
def test_running_blocks_that_start_as_one(turns: int, size: int):
    x = np.random.default_rng(0).standard_normal((turns, size)).astype(np.float32)
    total, before, largest = (np.zeros(size, np.float32) for _ in range(3))
    for row in x:
        before, total = total, total + row
        largest = np.maximum(largest, total - before * np.float32(0.5))
    out = torch.empty(4, size)
    running_blocks[(1,)](torch.from_numpy(x), out, turns, size, mode="fast")
    np.testing.assert_array_equal(out.numpy(), [total, before, largest, np.zeros(size)])


@triton.jit
def multiply_twice(a_ptr, out_ptr, turns, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    a = tl.load(a_ptr + i * N + j)
    scaled = tl.zeros((N, N), dtype=tl.float32)
    for turn in range(turns):
        once = tl.dot(a, a)
        scaled = tl.dot(once, a, scaled * 0.5)
        tl.store(out_ptr + (turn * 2) * N * N + i * N + j, once)
        tl.store(out_ptr + (turn * 2 + 1) * N * N + i * N + j, scaled)


def test_products_in_a_loop_start_at_zero_each_turn():
    a = torch.randint(-2, 3, (16, 16)).float()
    out = torch.empty(3, 2, 16, 16)
    multiply_twice[(1,)](a, out, 3, 16, mode="fast")
    square, cube = a @ a, a @ a @ a
    expected = [(square, cube), (square, cube * 1.5), (square, cube * 1.75)]
    assert torch.equal(out, torch.stack([torch.stack(pair) for pair in expected]))


@triton.jit
def reduce_row(x_ptr, out_ptr, n, N: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, N)
    x = tl.load(x_ptr + row * n + at, mask=at < n, other=-float("inf"))
    tl.store(out_ptr + 2 * row, tl.max(x, axis=0))
    tl.store(out_ptr + 2 * row + 1, tl.sum(tl.where(at < n, x, 0.0), axis=0))


def largest(row: np.ndarray) -> float:
    """The largest number, 0.0 before -0.0; NaN if there is none."""
    numbers = [x for x in row if not np.isnan(x)]
    return max(numbers, key=lambda x: (x, not np.signbit(x)), default=np.nan)


@pytest.mark.parametrize("n", [1, 5, 16, 100, 512])
def test_extrema_of_zeros_infinities_and_nan(n: int):
    odd = np.arange(n) % 2 == 1
    pairs = [(0.0, 0.0), (-0.0, -0.0), (-np.inf, -np.inf), (np.nan, np.nan), (-3.0, -4.0)]
    pairs += [(0.0, -0.0), (-0.0, 0.0), (np.nan, -np.inf), (np.nan, -0.0), (-1.0, 0.0)]
    x = np.stack([np.where(odd, a, b).astype(np.float32) for a, b in pairs])
    out = torch.empty(len(x), 2)
    reduce_row[(len(x),)](torch.from_numpy(x), out, n, 512, mode="fast")
    outside = [-np.inf] * (512 - n)
    expected = np.array([largest(np.append(row, outside)) for row in x], np.float32)
    result = out.numpy()[:, 0]
    np.testing.assert_array_equal(result, expected)
    kept = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(result[kept]), np.signbit(expected[kept]))


@pytest.mark.parametrize("order", ["reverse", "random"])
def test_sums_are_the_same_for_any_threads_and_order(order: str):
    x = torch.randn(64, 500)
    results = []
    for threads, how in ((1, "forward"), (2, order), (4, order)):
        out = torch.empty(64, 2)
        with library.launches(threads=threads, grid_order=how, grid_seed=3):
            reduce_row[(64,)](x, out, 500, 512, mode="fast")
        results.append(out.numpy())
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


@triton.jit
def multiply(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + n[None, :] * K + k[:, None])  # Column by column.
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a, b))


@pytest.mark.parametrize("shape", [(16, 16, 16), (32, 128, 16), (128, 32, 64), (16, 256, 32)])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8"])
def test_dots_of_any_shape(shape: tuple[int, int, int], dtype: str):
    m, n, k = shape
    a, b = (torch.randint(-4, 5, size).to(getattr(torch, dtype)) for size in ((m, k), (n, k)))
    c = torch.empty(m, n, dtype=torch.int32 if dtype == "int8" else torch.float32)
    multiply[(1,)](a, b, c, m, n, k, mode="fast")
    torch.testing.assert_close(c.double(), a.double() @ b.double().T, rtol=0, atol=0)


@triton.jit
def where_compared(x_ptr, out_ptr, offset, n, HOW: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    place = at + offset
    if HOW == "<":
        kept = place < n
    elif HOW == "<=":
        kept = place <= n
    elif HOW == ">":
        kept = place > n
    else:
        kept = place >= n
    tl.store(out_ptr + at, tl.where(kept, x, -x))
    tl.store(out_ptr + N, tl.sum(tl.where(kept, x, 0)))
    mirrored = (n > place) if HOW == "<" else (n >= place)
    tl.store(out_ptr + N + 1, tl.sum(tl.where(mirrored, x, 0)))


LIMIT = 2**31
MASKS = [(0, n) for n in (-LIMIT, -1, 0, 1, 15, 16, 17, 100, 511, 512, 513, LIMIT - 1)]
MASKS += [(1000, n) for n in (-LIMIT, 999, 1000, 1001, 1511, 1512, LIMIT - 1)]
MASKS += [(-100, n) for n in (-LIMIT, -101, -100, 0, 300, LIMIT - 1)]
MASKS += [(-LIMIT, n) for n in (-LIMIT, -LIMIT + 77, 0, LIMIT - 1)]
# From here on, some places are beyond the largest integer, and wrap.
MASKS += [(LIMIT - 100, n) for n in (-LIMIT, 0, LIMIT - 101, LIMIT - 50, LIMIT - 1)]


@pytest.mark.parametrize("how", ["<", "<=", ">", ">="])
def test_masks_by_a_bound_that_is_anywhere(how: str):
    x = np.arange(1, 513, dtype=np.int32)
    compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}[how]
    for offset, n in MASKS:
        place = np.arange(512, dtype=np.int32) + np.int32(offset)
        kept = compare(place, np.int32(n))
        mirrored = place < n if how == "<" else place <= n
        expected = [*np.where(kept, x, -x), x[kept].sum(), x[mirrored].sum()]
        out = torch.empty(514, dtype=torch.int32)
        where_compared[(1,)](torch.from_numpy(x), out, offset, n, how, 512, mode="fast")
        np.testing.assert_array_equal(out.numpy(), expected, f"{offset} {n}")


@triton.jit
def fold_running_sums(x_ptr, out_ptr, BLOCK: tl.constexpr, COUNT: tl.constexpr):
    at = tl.arange(0, BLOCK)
    sums = ()
    for j in tl.static_range(COUNT):
        sums = sums + (tl.cumsum(tl.load(x_ptr + at + j), 0),)  # noqa: RUF005 (the front end)
    folded = tl.zeros((BLOCK,), tl.float64)
    for j in tl.static_range(COUNT):
        folded = folded * 0.5 + sums[COUNT - 1 - j]
    tl.store(out_ptr + at, folded)


@pytest.mark.nightly
def test_more_than_256_mib_of_blocks_in_use_at_once():
    count, block = 34, 1 << 20
    x = torch.ones(block + count, dtype=torch.float64)
    out = torch.zeros(block, dtype=torch.float64)
    fold_running_sums[(1,)](x, out, BLOCK=block, COUNT=count, mode="fast")
    want = torch.zeros_like(out)
    for _ in range(count):
        want = want * 0.5 + x[:block].cumsum(0)
    assert torch.equal(out, want)
