"""Floats as integers of 64 bits in which sums and products wrap.

The pass `triton-exact-floats` computes with these (lib/Transforms/Validation/RingArithmetic.h). A
whole number up to 2^53 is itself; any other float is an odd number, scrambled from its bits in f64,
so that it is the same whatever type it is stored in. The negative of a float is that of its number.
"""

from __future__ import annotations

import torch

_WHOLE = 2.0**53
_FIRST, _SECOND = (
    number - (1 << 64) for number in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)  # The finaliser of SplitMix64, as signed integers.


def embed(values: torch.Tensor) -> torch.Tensor:
    """The numbers that stand for floats, given in f64."""
    size = values.abs()
    size = torch.where(values.isnan(), torch.full_like(values, torch.nan), size)
    is_whole = (size <= _WHOLE) & (size == size.floor())
    whole = torch.where(is_whole, size, 0.0).to(torch.int64)
    canonical = torch.where(values.isnan(), torch.tensor(0x7FF8 << 48), size.view(torch.int64))
    number = torch.where(is_whole, whole, _mix(canonical) | 1)
    return torch.where((values < 0), -number, number)


def _mix(a: torch.Tensor) -> torch.Tensor:
    a = _fold(a, 30) * _FIRST
    a = _fold(a, 27) * _SECOND
    return _fold(a, 31)


def _fold(a: torch.Tensor, bits: int) -> torch.Tensor:
    return a ^ ((a >> bits) & ((1 << (64 - bits)) - 1))
