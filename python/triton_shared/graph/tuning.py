"""Kernels with several configurations, of which `triton.autotune` picks one where they run.

The configurations are those of plans that cut a graph in the same way and were verified, too. A
kernel takes what leaves its text as it is: blocks by which the same sizes can be divided, warps and
stages. Kernels of a split loop agree on how they leave its parts, so that their blocks stay.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .tiles import KernelText


@dataclass(frozen=True)
class Configuration:
    """What `triton.Config` takes."""

    extents: tuple[tuple[str, int], ...]
    """Of blocks, by the names of parameters."""
    num_warps: int
    num_stages: int

    @property
    def text(self) -> str:
        """As Python writes it."""
        blocks = json.dumps(dict(self.extents))
        return f"triton.Config({blocks}, num_warps={self.num_warps}, num_stages={self.num_stages})"


@dataclass(frozen=True)
class Tuned:
    """A kernel, and what it may be launched with, the fastest first."""

    text: KernelText
    configurations: tuple[Configuration, ...]

    @property
    def is_tuned(self) -> bool:
        """Whether there is anything to pick."""
        return len(self.configurations) > 1

    @property
    def key(self) -> list[str]:
        """The parameters for whose values a configuration is picked: all sizes of the kernel."""
        return [name for name in self.text.parameters if name.startswith("size_")]

    @property
    def varied(self) -> frozenset[str]:
        """Parameters that configurations set; a launch sets the others."""
        return frozenset(name for name, _ in self.configurations[0].extents)


def tuned(texts: Sequence[KernelText], others: Sequence[Sequence[KernelText]]) -> list[Tuned]:
    """Kernels of a plan, with the configurations that those of others, in the same order, have."""
    return [
        _tuned(text, [some[place] for some in others if len(some) == len(texts)])
        for place, text in enumerate(texts)
    ]


def _tuned(text: KernelText, others: Sequence[KernelText]) -> Tuned:
    alike = [text, *(other for other in others if _is_alike(text, other))]
    configurations = tuple(dict.fromkeys(map(_configuration, alike)))
    if len(configurations) == 1:
        return Tuned(text, configurations)
    # A file refuses sizes that one of its configurations would want masks for.
    largest = [
        replace(axis, block=max(one.axes[place].block for one in alike))
        for place, axis in enumerate(text.axes)
    ]
    return Tuned(replace(text, axes=largest, parameters=_with_sizes(text)), configurations)


def _is_alike(one: KernelText, other: KernelText) -> bool:
    """Whether only numbers that a launch gives tell them apart."""
    if (one.name, one.lines, one.parameters) != (other.name, other.lines, other.parameters):
        return False
    if one.split_axis and [a.block for a in one.axes] != [a.block for a in other.axes]:
        return False
    return [(a.name, a.block == 0) for a in one.axes] == [
        (a.name, a.block == 0) for a in other.axes
    ]


def _configuration(text: KernelText) -> Configuration:
    extents = tuple(
        (f"BLOCK_{axis.name}", axis.block)
        for axis in text.axes
        if axis.block and f"BLOCK_{axis.name}" in text.parameters
    )
    return Configuration(extents, text.blocks.num_warps, text.blocks.num_stages)


def _with_sizes(text: KernelText) -> list[str]:
    """The parameters, with all sizes of the kernel among them."""
    sizes = [f"size_{axis.symbol}" for axis in text.axes if axis.symbol]
    new = [name for name in dict.fromkeys(sizes) if name not in text.parameters]
    at = sum(not name.startswith("BLOCK_") for name in text.parameters)
    return [*text.parameters[:at], *new, *text.parameters[at:]]
