"""Says how far a campaign is: a bar on a terminal, else a line now and then. To standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from .case import Case, Outcome
from .kinds import KINDS

_PAUSE = 10.0
"""Seconds between two lines."""

Told = Callable[[Sequence[tuple[Case, Outcome]]], None]


@contextmanager
def shown(total: int, done: int) -> Iterator[Told]:
    """Gives what is to be told of outcomes, while `done` of `total` cases are done already."""
    if sys.stderr.isatty():
        with _bar(total, done) as told:
            yield told
    else:
        yield _lines(total, done)


def is_fine(case: Case, outcome: Outcome) -> bool:
    """Whether nothing is wrong with a case."""
    return outcome.status in KINDS[case.kind].fine


@contextmanager
def _bar(total: int, done: int) -> Iterator[Told]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    wrong = 0
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("cases", total=total, completed=done)

        def told(outcomes: Sequence[tuple[Case, Outcome]]) -> None:
            nonlocal wrong
            for case, outcome in outcomes:
                if not is_fine(case, outcome):
                    wrong += 1
                    bar.console.print(_line(case, outcome), markup=False, highlight=False)
            description = f"cases, {wrong} not fine" if wrong else "cases"
            bar.update(task, advance=len(outcomes), description=description)

        yield told


def _lines(total: int, done: int) -> Told:
    last = time.monotonic()

    def told(outcomes: Sequence[tuple[Case, Outcome]]) -> None:
        nonlocal done, last
        done += len(outcomes)
        for case, outcome in outcomes:
            if not is_fine(case, outcome):
                print(_line(case, outcome), file=sys.stderr, flush=True)
        if done == total or time.monotonic() - last > _PAUSE:
            last = time.monotonic()
            print(f"{done} of {total} cases done", file=sys.stderr, flush=True)

    return told


def _line(case: Case, outcome: Outcome) -> str:
    return f"{case.kind} {case.name}: {outcome.status}"
