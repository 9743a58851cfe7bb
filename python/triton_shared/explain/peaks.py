"""What a machine reaches at its best, measured on it with PyTorch: once in each process.

Of f32 on all threads of a CPU, or of a GPU: a large product of matrices, and a long copy; of f16 in
a GPU's tensor cores, a product, too. What is measured is the best of several times.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from ..measure import capture

_SECONDS = 0.15
"""On a CPU, each measurement repeats for so long."""
_ROUNDS = 5
"""Each measurement repeats so many times, on a CPU at least."""
_CPU_SIZE, _GPU_SIZE = 1024, 8192
"""Rows and columns of the matrices."""
_CPU_COPIED, _GPU_COPIED = 1 << 26, 1 << 29
"""Bytes that are read, and written."""


@dataclass(frozen=True)
class Peaks:
    """Operations and bytes per second."""

    device: str
    """`this CPU`, or what the GPU is called."""
    flops: float
    """Of f32, without tensor cores; a multiply-add is two operations."""
    product_flops: float
    """Of products of f16 in tensor cores; of a CPU the same as `flops`."""
    bytes_per_second: float
    """Read and written, of a copy."""


def has_gpu() -> bool:
    """Whether there is a GPU to measure."""
    return bool(torch.cuda.is_available())


@functools.cache
def of_cpu() -> Peaks:
    """Those of this machine's CPU."""
    flops = _product_flops(_CPU_SIZE, torch.float32, "cpu", _best_again)
    return Peaks("this CPU", flops, flops, _copied_bytes(_CPU_COPIED, "cpu", _best_again))


@functools.cache
def of_gpu() -> Peaks:
    """Those of the current GPU."""
    allowed = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = False
    try:
        flops = _product_flops(_GPU_SIZE, torch.float32, "cuda", best_on_gpu)
    finally:
        torch.backends.cuda.matmul.allow_tf32 = allowed
    return Peaks(
        torch.cuda.get_device_name(),
        flops,
        _product_flops(_GPU_SIZE, torch.float16, "cuda", best_on_gpu),
        _copied_bytes(_GPU_COPIED, "cuda", best_on_gpu),
    )


def _product_flops(size: int, dtype: torch.dtype, device: str, timed: Any) -> float:
    a = torch.rand(size, size, device=device).to(dtype)
    out = torch.empty_like(a)
    seconds: float = timed(lambda: torch.mm(a, a, out=out))
    return 2 * size**3 / seconds


def _copied_bytes(size: int, device: str, timed: Any) -> float:
    # By a kernel: what copies memory in CUDA is a third slower on an H200.
    source = torch.zeros(size // 4, device=device)
    target = torch.empty_like(source)
    seconds: float = timed(lambda: torch.neg(source, out=target))
    return 2 * size / seconds


def best(work: Callable[[], Any], rounds: int = 1) -> float:
    """Seconds that it takes on this CPU at least; it is done so many times or more."""
    seconds: list[float] = []
    end = time.perf_counter() + _SECONDS
    while time.perf_counter() < end or len(seconds) < rounds:
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _best_again(work: Callable[[], Any]) -> float:
    """Of what has not run before: the system gives it memory, and PyTorch threads, only then."""
    work()
    return best(work, _ROUNDS)


def best_on_gpu(*works: Callable[[], Any]) -> float:
    """Seconds that one of these takes on the GPU at least; they are launched in turn."""
    graph = capture(lambda work: work(), works)
    return min(graph.microseconds() for _ in range(_ROUNDS)) * 1e-6
