"""Graphs of one thread block, as Mirage writes them, as kernels of this package.

A thread block of the grid has a tile of each input: `input_map` says which dimension each axis of
the grid divides (-1: none, every block has all of it), `forloop_dim` which one the loop divides.
What blocks and turns compute together is a graph of whole tensors, and that is what is built: the
grid and the loop become the blocks of its kernel. Between a product or a sum over what the loop
divides and `forloop_accum`, a tile is a part of a sum, of which only sums and multiples make sense.

The grid may divide what is summed over, too: blocks leave their parts of the sum one after another
along the last dimension (`Parts`), and a second thread block adds them up. Both are one kernel with
a split loop (`Blocks.split`), which is cut into two again.

A maximum over what the loop divides grows from turn to turn. Powers relative to it are scaled down
again by `forloop_accum_rescale`, so what all turns make is relative to the last one, which is the
maximum of the whole: that is what is built, and its kernel rescales in the loop, too.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .ir import GraphError, Node, make
from .operations import TABLE
from .tiles import DOT, Blocks

SPREAD = 1
"""In the place of a dimension: an axis of the grid whose blocks have parts of a sum."""
ACCUMULATIONS = (None, "sum", "mean", "rms", "sum_todimx", "max")
_OF_PARTS = ("add", "sub", "neg", "mul_scalar")
"""What may be done to parts of a sum."""


@dataclass(frozen=True)
class Parts:
    """What blocks leave of a sum, one after the other along the last dimension."""

    node: Node
    """The sum."""
    count: int
    blocks: Blocks

    @property
    def shape(self) -> tuple[int, ...]:
        """Of all parts together."""
        return (*self.node.shape[:-1], self.node.shape[-1] * self.count)


@dataclass(frozen=True)
class Tile:
    """A tensor in shared memory: what all blocks and turns have of it, and how it is divided."""

    node: Node
    grid: tuple[int, int, int]
    """Per axis of the grid the dimension that it divides, counted from the end; 0 if none."""
    loop: int
    """The dimension that the loop divides, counted from the end; 0 if none."""
    is_part: bool = False
    """Whether each turn has a part of a sum."""
    maximum: Node | None = None
    """What it is relative to, as far as the turns before have found it."""
    parts: Parts | None = None
    """That have yet to be added up."""


@dataclass(frozen=True)
class Growth:
    """By how much a maximum has grown in a turn, or the power of it by which sums are scaled."""

    maximum: Node
    is_power: bool = False


@dataclass(frozen=True)
class Joined:
    """Tiles one after the other along a dimension, counted from the end."""

    tiles: tuple[Tile, ...]
    dim: int


class ThreadblockGraph:
    """What a thread block does, in a loop and after it. Raises GraphError for what no block can."""

    def __init__(
        self, grid_dim: Sequence[int], block_dim: Sequence[int], forloop_range: int = 1,
        reduction_dimx: int = 64,
    ) -> None:  # fmt: skip
        if len(grid_dim) != 3 or min(grid_dim) < 1 or forloop_range < 1:
            raise GraphError(f"a grid has three sizes from 1 on, and a loop has turns: {grid_dim}")
        self.grid_dim = tuple(grid_dim)
        self.block_dim = tuple(block_dim)
        self.forloop_range = forloop_range
        self.reduction_dimx = reduction_dimx
        self.inputs: list[Node | Parts] = []
        self.outputs: list[Tile] = []
        self._depth = 0
        self._is_online = False

    def new_input(
        self, dtensor: Node | Parts, input_map: Sequence[int], forloop_dim: int = -1
    ) -> Tile:
        """The tile of a tensor that a block has in a turn."""
        rank = len(dtensor.shape)
        for axis, dim in enumerate(input_map):
            self._check_divides(dtensor, dim, self.grid_dim[axis])
        self._check_divides(dtensor, forloop_dim, self.forloop_range)
        self.inputs.append(dtensor)
        if forloop_dim >= 0:
            blocks = math.prod(
                n for n, dim in zip(self.grid_dim, input_map, strict=True) if dim == forloop_dim
            )
            turn = dtensor.shape[forloop_dim] // self.forloop_range // blocks
            self._depth = max(self._depth, turn)
        x, y, z = (dim - rank if dim >= 0 else 0 for dim in input_map)
        loop = forloop_dim - rank if forloop_dim >= 0 else 0
        if isinstance(dtensor, Node):
            return Tile(dtensor, (x, y, z), loop)
        return Tile(dtensor.node, (x, y, z), loop, parts=dtensor)

    def _check_divides(self, tensor: Node | Parts, dim: int, parts: int) -> None:
        if not -1 <= dim < len(tensor.shape) or (dim >= 0 and tensor.shape[dim] % parts):
            raise GraphError(f"{parts} parts of dimension {dim} of {tensor} are not equal")

    def matmul(self, a: Tile | Joined, b: Tile | Joined) -> Tile:
        """Products of tiles; over what the loop divides, parts of a sum.

        What is joined along the dimension that a product sums over is a sum of products.
        """
        if isinstance(a, Joined) and isinstance(b, Joined):
            if (a.dim, b.dim, len(a.tiles)) != (-1, -2, len(b.tiles)):
                raise GraphError("a product takes what is joined along columns by what is by rows")
            products = map(self.matmul, a.tiles, b.tiles)
            return functools.reduce(lambda x, y: self._map("add", x, y), products)
        self._check_tiles(a, b)
        assert isinstance(a, Tile)
        assert isinstance(b, Tile)
        if (a.is_part and (b.is_part or b.loop)) or (b.is_part and a.loop):
            self._check_whole(a, b)
        if (a.loop == -1) != (b.loop == -2):
            raise GraphError("the loop divides only one of the dimensions that a product sums over")
        grids = [
            (SPREAD, SPREAD) if dims == (-1, -2) else dims
            for dims in zip(a.grid, b.grid, strict=True)
        ]
        if any(x == -1 or y == -2 for x, y in grids):
            raise GraphError("the grid divides only one of the dimensions that a product sums over")
        if SPREAD in a.grid and SPREAD in b.grid:
            self._check_whole(a, b)
        # Batches have one number more in front, so the dimensions are counted from the end.
        grid = tuple(self._common(dims) for dims in grids)
        outer = {loop for loop in (a.loop, b.loop) if loop} - {-1 if a.loop == -1 else 0}
        loop = 0 if a.loop == -1 else next(iter(outer), 0)
        is_part = a.loop == -1 or a.is_part or b.is_part
        made = Tile(make("matmul", (a.node, b.node)), grid, loop, is_part)  # type: ignore[arg-type]
        return replace(made, maximum=_relative(a, b))

    def concat(self, a: Tile | Joined, b: Tile | Joined, dim: int) -> Joined:
        """Tiles one after the other along a dimension, to be multiplied with others that are."""
        tiles: list[Tile] = []
        for x in (a, b):
            some = x.tiles if isinstance(x, Joined) else (x,)
            dim = dim - len(some[0].node.shape) if dim >= 0 else dim
            if isinstance(x, Joined) and x.dim != dim:
                raise GraphError("tiles are joined along one dimension")
            tiles += some
        self._check_tiles(*tiles)
        if any(dim in tile.grid for tile in tiles):
            raise GraphError("the grid divides what is joined")
        return Joined(tuple(tiles), dim)

    def _clash(self) -> int:
        raise GraphError("an axis of the grid divides two dimensions of a result")

    def _check_tiles(self, *tiles: Any) -> None:
        if any(isinstance(tile, Tile) and tile.parts for tile in tiles):
            raise GraphError("parts that blocks have left are added up by forloop_accum, first")
        if any(isinstance(tile, Joined) for tile in tiles):
            raise GraphError("what is joined goes into a product with what is joined, no further")
        if any(isinstance(tile, Growth) for tile in tiles):
            raise GraphError("how a maximum has grown goes into exp, then forloop_accum_rescale")

    def _check_whole(self, *tiles: Tile) -> None:
        self._check_tiles(*tiles)
        if any(tile.is_part for tile in tiles):
            raise GraphError("each turn has only a part of this sum: forloop_accum makes it whole")
        if any(SPREAD in tile.grid for tile in tiles):
            raise GraphError("each block has only a part of this sum: another thread block adds up")

    def _map(self, op: str, *tiles: Tile, **attributes: Any) -> Tile:
        self._check_tiles(*tiles)
        if op not in _OF_PARTS:
            self._check_whole(*tiles)
        are_spread = {tuple(dim == SPREAD for dim in tile.grid) for tile in tiles}
        if len({tile.is_part for tile in tiles}) > 1 or len(are_spread) > 1:
            raise GraphError("parts of a sum meet what is whole: forloop_accum makes them whole")
        node = make(op, tuple(tile.node for tile in tiles), **attributes)
        grid = tuple(self._common([tile.grid[axis] for tile in tiles]) for axis in range(3))
        loop = self._common([tile.loop for tile in tiles])
        made = Tile(node, grid, loop, tiles[0].is_part)  # type: ignore[arg-type]
        return replace(made, maximum=_relative(*tiles))

    def _common(self, dims: Sequence[int]) -> int:
        found = {dim for dim in dims if dim}
        return self._clash() if len(found) > 1 else next(iter(found), 0)

    def reduction(self, x: Tile, dim: int) -> Tile:
        """The sum over a dimension of a tile; over what the loop divides, a part of a sum."""
        self._check_whole(x)
        dim = dim - len(x.node.shape) if dim >= 0 else dim
        loop = 0 if x.loop == dim else x.loop
        made = Tile(make("sum", (x.node,), dim=dim), _spread(x.grid, dim), loop, x.loop == dim)
        return replace(made, maximum=x.maximum)

    def reduction_max(self, x: Tile, dim: int) -> tuple[Tile, Growth]:
        """The largest element of a dimension so far, and by how much this turn has changed it."""
        self._check_whole(x)
        dim = dim - len(x.node.shape) if dim >= 0 else dim
        if dim in x.grid:
            raise GraphError("the grid divides what a maximum runs over")
        node = make("max", (x.node,), dim=dim)
        if x.loop != dim:
            return Tile(node, x.grid, x.loop), Growth(node)
        self._is_online = True
        return Tile(node, x.grid, 0, maximum=node), Growth(node)

    def exp(self, x: Tile | Growth) -> Any:
        """Powers of e; of how a maximum has grown, what `forloop_accum_rescale` wants."""
        if isinstance(x, Growth) and not x.is_power:
            return replace(x, is_power=True)
        return self._map("exp", x)  # type: ignore[arg-type]

    def rms_norm(self, x: Tile, eps: float = 0.0) -> Tile:
        """Rows divided by the root of their mean square; each tile has whole rows."""
        self._check_whole(x)
        if -1 in x.grid or x.loop == -1:
            raise GraphError("the grid or the loop divides the rows that are normalized")
        return replace(x, node=make("rms_norm", (x.node,), eps=eps))

    def mul_scalar(self, x: Tile, value: float) -> Tile:
        """Products with a number."""
        return self._map("mul_scalar", x, value=float(value))

    def clamp(self, x: Tile, min_val: float, max_val: float) -> Tile:
        """Elements no smaller and no larger than these."""
        return self._map("clamp", x, low=float(min_val), high=float(max_val))

    def forloop_accum(self, x: Tile, acc: str | None = None) -> Tile:
        """What all turns make together.

        Of parts of a sum, the sum. Of a tile that the loop divides along its last dimension: `sum`
        (and `sum_todimx`), `mean`, `max` or `rms`, the root of the mean square, of that dimension.
        """
        if acc not in ACCUMULATIONS:
            raise GraphError(f"acc is one of {', '.join(map(str, ACCUMULATIONS))}, not '{acc}'")
        if x.parts:
            return self._joined(x, x.parts, acc)
        self._check_tiles(x)
        if x.maximum:
            raise GraphError("turns are relative to different maxima: forloop_accum_rescale")
        if x.is_part:
            if acc not in (None, "sum"):
                raise GraphError(f"parts of a sum are added up, they have no {acc}")
            return Tile(x.node, x.grid, 0)
        is_alone = self.forloop_range == 1
        if is_alone and acc is None:
            return x
        if not is_alone and (x.loop != -1 or acc is None):
            raise GraphError(
                "turns of what no product or sum has added up would be added element by element: "
                'say what of the last dimension is wanted, as forloop_accum(x, "sum")'
            )
        if -1 in x.grid and acc != "sum":
            raise GraphError("the grid divides what is added up")
        assert acc
        node = x.node
        if acc == "rms":
            node = make("sqrt", (make("mean", (make("square", (node,)),), dim=-1),))
        else:
            node = make(acc.removesuffix("_todimx"), (node,), dim=-1)
        return Tile(node, _spread(x.grid, -1), 0)

    def _joined(self, x: Tile, parts: Parts, acc: str | None) -> Tile:
        width = parts.node.shape[-1]
        if (acc, width) not in (("sum_todimx", self.reduction_dimx), ("sum", 1)):
            raise GraphError(
                f"parts of {width} columns are added up by forloop_accum(x, 'sum_todimx') with a "
                "reduction_dimx of so many, and those of one column by 'sum'"
            )
        if -1 in x.grid:
            raise GraphError("the grid divides what is added up")
        return Tile(x.node, x.grid, 0)

    def forloop_accum_rescale(self, x: Tile, rescale: Growth, acc: str | None = None) -> Tile:
        """What all turns make together of powers relative to a maximum, relative to the last one.

        `rescale` is exp of how `reduction_max` has found it to grow.
        """
        self._check_tiles(x)
        if not isinstance(rescale, Growth) or not rescale.is_power:
            raise GraphError("sums are scaled by exp of how a maximum has grown")
        if not _is_scaled(x.node, rescale.maximum):
            raise GraphError(
                "only exp(x - maximum), and products and sums of it, are scaled as maximum grows"
            )
        return self.forloop_accum(replace(x, maximum=None), acc)

    def forloop_accum_max(self, x: Tile) -> Tile:
        """The maximum after all turns."""
        if x.maximum is None or x.node != x.maximum:
            raise GraphError("forloop_accum_max takes the maximum that reduction_max gives")
        return replace(x, maximum=None)

    def new_output(self, stensor: Tile, output_map: Sequence[int]) -> None:
        """A tile that blocks leave in memory; `output_map` says how the whole is put together.

        Parts of a sum lie one after the other along the last dimension.
        """
        whole = tuple(0 if dim == SPREAD else dim for dim in stensor.grid)
        self._check_whole(replace(stensor, grid=whole))  # type: ignore[arg-type]
        if stensor.loop or stensor.maximum:
            raise GraphError("a result is left after the loop: forloop_accum comes first")
        rank = len(stensor.node.shape)
        wanted = tuple(dim - rank if dim >= 0 else 0 for dim in output_map)
        for axis, (dim, known) in enumerate(zip(wanted, stensor.grid, strict=True)):
            has = -1 if known == SPREAD else known
            if dim != has and self.grid_dim[axis] > 1:
                raise GraphError(
                    f"axis {axis} of the grid divides dimension {has + rank if has else -1} of the "
                    f"result, not {output_map[axis]}"
                )
        self.outputs.append(stensor)

    def results(self) -> list[Node | Parts]:
        """The outputs as tensors, or as parts of them."""
        counts = [
            math.prod(n for n, dim in zip(self.grid_dim, tile.grid, strict=True) if dim == SPREAD)
            for tile in self.outputs
        ]
        return [
            Parts(tile.node, count, self.blocks()) if SPREAD in tile.grid else tile.node
            for tile, count in zip(self.outputs, counts, strict=True)
        ]

    def blocks(self) -> Blocks:
        """The grid and the loop as blocks of a kernel, padded as products need it.

        What adds up parts is the second half of a kernel with the blocks of the first.
        """
        split = [one for one in self.inputs if isinstance(one, Parts)]
        if split:
            return replace(split[0].blocks, split=split[0].count)
        shape = self.outputs[0].node.shape
        sizes = {-1: shape[-1] if shape else 1, -2: shape[-2] if len(shape) > 1 else 1}
        for axis, dim in enumerate(self.outputs[0].grid):
            if dim in sizes:
                sizes[dim] //= self.grid_dim[axis]
        depth = _power(self._depth) if self.forloop_range > 1 else 0
        return Blocks(_power(sizes[-2]), _power(sizes[-1]), depth, online=self._is_online)

    def __getattr__(self, name: str) -> Any:
        row = TABLE.get(name)
        if row is None or row.kind != "map" or "{value}" in row.meaning or "{low}" in row.meaning:
            raise AttributeError(f"a thread block has no '{name}'; docs/graph.md lists what it has")
        return lambda *tiles: self._map(name, *tiles)


def _spread(grid: tuple[int, int, int], dim: int) -> tuple[int, int, int]:
    """After a sum over a dimension."""
    x, y, z = (SPREAD if one == dim else one for one in grid)
    return x, y, z


def _relative(*tiles: Tile) -> Node | None:
    """What a result of these is relative to. Raises GraphError for two maxima."""
    found = {tile.maximum for tile in tiles if tile.maximum}
    if len(found) > 1:
        raise GraphError("tiles are relative to two maxima")
    return next(iter(found), None)


def _is_scaled(node: Node, maximum: Node) -> bool:
    """Whether a larger maximum makes all elements smaller by one factor for each of its own."""
    if node.op == "exp":
        (x,) = node.inputs
        is_relative = x.op == "sub" and x.inputs[1] == maximum
        return is_relative and not _depends(x.inputs[0], maximum)
    scaled = [_is_scaled(operand, maximum) for operand in node.inputs]
    depends = [_depends(operand, maximum) for operand in node.inputs]
    dim = maximum.named["dim"]
    if node.op in ("matmul", "mul", "div"):
        first = depends == [True, False] and (node.op != "matmul" or dim == -1)
        second = depends == [False, True] and (node.op != "matmul" or dim == -2)
        return (first and scaled[0]) or (second and scaled[1] and node.op != "div")
    if node.op == "sum":
        return scaled[0] and node.named["dim"] == dim
    return bool(scaled) and all(scaled) and node.op in ("add", "sub", "neg", "mul_scalar")


def _depends(node: Node, other: Node) -> bool:
    return node == other or any(_depends(operand, other) for operand in node.inputs)


def _power(size: int) -> int:
    return max(DOT, 1 << (size - 1).bit_length())
