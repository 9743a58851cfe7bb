"""All gates of one candidate, in the order in which they cost: what workers of a search do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .cost import SHARED
from .ir import Graph
from .program import Plan, Program
from .rules import expanded
from .shared_memory import shared_bytes
from .verify import Verdict, verify


def judge(
    graph: Graph, plan: Plan, target_cc: int | None, targets: Sequence[str] = ("triton",)
) -> Verdict:
    """What is wrong with a candidate, if anything is.

    With a capability, one of the compilers must make kernels that fit there; this comes first.
    """
    if target_cc is not None:
        refusals = []
        for target in targets:
            refused = fits(graph, plan, target_cc, target)
            refusals += [refused] if refused else []
        if len(refusals) == len(targets):
            return refusals[0]
    return verify(graph, plan)


def fits(graph: Graph, plan: Plan, target_cc: int, target: str) -> Verdict | None:
    """Why a compiler's kernels do not run on such a GPU; None if they should."""
    limit = SHARED[target_cc] * 1024
    try:
        taken = shared_bytes(Program(graph, plan, target), target_cc, target)
    except Exception as error:
        told = f"for cuda:{target_cc}, {target}: {type(error).__name__}: {error}"
        return Verdict("COMPILE", told[:500])
    if taken <= limit:
        return None
    return Verdict("SHARED", f"its shared memory usage exceeds the limit: {taken} of {limit} bytes")


class FullSize:
    """What a graph gives at the sizes for which it is searched."""

    def __init__(self, graph: Graph, inputs: Sequence[Any]) -> None:
        self.expected = expanded(graph).expect(inputs)

    def wrong(self, found: Sequence[Any]) -> str:
        """What is wrong with results; empty if nothing is."""
        for place, (one, right) in enumerate(zip(found, self.expected, strict=True)):
            error = (one.double() - right.value).abs()
            known = right.error.isfinite() & right.value.isfinite()
            wrong = torch.where(known, ~(error <= right.error), False)
            if bool(wrong.any()):
                return f"output {place}: {int(wrong.sum())} elements are wrong at full size"
        return ""
