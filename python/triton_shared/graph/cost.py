"""What a kernel would take on a machine: an estimate to order candidates, and a lower bound.

The estimate believes in a cache that serves every load; the bound counts each tensor once, at rates
that no such machine exceeds. Only the bound ever rules a candidate out.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

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
    """Of matrix products of 16-bit floats."""
    cache: float
    """Bytes from the cache."""
    memory: float
    """Bytes from memory; for a bound, of what may lie in a cache."""
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
        """Seconds that it takes at least."""
        return max(text.flops / self.flops, _traffic(text) / self.memory, self.shortest)


def _traffic(text: KernelText) -> float:
    """Bytes of its tensors, each once."""
    return sum((_bytes(node) for node in text.tensors), 0.0)


def _bytes(node: Node) -> float:
    bits = int(torch.finfo(node.dtype).bits)
    return math.prod(node.shape) * bits / 8


SHARED = {80: 163, 86: 99, 87: 163, 89: 99, 90: 227, 100: 227, 103: 227, 120: 99}
"""Kibibytes of shared memory that one program can have, by capability."""

_RATES = {80: (108, 312e12, 4e12, 2.0e12), 90: (132, 990e12, 9e12, 4.9e12)}


def machine(target_cc: int | None) -> Machine:
    """A GPU of that capability; without one, this CPU. Raises ValueError if it is not known."""
    if target_cc is None:
        cores = os.cpu_count() or 1
        return Machine("cpu", cores, 2e11 * cores, 6e10 * cores, 2e11 * cores, 2e-5, 5e-7, 1e-6)
    if target_cc not in SHARED:
        known = ", ".join(map(str, SHARED))
        raise ValueError(f"target_cc is ten times the capability: {known}; not {target_cc}")
    rates = _RATES[max(cc for cc in _RATES if cc <= max(target_cc, 80))]
    return Machine(f"cuda:{target_cc}", *rates, 4e-6, 1e-7, 1.5e-6, SHARED[target_cc] * 1024)


def capability(target_cc: int) -> int:
    """Ten times a compute capability; Mirage's documents write 10 for 10.0."""
    return target_cc * 10 if target_cc < 20 else target_cc
