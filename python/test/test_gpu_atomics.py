"""Atomic updates for a GPU, of every kind, type and scope: run by the emulator, against NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from fuzz import programs
from fuzz.numerics import ATOMIC
from fuzz.program import Buffer, Program, Value, random_contents
from test_gpu_random_programs import emulated
from triton_shared import emulate, stages
from triton_shared.frontend import ast_to_ttir

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


@triton.jit
def add_blocks(x, out, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (rows < M)[:, None] & (columns < N)[None, :]
    at = rows[:, None] * stride + columns[None, :]
    tl.atomic_add(out + at, tl.load(x + at, mask=inside), mask=inside, sem="relaxed")


FLOATS = {
    "fp32": (torch.float32, ".v4.f32"), "fp16": (torch.float16, ".noftz.v4.f16x2"),
    "bf16": (torch.bfloat16, ".noftz.v4.bf16x2"),
}  # fmt: skip


@pytest.mark.parametrize("is_even", [True, False])
@pytest.mark.parametrize("element", FLOATS)
def test_floats_side_by_side_are_added_together(element: str, is_even: bool, tmp_path: Path):
    """Where a row may end within a group of them, its last ones are added one by one."""
    dtype, name = FLOATS[element]
    kinds = {"x": f"*{element}", "out": f"*{element}"}
    kinds |= dict.fromkeys(("M", "N", "stride"), "i32")
    aligned = ["x", "out", "stride", *(["N"] if is_even else [])]
    ttir = ast_to_ttir(
        add_blocks, kinds, {"BM": 8, "BN": 32}, aligned, target="cuda:90a", num_warps=1
    )
    kernel = emulate.compile_kernel(ttir, 1, tmp_path)
    assert f"red.relaxed.gpu.global.add{name} " in kernel.llvm
    rows, columns, stride = 11, 48 if is_even else 53, 64
    x = torch.arange(rows * stride).remainder(97).view(rows, stride).to(dtype)
    out = torch.ones(rows, stride, dtype=dtype)
    expected = out.clone()
    expected[:, :columns] += x[:, :columns]
    emulate.launch(kernel, [x, out, rows, columns, stride], (2, 2))
    assert torch.equal(out, expected)


def test_gpus_without_such_an_instruction_add_one_by_one():
    kinds = {"x": "*fp32", "out": "*fp32"} | dict.fromkeys(("M", "N", "stride"), "i32")
    blocks = {"BM": 8, "BN": 32}
    options = {"target": "cuda:80", "num_warps": 1}
    ttir = ast_to_ttir(add_blocks, kinds, blocks, list(kinds), **options)
    ptx = stages.run(ttir, "ptx", **options).decode()
    assert "global.add.f32 " in ptx
    assert ".v4.f32" not in ptx


@pytest.mark.parametrize("order", range(4))
def test_blocks_are_loaded_and_stored_atomically_and_a_poll_ends_in_time(
    order: int, tmp_path: Path
):
    """What Triton 3.9 has; a poll asks for a 7 that is never there, another one for what is."""
    text = Path(__file__).parents[2] / "test/corpus/ttir/atomic_load_store_poll-3.9.0.mlir"
    kernel = emulate.compile_kernel(text.read_text(), 4, tmp_path)
    given, out = torch.arange(1, 65, dtype=torch.int32), torch.zeros(64, dtype=torch.int32)
    emulate.launch(kernel, [given, out], (1,), order)
    assert out.tolist() == [0, *range(2, 41), *[0] * 24]
