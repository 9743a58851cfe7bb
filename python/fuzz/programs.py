"""Random TTIR programs: compiled and run, against what NumPy says their operations mean.

A program is a function of its seed. One that fails is printed with the elements that differ; its
text is kept:

    cd python && python -m fuzz.programs --first 0 --count 100 --keep /tmp/finds
    cd python && python -m fuzz.programs --show 17
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from . import numerics
from .generator import Generator
from .numerics import Array, from_memory
from .program import Buffer, Program
from .small_floats import SMALL, decoded


class LaunchError(Exception):
    """A program's launch failed."""


ROUNDINGS = 8
"""How many units in the last place fast mode may be off: it has its own functions and orders."""


def check(seed: int, mode: str = "reference") -> str:
    """Generates, compiles and runs one program. Returns what is wrong; nothing if all is well."""
    program = Generator(seed).generate()
    want = program.evaluate()
    try:
        got = launch(program, mode)
    except LaunchError as error:
        return str(error)
    complaints = []
    for name, expected in want.items():
        element = program.buffers[name].element
        expected, found = (_numbers(b[name], element) for b in (want, got))
        differs = _differs(expected, found)
        if mode == "fast" and expected.dtype.kind == "f":
            differs &= ~_close(found, expected)
            if differs.any():
                differs &= _depends_little_on_functions(program, name)
        for at in np.flatnonzero(differs)[:4]:
            complaints.append(f"{name}[{at}] is {found[at]}, not {expected[at]}")
    return "\n".join(complaints)


def launch(program: Program, mode: str = "reference") -> dict[str, Array]:
    """The written buffers after a launch on the CPU."""
    from triton_shared import CompilerCrashError, library

    try:
        compilation = library.compile_text(program.text(), f"mode={mode}")
    except CompilerCrashError as crash:
        raise LaunchError(str(crash)) from None
    if not compilation.succeeded:
        raise LaunchError(f"does not compile:\n{compilation.diagnostics}")
    memory = {b.name: _placed(b) for b in program.buffers.values()}
    plan = [("pointer", n, i, "ptr", False, 0, False) for i, n in enumerate(memory)]
    plan += [
        ("value", n, i, "i32", False, 0, False)
        for i, n in enumerate(program.scalars, start=len(memory))
    ]
    entry = json.loads(compilation.metadata)["entry"]
    kernel = library.load_kernel(compilation.artefact("obj"), entry)
    launcher = library.make_launcher(
        "program", plan, lambda handle: kernel, lambda index, argument: None, LaunchError
    )
    arguments = [*(buffer.ctypes.data for buffer in memory.values()), *program.scalars.values()]
    launcher(*program.grid, 1, None, kernel, None, None, None, None, *arguments)
    return {name: memory[name] for name, buffer in program.buffers.items() if buffer.written}


def _placed(buffer: Buffer) -> Array:
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


def _depends_little_on_functions(program: Program, name: str) -> Array:
    """Where results stay close if all functions are off by one unit in the last place.

    The remainder of an exponential does not: fast mode may then give any number.
    """
    element = program.buffers[name].element
    results = []
    for limit in (-np.inf, np.inf):
        with numerics.functions_off_towards(limit):
            results.append(_numbers(program.evaluate()[name], element))
    return _close(*results)


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
        complaint = check(seed)
        if complaint:
            wrong += 1
            print(f"program {seed}: " + complaint.replace("\n", "\n    "), flush=True)
        elif options.keep:
            file.unlink()
    print(f"{options.count} programs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
