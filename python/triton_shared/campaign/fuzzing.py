"""Cases of the fuzzer: random programs, and damaged texts and bytecode (python/fuzz)."""

from __future__ import annotations

import importlib
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from .case import FAILED, Outcome
from .kinds import ENDS_PROCESS
from .results import CampaignError


def load(name: str) -> Any:
    """A module of the fuzzer, which the installed package does not have."""
    try:
        return importlib.import_module(f"fuzz.{name}")
    except ModuleNotFoundError as error:
        raise CampaignError(
            f"the fuzzer is not there ({error})\n"
            "it is in the folder python of the repository: name that in PYTHONPATH"
        ) from error


def prepare(kind: str) -> None:
    """Loads the library and what makes programs and mutants."""
    from .. import library

    load("ends").prepare(kind)
    library.version()


def session(kind: str) -> AbstractContextManager[Any]:
    """Nothing has to stand around them."""
    return nullcontext()


def run(kind: str, facts: dict[str, Any]) -> Outcome:
    """How a program or a mutant ends."""
    try:
        status, said = load("ends").end_of(kind, facts["number"])
    except MemoryError:
        return Outcome(FAILED, "there is not enough memory")
    # What a kernel did to the GPU's context would be blamed on all that follow.
    return Outcome(status, said[:4000], {ENDS_PROCESS: True} if "CUDA" in said else {})
