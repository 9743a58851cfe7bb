"""Descriptors whose reductions take 16-bit floats, which Triton allows only itself.

It asks for a GPU with hardware for them, by the name of its own backend. Ours has each element
reduced by an atomic access, so that every device can.
"""

from __future__ import annotations

import functools
from typing import Any

_OURS = ("cpu", "shared_cuda")


@functools.cache
def install() -> None:
    """Answers the question for kernels that are compiled by this package."""
    from triton.language.semantic import TritonSemantic

    original = TritonSemantic._has_native_tma

    def has_native_tma(semantic: Any) -> bool:
        options = getattr(semantic.builder, "options", None)
        return getattr(options, "backend_name", "") in _OURS or bool(original(semantic))

    TritonSemantic._has_native_tma = has_native_tma
