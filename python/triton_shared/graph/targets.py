"""Which compiler makes a graph's kernels for a GPU: Triton's own, or ours.

Kernels of tensors of a CPU are always compiled by us.
"""

from __future__ import annotations

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
    if target == "shared":
        return device("cuda")
    if target == "triton":
        import triton

        return active_driver(triton.backends.backends["nvidia"].driver())
    return nullcontext()
