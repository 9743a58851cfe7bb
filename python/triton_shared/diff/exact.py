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
from typing import Any

import torch

from ..errors import TritonSharedError
from . import addresses, culprit, recording, replay, ring, run, texts, workers
from .comparison import Finding, LaunchReport, mark
from .formats import TYPES, bits, of_triton
from .recording import Descriptor, Recording, RecordingError, Reinterpreted, View

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
    if not launch.ttir or launch.types is None:
        raise RecordingError("the recording has no TTIR: record the launch again")
    if addresses.has_tables(launch):
        raise RecordingError("memory holds addresses")
    text = texts.apply_passes(launch.ttir, *texts.ONE_FUNCTION, "triton-exact-floats")
    tracks = 2 if "tt.exact_tracks = 2" in text else 1
    storages, twins = _embed_storages(launch, tracks)
    arguments: dict[str, Any] = {}
    types: dict[str, Any] = {}
    for name, kind in launch.types.items():
        split = _split(launch.arguments[name], kind, twins, tracks)
        for (value, word), ending in zip(split, ("", _IN_F64), strict=False):
            arguments[name + ending], types[name + ending] = value, word
    made = replace(
        launch,
        file="",
        ttir=text,
        arguments=arguments,
        types=types,
        storages=storages,
        addresses=[0] * len(storages),
        stated=[],
    )
    return Transformed(made, tracks)


def _embed_storages(launch: Recording, tracks: int) -> tuple[list[torch.Tensor], dict[int, int]]:
    """Memory in the ring, and behind it the same in f64, with the number of each twin."""
    storages: list[torch.Tensor] = []
    real: list[torch.Tensor] = []
    twins: dict[int, int] = {}
    count = len(launch.storages)
    floats = replay.float_types(launch, "integers for floats")
    for number, (storage, dtype) in enumerate(zip(launch.storages, floats, strict=True)):
        if dtype is None:
            storages.append(storage.clone())
            continue
        values = replay.promote(storage, dtype)
        storages.append(ring.embed(values).view(torch.uint8))
        twins[number] = count + len(real)
        real.append(values.view(torch.uint8))
    return [*storages, *(real if tracks == 2 else [])], twins


def _split(value: Any, kind: Any, twins: dict[int, int], tracks: int) -> list[tuple[Any, Any]]:
    """An argument and its type, or what takes its place: one for each track."""
    if isinstance(kind, (tuple, list)):
        # Members stand beside each other, as all parameters.
        pairs = zip(value, kind, strict=True)
        parts = [part for v, k in pairs for part in _split(v, k, twins, tracks)]
        return [(tuple(v for v, _ in parts), tuple(k for _, k in parts))]
    return _split_plain(value, kind, twins)[:tracks]


def _split_plain(value: Any, kind: Any, twins: dict[int, int]) -> list[tuple[Any, Any]]:
    words = [texts.with_number(kind, number) for number in ("i64", "fp64")]
    if isinstance(value, Reinterpreted):
        is_float = TYPES[value.base.dtype].is_floating_point
        if is_float != TYPES[of_triton(value.dtype, "int8")].is_floating_point:
            raise RecordingError("memory of floats is taken for another type")
        value = value.base
    if kind == words[0]:
        return [(value, kind)]  # No float.
    if isinstance(value, Descriptor):
        bases = _tracks(value.base, twins)
        padding = ("zero", value.padding)
        made = [
            replace(value, base=base, padding=one) for base, one in zip(bases, padding, strict=True)
        ]
        return list(zip(made, words, strict=True))
    if isinstance(value, View):
        return list(zip(_tracks(value, twins), words, strict=True))
    if isinstance(value, (int, float)):
        dtype = TYPES[of_triton(kind, "float64")]
        number = torch.tensor(float(value), dtype=dtype).double()
        return [(int(ring.embed(number)), "i64"), (number.item(), "fp64")]
    return [(value, word) for word in words]


def _tracks(view: View, twins: dict[int, int]) -> list[View]:
    return [
        replace(view, dtype="int64"),
        replace(view, dtype="float64", storage=twins.get(view.storage, view.storage)),
    ]


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
