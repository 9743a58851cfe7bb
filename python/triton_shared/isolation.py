"""Compiles in another process, so that a crash of the compiler is an exception here.

Why a process and not a signal handler in this one: what a signal interrupts inside of MLIR may hold
the lock of the heap or have written where it must not, and the handlers belong to the application
(faulthandler, other runtimes). A worker is started at the first use and kept: a compilation costs
what it costs here, plus two copies through a pipe. Several threads get a worker each.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from .compile_worker import read_frame, write_frame
from .errors import CompilerCrashError, LibraryError

_SCRIPT = Path(__file__).with_name("compile_worker.py")
_BYTECODE = b"ML\xefR"


@dataclass(frozen=True)
class Compilation:
    """What one compilation left, as `_native.Compilation`."""

    succeeded: bool
    diagnostics: str
    metadata: str
    artefacts: dict[str, bytes] = field(repr=False)

    def artefact(self, phase: str) -> bytes:
        """What the phase left; empty if the compilation did not get there."""
        return self.artefacts.get(phase, b"")


class _Worker:
    """One child process, and the pipes to it."""

    def __init__(self, native: Path) -> None:
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        # Isolated and without site: nothing of the application's set-up is needed or trusted.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_SCRIPT), str(native)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )

    def compile(self, source: bytes, options: str) -> Compilation | None:
        """None if the process has died of it."""
        assert self._process.stdin
        assert self._process.stdout
        try:
            write_frame(self._process.stdin, source)
            write_frame(self._process.stdin, options.encode())
            write_frame(self._process.stdin, os.fsencode(tempfile.gettempdir()))
            self._process.stdin.flush()
        except BrokenPipeError:
            return None
        head = read_frame(self._process.stdout)
        if head is None:
            return None
        answer = json.loads(head)
        artefacts = {}
        for phase in answer.pop("artefacts"):
            content = read_frame(self._process.stdout)
            if content is None:
                return None
            artefacts[phase] = content
        return Compilation(**answer, artefacts=artefacts)

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def end(self) -> tuple[int, str]:
        """Waits for a process that has died: its exit code, and what it wrote last."""
        self._close_pipes()
        code = self._process.wait()
        self._log.seek(0)
        output = self._log.read().decode(errors="replace")
        self._log.close()
        return code, output[-4000:]

    def kill(self) -> None:
        self._process.kill()
        self.end()

    def forget(self) -> None:
        """In a process that was forked off: the worker belongs to the other one."""
        self._process.returncode = 0

    def _close_pipes(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe
            with contextlib.suppress(BrokenPipeError):  # What was not written yet.
                pipe.close()


_idle: list[_Worker] = []
_lock = threading.Lock()


def compile_isolated(source: bytes, options: str, native: Any) -> Compilation:
    """Compiles with the extension module `native`, in a process of its own.

    Raises CompilerCrashError, which names the file that repeats it, if that process dies.
    """
    worker = _take_idle() or _Worker(Path(native.__file__))
    try:
        compilation = worker.compile(source, options)
    except BaseException:  # Ctrl-C: the answer to come would be taken for the next one.
        worker.kill()
        raise
    if compilation and source.startswith(_BYTECODE):
        # MLIR's reader of damaged bytecode writes where it must not, also where it ends with an
        # error: the next text is not to suffer from that.
        worker.kill()
        return compilation
    if compilation:
        with _lock:
            _idle.append(worker)
        return compilation
    code, output = worker.end()
    if code >= 0:
        raise LibraryError(
            f"the process that compiles ended with exit code {code}:\n{output}\n"
            f"it was started with {sys.executable}, which must be Python"
        )
    name = signal.Signals(-code).name
    what = f"the compiler died of {name} on this"
    reproducer, command = _keep(source, options, native, "crash", what)
    raise CompilerCrashError("", name, str(reproducer), command)


@contextlib.contextmanager
def keep_while_compiling(source: bytes, options: str, native: Any) -> Iterator[None]:
    """Keeps what is compiled in this process in a file until that is done.

    If the compiler takes the process with it, the file is what is left, and says how to repeat it.
    """
    try:
        what = f"process {os.getpid()} was at work on this"
        kept, _ = _keep(source, options, native, "compiling", what)
    except OSError:
        kept = None  # No place for a reproducer is no reason not to compile.
    try:
        yield
    finally:
        if kept:
            _forget(kept)


def _take_idle() -> _Worker | None:
    """A worker that waits. One that died in the meantime was killed by somebody else."""
    while True:
        with _lock:
            worker = _idle.pop() if _idle else None
        if worker is None or worker.is_alive():
            return worker
        worker.end()


def _keep(source: bytes, options: str, native: Any, kind: str, what: str) -> tuple[Path, str]:
    """Writes the source to a file, and in it, or beside bytecode, the command that repeats it."""
    is_bytecode = source.startswith(_BYTECODE)
    suffix = ".mlirbc" if is_bytecode else ".mlir"
    handle, name = tempfile.mkstemp(suffix, f"triton-shared-{kind}-")
    command = shlex.join(["triton-shared-opt", *_tool_words(options, native), name])
    note = f"// {what}; options: {options}\n//   {command}\n"
    try:
        with os.fdopen(handle, "wb") as file:
            # Behind the text: the line numbers of diagnostics stay as they were.
            file.write(source if is_bytecode else source + b"\n" + note.encode())
        if is_bytecode:
            Path(name + ".command").write_text(note)
    except OSError:
        _forget(Path(name))
        raise
    return Path(name), command


def _forget(kept: Path) -> None:
    """Removes what `_keep` has written."""
    for path in (kept, kept.with_name(f"{kept.name}.command")):
        path.unlink(missing_ok=True)


def _tool_words(options: str, native: Any) -> list[str]:
    """The phase and the target for the tool; LLVM IR is the last one that can be looked at."""
    words = dict(word.partition("=")[::2] for word in options.split())
    phase, target = words.get("to-phase", ""), words.get("target", "")
    phases = native.phases(target.startswith("cuda"))
    last = phase if phase in phases[: phases.index("llir")] else "llir"
    return [f"--to-phase={last}", *([f"--target={target}"] if target else [])]


def _end_all() -> None:
    """A worker ends when its input does."""
    while _idle:
        _idle.pop().end()


def _forget_all() -> None:
    global _lock
    _lock = threading.Lock()
    while _idle:
        _idle.pop().forget()


atexit.register(_end_all)
os.register_at_fork(after_in_child=_forget_all)
