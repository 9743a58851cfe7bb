"""Compares what two targets left of a launch, tensor by tensor."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from . import census as census_module
from . import derived, tolerances
from .formats import TYPES, bits, ulp_distance, wide
from .probes import Site
from .recording import Recording, View
from .tolerances import Bound, Reference
from .widening import Widened, Widening, Widenings
from .workers import Result


@dataclass(frozen=True)
class Worst:
    """The element whose error uses up most of its bound."""

    index: tuple[int, ...]
    left: float
    right: float
    expected: float
    error: float
    """Of the side that is further from `expected`."""
    off: str
    """That side, `left` or `right`; empty where nothing says which one is wrong."""
    allowed: float
    ulp: int | None
    """Steps from neighbour to neighbour between the two; None for what is no float."""
    bound: str
    """Where `allowed` comes from: a policy of `tolerances`, or `one rounding`."""


@dataclass(frozen=True)
class Culprit:
    """An operation that is wrong on the second target, and its worst element."""

    site: Site
    why: str
    program: tuple[int, int, int]
    iteration: int = 0
    """How often the program had computed it before."""
    worst: Worst | None = None
    """`left` is what the CPU makes of the operands of the second target, `right` what that made."""


@dataclass(frozen=True)
class Finding:
    """What the search for an operation has found."""

    culprit: Culprit | None
    said: str = ""
    """Why there is none."""
    widened: tuple[Widened, ...] = ()
    """Bounds of operations that somebody has made wider."""


@dataclass(frozen=True)
class TensorReport:
    """One tensor among the arguments."""

    argument: str
    dtype: str
    shape: tuple[int, ...]
    policy: str
    wrong: int
    """How many elements are beyond their bounds."""
    margin: float
    """The largest part of its bound that an error uses up; right is at most one."""
    worst: Worst | None = None
    program: tuple[int, int, int] | None = None
    """Who wrote the worst element, if that is known."""
    first: Worst | None = None
    """The first element beyond its bound, in the order of the tensor."""
    widened: Widened | None = None
    """What has made the bound wider, if anything has."""
    underived: str = ""
    """How many elements have no derived bound, and which one instead, if some have one."""

    @property
    def is_equal(self) -> bool:
        """Whether all elements are within their bounds."""
        return self.wrong == 0


_FAULTS = re.compile("illegal memory access|misaligned address|illegal instruction")
"""What CUDA says of errors 700, 716 and 715."""


@dataclass(frozen=True)
class LaunchReport:
    """One launch on two targets."""

    label: str
    kernel: str
    grid: tuple[int, ...]
    status: str
    """`equal`, `different`, or `failed` if a target could not run it."""
    tensors: tuple[TensorReport, ...] = ()
    message: str = ""
    seconds: tuple[float, float] = (0.0, 0.0)
    folder: Path | None = None
    culprit: Finding | None = None
    """The operation that is wrong, if it was looked for."""
    underived: str = ""
    """Why no bounds could be derived, if they were asked for."""
    exact: Any = None
    """What the launch does without rounding (`exact.Exactly`), if that was looked at."""

    @property
    def has_faulted(self) -> bool:
        """Whether a GPU has stopped the kernel for what its code does."""
        return self.status == "failed" and bool(_FAULTS.search(self.message))


def compare(
    recording: Recording,
    left: Result,
    right: Result,
    references: dict[str, Result],
    widenings: Widenings | None = None,
) -> LaunchReport:
    """Compares two results; the first is the one that bounds are taken from."""
    facts = LaunchReport(recording.label, recording.kernel, recording.grid, "failed")
    for side in (left, right):
        if not side.succeeded:
            return replace(facts, message=f"{side.error}: {side.message}")
    census = census_module.take(left.ttir or right.ttir)
    if not (left.ttir or right.ttir):
        return replace(facts, message="neither target has TTIR: nothing says how it rounds")
    wider = widenings or Widenings()
    reports = [
        _compare_view(name, view, recording, left, right, references, census).judged(
            wider.of_output(recording.kernel, name)
        )
        for name, view in recording.views().items()
    ]
    reports += _compare_rest(recording, left, right)
    equal = all(report.is_equal for report in reports)
    return replace(
        facts,
        underived=_why_underived(references.get(derived.TARGET)),
        status="equal" if equal else "different",
        tensors=tuple(reports),
        seconds=(left.seconds, right.seconds),
    )


def _why_underived(bounds: Result | None) -> str:
    """The line that says why a kernel has no derived bounds; empty if it has, or needs none."""
    if bounds is None or bounds.succeeded or bounds.error == "not run":
        return ""
    return next((line for line in bounds.message.splitlines() if "error:" in line), bounds.message)


def _compare_view(
    name: str,
    view: View,
    recording: Recording,
    left: Result,
    right: Result,
    references: dict[str, Result],
    census: census_module.Census,
) -> _Compared:
    a, b = view.of(left.buffers), view.of(right.buffers)
    stated = next((s for s in recording.stated if s.argument == name), None)
    bound = tolerances.choose(
        wide(a),
        view.dtype,
        census,
        _reference(view, references),
        (stated.value.double(), stated.bound.double()) if stated else None,
        wide(b),
    )
    return _Compared(name, view.dtype, a, b, bound)


@dataclass(frozen=True)
class _Compared:
    """One tensor as two targets have left it."""

    name: str
    dtype: str
    a: torch.Tensor
    b: torch.Tensor
    bound: Bound

    def judged(self, widening: Widening | None) -> TensorReport:
        """What differs by more than the bound, or more than that has been widened to."""
        report = _judge(self.name, self.dtype, self.a, self.b, self.bound)
        if widening is None:
            return report
        what = f"{self.name}: bound '{report.policy}'"
        widened = Widened(widening, what, report.margin)
        if report.is_equal:
            return replace(report, widened=widened)
        wider = replace(self.bound, allowed=self.bound.allowed * widening.factor)
        judged = _judge(self.name, self.dtype, self.a, self.b, wider)
        return replace(judged, widened=widened)


def _reference(view: View, references: dict[str, Result]) -> Reference | None:
    found = {n: view.of(r.buffers).double() for n, r in references.items() if r.succeeded}
    if "f64" not in found:
        return None
    return Reference(
        found["f64"], found.get("f64-sizes"), found.get("f64-terms"), found.get(derived.TARGET)
    )


def _judge(name: str, dtype: str, a: torch.Tensor, b: torch.Tensor, bound: Bound) -> TensorReport:
    shape = tuple(a.shape)
    report = TensorReport(name, dtype, shape, bound.policy, wrong=0, margin=0.0)
    if bound.underived:
        told = f"{bound.underived} of {a.numel()} elements have no derived bound"
        report = replace(report, underived=f"{told}, but that of '{bound.instead}'")
    if a.numel() == 0:
        return report
    margin = _margins(a, b, bound, wide(b))
    if bound.is_for_both and bound.policy != "exact":
        margin = torch.maximum(margin, _margins(a, b, bound, wide(a)))
    largest = margin.max().item()
    wrong = int((margin > 1).sum())
    report = replace(report, wrong=wrong, margin=largest)
    if largest == 0:
        return report
    index = tuple(int(i) for i in torch.unravel_index(margin.argmax(), margin.shape))
    report = replace(report, worst=_describe(index, a, b, bound))
    if not wrong:
        return report
    beyond = (margin > 1).flatten().nonzero()[0, 0]
    first = tuple(int(i) for i in torch.unravel_index(beyond, margin.shape))
    return replace(report, first=_describe(first, a, b, bound))


def _margins(a: torch.Tensor, b: torch.Tensor, bound: Bound, side: torch.Tensor) -> torch.Tensor:
    """Per element the part of its bound that the error of `side` uses up."""
    if bound.policy == "exact":
        if a.dtype.is_floating_point:
            same = (wide(a) == wide(b)) | (wide(a).isnan() & wide(b).isnan())
        else:
            same = bits(a) == bits(b)
        return torch.where(same, 0.0, torch.inf).double()
    left, right = wide(a), wide(b)
    error = torch.where(left == right, 0.0, (side - bound.value).abs())
    # Where there is no number on one side, there must be the same on the other.
    odd = ~left.isfinite() | ~right.isfinite()
    same = (left == right) | (left.isnan() & right.isnan())
    error = torch.where(odd, torch.where(same, 0.0, torch.inf), error)
    error = error.nan_to_num(nan=0.0 if bound.policy == "reference" else math.inf, posinf=math.inf)
    return torch.where(error == 0, 0.0, error / bound.allowed)


def _describe(index: tuple[int, ...], a: torch.Tensor, b: torch.Tensor, bound: Bound) -> Worst:
    left, right = wide(a)[index].item(), wide(b)[index].item()
    expected = bound.value[index].item()
    ulp = ulp_distance(a[index], b[index]) if a.dtype.is_floating_point else None
    error, off = abs(right - left), ""
    if bound.policy not in ("exact", "steps"):
        sides = {"right": abs(right - expected), "left": abs(left - expected)}
        # A side that is no number is off by more than any that is one.
        off = max(sides, key=lambda side: math.inf if math.isnan(sides[side]) else sides[side])
        error = sides[off]
    allowed = bound.allowed[index].item()
    return Worst(index, left, right, expected, error, off, allowed, ulp, bound.policy)


def _compare_rest(recording: Recording, left: Result, right: Result) -> list[TensorReport]:
    """Memory of no tensor: both targets must have left it alone, or written the same."""
    reports = []
    for number, (a, b) in enumerate(zip(left.buffers, right.buffers, strict=True)):
        outside = torch.ones(a.numel(), dtype=torch.bool)
        for view in recording.views().values():
            if view.storage == number:
                mark(outside, view)
        wrong = int(((a != b) & outside).sum())
        if wrong:
            where = f"memory {number}, outside of all tensors"
            reports.append(TensorReport(where, "uint8", (a.numel(),), "exact", wrong, math.inf))
    return reports


def mark(outside: torch.Tensor, view: View) -> None:
    """Takes the bytes of a tensor out of those that belong to none."""
    size = TYPES[view.dtype].itemsize
    rows = outside[: outside.numel() // size * size].view(-1, size)
    rows[:, 0].as_strided(
        view.shape, tuple(s * size for s in view.strides), view.offset * size
    ).fill_(False)
    rows[~rows[:, 0]] = False
