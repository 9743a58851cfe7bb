"""Random TTIR programs: compiled and run, against what NumPy says their operations mean.

A program is a function of its seed. One that fails is printed with the elements that differ; its
text is kept:

    cd python && python -m fuzz.programs --first 0 --count 100 --keep /tmp/finds
    cd python && python -m fuzz.programs --show 17
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from . import numerics
from .generator import Generator
from .numerics import Array, from_memory
from .program import Buffer, Program
from .small_floats import SMALL, decoded

Results = dict[str, Array]
MODES = ("reference", "fast", "gpu")
"""The last one on a GPU of this machine."""


LANES = (2, 4, 8, 16, 32, 128, 512)
"""Of vectors, or of the threads of a GPU."""


class LaunchError(Exception):
    """A program's launch failed."""


ROUNDINGS = 8
"""How many units in the last place fast mode and GPUs may be off: they have their own functions and
orders."""


def check(seed: int, mode: str = "reference") -> str:
    """Generates, compiles and runs one program. Returns what is wrong; nothing if all is well."""
    return check_program(Generator(seed).generate(), mode)


def check_program(
    program: Program, mode: str = "reference", run: Callable[[Program], Results] | None = None
) -> str:
    """The same for a program, run in one of `MODES` or, if in none of them, by `run`.

    On a GPU, elements of one access come in any order: a program to which that matters is right.
    """
    want = program.evaluate()
    if mode == "gpu" and program.is_ordered:
        return ""
    try:
        got = run(program) if run else launch(program, mode)
    except LaunchError as error:
        return str(error)
    complaints = []
    for name, expected in want.items():
        element = program.buffers[name].element
        expected, found = (_numbers(b[name], element) for b in (want, got))
        differs = _differs(expected, found)
        if mode != "reference" and expected.dtype.kind == "f":
            differs &= ~_close(found, expected)
            if differs.any():
                differs &= _is_stable(program, name)
        for at in np.flatnonzero(differs)[:4]:
            complaints.append(f"{name}[{at}] is {found[at]}, not {expected[at]}")
    return "\n".join(complaints)


def launch(program: Program, mode: str = "reference") -> Results:
    """The written buffers after a launch on the CPU, or on a GPU."""
    if mode == "gpu":
        from .on_gpu import launch as launch_there

        return launch_there(program)
    from triton_shared import library

    compilation = compiled(program, f"mode={mode}")
    memory = {b.name: placed(b) for b in program.buffers.values()}
    plan = launch_plan(program)
    entry = json.loads(compilation.metadata)["entry"]
    kernel = library.load_kernel(compilation.artefact("obj"), entry)
    launcher = library.make_launcher(
        "program", plan, lambda handle: kernel, lambda index, argument: None, LaunchError
    )
    arguments = [*(buffer.ctypes.data for buffer in memory.values()), *program.scalars.values()]
    launcher(*program.grid, 1, None, kernel, None, None, None, None, *arguments)
    return {name: memory[name] for name, buffer in program.buffers.items() if buffer.written}


def compiled(program: Program, options: str) -> Any:
    """What the compiler makes of a program, given its options. Raises LaunchError."""
    from triton_shared import CompilerCrashError, library

    try:
        compilation = library.compile_text(program.text(), options)
    except CompilerCrashError as crash:
        raise LaunchError(str(crash)) from None
    if not compilation.succeeded:
        raise LaunchError(f"does not compile:\n{compilation.diagnostics}")
    return compilation


def launch_plan(program: Program) -> list[tuple[Any, ...]]:
    """The parameters as a launcher takes them: buffers, then scalars."""
    names = [*((name, "ptr") for name in program.buffers), *((n, "i32") for n in program.scalars)]
    return [
        ("pointer" if kind == "ptr" else "value", name, number, kind, False, 0, False)
        for number, (name, kind) in enumerate(names)
    ]


def placed(buffer: Buffer) -> Array:
    """The contents in memory of their own, as far behind a multiple of 64 bytes as they want."""
    size = buffer.contents.itemsize
    whole = np.zeros(buffer.contents.nbytes + 128 + buffer.skew * size, np.uint8)
    first = -whole.ctypes.data % 64 + buffer.skew * size
    placed = whole[first : first + buffer.contents.nbytes].view(buffer.contents.dtype)
    placed[:] = buffer.contents
    return placed


def _numbers(contents: Array, element: str) -> Array:
    """What the contents of a buffer of this type stand for."""
    values = from_memory(contents, element)
    return decoded(values, element) if element in SMALL else values


def _close(a: Array, b: Array) -> Array:
    return np.isclose(a, b, rtol=ROUNDINGS * np.finfo(b.dtype).eps)


def _is_stable(program: Program, name: str) -> Array:
    """Where results stay close whatever fast mode, or a GPU, may choose.

    That is each function's last place, the order of reductions and scans, and how often they round.
    The remainder of an exponential does not, nor a sum that is finite in one order only: any number
    is right there.
    """
    element = program.buffers[name].element
    choices = [
        contextlib.nullcontext(),
        numerics.functions_off_towards(-np.inf),
        numerics.functions_off_towards(np.inf),
        *(numerics.combined_in_lanes(n, rounds) for n in LANES for rounds in (True, False)),
    ]
    results = []
    for choice in choices:
        with choice:
            results.append(_numbers(program.evaluate()[name], element))
    return np.logical_and.reduce([_close(other, results[0]) for other in results[1:]])


def _differs(a: Array, b: Array) -> Array:
    """Bit by bit, but one NaN is as good as another."""
    if a.dtype.kind != "f":
        return np.asarray(a != b)
    same = (a == b) & (np.signbit(a) == np.signbit(b))
    return np.asarray(~(same | (np.isnan(a) & np.isnan(b))))


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz.programs", description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0, help="seed of the first program")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--mode", choices=MODES, default="reference")
    parser.add_argument("--keep", type=Path, help="a folder for the programs that fail")
    parser.add_argument("--show", type=int, help="print the program of this seed, do nothing else")
    options = parser.parse_args()
    if options.show is not None:
        print(Generator(options.show).generate().text())
        return 0
    wrong = 0
    for seed in range(options.first, options.first + options.count):
        if options.keep:
            # Kept before it runs: it may take this process with it.
            options.keep.mkdir(parents=True, exist_ok=True)
            file = options.keep / f"program-{seed}.mlir"
            file.write_text(Generator(seed).generate().text())
        complaint = check(seed, options.mode)
        if complaint:
            wrong += 1
            print(f"program {seed}: " + complaint.replace("\n", "\n    "), flush=True)
        elif options.keep:
            file.unlink()
    print(f"{options.count} programs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
