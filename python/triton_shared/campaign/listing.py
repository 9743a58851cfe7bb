"""Asks files for the cases that they have: in a process, since it runs them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from .case import FAILED, Outcome


def prepare(kind: str) -> None:
    """Imports what files import."""
    from . import checking

    checking.prepare(kind)


def session(kind: str) -> AbstractContextManager[Any]:
    """Nothing has to stand around them."""
    return nullcontext()


def run(kind: str, facts: dict[str, Any]) -> Outcome:
    """The labels of a Python file."""
    from .. import device, run
    from . import sources

    try:
        with device("cpu"), run.cuda_means_cpu():
            return Outcome("listed", result={"labels": sources.labels(facts["file"])})
    except Exception as error:
        return Outcome(FAILED, f"{type(error).__name__}: {error}")
