"""Which line of a kernel makes a result that the reference does not have.

The launch that has left the wrong output is repeated in f64. If that is right, the kernel loses its
digits: with one operation after the other as it is written, and all others in f64, the one that
loses most is to blame. If it is wrong in f64 too, the kernel computes something else: an element
that the reference takes and the kernel does not, or the other way round, says which load is to
blame, and which loop round it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..diff import census, probes, recorder
from ..diff.formats import wide
from ..diff.recording import Recording, RecordingError, View, shown
from ..diff.replay import InF64
from ..errors import TritonSharedError
from ..launcher import parameters
from ..source_lines import with_source_lines
from .memory import between_zones

_SHARE = 4
"""What is to blame for an error makes at least one part in so many of it."""
_PIECES = 64
"""As how many pieces the elements that a result depends on are looked at."""
_ROUNDING = census.ROUNDED | set(census.APPROXIMATE) | census.SUMMING | {"tt.reduce", "tt.scan"}

_Change = Callable[[torch.Tensor, torch.Tensor], float]
"""What the result is once the elements of an input at these places have been changed."""


@dataclass(frozen=True)
class Wrong:
    """The worst element of a result."""

    output: int
    index: tuple[int, ...]
    found: float
    expected: float
    allowed: float

    @property
    def error(self) -> float:
        """By how much it is off."""
        error = abs(self.found - self.expected)
        return error if math.isfinite(error) else math.inf


@dataclass(frozen=True)
class GuiltyLine:
    """A line of a kernel, and what it does wrong."""

    file: str
    line: int
    column: int
    why: str
    is_rounding: bool = False
    """Whether the kernel would be right if it did not round."""

    def __str__(self) -> str:
        return with_source_lines(f"{shown(self.file)}:{self.line}:{self.column}: note: {self.why}")


@dataclass(frozen=True)
class _Launch:
    """The launch that has left the output, and the element there."""

    recording: Recording
    tensors: dict[str, torch.Tensor]
    view: View
    mutates: tuple[int, ...]
    wrong: Wrong

    def result(self, memory: list[torch.Tensor]) -> float:
        """The element in such memory."""
        return float(wide(self.view.of(memory)[self.wrong.index]))

    def run(self, rounds: int = -1) -> float:
        """The element in f64, all of it or all but one operation."""
        kernel = InF64(self.recording, rounds)
        memory = kernel.memory()
        kernel.run(memory)
        return self.result(memory)


def find(
    call: Callable[..., Any],
    reference: Callable[..., Any],
    given: Sequence[Any],
    mutates: Sequence[int],
    wrong: Wrong,
) -> GuiltyLine | None:
    """The line that is to blame for `wrong`; None where nothing says which one that is.

    `given` are inputs with which `call` leaves it; it writes to those that `mutates` names.
    """
    try:
        launch = _find_launch(call, given, mutates, wrong)
        if launch is None:
            return None
        exact = launch.run()
        # A kernel that is right in f64 is off by little there, if it is off by much here.
        if abs(exact - wrong.expected) <= max(wrong.allowed, wrong.error / _SHARE):
            return _line_that_rounds(launch, exact)
        return _line_that_reads(launch, reference, given)
    except (RecordingError, TritonSharedError):
        return None


def _find_launch(
    call: Callable[..., Any], given: Sequence[Any], mutates: Sequence[int], wrong: Wrong
) -> _Launch | None:
    passed = [_copy(value) for value in given]
    caught: list[tuple[Recording, dict[str, torch.Tensor]]] = []
    with recorder.catching(caught, "", skips=True):
        made = call(*passed)
    written = _outputs(made, passed, mutates)[wrong.output]
    for recording, tensors in reversed(caught):
        for name, tensor in tensors.items():
            if recorder.is_same(tensor, written):
                recording.file = ""
                # Inputs that the function has copied are still those inputs.
                named = {n: t for n, t in tensors.items() if n != name}
                return _Launch(recording, named, recording.views()[name], tuple(mutates), wrong)
    return None


def _outputs(made: Any, passed: Sequence[Any], mutates: Sequence[int]) -> list[torch.Tensor]:
    results = [made] if isinstance(made, torch.Tensor) else list(made)
    tensors = [value for value in results if isinstance(value, torch.Tensor)]
    return [*tensors, *(passed[place] for place in mutates)]


def _copy(value: Any) -> Any:
    return between_zones(value).tensor if isinstance(value, torch.Tensor) else value


def _line_that_rounds(launch: _Launch, exact: float) -> GuiltyLine | None:
    values = probes.probe(launch.recording.ttir).values
    lost: dict[int, float] = {}
    for number, value in enumerate(values):
        if value.carried or value.op not in _ROUNDING or not value.file:
            continue
        try:
            error = abs(launch.run(rounds=number) - exact)
        except TritonSharedError:
            continue  # Integers alone, or a form that does not stand between conversions.
        lost[number] = error if math.isfinite(error) else math.inf
    worst = max(lost, key=lambda number: lost[number], default=-1)
    if worst < 0 or lost[worst] < launch.wrong.error / _SHARE or not lost[worst]:
        return None
    about = values[worst]
    why = (
        f"{about.op} rounds too much: with this operation alone as it is written, and all others "
        f"in f64, the result is off by {lost[worst]:.3g}; in f64 it is right"
    )
    return GuiltyLine(about.file, about.line, about.column, why, is_rounding=True)


def _line_that_reads(
    launch: _Launch, reference: Callable[..., Any], given: Sequence[Any]
) -> GuiltyLine | None:
    kernel = InF64(launch.recording)
    for place, value in enumerate(given):
        if not isinstance(value, torch.Tensor) or not value.dtype.is_floating_point:
            continue
        name = next((n for n, t in launch.tensors.items() if _holds(t, value)), None)
        if name is None:
            continue
        view = launch.recording.views()[name]
        in_kernel = _changing_kernel(kernel, launch, view)
        in_reference = _changing_reference(reference, given, place, launch)
        found = _find_element(in_kernel, in_reference, wide(value))
        if found:
            taken, index = found
            return _describe_load(launch, name, view, taken, index)
    return None


def _holds(tensor: torch.Tensor, value: torch.Tensor) -> bool:
    """Whether a tensor of a launch is that input."""
    if tensor.shape != value.shape or tensor.dtype != value.dtype:
        return False
    return bool((tensor.cpu().nan_to_num() == value.cpu().nan_to_num()).all())


def _other(values: torch.Tensor) -> torch.Tensor:
    return values * 1.5 + 1.0


def _changing_kernel(kernel: InF64, launch: _Launch, view: View) -> _Change:
    def run(_: torch.Tensor, places: torch.Tensor) -> float:
        memory = kernel.memory()
        at = tuple(places.T)
        seen = view.of(memory)
        seen[at] = _other(seen[at])
        kernel.run(memory)
        return launch.result(memory)

    return run


def _changing_reference(
    reference: Callable[..., Any], given: Sequence[Any], place: int, launch: _Launch
) -> _Change:
    def run(values: torch.Tensor, places: torch.Tensor) -> float:
        at = tuple(places.T)
        passed = [_widen(value) for value in given]
        passed[place][at] = _other(values[at])
        try:
            outputs = _outputs(reference(*passed), passed, launch.mutates)
        except Exception as error:
            raise RecordingError(f"the reference takes no other values: {error}") from error
        return float(outputs[launch.wrong.output][launch.wrong.index])

    return run


def _widen(value: Any) -> Any:
    is_float = isinstance(value, torch.Tensor) and value.dtype.is_floating_point
    return wide(value).clone() if is_float else _copy(value)


def _find_element(
    in_kernel: _Change, in_reference: _Change, values: torch.Tensor
) -> tuple[bool, tuple[int, ...]] | None:
    """The first element that only one of the two takes, and whether the kernel does."""
    nothing = torch.empty((0, values.dim()), dtype=torch.long)
    bases = in_kernel(values, nothing), in_reference(values, nothing)

    def takes(places: torch.Tensor) -> tuple[bool, bool]:
        kernel, reference = in_kernel(values, places), in_reference(values, places)
        return not _equal(kernel, bases[0]), not _equal(reference, bases[1])

    everything = torch.ones(values.shape, dtype=torch.bool).nonzero()
    depended = _dependent(everything, lambda places: takes(places)[1])
    for piece in _pieces(depended):
        kernel, reference = takes(piece)
        if reference and not kernel:
            # The first of those in a row, which may begin in the piece before.
            first = int((depended == piece[0]).all(1).nonzero()[0])
            while first and takes(depended[first - 1 : first]) == (False, True):
                first -= 1
            return False, tuple(int(i) for i in depended[first])
    taken = _dependent(everything, lambda places: takes(places)[0])
    for piece in _pieces(taken):
        if takes(piece) == (True, False):
            return True, tuple(int(i) for i in piece[0])
    return None


def _equal(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def _dependent(
    places: torch.Tensor, takes: Callable[[torch.Tensor], bool], most: int = 4 * _PIECES
) -> torch.Tensor:
    """Those of `places` that matter, but for pieces that are too small to look at."""
    kept = [places]
    for _ in range(most.bit_length()):
        if len(kept) * 2 > most:
            break
        halves = [half for piece in kept for half in piece.tensor_split(2) if len(half)]
        kept = [half for half in halves if takes(half)]
        if all(len(piece) == 1 for piece in kept):
            break
    return torch.cat(kept) if kept else places[:0]


def _pieces(places: torch.Tensor) -> Iterator[torch.Tensor]:
    """Pieces in order, and smaller and smaller ones at both ends, where loops and masks are."""
    size = 1
    while 2 * size <= len(places):
        yield places[-size:]
        yield places[:size]
        size *= 2
    yield from places.tensor_split(min(_PIECES, max(len(places), 1)))


def _describe_load(
    launch: _Launch, name: str, view: View, taken: bool, index: tuple[int, ...]
) -> GuiltyLine | None:
    recording, wrong = launch.recording, launch.wrong
    assert recording.types is not None
    flat = [part for one in parameters(recording.types) for part in one.flat()]
    names = [name for one in flat for name in one.value_names()]
    loads = [
        value
        for value in probes.probe(recording.ttir).values
        if value.parameter >= 0
        and names[value.parameter].partition(".")[0] == name.partition(".")[0]
    ]
    if not loads:
        return None
    element = f"{name}{list(index)}"
    result = f"for element {list(wrong.index)} of the result"
    load = next((one for one in loads if one.loop), loads[0])
    if taken:
        why = f"this takes {element} {result}, and the reference does not"
        return GuiltyLine(load.file, load.line, load.column, why)
    if load.loop:
        why = f"this loop never takes {element} {result}, and the reference does"
        return GuiltyLine(load.loop["file"], load.loop["line"], load.loop["column"], why)
    why = f"{element} is not read, or goes, {result}; the reference takes it"
    return GuiltyLine(load.file, load.line, load.column, why)
