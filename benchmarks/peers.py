"""Times kernels against eager torch, torch's inductor and our reference mode, in one process.

    ../.venv/bin/python ../benchmarks/peers.py            from python/; prints a table
    … --write                                             also benchmarks/results/cpu.json
                                                          and docs/performance.md

The machines are noisy, so nothing is compared over time: all run in turn on one thread each, CPU
time is counted, and what counts is the median of the ratios of neighbours. A ratio above 1 means
that ours, in fast mode, is faster.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import cases
import page
import torch
import triton
import triton_shared
from triton_shared import knobs, library

ROOT = Path(__file__).resolve().parents[1]
SHORTEST = 2e-3
"""Seconds that one measurement takes at least; short kernels run several times."""
SLOW = 0.05
"""Seconds above which reference mode, ten times as slow or more, is left out."""
Run = Callable[[], object]


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
    compile_seconds: float


def seconds(run: Run, number: int, clock: Callable[[], float] = time.thread_time) -> float:
    """The mean time of one of `number` calls; CPU time of this thread if not told otherwise."""
    start = clock()
    for _ in range(number):
        run()
    return (clock() - start) / number


def ratio(
    peer: Run, ours: Run, repeat: int, clock: Callable[[], float] = time.thread_time
) -> float:
    """The median of what `peer` takes to what `ours` takes, in turn."""
    peer(), ours()
    number = 1
    while number < 1000 and seconds(ours, number, clock) * number < SHORTEST:
        number *= 2
    pairs = [(seconds(peer, number, clock), seconds(ours, number, clock)) for _ in range(repeat)]
    return statistics.median(theirs / own for theirs, own in pairs)


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


def measure(case: cases.Case, repeat: int, with_inductor: bool) -> Result:
    """Checks the result, then times."""
    use_threads(1)
    start = time.perf_counter()
    ours = case.launch.prepare("fast")
    compile_seconds = time.perf_counter() - start
    case.eager()
    ours()
    own, expected = (x.double() for x in case.results())
    error = float((own - expected).abs().max() / expected.abs().max())
    took = statistics.median(seconds(ours, 1) for _ in range(repeat))
    compiled = inductor(case) if with_inductor else None
    result = Result(
        kernel=case.kernel,
        size=case.size,
        goal=case.goal,
        seconds=took,
        eager=ratio(case.eager, ours, repeat),
        eager_two_threads=0.0,
        inductor=ratio(compiled, ours, repeat) if compiled else None,
        reference=ratio(case.launch.prepare("reference"), ours, 3) if took < SLOW else None,
        error=error,
        compile_seconds=compile_seconds,
    )
    use_threads(2)
    two = ratio(case.eager, ours, repeat, time.perf_counter)
    return Result(**{**asdict(result), "eager_two_threads": two})


def main() -> None:
    """Measures, prints, and writes if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="update the JSON and the page")
    parser.add_argument("--repeat", type=int, default=9, help="runs of each (default: 9)")
    parser.add_argument("--only", default="", help="kernels whose names contain this")
    parser.add_argument("--no-inductor", action="store_true", help="leave out torch.compile")
    options = parser.parse_args()

    rows = []
    chosen = [case for case in cases.all_cases() if options.only in case.name]
    with triton_shared.device("cpu"):
        for number, case in enumerate(chosen, start=1):
            print(f"[{number}/{len(chosen)}] {case.name}", file=sys.stderr, flush=True)
            rows.append(asdict(measure(case, options.repeat, not options.no_inductor)))
    print(page.cpu_table(rows))
    if options.write:
        report = {
            "triton": triton.__version__,
            "torch": torch.__version__,
            "cpu": page.cpu_name(),
            "repeat": options.repeat,
            "results": rows,
        }
        path = ROOT / "benchmarks" / "results" / "cpu.json"
        path.write_text(json.dumps(report, indent=2) + "\n")
        page.write()


if __name__ == "__main__":
    main()
