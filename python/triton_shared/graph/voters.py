"""Who computes a candidate when it is verified: one of several, who must not disagree.

fast         the compiler for CPUs, as users have it; it is asked at all gates
reference    its plain form: loops as they stand, nothing reordered
interpreter  Triton's own, in a process that was started with TRITON_INTERPRET=1
triton, shared   a GPU, by Triton's compiler or by ours
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

import torch

from .ir import GraphError
from .program import Plan
from .targets import TARGETS

_MODE = "TRITON_SHARED_MODE"


@dataclass(frozen=True)
class Voter:
    """One who computes."""

    name: str
    device: str = "cpu"
    target: str = ""
    """Whose compiler makes kernels for a GPU."""
    mode: str = ""
    """How ours makes those for a CPU, if not as it is set."""

    @property
    def asks_all(self) -> bool:
        """Whether all gates are asked of it; else those that compare numbers."""
        return self.name == FAST

    def knows(self, plan: Plan) -> bool:
        """Whether it can compute a plan as Triton means it.

        Triton's interpreter has no functions of libdevice, and cuts f32 off where bf16 is rounded.
        """
        if self.name != INTERPRETER:
            return True
        is_cut_off = any(node.dtype == torch.bfloat16 for node in plan.graph.nodes)
        return not is_cut_off and not any(text.uses_libdevice for text in plan.texts())

    @contextmanager
    def launching(self) -> Iterator[None]:
        """Inside the block, kernels are launched as this one wants."""
        from ..device import device

        before = os.environ.get(_MODE)
        if self.mode:
            os.environ[_MODE] = self.mode
        try:
            with device("cpu") if self.device == "cpu" else nullcontext():
                yield
        finally:
            if self.mode:
                os.environ.pop(_MODE)
                os.environ |= {_MODE: before} if before is not None else {}


FAST, INTERPRETER = "fast", "interpreter"
VOTERS = {
    voter.name: voter
    for voter in (
        Voter(FAST),
        Voter("reference", mode="reference"),
        Voter(INTERPRETER),
        *(Voter(target, "cuda", target) for target in TARGETS),
    )
}
"""By name."""


def voter_of(name: str) -> Voter:
    """The one of that name. Raises GraphError if it is none, or cannot compute in this process."""
    if name not in VOTERS:
        raise GraphError(f"who computes is one of {', '.join(VOTERS)}, not '{name}'")
    interprets = os.environ.get("TRITON_INTERPRET") == "1"
    if interprets != (name == INTERPRETER):
        raise GraphError(f"'{name}' needs another setting of TRITON_INTERPRET in this process")
    return VOTERS[name]
