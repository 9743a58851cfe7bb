"""The kernels of a graph, with the candidates of the search that has found them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import Explanation, explain_texts
from .table import show

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..diff.recording import Recording
    from ..graph.kernel_graph import KernelGraph


def explain_graph(graph: KernelGraph) -> Explanation:
    """Prints and returns how the kernels of a graph access memory.

    It runs once on the CPU, on random inputs of the sizes that it was written for: that is the
    launch of each kernel. A page is `.report(NUMBER).write("kernel.html")`.
    """
    import triton_shared

    from ..diff import recorder
    from ..graph.profiler import random_inputs

    caught: list[tuple[Recording, Any]] = []
    with triton_shared.device("cpu"), recorder.catching(caught, "explain"):
        graph(random_inputs(graph, "cpu"))
    launches = [recording for recording, _ in caught]
    found = explain_texts([launch.ttir for launch in launches], printed_by_triton=True)
    found = replace(
        found,
        launches=tuple(map(_given, launches)),
        search=graph.report().as_json() if graph.is_searched else None,
    )
    show(found)
    return found


def _given(launch: Recording) -> Callable[[], Recording]:
    return lambda: launch
