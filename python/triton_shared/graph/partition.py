"""The ways to cut a graph into kernels.

A cut says which nodes are kept in memory. Each kept node is made by a kernel of its own from kept
ones, what lies between is computed inside; results of one shape that read the same tensors may
share a kernel. So parts are convex by construction, and what can be one kernel is what
`KernelWriter` can write.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from .ir import Graph, Node
from .kernel_text import KernelWriter
from .program import Part, Plan
from .tiles import Blocks, Unsupported

MOST_KEPT = 10
"""Nodes of which all subsets are tried; of larger graphs, products and reductions come first."""

Cut = tuple[tuple[int, ...], ...]
"""Per kernel the numbers of the nodes that it leaves in memory."""


def cuts(graph: Graph, limit: int) -> Iterator[tuple[Cut, str]]:
    """Cuts with fewer kernels first, at most `limit`; with why it cannot be, or an empty text."""
    number = {node: place for place, node in enumerate(graph.nodes)}
    inner = [n for n in graph.nodes if n.kind not in ("input", "view") and n not in graph.outputs]
    inner.sort(key=lambda node: (node.kind not in ("dot", "reduce"), number[node]))
    inner = inner[:MOST_KEPT]
    every = (
        subset for size in range(len(inner) + 1) for subset in itertools.combinations(inner, size)
    )
    for count, subset in enumerate(every):
        if count >= limit:
            return
        roots = sorted({*subset, *graph.outputs}, key=lambda node: number[node])
        kept = frozenset((*graph.inputs, *roots))
        alone = tuple((number[node],) for node in roots)
        why = next((w for w in (_why_not(graph, (node,), kept) for node in roots) if w), "")
        yield alone, why
        shared = _shared(graph, roots, kept, number)
        if shared != alone and not _why_none(graph, shared):
            yield shared, ""


def _why_not(graph: Graph, roots: tuple[Node, ...], kept: frozenset[Node]) -> str:
    """Why these cannot be one kernel; empty if they can."""
    for blocks in (Blocks(), Blocks(depth=0)):
        try:
            KernelWriter("kernel", graph, roots, kept, blocks).write()
            return ""
        except Unsupported as error:
            why = str(error)
    return why


def _why_none(graph: Graph, cut: Cut) -> str:
    try:
        Plan(graph, tuple(Part(roots) for roots in cut)).texts()
    except Unsupported as error:
        return str(error)
    return ""


def _shared(graph: Graph, roots: list[Node], kept: frozenset[Node], number: dict[Node, int]) -> Cut:
    """Kernels of results with one shape that read a tensor together, and do not need each other."""
    groups: list[list[Node]] = []
    for node in roots:
        for group in groups:
            reads = _reads(node, kept)
            if (
                group[0].shape == node.shape
                and reads & _reads(group[0], kept)
                and not any(_needs(node, other) for other in group)
                and not _why_not(graph, (*group, node), kept)
            ):
                group.append(node)
                break
        else:
            groups.append([node])
    return tuple(tuple(number[node] for node in group) for group in groups)


def _reads(node: Node, kept: frozenset[Node]) -> set[Node]:
    found: set[Node] = set()
    waiting = list(node.inputs)
    while waiting:
        one = waiting.pop()
        if one in kept:
            found.add(one)
        else:
            waiting.extend(one.inputs)
    return found


def _needs(node: Node, other: Node) -> bool:
    return node == other or any(_needs(operand, other) for operand in node.inputs)
