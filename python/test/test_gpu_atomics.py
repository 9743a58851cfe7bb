"""Atomic updates for a GPU, of every kind and type: run by gpu_emulator, against NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fuzz import programs
from fuzz.numerics import ATOMIC
from fuzz.program import Buffer, Program, random_contents
from test_gpu_random_programs import emulated

COUNT = 64


@pytest.mark.parametrize("element", ["i16", "i32", "i64"])
@pytest.mark.parametrize("kind", ATOMIC)
def test_every_kind_updates_a_block(kind: str, element: str, tmp_path: Path):
    program = Program((1, 1))
    contents = np.random.default_rng(7)
    made = {
        name: program.argument(
            Buffer(name, element, random_contents(contents, element, COUNT), name != "by")
        )
        for name in ("updated", "by", "old")
    }
    lanes = f"tensor<{COUNT}xi32>"
    number = program.emit(
        f"tt.make_range {{end = {COUNT} : i32, start = 0 : i32}} : {lanes}",
        (), lambda: np.arange(COUNT, dtype=np.int32), "i32", (COUNT,),
    )  # fmt: skip
    blocks = {}
    for name, base in made.items():
        kind_of_block = f"tensor<{COUNT}x!tt.ptr<{element}>>"
        splat = program.emit(
            f"tt.splat {base.name} : {base.type} -> {kind_of_block}",
            (base,), lambda p: np.full(COUNT, p), element, (COUNT,), name,
        )  # fmt: skip
        blocks[name] = program.emit(
            f"tt.addptr {splat.name}, {number.name} : {kind_of_block}, {lanes}",
            (splat, number), np.add, element, (COUNT,), name,
        )  # fmt: skip
    by = program.load(blocks["by"], None, None)
    old = program.atomic(kind, ATOMIC[kind], blocks["updated"], by, None)
    program.store(blocks["old"], old, None)
    assert programs.check_program(program) == ""
    assert programs.check_program(program, "gpu", emulated(tmp_path, warps=1, order=1)) == ""
