"""Times problems on Triton's own backend, on ours, and in torch.

    python -m benchmarks.gpu.speed compile "softmax f32 4096x1024" ...
    python -m benchmarks.gpu.speed time FOLDER "softmax f32 4096x1024" ...

Both compilers get the same source and the same configurations, and are shown at their best. Every
configuration is checked before it is timed. A graph holds launches over many sets of memory, more
than fit into the cache. Configurations that are nearly as fast as the best of their compiler are
all contenders: what differs by a percent changes as the GPU warms up. Graphs of all contenders take
turns, and the medians of the best are compared.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import torch
import triton
import triton_shared
from triton_shared.device import active_driver
from triton_shared.measure import Graph, Name, capture, in_turn, spreads_in_turn

from .problem import Config, Problem, Tensors, clear
from .problems import all_problems

SIDES = ("triton", "ours")
MEMORY = 640 << 20
"""Bytes that the sets of one problem have together at least: ten times the cache of an H200."""
NEARLY, CONTENDERS = 1.05, 3
"""Of the best time that is found first, up to how much more is timed again; how many at most."""


def side(name: str) -> AbstractContextManager[None]:
    """Chooses the compiler."""
    if name == "ours":
        return triton_shared.device("cuda")
    return active_driver(triton.backends.backends["nvidia"].driver())


def launch(problem: Problem, name: str, memory: Tensors, config: Config) -> Any:
    """Launches with what the compiler knows."""
    return problem.launch(memory, {**config, **problem.ours} if name == "ours" else config)


def compile_all(problem: Problem) -> None:
    """Fills the cache of compiled kernels; what fails is told when it is timed."""
    memory = problem.make(torch.Generator(device="cuda").manual_seed(0))
    for name in SIDES:
        for config in problem.configs:
            try:
                with side(name):
                    launch(problem, name, memory, config)
                torch.cuda.synchronize()
            except Exception as error:
                print(f"{name} {config}: {type(error).__name__}", file=sys.stderr)


def measure(problem: Problem) -> dict[str, Any]:
    """The row of the table."""
    generator = torch.Generator(device="cuda").manual_seed(1)
    sets = [problem.make(generator)]
    size = sum(tensor.nbytes for tensor in sets[0])
    sets += [problem.make(generator) for _ in range(min(63, MEMORY // size))]
    expected = problem.expected(sets[0])
    tried: dict[str, list[dict[str, Any]]] = {}
    graphs: dict[tuple[str, int], Graph] = {}
    for name in SIDES:
        pairs = [_try(problem, name, config, sets, expected) for config in problem.configs]
        tried[name] = [row for row, _ in pairs]
        took = {at: row["us"] for at, (row, _) in enumerate(pairs) if "us" in row}
        graphs |= {(name, at): pairs[at][1] for at in nearly_best(took, CONTENDERS)}
    if problem.torch:
        runs = problem.torch
        graphs["torch", 0] = capture(lambda memory: runs(memory), sets)
    found = in_turn(graphs)
    best = dict(sorted(found, key=found.__getitem__, reverse=True))  # The last stays.
    spreads = spreads_in_turn({name: graphs[name, at] for name, at in best.items()})
    times = {name: spread.median for name, spread in spreads.items()}
    result: dict[str, Any] = {"name": problem.name, "tried": tried, "sets": len(sets)}
    result["us"] = times
    result["us_spread"] = {name: (one.low, one.high) for name, one in spreads.items()}
    result["best"] = {name: tried[name][at]["config"] for name, at in best.items() if name in tried}
    if set(SIDES) <= times.keys():
        result["ratio"] = times["triton"] / times["ours"]
        ours, theirs = spreads["ours"], spreads["triton"]
        result["ratio_spread"] = (theirs.low / ours.high, theirs.high / ours.low)
    unit, amount = (
        ("GB/s", problem.moved / 1e3) if problem.moved else ("TFLOP/s", problem.flops / 1e6)
    )
    result["rate"] = {name: amount / us for name, us in times.items()}
    result["unit"] = unit
    return result


def nearly_best(times: Mapping[Name, float], most: int) -> list[Name]:
    """What takes hardly longer than the fastest, that first; `most` at most."""
    fastest_first = sorted(times, key=times.__getitem__)[:most]
    return [name for name in fastest_first if times[name] <= NEARLY * times[fastest_first[0]]]


def _try(
    problem: Problem, name: str, config: Config, sets: list[Tensors], expected: torch.Tensor
) -> tuple[dict[str, Any], Graph | None]:
    """One configuration: its error, and if that is small its time and graph."""
    row: dict[str, Any] = {"config": config}
    try:
        with side(name):
            out = sets[0][-1]
            clear(problem, sets[0])
            start = time.perf_counter()
            compiled = launch(problem, name, sets[0], config)
            torch.cuda.synchronize()
            row["first_seconds"] = time.perf_counter() - start
            row |= {"registers": compiled.n_regs, "spills": compiled.n_spills}
            row |= {"shared": compiled.metadata.shared}
            norm = expected.norm().item()
            row["error"] = ((out.double() - expected).norm().item()) / (norm or 1.0)
            if not row["error"] <= problem.tolerance:
                row["refused"] = f"wrong: error {row['error']:.3g}"
                return row, None
            graph = capture(lambda memory: launch(problem, name, memory, config), sets)
    except Exception as error:
        row["refused"] = f"{type(error).__name__}: {str(error)[-400:]}"
        return row, None
    row["us"] = statistics.median(graph.microseconds() for _ in range(5))
    return row, graph


def main(words: list[str]) -> int:
    """See the top of this file."""
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    problems = {problem.name: problem for problem in all_problems()}
    if words[0] == "compile":
        for name in words[1:]:
            compile_all(problems[name])
        return 0
    for name in words[2:]:
        write_row(Path(words[1]), name, measure(problems[name]))
        torch.cuda.empty_cache()
    return 0


def row_file(folder: Path, name: str) -> Path:
    """Where the row of a problem is kept."""
    return folder / f"{''.join(c if c.isalnum() else '_' for c in name)}.json"


def write_row(folder: Path, name: str, row: Any) -> None:
    """Keeps the row of a problem: all of it, or nothing."""
    path = row_file(folder, name)
    half = path.with_suffix(".tmp")
    half.write_text(json.dumps(row))
    half.rename(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
