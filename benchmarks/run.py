"""Times launches and examples; prints one JSON object.

Run from python/: `../.venv/bin/python ../benchmarks/run.py`, or `make bench`.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import torch
import triton
import triton_shared
from examples import all_cases
from examples.vector_add import add_kernel


def median_seconds(run: Callable[[], object], repeat: int, number: int) -> float:
    """The median over `repeat` measurements of the mean of `number` runs."""
    means = []
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(number):
            run()
        means.append((time.perf_counter() - start) / number)
    return statistics.median(means)


def launches() -> dict[str, float]:
    """What a launch costs: through Triton's jit, and through the compiled kernel alone."""
    x = torch.ones(16)
    kernel = add_kernel[(1,)](x, x, x, 16, BLOCK=16)
    bare = kernel[(1, 1, 1)]
    return {
        "jit": median_seconds(lambda: add_kernel[(1,)](x, x, x, 16, BLOCK=16), 5, 2000),
        "compiled": median_seconds(lambda: bare(x, x, x, 16, 16), 5, 2000),
    }


def examples() -> dict[str, float]:
    """The seconds of every example."""
    seconds = {}
    for case in all_cases():
        case.run()
        seconds[str(case)] = median_seconds(case.run, 5, 1)
    return seconds


def main() -> None:
    """Measures everything."""
    with triton_shared.device("cpu"):
        result = {
            "triton": triton.__version__,
            "cores": os.cpu_count(),
            "launch_seconds": launches(),
            "example_seconds": examples(),
        }
    json.dump(result, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
