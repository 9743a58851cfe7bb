"""Has the cases of a campaign done: gives them to workers and keeps what comes back.

A worker that dies loses nothing: what it was at is done again. Several tasks are under way when a
pool of processes breaks, and nobody says which of them did it; so each is then done alone, and one
whose worker dies then, too, is what kills workers.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field
from typing import Any

from . import runner
from .case import CRASH, Case, Outcome
from .executors import Workers
from .kinds import KINDS
from .results import CampaignError, Results

MOST_DEATHS = 2
"""So many workers may die of a task that is done alone."""

Batch = tuple[Case, ...]
Told = Callable[[Sequence[tuple[Case, Outcome]]], None]


@dataclass
class Campaign:
    """Cases that are to be done."""

    results: Results
    workers: Workers
    versions: dict[str, str]
    told: Told = lambda outcomes: None
    """Is told of outcomes that have been kept."""
    timeout: float | None = None
    """Seconds for a case; what its kind says, if None."""
    deadline: float | None = None
    """Of the monotonic clock: what is not done then, stays for another call."""
    _waiting: deque[Batch] = field(default_factory=deque)
    _suspects: deque[tuple[Batch, int]] = field(default_factory=deque)
    """Batches under way when workers died, and how many died of each when it was alone."""
    _running: dict[Future[list[dict[str, Any]]], Batch] = field(default_factory=dict)

    def run(self, cases: Sequence[Case]) -> None:
        """Has them done, in their order as far as that goes."""
        self._waiting.extend(batches(cases, self.workers.slots))
        while (self._waiting or self._suspects) and not self._is_late():
            with self.workers.executor() as executor:
                try:
                    self._use(executor)
                except BrokenExecutor:
                    # Innocent ones come back, too: they will not kill the next worker.
                    self._suspects.extend((batch, 0) for batch in self._running.values())
                    self._running.clear()

    def _use(self, executor: Executor) -> None:
        """Until all is done, or the executor is broken."""
        while self._suspects and not self._is_late():
            self._try_alone(executor)
        while True:
            while self._waiting and len(self._running) <= self.workers.slots:
                if self._is_late():
                    break
                # A pool that has just broken refuses it: it goes on waiting then.
                batch = self._waiting[0]
                self._running[self._submit(executor, batch)] = batch
                self._waiting.popleft()
            if not self._running:
                return
            done, _ = wait(self._running, return_when=FIRST_COMPLETED)
            for future in done:
                self._take(future)

    def _take(self, future: Future[list[dict[str, Any]]]) -> None:
        error = future.exception()
        if isinstance(error, BrokenExecutor):
            raise error
        batch = self._running.pop(future)
        if error is None:
            self._keep(batch, future.result())
        elif is_death(error):
            self._suspects.append((batch, 1))
        else:
            raise _unexpected(error)

    def _try_alone(self, executor: Executor) -> None:
        batch, deaths = self._suspects[0]
        future = self._submit(executor, batch)
        wait([future])
        error = future.exception()
        if error is not None and not is_death(error):
            raise _unexpected(error)
        self._suspects.popleft()
        if error is None:
            self._keep(batch, future.result())
            return
        if deaths + 1 < MOST_DEATHS:
            self._suspects.appendleft((batch, deaths + 1))
        elif len(batch) > 1:
            # One of them is to blame.
            self._suspects.extendleft(((case,), 0) for case in reversed(batch))
        else:
            said = f"{deaths + 1} workers died while they were at it, the last one of: {error}"
            self._note([(batch[0], Outcome(CRASH, said, versions=self.versions))])
        if isinstance(error, BrokenExecutor):
            raise error

    def _submit(self, executor: Executor, batch: Batch) -> Future[list[dict[str, Any]]]:
        kind = batch[0].kind
        timeout = self.timeout or KINDS[kind].timeout
        # A batch may wait for its worker: not how long it has counts, but until when.
        until = None if self.deadline is None else time.time() + self.deadline - time.monotonic()
        return executor.submit(runner.run, kind, [case.facts for case in batch], timeout, until)

    def _keep(self, batch: Batch, outcomes: Sequence[dict[str, Any]]) -> None:
        # Those of the last cases may be missing, for want of time.
        made = [Outcome(**facts) for facts in outcomes]
        self._note(list(zip(batch, made, strict=False)))

    def _note(self, outcomes: Sequence[tuple[Case, Outcome]]) -> None:
        for _, outcome in outcomes:
            if outcome.versions != self.versions:
                raise CampaignError(
                    f"the worker on host '{outcome.host}' has {outcome.versions}, and the campaign "
                    f"{self.versions}\ninstall the same on both"
                )
        self.results.keep(outcomes)
        self.told(outcomes)

    def _is_late(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline


def batches(cases: Sequence[Case], slots: int) -> list[Batch]:
    """Cases of one kind that share a process: many, but some for every worker."""
    made: list[Batch] = []
    for kind in dict.fromkeys(case.kind for case in cases):
        same = [case for case in cases if case.kind == kind]
        size = max(1, min(KINDS[kind].most, math.ceil(len(same) / (2 * slots))))
        made += [tuple(same[i : i + size]) for i in range(0, len(same), size)]
    return made


def is_death(error: BaseException) -> bool:
    """Whether a worker has died, of a task or not."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"


def _unexpected(error: BaseException) -> CampaignError:
    return CampaignError(
        f"the workers cannot go on: {type(error).__name__}: {error}\n"
        "what is done is kept: the same command goes on"
    )
