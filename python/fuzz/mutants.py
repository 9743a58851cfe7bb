"""Damages the texts and the bytecode of test/corpus and compiles them: only a crash is a find.

The work is done by a process of its own, which forks another one for each mutant: what one mutant
does to the heap is no concern of the next. A mutant is a function of its kind and number alone:

    cd python && python -m fuzz.mutants --first 0 --count 1000 --keep /tmp/finds
    cd python && python -m fuzz.mutants --kind bytecode --first 0 --count 1000 --keep /tmp/finds
    cd python && python -m fuzz.mutants --show 17
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from . import damaged_bytecode, damaged_text
from .sources import TOOL

PATIENCE = 5
"""Seconds of a core after which a mutant counts as a hang, unless the tool ends in twice as many.
"""
JUDGED = 60
"""Seconds of the clock after which it does whatever it waits for: the machine may be busy."""
HANGS = ("SIGPROF", "SIGALRM")
"""How a mutant ends that computes for too long, or waits for something."""
BATCH = 500
"""Mutants between two lines about the progress."""
MEMORY = 6 << 30
"""Bytes of address space a mutant may take: it may ask for a very large block."""
CRASHED = 70
"""Exit code of the tool after a crash."""

DAMAGE: dict[str, Callable[[random.Random], str | bytes]] = {
    "text": damaged_text.damaged,
    "bytecode": damaged_bytecode.damaged,
}


def mutant(number: int, kind: str = "text") -> bytes:
    """What the compiler is given."""
    made = DAMAGE[kind](random.Random(number))
    return made.encode() if isinstance(made, str) else made


@dataclass(frozen=True)
class Find:
    """A mutant that ended its process."""

    number: int
    death: str
    """A signal's name, or an exit code; HANGS are some."""
    trace: str
    """What the tool says about it."""
    upstream: bool
    """Whether MLIR's own reader crashed or hangs, and the tool has contained that."""


@dataclass(frozen=True)
class Result:
    """What came of a range of mutants."""

    compiled: int
    refused: int
    finds: tuple[Find, ...]

    def __add__(self, other: Result) -> Result:
        return Result(
            self.compiled + other.compiled,
            self.refused + other.refused,
            self.finds + other.finds,
        )

    def __str__(self) -> str:
        upstream = len(self.finds) - len(self.ours)
        crashed = f"{len(self.ours)} crashed, {upstream} in MLIR's reader"
        return f"{self.compiled} compiled, {self.refused} refused, {crashed}"

    @property
    def ours(self) -> tuple[Find, ...]:
        return tuple(find for find in self.finds if not find.upstream)


def run(first: int, count: int, kind: str = "text", phase: str = "obj") -> Result:
    """Compiles the mutants of a range, up to the given phase."""
    command = [sys.executable, "-m", "fuzz.mutants", "--worker", "--kind", kind, "--phase", phase]
    worker = subprocess.run(
        [*command, "--first", str(first), "--count", str(count)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    ends = worker.stdout.split()
    finds = [
        look_at(number, kind, phase, end)
        for number, end in enumerate(ends, start=first)
        if end not in ("compiled", "refused")
    ]
    return Result(ends.count("compiled"), ends.count("refused"), tuple(finds))


#
# The worker
#


def ends(kind: str, first: int, count: int, phase: str = "obj") -> Iterator[tuple[int, str]]:
    """How each mutant of a range ends."""
    for number in range(first, first + count):
        yield number, end_of(number, kind, phase)


def end_of(number: int, kind: str, phase: str = "obj") -> str:
    """How a mutant ends, in a process of its own: a word as `attempt` gives it.

    From the first one on, this process and its children have little memory.
    """
    from triton_shared import library

    _limit_memory()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    library.version()  # Loaded once, before the forks.
    options = f"mode=reference to-phase={phase}"
    source = mutant(number, kind)

    def compiles() -> bool:
        # In this process, as a kernel of Triton: a crash is to be seen as it is.
        return library.compile_text(source, options, printed_by_triton=True).succeeded

    return attempt(compiles)


def _limit_memory() -> None:
    """But not where a sanitizer has reserved terabytes for its notes: nothing more could be had."""
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    if taken < MEMORY:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def attempt(compiles: Callable[[], bool], patience: int = PATIENCE) -> str:
    """`compiled`, `refused`, or how a process that tried this has died."""
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        for timer in HANGS:
            signal.signal(signal.Signals[timer], signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, patience)
        signal.alarm(JUDGED * patience // PATIENCE)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            os._exit(0 if compiles() else 1)
        except BaseException:
            os._exit(2)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status < 0:
        return signal.Signals(-status).name
    return {0: "compiled", 1: "refused"}.get(status, f"exit-code-{status}")


#
# Whose crash it is
#

_READER = re.compile(
    r"mlir::(detail::Parser::|parseAsmSourceFile|parseSourceFile|readBytecodeFile)"
)
"""Upstream's functions that read text and bytecode."""
_UPSTREAM = re.compile(
    # Libraries; what TableGen and others' templates make; the start of the tool.
    r"/lib[\w+]*\.so|\./|DialectBytecodeReader|^std::"
    r"|^(main|tritonSharedOptMain|_start|__do_global_dtors_aux|call_init|__libc_\w+) "
)


@dataclass(frozen=True)
class Repeated:
    """What the tool did with a mutant."""

    code: int
    printed: bytes
    errors: str
    kept: bool
    """Whether there is a file that repeats it."""

    @property
    def frames(self) -> list[str]:
        return re.findall(r"^ *#\d+ 0x[0-9a-f]+ (.*)$", self.errors, re.MULTILINE)

    def is_in_the_reader(self) -> bool:
        """Whether upstream's reader crashed, nothing of ours above it, and that is contained."""
        reader = next((n for n, frame in enumerate(self.frames) if _READER.search(frame)), 0)
        above = self.frames[:reader]
        return self._is_contained() and bool(above) and all(map(_UPSTREAM.search, above))

    def is_without_us(self) -> bool:
        """Whether it is no crash, or one that has nothing of ours on the stack."""
        return self.code in (0, 1) or (
            self._is_contained() and all(map(_UPSTREAM.search, self.frames))
        )

    def _is_contained(self) -> bool:
        return self.code == CRASHED and self.kept


def repeat(source: bytes, *options: str) -> Repeated:
    """Gives a mutant to the tool; one that hangs is asked where."""
    with tempfile.TemporaryDirectory() as folder:
        tool = subprocess.Popen(
            [str(TOOL), "--mlir-print-debuginfo", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": folder},
        )
        printed, errors = _answer(tool, source)
        kept = any(Path(folder).glob("triton-shared-crash*"))
        return Repeated(tool.returncode, printed, errors.decode(errors="replace"), kept)


def _answer(tool: subprocess.Popen[bytes], source: bytes) -> tuple[bytes, bytes]:
    """What it prints; after some time it is told to say where it is."""
    last, given = time.monotonic() + JUDGED, source
    while time.monotonic() < last and _core_seconds(tool.pid) < 2 * PATIENCE:
        try:
            return tool.communicate(given, timeout=0.2)
        except subprocess.TimeoutExpired:
            given = b""  # Has been given.
    tool.send_signal(signal.SIGABRT)
    return tool.communicate()


def _core_seconds(process: int) -> float:
    """Those of a process and of the children that it waits for."""
    folder = Path(f"/proc/{process}")
    try:
        # The name, in parentheses, may hold anything.
        facts = (folder / "stat").read_text().rpartition(")")[2].split()
        children = (folder / "task" / str(process) / "children").read_text().split()
    except OSError:
        return 0.0  # Has ended.
    own = (int(facts[11]) + int(facts[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(_core_seconds(int(child)) for child in children)


def look_at(number: int, kind: str, phase: str, death: str) -> Find:
    """Repeats a crash, to see whose it is."""
    source = mutant(number, kind)
    to_phase = f"--to-phase={'llir' if phase == 'obj' else phase}"
    repeated = repeat(source, to_phase)
    upstream = repeated.is_in_the_reader()
    if death in HANGS and repeated.code in (0, 1):
        return Find(number, "only slow", repeated.errors, True)
    if kind == "bytecode" and not upstream:
        # What the reader did to the heap may show anywhere, or not at all. What it has accepted is
        # printed and given to us as text: a crash of ours is one again.
        read = repeat(source)
        upstream = read.is_without_us()
        if read.code == 0:
            again = repeat(read.printed, to_phase)
            upstream = again.code in (0, 1) or again.is_in_the_reader()
    return Find(number, death, repeated.errors, upstream)


#
# The command line
#


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--kind", choices=sorted(DAMAGE), default="text")
    parser.add_argument("--phase", default="obj", help="the phase to compile to")
    parser.add_argument("--keep", type=Path, help="a folder for the mutants that crash")
    parser.add_argument("--show", type=int, help="print this mutant and do nothing else")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.show is not None:
        sys.stdout.buffer.write(mutant(options.show, options.kind))
        return 0
    if options.worker:
        for _, end in ends(options.kind, options.first, options.count, options.phase):
            print(end, flush=True)
        return 0
    total = Result(0, 0, ())
    for first in range(options.first, options.first + options.count, BATCH):
        count = min(BATCH, options.first + options.count - first)
        result = run(first, count, options.kind, options.phase)
        for find in result.finds:
            _report(find, options.kind, options.keep)
        total = total + result
        print(f"up to {first + count}: {total}", flush=True)
    return 1 if total.ours else 0


def _report(find: Find, kind: str, folder: Path | None) -> None:
    where = " in MLIR's reader" if find.upstream else ""
    print(f"{kind} {find.number}: {find.death}{where}")
    if not find.upstream:
        print("    " + "\n    ".join(find.trace.splitlines()[:12]), flush=True)
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{kind}-{find.number}"
        suffix = "mlir" if kind == "text" else "mlirbc"
        (folder / f"{name}.{suffix}").write_bytes(mutant(find.number, kind))
        (folder / f"{name}.txt").write_text(find.trace)


if __name__ == "__main__":
    sys.exit(main())
