"""From a graph of tensors to the fastest verified Triton program.

    import triton_shared.graph as mi

    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 4096), dtype=mi.float16)
    w = graph.new_input(dims=(4096, 6144), dtype=mi.float16)
    graph.mark_output(graph.matmul(graph.rms_norm(x, normalized_shape=(4096,)), w))
    best = graph.superoptimize(config="mlp", backend="triton")
    (y,) = best(inputs=[torch_x, torch_w])

The search cuts rewritten forms of the graph into fused kernels, verifies what comes out on the CPU,
and times what is right. docs/graph.md says how.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import bfloat16, float16, float32

from .dispatch import Dispatch, superoptimize_for
from .from_torch import Mixed, from_torch
from .generate import generate_triton_program
from .ir import GraphError
from .kernel_graph import KernelGraph
from .profiler import SearchError, profile_and_select_best_graph
from .report import Report
from .threadblock import ThreadblockGraph
from .tiles import Unsupported


def new_threadblock_graph(
    grid_dim: Sequence[int],
    block_dim: Sequence[int],
    forloop_range: int = 1,
    reduction_dimx: int = 64,
) -> ThreadblockGraph:
    """An empty graph of one thread block; `block_dim` and `reduction_dimx` are left to Triton."""
    return ThreadblockGraph(grid_dim, block_dim, forloop_range, reduction_dimx)


def new_kernel_graph() -> KernelGraph:
    """An empty graph."""
    return KernelGraph()


__all__ = [
    "Dispatch",
    "GraphError",
    "KernelGraph",
    "Mixed",
    "Report",
    "SearchError",
    "ThreadblockGraph",
    "Unsupported",
    "bfloat16",
    "float16",
    "float32",
    "from_torch",
    "generate_triton_program",
    "new_kernel_graph",
    "new_threadblock_graph",
    "profile_and_select_best_graph",
    "superoptimize_for",
]
