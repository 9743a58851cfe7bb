"""The text of one fused kernel: what a program of the grid computes, tile by tile.

A tile has two dimensions, each along an axis: rows and columns of the result, which the grid
divides, or what a loop runs over. A view only changes which dimension is along which axis, so it
costs nothing. A sum or a matrix product becomes a loop over its axis (or one tile, if its block is
the whole axis); those that run over the same axis and do not need each other share a loop. Values
stand in the outermost loop in which all their axes are known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .ir import Graph, Node, Sizes
from .split_loops import PartsWritten, SplitWriter
from .tiles import (
    LARGEST_TILE,
    Axis,
    Blocks,
    KernelText,
    Request,
    Tile,
    Unsupported,
    Where,
    address_type,
    map_text,
)


class KernelWriter(SplitWriter):
    """Writes the text of one kernel."""

    def write(self) -> KernelText:
        """The kernel. Raises Unsupported."""
        whole = self._space()
        row, column = self.text.rows, self.text.columns
        requests = [Request(node, self._placed(node, whole), row, column) for node in self.roots]
        try:
            self._accumulate(requests)
            values = [self._value(request) for request in requests]
            for request, value in zip(requests, values, strict=True):
                self._store(request, value)
        except PartsWritten:
            self.text.outputs = ()
        if self.half and not self.text.split_axis:
            raise Unsupported("there is no loop that could be split")
        lines = self.text.lines = self.scopes[0].lines
        self.text.axes = list(self.axes.values())
        for prefix in ("size", "BLOCK"):
            self.text.parameters += sorted(set(re.findall(rf"\b{prefix}_\w+", "\n".join(lines))))
        return self.text

    def _space(self) -> list[Axis | None]:
        """The axes of the results: the last two dimensions are tiles, those before batches."""
        shapes = {node.shape for node in self.roots}
        if len(shapes) > 1:
            raise Unsupported(f"results of shapes {' and '.join(map(str, sorted(shapes)))}")
        node = max(self.roots, key=lambda one: len(one.shape))
        axes: list[Axis | None] = []
        rank = len(node.shape)
        tiled = 1 if self._sums_batches() else 2
        for dim, symbol in enumerate(self.graph.symbols[node]):
            place = rank - dim
            if symbol is None:
                axes.append(None)
            elif place > tiled:
                axes.append(Axis(f"b{dim}", symbol, self.sizes[symbol], 1, 0, is_batch=True))
            else:
                name = "column" if place == 1 else "row"
                block = self.blocks.columns if place == 1 else self.blocks.rows
                axes.append(Axis(name, symbol, self.sizes[symbol], block, 0))
        self.text.rows = next((a for a in axes if a and a.name == "row"), None)
        self.text.columns = next((a for a in axes if a and a.name == "column"), None)
        self.text.batch = [a for a in axes if a and a.is_batch]
        for axis in axes:
            if axis:
                self.axes[axis.name] = axis
                self.text.programs *= -(-axis.size // axis.extent)
        if self.half == "parts":
            self.text.programs *= self.blocks.split
        self._begin()
        return axes

    def _sums_batches(self) -> bool:
        """Whether a sum runs over a dimension before the last two: it is the rows of its tiles."""
        waiting = list(self.roots)
        while waiting:
            node = waiting.pop()
            if self._is_given(node):
                continue
            if node.kind == "reduce" and node.named["dim"] < -2:
                return True
            waiting.extend(node.inputs)
        return False

    def _begin(self) -> None:
        """Which tile of which batch a program has."""
        lines = self.scopes[0].lines
        rows, columns = self.text.rows, self.text.columns
        lines.append("program = tl.program_id(0)")
        if self.half == "parts":
            lines.append(f"part = program % {self.blocks.split}")
            lines.append(f"program = program // {self.blocks.split}")
        for axis in reversed(self.text.batch):
            lines.append(f"i_{axis.name} = program % size_{axis.symbol}")
            lines.append(f"program = program // size_{axis.symbol}")
        if rows and columns and columns.block:
            tiles = f"tl.cdiv(size_{columns.symbol}, BLOCK_{columns.name})"
            self._index(columns, f"(program % {tiles}) * BLOCK_{columns.name}", lines)
            lines.append(f"program = program // {tiles}")
            self._index(rows, f"program * BLOCK_{rows.name}", lines)
            return
        for one in (rows, columns):
            if one:
                self._index(one, f"program * BLOCK_{one.name}" if one.block else "", lines)

    def _placed(self, node: Node, whole: Sequence[Axis | None]) -> Where:
        """The axes of a node's dimensions, by numpy's rule."""
        rank = len(node.shape)
        last = list(whole)[len(whole) - rank :] if rank else []
        return tuple(a if n != 1 else None for a, n in zip(last, node.shape, strict=True))

    def _value(self, request: Request) -> Tile:
        """The tile of a node: known, read, or computed."""
        node = request.node
        for scope in reversed(self.scopes):
            if request in scope.known:
                return scope.known[request]  # type: ignore[no-any-return]
        if self._is_given(node):
            made = self._load(request)
        elif node.kind == "view":
            return self._value(self._through_view(request))
        elif node.kind == "map":
            made = self._compute(request)
        else:
            self._accumulate([request])
            return self._value(request)
        self.scopes[made.loop].known[request] = made
        return made

    def _compute(self, request: Request) -> Tile:
        node = request.node
        operands = [self._value(one) for one in self._operands_of_map(request)]
        names = [self._wide(tile) for tile in operands]
        text = map_text(node, names)
        self.text.uses_libdevice |= "libdevice" in text
        loop = max(tile.loop for tile in operands)
        rows = max(tile.rows for tile in operands)
        columns = max(tile.columns for tile in operands)
        if rows * columns > LARGEST_TILE:
            raise Unsupported(f"a tile of {rows} by {columns} is larger than Triton's limit")
        return Tile(self._line(loop, text), rows, columns, loop)

    def _store(self, request: Request, value: Tile) -> None:
        node = request.node
        address, mask = self._address(request, self._tensor(node))
        rows, columns = self._extents(request)
        stored = value.name
        if (value.rows, value.columns) != (rows, columns):
            stored = f"tl.broadcast_to({stored}, [{self._shape(request)}])"
        masked = f", mask={mask}" if mask else ""
        stored = f"({stored}).to({address_type(node.dtype)})"
        self.scopes[0].lines.append(f"tl.store({address}, {stored}{masked})")
        self._count_bytes(0, rows * columns, node)


def kernel_texts(
    name: str,
    graph: Graph,
    roots: Sequence[Node],
    kept: frozenset[Node],
    blocks: Blocks,
    sizes: Sizes | None = None,
) -> list[KernelText]:
    """A kernel, or the two that it is if its loop is split. Raises Unsupported."""
    if blocks.split == 1:
        return [KernelWriter(name, graph, roots, kept, blocks, sizes).write()]
    return [
        KernelWriter(f"{name}_parts", graph, roots, kept, blocks, sizes, "parts").write(),
        KernelWriter(name, graph, roots, kept, blocks, sizes, "join").write(),
    ]
