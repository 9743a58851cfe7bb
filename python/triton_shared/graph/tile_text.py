"""Lines of a kernel, and the tiles that they name: addresses, loads, values of f32.

A tile has two dimensions, each along an axis. Layers build on this one: `contributions` (what sums
and products add in a turn), `loops`, `split_loops`, and `kernel_text`, which writes whole kernels.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from .ir import Graph, Node, Sizes
from .tiles import Axis, Blocks, KernelText, Request, Scope, Tile, Where


class TileWriter:
    """Writes lines into the body of a kernel, or of its loops."""

    def __init__(
        self,
        name: str,
        graph: Graph,
        roots: Sequence[Node],
        kept: frozenset[Node],
        blocks: Blocks,
        sizes: Sizes | None = None,
        half: str = "",
    ) -> None:
        self.graph = graph
        self.sizes = sizes or graph.sizes
        self.roots = tuple(roots)
        self.kept = kept
        self.blocks = blocks
        self.scopes = [Scope()]
        self.count = 0
        self.half = half
        self.tensors: dict[Node, str] = {}
        self.axes: dict[str, Axis] = {}
        self.text = KernelText(name, [], [], self.tensors, self.roots, [], None, None, [], blocks)

    def _value(self, request: Request) -> Tile:
        """The tile of a node: known, read, or computed. Layers above say how."""
        raise NotImplementedError

    def _index(self, axis: Axis, start: str, lines: list[str]) -> None:
        """The numbers of the elements of a tile along an axis, and which of them there are."""
        around = f"tl.arange(0, BLOCK_{axis.name})"
        lines.append(f"i_{axis.name} = {start + ' + ' if start else ''}{around}")
        if axis.is_ragged:
            lines.append(f"in_{axis.name} = i_{axis.name} < size_{axis.symbol}")

    def _loop_of(self, where: Where) -> int:
        return max((axis.loop for axis in where if axis), default=0)

    def _line(self, loop: int, expression: str, prefix: str = "v") -> str:
        self.count += 1
        name = f"{prefix}{self.count}"
        self.scopes[loop].lines.append(f"{name} = {expression}")
        return name

    def _extents(self, request: Request) -> tuple[int, int]:
        has = {axis.name for axis in request.where if axis}
        return (
            request.row.extent if request.row and request.row.name in has else 1,
            request.column.extent if request.column and request.column.name in has else 1,
        )

    def _address(self, request: Request, name: str) -> tuple[str, str]:
        """The pointer to a tile's elements, and the mask of those that there are."""
        parts, masks = [], []
        for dim, axis in enumerate(request.where):
            if not axis:
                continue
            stride = f"{name}_s{dim}"
            if stride not in self.text.parameters:
                self.text.parameters.append(stride)
            if axis.is_batch:
                parts.append(f"i_{axis.name}.to(tl.int64) * {stride}")
                continue
            shape = "[:, None]" if axis == request.row else "[None, :]"
            parts.append(f"i_{axis.name}{shape} * {stride}")
            if axis.is_ragged:
                masks.append(f"in_{axis.name}{shape}")
        if not any(axis and not axis.is_batch for axis in request.where):
            parts.append("tl.zeros([1, 1], tl.int32)")
        return " + ".join([name, *parts]), " & ".join(masks)

    def _tensor(self, node: Node) -> str:
        if node not in self.tensors:
            self.tensors[node] = name = f"t{len(self.tensors)}"
            self.text.parameters.insert(len(self.tensors) - 1, name)
        return self.tensors[node]

    def _load(self, request: Request) -> Tile:
        node = request.node
        address, mask = self._address(request, self._tensor(node))
        masked = f", mask={mask}, other=0.0" if mask else ""
        loop = self._loop_of(request.where)
        name = self._line(loop, f"tl.load({address}{masked})", "x")
        rows, columns = self._extents(request)
        self._count_bytes(loop, rows * columns, node)
        return Tile(name, rows, columns, loop, node.dtype, is_loaded=True)

    def _count_bytes(self, loop: int, elements: int, node: Node) -> None:
        size = torch.finfo(node.dtype).bits // 8
        self.text.bytes += elements * size * self.scopes[loop].trips * self.text.programs

    def _wide(self, tile: Tile) -> str:
        """The name of a value of f32."""
        if tile.dtype == torch.float32:
            return tile.name
        known = self.scopes[tile.loop].known
        if ("f32", tile.name) not in known:
            known["f32", tile.name] = self._line(tile.loop, f"{tile.name}.to(tl.float32)")
        return str(known["f32", tile.name])

    def _shape(self, request: Request) -> str:
        has = {axis.name for axis in request.where if axis}
        return ", ".join(
            f"BLOCK_{axis.name}" if axis and axis.name in has else "1"
            for axis in (request.row, request.column)
        )
