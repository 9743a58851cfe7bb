"""What a kernel costs before it runs: compiling it, and launching it.

python -m benchmarks.gpu.costs OUT.json
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest import mock

import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

from . import kernels
from .problem import Problem
from .problems import all_problems
from .speed import SIDES, side

COMPILED = (
    "add f32 2^20", "softmax f32 4096x4096", "matmul f16 4096", "attention f16 64x4096x128",
)  # fmt: skip
REPEATS = 5
LAUNCHES = 3000


def compile_times(problem: Problem) -> dict[str, Any]:
    """Milliseconds per stage, from TTIR to cubin, without any cache; medians."""
    memory = problem.make(torch.Generator(device="cuda").manual_seed(0))
    stages: dict[str, dict[str, list[float]]] = {name: {} for name in SIDES}

    def listener(**event: Any) -> None:
        for stage, microseconds in event["times"].lowering_stages:
            stages[current].setdefault(stage, []).append(microseconds / 1e3)

    triton.knobs.compilation.listener = listener
    try:
        for _ in range(REPEATS):
            for current in SIDES:
                with tempfile.TemporaryDirectory() as cache, side(current):
                    os.environ["TRITON_CACHE_DIR"] = cache
                    for fn in vars(kernels).values():
                        if hasattr(fn, "device_caches"):
                            fn.device_caches.clear()
                    problem.launch(memory, problem.configs[0])
    finally:
        triton.knobs.compilation.listener = None
    torch.cuda.synchronize()
    medians = {
        name: {stage: statistics.median(times) for stage, times in found.items()}
        for name, found in stages.items()
    }
    totals = {name: sum(found.values()) for name, found in medians.items()}
    return {"stages_ms": medians, "total_ms": totals, "ratio": totals["ours"] / totals["triton"]}


@triton.jit
def _copy_block(a, b, x0, x1, x2, x3, x4, x5, x6, x7):
    b.store([x0, x1], a.load([x2, x3]))


def _nothing(*_: Any) -> None:
    """What a launcher would be that costs nothing."""


def descriptor_launch_times() -> dict[str, float]:
    """The same of a call with two descriptors and eight numbers; `jit` is what Triton's jit takes
    of each before it calls a launcher."""
    memory = [torch.zeros(64, 64, device="cuda", dtype=torch.float16) for _ in range(2)]
    described = [TensorDescriptor.from_tensor(one, [16, 64]) for one in memory]
    numbers = (16, 0, 32, 0, 4, 5, 6, 7)

    def call() -> Any:
        return _copy_block[(1,)](*described, *numbers)

    runs: dict[str, list[float]] = {name: [] for name in (*SIDES, "jit")}
    for _ in range(7):
        for name in SIDES:
            with side(name):
                call()
                runs[name].append(_mean(call))
        with side("ours"), mock.patch.object(call(), "_run", _nothing):
            runs["jit"].append(_mean(call))
    return {name: statistics.median(times) for name, times in runs.items()}


def launch_times() -> dict[str, Any]:
    """Microseconds of a launch as the calling thread sees it: of a call to the jitted function,
    and of the launcher below it alone."""
    x = torch.zeros(1024, device="cuda")
    result: dict[str, Any] = {"jit_us": {}, "launcher_us": {}}
    runs: dict[str, list[float]] = {name: [] for name in SIDES}
    bare: dict[str, list[float]] = {name: [] for name in SIDES}
    for _ in range(7):
        for name in SIDES:
            with side(name):
                compiled = kernels.add[(1,)](x, x, x, 1024, BLOCK=1024)
                run = compiled[(1, 1, 1)]
                runs[name].append(_mean(lambda: kernels.add[(1,)](x, x, x, 1024, BLOCK=1024)))
                bare[name].append(_mean(lambda r=run: r(x, x, x, 1024, 1024)))
    for name in SIDES:
        result["jit_us"][name] = statistics.median(runs[name])
        result["launcher_us"][name] = statistics.median(bare[name])
    result["descriptors_us"] = descriptor_launch_times()
    return result


def _mean(run: Any) -> float:
    """Microseconds; in short rounds, so that the queue of the stream never fills."""
    total = 0.0
    rounds = LAUNCHES // 100
    for _ in range(rounds):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(100):
            run()
        total += time.perf_counter() - start
    return total / rounds / 100 * 1e6


def main(words: list[str]) -> int:
    """Measures all, and goes on where something fails."""
    result: dict[str, Any] = {"compile": {}}
    for problem in all_problems():
        if problem.name in COMPILED:
            try:
                result["compile"][problem.name] = compile_times(problem)
            except Exception as error:
                result["compile"][problem.name] = {"refused": f"{type(error).__name__}: {error}"}
    try:
        result["launch"] = launch_times()
    except Exception as error:
        result["launch"] = {"refused": f"{type(error).__name__}: {error}"}
    Path(words[0]).write_text(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
