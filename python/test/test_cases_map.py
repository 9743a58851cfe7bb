"""`tl.map_elementwise`: scalar functions with branches, of one element or of several neighbours."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def clip(x, low, high):
    if x < low:
        return low
    if x > high:
        return high
    return x


@triton.jit
def map_clip(x_ptr, out_ptr, low, high, SHAPE: tl.constexpr, SIZE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, SIZE)).reshape(SHAPE)
    clipped = tl.map_elementwise(clip, x, low, high)
    tl.static_assert(len(clipped.shape) == len(SHAPE))
    tl.store(out_ptr + tl.arange(0, SIZE), clipped.reshape(SIZE))


@pytest.mark.parametrize("shape", [(1,), (16,), (4, 8), (2, 1, 4), (2, 2, 2, 2)])
@pytest.mark.parametrize("dtype", [torch.int32, torch.float32])
def test_early_returns_in_every_shape(dtype: torch.dtype, shape: tuple[int, ...]):
    x = torch.randint(-9, 10, shape).to(dtype)
    out = torch.zeros_like(x)
    low, high = (-3, 4) if dtype == torch.int32 else (-2.5, 3.5)
    map_clip[(1,)](x, out, low, high, SHAPE=shape, SIZE=x.numel())
    assert torch.equal(out, x.clamp(low, high))


@triton.jit
def divide(a, b):
    if b == 0:
        quotient = a * 0
        rest = a
    else:
        quotient = a // b
        rest = a % b
    return quotient, rest, b != 0


@triton.jit
def map_divide(a_ptr, b_ptr, q_ptr, r_ptr, some_ptr, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    a, b = tl.load(a_ptr + m)[:, None], tl.load(b_ptr + n)[None, :]
    q, r, some = tl.map_elementwise(divide, a, b)
    at = m[:, None] * N + n[None, :]
    tl.store(q_ptr + at, q)
    tl.store(r_ptr + at, r)
    tl.store(some_ptr + at, some)


def test_several_results_of_operands_that_are_broadcast():
    a, b = torch.randint(0, 99, (8,), dtype=torch.int32), torch.arange(4, dtype=torch.int32)
    q, r = torch.zeros(2, 8, 4, dtype=torch.int32)
    some = torch.zeros(8, 4, dtype=torch.bool)
    map_divide[(1,)](a, b, q, r, some, M=8, N=4)
    assert torch.equal(some, (b != 0).expand(8, 4))
    a, b = a[:, None].expand(8, 4), b.expand(8, 4)
    assert torch.equal(q, torch.where(b == 0, 0, a // b.clamp(min=1)))
    assert torch.equal(r, torch.where(b == 0, a, a % b.clamp(min=1)))


@triton.jit
def steps_to_one(x):
    count = x * 0
    while x > 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        count += 1
    return count


@triton.jit
def map_steps(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.map_elementwise(steps_to_one, tl.load(x_ptr + at)))


def test_loops_of_as_many_rounds_as_each_element_needs():
    x, out = torch.arange(1, 33, dtype=torch.int64), torch.zeros(32, dtype=torch.int64)
    map_steps[(1,)](x, out, N=32)

    def steps(n: int) -> int:
        return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)

    assert out.tolist() == [steps(n) for n in x.tolist()]


@triton.jit
def swap_if_larger(x0, x1, y0, y1):
    if x0 > x1:
        return x1, x0, y1, y0
    return x0, x1, y0, y1


@triton.jit
def map_pairs(x_ptr, y_ptr, SHAPE: tl.constexpr, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    x, y = tl.load(x_ptr + at).reshape(SHAPE), tl.load(y_ptr + at).reshape(SHAPE)
    x, y = tl.map_elementwise(swap_if_larger, x, y, pack=2)
    tl.store(x_ptr + at, x.reshape(SIZE))
    tl.store(y_ptr + at, y.reshape(SIZE))


@pytest.mark.parametrize("shape", [(2,), (16,), (4, 8), (2, 2, 4)])
def test_pairs_of_neighbours(shape: tuple[int, ...]):
    x, y = torch.randint(-9, 10, shape, dtype=torch.int32), torch.randn(shape)
    pairs, others = x.reshape(-1, 2), y.reshape(-1, 2)
    swap = pairs[:, :1] > pairs[:, 1:]
    want = [torch.where(swap, part.flip(1), part).reshape(shape) for part in (pairs, others)]
    map_pairs[(1,)](x, y, SHAPE=shape, SIZE=x.numel())
    assert torch.equal(x, want[0])
    assert torch.equal(y, want[1])


@triton.jit
def total_of_four(a, b, c, d):
    total = a + b + c + d
    return total, a - b, c - d, total * 2


@triton.jit
def map_fours(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    mapped = tl.map_elementwise(total_of_four, tl.load(x_ptr + at), pack=4)
    tl.store(out_ptr + at, mapped[0])


def test_four_neighbours_at_a_time():
    x, out = torch.randint(-9, 10, (16,), dtype=torch.int16), torch.zeros(16, dtype=torch.int16)
    map_fours[(1,)](x, out, N=16)
    a, b, c, d = x.reshape(-1, 4).unbind(1)
    total = a + b + c + d
    assert torch.equal(out, torch.stack([total, a - b, c - d, total * 2], 1).reshape(-1))
