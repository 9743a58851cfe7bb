"""What a problem is that is timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

Config = dict[str, Any]
Tensors = tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Problem:
    """One row of the table. A set is what one launch reads and writes; its output comes last."""

    name: str
    make: Callable[[torch.Generator], Tensors]
    """One set of random inputs, and the output."""
    launch: Callable[[Tensors, Config], Any]
    configs: tuple[Config, ...]
    torch: Callable[[Tensors], Any] | None
    """The same in torch, into the output."""
    expected: Callable[[Tensors], torch.Tensor]
    """In f64, or exact integers."""
    tolerance: float
    """Of the error's norm, relative to the norm of what is expected."""
    moved: int = 0
    """Bytes that must be read and written."""
    flops: int = 0
    ours: Config = field(default_factory=dict)
    """Options of a launch that this compiler alone knows."""
    adds_up: bool = False
    """Whether the output must be zero before a launch that is checked."""


def clear(problem: Problem, memory: Tensors) -> None:
    """Puts into the output what no launch leaves there, or what it adds to."""
    untouched = float("nan") if memory[-1].is_floating_point() else -1
    memory[-1].fill_(0 if problem.adds_up else untouched)
