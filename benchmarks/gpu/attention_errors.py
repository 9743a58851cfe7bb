"""How far attention is from f64, with scores that make a softmax over blocks raise its maximum.

    python -m benchmarks.gpu.attention_errors FOLDER

writes attention-errors.json there: for each kind of scores, the largest error of Triton's own
backend and of each mode of ours, and how many results are no numbers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch
import triton

from . import tensors
from .attentions import LOG2_E, SOFTMAXES, Shape, masked, plain
from .problem import Problem, Tensors
from .speed import launch, side

HIGHEST = 200.0
"""The largest score of a trend, in powers of two."""
JUMP = 40
"""Every so many keys one has such a score."""


def _trend(kind: str, length: int) -> torch.Tensor:
    """What is added to the scores of each key, in powers of two."""
    line = torch.linspace(-HIGHEST, HIGHEST, length)
    if kind == "jumping":
        return HIGHEST * (torch.arange(length) % JUMP == JUMP - 1) * torch.linspace(0, 1, length)
    return {"growing": line, "shrinking": line.flip(0)}.get(kind, torch.zeros(length))


KINDS = ("alike", "growing", "shrinking", "jumping")
SHAPES = tuple(
    Shape(4, 1024, dims, dtype=dtype, causal=causal)
    for dims in (64, 128)
    for causal in (False, True)
    for dtype in (torch.float16, torch.bfloat16)
)


def inputs(shape: Shape, kind: str) -> Tensors:
    """Queries whose first number is one, and keys whose first number is the trend."""
    made = shape.inputs(torch.Generator(device=tensors.DEVICE).manual_seed(1))
    made[0][..., 0] = 1
    made[1][..., 0] = _trend(kind, shape.length).to(made[1]) / (shape.scale * LOG2_E)
    return made


def problems(shape: Shape, softmax: str) -> list[Problem]:
    """Both forms of the source."""
    found = [plain(shape, by_descriptors=True, softmax=softmax)]
    return [*found, masked(shape, softmax) if shape.causal else plain(shape, softmax=softmax)]


def measure(kind: str) -> dict[str, Any]:
    """The row of one kind: errors are relative to the norm of the result."""
    row: dict[str, Any] = {"kind": kind, "error": {}, "not numbers": {}, "runs": 0}
    for shape in SHAPES:
        memory = inputs(shape, kind)
        expected = shape.expected(memory)
        for name in ("triton", *SOFTMAXES):
            for problem in problems(shape, "exact" if name == "triton" else name):
                for config in problem.configs[1:5:3]:
                    memory[-1].zero_()
                    with side("triton" if name == "triton" else "ours"):
                        launch(problem, "triton" if name == "triton" else "ours", memory, config)
                    torch.cuda.synchronize()
                    found = memory[-1].double()
                    wrong = int(found.isnan().sum())
                    error = float((found - expected).norm() / expected.norm())
                    row["error"][name] = max(row["error"].get(name, 0.0), error)
                    row["not numbers"][name] = row["not numbers"].get(name, 0) + wrong
                    row["runs"] += 1
    return row


def main(words: list[str]) -> int:
    """Writes attention-errors.json."""
    rows = [measure(kind) for kind in KINDS]
    result = {"gpu": torch.cuda.get_device_name(), "triton": triton.__version__, "rows": rows}
    (Path(words[1]) / "attention-errors.json").write_text(json.dumps(result, indent=1) + "\n")
    for row in rows:
        print(json.dumps(row))
    return int(any(sum(row["not numbers"].values()) for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
