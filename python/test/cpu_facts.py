"""What the CPU that code is made for can do, as far as results depend on it."""

from __future__ import annotations

import platform
from pathlib import Path

from triton_shared import knobs

_WITHOUT_FMA = ("x86-64", "x86-64-v2")


def has(*features: str) -> bool:
    """Whether this machine is an x86-64 CPU with all of these, by Linux's names."""
    facts = Path("/proc/cpuinfo")
    return platform.machine() == "x86_64" and set(features) <= set(facts.read_text().split())


def multiplies_and_adds() -> bool:
    """Whether code for `TRITON_SHARED_CPU` rounds products and sums once, as `fma` does.

    If not, functions are the C library's: see docs/semantics.md.
    """
    if knobs.cpu().split(",")[0] in _WITHOUT_FMA:
        return False
    return platform.machine() != "x86_64" or has("fma")
