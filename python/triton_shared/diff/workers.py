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
from .worker import GPU_LOST, LAUNCHING, NOT_RECORDED, OUTSIDE, RESULT, STARTED

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

    What the file and its kernels print goes to the standard error, once: replays say nothing. If
    the process dies of a signal, another one records while accesses outside of tensors are left
    out, and those are told. `timeout` is that of each launch, and of what precedes and follows it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    words = [file, wanted, str(folder), json.dumps(vary)]
    try:
        code, said = _ended(["record", *words], file, folder, timeout)
        if code >= 0:
            _require_recorded(file, code, said)
            return
        again, told = _ended(["record-checked", *words], file, folder, timeout)
        if again >= 0:
            _require_recorded(file, again, told)
        outside = "" if again else (folder / OUTSIDE).read_text()
    finally:
        for name in (LAUNCHING, OUTSIDE):
            (folder / name).unlink(missing_ok=True)
    if not outside:
        raise RecordingError(_describe_death(file, _death(code), said))
    print(
        f"note: the process of {file} died of {_death(code)} while it was recorded; it was "
        f"recorded again without what its kernels do outside of their tensors:\n{outside}",
        file=sys.stderr,
    )


def _ended(words: list[str], file: str, folder: Path, timeout: float) -> tuple[int, str]:
    """The exit code of a process that records, and what it has said."""
    # What is recorded is the kernel, not what somebody has put in the place of its phases.
    inherited = {k: v for k, v in environment("cpu").items() if k != "TRITON_KERNEL_OVERRIDE"}
    place = folder / LAUNCHING
    place.unlink(missing_ok=True)
    done = _start(words, inherited, subprocess.PIPE, printed=_STANDARD_ERROR)
    written, since = 0, time.monotonic()
    while True:
        try:
            said = done.communicate(timeout=0.1)[1]
        except subprocess.TimeoutExpired:
            now, last = time.monotonic(), place.stat().st_mtime_ns if place.exists() else 0
            written, since = last, since if last == written else now
            if now - since > timeout + STARTUP * (not last):
                done.kill()
                done.communicate()
                kernel = place.read_text() if last else ""
                raise RecordingError(_describe_hang(file, kernel, timeout)) from None
        except BaseException:
            done.kill()
            raise
        else:
            return done.returncode, said.decode(errors="replace")


def _require_recorded(file: str, code: int, said: str) -> None:
    if code == NOT_RECORDED:
        raise RecordingError(said.strip())
    if code:
        told = said[-3000:].strip() or f"it ended with {_death(code)}, and said nothing"
        raise RecordingError(f"{file} does not run on the CPU:\n{told}")


def _describe_hang(file: str, kernel: str, timeout: float) -> str:
    last = f", in a launch of kernel '{kernel}' or behind it" if kernel else ""
    return (
        f"{file} did not end in {timeout:g} s while it was recorded on the CPU{last}\n"
        "if it only is slow, --timeout SECONDS waits longer"
    )


def _describe_death(file: str, death: str, said: str) -> str:
    told = f"{said[-3000:].strip()}\n" if said.strip() else ""
    return (
        f"{file} does not run on the CPU: its process died of {death} while it was recorded\n{told}"
        "a store outside of a tensor is the usual cause: launch the kernel at the end of the file, "
        f"too, and python -m triton_shared.check {file} looks for it"
    )


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
            before = _count(places)
            worker.ask([",".join(targets), *(str(launch) for launch in launches)])
            why = _watch(worker.process, places, timeout, deadline)
            worker.has_replayed |= _count(places) > before
            if not why:
                _idle.append(worker)
            elif not _blame(places, why, worker.close(), worker.has_replayed):
                break


@dataclass
class _Worker:
    """A process that replays what it is asked for, one line of JSON after the other."""

    environment: dict[str, str]
    log: IO[bytes]
    process: subprocess.Popen[bytes]
    has_replayed: bool = False

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
        done = _count(places)
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


def _count(places: list[Path]) -> int:
    return sum((place / RESULT).exists() for place in places)


def _death(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _blame(places: list[Path], why: str, said: str, has_replayed: bool) -> bool:
    """Writes a result for the launch at which a worker ended. False if nothing is left to do.

    One that has replayed something and dies between two launches has a successor.
    """
    left = [place for place in places if not (place / RESULT).exists()]
    if not left or why == f"exit code {GPU_LOST}":
        return bool(left)
    place = next((place for place in left if (place / STARTED).exists()), None)
    if place is None and has_replayed:
        return True
    if place is None:
        raise RecordingError(f"target '{left[0].name}' does not start ({why}):\n{said}")
    error = "timeout" if why == "timeout" else "crash"
    answer = {"succeeded": False, "error": error, "message": f"{why}\n{said}".strip()}
    (place / RESULT).write_text(json.dumps(answer))
    return True
