"""Operations that only move elements do so on every element type, bit by bit."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

TYPES = {
    "i1": torch.bool,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
    "f8e4nv": torch.float8_e4m3fn,
    "f8e4b8": torch.float8_e4m3fnuz,
    "f8e5": torch.float8_e5m2,
    "f8e5b16": torch.float8_e5m2fnuz,
}
ALL = pytest.mark.parametrize("dtype", TYPES.values(), ids=TYPES.keys())
NUMBERS = {name: dtype for name, dtype in TYPES.items() if name != "i1"}
ALL_NUMBERS = pytest.mark.parametrize("dtype", NUMBERS.values(), ids=NUMBERS.keys())
UP_TO_32 = {name: dtype for name, dtype in NUMBERS.items() if dtype.itemsize <= 4}
"""Triton refuses wider elements in rows by index."""
INTEGERS = {name: dtype for name, dtype in NUMBERS.items() if name.startswith("i")}


def patterns(count: int, dtype: torch.dtype) -> torch.Tensor:
    """Random bits, NaNs included."""
    if dtype == torch.bool:
        return torch.rand(count) < 0.5
    bits = torch.randint(-128, 128, (count * dtype.itemsize,), dtype=torch.int8)
    return bits.view(dtype)


def bits(x: torch.Tensor) -> torch.Tensor:
    return x.contiguous().flatten().view(torch.int8)


@triton.jit
def move(x_ptr, y_ptr, out_ptr, N: tl.constexpr, M: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(out_ptr + tl.arange(0, 2 * N), tl.cat(x, y, can_reorder=True))
    pairs = tl.join(x, y)
    tl.store(out_ptr + 2 * N + 2 * i[:, None] + tl.arange(0, 2)[None, :], pairs)
    left, right = pairs.split()
    tl.store(out_ptr + 4 * N + i, right)
    tl.store(out_ptr + 5 * N + i, left)
    rows = x.reshape(M, N // M)
    places = tl.arange(0, N // M)[:, None] * M + tl.arange(0, M)[None, :]
    tl.store(out_ptr + 6 * N + places, rows.trans())
    single = tl.load(x_ptr + tl.arange(0, 1)).reshape(1, 1)
    wide = tl.broadcast_to(single, (2, N // 2)).reshape(N)
    tl.store(out_ptr + 7 * N + i, wide)


@ALL
def test_shapes(dtype: torch.dtype):
    x, y = patterns(16, dtype), patterns(16, dtype)
    out = torch.zeros(8 * 16, dtype=dtype)
    move[(1,)](x, y, out, N=16, M=4)
    expected = [x, y, torch.stack((x, y), -1).flatten(), y, x]
    expected += [x.view(4, 4).t().flatten(), x[:1].expand(16)]
    assert torch.equal(bits(out), torch.cat([bits(part) for part in expected]))


@triton.jit
def pick(x_ptr, at_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.gather(tl.load(x_ptr + i), tl.load(at_ptr + i), 0))


@ALL
def test_gather(dtype: torch.dtype):
    x, at = patterns(16, dtype), torch.randint(0, 16, (16,), dtype=torch.int32)
    out = torch.zeros(16, dtype=dtype)
    pick[(1,)](x, at, out, N=16)
    assert torch.equal(bits(out), bits(x)[: 16 * dtype.itemsize].view(16, -1)[at.long()].flatten())


@triton.jit
def copy_block(source, target):
    target.store([1, 0], source.load([1, 0]))


@ALL_NUMBERS
def test_descriptors(dtype: torch.dtype):
    x = patterns(5 * 16, dtype).view(5, 16)
    out = torch.zeros(5 * 16, dtype=dtype).view(5, 16)
    copy_block[(1,)](
        TensorDescriptor(x, [5, 16], [16, 1], [2, 16]),
        TensorDescriptor(out, [5, 16], [16, 1], [2, 16]),
    )
    assert torch.equal(bits(out[1:3]), bits(x[1:3]))
    assert not bits(out[3:]).any()


@triton.jit
def copy_rows(source, target, at_ptr):
    at = tl.load(at_ptr + tl.arange(0, 8))
    target.scatter(source.gather(at, 0), tl.arange(0, 8), 0)


@pytest.mark.parametrize("dtype", UP_TO_32.values(), ids=UP_TO_32.keys())
def test_descriptors_by_index(dtype: torch.dtype):
    x = patterns(16 * 32, dtype).view(16, 32)
    out = torch.zeros(16 * 32, dtype=dtype).view(16, 32)
    at = torch.randint(0, 16, (8,), dtype=torch.int32)
    # A row is one element of the descriptor's block.
    copy_rows[(1,)](
        TensorDescriptor(x, [16, 32], [32, 1], [1, 32]),
        TensorDescriptor(out, [16, 32], [32, 1], [1, 32]),
        at,
    )
    assert torch.equal(bits(out[:8]), bits(x).view(16, -1)[at.long()].flatten())


@triton.jit
def count(x_ptr, out_ptr, N: tl.constexpr, BINS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr + tl.arange(0, BINS), tl.histogram(x, BINS))


@pytest.mark.parametrize("dtype", INTEGERS.values(), ids=INTEGERS.keys())
def test_histogram(dtype: torch.dtype):
    if dtype != torch.int32 and triton.__version__.startswith("3.9"):
        pytest.skip("this version of Triton counts 32-bit integers only")
    x, out = torch.randint(0, 8, (32,)).to(dtype), torch.zeros(8, dtype=torch.int32)
    count[(1,)](x, out, N=32, BINS=8)
    assert torch.equal(out.long(), torch.bincount(x.long(), minlength=8))


@triton.jit
def show(x_ptr):
    tl.device_print("is", tl.load(x_ptr + tl.arange(0, 2)))


@ALL
def test_print(dtype: torch.dtype, capfd: pytest.CaptureFixture[str]):
    show[(1,)](torch.tensor([1, 0], dtype=torch.float32).to(dtype))
    lines = capfd.readouterr().out.splitlines()
    assert [float(line.rpartition(":")[2].split()[-1]) for line in lines] == [1, 0]


@triton.jit
def one_by_one(x):
    return x


@triton.jit
def mapped(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.map_elementwise(one_by_one, tl.load(x_ptr + i)))


@ALL_NUMBERS
def test_map_elementwise(dtype: torch.dtype):
    x, out = patterns(16, dtype), torch.zeros(16, dtype=dtype)
    mapped[(1,)](x, out, N=16)
    assert torch.equal(bits(out), bits(x))
