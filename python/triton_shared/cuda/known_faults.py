"""Versions of ptxas that are known to make wrong code, and of what.

A kernel that is compiled with one of them, and has code of the kind, is warned of once per process:
a `PtxasWarning`, on the standard error as all warnings, which `warnings.filterwarnings` or
TRITON_SHARED_PTXAS_WARNING=0 turn off. What this compiler avoids by itself has no such code in its
PTX, so that only PTX that somebody has replaced is warned of.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .. import knobs
from ..errors import PtxasWarning


@dataclass(frozen=True)
class KnownFault:
    """Something that some versions make wrong."""

    versions: tuple[str, ...]
    what: str
    source: str
    right: str
    """What is known to be right."""
    concerns: Callable[[str, Sequence[str]], bool]
    """Whether PTX, assembled with some words for ptxas, has code of the kind."""


_CHOICE = re.compile(r"\bselp\.b16\s+(%\w+),\s*([^,;]+),\s*([^,;]+),")


def _has_chain_of_choices(ptx: str, words: Sequence[str]) -> bool:
    if "-O0" in words:
        return False
    made: set[str] = set()
    for choice in _CHOICE.finditer(ptx):
        if made & {choice[2].strip(), choice[3].strip()}:
            return True
        made.add(choice[1])
    return False


def _allocates_more_freely(ptx: str, words: Sequence[str]) -> bool:
    asked = any(word.startswith("--regAllocOptLevel") and word[-1] > "0" for word in words)
    return asked and ".target sm_90a" in ptx and "wgmma.mma_async" in ptx


KNOWN = (
    KnownFault(
        ("12.8.93",),
        "takes the wrong half of a register in chains of 16-bit selects (selp.b16)",
        "docs/architecture.md",
        "it is right with -O0; this compiler chooses 32 bits instead",
        _has_chain_of_choices,
    ),
    KnownFault(
        ("12.8.93", "13.0.88"),
        "makes wrong code of matrix products on sm_90a with --regAllocOptLevel=2",
        "https://github.com/fla-org/flash-linear-attention/pull/1262",
        "13.1.80 is right",
        _allocates_more_freely,
    ),
)


def find(version: str, ptx: str, words: Sequence[str] = ()) -> list[KnownFault]:
    """The faults of a version that concern this code."""
    return [one for one in KNOWN if version in one.versions and one.concerns(ptx, words)]


_warned: set[int] = set()


def warn(version: str, ptx: str, words: Sequence[str], kernel: str) -> None:
    """Warns of each fault once."""
    if not knobs.warns_of_ptxas():
        return
    for number, fault in enumerate(KNOWN):
        if number in _warned or fault not in find(version, ptx, words):
            continue
        _warned.add(number)
        warnings.warn(
            f"kernel '{kernel}' is assembled by ptxas {version}, which {fault.what}: "
            f"{fault.source}\n{fault.right}; TRITON_PTXAS_PATH names another ptxas, and "
            "TRITON_SHARED_PTXAS_WARNING=0 turns this off",
            PtxasWarning,
            stacklevel=2,
        )
