"""Random programs are right on a GPU: in the emulator, threads ascending, descending, at random.

`scripts/fuzz --modes gpu` runs them on a real one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from fuzz import programs
from fuzz.generator import Generator
from fuzz.program import Buffer, Program
from fuzz.programs import LaunchError, Results
from triton_shared import emulate

BATCH = 10


def emulated(folder: Path, warps: int, order: int) -> Callable[[Program], Results]:
    """Runs programs with this number of warps, and threads in this order."""

    def run(program: Program) -> Results:
        try:
            kernel = emulate.compile_kernel(program.text(), warps, folder)
        except emulate.CompileError as error:
            raise LaunchError(f"does not compile:\n{error}") from None
        memory = {b.name: torch.from_numpy(programs.placed(b)) for b in unsigned(program)}
        arguments = [*memory.values(), *program.scalars.values()]
        try:
            emulate.launch(kernel, arguments, program.grid, order)
        except emulate.EmulationError as error:
            raise LaunchError(str(error)) from None
        return {
            name: memory[name].numpy().view(buffer.contents.dtype)
            for name, buffer in program.buffers.items()
            if buffer.written
        }

    return run


def unsigned(program: Program) -> list[Buffer]:
    """The buffers as bytes: torch does not know all types of NumPy."""
    return [
        Buffer(
            b.name,
            b.element,
            b.contents.view(np.uint8),
            b.written,
            b.skew * b.contents.itemsize,
        )
        for b in program.buffers.values()
    ]


def wrong_programs(seeds: range, folder: Path) -> dict[int, str]:
    wrong = {}
    for seed in seeds:
        place = folder / str(seed)
        place.mkdir()
        run = emulated(place, warps=(1, 4, 8)[seed % 3], order=seed % 4)
        if complaint := programs.check_program(Generator(seed).generate(), "gpu", run):
            wrong[seed] = complaint
    return wrong


@pytest.mark.parametrize("first", range(0, 20, BATCH))
def test_random_programs_for_a_gpu(first: int, tmp_path: Path):
    assert wrong_programs(range(first, first + BATCH), tmp_path) == {}


def test_lanes_agree_where_a_choice_meets_a_nan(tmp_path: Path):
    """The largest of a row with a NaN is where its region says, but in all lanes that hold it."""
    assert wrong_programs(range(259, 260), tmp_path) == {}


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(20, 2020, BATCH))
def test_many_random_programs_for_a_gpu(first: int, tmp_path: Path):
    assert wrong_programs(range(first, first + BATCH), tmp_path) == {}


def test_enough_of_them_need_no_order_of_elements():
    """The others say nothing about a GPU."""
    made = [Generator(seed).generate() for seed in range(40)]
    for program in made:
        program.evaluate()
    assert 10 < sum(not program.is_ordered for program in made) < 40
