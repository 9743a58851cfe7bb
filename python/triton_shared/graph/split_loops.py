"""A loop that several programs share: each has a part of it, a second kernel joins the parts.

Results of few rows have few tiles, and a long loop behind each. Such a loop is cut into `split`
parts. The first kernel ("parts") leaves each part's accumulators in memory, tile by tile, so that
it needs no masks there; the second one ("join") has their sum, or what else they are, in the place
of the loop, and goes on as the kernel would have. Parts that a maximum has made relative are made
relative to the largest. The order of sums does not depend on which program is first.
"""

from __future__ import annotations

from .loops import LoopWriter
from .tiles import Axis, Request, Scope, Unsupported

MEMORY = "partial"
"""The parameter for what the parts leave."""

Names = dict[Request, tuple[str, int, int]]


class PartsWritten(Exception):
    """All that a kernel of parts does stands in its text."""


class SplitWriter(LoopWriter):
    """Writes the outermost loop, or what takes its place in one of two kernels."""

    def _is_split(self) -> bool:
        return bool(self.half) and len(self.scopes) == 1

    def _turns(self, axis: Axis) -> int:
        turns = super()._turns(axis)
        return -(-turns // self.blocks.split) if self._is_split() else turns

    def _range(self, axis: Axis) -> str:
        if not self._is_split():
            return super()._range(axis)
        size, block = f"size_{axis.symbol}", f"BLOCK_{axis.name}"
        lines = self.scopes[0].lines
        lines.append(f"span = tl.cdiv(tl.cdiv({size}, {block}), {self.blocks.split}) * {block}")
        return f"range(part * span, tl.minimum(part * span + span, {size}), {block})"

    def _loop(self, group: list[Request], followers: list[Request], axis: Axis) -> Names:
        if not self._is_split():
            return super()._loop(group, followers, axis)
        if self.text.split_axis:
            raise Unsupported("two loops one after the other are not split")
        self.text.split_axis = axis
        self.text.parameters.append(MEMORY)
        if self.half == "join":
            return self._join(group, followers)
        names = super()._loop(group, followers, axis)
        self._leave(names)
        raise PartsWritten

    def _places(self, names: Names, slot: str) -> dict[Request, str]:
        """Where a part's accumulators lie, from the number of the part in all programs."""
        offsets, at = {}, ""
        for request, (_, rows, columns) in names.items():
            height, width = self._accumulator(request)[0].split(", ")
            place = f"tl.arange(0, {height})[:, None] * {width} + tl.arange(0, {width})[None, :]"
            offsets[request] = f"{at}{place}"
            at += f"{height} * {width} + "
            self.text.bytes += 4 * rows * columns * self.scopes[-1].trips * self.text.programs
        self.text.floats = at.removesuffix(" + ")
        start = f"{MEMORY} + {slot} * ({self.text.floats})"
        return {request: f"{start} + {offset}" for request, offset in offsets.items()}

    def _leave(self, names: Names) -> None:
        for request, place in self._places(names, "tl.program_id(0)").items():
            self.scopes[0].lines.append(f"tl.store({place}, {names[request][0]})")

    def _join(self, group: list[Request], followers: list[Request]) -> Names:
        names = {request: self._initial(request, 0) for request in (*group, *followers)}
        body = Scope(self.blocks.split)
        self.scopes.append(body)
        places = self._places(names, f"(tl.program_id(0) * {self.blocks.split} + part)")
        made = {r: self._line(1, f"tl.load({place})", "x") for r, place in places.items()}
        if followers:
            largest = group[0]
            sums = [names[request][0] for request in followers]
            safe = self._relative_to(names[largest][0], made[largest], sums)
            factor = self._line(1, f"tl.exp({made[largest]} - {safe})", "factor")
            made = {request: f"{one} * {factor}" for request, one in made.items()}
        for request in followers or group:
            self._merge(request, names[request][0], made[request])
        self.scopes.pop()
        self.text.turns += body.trips
        self.scopes[0].lines.append(f"for part in range(0, {self.blocks.split}):")
        self.scopes[0].lines.extend(f"    {line}" for line in body.lines)
        return names
