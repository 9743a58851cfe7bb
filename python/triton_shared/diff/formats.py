"""The types of elements: torch's, Triton's and their roundings."""

from __future__ import annotations

from dataclasses import dataclass

import torch

TYPES: dict[str, torch.dtype] = {
    name: getattr(torch, name)
    for name in (
        "float64", "float32", "float16", "bfloat16",
        "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
        "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool",
    )
}  # fmt: skip
"""By the name that a recording has for them."""

_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


_OF_TRITON = {
    "fp8e4nv": "float8_e4m3fn", "fp8e5": "float8_e5m2",
    "fp8e4b8": "float8_e4m3fnuz", "fp8e5b16": "float8_e5m2fnuz",
    "fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64",
}  # fmt: skip


def of_triton(word: str, other: str) -> str:
    """The name of a float type of Triton's; `other` if torch has none like it."""
    return _OF_TRITON.get(word, other)


def name_of(dtype: torch.dtype) -> str:
    """The name of a type in a recording."""
    return str(dtype).removeprefix("torch.")


@dataclass(frozen=True)
class Rounding:
    """How a float type rounds."""

    unit: float
    """The largest relative error of one rounding, `u`."""
    smallest: float
    """The distance of two neighbours near zero."""

    def ulp(self, value: torch.Tensor) -> torch.Tensor:
        """The distance from each value (in f64) to its neighbour in the type."""
        mantissa, _ = torch.frexp(value)
        # The largest power of two in it: exact, where ldexp goes through f32.
        power = value / (2 * mantissa)
        return (power * (2 * self.unit)).nan_to_num(posinf=0.0).clamp_min(self.smallest)


def rounding(dtype: torch.dtype) -> Rounding:
    """Of a float type."""
    info = torch.finfo(dtype)
    return Rounding(info.eps / 2, info.smallest_normal * info.eps)


def bits(values: torch.Tensor) -> torch.Tensor:
    """The same memory as integers."""
    return values.view(_BITS[values.element_size()])


def ulp_distance(a: torch.Tensor, b: torch.Tensor) -> int:
    """How many steps from neighbour to neighbour lead from one float to the other."""

    def place(value: torch.Tensor) -> int:
        width = 8 * value.element_size()
        pattern: int = int(bits(value).item()) & ((1 << width) - 1)
        sign = 1 << (width - 1)
        return sign - pattern if pattern & sign else pattern

    return abs(place(a) - place(b))


def wide(values: torch.Tensor) -> torch.Tensor:
    """In f64; what torch cannot convert directly, by way of f32."""
    if values.dtype.is_floating_point and values.element_size() == 1:
        return values.float().double()
    return values.double()
