"""Bounds that a kernel itself derives: how far off each number that it leaves may be.

The pass `triton-derive-bounds` has it compute beside every float a bound of its error, from those
of its operands (lib/Transforms/Validation/BoundedOperations.cpp). What it was given is exact.
"""

from __future__ import annotations

import torch

from . import replay, tracks
from .recording import Recording

TARGET = "f64-bounds"
"""The CPU, with every float and its bound in f64; it leaves the bounds."""

REFERENCES = (*replay.REFERENCES, TARGET)
"""All that `--error-bound derived` asks for."""

_VALUE = tracks.Track("", "fp64", "float64", lambda values: values)
_BOUND = tracks.Track(" may be off by", "fp64", "float64", torch.zeros_like, pads_with_nan=False)


def derive(launch: Recording) -> replay.Replayed:
    """Per storage of floats, how far off they may be.

    Raises RecordingError or CompilationError where nothing is known of that.
    """
    made = tracks.transform(
        launch, "triton-derive-bounds", "derived bounds", lambda _: [_VALUE, _BOUND]
    )
    left = replay.replay(made.launch, "reference").buffers
    return replay.Replayed(
        [
            left[made.twins[number]].view(torch.float64) if number in made.twins else left[number]
            for number in range(len(launch.storages))
        ]
    )
