"""Has cases done, whatever they do: what a worker of a campaign runs.

A case that ends its process, or takes too long, costs its own outcome and nothing else. A worker
keeps one server per kind and thread, which a later call finds started.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .case import CRASH, TIMEOUT, Outcome
from .kinds import ENDS_PROCESS
from .server import read_outcome

STARTUP = 120.0
"""Seconds that a server may need to import torch and Triton on a busy machine."""
_PACKAGES = Path(__file__).resolve().parents[2]


class WorkerError(RuntimeError):
    """A worker cannot do anything: no case is to blame."""


def run(
    kind: str, cases: Sequence[Mapping[str, Any]], timeout: float, until: float | None = None
) -> list[dict[str, Any]]:
    """The outcomes of cases, in their order, as dictionaries; of fewer if it gets too late.

    `cases` are the facts of each, `timeout` is in seconds for one case, `until` is a time of the
    clock that all hosts have (`time.time`).
    """
    deadline = time.monotonic() + until - time.time() if until is not None else None
    outcomes: list[Outcome] = []
    while len(outcomes) < len(cases):
        server = _take(kind)
        before = len(outcomes)
        try:
            end = server.ask(cases[before:], outcomes, timeout, deadline)
        except BaseException:
            server.close()
            raise
        if end == _DONE:
            with _lock:
                _idle.append(server)
        if end == _LATE:
            break
        was_last = len(outcomes) > before and outcomes[-1].result.get(ENDS_PROCESS)
        if len(outcomes) < len(cases) and not was_last:
            blamed = Outcome(TIMEOUT if end == TIMEOUT else CRASH, server.last_words)
            blamed.seconds = time.monotonic() - server.asked
            blamed.host, blamed.versions = server.started["host"], server.started["versions"]
            outcomes.append(blamed)
    return [asdict(outcome) for outcome in outcomes]


_DONE, _LATE = "done", "late"


class _Server:
    """A process that forks others, see `server`."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.owner = os.getpid()
        self.last_words = ""
        self.asked = time.monotonic()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        self._rest = b""
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", f"{__package__}.server", kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=_environment(),
            bufsize=0,
        )
        started = self._read(time.monotonic() + STARTUP)
        if not started:
            self.close()
            raise WorkerError(f"no process for '{kind}' starts:\n{self.last_words}")
        self.started: dict[str, Any] = started

    def ask(
        self,
        cases: Sequence[Mapping[str, Any]],
        outcomes: list[Outcome],
        timeout: float,
        deadline: float | None,
    ) -> str:
        """Has cases done and adds their outcomes; says how that has ended."""
        assert self._process.stdin
        self.asked = time.monotonic()
        with contextlib.suppress(BrokenPipeError):  # It has died: that shows when it answers.
            self._process.stdin.write(json.dumps(cases).encode() + b"\n")
        while True:
            until = self.asked + timeout
            answer = self._read(until if deadline is None else min(until, deadline))
            if not answer:
                is_late = deadline is not None and time.monotonic() >= deadline
                is_dead = self._process.poll() is not None
                self.close()
                if is_dead:
                    return CRASH
                self.last_words = f"did not end within {timeout:g} s\n{self.last_words}".strip()
                return _LATE if is_late else TIMEOUT
            if "ended" in answer:
                self.last_words = f"{_death(answer['ended'])}\n{answer['said']}".strip()
                return _DONE
            outcomes.append(read_outcome(answer, self.started))
            self.asked = time.monotonic()

    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def close(self) -> None:
        """Ends it and what it has started; the log's end becomes its last words."""
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if not self._log.closed:
            self._log.seek(0)
            self.last_words = self._log.read().decode(errors="replace")[-2000:].strip()
            self._log.close()

    def _read(self, until: float) -> dict[str, Any]:
        """The next line, which is JSON; empty if there is none until then."""
        assert self._process.stdout
        file = self._process.stdout.fileno()
        while True:
            line, newline, rest = self._rest.partition(b"\n")
            if newline:
                self._rest = rest
                with contextlib.suppress(ValueError):
                    return dict(json.loads(line))
                continue
            left = until - time.monotonic()
            if left <= 0 or not select.select([file], [], [], left)[0]:
                return {}
            part = os.read(file, 1 << 16)
            if not part:
                self._process.wait()
                return {}
            self._rest += part


_idle: list[_Server] = []
_lock = threading.Lock()


def _take(kind: str) -> _Server:
    with _lock:
        for server in _idle:
            if server.kind == kind and server.owner == os.getpid() and server.is_alive():
                _idle.remove(server)
                return server
    return _Server(kind)


def _environment() -> dict[str, str]:
    # The folder of this package comes last: on a machine with a pack, it was installed elsewhere.
    paths = [*filter(None, [os.environ.get("PYTHONPATH")]), str(_PACKAGES)]
    # Workers run side by side: each on one core.
    threads = {"TRITON_SHARED_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(paths)}


def _death(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
