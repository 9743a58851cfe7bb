"""Random tiles for matrix products: usual numbers, and those that are hard to add up.

All are made of the bits of f32, so that each element type gets what it can hold.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from .dot_forms import Form

_REACH = {
    torch.float16: (-24, 13),
    torch.bfloat16: (-30, 30),
    torch.float32: (-30, 30),
    torch.float8_e4m3fn: (-9, 7),
    torch.float8_e5m2: (-16, 12),
}
"""Exponents of random numbers: over all of a small type, denormals too."""

_LOW = {
    torch.float16: (-24, -12),
    torch.bfloat16: (-80, -60),
    torch.float32: (-80, -60),
    torch.float8_e4m3fn: (-9, -5),
    torch.float8_e5m2: (-16, -12),
}
"""So small that they, or their sums, are denormal."""

Tiles = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def make(form: Form, family: str, tiles: int, depth: int, rng: torch.Generator) -> Tiles:
    """Tiles a[tiles, rows, depth], b[tiles, columns, depth] and c[tiles, rows, columns]."""
    shapes = (tiles, form.rows, depth), (tiles, form.columns, depth)
    sums = (tiles, form.rows, form.columns)
    if not form.is_float:
        a, b = (_integers(shape, rng, torch.int8) for shape in shapes)
        return a, b, _integers(sums, rng, torch.int32)
    a, b, c = FAMILIES[family](form, *shapes, sums, rng)
    c = torch.where(c.isfinite(), c.clamp(-6e4, 6e4), c)
    return a.to(form.left), b.to(form.right), c.to(form.sum)


def _integers(shape: tuple[int, ...], rng: torch.Generator, dtype: torch.dtype) -> torch.Tensor:
    facts = torch.iinfo(dtype)
    return torch.randint(facts.min, facts.max, shape, generator=rng, device=rng.device, dtype=dtype)


def _normal(shape: tuple[int, ...], rng: torch.Generator) -> torch.Tensor:
    return torch.randn(shape, generator=rng, device=rng.device)


def _spread(shape: tuple[int, ...], rng: torch.Generator, least: int, most: int) -> torch.Tensor:
    """Random signs, exponents and significands."""
    exponents = torch.randint(least, most + 1, shape, generator=rng, device=rng.device)
    significands = 1 + torch.rand(shape, generator=rng, device=rng.device)
    signs = 1 - 2 * torch.randint(0, 2, shape, generator=rng, device=rng.device)
    return torch.ldexp(signs * significands, exponents)


Shape = tuple[int, ...]
Family = Callable[[Form, Shape, Shape, Shape, torch.Generator], Tiles]


def _usual(form: Form, a: Shape, b: Shape, c: Shape, rng: torch.Generator) -> Tiles:
    return _normal(a, rng), _normal(b, rng), _normal(c, rng)


def _far_apart(form: Form, a: Shape, b: Shape, c: Shape, rng: torch.Generator) -> Tiles:
    left, right = _REACH[form.left], _REACH[form.right]
    return _spread(a, rng, *left), _spread(b, rng, *right), _spread(c, rng, -20, 15)


def _cancelling(form: Form, a: Shape, b: Shape, c: Shape, rng: torch.Generator) -> Tiles:
    """Each product is there with the other sign, anywhere along K; one in 16 is not quite."""
    half = a[2] // 2
    left, right = _spread((*a[:2], half), rng, -3, 3), _spread((*b[:2], half), rng, -3, 3)
    order = torch.randperm(a[2], generator=rng, device=rng.device)
    left = torch.cat([left, left], 2)[:, :, order]
    right = torch.cat([right, -right], 2)[:, :, order]
    odd = torch.rand(a, generator=rng, device=rng.device) < 1 / 16
    return torch.where(odd, left * 1.25, left), right, _spread(c, rng, -20, -5)


def _tiny(form: Form, a: Shape, b: Shape, c: Shape, rng: torch.Generator) -> Tiles:
    left, right = _LOW[form.left], _LOW[form.right]
    low = left[0] + right[0]
    return _spread(a, rng, *left), _spread(b, rng, *right), _spread(c, rng, low, low + 10)


def _above(form: Form, a: Shape, b: Shape, c: Shape, rng: torch.Generator) -> Tiles:
    """All products have one sign: sums grow."""
    return _normal(a, rng).abs(), _normal(b, rng).abs(), _normal(c, rng).abs()


def _special(form: Form, a: Shape, b: Shape, c: Shape, rng: torch.Generator) -> Tiles:
    """Here and there an infinity, a NaN or a zero."""

    def sow(numbers: torch.Tensor, share: float) -> torch.Tensor:
        kind = torch.rand(numbers.shape, generator=rng, device=rng.device)
        for i, number in enumerate((float("inf"), float("-inf"), float("nan"))):
            numbers[(kind >= i * share) & (kind < (i + 1) * share)] = number
        numbers[kind > 0.75] = 0
        return numbers

    share = 0.2 / a[2]
    sums = _normal(c, rng)
    sums[torch.rand(c, generator=rng, device=rng.device) < 0.05] = float("inf")
    return sow(_normal(a, rng), share), sow(_normal(b, rng), share), sums


FAMILIES: dict[str, Family] = {
    "usual": _usual,
    "far apart": _far_apart,
    "cancelling": _cancelling,
    "tiny": _tiny,
    "growing": _above,
    "special": _special,
}
