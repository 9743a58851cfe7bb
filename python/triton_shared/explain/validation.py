"""Whether a launch leaves the same everywhere: our fast code, our reference, Triton's interpreter,
our code for a GPU on one, and in the emulator.

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
from ..diff.comparison import LaunchReport, TensorReport, Worst
from ..diff.recording import Recording
from ..terminal import Say, say_nothing

REFERENCE = "cpu"
GPU = "shared_cuda"
TARGETS = ("cpu-fast", "interpreter", GPU)
"""What is compared with our reference."""
_MOST_CELLS = 32


def validate(
    launch: Recording, targets: Sequence[str] = TARGETS, say: Say = say_nothing
) -> list[dict[str, Any]]:
    """Of each target what `schema.json` has under "validation"; on `emulated` it takes long."""
    with tempfile.TemporaryDirectory(prefix="triton-shared-") as name:
        folder = Path(name)
        launch.save(folder / "0000")
        found = []
        with workers.session():
            for target in targets:
                if target == GPU and not torch.cuda.is_available():
                    found.append(_not_run(target, "torch sees no GPU on this machine"))
                    continue
                say(f"comparing {target} with {REFERENCE}")
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


def _not_run(target: str, why: str) -> dict[str, Any]:
    facts = {"target": target, "against": REFERENCE, "status": "not run", "message": why}
    return {**facts, "seconds": [], "tensors": []}


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
        "worst": _describe_element(worst, tensor.program) if worst else None,
        "first": None,
        "heat": _heat(tensor, launch, folder, target) if worst else [],
    }
    if tensor.first:
        program = _program(tensor, launch, folder)
        described["first"] = _describe_element(tensor.first, program)
    return described


def _program(tensor: TensorReport, launch: Recording, folder: Path) -> tuple[int, int, int] | None:
    """Who wrote the first wrong element, if that is known."""
    assert tensor.first
    assert tensor.worst
    if tensor.first.index == tensor.worst.index:
        return tensor.program
    ttir = launch.ttir or workers.result(folder, REFERENCE).ttir
    if tensor.argument not in launch.views() or not run.can_find_program(ttir):
        return None
    return run.find_program(folder, tensor.argument, tensor.first.index)


def _describe_element(element: Worst, program: tuple[int, int, int] | None) -> dict[str, Any]:
    return {
        "index": list(element.index),
        "left": _number(element.left),
        "right": _number(element.right),
        "error": _number(element.error),
        "ulp": element.ulp,
        "allowed": _number(element.allowed),
        "program": list(program) if program else None,
    }


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
