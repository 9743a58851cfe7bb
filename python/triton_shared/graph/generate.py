"""`generate_triton_program`: the file of a graph, as Mirage's function of that name gives it."""

from __future__ import annotations

from typing import Any

from .cost import SHARED, capability
from .ir import GraphError
from .kernel_graph import KernelGraph
from .program import Plan, Program
from .shared_memory import shared_bytes


def generate_triton_program(
    graph: KernelGraph, target_cc: int | None = None, top_k: int = 1
) -> dict[str, Any]:
    """The code of a graph: `code` is a Python file, `output_shapes` what it gives.

    `target_cc` is ten times a compute capability (10 stands for 100, as in Mirage's documents). For
    one, `shared_memory` says how many bytes the kernels take there, and `is_valid` whether these
    are there. With `top_k`, `triton.autotune` picks each kernel's configuration, of those that the
    so many fastest verified plans of the same cut have; what does not fit `target_cc` is not among
    them. Raises Unsupported if the graph cannot be written, GraphError for other numbers.
    """
    if top_k < 1:
        raise GraphError(f"top_k is how many plans there are at most, 1 or more, not {top_k}")
    first, *others = graph.plans(top_k)
    made: dict[str, Any] = {"output_shapes": [tuple(node.shape) for node in graph.graph.outputs]}
    if target_cc is not None:
        cc = capability(target_cc)
        if cc not in SHARED:
            known = ", ".join(map(str, SHARED))
            raise GraphError(f"target_cc is ten times a compute capability: {known}")
        most = SHARED[cc] * 1024
        taken = {id(plan): _shared(graph, plan, cc) for plan in (first, *others)}
        others = [plan for plan in others if taken[id(plan)] <= most]
        made["shared_memory"] = max(taken[id(plan)] for plan in (first, *others))
        made["is_valid"] = made["shared_memory"] <= most
    return {"code": graph.program.text(others=others), **made}


def _shared(graph: KernelGraph, plan: Plan, cc: int) -> int:
    return shared_bytes(Program(graph.graph, plan), cc)
