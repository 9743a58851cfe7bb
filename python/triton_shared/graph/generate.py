"""`generate_triton_program`: the file of a graph, as Mirage's function of that name gives it."""

from __future__ import annotations

from typing import Any

from .cost import SHARED, capability
from .ir import GraphError
from .kernel_graph import KernelGraph
from .shared_memory import shared_bytes


def generate_triton_program(graph: KernelGraph, target_cc: int | None = None) -> dict[str, Any]:
    """The code of a graph: `code` is a Python file, `output_shapes` what it gives.

    `target_cc` is ten times a compute capability (10 stands for 100, as in Mirage's documents). For
    one, `shared_memory` says how many bytes the kernels take there, and `is_valid` whether these
    are there. Raises Unsupported if the graph cannot be written, GraphError for other numbers.
    """
    made: dict[str, Any] = {
        "code": graph.program.text(),
        "output_shapes": [tuple(node.shape) for node in graph.graph.outputs],
    }
    if target_cc is not None:
        cc = capability(target_cc)
        if cc not in SHARED:
            known = ", ".join(map(str, SHARED))
            raise GraphError(f"target_cc is ten times a compute capability: {known}")
        made["shared_memory"] = shared_bytes(graph.program, cc)
        made["is_valid"] = made["shared_memory"] <= SHARED[cc] * 1024
    return made
