"""What a kernel would take on a machine: an estimate to order candidates, and a lower bound.

The estimate believes in a cache that serves every load; the bound counts each tensor once, at rates
that no such machine exceeds. Only the bound ever rules a candidate out.

What a GPU can do at most follows from what it says of itself (multiprocessors, clocks, width of its
memory) and from how many products a multiprocessor of its capability computes per clock, as
NVIDIA's white papers have it. What no document says was measured on an H200, by
`scripts/gpu-check --there --graph`: benchmarks/results/graph.json, `rates`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from .ir import Node
from .tiles import KernelText


@dataclass(frozen=True)
class Machine:
    """Rates in units per second, and times in seconds."""

    name: str
    units: int
    """Programs that run side by side."""
    flops: float
    """Of matrix products of 16-bit floats, at most."""
    cache: float
    """Bytes from the cache, at most."""
    memory: float
    """Bytes from memory, at most."""
    launch: float
    turn: float
    """Of a turn of a loop, besides what it computes and loads."""
    shortest: float
    """Of a launch, at the very least."""
    shared: int = 0
    """Bytes of shared memory for a program; 0 if that is no matter."""

    def estimate(self, text: KernelText) -> float:
        """Seconds that a kernel may take."""
        rounds = math.ceil(text.programs / self.units)
        waves = rounds * self.units / text.programs
        work = max(text.flops / (0.5 * self.flops), text.bytes / (0.5 * self.cache)) * waves
        return (
            self.launch
            + rounds * (1 + text.turns) * self.turn
            + max(work, _traffic(text) / self.memory)
        )

    def bound(self, text: KernelText) -> float:
        """Seconds that it takes at least, even if all it reads lies in a cache."""
        return max(text.flops / self.flops, _traffic(text) / self.cache, self.shortest)


def _traffic(text: KernelText) -> float:
    """Bytes of its tensors, each once."""
    return sum((_bytes(node) for node in text.tensors), 0.0)


def _bytes(node: Node) -> float:
    bits = int(torch.finfo(node.dtype).bits)
    return math.prod(node.shape) * bits / 8


SHARED = {80: 163, 86: 99, 87: 163, 89: 99, 90: 227, 100: 227, 103: 227, 120: 99}
"""Kibibytes of shared memory that one program can have, by capability: CUDA's programming guide,
table of technical specifications per compute capability."""

_PER_CLOCK = {80: 2048, 86: 1024, 87: 2048, 89: 1024, 90: 4096, 100: 8192, 103: 8192, 120: 1024}
"""Operations on 16-bit floats of a multiprocessor's tensor cores, by capability."""

_A100 = {"multiprocessors": 108, "clock_kilohertz": 1410000,
         "memory_clock_kilohertz": 1593000, "memory_bus_bits": 5120}  # fmt: skip
_H200 = {"multiprocessors": 132, "clock_kilohertz": 1980000,
         "memory_clock_kilohertz": 3201000, "memory_bus_bits": 6016}  # fmt: skip
"""As these GPUs describe themselves; they stand for others, where there is no GPU to ask."""

LAUNCH, TURN, SHORTEST, CACHE_LINE = 9.9e-7, 1.7e-7, 9.9e-7, 64
"""Seconds of a launch in a graph, of a turn with a product, of the shortest launch, as measured;
bytes per clock that the cache can give a multiprocessor (a copy out of it reached 26)."""


def machine(target_cc: int | None, facts: Mapping[str, Any] | None = None) -> Machine:
    """A GPU of that capability; without one, this CPU. Raises ValueError if it is not known.

    `facts` are what the GPU says of itself (`triton_shared.cuda.gpus.facts`); without them it is
    taken for an A100, or from 9.0 on for an H200.
    """
    if target_cc is None:
        cores = os.cpu_count() or 1
        return Machine("cpu", cores, 2e11 * cores, 2e11 * cores, 6e10 * cores, 2e-5, 5e-7, 1e-6)
    if target_cc not in SHARED:
        known = ", ".join(map(str, SHARED))
        raise ValueError(f"target_cc is ten times the capability: {known}; not {target_cc}")
    facts = facts or (_A100 if target_cc < 90 else _H200)
    units = int(facts["multiprocessors"])
    clock = 1e3 * facts["clock_kilohertz"]
    # Two transfers in each clock of the memory.
    memory = 2e3 * facts["memory_clock_kilohertz"] * facts["memory_bus_bits"] / 8
    return Machine(
        f"cuda:{target_cc}",
        units,
        flops=units * clock * _PER_CLOCK[target_cc],
        cache=units * clock * CACHE_LINE,
        memory=memory,
        launch=LAUNCH,
        turn=TURN,
        shortest=SHORTEST,
        shared=SHARED[target_cc] * 1024,
    )


def capability(target_cc: int) -> int:
    """Ten times a compute capability; Mirage's documents write 10 for 10.0."""
    return target_cc * 10 if target_cc < 20 else target_cc
