"""Checks kernels while they run on the CPU: what they do wrong is named by line, variable and lane.

    with triton_shared.check() as report:
        kernel[grid](x, y, n)
    assert report.is_clean, report.as_text()

`python -m triton_shared.check script.py` does that with a whole script. docs/check.md says what is
found.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .session import check

if TYPE_CHECKING:
    from .finding import Finding, Place, Tensor
    from .report import Report

__all__ = ["Finding", "Place", "Report", "Tensor", "check"]

_HOMES = {"Finding": "finding", "Place": "finding", "Tensor": "finding", "Report": "report"}


def __getattr__(name: str) -> Any:
    # Whoever compiles kernels loads this package; what reports are made of comes with the first.
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
