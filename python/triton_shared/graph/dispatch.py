"""A table from sizes to plans: a graph is searched at several sizes, the nearest serves a call.

Every plan is right at all sizes, so the table only says which one should be fast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .ir import GraphError, Sizes
from .kernel_graph import KernelGraph, one_by_one
from .program import Program


@dataclass(frozen=True)
class Entry:
    """The best graph at some sizes."""

    sizes: Sizes
    graph: KernelGraph


class Dispatch:
    """A graph for several sizes; a call takes the entry that is nearest."""

    def __init__(self, graph: KernelGraph, entries: Sequence[Entry]) -> None:
        self.entries = tuple(entries)
        self._given = Program(graph.graph, one_by_one(graph.graph))

    def entry(self, sizes: Sizes) -> Entry:
        """The entry whose sizes are nearest, by ratios."""

        def distance(one: Entry) -> float:
            return sum(abs(math.log(n / one.sizes[symbol])) for symbol, n in sizes.items())

        return min(self.entries, key=distance)

    def __call__(self, inputs: Sequence[Any], outputs: Sequence[Any] | None = None) -> list[Any]:
        """The outputs for these inputs, of any sizes that fit."""
        return self.entry(self._given.sizes_of(inputs)).graph(inputs, outputs)


def superoptimize_for(
    graph: KernelGraph, shapes: Sequence[Sequence[Sequence[int]]], **options: Any
) -> Dispatch:
    """Searches a graph once for each of these lists of input shapes; options are those of a search.

    Raises GraphError if shapes do not fit the graph, or a size is 1 that was not declared so.
    """
    given = graph.graph
    program = Program(given, one_by_one(given))
    entries = []
    for every in shapes:
        tensors = [
            torch.empty(tuple(shape), dtype=node.dtype, device="meta")
            for shape, node in zip(every, given.inputs, strict=True)
        ]
        sizes = program.sizes_of(tensors)
        if 1 in sizes.values():
            raise GraphError(f"a graph with a size of 1 is another graph: {sizes}")
        found = KernelGraph(given.resized(sizes)).superoptimize(**options)
        entries.append(Entry(sizes, found))
    if not entries:
        raise GraphError("there are no shapes to search for")
    return Dispatch(graph, entries)
