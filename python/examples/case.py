"""One run of an example: what it launches, what is right, and how far off it may be.

No tolerance here is tuned. An example computes its result a second time in f64, and beside every
element a bound: how far rounding, in the precision of the kernel, can move that element. `u` is the
unit roundoff of a type, the largest relative error of one rounding.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

Expected = tuple[torch.Tensor, torch.Tensor]
"""A value in f64 and the bound of its error; a bound of zero asks for the very value."""

DTYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "e4m3": torch.float8_e4m3fn,
    "e5m2": torch.float8_e5m2,
    "i8": torch.int8,
    "i32": torch.int32,
    "i64": torch.int64,
}


@dataclass(frozen=True)
class Case:
    """One kernel at one type and shape."""

    kernel: str
    dtype: str
    shape: str
    run: Callable[[], tuple[torch.Tensor, ...]]
    """Launches and returns the outputs."""
    expected: Callable[[], tuple[Expected, ...]]
    """One value with its bound for each output."""

    def __str__(self) -> str:
        return f"{self.kernel}-{self.dtype}-{self.shape}"


@dataclass(frozen=True)
class Outcome:
    """How a case went."""

    max_error: float
    """The largest absolute error of all elements."""
    worst: float
    """The largest part of its bound that an error uses up: right is at most one."""
    seconds: float
    """One run, compiled before."""

    @property
    def right(self) -> bool:
        """Whether all elements are within their bounds."""
        return self.worst <= 1.0


def check(case: Case) -> Outcome:
    """Runs a case twice, so that the second run is not a compilation, and measures its errors."""
    case.run()
    start = time.perf_counter()
    outputs = case.run()
    seconds = time.perf_counter() - start
    expected = case.expected()
    assert len(outputs) == len(expected)
    errors = [_measure(got, *want) for got, want in zip(outputs, expected, strict=True)]
    return Outcome(max(e for e, _ in errors), max(w for _, w in errors), seconds)


def _measure(got: torch.Tensor, value: torch.Tensor, bound: torch.Tensor) -> tuple[float, float]:
    if got.shape != value.shape:
        raise AssertionError(f"shape {tuple(got.shape)} instead of {tuple(value.shape)}")
    if got.numel() == 0:
        return 0.0, 0.0
    got = got.double()
    same = (got == value) | (got.isnan() & value.isnan())
    error = torch.where(same, 0.0, (got - value).abs())
    # An infinity or NaN in the wrong place is an infinite error.
    error = torch.where(error.isnan(), torch.inf, error)
    part = torch.where(error == 0, 0.0, error / bound)
    return error.max().item(), part.max().item()


def roundoff(dtype: torch.dtype) -> float:
    """The unit roundoff `u`; zero for integers, which do not round."""
    return torch.finfo(dtype).eps / 2 if dtype.is_floating_point else 0.0


def rounded(value: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The error of rounding `value` to `dtype` once, also among subnormal numbers."""
    if not dtype.is_floating_point:
        return torch.zeros_like(value)
    info = torch.finfo(dtype)
    return roundoff(dtype) * value.abs() + info.tiny * info.eps


def random(*shape: int, dtype: torch.dtype, seed: int = 0) -> torch.Tensor:
    """Numbers round one (integers: small ones), the same at every call."""
    generator = torch.Generator().manual_seed(seed + sum(shape))
    if not dtype.is_floating_point:
        return torch.randint(-9, 10, shape, generator=generator, dtype=dtype)
    return torch.randn(shape, generator=generator).to(dtype)
