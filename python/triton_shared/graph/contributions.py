"""What sums, maxima and matrix products run over, and what they add in one turn of a loop."""

from __future__ import annotations

from typing import Any

import torch

from .ir import Node
from .tile_text import TileWriter
from .tiles import DOT, Axis, Request, Tile, Unsupported, Where, address_type


class ContributionWriter(TileWriter):
    """Knows the operands of accumulators, and what their tiles contribute."""

    def _is_given(self, node: Node) -> bool:
        return node.op == "input" or (node in self.kept and node not in self.roots)

    def _through_view(self, request: Request) -> Request:
        node = request.node
        (operand,) = node.inputs
        where: list[Axis | None] = [None] * len(operand.shape)
        for place, source in enumerate(node.named["order"]):
            if source is not None:
                where[source] = request.where[place]
        return Request(operand, tuple(where), request.row, request.column)

    def _operands_of_map(self, request: Request) -> list[Request]:
        rank = len(request.node.shape)
        found = []
        for operand in request.node.inputs:
            last = request.where[rank - len(operand.shape) :]
            where = tuple(a if n != 1 else None for a, n in zip(last, operand.shape, strict=True))
            found.append(Request(operand, where, request.row, request.column))
        return found

    def _axis_of(self, request: Request) -> Axis:
        """What an accumulator runs over."""
        node = request.node
        operand = node.inputs[0]
        dim = node.named["dim"] if node.kind == "reduce" else -1
        symbol = self.graph.symbols[operand][dim]
        size = self.sizes[symbol] if symbol else 1
        used = {axis for axis in request.where if axis}
        for axis in (request.column, request.row):
            if axis and axis.symbol == symbol and not axis.block and axis not in used:
                return axis
        loop = self._loop_of(request.where)
        block = self.blocks.depth if loop == 0 else self.blocks.inner
        block = block if symbol else 0
        name = f"{symbol or 'one'}_{loop + 1 if block else 'whole'}"
        axis = Axis(name, symbol, size, block, loop + 1 if block else 0)
        if axis in used:
            raise Unsupported("a dimension that a tile has twice, whole both times")
        return self.axes.setdefault(name, axis)

    def _operands(self, request: Request) -> list[Request]:
        """What an accumulator runs over, with its axis."""
        if request.node.kind == "reduce":
            return [self._operand_of_reduce(request)]
        return list(self._operands_of_dot(request))

    def _operand_of_reduce(self, request: Request) -> Request:
        node, axis = request.node, self._axis_of(request)
        (operand,) = node.inputs
        where = list(request.where)
        where[node.named["dim"]] = axis if operand.shape[node.named["dim"]] != 1 else None
        has = [one for one in request.where if one and not one.is_batch]
        if not axis.symbol:
            return Request(operand, tuple(where), request.row, request.column)
        if len(has) > 1:
            raise Unsupported(f"{node.op} over a third dimension of a tile")
        if axis == request.row or (has and has[0] == request.column):
            return Request(operand, tuple(where), axis, request.column)
        return Request(operand, tuple(where), request.row, axis)

    def _operands_of_dot(self, request: Request) -> tuple[Request, Request]:
        """The left operand in tiles of rows and depth, the right one in depth and columns."""
        node, axis = request.node, self._axis_of(request)
        a, b = node.inputs
        row, column = request.where[-2], request.where[-1]
        along: list[Axis | None] = [axis if a.shape[-1] != 1 else None]
        of_a = (*self._batches(a, request), row, *along)
        of_b = (*self._batches(b, request), *along, column)
        depth = axis if axis.symbol else None
        if (row is None or row == request.row) and (column is None or column == request.column):
            return (Request(a, of_a, request.row, depth), Request(b, of_b, depth, request.column))
        if (row is None or row == request.column) and (column is None or column == request.row):
            return (Request(b, of_b, request.row, depth), Request(a, of_a, depth, request.column))
        raise Unsupported("a product along axes that its tile does not have")

    def _batches(self, operand: Node, request: Request) -> Where:
        batch = operand.shape[:-2]
        given = request.where[:-2]
        last = given[len(given) - len(batch) :]
        if any(axis and not axis.is_batch for axis in last):
            raise Unsupported("a batch of products inside of a tile")
        return tuple(a if n != 1 else None for a, n in zip(last, batch, strict=True))

    def _contribution(
        self, request: Request, axis: Axis, loop: int, onto: str = ""
    ) -> tuple[str, int, int]:
        """What the tiles at one place of the axis make of an accumulator."""
        if request.node.kind == "dot":
            return self._dot(request, axis, loop, onto)
        node = request.node
        (operand,) = self._operands(request)
        tile = self._value(operand)
        rows, columns = self._extents(request)
        value = self._wide(tile)
        along = 0 if operand.row == axis else 1
        extent = tile.rows if along == 0 else tile.columns
        if axis.symbol:
            if extent == 1:
                raise Unsupported(f"{node.op} over what is the same everywhere")
            value = self._neutral(node.op, value, tile, axis, along, loop)
            function = {"max": "max", "min": "min"}.get(node.op, "sum")
            value = f"tl.{function}({value}, axis={along}, keep_dims=True)"
        if node.op == "mean":
            value = f"{value} / size_{axis.symbol}" if axis.symbol else value
        return self._line(loop, value), rows, columns

    def _neutral(self, op: str, value: str, tile: Tile, axis: Axis, along: int, loop: int) -> str:
        """A tile whose padding along an axis does not count."""
        empty = {"max": '-float("inf")', "min": 'float("inf")'}.get(op, "0.0")
        if not axis.is_ragged or (tile.is_loaded and empty == "0.0"):
            return value
        shape = "[:, None]" if along == 0 else "[None, :]"
        known = self.scopes[loop].known
        key = ("neutral", value, axis.name, empty)
        if key not in known:
            known[key] = self._line(loop, f"tl.where(in_{axis.name}{shape}, {value}, {empty})")
        return str(known[key])

    def _dot_shape(self, request: Request) -> str:
        return ", ".join(
            f"BLOCK_{axis.name}" if axis else str(DOT) for axis in (request.row, request.column)
        )

    def _dot_extents(self, request: Request) -> tuple[int, int]:
        return tuple(a.extent if a else DOT for a in (request.row, request.column))  # type: ignore[return-value]  # fmt: skip

    def _dot(self, request: Request, axis: Axis, loop: int, onto: str) -> tuple[str, int, int]:
        left, right = self._operands(request)
        rows, columns = self._dot_extents(request)
        if min(rows, columns, axis.extent) < DOT:
            raise Unsupported(f"a product of blocks smaller than {DOT}")
        dtype = torch.promote_types(left.node.dtype, right.node.dtype)
        row, column = self._dot_shape(request).split(", ")
        depth = f"BLOCK_{axis.name}" if axis.symbol else str(DOT)
        if axis.symbol is None:
            return self._outer(left, right, (row, column), onto, loop), rows, columns
        names = [
            self._operand(left, axis, 1, f"{row}, {depth}", dtype, loop),
            self._operand(right, axis, 0, f"{depth}, {column}", dtype, loop),
        ]
        trips = self.scopes[loop].trips * self.text.programs
        self.text.flops += 2.0 * rows * columns * axis.extent * trips
        precise = ', input_precision="ieee"' if dtype == torch.float32 else ""
        text = f"tl.dot({names[0]}, {names[1]}{', ' + onto if onto else ''}{precise})"
        return (text if onto else self._line(loop, text)), rows, columns

    def _outer(
        self, left: Request, right: Request, shape: tuple[str, str], onto: str, loop: int
    ) -> str:
        """A product over one element."""
        a, b = (self._wide(self._value(one)) for one in (left, right))
        text = f"tl.broadcast_to({a} * {b}, [{', '.join(shape)}])"
        return f"{onto} + {text}" if onto else self._line(loop, text)

    def _operand(
        self, request: Request, axis: Axis, along: int, shape: str, dtype: Any, loop: int
    ) -> str:
        """A tile as `tl.dot` takes it: its type, both dimensions, zeros in the padding."""
        tile = self._value(request)
        extents = [request.row.extent if request.row else DOT,
                   request.column.extent if request.column else DOT]  # fmt: skip
        name = tile.name
        if [tile.rows, tile.columns] != extents:
            name = self._line(max(loop, tile.loop), f"tl.broadcast_to({name}, [{shape}])")
            tile = Tile(name, extents[0], extents[1], loop, tile.dtype)
        value = self._neutral("sum", name, tile, axis, along, max(loop, tile.loop))
        if tile.dtype != dtype:
            value = f"{value}.to({address_type(dtype)})"
        return value
