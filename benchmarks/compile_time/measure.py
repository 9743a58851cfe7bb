"""Compiles a kernel by one of the two compilers, without a cache, and says what that takes."""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import triton_shared  # noqa: F401 (registers our targets)
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import make_backend

from .cases import Case

SIDES = {"ours": GPUTarget("shared_cuda", 90, 32), "triton": GPUTarget("cuda", 90, 32)}
"""What each compiler is asked for by Triton's front end: the same GPU."""


@dataclass(frozen=True)
class Cost:
    """Seconds from TTIR to a cubin."""

    stages: dict[str, float]
    """CPU time of the compiler's own process, with the text of each stage, which Triton keeps."""
    ptxas: float
    """CPU time of NVIDIA's assembler, a process of its own."""
    wall: float
    """As a clock sees both."""

    @property
    def own(self) -> float:
        """Without the assembler."""
        return sum(self.stages.values())

    @property
    def whole(self) -> float:
        """With it."""
        return self.own + self.ptxas


def compile_case(case: Case, side: str) -> Cost:
    """One compilation; what comes before TTIR is the same for both, and not counted."""
    target, source = SIDES[side], case.source()
    backend = make_backend(target)
    options = backend.parse_options(dict(case.options))
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, source.language)
    front_end = backend.get_codegen_implementation(options), backend.get_module_map(), context
    module = source.make_ir(target, options, *front_end)
    metadata: dict[str, Any] = {"target": target, **options.__dict__}
    module = stages.pop("ttir")(module, metadata)

    own: dict[str, float] = {}
    wall, assembler = time.perf_counter(), _cpu_time(resource.RUSAGE_CHILDREN)
    for name, stage in stages.items():
        before = _cpu_time(resource.RUSAGE_SELF)
        module = stage(module, metadata)
        if not isinstance(module, (str, bytes)):
            str(module)
        own[name] = _cpu_time(resource.RUSAGE_SELF) - before
    wall = time.perf_counter() - wall
    return Cost(own, _cpu_time(resource.RUSAGE_CHILDREN) - assembler, wall)


def _cpu_time(whose: int) -> float:
    usage = resource.getrusage(whose)
    return usage.ru_utime + usage.ru_stime


def least(costs: Sequence[Cost]) -> dict[str, float]:
    """The least of each, in milliseconds, as other processes only make one longer."""
    parts = ("own", "ptxas", "whole", "wall")
    return {part: min(getattr(cost, part) for cost in costs) * 1e3 for part in parts}


def compare(case: Case, repeat: int) -> dict[str, Any]:
    """A row of the table: both compilers in turn, `repeat` times, after one that does not count."""
    costs: dict[str, list[Cost]] = {side: [] for side in SIDES}
    for number in range(repeat + 1):
        for side, found in costs.items():
            cost = compile_case(case, side)
            if number:
                found.append(cost)
    best = {side: min(found, key=lambda cost: cost.own) for side, found in costs.items()}
    return {
        "name": case.name,
        "ms": {side: least(found) for side, found in costs.items()},
        "stages_ms": {
            side: {name: seconds * 1e3 for name, seconds in cost.stages.items()}
            for side, cost in best.items()
        },
    }


def compare_all(cases: Sequence[Case], repeat: int) -> dict[str, Any]:
    """The same for all configurations of a kernel, one after the other, as autotuning does it. The
    compilers take turns at each, so that both find the machine as busy as it is."""
    parts = ("own", "ptxas", "whole", "wall")
    rows = [compare(case, repeat)["ms"] for case in cases]
    ms = {side: {part: sum(row[side][part] for row in rows) for part in parts} for side in SIDES}
    return {"configurations": len(cases), "ms": ms}
