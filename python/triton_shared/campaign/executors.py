"""Where the cases of a campaign run: processes of this machine, or a Dask cluster.

Both are executors of `concurrent.futures`.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from .results import CampaignError

_SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG."""


_PATIENCE = 10
"""Seconds in which a scheduler has to answer."""


class Workers(Protocol):
    """Where tasks go."""

    slots: int
    """How many are done at a time."""

    def executor(self) -> AbstractContextManager[Executor]:
        """A new one, for as long as no worker dies of a task."""


class Processes:
    """Of this machine."""

    def __init__(self, slots: int) -> None:
        self.slots = slots

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        """A pool; a process of it that dies takes the pool with it."""
        # Fresh ones: nothing that this process has is wanted there.
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self.slots, context, _die_with_parent)
        try:
            yield pool
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.kill()
                process.join()


def _die_with_parent() -> None:
    """A campaign that is killed takes its workers along; these, what they have started."""
    ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.getppid() == 1:
        os._exit(1)  # It is gone already.


class Dask:
    """A cluster of Dask, whose scheduler is at an address."""

    def __init__(self, address: str) -> None:
        try:
            import distributed
        except ImportError:
            raise CampaignError(
                "--dask needs the package 'distributed', which is not installed\n"
                "install it with: pip install 'triton-shared[cluster]'"
            ) from None
        try:
            self._client: Any = distributed.Client(address, timeout=_PATIENCE)
        except (OSError, ValueError) as error:
            raise CampaignError(f"there is no scheduler of Dask at {address}: {error}") from error
        self.slots = sum(self._client.nthreads().values())
        if not self.slots:
            raise CampaignError(f"the cluster at {address} has no workers: start `dask worker`")

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        """The cluster; it gives a task of a worker that died to another one by itself."""
        # Each task counts, also one that looks like another.
        executor: Executor = self._client.get_executor(pure=False)
        try:
            yield executor
        finally:
            with contextlib.suppress(OSError, TimeoutError):
                executor.shutdown(wait=False)
