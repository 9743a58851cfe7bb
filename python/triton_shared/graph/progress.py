"""How far a search is: a bar, on terminals only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Told = Callable[[int, float], None]


@contextmanager
def shown(total: int) -> Iterator[Told]:
    """Gives what is to be told: how many candidates are judged, and the best time in seconds."""
    if not sys.stderr.isatty():
        yield lambda judged, best: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("candidates", total=total)

        def told(judged: int, best: float) -> None:
            words = f"candidates, best {best * 1e6:.1f} us" if best < float("inf") else "candidates"
            bar.update(task, completed=judged, description=words)

        yield told
