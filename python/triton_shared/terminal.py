"""What is said while something takes long: on a terminal, and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Say = Callable[[str], None]
"""Told what goes on now."""
Told = Callable[[int, str], None]
"""Told how many steps are done, and what goes on now."""


def say_nothing(what: str) -> None:
    """Where nobody listens."""


@contextmanager
def working(what: str) -> Iterator[Say]:
    """Says on the standard error what goes on, and for how long, until the block ends.

    Nothing is left behind. Where that is no terminal, or `rich` is not installed, nothing is said.
    """
    with _shown(what, None) as told:
        yield lambda what: told(0, what)


@contextmanager
def counting(what: str, total: int) -> Iterator[Told]:
    """The same with a bar of `total` steps."""
    with _shown(what, total) as told:
        yield told


@contextmanager
def _shown(what: str, total: int | None) -> Iterator[Told]:
    if not sys.stderr.isatty():
        yield lambda done, what: None
        return
    try:
        from rich import progress
        from rich.console import Console
    except ImportError:
        yield lambda done, what: None
        return
    columns: list[Any] = [progress.TextColumn("{task.description}"), progress.TimeElapsedColumn()]
    if total is None:
        columns.insert(0, progress.SpinnerColumn())
    else:
        columns[1:1] = [progress.BarColumn(), progress.MofNCompleteColumn()]
    # What is printed meanwhile goes where it would have gone.
    kept = {"redirect_stdout": False, "redirect_stderr": False}
    with progress.Progress(*columns, console=Console(stderr=True), transient=True, **kept) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done, what: bar.update(task, completed=done, description=what)
