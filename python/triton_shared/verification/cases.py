"""Runs one case, and says by name what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ..diff.formats import rounding, wide
from ..diff.widening import Widened, Widening, Widenings
from ..errors import VerificationError
from . import bounds, memory
from .bounds import Expected
from .guilty_line import Wrong
from .memory import Made, Watched


@dataclass(frozen=True)
class Case:
    """Inputs of both functions."""

    inputs: tuple[Any, ...]
    mutates: tuple[int, ...] = ()

    def describe(self) -> str:
        """The inputs, as far as they matter."""
        told = []
        for value in self.inputs:
            if not isinstance(value, torch.Tensor):
                told.append(repr(value))
                continue
            shape = "x".join(str(n) for n in value.shape)
            kind = str(value.dtype).removeprefix("torch.")
            strides = "" if value.is_contiguous() else f" with strides {tuple(value.stride())}"
            told.append(f"{shape} {kind}{strides}")
        return ", ".join(told)


class ReferenceError(Exception):
    """The reference itself does not take such inputs."""


@dataclass
class Limits:
    """Bounds that somebody has made wider, for the kernels of a function."""

    widenings: Widenings = field(default_factory=Widenings)
    kernels: tuple[str, ...] = ()
    used: dict[tuple[Widening, str], Widened] = field(default_factory=dict)

    def of_result(self, number: int, margin: float) -> float:
        """How many times as wide the bound of a result is; takes note of it."""
        factor = 1.0
        for kernel in dict.fromkeys(self.kernels):
            found = self.widenings.of_output(kernel, str(number))
            if found:
                one = Widened(found, f"result {number} of kernel '{kernel}': its bound", margin)
                known = self.used.get((found, one.what))
                if known is None or known.margin < margin:
                    self.used[found, one.what] = one
                factor = max(factor, found.factor)
        return factor


def run_case(
    call: Callable[..., Any],
    reference: Callable[..., Any],
    case: Case,
    limits: Limits | None = None,
) -> float:
    """Runs a case twice, with other values in the same memory; gives the largest margin.

    Raises VerificationError, or ReferenceError if the reference does not take the inputs.
    """
    watched = [memory.between_zones(v) if _is_tensor(v) else None for v in case.inputs]
    passed = [
        value if part is None else part.tensor
        for value, part in zip(case.inputs, watched, strict=True)
    ]
    parts = [part for part in watched if part]
    try:
        return _run_twice(call, reference, passed, parts, case, limits or Limits())
    except VerificationError as error:
        # A kernel that may write to its inputs has run once.
        error.given = case.inputs if case.mutates else tuple(_copy(value) for value in passed)
        raise


def _run_twice(
    call: Callable[..., Any],
    reference: Callable[..., Any],
    passed: Sequence[Any],
    parts: Sequence[Watched],
    case: Case,
    limits: Limits,
) -> float:
    expected = _expect(reference, passed, case)
    found = _call(call, passed, parts, case, limits)
    margin = _judge(found, expected, case, limits)
    if case.mutates:
        return margin
    for part in parts:
        if part.tensor.dtype.is_floating_point:
            # Other values, in the order of magnitude of those before.
            part.tensor.mul_(-0.75)
            part.before = part.memory.clone()
    again = _expect(reference, passed, case)
    second = _call(call, passed, parts, case, limits)
    for one, two, before, after in zip(found, second, expected, again, strict=True):
        moved = bool((bounds.margin(after.own, before) > 1).any())
        if moved and torch.equal(_bits(one), _bits(two)):
            _refuse("cached output", "other inputs leave the result as it was", case)
    return max(margin, _judge(second, again, case, limits))


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _refuse(name: str, why: str, case: Case, wrong: Wrong | None = None) -> None:
    error = VerificationError(f"{name}: {why}\nwith inputs {case.describe()}")
    error.wrong = wrong
    raise error


def _outputs(made: Any) -> list[torch.Tensor]:
    return [made] if _is_tensor(made) else [value for value in made if _is_tensor(value)]


def _expect(reference: Callable[..., Any], passed: Sequence[Any], case: Case) -> list[Expected]:
    def run(change: Callable[[torch.Tensor], torch.Tensor]) -> list[torch.Tensor]:
        given = [
            change(value) if _is_tensor(value) and value.dtype.is_floating_point else _copy(value)
            for value in passed
        ]
        results = _outputs(reference(*given))
        return [*results, *(given[place] for place in case.mutates)]

    try:
        own = run(torch.clone)
        values = run(wide)
        sizes = run(lambda tensor: wide(tensor).abs())
        terms = run(lambda tensor: torch.ones_like(wide(tensor)))
    except Exception as error:
        raise ReferenceError(str(error)) from error
    n = bounds.longest(passed)
    return [
        Expected(wide(v).clone(), o.clone(), wide(s), wide(t), n)
        for v, o, s, t in zip(values, own, sizes, terms, strict=True)
    ]


def _copy(value: Any) -> Any:
    return value.clone() if _is_tensor(value) else value


def _call(
    call: Callable[..., Any],
    passed: Sequence[Any],
    parts: Sequence[Watched],
    case: Case,
    limits: Limits,
) -> list[torch.Tensor]:
    """The outputs of the kernel's function, once nothing is wrong around them."""
    made = Made()
    allowed = {id(passed[place]) for place in case.mutates}
    try:
        with memory.watching(made):
            results = _outputs(call(*passed))
    except VerificationError:
        raise
    except Exception as error:
        raise VerificationError(
            f"error: {type(error).__name__}: {error}\nwith inputs {case.describe()}"
        ) from error
    limits.kernels = tuple(made.kernels)
    if not made.kernels:
        _refuse("no kernel", "no kernel of Triton was launched", case)
    for part in parts:
        if part.is_touched():
            _refuse("touched padding", "memory around an input was written", case)
        if id(part.tensor) not in allowed and part.is_changed():
            _refuse("changed input", "an input does not hold what it held", case)
    for part in made.tensors:
        if part.is_touched():
            _refuse("touched padding", "memory around a tensor that it made was written", case)
    outputs = [result.clone() for result in results]
    return [*outputs, *(passed[place].clone() for place in case.mutates)]


def _judge(
    found: Sequence[torch.Tensor], expected: Sequence[Expected], case: Case, limits: Limits
) -> float:
    if len(found) != len(expected):
        _refuse("wrong shape", f"{len(found)} results instead of {len(expected)}", case)
    return max(
        _judge_one(number, one, wanted, case, limits)
        for number, (one, wanted) in enumerate(zip(found, expected, strict=True))
    )


def _judge_one(
    number: int, found: torch.Tensor, expected: Expected, case: Case, limits: Limits
) -> float:
    own = expected.own
    if found.shape != own.shape:
        _refuse("wrong shape", f"{tuple(found.shape)} instead of {tuple(own.shape)}", case)
    if found.dtype != own.dtype:
        _refuse("down-cast" if _is_narrower(found, own) else "wrong type",
                f"the result is {found.dtype}, the reference gives {own.dtype}", case)  # fmt: skip
    if not found.numel():
        return 0.0
    margin = bounds.margin(found, expected)
    factor = limits.of_result(number, float(margin.max()))
    margin = margin / factor
    if not bool((margin > 1).any()):
        return float(margin.max())
    index = tuple(int(i) for i in torch.unravel_index(margin.argmax(), margin.shape))
    allowed = factor * expected.allowed()[index].item() if own.dtype.is_floating_point else 0
    told = (
        f"{int((margin > 1).sum())} of {found.numel()} elements are beyond their bound, the worst "
        f"at {list(index)}: {wide(found)[index].item():.9g} instead of "
        f"{expected.value[index].item():.9g} within {allowed:.3g}"
    )
    values = wide(found)[index].item(), expected.value[index].item()
    _refuse(_name(found, expected, margin), told, case, Wrong(number, index, *values, allowed))
    return 0.0


def _is_narrower(found: torch.Tensor, own: torch.Tensor) -> bool:
    both = found.dtype.is_floating_point and own.dtype.is_floating_point
    return both and rounding(found.dtype).unit > rounding(own.dtype).unit


def _name(found: torch.Tensor, expected: Expected, margin: torch.Tensor) -> str:
    """What kind of wrong a result is."""
    marker = memory.unwritten(found.dtype)
    values = wide(found)
    left = values.isnan() if marker != marker else values == marker
    if bool((left & (margin > 1)).any()):
        return "unwritten output"
    if not bool(values.any()):
        return "zero output"
    if found.numel() > 1 and bool((values == values.flatten()[0]).all()):
        return "constant output"
    if found.dtype.is_floating_point and bounds.looks_like(found, expected):
        return f"down-cast (as if computed in {bounds.looks_like(found, expected)} or less)"
    return "wrong result"


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().flatten().view(torch.uint8) if tensor.numel() else tensor
