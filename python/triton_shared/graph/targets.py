"""Which compiler makes a graph's kernels for a GPU: Triton's own, or ours.

Kernels of tensors of a CPU are always compiled by us.
"""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from .ir import GraphError

TARGETS = {"triton": "cuda", "shared": "shared_cuda"}
"""Names of compilers, and what Triton calls their targets."""
FASTEST = "fastest"


def chosen(target: str) -> tuple[str, ...]:
    """The compilers that a word means: one of `TARGETS`, or `fastest`, which is all of them."""
    if target == FASTEST:
        return tuple(TARGETS)
    if target not in TARGETS:
        raise GraphError(f"target is one of {', '.join((*TARGETS, FASTEST))}, not '{target}'")
    return (target,)


def launching(tensor: Any, target: str = "") -> AbstractContextManager[None]:
    """Inside the block, kernels run where the tensor is, compiled by `target`.

    Without one, a GPU's kernels go to whichever backend is active.
    """
    from ..device import active_driver, device

    if tensor.device.type == "cpu":
        return device("cpu")
    return active_driver(_driver(target)) if target else nullcontext()


@functools.cache
def _driver(target: str) -> Any:
    """One driver for all launches."""
    if target == "triton":
        import triton

        return triton.backends.backends["nvidia"].driver()
    from ..backend.gpu.driver import SharedCudaDriver
    from ..cuda import gpus

    gpus.require()
    return SharedCudaDriver()
