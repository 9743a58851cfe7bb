"""A launch where every float is one or more other numbers: its tracks.

A pass has made the kernel of it (lib/Transforms/Validation/FloatTracks.h): each parameter for
floats is one per track, one after the other, and so is memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch

from . import addresses, replay, texts
from .formats import TYPES, of_triton
from .recording import Descriptor, Recording, RecordingError, Reinterpreted, View


@dataclass(frozen=True)
class Track:
    """One of the numbers that stand for a float."""

    ending: str
    """What the name of a parameter ends with on this track; the first one has its own."""
    word: str
    """Triton's for the type."""
    dtype: str
    of_values: Callable[[torch.Tensor], torch.Tensor]
    """What the floats, given in f64, are on this track."""
    pads_with_nan: bool = True


@dataclass(frozen=True)
class Tracked:
    """A launch on tracks."""

    launch: Recording
    twins: dict[int, int]
    """The number of the storage with the second track, for each that has one."""


def transform(
    launch: Recording, pass_name: str, form: str, choose: Callable[[str], list[Track]]
) -> Tracked:
    """The launch on the tracks that `choose` names for the text that the pass leaves.

    `form` is what messages call that.

    Raises RecordingError or CompilationError if it has no such form.
    """
    if not launch.ttir or launch.types is None:
        raise RecordingError("the recording has no TTIR: record the launch again")
    if addresses.has_tables(launch):
        raise RecordingError("memory holds addresses")
    text = texts.apply_passes(launch.ttir, *texts.ONE_FUNCTION, pass_name)
    tracks = choose(text)
    storages, twins = _split_storages(launch, form, tracks)
    arguments: dict[str, Any] = {}
    types: dict[str, Any] = {}
    for name, kind in launch.types.items():
        split = _split(launch.arguments[name], kind, twins, tracks)
        for (value, word), track in zip(split, tracks, strict=False):
            arguments[name + track.ending], types[name + track.ending] = value, word
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
    return Tracked(made, twins)


def _split_storages(
    launch: Recording, form: str, tracks: list[Track]
) -> tuple[list[torch.Tensor], dict[int, int]]:
    """Memory on the first track, and behind it that on the second, with the number of each twin."""
    storages: list[torch.Tensor] = []
    second: list[torch.Tensor] = []
    twins: dict[int, int] = {}
    count = len(launch.storages)
    floats = replay.float_types(launch, form)
    for number, (storage, dtype) in enumerate(zip(launch.storages, floats, strict=True)):
        if dtype is None:
            storages.append(storage.clone())
            continue
        values = replay.promote(storage, dtype)
        storages.append(tracks[0].of_values(values).view(torch.uint8))
        if len(tracks) == 2:
            twins[number] = count + len(second)
            second.append(tracks[1].of_values(values).view(torch.uint8))
    return [*storages, *second], twins


def _split(
    value: Any, kind: Any, twins: dict[int, int], tracks: list[Track]
) -> list[tuple[Any, Any]]:
    """An argument and its type, or what takes its place: one for each track."""
    if isinstance(kind, (tuple, list)):
        # Members stand beside each other, as all parameters.
        pairs = zip(value, kind, strict=True)
        parts = [part for v, k in pairs for part in _split(v, k, twins, tracks)]
        return [(tuple(v for v, _ in parts), tuple(k for _, k in parts))]
    words = [texts.with_number(kind, track.word) for track in tracks]
    if isinstance(value, Reinterpreted):
        is_float = TYPES[value.base.dtype].is_floating_point
        if is_float != TYPES[of_triton(value.dtype, "int8")].is_floating_point:
            raise RecordingError("memory of floats is taken for another type")
        value = value.base
    if kind == texts.with_number(kind, "i64"):
        return [(value, kind)]  # No float.
    return list(zip(_on_tracks(value, kind, twins, tracks), words, strict=True))


def _on_tracks(value: Any, kind: Any, twins: dict[int, int], tracks: list[Track]) -> list[Any]:
    if isinstance(value, Descriptor):
        bases = _on_tracks(value.base, kind, twins, tracks)
        return [
            replace(value, base=base, padding=value.padding if track.pads_with_nan else "zero")
            for base, track in zip(bases, tracks, strict=True)
        ]
    if isinstance(value, View):
        places = (value.storage, twins.get(value.storage, value.storage))
        return [
            replace(value, dtype=track.dtype, storage=place)
            for track, place in zip(tracks, places, strict=False)
        ]
    if isinstance(value, (int, float)):
        dtype = TYPES[of_triton(kind, "float64")]
        number = torch.tensor(float(value), dtype=dtype).double()
        return [track.of_values(number).item() for track in tracks]
    return [value for _ in tracks]
