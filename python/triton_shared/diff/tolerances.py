"""How far apart two right results may be: no number here is tuned to a kernel.

u is the unit roundoff of a type, the largest relative error of one rounding. From the strictest:

exact        Integers, and kernels that round no float: every bit, but for the sign of zero.
stated       The case says value and bound of each element, for operands that are not rounded.
accumulated  Sums of products with plus signs alone. Of n terms whose sizes add up to S, a sum is
             off by (n + 4) u S at most, in whatever order; tf32 operands add 2^-10 S, a narrower
             result half its ulp. The kernel computes n and S in f64: on ones, on absolute values.
             Hopper cuts off products of 8-bit floats 13 bits below the largest: u is 2^-13 there.
reference    Anything else that also runs in f64. The CPU leg's own error there, at elements of the
             same size, times 4, and 2 ulp, and what approximate functions of a GPU may be off. If
             it has lost half of its digits, and the other is 1024 times closer, it is wrong itself.
steps        What does not run in f64 either: one ulp per rounding that the kernel writes down, and
             what approximate functions may be off.

A GPU computes e^x as 2^(x log2 e), in f32. The product is rounded, and so is log2 e: x log2 e is
off by 2 u of its size at most, and the result v by 2 u |log2(v)| ln 2 of its own size.

derived, which has to be asked for, takes the place of the last three: the kernel computes in f64
beside each number how far off it may be (`triton-derive-bounds`), in whatever order it sums.

NaNs must lie in the same places, infinities too and with the same sign. A bound that is used is
named in the report, with its margin; nothing widens it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch

from .census import Census
from .formats import TYPES, rounding

_UNITS = {
    "f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8,
    "f8E4M3FN": 2.0**-4, "f8E4M3FNUZ": 2.0**-4, "f8E4M3B11FNUZ": 2.0**-4,
    "f8E5M2": 2.0**-3, "f8E5M2FNUZ": 2.0**-3,
}  # fmt: skip

_TF32 = 2.0**-11
_SMALL_PRODUCTS = 2.0**-13
_FACTOR = 4
FAR = 1024
"""How many times further off than the other a side is that cannot be right, too."""
_FEW = 32
"""Elements of one size that are enough to know the error at that size."""


@dataclass(frozen=True)
class Reference:
    """A tensor as the kernel leaves it in f64, and what its terms add up to."""

    value: torch.Tensor
    sizes: torch.Tensor | None = None
    terms: torch.Tensor | None = None
    derived: torch.Tensor | None = None
    """How far off each element may be, by the kernel's own operations; not finite if unknown."""


@dataclass(frozen=True)
class Bound:
    """What is right, per element, and how far off either side may be."""

    policy: str
    value: torch.Tensor
    """In f64."""
    allowed: torch.Tensor
    is_for_both: bool
    """Whether it holds for any right result; else the first side is what it is taken from."""
    instead: str = ""
    """For elements that have no derived bound: the policy that theirs is from."""
    underived: int = 0
    """How many these are."""


def choose(
    left: torch.Tensor,
    dtype: str,
    census: Census,
    reference: Reference | None,
    stated: tuple[torch.Tensor, torch.Tensor] | None,
    right: torch.Tensor | None = None,
) -> Bound:
    """The strictest bound that holds; `left` and `right` are the two sides in f64."""
    if not TYPES[dtype].is_floating_point or census.is_exact:
        return Bound("exact", left, torch.zeros_like(left), is_for_both=True)
    if stated and not census.has_tf32:
        return Bound("stated", *stated, is_for_both=True)
    bound = _choose_rounded(left, dtype, census, reference, right)
    if reference and reference.derived is not None:
        return _derived(left, bound, reference.value, reference.derived)
    return bound


def _derived(
    left: torch.Tensor, chosen: Bound, value: torch.Tensor, derived: torch.Tensor
) -> Bound:
    """What the kernel's operations allow; where that is not known, what `chosen` does."""
    known = derived.isfinite()
    if not bool(known.any()):
        return chosen
    else_allowed = torch.where(chosen.allowed.isnan(), torch.inf, chosen.allowed)
    return Bound(
        "derived",
        torch.where(known | value.isfinite(), value, left),
        torch.where(known, derived, else_allowed),
        is_for_both=True,
        instead=chosen.policy,
        underived=int((~known).sum()),
    )


def _choose_rounded(
    left: torch.Tensor,
    dtype: str,
    census: Census,
    reference: Reference | None,
    right: torch.Tensor | None,
) -> Bound:
    if reference and census.is_sum_of_products:
        bound = _accumulated(dtype, census, reference)
        if bound:
            return bound
    if reference:
        if right is not None and _is_wrong(left, right, dtype, reference.value):
            bound = _by_reference(right, dtype, census, reference.value)
            return replace(bound, is_for_both=True)
        return _by_reference(left, dtype, census, reference.value)
    steps = sum(census.counts.values()) + census.approximation + 1
    allowed = steps * rounding(TYPES[dtype]).ulp(left) + census.absolute
    allowed += _exponentials(census, left)
    return Bound("steps", left, allowed, is_for_both=False)


def _accumulated(dtype: str, census: Census, reference: Reference) -> Bound | None:
    sizes, terms = reference.sizes, reference.terms
    if sizes is None or terms is None:
        return None
    # A constant that is no term, or a value that is selected, is no sum of products.
    if not bool(((sizes >= reference.value.abs()) & (terms >= 0)).all()):
        return None
    unit = max(_UNITS[name] for name in census.types)
    if census.has_small_products:
        unit = max(unit, _SMALL_PRODUCTS)
    relative = (terms + 4) * unit + (2 * _TF32 if census.has_tf32 else 0)
    out = rounding(TYPES[dtype])
    allowed = relative * sizes + out.unit * reference.value.abs() + out.smallest
    return Bound("accumulated", reference.value, allowed, is_for_both=True)


def _by_reference(left: torch.Tensor, dtype: str, census: Census, value: torch.Tensor) -> Bound:
    ulp = rounding(TYPES[dtype]).ulp(value)
    own = largest_at_size((left - value).abs().nan_to_num(0.0, posinf=0.0), value)
    allowed = _FACTOR * own + (2 + census.approximation) * ulp + census.absolute
    allowed += _exponentials(census, value)
    return Bound("reference", value, allowed, is_for_both=False)


def _exponentials(census: Census, value: torch.Tensor) -> torch.Tensor:
    """What exponentials may be off for the size of their arguments."""
    size = value.abs()
    error = census.exponentials * 2 * _UNITS["f32"] * math.log(2) * size.log2().abs() * size
    return error.nan_to_num(nan=0.0, posinf=0.0)


def _is_wrong(left: torch.Tensor, right: torch.Tensor, dtype: str, value: torch.Tensor) -> bool:
    """Whether the first side is too far off to say how exact a right result is."""
    if value.numel() == 0:
        return False
    error, other = ((side - value).abs().nan_to_num(math.inf).max() for side in (left, right))
    largest = value.abs().nan_to_num(0.0, posinf=0.0).max()
    out = rounding(TYPES[dtype])
    lost = math.sqrt(out.unit) * largest
    return bool(error > lost and error > FAR * (other + out.ulp(largest)))


def largest_at_size(error: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Per element, the largest error of the elements between two powers of two with it.

    Where they are few, the next larger ones count with them.
    """
    result = torch.zeros_like(error).flatten()
    errors = error.flatten()
    _, exponents = torch.frexp(value.flatten())
    exponents = torch.where(value.flatten() == 0, torch.iinfo(torch.int32).min, exponents)
    kept: list[torch.Tensor] = []
    for exponent in sorted(set(exponents.tolist()), reverse=True):
        kept.append((exponents == exponent).nonzero().flatten())
        if sum(len(group) for group in kept) >= _FEW:
            members = torch.cat(kept)
            result[kept[-1]] = errors[members].max()
            for group in kept[:-1]:
                result[group] = errors[members].max()
            kept = []
    if kept:
        members = torch.cat(kept)
        result[members] = (
            errors[members].max()
            if len(members) == len(errors)
            else torch.maximum(errors[members].max(), result.max())
        )
    return result.view(error.shape)
