"""Blocks that are tried for a kernel, and the plans that they make of a cut."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .cost import Machine
from .ir import Graph, Node
from .kernel_text import kernel_texts
from .partition import Cut
from .program import Part, Plan
from .tiles import Blocks, KernelText, Unsupported, padded

LARGEST_TILE = 1 << 15
"""Elements of a tile that is worth trying."""


RUNS = ((8, 3), (4, 4), (4, 2), (8, 4), (2, 3), (8, 2), (4, 5), (2, 5), (8, 5), (1, 3))
"""Warps and stages, of GPUs alone, that are tried for what is fast with 4 and 3."""
SPLITS = (2, 4, 8, 16)
MOST_SPLIT = 8
"""Blocks of a kernel whose loops are split, the best by their estimates."""
MOST_ROUNDS = 4
"""Programs for each unit of the machine, up to which a loop is split."""
MOST_PLANS = 64
"""Of one cut."""


@dataclass(frozen=True)
class Choice:
    """Blocks of a kernel, and what it would take."""

    blocks: Blocks
    estimate: float
    bound: float


class Choices:
    """Blocks for kernels on a machine; what many cuts have in common is looked at once."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._known: dict[tuple[Any, ...], list[Choice]] = {}

    def of(self, graph: Graph, roots: Sequence[Node], kept: frozenset[Node]) -> list[Choice]:
        """All blocks for a kernel, those first that should be fast."""
        cone = _cone(roots, kept)
        read = {operand for node in cone for operand in node.inputs if operand in kept}
        key = (tuple(roots), frozenset(read), tuple(graph.symbols[node] for node in cone))
        if key not in self._known:
            self._known[key] = self._all(graph, roots, kept)
        return self._known[key]

    def _all(self, graph: Graph, roots: Sequence[Node], kept: frozenset[Node]) -> list[Choice]:
        made = [self._choice(graph, roots, kept, blocks) for blocks in _space(roots, kept)]
        found = sorted(filter(None, made), key=lambda one: one.estimate)
        for one in found[:MOST_SPLIT]:
            for split in SPLITS:
                choice = self._choice(graph, roots, kept, replace(one.blocks, split=split))
                if choice is None:
                    break
                found.append(choice)
        return sorted(found, key=lambda one: one.estimate)

    def _choice(
        self, graph: Graph, roots: Sequence[Node], kept: frozenset[Node], blocks: Blocks
    ) -> Choice | None:
        try:
            texts = kernel_texts("kernel", graph, roots, kept, blocks)
        except Unsupported:
            return None
        most = MOST_ROUNDS * self.machine.units
        if max(map(_largest_tile, texts)) > LARGEST_TILE:
            return None
        if blocks.split > 1 and (texts[0].programs > most or texts[0].turns < 2):
            return None
        return Choice(
            blocks,
            sum(map(self.machine.estimate, texts)),
            sum(map(self.machine.bound, texts)),
        )


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
    inners = (0, 64) if nested else (0,)
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


def plans(graph: Graph, cut: Cut, choices: Choices) -> list[tuple[Plan, float, float]]:
    """Plans of a cut with estimate and bound: of the best blocks, then with one kernel changed."""
    nodes = graph.nodes
    kept = frozenset((*graph.inputs, *(nodes[i] for roots in cut for i in roots)))
    every = [choices.of(graph, [nodes[i] for i in roots], kept) for roots in cut]
    if not all(every):
        return []
    made = [_plan(graph, cut, [some[0] for some in every])]
    for place, some in enumerate(every):
        for other in some[1:MOST_PLANS]:
            picked = [one[0] for one in every]
            picked[place] = other
            made.append(_plan(graph, cut, picked))
    return sorted(made, key=lambda one: one[1])[:MOST_PLANS]


def with_run(plan: Plan, num_warps: int, num_stages: int) -> Plan:
    """The same kernels, with other warps and stages: on a CPU they are the same."""
    return Plan(
        plan.graph,
        tuple(
            replace(part, blocks=replace(part.blocks, num_warps=num_warps, num_stages=num_stages))
            for part in plan.parts
        ),
    )


def _plan(graph: Graph, cut: Cut, picked: Sequence[Choice]) -> tuple[Plan, float, float]:
    parts = tuple(Part(roots, one.blocks) for roots, one in zip(cut, picked, strict=True))
    return (
        Plan(graph, parts),
        sum(one.estimate for one in picked),
        sum(one.bound for one in picked),
    )
