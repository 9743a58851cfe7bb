"""What the tests of liger-kernel share: the package, the list of cases, and random inputs.

A case returns tensors to differentiate by, the function of the package, and what it should be.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
import torch

# The package's own switch: one configuration per kernel of its mixture of experts, not 32.
os.environ.setdefault("LIGER_FUSED_MOE_AUTOTUNE", "0")
ops = pytest.importorskip("liger_kernel.ops")
liger = pytest.importorskip("liger_kernel.transformers.functional")

Function = Callable[..., Any]
Case = Callable[[], tuple[tuple[torch.Tensor, ...], Function, Function]]
CASES: list[Any] = []


def case(make: Case) -> Case:
    CASES.append(pytest.param(make, id=make.__name__))
    return make


def nightly(make: Case) -> Case:
    CASES.append(pytest.param(make, id=make.__name__, marks=pytest.mark.nightly))
    return make


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(shape)


def labels(rows: int, classes: int, ignored: int = 1) -> torch.Tensor:
    """Random classes, and -100 in the last `ignored` rows."""
    target = torch.randint(0, classes, (rows,))
    target[rows - ignored :] = -100
    return target


def rms(x: torch.Tensor, eps: float) -> torch.Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    low, high = x.chunk(2, -1)
    return x * cos + torch.cat((-high, low), -1) * sin
