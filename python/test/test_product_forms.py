"""Matrix products in the forms that people write, of odd sizes: on the CPU, in the emulator, and as
machine code for two GPUs. Plain ones of every type are in test_cases_dot.py, scaled ones in
test_cases_dot_scaled.py, attention among the examples."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from block_pointers import HAS_BLOCK_POINTERS, needs_block_pointers
from product_forms import (
    SKINNY,
    Trial,
    batched,
    block_scaled,
    by_blocks,
    by_descriptors,
    by_own_descriptors,
    by_pointers,
    by_shares,
    finished,
    gated,
    grouped,
    in_parts,
    with_small_weights,
    with_weights_of_four_bits,
)
from test_gpu_cubins import ARCHS, assert_fine, to_cubin
from triton.runtime.jit import JITFunction
from triton.tools.tensor_descriptor import TensorDescriptor
from triton_shared import emulate
from triton_shared.launcher import parameters

FORMS: dict[str, Callable[[int, int, int], Trial]] = {
    "pointers": by_pointers,
    "pointers, b turned": partial(by_pointers, turned=True),
    "few rows": partial(by_pointers, tile=SKINNY),
    "few rows in parts of K": partial(in_parts, tile=SKINNY),
    "block pointers": by_blocks,
    "descriptors": by_descriptors,
    "descriptors made in the kernel": by_own_descriptors,
    "persistent": partial(by_descriptors, persistent=True),
    "parts of K": in_parts,
    "shares of turns": by_shares,
    "batched": batched,
    "gated": gated,
    "grouped": grouped,
    "weights of i8": with_small_weights,
    "few rows with weights of i8": partial(with_small_weights, tile=SKINNY),
    "quantised to i8": finished,
    "quantised to fp8": partial(finished, dtype=torch.float8_e4m3fn),
}

if not HAS_BLOCK_POINTERS:
    del FORMS["block pointers"]

# Each of 1, 17 and 129 in each place; then one whose rows can be copied 16 bytes at a time.
SIZES = ((1, 17, 129), (17, 129, 1), (129, 1, 17), (65, 136, 72))
OFTEN = (SIZES[0], SIZES[-1])


def launched(trial: Trial) -> tuple[str, list[Any], tuple[int, ...], int]:
    """Launches on the CPU. Gives the kernel as TTIR, its arguments and grid, and its warps."""
    found: list[Any] = []
    original = JITFunction.run

    def run(self: Any, *given: Any, grid: Any, warmup: bool, **keywords: Any) -> Any:
        kernel = original(self, *given, grid=grid, warmup=warmup, **keywords)
        names = dict(zip(self.arg_names, given, strict=False)) | keywords
        found.append((kernel, names, grid))
        return kernel

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JITFunction, "run", run)
        trial.launch()
    kernel, names, grid = found[0]
    values: list[Any] = []
    for parameter in parameters(kernel.src.signature):
        value = names.get(parameter.name)
        if isinstance(value, TensorDescriptor):
            flags = (value.padding == "nan", False)
            values += [value.base, *value.shape, *value.strides, *flags]
            values += [*value.shape, *value.strides][
                : len(parameter.kinds) - 3 - 2 * parameter.rank
            ]
        elif parameter.form != "skip":
            values.append(value)
    return str(kernel.asm["ttir"]), values, grid, kernel.metadata.num_warps


def check(trial: Trial, folder: Path, arch_codes: bool = True) -> str:
    """Runs a trial everywhere. Gives the kernel in the LLVM dialect for Hopper."""
    text, values, grid, warps = launched(trial)
    assert trial.is_right()
    kernel = emulate.compile_kernel(text, warps, folder)
    trial.out.zero_()
    emulate.launch(kernel, values, grid, seed=2)
    assert trial.is_right()
    if arch_codes:
        for arch in ARCHS:
            assert_fine("product", to_cubin(text, arch, warps))
    return kernel.llvm


@pytest.mark.every(3)
@pytest.mark.parametrize(
    "size",
    [pytest.param(s, marks=[pytest.mark.nightly] * (s not in OFTEN), id=str(s)) for s in SIZES],
)
@pytest.mark.parametrize("form", FORMS)
def test_odd_sizes(form: str, size: tuple[int, int, int], tmp_path: Path):
    check(FORMS[form](*size), tmp_path, arch_codes=size == SIZES[-1])


@pytest.mark.nightly
@pytest.mark.parametrize("size", [(4097, 17, 33), (17, 4097, 33), (33, 17, 4097)], ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_large_odd_sizes(form: str, size: tuple[int, int, int], tmp_path: Path):
    check(FORMS[form](*size), tmp_path)


# What tensor cores of Hopper multiply from shared memory, filled by copies that run ahead.
COPIED = (
    "pointers", "pointers, b turned", "few rows", "few rows in parts of K", "parts of K",
    "shares of turns", "batched", "gated", "weights of i8", "few rows with weights of i8",
    "quantised to i8",
)  # fmt: skip


@pytest.mark.every(2)
@pytest.mark.parametrize("form", COPIED)
def test_loads_of_every_form_run_ahead(form: str, tmp_path: Path):
    llvm = check(FORMS[form](128, 128, 128), tmp_path)
    assert "wgmma.mma_async" in llvm
    assert "cp.async" in llvm


@pytest.mark.parametrize(
    "form",
    [
        pytest.param("block pointers", marks=needs_block_pointers),
        *("descriptors", "descriptors made in the kernel", "persistent"),
    ],
)
def test_boxes_of_every_form_run_ahead(form: str, tmp_path: Path):
    llvm = check(FORMS[form](128, 128, 128), tmp_path)
    assert "wgmma.mma_async" in llvm
    assert "cp.async.bulk.tensor" in llvm


def test_whole_tiles_of_a_group(tmp_path: Path):
    llvm = check(grouped(64, 64, 64, is_whole=True), tmp_path)
    assert "wgmma.mma_async" in llvm
    # The kernel says that the rows, whose addresses are read from memory, are aligned.
    assert "cp.async" in llvm


@pytest.mark.parametrize("shape", [(16, 64, 96), (64, 32, 64)], ids=str)
def test_weights_of_four_bits(shape: tuple[int, int, int], tmp_path: Path):
    assert "wgmma.mma_async" in check(with_weights_of_four_bits(*shape), tmp_path)


@pytest.mark.parametrize(
    "formats", [("e4m3", "e4m3"), ("e4m3", "e2m1"), ("e2m1", "e4m3"), ("e2m1", "e2m1")], ids=str
)
def test_block_scaled_operands(formats: tuple[str, str], tmp_path: Path):
    assert "wgmma.mma_async" in check(block_scaled(128, *formats), tmp_path)
