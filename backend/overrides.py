"""TRITON_KERNEL_OVERRIDE for the phases that are ours: Triton reads back only its own."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from triton_shared.errors import TritonSharedError

_TEXTS = ("structured", "linalg", "memref", "cta", "gpu")


@functools.cache
def install() -> None:
    """Makes Triton hand over the text of a file for any phase."""
    from triton.compiler import compiler

    original = compiler.parse

    def parse(name: str, phase: str, context: Any) -> Any:
        if phase in _TEXTS:
            return Path(name).read_text()
        if phase == "obj":
            raise TritonSharedError(f"an object cannot be overridden ('{name}'); override 'llir'")
        return original(name, phase, context)

    compiler.parse = parse
