"""Who verifies candidates: this process, others on this machine, or a cluster of Dask."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any


class Here(Executor):
    """Does the work at once."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Calls the function; what it raises, `result` raises."""
        made: Future[Any] = Future()
        try:
            made.set_result(function(*arguments, **named))
        except Exception as error:
            made.set_exception(error)
        return made


@contextmanager
def workers(jobs: int, dask: str = "") -> Iterator[tuple[Executor, int]]:
    """A pool of that many processes, or of the cluster whose scheduler has this address.

    With it comes how many calls it works on at the same time. Raises CampaignError if there is no
    such cluster.
    """
    if dask:
        from ..campaign.executors import Dask

        cluster = Dask(dask)
        with cluster.executor() as executor:
            yield executor, cluster.slots
    elif jobs == 1:
        yield Here(), 1
    else:
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(jobs, context)
        try:
            yield pool, jobs
        finally:
            pool.shutdown(cancel_futures=True)
