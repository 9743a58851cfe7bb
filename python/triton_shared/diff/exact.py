"""Whether two targets do the same, apart from rounding: launches with integers for floats.

The pass `triton-exact-floats` has a kernel compute in a ring of integers, where neither the order
of a sum nor a rounding matters. So two targets must leave the same bits. If they do, what differs
in floats is rounding; if not, an address, a mask, a loop or an operation is wrong.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from ..errors import TritonSharedError
from . import culprit, recording, ring, run, tracks, workers
from .comparison import Finding, LaunchReport, mark
from .formats import bits
from .recording import Recording, RecordingError, View

TARGETS = culprit.TARGETS
"""Those that run a kernel from its TTIR."""

_IN_F64 = " in f64"
"""Ends the name of a parameter for the f64 beside a number of the ring."""


@dataclass(frozen=True)
class Difference:
    """A tensor that two targets have not left with the same bits."""

    argument: str
    shape: tuple[int, ...]
    wrong: int
    index: tuple[int, ...]
    """The first element that differs."""
    numbers: tuple[int, int]
    """What both have there, in the ring."""
    program: tuple[int, int, int] | None = None


@dataclass(frozen=True)
class Exactly:
    """A launch with integers for floats."""

    verdict: str
    """`equal`, `different`, or `not done`."""
    said: str = ""
    """Why it was not done."""
    differences: tuple[Difference, ...] = ()
    culprit: Finding | None = None


@dataclass(frozen=True)
class Transformed:
    """A launch in the ring."""

    launch: Recording
    tracks: int
    """Two if every float is an f64 besides, which decides comparisons."""

    def views(self) -> Iterator[tuple[str, View]]:
        """The tensors that two targets must leave the same."""
        for name, view in self.launch.views().items():
            if not name.removesuffix(".base").endswith(_IN_F64) and view.dtype != "float64":
                yield name, view


def transform(launch: Recording) -> Transformed:
    """The launch with integers for floats.

    Raises RecordingError or CompilationError if it has no such form.
    """
    made = tracks.transform(launch, "triton-exact-floats", "integers for floats", _choose)
    return Transformed(made.launch, len(_choose(made.launch.ttir)))


def _choose(text: str) -> list[tracks.Track]:
    in_ring = tracks.Track("", "i64", "int64", ring.embed, pads_with_nan=False)
    real = tracks.Track(_IN_F64, "fp64", "float64", lambda values: values)
    return [in_ring, real] if "tt.exact_tracks = 2" in text else [in_ring]


def add(
    reports: Sequence[LaunchReport],
    targets: tuple[str, str],
    timeout: float = 120,
    locates: bool = False,
) -> list[LaunchReport]:
    """The reports with what the launches do in the ring; what differs there is different."""
    made = []
    with workers.session():
        for report in reports:
            found = _compare(report, targets, timeout, locates)
            status = "different" if found.verdict == "different" else report.status
            made.append(replace(report, exact=found, status=status))
    return made


def _compare(
    report: LaunchReport, targets: tuple[str, str], timeout: float, locates: bool
) -> Exactly:
    if report.status == "failed" or not report.folder:
        return Exactly("not done", "a target could not run the launch")
    if not set(targets) <= set(TARGETS):
        return Exactly("not done", f"{', '.join(TARGETS)} alone run a kernel from its TTIR")
    place = report.folder / "exact"
    try:
        changed = transform(recording.load(report.folder))
        changed.launch.save(place)
        for target in dict.fromkeys(targets):
            workers.replay_all([place], (target,), timeout)
        results = [workers.result(place, target) for target in targets]
        for target, result in zip(targets, results, strict=True):
            if not result.succeeded:
                return Exactly("not done", f"{target}: {result.error}: {result.message}")
        differences = tuple(_differences(changed, *(result.buffers for result in results)))
        if not differences:
            return Exactly("equal")
        differences = tuple(_with_program(place, changed, one) for one in differences)
        found = _locate(place, changed, differences, targets, timeout) if locates else None
        return Exactly("different", differences=differences, culprit=found)
    except (RecordingError, TritonSharedError) as error:
        return Exactly("not done", str(error))
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _differences(
    changed: Transformed, left: list[torch.Tensor], right: list[torch.Tensor]
) -> Iterator[Difference]:
    for name, view in changed.views():
        a, b = (bits(view.of(buffers)) for buffers in (left, right))
        wrong = (a != b).nonzero()
        if len(wrong):
            index = tuple(int(i) for i in wrong[0])
            numbers = int(a[index]), int(b[index])
            yield Difference(name, tuple(a.shape), len(wrong), index, numbers)
    count = len(changed.launch.storages)
    in_f64 = {view.storage for view in changed.launch.views().values() if view.dtype == "float64"}
    for number in sorted(set(range(count)) - in_f64):
        outside = torch.ones(left[number].numel(), dtype=torch.bool)
        for _, view in changed.views():
            if view.storage == number:
                mark(outside, view)
        wrong = ((left[number] != right[number]) & outside).nonzero()
        if len(wrong):
            first = int(wrong[0])
            numbers = int(left[number][first]), int(right[number][first])
            where = f"memory {number}, outside of all tensors"
            yield Difference(where, (len(outside),), len(wrong), (first,), numbers)


def _with_program(place: Path, changed: Transformed, one: Difference) -> Difference:
    if "tt.get_num_programs" in changed.launch.ttir:
        return one
    if one.argument not in changed.launch.views():
        return one
    return replace(one, program=run.find_program(place, one.argument, one.index))


def _locate(
    place: Path,
    changed: Transformed,
    differences: Sequence[Difference],
    targets: tuple[str, str],
    timeout: float,
) -> Finding:
    programs = [one.program for one in differences if one.program]
    if not programs and math.prod(changed.launch.grid) > 1:
        return Finding(None, "nobody knows which program has written the first element")
    try:
        return culprit.find(
            changed.launch,
            targets,
            programs[0] if programs else (0, 0, 0),
            place / "probed",
            timeout=timeout,
        )
    except (RecordingError, TritonSharedError) as error:
        return Finding(None, str(error))
