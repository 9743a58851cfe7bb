"""Starts workers, watches over them and collects what they found."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch

from .recording import RecordingError
from .worker import GPU_LOST, NOT_RECORDED, RESULT, STARTED

STARTUP = 60.0
"""Seconds that a worker may need to import torch and Triton."""

_GOODBYE = 5.0
"""Seconds in which a worker that is not needed any more ends by itself."""

_STANDARD_ERROR = 2

_PACKAGES = Path(__file__).resolve().parents[2]


@dataclass
class Result:
    """What a target made of a launch."""

    succeeded: bool
    buffers: list[torch.Tensor] = field(default_factory=list)
    ttir: str = ""
    error: str = ""
    """The exception's class, `crash` or `timeout`."""
    message: str = ""
    seconds: float = 0.0
    facts: dict[str, Any] = field(default_factory=dict)


def record(
    file: str,
    wanted: str,
    folder: Path,
    vary: Mapping[str, Sequence[Any]] | None = None,
    timeout: float = 600,
) -> None:
    """Fills `folder` with the launches of a file's cases.

    What the file and its kernels print goes to the standard error, once: replays say nothing.
    """
    command = ["record", file, wanted, str(folder), json.dumps(vary)]
    # What is recorded is the kernel, not what somebody has put in the place of its phases.
    inherited = {k: v for k, v in environment("cpu").items() if k != "TRITON_KERNEL_OVERRIDE"}
    done = _start(command, inherited, subprocess.PIPE, printed=_STANDARD_ERROR)
    try:
        _, said = done.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        done.kill()
        raise RecordingError(f"{file} did not end within {timeout:.0f} s") from None
    if done.returncode == NOT_RECORDED:
        raise RecordingError(said.decode().strip())
    if done.returncode:
        raise RecordingError(f"{file} does not run on the CPU:\n{said.decode()[-3000:]}")


def replay_all(
    launches: list[Path], targets: tuple[str, ...], timeout: float = 120, deadline: float = 0
) -> None:
    """Replays recordings on targets that one process can have, each within `timeout` seconds.

    A worker that dies or hangs gets a successor, which goes on with the next launch. After
    `deadline`, a time of the monotonic clock, no further launch is waited for.
    """
    places = [launch / target for launch in launches for target in targets]
    with session():
        while any(not (place / RESULT).exists() for place in places):
            if deadline and time.monotonic() > deadline:
                return
            worker = _take_worker(environment(targets[0]))
            worker.ask([",".join(targets), *(str(launch) for launch in launches)])
            why = _watch(worker.process, places, timeout, deadline)
            if not why:
                _idle.append(worker)
            elif not _blame(places, why, worker.close()):
                break


@dataclass
class _Worker:
    """A process that replays what it is asked for, one line of JSON after the other."""

    environment: dict[str, str]
    log: IO[bytes]
    process: subprocess.Popen[bytes]

    def ask(self, words: list[str]) -> None:
        """Has it replay."""
        assert self.process.stdin
        # One that is dead already is seen by whoever watches it.
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(words).encode() + b"\n")
            self.process.stdin.flush()

    def dismiss(self) -> None:
        """Has it end by itself, as it has nothing to do."""
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()

    def close(self) -> str:
        """Ends it; gives the end of what it has said."""
        self.process.kill()
        self.process.communicate()
        self.log.seek(0)
        said = self.log.read().decode(errors="replace")[-2000:]
        self.log.close()
        return said


_idle: list[_Worker] = []
_sessions = 0
_lock = threading.Lock()


@contextmanager
def session() -> Iterator[None]:
    """Inside of the block, workers are used again: sources of kernels must not change."""
    global _sessions
    with _lock:
        _sessions += 1
    try:
        yield
    finally:
        with _lock:
            _sessions -= 1
            ended = _idle[:] if not _sessions else []
            _idle[:] = _idle[len(ended) :]
        for worker in ended:
            worker.dismiss()
        for worker in ended:
            with contextlib.suppress(subprocess.TimeoutExpired):
                worker.process.wait(_GOODBYE)
            worker.close()


def _take_worker(wanted: dict[str, str]) -> _Worker:
    with _lock:
        for worker in _idle:
            if worker.environment == wanted and worker.process.poll() is None:
                _idle.remove(worker)
                return worker
    log = tempfile.TemporaryFile()  # noqa: SIM115
    return _Worker(wanted, log, _start([], wanted, log, given=subprocess.PIPE))


def result(launch: Path, target: str) -> Result:
    """What `target` made of a launch."""
    place = launch / target
    if not (place / RESULT).exists():
        return Result(False, error="not run", message="there was no time for it")
    answer = json.loads((place / RESULT).read_text())
    if not answer["succeeded"]:
        return Result(False, error=answer["error"], message=answer["message"])
    count = len(list(launch.glob("storage-*.npy")))
    buffers = [
        torch.from_numpy(np.load(place / f"storage-{i}.npy", allow_pickle=False))
        for i in range(count)
    ]
    ttir = (place / "ttir.mlir").read_text()
    return Result(True, buffers, ttir, seconds=answer["seconds"], facts=answer["facts"])


def environment(target: str) -> dict[str, str]:
    """Of a process that replays on `target`.

    Where a kernel does not say how a dot of f32 may round, Triton says tf32 for a GPU, and exact
    for a device without tensor cores: here all targets run the same kernel. What others are
    compared to is the CPU's reference mode, unless TRITON_SHARED_MODE asks for the other one.
    """
    inherited = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    paths = [*filter(None, [os.environ.get("PYTHONPATH")]), str(_PACKAGES)]
    interpret = {"TRITON_INTERPRET": "1"} if target == "interpreter" else {}
    defaults = {"TRITON_F32_DEFAULT": "tf32", "TRITON_SHARED_MODE": "reference"}
    return {**defaults, **inherited, "PYTHONPATH": os.pathsep.join(paths), **interpret}


def _start(
    words: list[str],
    environment: dict[str, str],
    errors: Any,
    printed: int = subprocess.DEVNULL,
    given: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "triton_shared.diff.worker", *words],
        env=environment,
        stdin=given,
        stdout=printed,
        stderr=errors,
    )


def _watch(
    worker: subprocess.Popen[bytes], places: list[Path], timeout: float, deadline: float
) -> str:
    """Waits until all results are there; empty then, else how the worker ended."""
    current, since = -1, time.monotonic()
    while True:
        try:
            code = worker.wait(timeout=0.02)
        except subprocess.TimeoutExpired:
            code = None
        done = sum((place / RESULT).exists() for place in places)
        if done == len(places):
            return ""
        if code is not None:
            return _death(code)
        if done != current:
            current, since = done, time.monotonic()
        now = time.monotonic()
        if now - since > timeout + STARTUP * (done == 0) or (deadline and now > deadline):
            worker.kill()
            worker.wait()
            return "timeout"


def _death(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _blame(places: list[Path], why: str, said: str) -> bool:
    """Writes a result for the launch at which a worker ended. False if nothing is left to do."""
    left = [place for place in places if not (place / RESULT).exists()]
    if not left or why == f"exit code {GPU_LOST}":
        return bool(left)
    place = next((place for place in left if (place / STARTED).exists()), None)
    if place is None:
        raise RecordingError(f"target '{left[0].name}' does not start ({why}):\n{said}")
    error = "timeout" if why == "timeout" else "crash"
    answer = {"succeeded": False, "error": error, "message": f"{why}\n{said}".strip()}
    (place / RESULT).write_text(json.dumps(answer))
    return True
