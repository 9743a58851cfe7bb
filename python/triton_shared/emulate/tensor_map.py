"""Descriptions of tensors for copies by TMA, as a launch passes them in 128 bytes.

The form is the emulator's own: what a driver makes of the same facts is not known outside of it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..cuda.tensor_map import MOST_OF_LAUNCH, Recipe

MAGIC = 0x544D4150
"""What the bytes begin with, so that others are found."""
SWIZZLES = {"none": 16, "32": 32, "64": 64, "128": 128}
"""Bytes that a row of a box may have, but for `none`."""
_LETTERS = {
    torch.uint8: "B", torch.int8: "B", torch.float8_e4m3fn: "B", torch.float8_e5m2: "B",
    torch.uint16: "H", torch.int16: "H", torch.float16: "h", torch.bfloat16: "b",
    torch.uint32: "I", torch.int32: "i", torch.float32: "f",
    torch.uint64: "L", torch.int64: "l", torch.float64: "d",
}  # fmt: skip
"""As tma.c has them."""
_ELEMENTS = {
    "f16": ("h", 2), "bf16": ("b", 2), "f32": ("f", 4), "f64": ("d", 8), "i16": ("H", 2),
    "i32": ("i", 4), "i64": ("l", 8),
}  # fmt: skip
"""The same and sizes, by MLIR's words; all others are bytes."""
_SWIZZLE_BYTES = (0, 32, 64, 128)


@dataclass(frozen=True)
class TensorMap:
    """A tensor and the boxes that a kernel copies, as `cuTensorMapEncodeTiled` takes them.

    Dimensions are in the order of the tensor: the last one is that of neighbours.
    """

    tensor: torch.Tensor
    box: tuple[int, ...]
    swizzle: str = "none"
    is_filled_with_nan: bool = False
    """What lies outside of the tensor; else zeros."""

    def __post_init__(self) -> None:
        size, rank = self.tensor.itemsize, self.tensor.dim()
        row = self.box[-1] * size
        strides = [stride * size for stride in self.tensor.stride()]
        if len(self.box) != rank or not 1 <= rank <= 5:
            raise ValueError(f"a box of {len(self.box)} dimensions in a tensor of {rank}")
        if self.tensor.stride()[-1] != 1 or any(stride % 16 for stride in strides[:-1]):
            raise ValueError(f"strides of {strides} bytes, of which TMA takes multiples of 16")
        if self.tensor.data_ptr() % 16 or row % 16 or not all(0 < n <= 256 for n in self.box):
            raise ValueError(f"boxes of {self.box} elements, {row} bytes a row")
        if self.swizzle != "none" and row != SWIZZLES[self.swizzle]:
            raise ValueError(f"rows of {row} bytes with a swizzle of {self.swizzle}")

    def encode(self) -> bytes:
        """The bytes that a kernel gets."""
        size = self.tensor.itemsize
        return _encode(
            _LETTERS[self.tensor.dtype],
            self.tensor.data_ptr(),
            self.tensor.shape,
            [stride * size for stride in self.tensor.stride()],
            self.box,
            list(SWIZZLES).index(self.swizzle),
            self.is_filled_with_nan,
        )


def encode_recipe(
    recipe: Recipe, arguments: Sequence[Any], may_be_missing: bool = False
) -> bytes | None:
    """The bytes for a kernel's own tensor map, as its launch makes them; none if TMA cannot do with
    the numbers. Pointers are tensors or addresses."""
    letter, size = _ELEMENTS.get(recipe.element, ("B", 1))
    base = arguments[recipe.base]
    address = base.data_ptr() if isinstance(base, torch.Tensor) else int(base)
    sizes = [number.of(arguments) for number in recipe.sizes]
    strides = [number.of(arguments) * size for number in recipe.strides]
    if not address or address % 16 or not all(1 <= n <= 1 << 32 for n in sizes):
        return None
    if may_be_missing and any(
        number.argument is not None and number.of(arguments) > MOST_OF_LAUNCH
        for number in recipe.sizes
    ):
        return None
    if not all(0 <= stride < 1 << 40 and stride % 16 == 0 for stride in strides[:-1]):
        return None
    if size == 1 and recipe.is_nan_outside.of(arguments):
        return None
    # No coordinate, which has 32 bits, is beyond these sizes.
    sizes = [min(n, (1 << 32) - 1) for n in sizes]
    swizzle = _SWIZZLE_BYTES.index(recipe.swizzle)
    fills = recipe.is_nan_outside.of(arguments) != 0
    return _encode(letter, address, sizes, strides, recipe.box, swizzle, fills)


def _encode(
    letter: str,
    address: int,
    sizes: Sequence[int],
    strides: Sequence[int],
    box: Sequence[int],
    swizzle: int,
    fills: bool,
) -> bytes:
    """`strides` are in bytes, `swizzle` is the number of a mode."""

    def five(numbers: Sequence[int]) -> list[int]:
        turned = list(numbers)[::-1]
        return turned + [0] * (5 - len(turned))

    numbers = [*five(sizes), *five(box), *five(strides)]
    head = (MAGIC, len(sizes), ord(letter), swizzle, fills, address)
    return struct.pack("=IBBBBQ10I5Q", *head, *numbers).ljust(128, b"\0")
