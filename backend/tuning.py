"""What a search for the best configuration costs: threads that compile, a bound, and fewer repeats.

Autotuners are written for GPUs, where a kernel takes microseconds: here one of the same sizes may
take a second, and each configuration is compiled to machine code.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from triton_shared import knobs
from triton_shared.terminal import working

_LOST = 4.0
"""How many times as long as the best one a configuration takes that nobody times any further."""
_LONG = 50.0
"""From how many milliseconds on a few runs say enough."""
_FEW = 3


def compile_ahead(kernel: Any, requests: Sequence[Callable[[], Any]]) -> None:
    """Compiles a kernel as each of `requests` does, in as many threads as there are cores.

    The front end holds Python's lock; what comes after it, which takes most of the time, does not.
    What does not compile here says so when it is asked to run.
    """
    from triton import AsyncCompileMode
    from triton.runtime import _async_compile

    if len(requests) < 2 or _async_compile.active_mode.get() is not None:
        return
    with (
        working(f"compiling {len(requests)} configurations of {kernel.__name__}"),
        ThreadPoolExecutor(os.cpu_count()) as pool,
        AsyncCompileMode(pool, ignore_errors=True),
    ):
        for request in requests:
            request()
    _forget_failures(kernel)


def _forget_failures(kernel: Any) -> None:
    """What a thread could not compile is tried again when it is asked to run.

    Python 3.11 does not always parse in several threads at once ("AST constructor recursion depth
    mismatch"), and Triton keeps what has failed for good.
    """
    from triton.runtime._async_compile import FutureKernel

    for kernels, *_ in kernel.device_caches.values():
        for key, made in list(kernels.items()):
            if isinstance(made, FutureKernel) and made.kernel is None:
                del kernels[key]


class Clock:
    """How far a search is, and for how long: `TRITON_SHARED_TUNING_SECONDS` bounds it on CPUs."""

    def __init__(self, kernel: str, total: int) -> None:
        self._kernel = kernel
        self._total = total
        self._begin = time.monotonic()
        self._limit = knobs.tuning_seconds()
        self._count = 0
        self._is_shown = sys.stderr.isatty()
        self.best = float("inf")
        """The shortest median so far, in milliseconds."""

    def is_over(self) -> bool:
        """Whether the time is up, and something has been timed."""
        spent = time.monotonic() - self._begin
        return self._limit > 0 and spent > self._limit and self.best < float("inf")

    def note(self, times: Any) -> None:
        """Counts a configuration that has its times, and shows how far the search is."""
        self._count += 1
        median = times[0] if isinstance(times, (list, tuple)) else times
        self.best = min(self.best, float(median))
        if not self._is_shown:
            return
        spent = time.monotonic() - self._begin
        line = f"tuning {self._kernel}: {self._count} of {self._total}, {spent:.1f} s"
        is_last = self._count == self._total
        sys.stderr.write(f"\r{' ' * len(line)}\r" if is_last else f"\r{line}")
        sys.stderr.flush()


def measure(run: Callable[[], Any], best: float, quantiles: tuple[float, ...]) -> list[float]:
    """The times of `run` in milliseconds, at the quantiles; `best` is the median to beat.

    By Triton's own loop, unless a run is long, or twice longer than could ever win.
    """
    from triton.testing import do_bench

    run()
    runs = [_time(run)]
    if runs[0] > _LOST * best:
        runs.append(_time(run))
        if min(runs) > _LOST * best:
            return [min(runs)] * len(quantiles)
    if runs[0] < _LONG:
        return list(do_bench(run, quantiles=quantiles))
    runs += [_time(run) for _ in range(_FEW - len(runs))]
    runs.sort()
    return [runs[round(q * (len(runs) - 1))] for q in quantiles]


def _time(run: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    run()
    return (time.perf_counter() - begin) * 1e3
