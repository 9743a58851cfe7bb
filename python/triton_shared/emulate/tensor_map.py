"""Descriptions of tensors for copies by TMA, as a launch passes them in 128 bytes.

The form is the emulator's own: what a driver makes of the same facts is not known outside of it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import torch

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

        def five(numbers: list[int]) -> list[int]:
            numbers = numbers[::-1]
            return numbers + [0] * (5 - len(numbers))

        size = self.tensor.itemsize
        head = (MAGIC, self.tensor.dim(), ord(_LETTERS[self.tensor.dtype]))
        layout = (list(SWIZZLES).index(self.swizzle), self.is_filled_with_nan)
        strides = five([stride * size for stride in self.tensor.stride()])
        sizes = [*five(list(self.tensor.shape)), *five(list(self.box))]
        held = struct.pack("=IBBBBQ10I5Q", *head, *layout, self.tensor.data_ptr(), *sizes, *strides)
        return held.ljust(128, b"\0")
