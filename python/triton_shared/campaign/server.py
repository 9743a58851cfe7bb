"""The process that has cases done: it imports what they need once, and forks a process for them.

    python -m triton_shared.campaign.server KIND

reads requests, lists of facts as lines of JSON, and writes lines of JSON: first what has been
imported, then for each request the outcome of each of its cases, as soon as it is there, and how
the process has ended. There are no threads here, so that it is safe to fork. When its input ends,
so do the process that is at work and this one.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import select
import signal
import socket
import sys
import tempfile
import time
from dataclasses import asdict
from typing import IO, Any

from .case import Outcome
from .kinds import ENDS_PROCESS, KINDS, Doing

_POLL = 0.01
"""Seconds between two looks at a process."""


def versions() -> dict[str, str]:
    """Of all that decides what comes of a case."""
    from importlib import metadata

    from .. import library

    found = {"library": library.version(), "python": platform.python_version()}
    for name in ("triton", "torch"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "none"
    return found


def main(words: list[str]) -> int:
    """Serves until the input ends."""
    (kind,) = words
    # What cases print goes elsewhere.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    doing = KINDS[kind].load()
    doing.prepare(kind)
    _tell(answers, {"host": socket.gethostname(), "versions": versions()})
    while request := sys.stdin.buffer.readline():
        with tempfile.TemporaryFile() as log:
            child = os.fork()
            if child == 0:
                _work(doing, kind, json.loads(request), answers, log)
            code = _wait(child)
            log.seek(0)
            said = log.read()[-3000:].decode(errors="replace")
        answers.write("\n")  # A process may die in the middle of a line.
        _tell(answers, {"ended": code, "said": said})
    return 0


def _work(doing: Doing, kind: str, request: Any, answers: IO[str], log: IO[bytes]) -> None:
    """Does the cases of a request; never returns."""
    try:
        os.setpgid(0, 0)
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        with doing.session(kind):
            for facts in request:
                before, start = os.times(), time.monotonic()
                outcome = doing.run(kind, facts)
                outcome.seconds = time.monotonic() - start
                outcome.cpu_seconds = sum(os.times()[:4]) - sum(before[:4])
                _tell(answers, asdict(outcome))
                if outcome.result.get(ENDS_PROCESS):
                    break
        sys.stdout.flush()
        os._exit(0)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)


def _wait(child: int) -> int:
    """Until a process has ended, and all that it has started; gives its exit code."""
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            _kill_group(child)
            return os.waitstatus_to_exitcode(status)
        if select.select([sys.stdin], [], [], _POLL)[0]:
            # Whoever has asked is gone: nobody asks for more before there is an answer.
            _kill_group(child)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            sys.exit(0)


def _kill_group(child: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)


def _tell(answers: IO[str], facts: dict[str, Any]) -> None:
    answers.write(json.dumps(facts) + "\n")
    answers.flush()


def read_outcome(answer: dict[str, Any], started: dict[str, Any]) -> Outcome:
    """An outcome as a server has told it; `started` is the first thing that it has told."""
    return Outcome(**answer | {"host": started["host"], "versions": started["versions"]})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
