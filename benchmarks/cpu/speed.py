"""Times kernels against eager torch, torch's inductor and our reference mode, in one process.

The machines are noisy, so nothing is compared over time: all run in turn on one thread each, CPU
time is counted, and what counts is the median of the ratios of neighbours. A ratio above 1 means
that ours, in fast mode, is faster.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import asdict, dataclass

import torch
from triton_shared import knobs, library
from triton_shared.measure import Run, ratio, ratio_spread, seconds

from . import cases

SLOW = 0.05
"""Seconds above which reference mode, ten times as slow or more, is left out."""

REST = 0.05
"""Seconds between runs on two threads: those of libgomp spin for about 10 ms after a run."""


@dataclass(frozen=True)
class Result:
    """One kernel at one size; ratios are of a peer's time to ours."""

    kernel: str
    size: str
    goal: float | None
    seconds: float
    eager: float
    eager_two_threads: float
    inductor: float | None
    reference: float | None
    error: float
    """The largest difference to torch, as a part of the largest number."""
    elsewhere: float | None
    """What triton-cpu reached against eager torch, measured on another machine."""
    eager_spread: tuple[float, float] | None = None
    """The quartiles of `eager`."""


def use_threads(count: int) -> None:
    """Both sides run on `count` threads."""
    torch.set_num_threads(count)
    library.set_launch_settings(knobs.LaunchSettings(count, "forward", 0))


def inductor(case: cases.Case) -> Run | None:
    """What torch.compile makes of the case."""
    if not case.function:
        return None
    compiled = torch.compile(case.function, dynamic=False)
    return lambda: compiled(*case.inputs)


def reference(case: cases.Case, ours: Run) -> float | None:
    """How much slower reference mode is."""
    run = case.launch.prepare("reference")
    return ratio(run, ours, 3) if run else None


def measure(case: cases.Case, repeat: int, with_inductor: bool) -> Result:
    """Checks the result, then times."""
    use_threads(1)
    ours = case.launch.prepare("fast")
    case.eager()
    ours()
    own, expected = (x.double() for x in case.results())
    error = float((own - expected).abs().max() / expected.abs().max())
    took = statistics.median(seconds(ours, 1) for _ in range(repeat))
    compiled = inductor(case) if with_inductor else None
    eager = ratio_spread(case.eager, ours, repeat)
    result = Result(
        kernel=case.kernel,
        size=case.size,
        goal=case.goal,
        seconds=took,
        eager=eager.median,
        eager_spread=(eager.low, eager.high),
        eager_two_threads=0.0,
        inductor=ratio(compiled, ours, repeat) if compiled else None,
        reference=reference(case, ours) if took < SLOW else None,
        error=error,
        elsewhere=case.elsewhere,
    )
    use_threads(2)
    two = ratio(case.eager, ours, repeat, time.perf_counter, rest=REST)
    return Result(**{**asdict(result), "eager_two_threads": two})
