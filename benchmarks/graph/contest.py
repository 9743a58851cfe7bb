"""What a search finds for one graph on a GPU, beside eager torch, inductor, and Helion's kernels.

Helion is asked where it is there: `clients.packages` of python fetches it.

All contenders are captured into graphs of launches over copies of the inputs that no cache holds,
which take turns. Every candidate that was timed was verified on the CPU, and compared on the GPU at
full size with what f64 and the graph's rounding allow.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

import torch
from clients import packages
from triton_shared.graph.judging import FullSize
from triton_shared.graph.profiler import memories
from triton_shared.graph.search import Options, Search
from triton_shared.measure import capture, in_turn

from .cases import Case

HELION = "quick"
"""How much Helion tunes: for about as long as a search."""

Pool = tuple[Executor, int]


def run(case: Case, shared: Pool, budget: float) -> dict[str, Any]:
    """The row of a graph; `budget` are seconds of its search, without inductor's tuning."""
    torch._dynamo.reset()
    start = time.monotonic()
    inputs = case.inputs("cuda")
    options = Options(
        device="cuda", budget=budget, candidates=3 * shared[1] // 2, graphs=12, cache=False
    )
    row: dict[str, Any] = {"name": case.name, "shapes": case.shapes}
    with Search(case.graph(), options, inputs, shared) as search:
        search.begin()
        row["generating_seconds"] = round(time.monotonic() - start, 1)
        # Workers verify on the CPU, while inductor tunes on the GPU.
        torch_runs, row["refused"] = _compile(case, inputs)
        row["inductor_seconds"] = round(time.monotonic() - start - row["generating_seconds"], 1)
        search.until = time.monotonic() + budget
        best = search.run()
    report = search.report
    row["search_seconds"] = round(time.monotonic() - start, 1)
    assert report.best
    row["best"] = {
        "target": report.best.target,
        "kernels": report.best.kernels,
        "rules": report.best.rules,
    }
    row["counts"] = report.counts()
    row["candidates"] = [
        {
            "stage": one.stage,
            "us": None if one.time is None else round(one.time * 1e6, 2),
            "estimated_us": round(one.estimate * 1e6, 2),
            "target": one.target,
            "kernels": one.kernels,
            "rules": one.rules,
            "why": one.why[:200],
        }
        for one in report.rows
        if one.stage != "CUT"
    ]
    timed = [one for one in report.rows if one.time is not None]
    row["timed"], row["verified"] = len(timed), sum(one.launches > 0 for one in timed)
    row |= _compare(best, torch_runs, inputs, FullSize(case.graph().graph, inputs))
    return row


def _compile(case: Case, inputs: list[Any]) -> tuple[dict[str, Callable[..., Any]], dict[str, str]]:
    runs: dict[str, Callable[..., Any]] = {"eager": case.torch}
    refused: dict[str, str] = {}
    compiled = torch.compile(case.torch, mode="max-autotune-no-cudagraphs", dynamic=False)
    for name, run in (("inductor", compiled), ("helion", _helion(case))):
        if not run:
            continue
        try:
            run(*inputs)
            torch.cuda.synchronize()
            runs[name] = run
        except Exception as error:
            refused[name] = f"{type(error).__name__}: {error}"[:500]
    return runs, refused


def _helion(case: Case) -> Callable[..., Any] | None:
    """What one writes in Helion, tuned at its first call; None where that is not there."""
    if packages.there():
        packages.use()
    if not importlib.util.find_spec("helion"):
        return None
    from .helion_kernels import kernel

    made: Callable[..., Any] = kernel(case.name, HELION)
    return made


def _compare(
    best: Any, torch_runs: dict[str, Callable[..., Any]], inputs: list[Any], expected: FullSize
) -> dict[str, Any]:
    program = best.program
    (found,) = program(inputs)
    wrong = expected.wrong([found])
    exact = expected.expected[0].value
    sets = memories(inputs)
    runs = {"ours": lambda *tensors: program(tensors), **torch_runs}
    apart = {}
    graphs = {}
    for name, call in runs.items():
        result = call(*inputs)
        result = result[0] if isinstance(result, list) else result
        apart[name] = float((result.double() - exact).norm() / exact.norm())
        graphs[name] = capture(lambda tensors, call=call: call(*tensors), sets)
    times = in_turn(graphs)
    ratios = {name: us / times["ours"] for name, us in times.items() if name != "ours"}
    return {"us": times, "ratio": ratios, "apart": apart, "wrong": wrong, "sets": len(sets)}
