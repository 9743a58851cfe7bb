"""Whether a launch leaves the same everywhere: our fast code, our reference, Triton's interpreter,
our code for a GPU in the emulator.

Replays and bounds are those of `triton_shared.diff`.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from ..diff import run, workers
from ..diff.comparison import LaunchReport, TensorReport
from ..diff.recording import Recording

REFERENCE = "cpu"
TARGETS = ("cpu-fast", "interpreter")
"""What is compared with our reference."""
_MOST_CELLS = 32


def validate(launch: Recording, targets: Sequence[str] = TARGETS) -> list[dict[str, Any]]:
    """Of each target what `schema.json` has under "validation"; on `emulated` it takes long."""
    with tempfile.TemporaryDirectory(prefix="triton-shared-") as name:
        folder = Path(name)
        launch.save(folder / "0000")
        found = []
        with workers.session():
            for target in targets:
                (report,) = run.compare_all(folder, (REFERENCE, target))
                found.append(_describe(report, launch, folder / "0000", target))
        return found


def _describe(report: LaunchReport, launch: Recording, folder: Path, target: str) -> dict[str, Any]:
    return {
        "target": target,
        "against": REFERENCE,
        "status": report.status,
        "message": report.message,
        "seconds": list(report.seconds),
        "tensors": [
            _describe_tensor(one, launch, folder, target)
            for one in report.tensors
            if one.worst or not one.is_equal or one.argument in launch.views()
        ],
    }


def _describe_tensor(
    tensor: TensorReport, launch: Recording, folder: Path, target: str
) -> dict[str, Any]:
    worst = tensor.worst
    described: dict[str, Any] = {
        "argument": tensor.argument,
        "dtype": tensor.dtype,
        "shape": list(tensor.shape),
        "bound": tensor.policy,
        "wrong": tensor.wrong,
        "margin": _number(tensor.margin),
        "worst": None,
        "program": list(tensor.program) if tensor.program else None,
        "heat": [],
    }
    if worst:
        described["worst"] = {
            "index": list(worst.index),
            "left": _number(worst.left),
            "right": _number(worst.right),
            "error": _number(worst.error),
            "ulp": worst.ulp,
            "allowed": _number(worst.allowed),
        }
        described["heat"] = _heat(tensor, launch, folder, target)
    return described


def _heat(tensor: TensorReport, launch: Recording, folder: Path, target: str) -> list[list[float]]:
    """The differences of parts of the tensor, as multiples of what the worst element may have."""
    view = launch.views().get(tensor.argument)
    if view is None or not tensor.worst:
        return []
    left, right = (view.of(workers.result(folder, one).buffers) for one in (REFERENCE, target))
    error = (left.double() - right.double()).abs().nan_to_num(nan=math.inf)
    allowed = tensor.worst.allowed or 1.0
    flat = error.reshape(-1, error.shape[-1]) if error.dim() > 1 else _square(error)
    pooled = torch.nn.functional.adaptive_max_pool2d(
        (flat / allowed)[None], tuple(min(_MOST_CELLS, n) for n in flat.shape)
    )[0]
    return [[_number(value) or 0.0 for value in row] for row in pooled.tolist()]


def _square(line: torch.Tensor) -> torch.Tensor:
    """A line as rows of one length, the last one filled with zeros."""
    width = max(1, math.ceil(math.sqrt(line.numel())))
    padded = torch.zeros(math.ceil(line.numel() / width) * width, dtype=line.dtype)
    padded[: line.numel()] = line
    return padded.reshape(-1, width)


def _number(value: float) -> float:
    """JSON has no infinity; nothing is as large as this."""
    return value if math.isfinite(value) else 1e300
