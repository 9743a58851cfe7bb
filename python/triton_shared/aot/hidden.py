"""What the launchers in C pass for the hidden parameters of a kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..launcher import hidden_kinds

_GRID = {
    "grid.x": ("uint32_t", "(uint32_t)gridX"),
    "grid.y": ("uint32_t", "(uint32_t)gridY"),
    "grid.z": ("uint32_t", "(uint32_t)gridZ"),
}
_PASSED = {
    "cuda": _GRID,
    # One call runs the whole grid.
    "cpu": _GRID
    | {
        "programs.first": ("int64_t", "0"),
        "programs.count": ("int64_t", "gridX * gridY * gridZ"),
        "programs.running": ("int64_t *", "&running"),
    },
}
"""By target and kind, the type and the value, in terms of the template."""


@dataclass(frozen=True)
class HiddenParameter:
    """A parameter that callers of the launcher do not see."""

    kind: str
    c_type: str
    c_value: str


def hidden_parameters(
    kernel: str, target: str, hidden: Iterable[Mapping[str, Any]]
) -> tuple[HiddenParameter, ...]:
    """Those that the kernel's metadata lists, in order."""
    passed = _PASSED[target]
    return tuple(
        HiddenParameter(kind, *passed[kind]) for kind in hidden_kinds(kernel, hidden, passed)
    )
