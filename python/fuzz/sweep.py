"""Runs many random programs and mutants over all cores, and writes down what came of them.

A kind of work is a mode of programs (`reference`, `fast`, `gpu`) or of damage (`text`,
`bytecode`). It is cut into pieces; a piece is a process that writes a line about each number, so
that one which crashes or hangs costs its own result and nothing else. Every finished piece is a
file: a second call goes on where one has stopped.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from . import mutants, programs, sources

PIECE = {**dict.fromkeys(programs.MODES, 25), **dict.fromkeys(mutants.DAMAGE, 250)}
"""How many numbers a process gets, by kind."""
FINE = ("right", "ordered", "compiled", "refused")
"""How a number may end. `ordered` is a program to which the order of elements matters, on a GPU."""
COMMAND = (sys.executable, "-W", "ignore", "-m", "fuzz.sweep")
"""Makes a piece; kind and range come behind it."""
PATIENCE = 120
"""Seconds after which a program counts as a hang."""


@dataclass(frozen=True)
class Piece:
    """Some numbers of a kind."""

    kind: str
    first: int
    last: int
    """The one behind them."""

    @property
    def file(self) -> str:
        return f"{self.kind}-{self.first}-{self.last}.json"


@dataclass
class Outcome:
    """What came of them."""

    ends: Counter[str] = field(default_factory=Counter)
    finds: list[dict[str, Any]] = field(default_factory=list)
    """number, end and what was said."""
    seconds: float = 0.0
    """Of a core, start included."""

    def add(self, number: int, end: str, said: str) -> None:
        self.ends[end] += 1
        if end not in FINE:
            self.finds.append({"number": number, "end": end, "said": said})


def pieces(kind: str, numbers: range) -> list[Piece]:
    """The numbers of a kind, cut."""
    step = PIECE[kind]
    firsts = range(numbers.start, numbers.stop, step)
    return [Piece(kind, first, min(first + step, numbers.stop)) for first in firsts]


def run(wanted: Sequence[Piece], kept: Path, deadline: float, workers: int) -> None:
    """Does what `kept` has no file of, until `deadline` of the monotonic clock."""
    left = [piece for piece in wanted if not (kept / piece.file).is_file()]
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda piece: _run_piece(piece, kept, deadline), left))


def report(wanted: Iterable[Piece], kept: Path) -> dict[str, Any]:
    """All that is known of them, by kind."""
    found: dict[str, Any] = {}
    for piece in wanted:
        entry = found.setdefault(
            piece.kind, {"numbers": 0, "left": 0, "ends": {}, "cpu_seconds": 0.0, "finds": []}
        )
        file = kept / piece.file
        if not file.is_file():
            entry["left"] += piece.last - piece.first
            continue
        outcome = json.loads(file.read_text())
        entry["numbers"] += piece.last - piece.first
        entry["cpu_seconds"] = round(entry["cpu_seconds"] + outcome["seconds"], 1)
        entry["ends"] = dict(Counter(entry["ends"]) + Counter(outcome["ends"]))
        entry["finds"] += outcome["finds"]
    return found


def judge(whole: dict[str, Any], workers: int = 1) -> int:
    """Looks at the mutants that crashed, with the tool, and says whose they are. Counts ours."""
    finds = [
        (kind, find) for kind in mutants.DAMAGE for find in whole.get(kind, {}).get("finds", ())
    ]
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda pair: _judge_one(*pair), finds))
    return sum(not find["upstream"] for _, find in finds)


def _judge_one(kind: str, find: dict[str, Any]) -> None:
    if "upstream" in find:
        return
    seen = mutants.look_at(find["number"], kind, "obj", find["end"])
    find |= {"death": seen.death, "upstream": seen.upstream}
    if not seen.upstream:
        find["said"] = seen.trace[:4000]


#
# One piece
#


def _run_piece(piece: Piece, kept: Path, deadline: float) -> None:
    outcome, number = Outcome(), piece.first
    while number < piece.last:
        if time.monotonic() > deadline:
            return
        with tempfile.TemporaryFile() as log:
            process = _start(Piece(piece.kind, number, piece.last), log)
            # Ended with the time that is left, whatever it waits for.
            ending = threading.Timer(max(0.1, deadline - time.monotonic()), process.kill)
            ending.start()
            for number, end, said in _lines(process):
                outcome.add(number, end, said)
                number += 1
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = code = os.waitstatus_to_exitcode(status)
            ending.cancel()
            outcome.seconds += used.ru_utime + used.ru_stime
            if time.monotonic() > deadline:
                return
            if number < piece.last:
                log.seek(0)
                outcome.add(number, _death(code), log.read().decode(errors="replace")[-2000:])
                number += 1
    part = kept / f"{piece.file}.{os.getpid()}"
    part.write_text(json.dumps(vars(outcome)))
    part.replace(kept / piece.file)


def _start(piece: Piece, log: IO[bytes]) -> subprocess.Popen[str]:
    words = [piece.kind, str(piece.first), str(piece.last)]
    # This folder comes last: on a machine with a pack, the package was installed elsewhere.
    paths = [*filter(None, [os.environ.get("PYTHONPATH")]), str(Path(__file__).parents[1])]
    return subprocess.Popen(
        [*COMMAND, *words],
        cwd=sources.ROOT,
        # Pieces run side by side: each on one core.
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "TRITON_SHARED_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        },
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )


def _lines(process: subprocess.Popen[str]) -> Iterator[tuple[int, str, str]]:
    assert process.stdout
    with contextlib.suppress(ValueError):  # The last line of a killed process may be half of one.
        for line in process.stdout:
            number, end, said = json.loads(line)
            yield number, end, said


def _death(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit-code-{code}"


#
# The process
#


def _work(piece: Piece) -> None:
    if piece.kind in mutants.DAMAGE:
        for number, end in mutants.ends(piece.kind, piece.first, piece.last - piece.first):
            print(json.dumps((number, end, "")), flush=True)
        return
    for number in range(piece.first, piece.last):
        signal.alarm(PATIENCE)
        end, said = _end_of_program(number, piece.kind)
        print(json.dumps((number, end, said[:4000])), flush=True)
        if "CUDA" in said:
            # What a kernel did to the GPU's context would be blamed on all that follow.
            sys.exit()


def _end_of_program(number: int, mode: str) -> tuple[str, str]:
    program = programs.Generator(number).generate()
    said = programs.check_program(program, mode)
    if said:
        return "wrong", said
    return "ordered" if mode == "gpu" and program.is_ordered else "right", ""


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="fuzz.sweep", description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=PIECE)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    options = parser.parse_args(words)
    _work(Piece(options.kind, options.first, options.last))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
