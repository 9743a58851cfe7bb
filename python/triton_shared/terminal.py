"""What is said while something takes long: on a terminal, and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def working(what: str) -> Iterator[None]:
    """Says on the standard error what goes on, and for how long, until the block ends.

    Nothing is left behind. Where that is no terminal, or `rich` is not installed, nothing is said.
    """
    if not sys.stderr.isatty():
        yield
        return
    try:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    except ImportError:
        yield
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    # What is printed meanwhile goes where it would have gone.
    kept = {"redirect_stdout": False, "redirect_stderr": False}
    with Progress(*columns, console=Console(stderr=True), transient=True, **kept) as bar:
        bar.add_task(what, total=None)
        yield
