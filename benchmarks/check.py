"""What checks cost: CPU time on one thread, with them to without, in turn.

    python -m benchmarks.check [NUMBER]

NUMBER measurements per kernel, of which the median counts (default: 15).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import torch
import triton
import triton.language as tl
import triton_shared
from triton_shared import measure

SIZE = 1 << 22
SIDE = 512


@triton.jit
def add(x, y, z, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    inside = i < n
    tl.store(z + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def softmax(x, y, columns, stride, B: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * stride + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * stride + i, e / tl.sum(e, 0), mask=i < columns)


@triton.jit
def matmul(a, b, c, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    total = tl.zeros((B, B), tl.float32)
    for start in range(0, n, B):
        k = start + tl.arange(0, B)
        left = tl.load(a + i[:, None] * n + k[None, :], mask=k[None, :] < n, other=0.0)
        right = tl.load(b + k[:, None] * n + j[None, :], mask=k[:, None] < n, other=0.0)
        total += tl.dot(left, right)
    tl.store(c + i[:, None] * n + j[None, :], total)


@triton.jit
def gather(table, index, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(table + tl.load(index + i)))


@triton.jit
def scatter(x, index, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + tl.load(index + i), tl.load(x + i))


@triton.jit
def transpose(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    inside = (i < n)[:, None] & (j < n)[None, :]
    tile = tl.load(x + j[None, :] * n + i[:, None], mask=inside)
    tl.store(y + i[:, None] * n + j[None, :], tile, mask=inside)


@triton.jit
def count(index, counts, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(counts + tl.load(index + i, mask=i < n, other=0), 1, mask=i < n)


def launches() -> Iterator[tuple[str, Callable[[], object]]]:
    """Each kernel and how it is launched."""
    x, y, z = torch.rand(SIZE), torch.rand(SIZE), torch.zeros(SIZE)
    yield "add", lambda: add[(SIZE // 1024,)](x, y, z, SIZE, B=1024)
    rows, out = torch.rand(SIZE // 1024, 1024), torch.zeros(SIZE // 1024, 1024)
    yield "softmax", lambda: softmax[(SIZE // 1024,)](rows, out, 1000, 1024, B=1024)
    a, b, c = torch.rand(SIDE, SIDE), torch.rand(SIDE, SIDE), torch.zeros(SIDE, SIDE)
    yield "matmul", lambda: matmul[(SIDE // 64, SIDE // 64)](a, b, c, SIDE, B=64)
    index = torch.randint(0, SIZE, (SIZE,))
    yield "gather", lambda: gather[(SIZE // 1024,)](x, index, z, B=1024)
    order = torch.randperm(SIZE)
    yield "scatter", lambda: scatter[(SIZE // 1024,)](x, order, z, B=1024)
    side = 1 << 11
    yield "transpose", lambda: transpose[(side // 64, side // 64)](x, z, side, B=64)
    counts = torch.zeros(SIZE, dtype=torch.int32)
    yield "count", lambda: count[(SIZE // 1024,)](index, counts, SIZE, B=1024)


def checked(run: Callable[[], object], bounds_only: bool) -> Callable[[], object]:
    """The same launch with checks."""

    def launch() -> None:
        with triton_shared.check(bounds_only=bounds_only) as report:
            run()
        assert report.is_clean

    return launch


def main(repeat: int) -> None:
    """Prints a table."""
    print("| kernel | bounds | all |\n|---|---|---|")
    with triton_shared.device("cpu"), triton_shared.launches(threads=1):
        for name, run in launches():
            bounds, everything = (
                measure.ratio(checked(run, bounds_only), run, repeat)
                for bounds_only in (True, False)
            )
            print(f"| {name} | {bounds:.2f} | {everything:.0f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
