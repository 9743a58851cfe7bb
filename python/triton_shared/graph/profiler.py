"""Times graphs side by side, and picks the fastest one that runs.

What cannot be written, does not compile, or does not run, is passed over with a line that says why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from ..errors import TritonSharedError
from ..measure import Graph, capture
from .cost import SHARED, capability
from .kernel_graph import KernelGraph
from .targets import launching

_MOST_COPIES = 40
ROUNDS = 10
"""Candidates take turns that many times: machines drift."""


class SearchError(TritonSharedError):
    """No candidate is right."""


class Timing(NamedTuple):
    """The mean time of some calls."""

    seconds: float
    iterations: int


def random_inputs(graph: KernelGraph, device: str) -> list[Any]:
    """Inputs of the declared sizes and strides."""
    generator = torch.Generator().manual_seed(0)
    made = []
    for node, strides in zip(graph.graph.inputs, graph.strides, strict=True):
        tensor = torch.empty_strided(node.shape, strides, dtype=node.dtype, device=device)
        made.append(tensor.copy_(torch.randn(node.shape, generator=generator)))
    return made


def memories(inputs: Sequence[Any]) -> list[list[Any]]:
    """Copies of the inputs, on a GPU so many that its cache does not hold them all."""
    if inputs[0].device.type == "cpu":
        return [list(inputs)]
    size = sum(tensor.nbytes for tensor in inputs)
    cache = torch.cuda.get_device_properties(inputs[0].device).L2_cache_size
    count = min(_MOST_COPIES, -(-3 * int(cache) // size))
    return [[tensor.clone() for tensor in inputs] for _ in range(count)]


def default_device() -> str:
    """Where candidates are timed: a GPU if there is one, and launches do not go to the CPU."""
    from triton.runtime import driver

    if not torch.cuda.is_available() or driver.active.get_current_target().backend == "cpu":
        return "cpu"
    return "cuda"


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
    found = profile(graphs, default_device(), warmup_iters, profile_iters)
    return graphs[select(graphs, *found, debug_mode, save_codes)]


def select(
    graphs: Sequence[KernelGraph],
    times: Mapping[int, Timing],
    why: Mapping[int, str],
    debug_mode: bool,
    save_codes: bool,
) -> int:
    """The place of the fastest graph; says which were passed over. Raises SearchError."""
    for place, graph in enumerate(graphs):
        if save_codes or debug_mode:
            _write_code(graph, place, debug_mode, save_codes)
        if place in why:
            print(f"muGraph {place}: skipping since {why[place]}")
        elif debug_mode:
            print(f"muGraph {place}: {times[place].seconds * 1e3:.4f} ms")
    if not times:
        told = "\n".join(f"muGraph {place}: {text}" for place, text in why.items())
        raise SearchError(f"none of {len(graphs)} graphs runs\n{told}")
    best = min(times, key=lambda place: times[place].seconds)
    if debug_mode:
        print(f"muGraph {best} is the fastest")
    return best


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
    sets: Sequence[Sequence[Any]] = (),
) -> tuple[dict[int, Timing], dict[int, str]]:
    """The mean time of each graph in seconds, and why others have none, by their place.

    They run on `sets` of inputs in turn, or on random ones. Rounds stop at `until` (of
    `time.monotonic`), but each graph is timed at least once. On a GPU, launches are captured into
    graphs: what is timed is the GPU, not Python.
    """
    why: dict[int, str] = {}
    runs: dict[int, _Timed] = {}
    for place, graph in enumerate(graphs):
        if not graph.valid_kernels():
            why[place] = graph.get_error_message()
            continue
        try:
            sets = sets or memories(random_inputs(graph, device))
            runs[place] = _timed(graph, device, sets, max(1, warmup_iters), until)
        except Exception as error:
            graph.invalidate(f"{type(error).__name__}: {error}".splitlines()[0])
            why[place] = graph.get_error_message()
    return _in_turn(runs, profile_iters, until), why


_Timed = Callable[[int], Timing]
"""Runs a graph at least that many times."""


def _timed(
    graph: KernelGraph, device: str, sets: Sequence[Sequence[Any]], warmups: int,
    until: float | None,
) -> _Timed:  # fmt: skip
    program = graph.program
    execute = program.module(program.sizes_of(sets[0])).execute_mugraph

    def run(inputs: Sequence[Any]) -> Any:
        with launching(inputs[0], program.target):
            return execute(*inputs)

    for _ in range(warmups):
        run(sets[0])
        if until is not None and time.monotonic() > until:
            break
    if device == "cuda":
        torch.cuda.synchronize()
        return _captured(capture(run, sets))

    def timed(number: int) -> Timing:
        start = time.perf_counter()
        for _ in range(number):
            run(sets[0])
        return Timing(time.perf_counter() - start, number)

    return timed


def _captured(graph: Graph) -> _Timed:
    def timed(number: int) -> Timing:
        replays = -(-number // graph.launches)
        total = sum(graph.microseconds() for _ in range(replays)) * graph.launches
        return Timing(total * 1e-6, replays * graph.launches)

    return timed


def _in_turn(runs: Mapping[int, _Timed], iterations: int, until: float | None) -> dict[int, Timing]:
    totals = dict.fromkeys(runs, Timing(0.0, 0))
    rounds = min(ROUNDS, max(1, iterations))
    for turn in range(rounds):
        number = iterations // rounds + (turn < iterations % rounds)
        for place, run in runs.items():
            before = totals[place]
            if until is not None and before.iterations and time.monotonic() > until:
                continue
            took = run(number)
            totals[place] = Timing(
                before.seconds + took.seconds, before.iterations + took.iterations
            )
    return {
        place: Timing(total.seconds / total.iterations, total.iterations)
        for place, total in totals.items()
    }
