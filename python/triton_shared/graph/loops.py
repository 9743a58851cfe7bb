"""Loops of a kernel: all accumulators over one axis share one, if they do not need each other."""

from __future__ import annotations

from collections.abc import Sequence

from .contributions import ContributionWriter
from .tiles import Axis, Request, Scope, Tile


class LoopWriter(ContributionWriter):
    """Finds the accumulators that values need, and writes their loops."""

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
        base = len(self.scopes) - 1
        for request, (name, rows, columns) in self._loop(group, followers, axis).items():
            tile = self._narrow(request, Tile(name, rows, columns, base))
            self.scopes[-1].known[request] = tile

    def _loop(
        self, group: list[Request], followers: list[Request], axis: Axis
    ) -> dict[Request, tuple[str, int, int]]:
        """Writes a loop; gives names and sizes of what it has accumulated."""
        scope = self.scopes[-1]
        base = len(self.scopes) - 1
        every = [*group, *followers]
        names = {request: self._initial(request, base) for request in every}
        body = Scope(scope.trips * self._turns(axis))
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
        scope.lines.append(f"for {start} in {self._range(axis)}:")
        scope.lines.extend(f"    {line}" for line in body.lines)
        return names

    def _turns(self, axis: Axis) -> int:
        """How often a loop over an axis runs."""
        return -(-axis.size // axis.extent)

    def _range(self, axis: Axis) -> str:
        """Where the tiles of a loop begin."""
        return f"range(0, size_{axis.symbol}, BLOCK_{axis.name})"

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
        shape, rows, columns = self._accumulator(request)
        start = {"max": '-float("inf")', "min": 'float("inf")'}.get(request.node.op, "0.0")
        name = self._line(base, f"tl.full([{shape}], {start}, tl.float32)", "sum")
        return name, rows, columns

    def _accumulator(self, request: Request) -> tuple[str, int, int]:
        """The shape of an accumulator, as text and in numbers."""
        if request.node.kind == "dot":
            return self._dot_shape(request), *self._dot_extents(request)
        return self._shape(request), *self._extents(request)

    def _update(self, request: Request, name: str, axis: Axis) -> None:
        """Adds what one turn of the loop contributes."""
        loop = len(self.scopes) - 1
        if request.node.kind == "dot":
            made, _, _ = self._contribution(request, axis, loop, name)
            self.scopes[-1].lines.append(f"{name} = {made}")
            return
        made, _, _ = self._contribution(request, axis, loop)
        self._merge(request, name, made)

    def _merge(self, request: Request, name: str, made: str) -> None:
        """Puts something of the same shape to an accumulator."""
        function = {"max": "tl.maximum({0}, {1})", "min": "tl.minimum({0}, {1})"}
        text = function.get(request.node.op, "{0} + {1}").format(name, made)
        self.scopes[-1].lines.append(f"{name} = {text}")

    def _rescale(
        self,
        largest: Request,
        names: dict[Request, tuple[str, int, int]],
        followers: list[Request],
        axis: Axis,
    ) -> None:
        """The new maximum, and what was relative to the old one made relative to it."""
        loop = len(self.scopes) - 1
        old, rows, columns = names[largest]
        made, _, _ = self._contribution(largest, axis, loop)
        safe = self._relative_to(old, made, [names[request][0] for request in followers])
        self.scopes[-1].known[largest] = Tile(safe, rows, columns, loop)

    def _relative_to(self, old: str, made: str, sums: Sequence[str]) -> str:
        """Makes `old` the larger of both, and sums relative to it; gives what they are now to."""
        lines = self.scopes[-1].lines
        loop = len(self.scopes) - 1
        new = self._line(loop, f"tl.maximum({old}, {made})", "max")
        # Nothing is relative to -inf: all scores so far are.
        safe = self._line(loop, f'tl.where({new} == -float("inf"), 0.0, {new})', "max")
        factor = self._line(loop, f"tl.exp({old} - {safe})", "factor")
        for name in sums:
            lines.append(f"{name} = {name} * {factor}")
        lines.append(f"{old} = {new}")
        return safe
