"""How far a right result may be from the reference in f64; no number here is tuned to a kernel.

R is the reference on the inputs in f64, C the same function of torch on the inputs as they are: its
error says how well conditioned the function is. Allowed is the largest of

    4 |C - R| at elements of the same size, and 6 ulp: another order, approximate functions;
    (n + 4) u S for sums of n products whose sizes add up to S, by the reference on ones and on
        absolute values, where these say so;
    sqrt(n) u |R|, for sums along the longest dimension, n, in the type that is computed in.

u is the unit roundoff of the type that the kernel should compute in: f32 for narrower types.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from ..diff.formats import rounding, wide
from ..diff.tolerances import largest_at_size

_APPROXIMATE = 6
_UNITS = {torch.float64: 2.0**-53}
_F32 = 2.0**-24
NARROWER = (
    ("tf32", 2.0**-11), ("f16", 2.0**-11), ("bf16", 2.0**-8), ("f8E4M3FN", 2.0**-4),
)  # fmt: skip
"""Types that a result may look as if it had been computed in, and their unit roundoff."""


@dataclass(frozen=True)
class Expected:
    """One output of the reference."""

    value: torch.Tensor
    """In f64."""
    own: torch.Tensor
    """As torch computes it in the types of the inputs."""
    sizes: torch.Tensor
    terms: torch.Tensor
    longest: int
    """The longest dimension of the inputs."""

    def allowed(self, unit: float = 0.0) -> torch.Tensor:
        """By how much each element may be off; computed with `unit`, if that is given."""
        dtype = self.own.dtype
        out = rounding(dtype)
        error = (wide(self.own) - self.value).abs().nan_to_num(0.0, posinf=0.0)
        size = self.value.abs().nan_to_num(0.0, posinf=0.0)
        u = unit or _UNITS.get(dtype, _F32)
        allowed = 4 * largest_at_size(error, self.value)
        allowed = allowed.maximum(math.sqrt(self.longest) * u * size)
        if bool(((self.sizes >= size) & (self.terms >= 1)).all()):
            sums = (self.terms + 4) * u * self.sizes
            allowed = allowed.maximum(sums.nan_to_num(0.0, posinf=0.0))
        return allowed + _APPROXIMATE * out.ulp(self.value) + 2 * unit * size


def margin(found: torch.Tensor, expected: Expected, unit: float = 0.0) -> torch.Tensor:
    """Per element the part of its bound that the error uses up; infinite where NaNs differ."""
    if not found.dtype.is_floating_point:
        return torch.where(found == expected.own, 0.0, torch.inf).double()
    value, result = expected.value, wide(found)
    # Beyond the range of a narrow type, both overflow.
    target = torch.where(wide(expected.own).isfinite(), value, wide(expected.own))
    error = torch.where(result == target, 0.0, (result - target).abs())
    both_nan = result.isnan() & target.isnan()
    error = torch.where(both_nan, 0.0, error.nan_to_num(torch.inf, posinf=torch.inf))
    return torch.where(error == 0, 0.0, error / expected.allowed(unit))


def looks_like(found: torch.Tensor, expected: Expected) -> str:
    """The narrower type whose bound a result keeps; empty if there is none."""
    for name, unit in NARROWER:
        if unit > rounding(found.dtype).unit and bool((margin(found, expected, unit) <= 1).all()):
            return name
    return ""


def longest(inputs: Sequence[object]) -> int:
    """The longest dimension of the tensors."""
    return max((n for t in inputs if isinstance(t, torch.Tensor) for n in t.shape), default=1)
