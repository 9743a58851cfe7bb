"""Random numbers: Philox counter by counter, uniform and normal numbers made of it, dropout."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
import torch
import triton
import triton.language as tl
from values import room

M32 = 2**32 - 1
CONSTANTS = {
    32: (0x9E3779B9, 0xBB67AE85, 0xD2511F53, 0xCD9E8D57),
    64: (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B, 0xD2E7470EE14C6C93, 0xCA5A826395121157),
}


def philox(
    counter: tuple[int, ...], key: tuple[int, int], rounds: int, width: int = 32
) -> list[int]:
    """Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3 (2011)."""
    mask = (1 << width) - 1
    weyl_0, weyl_1, factor_0, factor_1 = CONSTANTS[width]
    c, k = list(counter), list(key)
    for _ in range(rounds):
        low, high = factor_0 * c[0], factor_1 * c[2]
        c = [high >> width ^ c[1] ^ k[0], high & mask, low >> width ^ c[3] ^ k[1], low & mask]
        k = [(k[0] + weyl_0) & mask, (k[1] + weyl_1) & mask]
    return c


def integers(seed: int, offsets: np.ndarray, rounds: int = 10) -> np.ndarray:
    """The four streams of `tl.randint4x`."""
    seed &= 2**64 - 1
    made = [
        philox((int(o) & M32, int(o) >> 32 & M32, 0, 0), (seed & M32, seed >> 32), rounds)
        for o in offsets
    ]
    return np.array(made, dtype=np.uint32).T


@triton.jit
def draw_integers(out_ptr, seed, start, WIDE: tl.constexpr, ROUNDS: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    offsets = at.to(tl.int64) + start if WIDE else at + start
    a, b, c, d = tl.randint4x(seed, offsets, ROUNDS)
    tl.store(out_ptr + at, a)
    tl.store(out_ptr + N + at, b)
    tl.store(out_ptr + 2 * N + at, c)
    tl.store(out_ptr + 3 * N + at, d)
    tl.store(out_ptr + 4 * N + at, tl.randint(seed, offsets, ROUNDS))


SEEDS = [0, 42, 124, 54, -1, 2**31, 2**32 - 1, 0xFFFFFFFF12345678, 0xDEADBEEF00000001, -(2**40)]


@pytest.mark.parametrize("seed", SEEDS)
def test_integers(seed: int):
    out, read = room(5 * 64, "uint32")
    draw_integers[(1,)](out, seed, 0, WIDE=False, ROUNDS=10, N=64)
    expected = integers(seed, np.arange(64))
    np.testing.assert_array_equal(read()[: 4 * 64].reshape(4, 64), expected)
    np.testing.assert_array_equal(read()[4 * 64 :], expected[0])


@pytest.mark.parametrize("start", [0, 2**31 - 7, 2**32 - 7, 2**40 + 3, 2**62])
def test_offsets_of_64_bits(start: int):
    out, read = room(5 * 16, "uint32")
    draw_integers[(1,)](out, 7, start, WIDE=True, ROUNDS=10, N=16)
    offsets = np.arange(16, dtype=object) + start
    np.testing.assert_array_equal(read()[:64].reshape(4, 16), integers(7, offsets))


@pytest.mark.parametrize("rounds", [1, 4, 7])
def test_the_number_of_rounds(rounds: int):
    out, read = room(5 * 16, "uint32")
    draw_integers[(1,)](out, 99, 0, WIDE=False, ROUNDS=rounds, N=16)
    np.testing.assert_array_equal(read()[:64].reshape(4, 16), integers(99, np.arange(16), rounds))


@triton.jit
def draw_wide(out_ptr, seed, N: tl.constexpr):
    at = tl.arange(0, N)
    counter = at.to(tl.uint64)
    zero = counter * 0
    a, b, c, d = tl.philox(seed, counter, zero, zero, zero)
    tl.store(out_ptr + at, a)
    tl.store(out_ptr + N + at, b)
    tl.store(out_ptr + 2 * N + at, c)
    tl.store(out_ptr + 3 * N + at, d)


@pytest.mark.parametrize("seed", [0, 42, 2**63 + 5])
def test_philox_of_64_bits(seed: int):
    out, read = room(4 * 16, "uint64")
    draw_wide[(1,)](out, seed, N=16)
    expected = np.array(
        [philox((i, 0, 0, 0), (seed, 0), 10, 64) for i in range(16)], dtype=np.uint64
    )
    np.testing.assert_array_equal(read().reshape(4, 16), expected.T)


@triton.jit
def draw_uniform(out_ptr, seed, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + at, tl.rand(seed, at))


@triton.jit
def draw_normal(out_ptr, seed, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + at, tl.randn(seed, at))


@triton.jit
def draw_one(out_ptr, seed):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, tl.rand(seed, pid))


def uniform(source: np.ndarray) -> np.ndarray:
    signed = source.view(np.int32)
    return np.where(signed < 0, ~signed, signed).astype(np.float32) * np.float32(4.6566127342e-10)


@pytest.mark.parametrize("seed", [0, 42, 2**40 + 1])
def test_uniform_numbers(seed: int):
    out, read = room(1024, "float32")
    draw_uniform[(8,)](out, seed, N=128)
    np.testing.assert_array_equal(read(), uniform(integers(seed, np.arange(1024))[0]))
    assert read().min() >= 0
    assert read().max() < 1
    assert scipy.stats.kstest(read(), "uniform").statistic < 0.05
    scalars, read_scalars = room(16, "float32")
    draw_one[(16,)](scalars, seed)
    np.testing.assert_array_equal(read_scalars(), read()[:16])


@pytest.mark.parametrize("seed", [0, 42, 54])
def test_normal_numbers(seed: int):
    out, read = room(4096, "float32")
    draw_normal[(4,)](out, seed, N=1024)
    u1, u2 = (uniform(s).astype(np.float64) for s in integers(seed, np.arange(4096))[:2])
    expected = np.sqrt(-2 * np.log(np.maximum(u1, 1e-7))) * np.cos(2 * np.pi * u2)
    np.testing.assert_allclose(read(), expected, rtol=1e-4, atol=2e-6)
    assert abs(read().mean()) < 0.05
    assert abs(read().std() - 1) < 0.05


@triton.jit
def scale_uniform(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.random.uint_to_uniform_float(tl.load(x_ptr + at)))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_every_integer_makes_a_number_below_one(dtype: torch.dtype):
    info = torch.iinfo(dtype)
    x = torch.tensor([0, 1, -1, info.max, info.min, info.max - 1, info.min + 1, 12345], dtype=dtype)
    out = torch.full((8,), -1.0)
    scale_uniform[(1,)](x, out, N=8)
    assert bool((out >= 0).all())
    assert bool((out < 1).all())
    assert out[0] == 0
    assert out[2] == 0


@triton.jit
def dropout(x_ptr, out_ptr, mask_ptr, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    keeps = tl.rand(seed, at) > p
    tl.store(out_ptr + at, tl.where(keeps, x / (1 - p), 0.0), mask=at < n)
    tl.store(mask_ptr + at, keeps, mask=at < n)


@pytest.mark.parametrize("block", [64, 256])
def test_dropout_does_not_depend_on_the_block(block: int):
    n, p = 1000, 0.25
    x, out = torch.randn(n), torch.empty(n)
    mask = torch.empty(n, dtype=torch.bool)
    dropout[(triton.cdiv(n, block),)](x, out, mask, n, p, 1234, BLOCK=block)
    keeps = torch.from_numpy(uniform(integers(1234, np.arange(n))[0]) > np.float32(p))
    assert torch.equal(mask, keeps)
    torch.testing.assert_close(out, torch.where(keeps, x / 0.75, torch.zeros(())))
