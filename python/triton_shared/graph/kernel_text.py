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
from typing import Any

import torch

from .ir import Graph, Node, Sizes
from .tiles import (
    DOT,
    LARGEST_TILE,
    Axis,
    Blocks,
    KernelText,
    Request,
    Scope,
    Tile,
    Unsupported,
    Where,
    address_type,
    map_text,
)


class KernelWriter:
    """Writes the text of one kernel."""

    def __init__(
        self,
        name: str,
        graph: Graph,
        roots: Sequence[Node],
        kept: frozenset[Node],
        blocks: Blocks,
        sizes: Sizes | None = None,
    ) -> None:
        self.graph = graph
        self.sizes = sizes or graph.sizes
        self.roots = tuple(roots)
        self.kept = kept
        self.blocks = blocks
        self.scopes = [Scope()]
        self.count = 0
        self.tensors: dict[Node, str] = {}
        self.axes: dict[str, Axis] = {}
        self.text = KernelText(name, [], [], self.tensors, self.roots, [], None, None, [], blocks)

    def write(self) -> KernelText:
        """The kernel. Raises Unsupported."""
        whole = self._space()
        row, column = self.text.rows, self.text.columns
        requests = [Request(node, self._placed(node, whole), row, column) for node in self.roots]
        self._accumulate(requests)
        values = [self._value(request) for request in requests]
        for request, value in zip(requests, values, strict=True):
            self._store(request, value)
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

    def _index(self, axis: Axis, start: str, lines: list[str]) -> None:
        """The numbers of the elements of a tile along an axis, and which of them there are."""
        around = f"tl.arange(0, BLOCK_{axis.name})"
        lines.append(f"i_{axis.name} = {start + ' + ' if start else ''}{around}")
        if axis.is_ragged:
            lines.append(f"in_{axis.name} = i_{axis.name} < size_{axis.symbol}")

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

    def _shape(self, request: Request) -> str:
        has = {axis.name for axis in request.where if axis}
        return ", ".join(
            f"BLOCK_{axis.name}" if axis and axis.name in has else "1"
            for axis in (request.row, request.column)
        )

    def _accumulate(self, requests: Sequence[Request]) -> None:
        """Computes all sums, maxima and products that values of these requests need."""
        wanted: dict[Request, int] = {}
        for request in requests:
            self._collect(request, wanted, frozenset())
        groups: dict[tuple[int, int, str], list[Request]] = {}
        for request, level in wanted.items():
            if any(request in scope.known for scope in self.scopes):
                continue
            key = (self._loop_of(request.where), level, self._axis_of(request).name)
            groups.setdefault(key, []).append(request)
        for key in sorted(groups):
            group = [one for one in groups[key]
                     if not any(one in scope.known for scope in self.scopes)]  # fmt: skip
            if group:
                self._emit_group(group, self._followers(group, groups, key))

    def _collect(
        self, request: Request, wanted: dict[Request, int], around: frozenset[Axis]
    ) -> int:
        """Finds the accumulators of a value that stand outside of loops over `around`.

        Gives the number of accumulators that have to be known one after the other.
        """
        node = request.node
        if self._is_given(node):
            return 0
        if node.kind == "view":
            return self._collect(self._through_view(request), wanted, around)
        if node.kind == "map":
            return max(self._collect(one, wanted, around) for one in self._operands_of_map(request))
        axis = self._axis_of(request)
        inner = around | {axis}
        level = 1 + max(
            (self._collect(one, wanted, inner) for one in self._operands(request)), default=0
        )
        if around & {a for a in request.where if a}:
            return level - 1
        wanted[request] = max(level, wanted.get(request, 0))
        return level

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

    def _followers(
        self,
        group: list[Request],
        groups: dict[tuple[int, int, str], list[Request]],
        key: tuple[int, int, str],
    ) -> list[Request]:
        """Accumulators that can go in the loop of a maximum which they are relative to."""
        after = (key[0], key[1] + 1, key[2])
        if not self.blocks.online or len(group) != 1 or group[0].node.op != "max":
            return []
        if not self._axis_of(group[0]).block:
            return []
        return [one for one in groups.get(after, []) if self._is_relative(one, group[0])]

    def _is_relative(self, request: Request, largest: Request) -> bool:
        """Whether it sums exp(x - max x), or has that as its left operand."""
        if request.node.op not in ("sum", "matmul"):
            return False
        first = self._operands(request)[0].node
        if request.node.op == "matmul" and first != request.node.inputs[0]:
            return False
        if first.op != "exp" or first.inputs[0].op != "sub":
            return False
        x, m = first.inputs[0].inputs
        return m == largest.node and x == largest.node.inputs[0]

    def _emit_group(self, group: list[Request], followers: list[Request]) -> None:
        """One loop for all accumulators of a group, or one tile if the block is the whole."""
        axis = self._axis_of(group[0])
        base = self._loop_of(group[0].where)
        outer, self.scopes = self.scopes, self.scopes[: base + 1]
        try:
            if not axis.block:
                self._emit_whole(group, axis)
            else:
                self._emit_loop(group, followers, axis)
        finally:
            self.scopes = outer

    def _emit_whole(self, group: list[Request], axis: Axis) -> None:
        scope, first = self.scopes[-1], self.scopes[0]
        is_new = (
            axis not in (self.text.rows, self.text.columns) and ("axis", axis) not in first.known
        )
        if is_new and axis.symbol:
            first.known["axis", axis] = True
            self._index(axis, "", first.lines)
        self._accumulate([one for request in group for one in self._operands(request)])
        loop = len(self.scopes) - 1
        for request in group:
            made, rows, columns = self._contribution(request, axis, loop)
            scope.known[request] = self._narrow(request, Tile(made, rows, columns, loop))

    def _emit_loop(self, group: list[Request], followers: list[Request], axis: Axis) -> None:
        scope = self.scopes[-1]
        base = len(self.scopes) - 1
        every = [*group, *followers]
        names = {request: self._initial(request, base) for request in every}
        body = Scope(scope.trips * -(-axis.size // axis.extent))
        self.text.turns += body.trips
        start = f"at_{axis.name}"
        self._index(axis, start, body.lines)
        self.scopes.append(body)
        self._accumulate([one for request in group for one in self._operands(request)])
        if followers:
            self._rescale(group[0], names, followers, axis)
            self._accumulate([one for request in followers for one in self._operands(request)])
        for request in followers or group:
            self._update(request, names[request][0], axis)
        self.scopes.pop()
        head = f"for {start} in range(0, size_{axis.symbol}, BLOCK_{axis.name}):"
        scope.lines.append(head)
        scope.lines.extend(f"    {line}" for line in body.lines)
        for request, (name, rows, columns) in names.items():
            scope.known[request] = self._narrow(request, Tile(name, rows, columns, base))

    def _narrow(self, request: Request, tile: Tile) -> Tile:
        """A product's tile without the equal rows or columns that `tl.dot` has added."""
        rows, columns = self._extents(request)
        name = tile.name
        if tile.rows != rows:
            name = self._line(tile.loop, f"tl.max({name}, axis=0, keep_dims=True)")
        if tile.columns != columns:
            name = self._line(tile.loop, f"tl.max({name}, axis=1, keep_dims=True)")
        return Tile(name, rows, columns, tile.loop)

    def _initial(self, request: Request, base: int) -> tuple[str, int, int]:
        node = request.node
        shape, rows, columns = self._shape(request), *self._extents(request)
        if node.kind == "dot":
            rows, columns = self._dot_extents(request)
            shape = self._dot_shape(request)
        start = {"max": '-float("inf")', "min": 'float("inf")'}.get(node.op, "0.0")
        name = self._line(base, f"tl.full([{shape}], {start}, tl.float32)", "sum")
        return name, rows, columns

    def _update(self, request: Request, name: str, axis: Axis) -> None:
        """Adds what one turn of the loop contributes."""
        lines = self.scopes[-1].lines
        loop = len(self.scopes) - 1
        if request.node.kind == "dot":
            made, _, _ = self._contribution(request, axis, loop, name)
            lines.append(f"{name} = {made}")
            return
        made, _, _ = self._contribution(request, axis, loop)
        function = {"max": "tl.maximum({0}, {1})", "min": "tl.minimum({0}, {1})"}
        text = function.get(request.node.op, "{0} + {1}").format(name, made)
        lines.append(f"{name} = {text}")

    def _rescale(
        self,
        largest: Request,
        names: dict[Request, tuple[str, int, int]],
        followers: list[Request],
        axis: Axis,
    ) -> None:
        """The new maximum, and what was relative to the old one made relative to it."""
        lines = self.scopes[-1].lines
        loop = len(self.scopes) - 1
        old, rows, columns = names[largest]
        made, _, _ = self._contribution(largest, axis, loop)
        new = self._line(loop, f"tl.maximum({old}, {made})", "max")
        # Nothing is relative to -inf: all scores so far are.
        safe = self._line(loop, f'tl.where({new} == -float("inf"), 0.0, {new})', "max")
        factor = self._line(loop, f"tl.exp({old} - {safe})", "factor")
        for request in followers:
            lines.append(f"{names[request][0]} = {names[request][0]} * {factor}")
        lines.append(f"{old} = {new}")
        self.scopes[-1].known[largest] = Tile(safe, rows, columns, loop)

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
