"""The kinds of cases: what each does with a case, in a process of its own.

The modules of a kind are imported once per worker, before its processes are forked off.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from .case import Outcome


class Doing(Protocol):
    """What the module of a kind has."""

    def prepare(self, kind: str) -> None:
        """Imports what cases need: once, before any of them. Starts no threads."""

    def session(self, kind: str) -> AbstractContextManager[Any]:
        """Stands around the cases of a process."""

    def run(self, kind: str, facts: dict[str, Any]) -> Outcome:
        """Does one."""


@dataclass(frozen=True)
class Kind:
    """How cases of a kind are done, and how they may end."""

    module: str
    most: int
    """So many cases share a process; one that dies costs one of them, the others get a new one."""
    fine: Sequence[str]
    """How a case may end in which nothing is wrong."""
    timeout: float
    """Seconds for a case, unless somebody says otherwise."""
    deaths_are_finds: bool = False
    """Whether a case that ends its process has found something; else it could not run."""

    def load(self) -> Doing:
        """Its module."""
        made: Doing = importlib.import_module(self.module, __package__)
        return made


_PROGRAMS = Kind(".fuzzing", 25, ("right", "ordered"), 120, True)
_GRAPHS = Kind(".graphing", 25, ("right", "inexact", "hopeless"), 300, True)
_MUTANTS = Kind(".fuzzing", 250, ("compiled", "refused"), 300, True)

ENDS_PROCESS = "ends_process"
"""In the result of a case after which the others want another process: a GPU is lost."""

GRAPHS = "graph-"
"""Begins the kinds of random graphs; what follows is who computes (`graph.voters`)."""
_VOTERS = ("fast", "reference", "interpreter", "triton", "shared")

LIST = "list"
"""Asks a file for its cases; of no campaign."""

KINDS = {
    "check": Kind(".checking", 1, ("clean",), 600),
    "diff": Kind(".comparing", 8, ("equal",), 1200),
    "opinfo": Kind("clients.opinfo", 30, ("right", "theirs", "nothing"), 180, True),
    LIST: Kind(".listing", 1, ("listed",), 600),
    **dict.fromkeys(("reference", "fast", "gpu"), _PROGRAMS),
    **dict.fromkeys(("text", "bytecode"), _MUTANTS),
    **dict.fromkeys((GRAPHS + voter for voter in _VOTERS), _GRAPHS),
}
