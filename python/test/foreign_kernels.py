"""Kernels in the forms that AMD's Triton-XDNA and Qualcomm's hexagon-mlir describe, written anew.

Each case launches its kernel on CPU tensors and says what torch makes of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


class Launched(NamedTuple):
    """What a kernel has computed, what it should have, and the kernel, with its texts."""

    got: torch.Tensor
    expected: torch.Tensor
    kernel: Any


@triton.jit
def whole_matmul(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """One product of blocks that are all of K, at fixed strides."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    ks = tl.arange(0, K)
    left = tl.load(a + rows[:, None] * K + ks[None, :])
    right = tl.load(b + ks[:, None] * (2 * N) + columns[None, :])
    tl.store(c + rows[:, None] * (2 * N) + columns[None, :], tl.dot(left, right))


@triton.jit
def wrapped_matmul(
    a, b, c, m, n, k, am, ak, bk, bn, cm, cn,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    """The tutorial's: rows and columns wrap around, K ends in a mask."""
    rows = (tl.program_id(0) * M + tl.arange(0, M)) % m
    columns = (tl.program_id(1) * N + tl.arange(0, N)) % n
    ks = tl.arange(0, K)
    left, right = a + rows[:, None] * am + ks[None, :] * ak, b + ks[:, None] * bk + columns * bn
    total = tl.zeros((M, N), tl.float32)
    for turn in range(tl.cdiv(k, K)):
        x = tl.load(left, mask=ks[None, :] < k - turn * K, other=0.0)
        y = tl.load(right, mask=ks[:, None] < k - turn * K, other=0.0)
        total = tl.dot(x, y, total)
        left += K * ak
        right += K * bk
    at, over = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    inside = (at[:, None] < m) & (over[None, :] < n)
    tl.store(c + at[:, None] * cm + over[None, :] * cn, total, mask=inside)


@triton.jit
def row_softmax(x, out, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = tl.arange(0, BLOCK)
    inside = (at < n)[None, :]
    v = tl.load(x + rows[:, None] * n + at, mask=inside, other=float("-inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=1)[:, None])
    y = e / tl.sum(e, axis=1)[:, None]
    tl.store(out + rows[:, None] * n + at, y, mask=inside)


@triton.jit
def rms_norm(x, w, out, n: tl.constexpr, eps, ROWS: tl.constexpr):
    rows, at = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, n)
    v = tl.load(x + rows[:, None] * n + at).to(tl.float32)
    scale = tl.rsqrt(tl.sum(v * v, axis=1) / n + eps)
    tl.store(out + rows[:, None] * n + at, v * scale[:, None] * tl.load(w + at))


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    tl.store(out + at, 0.5 * v * (1 + tl.erf(v * 0.7071067811865476)), mask=at < n)


@triton.jit
def gelu_of_libdevice(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    inner = 0.7978845608028654 * (v + 0.044715 * v * v * v)
    tl.store(out + at, 0.5 * v * (1 + libdevice.tanh(inner)), mask=at < n)


@triton.jit
def attention(q, k, v, out, n, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    rows, at, ds = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    query = tl.load(q + rows[:, None] * D + ds)
    largest = tl.full((M,), float("-inf"), tl.float32)
    total, result = tl.zeros((M,), tl.float32), tl.zeros((M, D), tl.float32)
    for start in range(0, n, N):
        keys = tl.load(k + (start + at)[:, None] * D + ds)
        scores = tl.dot(query, tl.trans(keys)) * 0.125
        new = tl.maximum(largest, tl.max(scores, axis=1))
        p, scale = tl.exp(scores - new[:, None]), tl.exp(largest - new)
        total = total * scale + tl.sum(p, axis=1)
        values = tl.load(v + (start + at)[:, None] * D + ds)
        result = tl.dot(p.to(values.dtype), values, result * scale[:, None])
        largest = new
    tl.store(out + rows[:, None] * D + ds, result / total[:, None])


@triton.jit
def square_and_add(x, y, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.store(out + at, tl.maximum(v * v + tl.load(y + at), 0.0))


@triton.jit
def convolution(x, w, out, width, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    """A filter along a line, with zeros beyond its ends."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for tap in tl.static_range(TAPS):
        place = at + tap - TAPS // 2
        inside = (place >= 0) & (place < width)
        total += tl.load(x + place, mask=inside, other=0.0) * tl.load(w + tap)
    tl.store(out + at, total, mask=at < width)


def launch_whole_matmul() -> Launched:
    a, b, c = torch.randn(64, 64), torch.randn(64, 64), torch.empty(64, 64)
    return Launched(c, a @ b, whole_matmul[(2, 2)](a, b, c, M=32, N=32, K=64))


def launch_wrapped_matmul() -> Launched:
    a, b, c = torch.randn(40, 50), torch.randn(50, 36), torch.empty(40, 36)
    sizes = (40, 36, 50, *a.stride(), *b.stride(), *c.stride())
    return Launched(c, a @ b, wrapped_matmul[(2, 2)](a, b, c, *sizes, M=32, N=32, K=16))


def launch_row_softmax() -> Launched:
    x, out = torch.randn(8, 100), torch.empty(8, 100)
    return Launched(out, x.softmax(1), row_softmax[(4,)](x, out, 100, ROWS=2, BLOCK=128))


def launch_rms_norm() -> Launched:
    x, w, out = torch.randn(8, 64).bfloat16(), torch.randn(64), torch.empty(8, 64)
    expected = torch.nn.functional.rms_norm(x.float(), (64,), w, 1e-5)
    return Launched(out, expected, rms_norm[(4,)](x, w, out, 64, 1e-5, ROWS=2))


def launch_gelu() -> Launched:
    x, out = torch.randn(1000), torch.empty(1000)
    expected = torch.nn.functional.gelu(x)
    return Launched(out, expected, gelu[(4,)](x, out, 1000, BLOCK=256))


def launch_gelu_of_libdevice() -> Launched:
    x, out = torch.randn(1000), torch.empty(1000)
    expected = torch.nn.functional.gelu(x, approximate="tanh")
    return Launched(out, expected, gelu_of_libdevice[(4,)](x, out, 1000, BLOCK=256))


def launch_attention() -> Launched:
    q, k, v, out = (
        torch.randn(32, 64),
        torch.randn(64, 64),
        torch.randn(64, 64),
        torch.empty(32, 64),
    )
    expected = (q @ k.T * 0.125).softmax(1) @ v
    return Launched(out, expected, attention[(2,)](q, k, v, out, 64, D=64, M=16, N=32))


def launch_elementwise() -> Launched:
    x, y, out = torch.randn(1024), torch.randn(1024), torch.empty(1024)
    kernel = square_and_add[(4,)](x, y, out, BLOCK=256)
    return Launched(out, torch.relu(x * x + y), kernel)


def launch_convolution() -> Launched:
    x, w, out = torch.randn(500), torch.randn(5), torch.empty(500)
    expected = torch.nn.functional.conv1d(x[None, None], w[None, None], padding=2)[0, 0]
    return Launched(out, expected, convolution[(4,)](x, w, out, 500, TAPS=5, BLOCK=128))


CASES: dict[str, Callable[[], Launched]] = {
    name.removeprefix("launch_"): value
    for name, value in list(globals().items())
    if name.startswith("launch_")
}
