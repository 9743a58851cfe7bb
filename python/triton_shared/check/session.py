"""The block in which kernels are checked.

Triton asks `knobs.compilation.instrumentation_mode` at every launch and keeps kernels by it, so a
kernel that was compiled before is compiled anew with checks, and the other way round afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from .. import knobs as our_knobs
from .. import library
from ..device import device
from ..errors import TritonSharedError

if TYPE_CHECKING:
    from .report import Report

ALL, BOUNDS = "check", "check-bounds"
"""What Triton calls the instrumentation of a kernel; `LaunchOptions.checks` knows the words."""

_reports: list[Report] = []
"""Of the blocks that the process is in, the innermost one last."""


@contextmanager
def check(*, bounds_only: bool = False, hints: bool = False) -> Iterator[Report]:
    """Inside the block, kernels run on the CPU and are checked; gives the report, which grows.

    Nothing is raised for what a kernel does wrong: it goes on where it can, and `is_clean` tells.
    An error that ends a launch is raised as it is without checks. With `bounds_only`, each access
    is compared with its tensor alone, which costs next to nothing; otherwise with all others, too,
    and programs run on one thread. With `hints`, masks are told that leave out nothing, or all.
    With `TRITON_SHARED_CHECKS=0` nothing is checked, and the report stays empty.

        with triton_shared.check() as report:
            kernel[grid](x, y, n)
    """
    from triton import knobs

    from .report import Report
    from .unwritten import marked

    report = Report(bounds_only, hints)
    words = (BOUNDS if bounds_only else ALL) if our_knobs.checks() else ""
    before = knobs.compilation.instrumentation_mode
    knobs.compilation.instrumentation_mode = words
    _reports.append(report)
    try:
        with device("cpu"), marked() if words == ALL else nullcontext():
            yield report
    finally:
        _reports.remove(report)
        if not _reports:
            library.native().forget_checked_launches()
        knobs.compilation.instrumentation_mode = before


def current() -> Report:
    """The report that launches belong to now. Raises TritonSharedError outside of all blocks."""
    if _reports:
        return _reports[-1]
    raise TritonSharedError(
        "a kernel with checks is launched, but nobody wants to know what they find\n"
        "launch it inside of triton_shared.check(), or unset TRITON_INSTRUMENTATION_MODE"
    )
