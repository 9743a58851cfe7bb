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
"""How much Helion tunes."""
HELION_SECONDS = 45
"""In which it does so, at most, after the search, which takes less."""

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
        peers = Peers(case, inputs)
        peers.tune("inductor", _inductor)
        search.until = time.monotonic() + budget
        best = search.run()
    report = search.report
    row["search_seconds"] = round(time.monotonic() - start, 1)
    peers.tune("helion", _helion)
    row["refused"] = peers.refused
    row |= {f"{name}_seconds": took for name, took in peers.seconds.items()}
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
    row |= _compare(best, peers, inputs, FullSize(case.graph().graph, inputs))
    return row


class Peers:
    """What else computes a graph."""

    def __init__(self, case: Case, inputs: list[Any]) -> None:
        self.case = case
        self.inputs = inputs
        self.runs: dict[str, Callable[..., Any]] = {"eager": case.torch}
        self.refused: dict[str, str] = {}
        """Why others do not run."""
        self.seconds: dict[str, float] = {}
        """That tuning has taken."""

    def tune(self, name: str, make: Callable[[Case], Callable[..., Any] | None]) -> None:
        """Adds one that is tuned by its first call, if it is there."""
        start = time.monotonic()
        try:
            run = make(self.case)
            if run is None:
                return
            run(*self.inputs)
            torch.cuda.synchronize()
            self.runs[name] = run
        except Exception as error:
            self.refuse(name, error)
        self.seconds[name] = round(time.monotonic() - start, 1)

    def refuse(self, name: str, error: Exception) -> None:
        """Takes note of why it does not run."""
        self.runs.pop(name, None)
        self.refused[name] = f"{type(error).__name__}: {error}"[:500]


def _inductor(case: Case) -> Callable[..., Any]:
    made: Callable[..., Any] = torch.compile(
        case.torch, mode="max-autotune-no-cudagraphs", dynamic=False
    )
    return made


def _helion(case: Case) -> Callable[..., Any] | None:
    """What one writes in Helion; None where that is not there."""
    if packages.there():
        packages.use()
    if not importlib.util.find_spec("helion"):
        return None
    from .helion_kernels import kernel

    made: Callable[..., Any] = kernel(case.name, HELION, HELION_SECONDS)
    return made


def _compare(best: Any, peers: Peers, inputs: list[Any], expected: FullSize) -> dict[str, Any]:
    program = best.program
    (found,) = program(inputs)
    wrong = expected.wrong([found])
    exact = expected.expected[0].value
    sets = memories(inputs)
    runs = {"ours": lambda *tensors: program(tensors), **peers.runs}
    apart = {}
    graphs = {}
    for name, call in runs.items():
        try:
            result = call(*inputs)
            result = result[0] if isinstance(result, list) else result
            graphs[name] = capture(lambda tensors, call=call: call(*tensors), sets)
        except Exception as error:
            if name == "ours":
                raise
            peers.refuse(name, error)
            continue
        apart[name] = float((result.double() - exact).norm() / exact.norm())
    times = in_turn(graphs)
    ratios = {name: us / times["ours"] for name, us in times.items() if name != "ours"}
    return {"us": times, "ratio": ratios, "apart": apart, "wrong": wrong, "sets": len(sets)}
