"""Atomic updates for a GPU, of every kind, type and scope: run by the emulator, against NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fuzz import programs
from fuzz.numerics import ATOMIC
from fuzz.program import Buffer, Program, Value, random_contents
from test_gpu_random_programs import emulated

COUNT = 64
LANES = f"tensor<{COUNT}xi32>"


def block_of(program: Program, base: Value) -> Value:
    """Pointers to all elements of a buffer."""
    number = program.emit(
        f"tt.make_range {{end = {COUNT} : i32, start = 0 : i32}} : {LANES}",
        (),
        lambda: np.arange(COUNT, dtype=np.int32),
        "i32",
        (COUNT,),
    )
    kind = f"tensor<{COUNT}x!tt.ptr<{base.element}>>"
    place = (base.element, (COUNT,), base.buffer)
    splat = program.emit(
        f"tt.splat {base.name} : {base.type} -> {kind}",
        (base,),
        lambda p: np.full(COUNT, p),
        *place,
    )
    text = f"tt.addptr {splat.name}, {number.name} : {kind}, {LANES}"
    return program.emit(text, (splat, number), np.add, *place)


@pytest.mark.parametrize("scope", ["cta", "gpu", "sys"])
@pytest.mark.parametrize("element", ["i16", "i32", "i64"])
def test_every_kind_updates_a_block(element: str, scope: str, tmp_path: Path):
    program = Program((1, 1))
    rng = np.random.default_rng(7)
    for kind, combine in ATOMIC.items():
        blocks = {}
        for name in ("by", "updated", "old"):
            contents = random_contents(rng, element, COUNT)
            buffer = Buffer(f"{name}_{kind}", element, contents, written=name != "by")
            blocks[name] = block_of(program, program.argument(buffer))
        by = program.load(blocks["by"], None, None)
        old = program.atomic(kind, combine, blocks["updated"], by, None)
        program.store(blocks["old"], old, None)
    lines = program.block.lines
    program.block.lines = [
        line.replace(", acq_rel, gpu,", f", acq_rel, {scope},") for line in lines
    ]
    assert f", acq_rel, {scope}, " in program.text()
    assert programs.check_program(program) == ""
    assert programs.check_program(program, "gpu", emulated(tmp_path, warps=1, order=1)) == ""
