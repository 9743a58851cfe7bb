"""How fast a launch is, and how fast this machine could be: both measured here.

The peak is the largest matrix product and the longest copy that PyTorch makes of f32 on all
threads; the launch is timed in fast mode.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import torch

from ..diff import replay
from ..diff.recording import Recording

_SECONDS = 0.15
"""Each measurement repeats for so long, and keeps the best."""


def measure(launch: Recording, programs: list[dict[str, Any]]) -> dict[str, Any]:
    """What `schema.json` has under "roofline"; `programs` are those of the access maps.

    Operations and bytes are those of the programs that were looked at, times all programs.
    """
    count = 1
    for size in launch.grid:
        count *= size
    flops = sum(one["flops"] for one in programs) / len(programs) * count
    moved = sum(_distinct(one) for one in programs) / len(programs) * count
    seconds = _time_launch(launch)
    peak = peaks()
    return {
        **peak,
        "flops": flops,
        "bytes": moved,
        "seconds": seconds,
        "intensity": flops / max(moved, 1),
        "flops_per_second": flops / seconds,
        "reached": _reached(flops, moved, seconds, peak),
    }


def _distinct(program: dict[str, Any]) -> int:
    return sum(int(one["distinct_bytes"]) for one in program["accesses"])


def _reached(flops: float, moved: float, seconds: float, peak: dict[str, float]) -> float:
    """The part of the time that the machine would need at its best."""
    least = max(flops / peak["peak_flops"], moved / peak["bytes_per_second"])
    return least / seconds


@functools.cache
def peaks() -> dict[str, float]:
    """f32 operations and bytes that this machine moves, per second."""
    a = torch.rand(1024, 1024)
    source = torch.rand(1 << 24)
    target = torch.empty_like(source)
    copied = 2 * source.numel() * source.element_size()
    return {
        "peak_flops": 2 * 1024**3 / _best(lambda: torch.mm(a, a)),
        "bytes_per_second": copied / _best(lambda: target.copy_(source)),
    }


def _best(work: Callable[[], Any]) -> float:
    best, end = float("inf"), time.perf_counter() + _SECONDS
    while time.perf_counter() < end or best == float("inf"):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def _time_launch(launch: Recording) -> float:
    """The best time of a launch in fast mode, without what compiles it."""
    import triton_shared

    _, given = replay.prepare(launch)
    with triton_shared.device("cpu"):
        replay.run_kernel(launch, given, "cpu-fast")
        return _best(lambda: replay.run_kernel(launch, given, "cpu-fast"))
