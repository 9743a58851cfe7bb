"""TRITON_KERNEL_OVERRIDE for the phases that are ours: Triton reads back only its own."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from triton_shared import library
from triton_shared.launcher import accept

from . import cache


@functools.cache
def install() -> None:
    """Makes Triton hand over the content of a file for any phase."""
    from triton.compiler import compiler

    original = compiler.parse

    def parse(name: str, phase: str, context: Any) -> Any:
        ways = library.phases("cpu"), library.phases("cuda")
        if any(phase in way[1:-1] for way in ways):
            return Path(name).read_text()
        if any(phase == way[-1] for way in ways):
            # Its checksum is not the one that the compiler has written down.
            return cache.remember(accept(Path(name).read_bytes()))
        return original(name, phase, context)

    compiler.parse = parse
