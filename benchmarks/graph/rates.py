"""What an estimate of a GPU's kernels wants to know and no document says (graph/cost.py).

Launches, turns of a loop with a product, and the cache; by Triton's own compiler.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl
from triton_shared.measure import capture


@triton.jit
def _nothing(out):
    tl.store(out, 1.0)


@triton.jit
def _turns(a, b, out, size, BLOCK: tl.constexpr):
    row, column, at = tl.arange(0, 16), tl.arange(0, 64), tl.arange(0, BLOCK)
    total = tl.zeros([16, 64], tl.float32)
    for k in range(0, size, BLOCK):
        x = tl.load(a + row[:, None] * size + (k + at)[None, :])
        y = tl.load(b + (k + at)[:, None] * 64 + column[None, :])
        total = tl.dot(x, y, total)
    tl.store(out + row[:, None] * 64 + column[None, :], total)


@triton.jit
def _copy(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i))


def measure() -> dict[str, float]:
    """Seconds of a launch and of a turn; bytes per second and per clock of a multiprocessor."""
    out = torch.empty(16 * 64, device="cuda")
    launch = _seconds(lambda: _nothing[(1,)](out))
    a, b = (torch.zeros(64 * 16384, device="cuda", dtype=torch.float16) for _ in "ab")
    long, short = (
        _seconds(lambda size=size: _turns[(1,)](a, b, out, size, BLOCK=64))
        for size in (16384, 4096)
    )
    count = 4 << 20
    x, y = (torch.zeros(count, device="cuda", dtype=torch.float16) for _ in "xy")
    moved = 2 * x.nbytes / (_seconds(lambda: _copy[(count // 2048,)](x, y, BLOCK=2048)) - launch)
    facts = torch.cuda.get_device_properties(0)
    clock = 1e3 * getattr(facts, "clock_rate", 1980000)
    return {
        "launch_seconds": launch,
        "turn_seconds": (long - short) / (12288 / 64),
        "cache_bytes_per_second": moved,
        "cache_bytes_per_clock": moved / facts.multi_processor_count / clock,
    }


def _seconds(run: Callable[[], Any]) -> float:
    graph = capture(lambda _: run(), [None])
    return statistics.median(graph.microseconds() for _ in range(15)) * 1e-6
