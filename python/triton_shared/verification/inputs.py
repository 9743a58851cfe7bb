"""Cases that are made from one: other shapes, strides and values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..errors import VerificationError
from .cases import Case, ReferenceError

LAYOUTS = ("contiguous", "transposed", "padded", "every other")
VALUES = ("normal", "zeros", "ones", "large", "small", "sorted")


def fuzz(check: Callable[[Case], Any], given: Case, cases: int, shapes: bool) -> None:
    """Calls `check` with `cases` cases; what it raises is raised with the smallest that does so."""
    try:
        import hypothesis
        from hypothesis import strategies
    except ImportError as error:
        raise VerificationError("other inputs take hypothesis: pip install hypothesis") from error

    sizes = sorted({n for value in given.inputs if _is_tensor(value) for n in value.shape})
    tensors = [i for i, value in enumerate(given.inputs) if _is_tensor(value)]
    drawn = strategies.fixed_dictionaries(
        {
            "sizes": strategies.tuples(*(_sizes(n, shapes, strategies) for n in sizes)),
            "layouts": strategies.tuples(*(strategies.sampled_from(LAYOUTS) for _ in tensors)),
            "values": strategies.sampled_from(VALUES),
            "seed": strategies.integers(0, 2**16),
        }
    )

    @hypothesis.settings(
        max_examples=cases,
        deadline=None,
        database=None,
        derandomize=True,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(drawn)
    def run(choice: dict[str, Any]) -> None:
        made = _make(given, dict(zip(sizes, choice["sizes"], strict=True)), choice)
        try:
            check(made)
        except ReferenceError:
            hypothesis.reject()

    run()


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _sizes(size: int, varies: bool, strategies: Any) -> Any:
    """Sizes near the given one, and round the edges of blocks."""
    if not varies or size <= 1:
        return strategies.just(size)
    near = {1, 2, 3, 7, 13, 16, 31, 64, size - 1, size + 1, 2 * size - 1}
    return strategies.sampled_from([size, *sorted(n for n in near if 0 < n < 2 * size)])


def _make(given: Case, sizes: dict[int, int], choice: dict[str, Any]) -> Case:
    generator = torch.Generator().manual_seed(choice["seed"])
    layouts = iter(choice["layouts"])
    made: list[Any] = []
    for value in given.inputs:
        if _is_tensor(value):
            shape = [sizes.get(n, n) for n in value.shape]
            content = _content(value, shape, choice["values"], generator, sizes)
            made.append(_laid_out(content, next(layouts)))
        elif type(value) is int:
            made.append(sizes.get(value, value))
        else:
            made.append(value)
    return Case(tuple(made), given.mutates)


def _content(
    like: torch.Tensor,
    shape: list[int],
    kind: str,
    generator: torch.Generator,
    sizes: dict[int, int],
) -> torch.Tensor:
    if not like.dtype.is_floating_point:
        return _integers(like, shape, generator, sizes)
    values = torch.randn(shape, generator=generator)
    if kind == "zeros":
        values = torch.zeros(shape)
    elif kind == "ones":
        values = torch.ones(shape)
    elif kind in ("large", "small"):
        values = values * (30.0 if kind == "large" else 2.0**-10)
    elif kind == "sorted" and values.dim():
        values = values.sort(-1).values
    return values.to(like.dtype).to(like.device)


def _integers(
    like: torch.Tensor, shape: list[int], generator: torch.Generator, sizes: dict[int, int]
) -> torch.Tensor:
    """Numbers in the range of the given ones; those that may name an element still do."""
    low = int(like.min()) if like.numel() else 0
    high = int(like.max()) if like.numel() else 0
    may_name = low >= 0 and high < max(sizes, default=0)
    if may_name:
        high = min(high, min(sizes.values()) - 1)
        low = min(low, high)
    made = torch.randint(low, high + 1, shape, generator=generator)
    return made.to(like.dtype).to(like.device)


def _laid_out(content: torch.Tensor, layout: str) -> torch.Tensor:
    """The same content with other strides."""
    if layout == "transposed" and content.dim() > 1:
        return content.transpose(-1, -2).contiguous().transpose(-1, -2)
    if layout in ("padded", "every other") and content.dim():
        step = 2 if layout == "every other" else 1
        wide = list(content.shape)
        wide[-1] = wide[-1] * step + (3 if layout == "padded" else 0)
        holds = torch.zeros(wide, dtype=content.dtype, device=content.device)
        part = holds[..., : content.shape[-1] * step : step]
        part.copy_(content)
        return part
    return content
