"""Checks kernels while they run on the CPU: what they do wrong is named by line, variable and lane.

    with triton_shared.check() as report:
        kernel[grid](x, y, n)
    assert report.is_clean, report.as_text()

`python -m triton_shared.check script.py` does that with a whole script. docs/check.md says what is
found.
"""

from __future__ import annotations

from .finding import Finding, Place, Tensor
from .report import Report
from .session import check

__all__ = ["Finding", "Place", "Report", "Tensor", "check"]
