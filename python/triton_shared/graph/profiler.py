"""Times graphs side by side, and picks the fastest one that runs.

What cannot be written, does not compile, or does not run, is passed over with a line that says why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from ..errors import TritonSharedError
from .cost import SHARED, capability
from .kernel_graph import KernelGraph

ROUNDS = 10
"""Candidates take turns that many times: machines drift."""


class SearchError(TritonSharedError):
    """No candidate is right."""


def random_inputs(graph: KernelGraph, device: str) -> list[Any]:
    """Inputs of the declared sizes."""
    generator = torch.Generator().manual_seed(0)
    return [
        torch.randn(node.shape, generator=generator).to(node.dtype).to(device)
        for node in graph.graph.inputs
    ]


def default_device() -> str:
    """Where candidates are timed: a GPU if there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def profile_and_select_best_graph(
    graphs: Sequence[KernelGraph],
    target_cc: int | None = None,
    warmup_iters: int = 16,
    profile_iters: int = 1000,
    debug_mode: bool = False,
    save_codes: bool = False,
) -> KernelGraph:
    """The graph whose mean time is the smallest, on random inputs of the declared sizes.

    `target_cc` is ten times the compute capability of the GPU, or None. With `debug_mode` each
    graph's time is printed, and its code written to `generated_debug_code_{n}.py` in the current
    folder; with `save_codes`, to `generated_codes/generated_code_{n}.py`. Raises SearchError if
    none of the graphs runs.
    """
    _check_capability(target_cc)
    times, why = profile(graphs, default_device(), warmup_iters, profile_iters)
    for place, graph in enumerate(graphs):
        if save_codes or debug_mode:
            _write_code(graph, place, debug_mode, save_codes)
        if place in why:
            print(f"muGraph {place}: skipping since {why[place]}")
        elif debug_mode:
            print(f"muGraph {place}: {times[place] * 1e3:.4f} ms")
    if not times:
        told = "\n".join(f"muGraph {place}: {text}" for place, text in why.items())
        raise SearchError(f"none of {len(graphs)} graphs runs\n{told}")
    best = min(times, key=lambda place: times[place])
    if debug_mode:
        print(f"muGraph {best} is the fastest")
    return graphs[best]


def _check_capability(target_cc: int | None) -> None:
    if target_cc is not None and capability(target_cc) not in SHARED:
        raise SearchError(
            f"target_cc {target_cc} is not known; there are {', '.join(map(str, SHARED))}"
        )


def _write_code(graph: KernelGraph, place: int, debug_mode: bool, save_codes: bool) -> None:
    if not graph.valid_kernels():
        return
    text = graph.program.text(title=f"muGraph {place}")
    if debug_mode:
        Path(f"generated_debug_code_{place}.py").write_text(text)
    if save_codes:
        folder = Path("generated_codes")
        folder.mkdir(exist_ok=True)
        (folder / f"generated_code_{place}.py").write_text(text)


def profile(
    graphs: Sequence[KernelGraph],
    device: str,
    warmup_iters: int,
    profile_iters: int,
    until: float | None = None,
    inputs: Sequence[Any] | None = None,
) -> tuple[dict[int, float], dict[int, str]]:
    """The mean time of each graph in seconds, and why others have none, by their place.

    They run on `inputs`, or on random ones. Rounds stop at `until` (of `time.monotonic`), but each
    graph is timed at least once.
    """
    why: dict[int, str] = {}
    runs: dict[int, Callable[[], Any]] = {}
    for place, graph in enumerate(graphs):
        if not graph.valid_kernels():
            why[place] = graph.get_error_message()
            continue
        try:
            inputs = inputs or random_inputs(graph, device)
            run = _bound(graph, inputs)
            for _ in range(max(1, warmup_iters)):
                run()
                if until is not None and time.monotonic() > until:
                    break
            _wait(device)
            runs[place] = run
        except Exception as error:
            graph.invalidate(f"{type(error).__name__}: {error}".splitlines()[0])
            why[place] = graph.get_error_message()
    return _in_turn(runs, device, profile_iters, until), why


def _bound(graph: KernelGraph, inputs: Sequence[Any]) -> Callable[[], Any]:
    """A call of the graph's program, without what finds the program."""
    from .program import on_device_of

    program = graph.program
    execute = program.module(program.sizes_of(inputs)).execute_mugraph

    def run() -> Any:
        with on_device_of(inputs[0]):
            return execute(*inputs)

    return run


def _in_turn(
    runs: dict[int, Callable[[], Any]], device: str, iterations: int, until: float | None
) -> dict[int, float]:
    totals = dict.fromkeys(runs, 0.0)
    counts = dict.fromkeys(runs, 0)
    rounds = min(ROUNDS, max(1, iterations))
    for turn in range(rounds):
        number = iterations // rounds + (turn < iterations % rounds)
        for place, run in runs.items():
            if until is not None and counts[place] and time.monotonic() > until:
                continue
            totals[place] += _seconds(run, device, number)
            counts[place] += number
    return {place: totals[place] / counts[place] for place in runs}


def _wait(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def _seconds(run: Callable[[], Any], device: str, number: int) -> float:
    if device == "cuda":
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in "be")
        begin.record()
        for _ in range(number):
            run()
        end.record()
        torch.cuda.synchronize()
        return float(begin.elapsed_time(end)) * 1e-3
    start = time.perf_counter()
    for _ in range(number):
        run()
    return time.perf_counter() - start
