"""Blocks that are tried for a kernel, and the plans that they make of a cut."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .cost import Machine
from .ir import Graph, Node
from .kernel_text import KernelWriter
from .partition import Cut
from .program import Part, Plan
from .tiles import Blocks, KernelText, Unsupported, padded

LARGEST_TILE = 1 << 15
"""Elements of a tile that is worth trying."""


_RUNS = ((4, 3), (8, 3), (4, 2), (8, 4))
"""Warps and stages, of GPUs alone."""


@dataclass(frozen=True)
class Choice:
    """Blocks of a kernel, and what it would take."""

    blocks: Blocks
    estimate: float
    bound: float


def choices(
    graph: Graph, roots: Sequence[Node], kept: frozenset[Node], machine: Machine
) -> list[Choice]:
    """All blocks for a kernel, those first that should be fast."""
    found = []
    for blocks in _space(roots, kept):
        try:
            text = KernelWriter("kernel", graph, roots, kept, blocks).write()
        except Unsupported:
            continue
        if _largest_tile(text) <= LARGEST_TILE:
            estimate, bound = machine.estimate(text), machine.bound(text)
            for warps, stages in _RUNS if machine.shared else _RUNS[:1]:
                run = replace(blocks, num_warps=warps, num_stages=stages)
                found.append(Choice(run, estimate, bound))
    return sorted(found, key=lambda one: one.estimate)


def _largest_tile(text: KernelText) -> int:
    extents = sorted((a.extent for a in text.axes if not a.is_batch), reverse=True)
    first, second = (*extents, 1, 1)[:2]
    return first * second


def _space(roots: Sequence[Node], kept: frozenset[Node]) -> Iterator[Blocks]:
    """Blocks that make sense for what the kernel computes."""
    cone = _cone(roots, kept)
    shape = max((node.shape for node in roots), key=len)
    rows = shape[-2] if len(shape) > 1 else 1
    columns = shape[-1] if shape else 1
    has_dots = any(node.kind == "dot" for node in cone)
    has_sums = any(node.kind == "reduce" for node in cone)
    depths: tuple[int, ...]
    if has_dots:
        heights = _up_to((16, 32, 64, 128), rows)
        widths = _up_to((32, 64, 128, 256), columns)
        depths = (32, 64, 128, 256)
        if columns <= 512:
            widths.append(0)
    else:
        heights = _up_to((1, 4, 16), rows)
        widths = _up_to((64, 256, 1024), columns)
        depths = (0, 256, 1024) if has_sums else (0,)
        if has_sums:
            widths.append(0)
    nested = sum(node.kind == "dot" for node in cone) > 1
    inners = (0, 32, 64) if nested else (0,)
    onlines = (True, False) if any(node.op == "max" for node in cone) and has_dots else (False,)
    for height, width, depth, inner, online in itertools.product(
        heights, widths, depths, inners, onlines
    ):
        yield Blocks(height, width, depth, inner, online)


def _up_to(sizes: Sequence[int], size: int) -> list[int]:
    """Those that are no larger than a size, padded; at least one."""
    return [one for one in sizes if one <= padded(size)] or [sizes[0]]


def _cone(roots: Sequence[Node], kept: frozenset[Node]) -> list[Node]:
    found: dict[Node, None] = {}
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        found[node] = None
        waiting += [one for one in node.inputs if one not in kept and one not in found]
    return list(found)


def plans(graph: Graph, cut: Cut, machine: Machine) -> list[tuple[Plan, float, float]]:
    """Plans of a cut with estimate and bound: of the best blocks, then with one kernel changed."""
    nodes = graph.nodes
    kept = frozenset((*graph.inputs, *(nodes[i] for roots in cut for i in roots)))
    every = [choices(graph, [nodes[i] for i in roots], kept, machine) for roots in cut]
    if not all(every):
        return []
    made = [_plan(graph, cut, [some[0] for some in every])]
    for place, some in enumerate(every):
        for other in some[1:]:
            picked = [one[0] for one in every]
            picked[place] = other
            made.append(_plan(graph, cut, picked))
    return sorted(made, key=lambda one: one[1])


def _plan(graph: Graph, cut: Cut, picked: Sequence[Choice]) -> tuple[Plan, float, float]:
    parts = tuple(Part(roots, one.blocks) for roots, one in zip(cut, picked, strict=True))
    return (
        Plan(graph, parts),
        sum(one.estimate for one in picked),
        sum(one.bound for one in picked),
    )
