"""Figures of benchmark results and campaigns: speed, error against its bound, coverage.

    python -m triton_shared.plots speed gpu-speed.json -o speed.svg
    python -m triton_shared.plots error campaign.sqlite -o error.svg
    python -m triton_shared.plots coverage campaign.sqlite -o coverage.svg

`reading` takes what is to be drawn from files, `figures` draws. matplotlib draws them: `pip install
'triton-shared[plots]'`.
"""

from .figures import coverage, errors, speed
from .reading import Bar, Error, read_coverage, read_errors, read_speed

__all__ = [
    "Bar",
    "Error",
    "coverage",
    "errors",
    "read_coverage",
    "read_errors",
    "read_speed",
    "speed",
]
