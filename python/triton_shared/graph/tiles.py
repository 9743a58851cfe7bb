"""What the text of a kernel is made of: blocks, axes, tiles, and what is asked for.

`kernel_text` writes it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from .ir import Node

DOT = 16
"""No side of an operand of `tl.dot` is shorter: what every version and GPU takes."""
LARGEST_TILE = 1 << 20
"""Elements; Triton has no larger tensors."""


class Unsupported(Exception):
    """These nodes cannot be one kernel; the text says why."""


@dataclass(frozen=True)
class Blocks:
    """How a kernel is cut up: elements per block, powers of two."""

    rows: int = 16
    columns: int = 64
    depth: int = 64
    """Of what loops run over; 0 takes it whole."""
    inner: int = 0
    """Of loops inside of loops."""
    online: bool = False
    """Maxima and what is relative to them go in one loop, which rescales."""
    split: int = 1
    """Programs that share the outermost loop, each a part of it."""
    num_warps: int = 4
    num_stages: int = 3


@dataclass(frozen=True)
class Axis:
    """What one dimension of tiles runs along."""

    name: str
    symbol: str | None
    """Of its size; None for one that is 1."""
    size: int
    block: int
    """Elements per tile; 0 is the whole size, padded."""
    loop: int
    """How many loops are around the values that have it."""
    is_batch: bool = False

    @property
    def extent(self) -> int:
        """Elements per tile, for the size that the text is made for."""
        return self.block or padded(self.size)

    @property
    def is_ragged(self) -> bool:
        """Whether the last tile hangs over."""
        return self.size % self.extent != 0


def padded(size: int) -> int:
    """The next power of two from 16 on."""
    return max(DOT, 1 << (size - 1).bit_length())


@dataclass(frozen=True)
class Tile:
    """A value of the kernel: a variable with two dimensions, of 1 or of an axis."""

    name: str
    rows: int
    columns: int
    loop: int
    dtype: Any = torch.float32
    is_loaded: bool = False
    """Straight from memory: padding is zero."""


Where = tuple[Axis | None, ...]
"""Per dimension of a node the axis it is along; None where there is one element."""


@dataclass(frozen=True)
class Request:
    """A node whose elements are wanted along these axes, in tiles of rows and columns."""

    node: Node
    where: Where
    row: Axis | None
    column: Axis | None


@dataclass
class Scope:
    """The body of the kernel, or of a loop."""

    trips: int = 1
    """How often it runs in one program."""
    lines: list[str] = field(default_factory=list)
    known: dict[Any, Any] = field(default_factory=dict)


@dataclass
class KernelText:
    """A kernel as text, and what a launch of it needs."""

    name: str
    parameters: list[str]
    lines: list[str]
    tensors: dict[Node, str]
    """What it reads and writes, by the name of the parameter."""
    outputs: tuple[Node, ...]
    axes: list[Axis]
    rows: Axis | None
    columns: Axis | None
    batch: list[Axis]
    blocks: Blocks
    flops: float = 0.0
    bytes: float = 0.0
    """Moved by loads and stores, those of a cache too."""
    programs: int = 1
    turns: int = 0
    """Of all loops of one program."""
    uses_libdevice: bool = False
    split_axis: Axis | None = None
    """Over which parts run, if this is one of the two kernels of a split loop."""
    floats: str = ""
    """How many numbers a part leaves."""


def address_type(dtype: Any) -> str:
    """Triton's word for a type."""
    return "tl." + str(dtype).removeprefix("torch.")


def map_text(node: Node, names: Sequence[str]) -> str:
    """The expression of an element by element operation on f32."""
    values = {name: number(value) for name, value in node.attributes}
    return node.row.triton.format(*names, **values)


def number(value: Any) -> str:
    """A constant as Python reads it."""
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(float(value)) if value >= 0 else f"({float(value)!r})"
