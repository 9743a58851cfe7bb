"""Gives what a launch returns a method `explain`, beside Triton's `asm` and `metadata`.

`add_kernel[grid](...).explain()` is `triton_shared.explain(add_kernel[grid](...))`.
"""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def install() -> None:
    """Adds the method, unless Triton has one of this name by then."""
    from triton.compiler.compiler import CompiledKernel

    if not hasattr(CompiledKernel, "explain"):
        CompiledKernel.explain = _explain


def _explain(kernel: Any) -> Any:
    """Prints and returns how the kernel accesses memory; `.write("kernel.html")` makes a page."""
    import triton_shared

    return triton_shared.explain(kernel)
