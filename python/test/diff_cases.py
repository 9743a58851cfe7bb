"""Kernels for test_diff: right ones, and ones that do something else in Triton's interpreter."""

from __future__ import annotations

import os

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
FACTOR = tl.constexpr(1.0 + 2.0**-18 if INTERPRETED else 1.0)
BEYOND = tl.constexpr(1 if INTERPRETED else 0)
TAIL = tl.constexpr(16 if INTERPRETED else 0)


@triton.jit
def copy(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n), mask=at < n)


@triton.jit
def row_sums(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    tl.store(out + row, tl.sum(tl.load(x + row * n + at, mask=at < n, other=0.0), axis=0))


@triton.jit
def soft(x, out, n, scale, BLOCK: tl.constexpr):
    at = tl.program_id(0) * n + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < n
    v = tl.load(x + at, mask=inside, other=-float("inf")) * scale
    p = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + at, p / tl.sum(p, axis=0), mask=inside)


@triton.jit
def scaled_wrong(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * 3.0 * FACTOR, mask=at < n)


@triton.jit
def stores_beyond(x, out, n, width, BLOCK: tl.constexpr):
    row, column = tl.program_id(1), tl.program_id(0) * BLOCK
    at = column + tl.arange(0, BLOCK)
    inside = at < n + BEYOND
    tl.store(out + row * width + at, tl.load(x + at, mask=at < n, other=7), mask=inside)


@triton.jit
def dot_without_tail(a, b, c, K, S: tl.constexpr):
    i, j = tl.arange(0, S)[:, None], tl.arange(0, S)[None, :]
    total = tl.zeros((S, S), dtype=tl.float32)
    for k in range(0, K - TAIL, S):
        left = tl.load(a + i * K + k + j)
        right = tl.load(b + (k + i) * S + j)
        total = tl.dot(left, right, total)
    tl.store(c + i * S + j, total)


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def combine(x, out, COMBINE: tl.constexpr):
    tl.store(out, COMBINE(tl.load(x), tl.load(x + 1)))


@triton.jit
def touches(address, out):
    tl.store(out, tl.load(tl.load(address).to(tl.pointer_type(tl.int32), bitcast=True)))


@triton.jit
def never_ends(out):
    found = tl.load(out)
    while found == 1:
        found = tl.load(out, volatile=True)
    tl.store(out, found)


def right_copy() -> None:
    x = torch.arange(100, dtype=torch.int32)
    copy[(4,)](x, torch.zeros_like(x), 100, BLOCK=32)


def right_sums() -> None:
    x = torch.randn(6, 300, generator=torch.Generator().manual_seed(1))
    row_sums[(6,)](x, torch.zeros(6), 300, BLOCK=512)


def right_softmax() -> None:
    x = torch.randn(6, 300, generator=torch.Generator().manual_seed(1))
    soft[(6,)](x, torch.zeros(6, 300), 300, 0.3, BLOCK=512)


def wrong_factor() -> None:
    x = 1 + torch.rand(100, generator=torch.Generator().manual_seed(2))
    scaled_wrong[(4,)](x, torch.zeros(100), 100, BLOCK=32)


def wrong_mask() -> None:
    out = torch.zeros(4, 80, dtype=torch.int16)
    stores_beyond[(3, 4)](torch.arange(70, dtype=torch.int16), out, 70, 80, BLOCK=32)


def wrong_dot() -> None:
    g = torch.Generator().manual_seed(3)
    a, b = (torch.randn(*s, generator=g) for s in ((16, 64), (64, 16)))
    dot_without_tail[(1,)](a, b, torch.zeros(16, 16), 64, S=16)


def cases() -> list[object]:
    return [right_copy, right_sums, right_softmax, wrong_factor, wrong_mask, wrong_dot]
